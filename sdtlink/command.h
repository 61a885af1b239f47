/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command: its arguments, exit statuses and modes. */
#ifndef SDTLINK_COMMAND_H
#define SDTLINK_COMMAND_H

#include "base/options.h"
#include "elf/flash.h"
#include "report.h"

enum exit_status {
	EXIT_YES = 0,	  /* done, or proved */
	EXIT_NO = 1,	  /* the answer is no */
	EXIT_TROUBLE = 2, /* usage, unreadable input, cannot write */
};

enum mode {
	MODE_GENERATE,
	MODE_INJECT,
	MODE_VERIFY,
	MODE_DUMP,
	MODE_COST,
	MODE_DRIFT,
	MODE_EXPLAIN,
	MODE_CHECK_JUMP,
	MODE_MARKERS,
	MODE_MERGE_SCRIPT,
	MODE_LINK,
	MODE_CC,
	MODE_HELP,
	MODE_VERSION,
	MODE_LIBEXEC,
	MODE_FRAGMENT,
};

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_SVG, FORMAT_NAMES };

/* --summary: a line for each of these. */
enum summary_by {
	SUMMARY_NONE,
	SUMMARY_PROBE,
	SUMMARY_FUNCTION,
	SUMMARY_MODULE,
	SUMMARY_SECTION,
};

enum sort {
	SORT_PROBE, /* as in JSON */
	SORT_FUNCTION,
	SORT_ADDRESS,
	SORT_SITES, /* of a summary */
	SORT_BYTES, /* likewise */
};

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct command {
	enum mode mode;
	int mode_option; /* that chose it; 0 if none did */
	struct options options;
	struct string_list inputs;
	const char *output;    /* -o, or NULL */
	const char *against;   /* or NULL */
	const char *explained; /* CODE of --explain */
	const char *module; /* the name of the input; NULL: as the file says */
	enum format format;
	enum color color;
	unsigned jobs; /* 0: as many as there are processors */
	bool is_verbose;
	bool is_quiet;
	bool require_probes;
	bool refuses_usual;		   /* no --refuse-section was given */
	bool with_source;		   /* --source */
	bool werror;			   /* warnings are errors */
	bool with_drift;		   /* --drift beside --link */
	bool depfile;			   /* -MD */
	const char *depfile_path;	   /* -MF */
	char *default_depfile;		   /* without -MF; owned */
	struct string_list response_files; /* borrowed */
	struct string_list targets;	   /* -MT */
	bool phony;			   /* -MP */
	const char *debug_file;		   /* or NULL */
	const char *image;		   /* of --verify; or NULL */
	struct string_list probes;	   /* patterns */
	struct string_list functions;	   /* globs */
	struct string_list kinds;
	enum summary_by summary;
	enum sort sort;
	const char *memory; /* a core, or NULL */
	bool has_displacement;
	uint64_t displacement;
	const char *suppressions;   /* a file, or NULL */
	struct flash_options flash; /* --image-base */
	char **program;	   /* of --link and --cc, ended by NULL; borrowed */
	const char *flags; /* the options before it, for a shell; borrowed */
	bool in_driver;	   /* a compiler runs it under a linker's name */
};

/*
 * The modes, each in the file of its name; main.c has those that only print.
 * Each function returns an exit_status.
 */
int command_generate(const struct command *cmd, struct report *report);
int command_inject(const struct command *cmd, struct report *report);
int command_verify(const struct command *cmd, struct report *report);
int command_dump(const struct command *cmd, struct report *report);
int command_check_jump(const struct command *cmd, struct report *report);
int command_cost(const struct command *cmd, struct report *report);
int command_drift(const struct command *cmd, struct report *report);
int command_explain(const struct command *cmd, struct report *report);
int command_markers(const struct command *cmd, struct report *report);
int command_merge_script(const struct command *cmd, struct report *report);
int command_script_fragment(const struct command *cmd);
int command_link(const struct command *cmd, struct report *report);
int command_cc(const struct command *cmd, struct report *report);

struct collected;
struct object;

/*
 * Proves the last of CMD's inputs against the N checked PARTIALS, which are the
 * others. PARTIALS has room for one more object. COLLECTED: see verify.h.
 */
int verify_linked(const struct command *cmd, struct report *report,
		  struct object *partials, size_t n,
		  struct collected **collected, size_t ncollected);

#endif
