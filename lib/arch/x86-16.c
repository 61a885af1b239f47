/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognises branches of 16-bit code. Files for i386 may contain it: gcc's and
 * clang's -m16 make it, and nothing in the file says so.
 *
 * Its direct branches to functions are those of 32-bit code with an operand
 * size prefix, and have the same relocations. But the bytes around them mean
 * something else, and so would what --nop and the runtime write.
 */
#include <config.h>

#include "x86.h"

bool x86_may_be_16_bit(const uint8_t *text, uint64_t offset)
{
	while (offset > 0 && x86_is_prefix(text[offset - 1], false))
		if (text[--offset] == X86_PREFIX_OPERAND)
			return true;
	return false;
}

/* The instruction at an offset, if code is decoded from its start on. */
struct reading {
	enum {
		READ_INSIDE,   /* the inside of an instruction */
		READ_FIRST,    /* the first byte of one */
		READ_PREFIXED, /* the opcode of one, behind its prefixes */
	} what;
	/* Instructions before it, and those whose width is not the mode's. */
	size_t ninsns, nother_width;
};

static struct reading read_code(const struct code *code, uint64_t start,
				uint64_t offset, bool is_16)
{
	struct reading reading = { .what = READ_FIRST };

	for (size_t length; start < offset; start += length) {
		const uint8_t *p = code->bytes + start;
		size_t left = code->size - start;

		length = is_16 ? x86_insn_length_16(p, left)
			       : x86_insn_length(p, left, false);
		if (length == 0 || length > offset - start)
			break;
		reading.ninsns++;
		reading.nother_width += *p == X86_PREFIX_OPERAND || *p == 0x67;
	}
	if (start < offset)
		reading.what = READ_PREFIXED;
	for (; start < offset; start++)
		if (!x86_is_prefix(code->bytes[start], false))
			reading.what = READ_INSIDE;
	return reading;
}

/*
 * It is 16-bit code, unless only 32-bit code has the branch there, behind
 * another instruction that ends with such a byte. If both have it, the widths
 * decide: compilers make nearly all instructions of 16-bit code 32 bits wide.
 */
bool x86_is_foreign(const struct code *code, uint64_t start, uint64_t offset)
{
	struct reading as_16 = read_code(code, start, offset, true);

	if (read_code(code, start, offset, false).what != READ_FIRST)
		return true;
	return as_16.what == READ_PREFIXED &&
	       as_16.nother_width * 2 >= as_16.ninsns;
}
