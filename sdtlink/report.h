/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user is told. All of it is held until the inputs that it is about
 * were looked at once more: what was found in a file that somebody changes
 * meanwhile is true of no file. Diagnostics are text for standard error, or
 * kept for the JSON document.
 */
#ifndef SDTLINK_REPORT_H
#define SDTLINK_REPORT_H

#include <stdio.h>

#include "base/diag.h"
#include "base/memory-stream.h"
#include "json.h"

struct kept_diagnostic;
struct object;

struct report {
	struct diag diag; /* given to the library */
	bool is_json;
	bool is_verbose; /* notes too */
	bool is_quiet;	 /* errors only */
	bool is_colored;
	bool gives_hint; /* a person reads the messages */
	char hint[32];	 /* the first code that --explain knows more of */
	struct kept_diagnostic *kept; /* for JSON; owned */
	size_t nkept;
	size_t nlisted; /* of those, the ones already written */
	struct memory_stream out, err; /* held */
	/* Of what is settled: */
	size_t out_settled, err_settled;
	size_t nkept_settled;
	unsigned long nno_settled, ntrouble_settled;
	bool is_lost;	/* standard output has failed, and that was said */
	bool is_poured; /* part of it is out, and cannot be taken back */
};

/* Fails without memory, said on standard error. report_free is due then, too.
 */
int report_init(struct report *report);
void report_free(struct report *report);

/*
 * Settles what was found since the last time, in the N inputs at OBJS: all was
 * read that will be. If one has changed, or an allocation failed, what was said
 * since goes, that is said instead, and the result is -1.
 */
int report_confirm(struct report *report, const struct object *objs, size_t n);

/*
 * Gives out part of what is held, if that is much: a listing may be larger than
 * what it lists. All of it is of OBJ, as that is still unchanged.
 */
void report_pour(struct report *report, const struct object *obj);

/*
 * Gives out what is held, and diagnostics that no document has, as text:
 * standard output has all that was printed, or -1 after saying so once.
 */
int report_release(struct report *report);

/* The exit status that the diagnostics so far call for. */
int report_status(const struct report *report);

/* Writes `"diagnostics": [...]`, those since the last call. */
void report_json(struct report *report, struct json *json);

/* Something was said that --explain=CODE says more of. */
void report_hint(struct report *report, const char *code);

/* NAME with everything that is not printable ASCII escaped. */
void print_escaped(FILE *stream, const char *name);

/* NAME as XML has it, where that is a question mark. */
void print_xml(FILE *stream, const char *name);
/* Of its first N characters. */
void print_xml_start(FILE *stream, const char *name, size_t n);

#endif
