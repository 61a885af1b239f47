/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "flow.h"

/*
 * What a byte is. A byte that no instruction was seen to cover is unknown: it
 * may be data, or code that only a table of addresses leads to.
 */
enum { UNSEEN, INSIDE, BEHIND_PREFIX, BEGINS };

static void claim(struct flow *flow, uint64_t offset, uint8_t as)
{
	uint8_t *byte;

	if (offset < flow->start || offset >= flow->end)
		return;
	byte = &flow->bytes[offset - flow->start];
	if ((as == INSIDE && *byte == BEGINS) ||
	    (as == BEGINS && *byte == INSIDE))
		flow->is_certain = false;
	if (as == BEGINS && *byte != BEGINS)
		flow->queue[flow->nqueue++] = offset;
	if (as > *byte)
		*byte = as;
}

/*
 * A call into the function itself skips what may be data, to take its address.
 * It need not return.
 */
static bool comes_back(const struct flow *flow, const struct step *step,
		       uint64_t target)
{
	return !step->is_call || target <= flow->start || target >= flow->end;
}

/* Does the instruction at OFFSET go nowhere but to where STEP says? */
static bool leaves(const struct flow *flow, const struct arch *arch,
		   uint64_t offset, const struct step *step)
{
	return step->has_target ||
	       (arch->is_return != NULL &&
		arch->is_return(arch, &flow->is->code, offset));
}

static void follow_step(struct flow *flow, const struct arch *arch,
			uint64_t offset, const struct step *step)
{
	uint64_t target = step->has_target ? step->target - flow->is->code.addr
					   : flow->end;

	for (unsigned i = 1; i < step->length; i++)
		claim(flow, offset + i,
		      i <= step->nprefixes ? BEHIND_PREFIX : INSIDE);
	claim(flow, target, BEGINS);
	if (step->goes_on && comes_back(flow, step, target))
		claim(flow, offset + step->length, BEGINS);
	else if (step->goes_on || !leaves(flow, arch, offset, step))
		flow->is_open = true;
}

static int list_symbols(struct flow *flow, const struct object *obj)
{
	flow->symbols = malloc((obj->nsymbols + 1) * sizeof(flow->symbols[0]));
	if (flow->symbols == NULL)
		return -1;
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (sym.is_defined)
			flow->symbols[flow->nsymbols++] =
				(struct flow_symbol){ sym.value, sym.shndx };
	}
	if (flow->nsymbols > 0)
		qsort(flow->symbols, flow->nsymbols, sizeof(flow->symbols[0]),
		      sort_compare_numbers);
	return 0;
}

/* A symbol inside an instruction contradicts the walk. */
static void check_symbols(struct flow *flow)
{
	uint64_t base = flow->is->code.addr;
	size_t i;

	LOWER_BOUND(i, flow->nsymbols,
		    flow->symbols[i].addr < base + flow->start);
	for (; i < flow->nsymbols && flow->symbols[i].addr - base < flow->end;
	     i++)
		if (flow->symbols[i].shndx == flow->is->shndx &&
		    flow_covers(flow, flow->symbols[i].addr - base))
			flow->is_certain = false;
}

static void free_function(struct flow *flow)
{
	free(flow->bytes);
	free(flow->queue);
	flow->bytes = NULL;
	flow->queue = NULL;
	flow->nqueue = 0;
}

int flow_follow(struct flow *flow, const struct image *img,
		const struct image_section *is, uint64_t start, uint64_t end)
{
	const struct arch *arch = img->obj->arch;
	struct step step;

	if (flow->bytes != NULL && flow->is == is && flow->start == start &&
	    flow->end == end)
		return 0;
	if (flow->symbols == NULL && list_symbols(flow, img->obj))
		return -1;
	free_function(flow);
	flow->is = is;
	flow->start = start;
	flow->end = end;
	flow->is_certain = true;
	flow->is_open = false;
	flow->bytes = calloc(end - start + 1, 1);
	flow->queue = calloc(end - start + 1, sizeof(flow->queue[0]));
	if (flow->bytes == NULL || flow->queue == NULL)
		return -1;
	claim(flow, start, BEGINS);
	while (flow->nqueue > 0 && flow->is_certain) {
		uint64_t offset = flow->queue[--flow->nqueue];

		if (arch_step(arch, &is->code, offset, &step))
			follow_step(flow, arch, offset, &step);
		else
			flow->is_open = true;
	}
	if (flow->is_certain)
		check_symbols(flow);
	return 0;
}

void flow_free(struct flow *flow)
{
	free_function(flow);
	free(flow->symbols);
	*flow = (struct flow){ 0 };
}

bool flow_covers(const struct flow *flow, uint64_t offset)
{
	return flow->is_certain && flow->bytes[offset - flow->start] == INSIDE;
}

bool flow_begins(const struct flow *flow, uint64_t offset)
{
	uint8_t byte = flow->bytes[offset - flow->start];

	return byte == BEGINS || byte == BEHIND_PREFIX;
}

uint64_t flow_end(const struct flow *flow)
{
	uint64_t end = flow->end;

	if (!flow->is_certain || flow->is_open)
		return NO_END;
	while (end > flow->start &&
	       flow->bytes[end - 1 - flow->start] == UNSEEN)
		end--;
	return end;
}
