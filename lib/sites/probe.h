/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probe names: PREFIX provider ___ name. A double underscore in the name means
 * a dash. Without ___, the provider is "sdt".
 */
#ifndef SDTLINK_PROBE_H
#define SDTLINK_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "elf/mentions.h"

struct arch;

enum probe_use {
	PROBE_NONE,    /* not a probe function */
	PROBE_PLAIN,   /* by prefix */
	PROBE_ENABLED, /* is-enabled, by prefix */
	PROBE_SYMBOL,  /* by --symbol: the whole symbol is the name */
};

/*
 * Is SYMBOL the name of a probe function? The longest prefix that matches wins.
 * Sets *PREFIX to its length. A --symbol glob matches undefined symbols only.
 */
enum probe_use probe_classify(const struct options *options, const char *symbol,
			      bool is_defined, size_t *prefix);

/*
 * Is SYMBOL the name of a probe function's code, in an ABI where the code has a
 * name of its own? See struct descriptor_desc.
 */
bool probe_names_code(const struct options *options, const struct arch *arch,
		      const char *symbol);

/*
 * Must the file of SIZE bytes at BYTES be searched for probes? In bytecode,
 * only strings are read. The generator and the proof ask both: a name that this
 * misses is in neither.
 */
enum mentions probe_mentions(const struct options *options, void *bytes,
			     size_t size);

/*
 * The ___ between provider and name in SYMBOL, behind its PREFIX. NULL if there
 * is none; then the provider is "sdt".
 */
const char *probe_name_split(const char *symbol, size_t prefix);

/* The parts of a probe's name. The struct owns them. */
struct probe_name {
	char *provider;
	char *name;
};

/* Parses SYMBOL behind its PREFIX. Returns -1 if memory ran out. */
int probe_name_parse(const char *symbol, size_t prefix,
		     struct probe_name *name);
void probe_name_free(struct probe_name *name);

/*
 * What is suspicious about a name, or NULL. Sets REMEDY to what to do. If a
 * nested macro expanded a part of it ("linux" is 1 in gnu11), a name begins
 * with a digit or contains __attribute__. A name with more than one "___" is
 * ambiguous.
 */
const char *probe_name_suspicion(const char *symbol, size_t prefix,
				 const char **remedy);

#endif
