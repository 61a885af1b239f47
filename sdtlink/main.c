/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "arguments.h"
#include "command.h"
#include "arch/disassemble.h"
#include "elf/object.h"
#include "base/output.h"
#include "base/parallel.h"
#include "program.h"
#include "wrapped.h"

static bool wants_color(const struct command *cmd)
{
	const char *no_color = getenv("NO_COLOR");

	switch (cmd->color) {
	case COLOR_ALWAYS:
		return true;
	case COLOR_NEVER:
		return false;
	case COLOR_AUTO:
		break;
	}
	return isatty(STDERR_FILENO) &&
	       (no_color == NULL || no_color[0] == '\0');
}

static void print_version(void)
{
	printf("%s\n"
	       "Licence: GPL-3.0-or-later. What sdtlink generates carries no "
	       "licence of its own.\n"
	       "Machines: %s. Disassembly (libopcodes): %s.\n",
	       PACKAGE_STRING, arch_names(),
	       disassemble_is_available() ? "yes" : "no");
}

static int print_libexec(void)
{
	char *path = program_libexec();

	if (path == NULL || memory_has_failed()) {
		free(path);
		fputs("sdtlink: out of memory\n", stderr);
		return EXIT_TROUBLE;
	}
	puts(path);
	free(path);
	return EXIT_YES;
}

static int run(const struct command *cmd, struct report *report)
{
	switch (cmd->mode) {
	case MODE_GENERATE:
		return command_generate(cmd, report);
	case MODE_INJECT:
		return command_inject(cmd, report);
	case MODE_VERIFY:
		return command_verify(cmd, report);
	case MODE_DUMP:
		return command_dump(cmd, report);
	case MODE_CHECK_JUMP:
		return command_check_jump(cmd, report);
	case MODE_COST:
		return command_cost(cmd, report);
	case MODE_DRIFT:
		return command_drift(cmd, report);
	case MODE_MARKERS:
		return command_markers(cmd, report);
	case MODE_MERGE_SCRIPT:
		return command_merge_script(cmd, report);
	case MODE_LINK:
		return command_link(cmd, report);
	case MODE_CC:
		return command_cc(cmd, report);
	case MODE_LIBEXEC:
		return print_libexec();
	case MODE_FRAGMENT:
		return command_script_fragment(cmd);
	case MODE_EXPLAIN:
		return command_explain(cmd, report);
	case MODE_HELP:
		print_help();
		return EXIT_YES;
	case MODE_VERSION:
		print_version();
		return EXIT_YES;
	}
	return EXIT_TROUBLE;
}

/* For signal handlers: uses only functions that are allowed there. */
static void end_in_signal(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
	program_await();
	output_abandon();
	_exit(EXIT_TROUBLE);
}

/*
 * A large input is mapped. If somebody has truncated it, there is nothing to
 * read.
 */
static void end_of_mapping(int signum)
{
	(void)signum;
	end_in_signal("sdtlink: error: cannot read an input: it was truncated "
		      "meanwhile, or the disk failed\n");
}

static void end_if_changed(void)
{
	if (object_any_changed())
		end_in_signal("sdtlink: error: cannot read an input: it "
			      "changed while it was read\n");
}

/*
 * If somebody has written to an input, indices are no longer those that were
 * checked. Otherwise this is a defect of sdtlink, and must be seen.
 */
static void bad_access(int signum)
{
	/* libdw does not check all results of malloc. */
	if (errno == ENOMEM || memory_has_failed())
		end_in_signal("sdtlink: out of memory\n");
	end_if_changed();
	output_abandon();
	signal(signum, SIG_DFL);
	raise(signum);
}

/*
 * A changed input must not keep sdtlink busy either: names without an end are
 * long, and there may be many. This checks the inputs from time to time, and
 * once before the end.
 */
static void look_at_inputs(int signum, siginfo_t *info, void *context)
{
	int error = errno;

	(void)context;
	/* It is another's alarm? */
	if (info->si_code <= 0)
		program_signal(signum);
	/* A child would end while it writes. */
	else if (!program_is_running())
		end_if_changed();
	errno = error;
}

static void watch_inputs(void)
{
	struct sigaction action = { .sa_sigaction = look_at_inputs,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval often = { { 0, 250000 }, { 0, 250000 } };

	signal(SIGBUS, end_of_mapping);
	signal(SIGSEGV, bad_access);
	signal(SIGABRT, bad_access);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

/*
 * If one of the three is closed, the next file that is opened gets its number,
 * and would receive what is printed. This opens something instead that can only
 * be used in the other direction.
 */
static int hold_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null",
			 (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) |
				 O_CLOEXEC) != fd)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct argument_list args;
	struct command cmd = { 0 };
	struct report report;
	int status = EXIT_TROUBLE;
	struct wrapped wrapped;
	char name[] = "sdtlink";
	static char errors[BUFSIZ];

	if (hold_standard_files())
		return EXIT_TROUBLE;
	/* Each message is one write, so those of parallel jobs do not mix. */
	setvbuf(stderr, errors, _IOLBF, sizeof(errors));
	program_remember();
	/*
	 * At a file size limit, a write fails. Without this, the process would
	 * be killed.
	 */
	signal(SIGXFSZ, SIG_IGN);
	watch_inputs();
	if (report_init(&report) || wrapped_read(&wrapped, &argc, &argv)) {
		report_free(&report);
		return EXIT_TROUBLE;
	}
	argv[0] = name; /* for getopt's messages */
	if (response_expand(&report.diag, argc, argv, &args) ||
	    (wrapped.flags != NULL &&
	     response_add(&report.diag, wrapped.flags, &args)) ||
	    arguments_parse(&args, &cmd))
		goto done;
	cmd.program = wrapped.program;
	cmd.flags = wrapped.all_flags;
	cmd.in_driver = wrapped.in_driver;
	if (arguments_check(&cmd))
		goto done;
	parallel_set_jobs(cmd.jobs);
	report.is_json = cmd.format == FORMAT_JSON;
	report.is_verbose = cmd.is_verbose;
	report.diag.warnings_are_errors = cmd.werror;
	report.is_quiet = cmd.is_quiet;
	report.is_colored = wants_color(&cmd);
	report.is_person = !cmd.is_quiet && isatty(STDERR_FILENO);
	status = run(&cmd, &report);
done:
	/* What was printed must have arrived. A full disk is not a success. */
	if (report_release(&report))
		status = EXIT_TROUBLE;
	command_free(&cmd);
	response_free(&args);
	report_free(&report);
	wrapped_free(&wrapped);
	return status;
}
