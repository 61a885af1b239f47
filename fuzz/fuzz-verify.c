/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --verify of a pair, the final being what changes most, and of that alone: see
 * fuzz_split. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "prove/verify.h"
#include "table/stripped.h"

static volatile size_t nread;

static void hear(void *ctx, const struct finding *f)
{
	(void)ctx;
	nread += strlen(f->text) + strlen(cause_name(f->cause)) +
		 strlen(f->advice);
	nread += f->section != NULL ? strlen(f->section) : 0;
	nread += f->function != NULL ? strlen(f->function) : 0;
}

static void verify(const struct object *partial, const struct object *final,
		   const struct options *options, bool is_nameless)
{
	struct diag d = fuzz_diag();
	struct verification v = { .sink = hear, .is_nameless = is_nameless };
	int failed = verify_objects(&d, partial, 1, final, options, &v);

	/* Proved is a word that excludes a lot. */
	if (!failed && v.verdict == VERDICT_PROVED &&
	    (v.nfindings > 0 || is_nameless))
		abort();
}

/* FINAL without its symbols, and with those that its table gives. */
static void verify_stripped(const struct object *partial, struct object *final,
			    const struct options *options)
{
	struct diag d = fuzz_diag();
	struct stripped lent;
	bool found;

	final->is_stripped = true;
	final->nsymbols = 0;
	if (stripped_lend(&d, final, options, &lent, &found) == 0 && found)
		verify(partial, final, options, true);
	stripped_free(&lent);
}

/* Sound is of a final alone, and of no other. */
static void verify_alone(const struct object *final,
			 const struct options *options)
{
	struct diag d = fuzz_diag();
	struct verification v = { .sink = hear, .is_alone = true };
	int failed = alone_verify(&d, final, options, &v);

	if (!failed && (v.verdict == VERDICT_PROVED ||
			(v.verdict == VERDICT_SOUND &&
			 (v.nfindings > 0 || v.unchecked == 0))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct diag d = fuzz_diag();
	struct object partial = { 0 }, final = { 0 };
	struct options options;
	struct fuzz_pair pair;
	void *copies[2];

	if (fuzz_split(bytes, size, &pair))
		return 0;
	for (int i = 0; i < 2; i++)
		copies[i] = fuzz_copy(pair.bytes[i], pair.size[i]);
	fuzz_options(&options);
	if (fuzz_open(&d, copies[0], pair.size[0], OBJECT_PARTIAL, &partial) ==
		    0 &&
	    fuzz_open(&d, copies[1], pair.size[1], OBJECT_FINAL, &final) == 0) {
		verify(&partial, &final, &options, false);
		options.table = TABLE_ANCHORED;
		verify(&partial, &final, &options, false);
		options.table = TABLE_AUTO;
		verify_alone(&final, &options);
		verify_stripped(&partial, &final, &options);
	}
	object_close(&partial);
	object_close(&final);
	fuzz_options_free(&options);
	free(copies[0]);
	free(copies[1]);
	return 0;
}
