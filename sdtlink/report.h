/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user is told. All of it is held until the inputs are checked once
 * more: what was found in a file that changes meanwhile is not true of any
 * file. Diagnostics are text for standard error, or part of the JSON document.
 */
#ifndef SDTLINK_REPORT_H
#define SDTLINK_REPORT_H

#include <stdio.h>

#include "base/diag.h"
#include "base/diag-log.h"
#include "base/memory-stream.h"
#include "json.h"

struct object;

struct report {
	struct diag diag; /* given to the library */
	bool is_json;
	bool is_verbose; /* notes too */
	bool is_quiet;	 /* errors only */
	bool is_colored;
	bool is_person;	      /* reads the messages as they come */
	char hint[32];	      /* the first code that --explain knows more of */
	struct diag_log kept; /* for JSON */
	size_t nlisted;	      /* of those, the ones already written */
	struct memory_stream out, err; /* held */
	/* Of what is settled: */
	size_t out_settled, err_settled;
	size_t nkept_settled;
	unsigned long nno_settled, ntrouble_settled;
	bool is_lost;	/* standard output has failed, and that was reported */
	bool is_poured; /* part of it is out, and cannot be taken back */
};

/*
 * Fails if memory ran out, with a message on standard error. Call report_free
 * even then.
 */
int report_init(struct report *report);
void report_free(struct report *report);

/*
 * Call it when the N inputs at OBJS have been read. Settles what was found
 * since the last call. If one of them has changed, or an allocation failed,
 * discards that, reports it instead, and returns -1.
 */
int report_confirm(struct report *report, const struct object *objs, size_t n);

/*
 * Call it for each line I of a listing, which may be larger than its file: now
 * and then it writes what is held, if that is much. It all comes from OBJ,
 * which must still be unchanged.
 */
void report_pour(struct report *report, const struct object *obj, size_t i);

/*
 * Writes what is held, and diagnostics that are in no document as text. Returns
 * 0 if standard output took everything, or -1 after one message.
 */
int report_release(struct report *report);

/*
 * Writes messages at once, before another program complains about what they
 * explain. Not if they are for a document.
 */
void report_show(struct report *report);

/* The exit status for the diagnostics so far. */
int report_status(const struct report *report);

/* Writes `"diagnostics": [...]`: those since the last call. */
void report_json(struct report *report, struct json *json);

/* Notes that --explain=CODE says more about a message. */
void report_hint(struct report *report, const char *code);

/* Prints NAME, with all but printable ASCII escaped. */
void print_escaped(FILE *stream, const char *name);

/* Prints NAME for XML, with a question mark for what XML does not allow. */
void print_xml(FILE *stream, const char *name);
/* Of its first N characters. */
void print_xml_start(FILE *stream, const char *name, size_t n);

#endif
