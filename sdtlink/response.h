/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments @FILE, with the quoting of gcc and ld. */
#ifndef SDTLINK_RESPONSE_H
#define SDTLINK_RESPONSE_H

#include "base/diag.h"
#include "base/options.h"

struct argument_list {
	struct string_list words; /* what getopt wants: words.items */
	char **owned;		  /* texts that the words point into */
	size_t nowned;
	struct string_list files; /* response files that were read */
};

/*
 * Fills ARGS from ARGV. Each @FILE is replaced by the words in FILE, which may
 * name further files. Call response_free either way.
 */
int response_expand(struct diag *d, int argc, char **argv,
		    struct argument_list *args);
/* Adds the words in TEXT, as from a response file. */
int response_add(struct diag *d, const char *text, struct argument_list *args);
void response_free(struct argument_list *args);

#endif
