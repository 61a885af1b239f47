/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches for branches and operands in bytes of any kind. */
#include <config.h>

#include <string.h>

#include "base/host.h"
#include "branch-search.h"
#include "insn.h"
#include "x86.h"

bool x86_decode_branch(const struct arch *arch, const struct code *code,
		       uint64_t offset, struct branch *branch)
{
	const uint8_t *insn = code->bytes + offset;
	size_t left;

	if (offset >= code->size)
		return false;
	left = code->size - offset;
	if (left >= 5 && (insn[0] & 0xfe) == 0xe8) {
		branch->form = insn[0] == 0xe8 ? FORM_CALL : FORM_TAIL;
		branch->field = 1;
	} else if (left >= 6 && insn[0] == 0x0f && insn[1] >= 0x80 &&
		   insn[1] <= 0x8f) {
		branch->form = FORM_COND;
		branch->field = 2;
	} else {
		return false;
	}
	branch->length = branch->field + 4;
	branch->target = x86_wrap(
		arch, code->addr + offset + branch->length +
			      (int64_t)x86_read_s32(insn + branch->field));
	return true;
}

/* jmp rel8, jcc rel8, loop and jcxz lead only to neighbours. */
bool x86_decode_short(const struct arch *arch, const struct code *code,
		      uint64_t offset, struct branch *branch)
{
	const uint8_t *insn = code->bytes + offset;

	if (insn[0] == 0xeb)
		branch->form = FORM_TAIL;
	else if ((insn[0] & 0xf0) == 0x70 || (insn[0] & 0xfc) == 0xe0)
		branch->form = FORM_COND;
	else
		return false;
	branch->field = 1;
	branch->length = 2;
	branch->target = x86_wrap(arch, code->addr + offset + 2 +
						(int64_t)(int8_t)insn[1]);
	return true;
}

/* xbegin, which goes there if the transaction fails. No call becomes one. */
bool x86_decode_begin(const struct arch *arch, const struct code *code,
		      uint64_t offset, struct branch *branch)
{
	const uint8_t *insn = code->bytes + offset;

	if (offset >= code->size || code->size - offset < 6 ||
	    insn[0] != 0xc7 || insn[1] != 0xf8)
		return false;
	branch->form = FORM_COND;
	branch->field = 2;
	branch->length = 6;
	branch->target =
		x86_wrap(arch, code->addr + offset + 6 +
				       (int64_t)x86_read_s32(insn + 2));
	return true;
}

/*
 * ljmp and lcall of i386 to an address, and jmpabs of APX, which is for 64
 * bits.
 */
static bool decode_absolute(const struct arch *arch, const struct code *code,
			    uint64_t offset, struct branch *branch)
{
	const uint8_t *insn = code->bytes + offset;
	size_t left = code->size - offset;
	bool is_64 = x86_is_long_mode(arch);

	if (!is_64 && left >= 7 && (insn[0] == 0xea || insn[0] == 0x9a)) {
		branch->form = insn[0] == 0x9a ? FORM_CALL : FORM_TAIL;
		branch->field = 1;
		branch->length = 7;
		branch->target = insn_le32(insn + 1);
		return true;
	}
	if (!is_64 || left < 11 || insn[0] != 0xd5 || (insn[1] & 0x88) != 0 ||
	    insn[2] != 0xa1)
		return false;
	branch->form = FORM_TAIL;
	branch->field = 3;
	branch->length = 11;
	branch->target = insn_le32(insn + 3) | (uint64_t)insn_le32(insn + 7)
						       << 32;
	return true;
}

/*
 * Near branches that begin with OPCODE and have the displacement FIELD bytes
 * behind it. memchr, with a quick test of the target, is faster than any loop.
 */
static void search_opcode(const struct branch_search *s, uint8_t opcode,
			  unsigned field)
{
	const uint8_t *end = s->code->bytes + s->code->size;
	const uint8_t *at = s->code->bytes;
	uint64_t span = s->high - s->low;
	uint64_t bias = s->code->addr + field + 4 - s->low;

	for (; (at = memchr(at, opcode, end - at)) != NULL; at++) {
		uint64_t offset = at - s->code->bytes;

		if ((size_t)(end - at) < field + 4u)
			return;
		if (field == 2 && (at[1] & 0xf0) != 0x80 && at[1] != 0xf8)
			continue;
		if (x86_wrap(s->arch,
			     offset + bias + x86_read_s32(at + field)) > span)
			continue;
		judge_branch(s, offset, x86_decode_branch);
		judge_branch(s, offset, x86_decode_begin);
	}
}

/*
 * So many displacements are tested together, for a window no larger than
 * NARROW.
 */
enum { BLOCK = 16, NBLOCKS = 4, NARROW = 1 << 18 };

typedef uint16_t lanes __attribute__((vector_size(BLOCK)));
typedef int16_t signed_lanes __attribute__((vector_size(BLOCK)));

/*
 * Adds to HITS which of the displacements that begin in BLOCK bytes may reach
 * the window: their upper halves plus FROM are at most LIMIT. Takes pointers,
 * since not all ABIs pass vectors.
 */
static inline void add_hits(signed_lanes *hits, const uint8_t *bytes,
			    const lanes *from, const signed_lanes *limit)
{
	lanes even, odd;

	memcpy(&even, bytes + 2, sizeof(even));
	memcpy(&odd, bytes + 3, sizeof(odd));
	*hits |= (signed_lanes)(even + *from) <= *limit;
	*hits |= (signed_lanes)(odd + *from) <= *limit;
}

static inline bool has_hits(const signed_lanes *hits)
{
	uint64_t any[2];

	memcpy(any, hits, sizeof(any));
	/* On big-endian hosts this test says nothing. */
	return (any[0] | any[1]) != 0 || host_is_big_endian();
}

/* Tests one block, or NBLOCKS of them. */
static inline bool may_reach(const uint8_t *bytes, const lanes *from,
			     const signed_lanes *limit)
{
	signed_lanes hits = { 0 };

	add_hits(&hits, bytes, from, limit);
	return has_hits(&hits);
}

static inline bool may_any_reach(const uint8_t *bytes, const lanes *from,
				 const signed_lanes *limit)
{
	signed_lanes hits = { 0 };

	/* No loop: compilers leave it one. */
	add_hits(&hits, bytes, from, limit);
	add_hits(&hits, bytes + BLOCK, from, limit);
	add_hits(&hits, bytes + 2 * BLOCK, from, limit);
	add_hits(&hits, bytes + 3 * BLOCK, from, limit);
	return has_hits(&hits);
}

/* Near branches with their displacement at OFFSET. */
static void judge_field(const struct branch_search *s, uint64_t offset)
{
	const uint8_t *field = s->code->bytes + offset;

	if (offset >= 1 && (field[-1] & 0xfe) == 0xe8)
		judge_branch(s, offset - 1, x86_decode_branch);
	if (offset >= 2 && field[-2] == 0x0f && (field[-1] & 0xf0) == 0x80)
		judge_branch(s, offset - 2, x86_decode_branch);
	if (offset >= 2 && field[-2] == 0xc7 && field[-1] == 0xf8)
		judge_branch(s, offset - 2, x86_decode_begin);
}

/*
 * The first BLOCK of CODE at or behind AT with a displacement that may lead to
 * SPAN bytes, a narrow window, from LOW on; else the last one. The upper halves
 * are enough: in 64 KiB of code, the upper half of the distance to the window
 * changes by one, and the lower half may carry. Both ends are relative to
 * INT16_MIN, since processors compare signed numbers best. Each hit is checked
 * afterwards, so it is safe to cut off bits above 32.
 */
static __attribute__((__noinline__)) uint64_t
next_block(const struct code *code, uint64_t at, uint64_t low, uint64_t span)
{
	signed_lanes limit = (signed_lanes){ 0 } +
			     (int16_t)((span >> 16) + 2 + INT16_MIN);

	while (at + BLOCK + 3 <= code->size) {
		uint32_t first = code->addr + at + 4 - low;
		uint64_t end = at + 0x10000 - (first & 0xffff);
		lanes from = (lanes){ 0 } +
			     (uint16_t)((first >> 16) + 2 - INT16_MIN);

		/* Many at once first, since nearly all lead elsewhere. */
		while (at < end && at + NBLOCKS * BLOCK + 3 <= code->size &&
		       !may_any_reach(code->bytes + at, &from, &limit))
			at += NBLOCKS * BLOCK;
		for (unsigned i = 0;
		     i < NBLOCKS && at < end && at + BLOCK + 3 <= code->size;
		     i++, at += BLOCK)
			if (may_reach(code->bytes + at, &from, &limit))
				return at;
	}
	return at;
}

/* Operands with their displacement at OFFSET. */
static void judge_operand(const struct branch_search *s, uint64_t offset)
{
	const struct code *code = s->code;
	uint64_t target;

	if (offset < 1 || (code->bytes[offset - 1] & 0xc7) != 0x05)
		return;
	target = code->addr + offset + 4 +
		 (int64_t)x86_read_s32(code->bytes + offset);
	if (target + 4 - s->low <= s->high + 4 - s->low)
		s->operand(s->ctx, offset, target < s->low ? s->low : target);
}

/*
 * All near branches and operands, for a narrow window. Displacements that lead
 * there are rarer than opcodes. An immediate of up to four bytes may be between
 * an operand's displacement and the end of the instruction.
 */
static void search_fields(const struct branch_search *s)
{
	const struct code *code = s->code;
	uint64_t at = 0, low = s->low - 4;

	for (;
	     (at = next_block(code, at, low, s->high - low)) + 4 <= code->size;
	     at += BLOCK)
		for (unsigned i = 0; i < BLOCK && at + i + 4 <= code->size;
		     i++) {
			if (s->found != NULL)
				judge_field(s, at + i);
			if (s->operand != NULL)
				judge_operand(s, at + i);
		}
}

/* The reach of a short branch, from its first byte. */
#define SHORT_REACH 130

static void search_short(const struct branch_search *s)
{
	uint64_t addr = s->code->addr, size = s->code->size;
	uint64_t first = 0, end = size;

	if (s->low > addr && s->low - addr > SHORT_REACH)
		first = s->low - addr - SHORT_REACH;
	if (s->high < addr)
		end = SHORT_REACH;
	else if (size > SHORT_REACH && s->high - addr < size - SHORT_REACH)
		end = s->high - addr + SHORT_REACH;
	if (end > size)
		end = size;
	for (; first < size && first + 2 <= end; first++)
		judge_branch(s, first, x86_decode_short);
}

/*
 * call, jmp and jcc with an operand size prefix, behind their last prefix.
 * Their displacement and their target address have 16 bits, in long mode on
 * AMD's processors only.
 */
static bool decode_narrow(const struct arch *arch, const struct code *code,
			  uint64_t offset, struct branch *branch)
{
	const uint8_t *insn = code->bytes + offset;
	size_t left = code->size - offset;

	(void)arch;
	if (left >= 4 && (insn[1] & 0xfe) == 0xe8) {
		branch->form = insn[1] == 0xe8 ? FORM_CALL : FORM_TAIL;
		branch->field = 2;
	} else if (left >= 5 && insn[1] == 0x0f && (insn[2] & 0xf0) == 0x80) {
		branch->form = FORM_COND;
		branch->field = 3;
	} else {
		return false;
	}
	branch->length = branch->field + 2;
	branch->target = (code->addr + offset + branch->length +
			  insn_le16(insn + branch->field)) &
			 0xffff;
	return true;
}

/* xbegin with that prefix. Its target address is whole. */
static bool decode_narrow_begin(const struct arch *arch,
				const struct code *code, uint64_t offset,
				struct branch *branch)
{
	const uint8_t *insn = code->bytes + offset;

	if (code->size - offset < 5 || insn[1] != 0xc7 || insn[2] != 0xf8)
		return false;
	branch->form = FORM_COND;
	branch->field = 3;
	branch->length = 5;
	branch->target =
		x86_wrap(arch, code->addr + offset + 5 +
				       (int64_t)(int16_t)insn_le16(insn + 3));
	return true;
}

/* ljmp and lcall with that prefix. */
static bool decode_narrow_absolute(const struct arch *arch,
				   const struct code *code, uint64_t offset,
				   struct branch *branch)
{
	const uint8_t *insn = code->bytes + offset;

	if (x86_is_long_mode(arch) || code->size - offset < 6 ||
	    (insn[1] != 0xea && insn[1] != 0x9a))
		return false;
	branch->form = insn[1] == 0x9a ? FORM_CALL : FORM_TAIL;
	branch->field = 2;
	branch->length = 6;
	branch->target = insn_le16(insn + 2);
	return true;
}

/* VALUE, or the nearest offset of CODE. */
static size_t clamp(const struct code *code, int64_t value)
{
	if (value <= 0)
		return 0;
	return (uint64_t)value < code->size ? (size_t)value : code->size;
}

static void search_narrow(const struct branch_search *s)
{
	const uint8_t *at = s->code->bytes, *end = at + s->code->size;

	/* There, only xbegin leads, from less than 32 KiB away. */
	if (s->low > 0xffff && x86_is_long_mode(s->arch)) {
		end = at + clamp(s->code, s->high - s->code->addr + 0x10000);
		at += clamp(s->code, s->low - s->code->addr - 0x10000);
	}
	for (; at < end &&
	       (at = memchr(at, X86_PREFIX_OPERAND, end - at)) != NULL;
	     at++) {
		uint64_t offset = at - s->code->bytes;

		/* Other prefixes may follow; the last one of this kind counts.
		 */
		while (offset + 1 < s->code->size &&
		       s->code->bytes[offset + 1] != X86_PREFIX_OPERAND &&
		       x86_is_prefix(s->code->bytes[offset + 1], false))
			offset++;
		judge_branch(s, offset, decode_narrow_begin);
		if (s->low > 0xffff)
			continue;
		judge_branch(s, offset, decode_narrow);
		judge_branch(s, offset, decode_narrow_absolute);
	}
}

static void search_absolute(const struct branch_search *s)
{
	static const uint8_t opcodes[2][2] = { { 0xea, 0x9a }, { 0xd5, 0xd5 } };
	const uint8_t *opcode = opcodes[x86_is_long_mode(s->arch)];
	const uint8_t *end = s->code->bytes + s->code->size;

	for (unsigned i = 0; i < 2 && (i == 0 || opcode[0] != opcode[1]); i++)
		for (const uint8_t *at = s->code->bytes;
		     (at = memchr(at, opcode[i], end - at)) != NULL; at++)
			judge_branch(s, at - s->code->bytes, decode_absolute);
}

static void search_opcodes(const struct branch_search *s)
{
	search_opcode(s, 0xe8, 1);
	search_opcode(s, 0xe9, 1);
	search_opcode(s, 0x0f, 2);
	search_opcode(s, 0xc7, 2);
}

static bool has_zero_byte(uint64_t word)
{
	return ((word - 0x0101010101010101) & ~word & 0x8080808080808080) != 0;
}

/*
 * The next eight bytes of CODE, at or behind AT, of which one may be the ModRM
 * byte of such an operand; else the last ones.
 */
static uint64_t next_word(const struct code *code, uint64_t at)
{
	const uint64_t mask = 0xc7c7c7c7c7c7c7c7, value = 0x0505050505050505;
	uint64_t word;

	for (; at + 8 <= code->size; at += 8) {
		memcpy(&word, code->bytes + at, sizeof(word));
		if (has_zero_byte((word & mask) ^ value))
			break;
	}
	return at;
}

/*
 * Operands relative to RIP: the ModRM byte has mod 0 and rm 5, and the
 * displacement counts from the end of the instruction.
 */
static void search_modrm(const struct branch_search *s)
{
	const struct code *code = s->code;

	for (uint64_t at = 0; at < code->size; at += 8) {
		at = next_word(code, at);
		for (unsigned i = 1; i <= 8 && at + i + 4 <= code->size; i++)
			judge_operand(s, at + i);
	}
}

/*
 * i386 has no such operands: without a relocation, only branches lead anywhere.
 */
static void search(struct branch_search *s)
{
	bool is_narrow = s->high - s->low < NARROW;

	if (!x86_is_long_mode(s->arch))
		s->operand = NULL;
	if (is_narrow && (s->found != NULL || s->operand != NULL))
		search_fields(s);
	if (!is_narrow && s->operand != NULL)
		search_modrm(s);
	if (s->found == NULL)
		return;
	if (!is_narrow)
		search_opcodes(s);
	search_short(s);
	search_narrow(s);
	search_absolute(s);
}

void x86_each_branch(const struct arch *arch, const struct code *code,
		     uint64_t low, uint64_t high,
		     void (*found)(void *ctx, uint64_t offset,
				   const struct branch *branch),
		     void *ctx)
{
	search(&(struct branch_search){ arch, code, low, high, found, NULL,
					ctx });
}

void x86_each_operand(const struct arch *arch, const struct code *code,
		      uint64_t low, uint64_t high,
		      void (*found)(void *ctx, uint64_t offset,
				    uint64_t target),
		      void *ctx)
{
	search(&(struct branch_search){ arch, code, low, high, NULL, found,
					ctx });
}

/* lea, of an address relative to RIP. */
void x86_each_address(const struct arch *arch, const struct code *code,
		      uint64_t low, uint64_t high,
		      void (*found)(void *ctx, uint64_t offset,
				    uint64_t target),
		      void *ctx)
{
	const uint8_t *end = code->bytes + code->size;
	const uint8_t *at = code->bytes;

	if (!x86_is_long_mode(arch))
		return;
	for (; (at = memchr(at, 0x8d, end - at)) != NULL; at++) {
		uint64_t offset = at - code->bytes;
		uint64_t target;

		if (code->size - offset < 6 || (at[1] & 0xc7) != 0x05)
			continue;
		target = code->addr + offset + 6 +
			 (int64_t)x86_read_s32(at + 2);
		if (target >= low && target <= high)
			found(ctx, offset + 2, target);
	}
}

void x86_each_both(const struct arch *arch, const struct code *code,
		   uint64_t low, uint64_t high,
		   void (*branch)(void *ctx, uint64_t offset,
				  const struct branch *branch),
		   void (*operand)(void *ctx, uint64_t offset, uint64_t target),
		   void *ctx)
{
	search(&(struct branch_search){ arch, code, low, high, branch, operand,
					ctx });
}
