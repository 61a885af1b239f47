/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86: code that linkers exchange though it has no relocation.
 *
 * Split stacks (-fsplit-stack): a function compares the stack pointer, or
 * the lowest one that it will have, with the limit in its thread's block. If
 * there is no room, it calls __morestack. If a function calls code without
 * split stacks, gold and lld change it: it always calls __morestack, or asks
 * for more (gold's i386.cc and x86_64.cc, do_calls_non_split; lld's X86_64.cpp,
 * adjustPrologueForCrossSplitStack).
 *
 * Landing pads: mold makes a NOP of endbr64 (passes.cc, rewrite_endbr).
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "insn.h"
#include "x86.h"

#define BYTES_MAX 9

/* Instructions of LENGTH bytes. */
struct prologue {
	uint16_t machine;
	unsigned length;
	uint8_t compare[BYTES_MAX]; /* with the stack pointer */
	uint8_t always[BYTES_MAX];  /* what is put there: stc, and a NOP */
};

static const struct prologue prologues[] = {
	{ EM_X86_64,
	  9,
	  { 0x64, 0x48, 0x3b, 0x24, 0x25, 0x70, 0, 0, 0 },
	  { 0xf9, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } },
	{ EM_386,
	  7,
	  { 0x65, 0x3b, 0x25, 0x30, 0, 0, 0 },
	  { 0xf9, 0x8d, 0xb6, 0, 0, 0, 0 } },
};

/* lea DISPLACEMENT(STACK POINTER),REG, and the comparison with REG. */
struct lowest {
	uint16_t machine;
	unsigned field; /* of the displacement: 4 bytes */
	uint8_t lea[4];
	unsigned length; /* of COMPARE */
	uint8_t compare[BYTES_MAX];
};

static const struct lowest lowests[] = {
	{ EM_X86_64,
	  4,
	  { 0x4c, 0x8d, 0x9c, 0x24 },
	  9,
	  { 0x64, 0x4c, 0x3b, 0x1c, 0x25, 0x70, 0, 0, 0 } },
	{ EM_X86_64,
	  4,
	  { 0x4c, 0x8d, 0x94, 0x24 },
	  9,
	  { 0x64, 0x4c, 0x3b, 0x14, 0x25, 0x70, 0, 0, 0 } },
	{ EM_386,
	  3,
	  { 0x8d, 0x8c, 0x24 },
	  7,
	  { 0x65, 0x3b, 0x0d, 0x30, 0, 0, 0 } },
	{ EM_386,
	  3,
	  { 0x8d, 0x94, 0x24 },
	  7,
	  { 0x65, 0x3b, 0x15, 0x30, 0, 0, 0 } },
};

static bool has(const struct code *code, uint64_t offset, const uint8_t *bytes,
		unsigned length)
{
	return offset <= code->size && code->size - offset >= length &&
	       memcmp(code->bytes + offset, bytes, length) == 0;
}

/* Compilers put at most this before the call: its arguments. */
#define ARGUMENTS_MAX 16

/*
 * Is there a call at OFFSET, maybe behind its arguments, with a return behind
 * it?
 */
static bool calls_more(const struct code *code, uint64_t offset)
{
	for (uint64_t i = offset; i <= offset + ARGUMENTS_MAX; i++)
		if (i < code->size && code->size - i >= 6 &&
		    code->bytes[i] == 0xe8 && code->bytes[i + 5] == 0xc3)
			return true;
	return false;
}

/* jb to such a call, or jae over it. clang uses jbe and ja. */
static bool branches_to_more(const struct code *code, uint64_t offset)
{
	const uint8_t *p = code->bytes + offset;
	uint64_t left = offset <= code->size ? code->size - offset : 0;

	if (left >= 2 && (p[0] & ~4) == 0x72)
		return calls_more(code, offset + 2 + (int8_t)p[1]);
	if (left >= 6 && p[0] == 0x0f && (p[1] & ~4) == 0x82)
		return calls_more(code, offset + 6 + (int32_t)insn_le32(p + 2));
	if (left >= 2 && (p[0] & ~4) == 0x73)
		return calls_more(code, offset + 2);
	return false;
}

/*
 * Does P begin at OFFSET of BEFORE, and is it changed in AFTER at OTHER to
 * always call?
 */
static bool is_always(const struct prologue *p, const struct code *before,
		      const struct code *after, uint64_t offset, uint64_t other)
{
	return has(before, offset, p->compare, p->length) &&
	       has(after, other, p->always, p->length) &&
	       branches_to_more(before, offset + p->length);
}

/* The same with a lower displacement. */
static bool is_lower(const struct lowest *l, const struct code *before,
		     const struct code *after, uint64_t offset, uint64_t other)
{
	uint64_t compare = l->field + 4;

	return has(before, offset, l->lea, l->field) &&
	       has(after, other, l->lea, l->field) &&
	       has(before, offset + compare, l->compare, l->length) &&
	       has(after, other + compare, l->compare, l->length) &&
	       (int32_t)insn_le32(after->bytes + other + l->field) <
		       (int32_t)insn_le32(before->bytes + offset + l->field) &&
	       branches_to_more(before, offset + compare + l->length);
}

/* If an exchanged place begins at OFFSET, its length; else 0. */
static unsigned exchanged(const struct arch *arch, const struct code *before,
			  const struct code *after, uint64_t offset,
			  uint64_t other)
{
	for (size_t i = 0; i < sizeof(prologues) / sizeof(prologues[0]); i++)
		if (prologues[i].machine == arch->machine &&
		    is_always(&prologues[i], before, after, offset, other))
			return prologues[i].length;
	for (size_t i = 0; i < sizeof(lowests) / sizeof(lowests[0]); i++)
		if (lowests[i].machine == arch->machine &&
		    is_lower(&lowests[i], before, after, offset, other))
			return lowests[i].field + 4;
	return 0;
}

/* With -z rewrite-endbr, if nobody takes the address of the function. */
static bool drops_landing(const struct code *before, const struct code *after,
			  uint64_t offset, uint64_t other)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x40, 0 };

	return has(before, offset, endbr64, sizeof(endbr64)) &&
	       has(after, other, nop, sizeof(nop));
}

bool x86_is_redirect(const struct arch *arch, const struct code *before,
		     const struct code *after, uint64_t offset,
		     struct redirect *redirect)
{
	uint64_t base = before->addr - after->addr;

	/* x32 has a stack of its own kind. */
	if (arch->machine == EM_X86_64 && !arch->is_64)
		return false;
	if (arch->is_64 &&
	    drops_landing(before, after, offset, base + offset)) {
		*redirect = (struct redirect){ .start = offset,
					       .length = 4,
					       .is_same = true,
					       .is_entry = true };
		return true;
	}
	for (unsigned back = 0; back < BYTES_MAX && back <= offset; back++) {
		uint64_t start = offset - back;
		unsigned length =
			exchanged(arch, before, after, start, base + start);

		if (length <= back)
			continue;
		*redirect = (struct redirect){ .start = start,
					       .length = length,
					       .is_same = true };
		return true;
	}
	return false;
}

/*
 * If a place that may be exchanged begins at OFFSET of BEFORE, its length; else
 * 0.
 */
static unsigned exchangeable(const struct arch *arch, const struct code *before,
			     uint64_t offset)
{
	for (size_t i = 0; i < sizeof(prologues) / sizeof(prologues[0]); i++)
		if (prologues[i].machine == arch->machine &&
		    has(before, offset, prologues[i].compare,
			prologues[i].length))
			return prologues[i].length;
	for (size_t i = 0; i < sizeof(lowests) / sizeof(lowests[0]); i++)
		if (lowests[i].machine == arch->machine &&
		    has(before, offset, lowests[i].lea, lowests[i].field))
			return lowests[i].field + 4;
	return 0;
}

bool x86_may_redirect(const struct arch *arch, const struct code *before,
		      uint64_t offset)
{
	for (unsigned back = 0; back < BYTES_MAX && back <= offset; back++)
		if (exchangeable(arch, before, offset - back) > back)
			return true;
	return false;
}
