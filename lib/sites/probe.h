/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probe names: PREFIX provider ___ name, where a double underscore in the
 * name reads as a dash; without ___ the provider is "sdt".
 */
#ifndef SDTLINK_PROBE_H
#define SDTLINK_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"

struct arch;

enum probe_use {
	PROBE_NONE,    /* not a probe function */
	PROBE_PLAIN,   /* by prefix */
	PROBE_ENABLED, /* is-enabled, by prefix */
	PROBE_SYMBOL,  /* by --symbol: the symbol itself is the name */
};

/*
 * Is SYMBOL the name of a probe function? The longest matching prefix wins;
 * *PREFIX is its length. A --symbol glob counts for undefined symbols only.
 */
enum probe_use probe_classify(const struct options *options, const char *symbol,
			      bool is_defined, size_t *prefix);

/*
 * Is SYMBOL the name of a probe function's code, where that has one beside the
 * function's own? See struct descriptor_desc.
 */
bool probe_names_code(const struct options *options, const struct arch *arch,
		      const char *symbol);

/*
 * The ___ that parts provider and name in SYMBOL behind its PREFIX; NULL if
 * there is none, and the provider is "sdt".
 */
const char *probe_name_split(const char *symbol, size_t prefix);

/* The parts of a probe's name, in memory of their own. */
struct probe_name {
	char *provider;
	char *name;
};

/* SYMBOL behind its PREFIX. Returns -1 if there is no memory. */
int probe_name_parse(const char *symbol, size_t prefix,
		     struct probe_name *name);
void probe_name_free(struct probe_name *name);

/*
 * What is suspicious about a name, and in REMEDY what to do; or NULL. A name
 * that was macro-expanded on its way through nested macros ("linux" is 1 in
 * gnu11) begins with a digit or holds __attribute__. More than one "___" can be
 * parted in more than one way.
 */
const char *probe_name_suspicion(const char *symbol, size_t prefix,
				 const char **remedy);

#endif
