/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user is told: diagnostics as text on standard error, or kept for
 * the JSON document.
 */
#ifndef SDTLINK_REPORT_H
#define SDTLINK_REPORT_H

#include <stdio.h>

#include "diag.h"
#include "json.h"

struct kept_diagnostic;

struct report {
	struct diag diag; /* given to the library */
	bool is_json;
	bool is_verbose; /* notes too */
	bool is_quiet;	 /* errors only */
	bool is_colored;
	struct kept_diagnostic *kept; /* for JSON; owned */
	size_t nkept;
	size_t nlisted; /* of those, the ones already written */
};

void report_init(struct report *report);
void report_free(struct report *report);

/* The exit status that the diagnostics so far call for. */
int report_status(const struct report *report);

/* Writes `"diagnostics": [...]`, those since the last call. */
void report_json(struct report *report, struct json *json);

/* NAME with everything that is not printable ASCII escaped. */
void print_escaped(FILE *stream, const char *name);

#endif
