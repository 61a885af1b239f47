/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --link: runs a linker, gives it objects with probes as if they had been
 * injected, and proves its output.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answers.h"
#include "base/grow.h"
#include "base/output.h"
#include "command.h"
#include "elf/object.h"
#include "link-drift.h"
#include "linker-options.h"
#include "listing.h"
#include "program.h"
#include "prove/collected.h"

struct link {
	const struct command *cmd;
	struct report *report;
	char *libexec;
	char *linker; /* its path */
	struct linker_options line;
	struct answers answers;
	struct read_files files; /* for --drift */
	/* Of the first objects: what the proof will need of them. */
	struct collected **collected; /* owned */
	size_t ncollected;
	struct stat old; /* the output before the link, if any */
	bool had_output;
};

/* --- A compiler, which runs the linker under a name of sdtlink ------------ */

/*
 * Handles an option that selects a linker for which the directory has no name,
 * such as -fuse-ld=lld-19. The name is passed on in another way.
 */
static int redirect(const char *libexec, char **arg)
{
	static const char use[] = "-fuse-ld=", path[] = "--ld-path=";
	bool is_path = strncmp(*arg, path, strlen(path)) == 0;
	const char *value = strchr(*arg, '=') + 1;
	char *linker = malloc(strlen(value) + 4);
	char *redirected = malloc(strlen(libexec) + 32);
	bool is_lld = strstr(value, "lld") != NULL;
	int ret = -1;

	if (linker != NULL && redirected != NULL) {
		sprintf(linker, "%s%s", strchr(value, '/') ? "" : "ld.", value);
		sprintf(redirected, "%s%s/ld%s", is_path ? path : use, libexec,
			is_lld ? ".lld" : "");
		if (!is_path && strchr(value, '/') == NULL)
			sprintf(redirected, "%s%s", use,
				is_lld ? "lld" : "bfd");
		ret = setenv("SDTLINK_LD", linker, 1);
	}
	free(linker);
	*arg = redirected;
	return ret;
}

static bool is_elsewhere(const char *arg)
{
	static const char *const known[] = { "bfd", "gold", "lld", "mold" };

	if (strncmp(arg, "--ld-path=", 10) == 0)
		return true;
	if (strncmp(arg, "-fuse-ld=", 9) != 0)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (strcmp(arg + 9, known[i]) == 0)
			return false;
	return true;
}

static int become_driver(struct diag *d, const struct command *cmd,
			 const char *path, const char *libexec)
{
	size_t n = 0, before = program_words(cmd->program);
	size_t length = strlen(libexec) + 3;
	/* They live as long as the process, or the program that it becomes. */
	static char **argv, *option;

	option = malloc(length);
	while (cmd->program[n] != NULL)
		n++;
	argv = calloc(n + 2, sizeof(argv[0]));
	if (argv == NULL || option == NULL ||
	    setenv("SDTLINK_FLAGS", cmd->flags, 1) != 0)
		return diag_nomem(d, path);
	snprintf(option, length, "-B%s", libexec);
	memcpy(argv, cmd->program, before * sizeof(argv[0]));
	argv[before] = option;
	memcpy(argv + before + 1, cmd->program + before,
	       (n - before) * sizeof(argv[0]));
	for (size_t i = before + 1; i <= n; i++)
		if (is_elsewhere(argv[i]) && redirect(libexec, &argv[i]))
			return diag_nomem(d, path);
	return program_become(d, path, argv);
}

/* --- The proof ------------------------------------------------------------ */

/*
 * Removes an output that is not proved. A link stays, and its target is
 * removed.
 */
static void remove_output(struct diag *d, const char *path)
{
	if (program_remove(path) != 0)
		diag_file(d, path, "cannot-write",
			  "cannot remove it, and it is not proved: %s",
			  strerror(errno));
}

/*
 * If sdtlink is killed and cannot remove the output, that is older than its
 * inputs, so make links it again.
 */
static void set_time(const char *path, struct timespec time)
{
	const struct timespec times[2] = { time, time };

	(void)!utimensat(AT_FDCWD, path, times, 0);
}

/* The objects that the proof needs, in the order in which they were opened. */
static size_t list_partials(const struct link *l, struct object *partials,
			    struct command *cmd)
{
	const struct substitutes *set = &l->answers.set;
	size_t n = 0;

	for (size_t i = 0; i < set->nobjects; i++) {
		partials[n++] = set->objects[i]->obj;
		if (string_list_add(&cmd->inputs, set->objects[i]->name))
			return 0;
	}
	return n;
}

/*
 * CTX is set if the file could not be read, as opposed to not being an object.
 */
static void hear(void *ctx, const struct diagnostic *dg)
{
	bool *is_unread = ctx;

	*is_unread |= strcmp(dg->code, "cannot-read") == 0;
}

/*
 * Does it contain a word that begins as names of probe functions do? True if it
 * cannot be read.
 */
static bool mentions_probes(const struct link *l, const char *path)
{
	const struct string_list *prefixes = &l->cmd->options.prefixes;
	bool ret = false;
	struct diag quiet = { .sink = hear, .ctx = &ret };
	struct object obj;
	const char *bytes;
	size_t size;

	/* No object is no image. */
	if (object_open(&quiet, path, &obj) == 0) {
		bytes = elf_rawfile(obj.elf, &size);
		for (size_t i = 0; bytes != NULL && i < prefixes->n; i++)
			ret |= memmem(bytes, size, prefixes->items[i],
				      strlen(prefixes->items[i])) != NULL;
	}
	object_close(&obj);
	return ret;
}

static int judge(const struct link *l, const char *path)
{
	const struct substitutes *set = &l->answers.set;
	struct object *partials =
		calloc(set->nobjects + 1, sizeof(partials[0]));
	struct command cmd = *l->cmd;
	struct diag *d = &l->report->diag;
	int status = EXIT_TROUBLE;
	size_t n;

	if (partials == NULL) {
		diag_nomem(d, path);
		return EXIT_TROUBLE;
	}
	cmd.inputs = (struct string_list){ 0 };
	/* There is one document. */
	if (cmd.with_drift)
		cmd.format = FORMAT_TEXT;
	n = list_partials(l, partials, &cmd);
	if (n > 0 && string_list_add(&cmd.inputs, l->line.output) == 0)
		status = verify_linked(&cmd, l->report, partials, n,
				       l->collected, l->ncollected);
	string_list_free(&cmd.inputs);
	free(partials);
	return status;
}

/* Did the linker never ask, though it should have? */
static bool was_deaf(const struct link *l, const char *path)
{
	if (l->answers.was_asked || !mentions_probes(l, path))
		return false;
	diag_report(&l->report->diag, SEVERITY_TROUBLE,
		    &(struct place){ .file = l->linker }, "no-preload",
		    "inject with --cc, or take a linker that is dynamically "
		    "linked for this machine",
		    "loads no shared object before its own, and %s has probes",
		    l->line.output);
	return true;
}

static int judge_output(const struct link *l, const char *path,
			const struct stat *st)
{
	struct diag *d = &l->report->diag;
	int status = EXIT_TROUBLE;

	output_guard(path);
	if (l->answers.was_asked) {
		set_time(path, (struct timespec){ 0, 0 });
		status = judge(l, path);
	} else if (!was_deaf(l, path))
		status = EXIT_YES;
	if (status == EXIT_YES)
		status = report_status(l->report);
	if (status != EXIT_YES)
		remove_output(d, path);
	else if (l->answers.was_asked)
		set_time(path, st->st_mtim);
	output_guard(NULL);
	return status;
}

/*
 * Finds the output, and sets PATH to it with links followed. Returns false if
 * there is none.
 */
static bool find_output(const struct link *l, char path[PATH_MAX],
			struct stat *st)
{
	if (realpath(l->line.output, path) != NULL && stat(path, st) == 0)
		return true;
	if (errno != ENOENT)
		diag_file(&l->report->diag, l->line.output, "cannot-read",
			  "cannot be looked at, and it is not proved: %s",
			  strerror(errno));
	return false;
}

/* Has the linker left the file as it was? */
static bool is_old(const struct link *l, const struct stat *st)
{
	return l->had_output && st->st_dev == l->old.st_dev &&
	       st->st_ino == l->old.st_ino && st->st_size == l->old.st_size &&
	       st->st_mtim.tv_sec == l->old.st_mtim.tv_sec &&
	       st->st_mtim.tv_nsec == l->old.st_mtim.tv_nsec &&
	       st->st_ctim.tv_sec == l->old.st_ctim.tv_sec &&
	       st->st_ctim.tv_nsec == l->old.st_ctim.tv_nsec;
}

/* Does the linker write to something that keeps nothing? */
static bool is_stream(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 ||
	       (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

/* A linker script may name the output, or an option that sdtlink does not know.
 */
static int report_no_output(const struct link *l)
{
	diag_report(&l->report->diag, SEVERITY_TROUBLE,
		    &(struct place){ .file = l->line.output }, "no-output",
		    "name it with -o, as seen from here, so that it is proved",
		    "the linker read probes, and did not write this file: what "
		    "it wrote instead, if anything, is not proved");
	return report_status(l->report);
}

static int prove_output(const struct link *l)
{
	bool has_probes = l->answers.set.nprobed > 0 || l->answers.has_failed;
	char path[PATH_MAX];
	struct stat st;
	bool is_there = find_output(l, path, &st);

	/* A device or a pipe is not proved. That is not an error. */
	if (is_stream(l->line.output))
		return report_status(l->report);
	if (has_probes && (!is_there || is_old(l, &st)) &&
	    report_status(l->report) == EXIT_YES)
		return report_no_output(l);
	if (!is_there)
		return report_status(l->report);
	if (has_probes || !l->answers.was_asked)
		return judge_output(l, path, &st);
	require_probes(&l->report->diag, l->cmd, l->line.output, 0);
	if (report_status(l->report) != EXIT_YES)
		remove_output(&l->report->diag, path);
	return report_status(l->report);
}

/* After the linker was content. */
static int prove(const struct link *l)
{
	int status = prove_output(l);

	/*
	 * If memory ran out, something may have been missed, so nothing is
	 * proved.
	 */
	if (report_confirm(l->report, NULL, 0) == 0)
		return status;
	remove_output(&l->report->diag, l->line.output);
	return EXIT_TROUBLE;
}

/* --- The link ------------------------------------------------------------- */

static int offer(void *ctx)
{
	struct link *l = ctx;

	return answers_offer(&l->answers, l->libexec);
}

/* Collects what the proof will need of one object more. */
static bool collect(void *ctx)
{
	struct link *l = ctx;
	const struct substitutes *set = &l->answers.set;
	struct collected **grown;

	if (l->ncollected == set->nobjects || memory_has_failed())
		return false;
	grown = grow_list(l->collected, l->ncollected, sizeof(grown[0]));
	if (grown == NULL)
		return false;
	l->collected = grown;
	/* For an input that is cut off: see program_await. */
	output_guard(is_stream(l->line.output) ? NULL : l->line.output);
	grown[l->ncollected] = collected_new(&l->report->diag,
					     &set->objects[l->ncollected]->obj,
					     set->options);
	output_guard(NULL);
	return ++l->ncollected < set->nobjects;
}

static int give(void *ctx)
{
	struct link *l = ctx;

	return answers_give(&l->report->diag, &l->answers);
}

/* The image is proved. What moved is no reason to remove it. */
static int show_drift(struct link *l)
{
	int status = drift_linked(l->cmd, l->report, &l->files, l->line.output);

	return status == EXIT_TROUBLE ? status : EXIT_YES;
}

/* Prepares the linker and sdtlink for --drift. */
static int prepare(struct link *l)
{
	struct diag *d = &l->report->diag;

	if (answers_open(d, &l->answers, &l->cmd->options))
		return -1;
	l->answers.report = l->report;
	l->answers.data = &l->line.data;
	l->answers.set.beside = l->line.output;
	l->had_output = stat(l->line.output, &l->old) == 0;
	if (!l->cmd->with_drift)
		return 0;
	l->answers.kept = &l->files;
	return read_files_begin(d, &l->files, l->linker, l->cmd->program);
}

static int run(struct link *l)
{
	struct diag *d = &l->report->diag;
	struct running running = { 0 };
	struct service service = {
		.prepare = offer, .answer = give, .work = collect, .ctx = l
	};
	int kept;

	if (prepare(l))
		return EXIT_TROUBLE;
	service.fd = l->answers.mine;
	if (program_run(d, l->linker,
			l->files.argv != NULL ? l->files.argv : l->cmd->program,
			&service, &running)) {
		if (running.pid > 0)
			remove_output(d, l->line.output);
		return EXIT_TROUBLE;
	}
	kept = read_files_end(d, &l->files);
	if (running.status == 0 && !running.is_signal) {
		int status = prove(l);

		if (status != EXIT_YES || !l->cmd->with_drift)
			return status;
		return kept == 0 ? show_drift(l) : EXIT_TROUBLE;
	}
	/* A linker that a signal ended could not. */
	if (running.status == 0 || WIFSIGNALED(running.status))
		remove_output(d, l->line.output);
	report_release(l->report);
	/* The linker may have failed because sdtlink could not answer. */
	if (memory_has_failed())
		return EXIT_TROUBLE;
	return report_status(l->report) != EXIT_YES ? report_status(l->report)
						    : program_status(&running);
}

/*
 * Uses the linker's own name: PROGRAM may be a link to sdtlink. A program that
 * a compiler runs gets its whole path as its name, and shows it in messages.
 */
static int find_linker(struct diag *d, const struct command *cmd,
		       struct link *l)
{
	l->libexec = program_libexec();
	if (l->libexec == NULL)
		return diag_nomem(d, cmd->program[0]);
	l->linker = program_find(d, cmd->program[0], cmd->in_driver);
	if (l->linker == NULL)
		return -1;
	if (cmd->in_driver)
		cmd->program[0] = l->linker;
	return 0;
}

/* Else the dynamic linker would only warn, and the link would have no table. */
static int check_installed(struct diag *d, const struct link *l)
{
	char path[PATH_MAX];

	answers_interposer(l->libexec, path);
	if (access(path, R_OK) == 0)
		return 0;
	return diag_file(d, path, "cannot-run",
			 "is not there, and --link needs it: install sdtlink "
			 "as a whole, or call it where it was built");
}

int command_link(const struct command *cmd, struct report *report)
{
	struct link l = { .cmd = cmd,
			  .report = report,
			  .answers = { .mine = -1, .theirs = -1 } };
	struct diag *d = &report->diag;
	int status = EXIT_TROUBLE;

	if (find_linker(d, cmd, &l))
		goto done;
	linker_options_read(cmd->program + 1, &l.line);
	if (report_confirm(report, NULL, 0))
		goto done;
	if (!cmd->in_driver && !is_linker_name(cmd->program[0]))
		become_driver(d, cmd, l.linker, l.libexec);
	else if (l.line.is_partial)
		program_become(d, l.linker, cmd->program);
	else if (check_installed(d, &l) == 0)
		status = run(&l);
done:
	for (size_t i = 0; i < l.ncollected; i++)
		collected_free(l.collected[i]);
	free(l.collected);
	answers_close(&l.answers);
	read_files_free(&l.files);
	linker_options_free(&l.line);
	free(l.linker);
	free(l.libexec);
	return status;
}
