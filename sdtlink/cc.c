/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cc: runs a compiler, and injects the objects that it wrote, in their place.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "command.h"
#include "compiler-options.h"
#include "listing.h"
#include "make/substitute.h"
#include "program.h"

static int copy(struct diag *d, const char *path, int from, FILE *to)
{
	static char piece[1 << 16];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, piece, sizeof(piece), at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return diag_file(d, path, "cannot-read",
					 "cannot read: %s", strerror(errno));
		if (fwrite(piece, 1, n, to) != (size_t)n)
			return diag_file(d, path, "cannot-write",
					 "cannot write: %s", strerror(errno));
		at += n;
	}
	return 0;
}

static int replace(struct report *report, const char *path, int instead)
{
	struct diag *d = &report->diag;
	struct output out = { .direct = -1 }, *outs[] = { &out };
	int ret = -1;

	if (output_open(d, path, &out) == 0 &&
	    copy(d, path, instead, out.stream) == 0 &&
	    output_finish(d, &out) == 0)
		ret = output_commit(d, outs, 1);
	output_close(d, &out);
	return ret;
}

/*
 * Makes an object without a table older than its source, so that it is never
 * linked.
 */
static void set_time(int fd, struct timespec time)
{
	const struct timespec times[2] = { time, time };

	(void)!futimens(fd, times);
}

static void remove_object(struct diag *d, const char *path)
{
	if (program_remove(path) != 0)
		diag_file(d, path, "cannot-write",
			  "cannot remove it, and it is not injected: %s",
			  strerror(errno));
}

static int inject(const struct command *cmd, struct report *report,
		  const char *path, int fd, const struct stat *st)
{
	struct substitutes set = { .options = &cmd->options };
	struct diag *d = &report->diag;
	bool is_shared = st->st_nlink > 1; /* with a cache */
	int instead, ret;

	output_guard(path);
	if (!is_shared)
		set_time(fd, (struct timespec){ 0, 0 });
	ret = substitute_find(d, &set, path, fd, &instead);
	if (ret == 0 && instead >= 0)
		ret = replace(report, path, instead);
	if (ret == 0 && instead < 0 && !is_shared)
		set_time(fd, st->st_mtim);
	require_probes(d, cmd, path, set.nprobed);
	if (report_confirm(report, NULL, 0) ||
	    report_status(report) != EXIT_YES)
		ret = -1;
	if (ret != 0)
		remove_object(d, path);
	substitutes_free(&set);
	output_guard(NULL);
	return report_status(report);
}

/*
 * The compiler may not have written a file, as when a script tests its options.
 */
static int inject_object(const struct command *cmd, struct report *report,
			 const char *path)
{
	struct diag *d = &report->diag;
	struct stat st;
	int fd, status;

	if (stat(path, &st) != 0 ? errno == ENOENT : !S_ISREG(st.st_mode))
		return EXIT_YES;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0) {
		diag_file(d, path, "cannot-read", "cannot open: %s",
			  strerror(errno));
		remove_object(d, path);
		status = EXIT_TROUBLE;
	} else {
		status = inject(cmd, report, path, fd, &st);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

/* All of them, so that all errors are reported. */
static int inject_objects(const struct command *cmd, struct report *report,
			  const struct string_list *objects)
{
	for (size_t i = 0; i < objects->n; i++)
		inject_object(cmd, report, objects->items[i]);
	return report_status(report);
}

static void remove_objects(const struct string_list *objects)
{
	for (size_t i = 0; i < objects->n; i++)
		program_remove(objects->items[i]);
}

/*
 * Of several sources, one may have failed. The objects of the others stay, and
 * are injected.
 */
static int run(const struct command *cmd, struct report *report,
	       const char *compiler, const struct string_list *objects)
{
	const struct service none = { .fd = -1 };
	struct running running;

	if (program_run(&report->diag, compiler, cmd->program, &none,
			&running)) {
		if (running.pid > 0)
			remove_objects(objects);
		return EXIT_TROUBLE;
	}
	if (running.status == 0 && !running.is_signal)
		return inject_objects(cmd, report, objects);
	/* A compiler that a signal ended could not. */
	if (running.status == 0 || WIFSIGNALED(running.status))
		remove_objects(objects);
	else if (objects->n > 1)
		inject_objects(cmd, report, objects);
	report_release(report);
	return program_status(&running);
}

int command_cc(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	char *compiler = program_find(d, cmd->program[0], false);
	char *const *argv = cmd->program + program_words(cmd->program);
	int status = EXIT_TROUBLE;
	struct compilation c;

	if (compiler == NULL)
		return EXIT_TROUBLE;
	compilation_read(argv, &c);
	if (report_confirm(report, NULL, 0))
		status = EXIT_TROUBLE;
	else if (c.links)
		/* There is no object to inject before the link. */
		status = command_link(cmd, report);
	else if (c.objects.n == 0)
		program_become(d, compiler, cmd->program);
	else
		status = run(cmd, report, compiler, &c.objects);
	compilation_free(&c);
	free(compiler);
	return status;
}
