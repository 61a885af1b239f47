/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a unit test needs: CHECK, and a listener for diagnostics. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

#define CHECK(condition) \
	unit_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_STR(actual, expected) \
	unit_check_str((actual), (expected), #actual, __FILE__, __LINE__)

/* A relocation of a table of rows, and a pointer to it as others want it. */
struct reloc_row {
	uint64_t offset;
	int64_t addend;
	uint32_t type;
	uint32_t symndx;
};

#define RELOC(row) \
	(&(struct reloc){ .offset = (row).offset, \
			  .addend = (row).addend, \
			  .type = (row).type, \
			  .symndx = (row).symndx })

static int unit_nfailed, unit_nchecks;

static inline bool unit_check(bool is_true, const char *what, const char *file,
			      int line)
{
	unit_nchecks++;
	if (is_true)
		return true;
	unit_nfailed++;
	printf("%s:%d: %s\n", file, line, what);
	return false;
}

static inline bool unit_check_str(const char *actual, const char *expected,
				  const char *what, const char *file, int line)
{
	if (unit_check(strcmp(actual, expected) == 0, what, file, line))
		return true;
	printf("\tis       '%s'\n\tand not  '%s'\n", actual, expected);
	return false;
}

/* For main(): a test that checks nothing has not passed. */
static inline int unit_status(void)
{
	printf("%d checks, %d failed\n", unit_nchecks, unit_nfailed);
	return unit_nchecks == 0 || unit_nfailed > 0;
}

/* The last error or warning. */
struct unit_heard {
	char code[64];
	char text[256];
	char section[64];
};

static inline void unit_hear(void *ctx, const struct diagnostic *dg)
{
	struct unit_heard *heard = ctx;

	if (dg->severity == SEVERITY_NOTE)
		return;
	snprintf(heard->code, sizeof(heard->code), "%s", dg->code);
	snprintf(heard->text, sizeof(heard->text), "%s", dg->text);
	snprintf(heard->section, sizeof(heard->section), "%s",
		 dg->place.section != NULL ? dg->place.section : "");
}

#endif
