/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Diagnostics. The library says what is wrong. The command decides how to print
 * it, and sets the exit status.
 *
 * The lowest function that knows the place makes the diagnostic, once, and
 * returns -1. Its callers add nothing.
 */
#ifndef SDTLINK_DIAG_H
#define SDTLINK_DIAG_H

#include <stdbool.h>
#include <stdint.h>

enum severity {
	SEVERITY_NOTE,
	SEVERITY_WARNING,
	SEVERITY_NO,	  /* error: the answer is no (exit status 1) */
	SEVERITY_TROUBLE, /* error: cannot tell (exit status 2) */
};

/* Where a diagnostic applies. Only FILE is always known. */
struct place {
	const char *file;
	const char *section;  /* or NULL */
	const char *function; /* or NULL */
	bool has_offset;
	uint64_t offset;	  /* in the section, valid if has_offset */
	uint64_t function_offset; /* valid if function */
};

struct diagnostic {
	enum severity severity;
	struct place place;
	const char *code;   /* a stable word, such as "not-a-branch" */
	const char *text;   /* lower case, no full stop */
	const char *remedy; /* the one thing to do, or NULL */
};

struct diag {
	/* Receives each diagnostic. Its strings are valid during the call. */
	void (*sink)(void *ctx, const struct diagnostic *diagnostic);
	void *ctx;
	bool warnings_are_errors; /* of exit status 1 */
	unsigned long nno;
	unsigned long ntrouble;
};

/* A sink for attempts that may fail. The counts are kept. */
void diag_ignore(void *ctx, const struct diagnostic *diagnostic);

/* Returns -1 for an error and 0 otherwise. REMEDY may be NULL. */
int diag_report(struct diag *d, enum severity severity,
		const struct place *place, const char *code, const char *remedy,
		const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Reports trouble with a file as a whole. Always returns -1. */
int diag_file(struct diag *d, const char *file, const char *code,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Reports that memory ran out while working on FILE. Always returns -1. */
int diag_nomem(struct diag *d, const char *file);

#endif
