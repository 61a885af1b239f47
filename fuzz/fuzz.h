/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fuzz target is one file with the entry that libFuzzer calls. Linked with
 * standalone.c it reads files instead, for make check, AFL++ and a debugger.
 */
#ifndef SDTLINK_FUZZ_H
#define SDTLINK_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "elf/check.h"
#include "base/options.h"

/* libFuzzer's entries; the second is in mutate.c. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max,
			       unsigned seed);
/* libFuzzer's own mutation of bytes, or that of standalone.c. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t max);

/* What the command has by default. fuzz_options_free is due. */
void fuzz_options(struct options *options);
void fuzz_options_free(struct options *options);

/* A sink that reads all strings and drops them. */
struct diag fuzz_diag(void);

/* A copy of exactly SIZE bytes, so that each read behind its end is seen. */
void *fuzz_copy(const uint8_t *bytes, size_t size);

/*
 * Choices of the input itself: a byte of the ELF header that means nothing
 * to anybody, or 0.
 */
unsigned fuzz_choice(const uint8_t *bytes, size_t size);

/* Opens and checks; object_close is due either way. */
int fuzz_open(struct diag *d, void *bytes, size_t size, enum object_kind kind,
	      struct object *obj);

/*
 * Two files as one input: the length of the first in decimal digits and a
 * line feed, the first, the second. False if it is not of that form.
 */
struct fuzz_pair {
	const uint8_t *bytes[2];
	size_t size[2];
};
int fuzz_split(const uint8_t *bytes, size_t size, struct fuzz_pair *pair);

/* A file that holds BYTES; its name lives until the next call with this N. */
#define FUZZ_FILES 3
const char *fuzz_file(size_t n, const uint8_t *bytes, size_t size);

#endif
