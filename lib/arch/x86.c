/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86-64, i386 and x32, which has the instructions and relocations of the
 * first in files of the second's class.
 *
 * psABI: https://gitlab.com/x86-psABIs/x86-64-ABI and .../i386-ABI
 * Instructions: Intel SDM volume 2, appendix A (opcode maps).
 *
 * What is odd: instructions start at any byte, so "is there a branch here?"
 * has an answer only with a known boundary; the relocation points at the
 * displacement, not at the instruction; i386 uses R_386_PC32 for calls and
 * data alike (and binutils before 2.31 did the same on x86-64), so that only
 * the opcode tells a call; clang makes conditional tail calls, 0f 8x.
 */
#include <config.h>

#include <elf.h>
#include <endian.h>
#include <string.h>

#include "../object.h"
#include "insn.h"
#include "x86.h"

/* clang-format off */
#define RELOC(prefix, type, bytes) \
	[prefix##type] = { .name = #prefix #type, .width = bytes, \
			   .is_known = true }

/* In instructions, and then the instruction nearly always ends with it. */
#define RELOC_PC(prefix, type, bytes) \
	[prefix##type] = { .name = #prefix #type, .width = bytes, \
			   .is_known = true, .from_end = true }
/* clang-format on */

static const struct reloc_desc x86_64_relocs[] = {
	RELOC(R_X86_64_, NONE, 0),
	RELOC(R_X86_64_, 64, 8),
	RELOC_PC(R_X86_64_, PC32, 4),
	RELOC(R_X86_64_, GOT32, 4),
	RELOC_PC(R_X86_64_, PLT32, 4),
	RELOC(R_X86_64_, COPY, 0),
	RELOC(R_X86_64_, GLOB_DAT, 8),
	RELOC(R_X86_64_, JUMP_SLOT, 8),
	RELOC(R_X86_64_, RELATIVE, 8),
	RELOC(R_X86_64_, GOTPCREL, 4),
	RELOC(R_X86_64_, 32, 4),
	RELOC(R_X86_64_, 32S, 4),
	RELOC(R_X86_64_, 16, 2),
	RELOC_PC(R_X86_64_, PC16, 2),
	RELOC(R_X86_64_, 8, 1),
	RELOC_PC(R_X86_64_, PC8, 1),
	RELOC(R_X86_64_, DTPMOD64, 8),
	RELOC(R_X86_64_, DTPOFF64, 8),
	RELOC(R_X86_64_, TPOFF64, 8),
	RELOC(R_X86_64_, TLSGD, 4),
	RELOC(R_X86_64_, TLSLD, 4),
	RELOC(R_X86_64_, DTPOFF32, 4),
	RELOC(R_X86_64_, GOTTPOFF, 4),
	RELOC(R_X86_64_, TPOFF32, 4),
	RELOC_PC(R_X86_64_, PC64, 8),
	RELOC(R_X86_64_, GOTOFF64, 8),
	RELOC(R_X86_64_, GOTPC32, 4),
	RELOC(R_X86_64_, GOT64, 8),
	RELOC(R_X86_64_, GOTPCREL64, 8),
	RELOC(R_X86_64_, GOTPC64, 8),
	RELOC(R_X86_64_, GOTPLT64, 8),
	RELOC(R_X86_64_, PLTOFF64, 8),
	RELOC(R_X86_64_, SIZE32, 4),
	RELOC(R_X86_64_, SIZE64, 8),
	RELOC(R_X86_64_, GOTPC32_TLSDESC, 4),
	RELOC(R_X86_64_, TLSDESC_CALL, 0),
	RELOC(R_X86_64_, TLSDESC, 8),
	RELOC(R_X86_64_, IRELATIVE, 8),
	RELOC(R_X86_64_, RELATIVE64, 8),
	RELOC(R_X86_64_, GOTPCRELX, 4),
	RELOC(R_X86_64_, REX_GOTPCRELX, 4),
};

static const struct reloc_desc i386_relocs[] = {
	RELOC(R_386_, NONE, 0),		RELOC(R_386_, 32, 4),
	RELOC_PC(R_386_, PC32, 4),	RELOC(R_386_, GOT32, 4),
	RELOC_PC(R_386_, PLT32, 4),	RELOC(R_386_, COPY, 0),
	RELOC(R_386_, GLOB_DAT, 4),	RELOC(R_386_, JMP_SLOT, 4),
	RELOC(R_386_, RELATIVE, 4),	RELOC(R_386_, GOTOFF, 4),
	RELOC(R_386_, GOTPC, 4),	RELOC(R_386_, TLS_TPOFF, 4),
	RELOC(R_386_, TLS_IE, 4),	RELOC(R_386_, TLS_GOTIE, 4),
	RELOC(R_386_, TLS_LE, 4),	RELOC(R_386_, TLS_GD, 4),
	RELOC(R_386_, TLS_LDM, 4),	RELOC(R_386_, 16, 2),
	RELOC_PC(R_386_, PC16, 2),	RELOC(R_386_, 8, 1),
	RELOC_PC(R_386_, PC8, 1),	RELOC(R_386_, TLS_LDO_32, 4),
	RELOC(R_386_, TLS_IE_32, 4),	RELOC(R_386_, TLS_LE_32, 4),
	RELOC(R_386_, TLS_DTPMOD32, 4), RELOC(R_386_, TLS_DTPOFF32, 4),
	RELOC(R_386_, TLS_TPOFF32, 4),	RELOC(R_386_, SIZE32, 4),
	RELOC(R_386_, TLS_GOTDESC, 4),	RELOC(R_386_, TLS_DESC_CALL, 0),
	RELOC(R_386_, TLS_DESC, 8),	RELOC(R_386_, IRELATIVE, 4),
	RELOC(R_386_, GOT32X, 4),
};

static int32_t read_s32(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
			 (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

/* Does it run the instructions of 64 bits? */
static bool is_long_mode(const struct arch *arch)
{
	return arch->machine == EM_X86_64;
}

/* Addresses wrap at 32 bits on i386, and not in x32: it has a %rip of 64. */
static uint64_t wrap(const struct arch *arch, uint64_t addr)
{
	return is_long_mode(arch) ? addr : (uint32_t)addr;
}

/* --- The generator's view: from a relocation --------------------------- */

static bool is_pc32(const struct arch *arch, uint32_t type)
{
	if (arch->machine == EM_386)
		return type == R_386_PC32 || type == R_386_PLT32;
	return type == R_X86_64_PC32 || type == R_X86_64_PLT32;
}

static bool x86_find_site(const struct arch *arch, const uint8_t *text,
			  size_t size, const struct reloc *r,
			  struct site_shape *shape)
{
	const uint8_t *field = text + r->offset;
	int64_t addend = r->addend;

	if (!is_pc32(arch, r->type) || r->offset < 1 || size - r->offset < 4)
		return false;
	/* REL: the addend is in the field. */
	if (arch->machine == EM_386)
		addend = read_s32(field);
	/* The branch ends with its field, so S + A - P aims at S + A + 4. */
	if (addend != -4)
		return false;

	if (field[-1] == 0xe8)
		*shape = (struct site_shape){ FORM_CALL, 1, 5, 0 };
	else if (field[-1] == 0xe9)
		*shape = (struct site_shape){ FORM_TAIL, 1, 5, 0 };
	else if (r->offset >= 2 && field[-2] == 0x0f &&
		 (field[-1] & 0xf0) == 0x80)
		*shape = (struct site_shape){ FORM_COND, 2, 6, 0 };
	else
		return false;
	return true;
}

#define NO_PLT_REMEDY \
	"compile without -fno-plt and -mforce-indirect-call (profiling calls " \
	"such as __fentry__: without -fpie or -fpic)"
#define NO_GOT_REMEDY \
	"compile without -fno-plt and -mforce-indirect-call, and do not take " \
	"the address of a probe function"
#define NO_INDIRECT_REMEDY \
	"compile without -mforce-indirect-call, and do not take the address " \
	"of a probe function"
#define LARGE_REMEDY \
	"compile without -mcmodel=large (a kernel wants -mcmodel=kernel)"
#define ADDRESS_REMEDY \
	"call the probe function directly; its address must not be taken"

/* clang-format off */
/* Opcode bytes before a 32-bit field; the first that fits is named. */
static const struct {
	uint8_t nbytes;
	uint8_t bytes[2];
	uint8_t mask[2];
	bool is_got; /* only for relocations against the GOT */
	const char *what;
	const char *remedy;
} refused_shapes[] = {
	{ 2, { 0xff, 0x10 }, { 0xff, 0x38 }, true, "call through the GOT",
	  NO_PLT_REMEDY },
	{ 2, { 0xff, 0x20 }, { 0xff, 0x38 }, true, "jump through the GOT",
	  NO_PLT_REMEDY },
	{ 2, { 0x8b, 0x00 }, { 0xff, 0x00 }, true, "mov of a GOT entry",
	  NO_GOT_REMEDY },
	{ 2, { 0xff, 0x30 }, { 0xff, 0x38 }, true, "push of a GOT entry",
	  NO_GOT_REMEDY },
	{ 2, { 0xff, 0x10 }, { 0xff, 0x38 }, false, "indirect call",
	  ADDRESS_REMEDY },
	{ 2, { 0xff, 0x20 }, { 0xff, 0x38 }, false, "indirect jump",
	  ADDRESS_REMEDY },
	{ 2, { 0x8d, 0x00 }, { 0xff, 0x00 }, false, "lea of its address",
	  NO_INDIRECT_REMEDY },
	{ 2, { 0xc7, 0x00 }, { 0xff, 0x38 }, false, "mov of its address",
	  NO_INDIRECT_REMEDY },
	{ 1, { 0xb8 }, { 0xf8 }, false, "mov of its address",
	  NO_INDIRECT_REMEDY },
	{ 1, { 0x68 }, { 0xff }, false, "push of its address",
	  ADDRESS_REMEDY },
	{ 1, { 0xe8 }, { 0xff }, false, "call of its inside",
	  "call the probe function itself, without an offset" },
	{ 1, { 0xe9 }, { 0xff }, false, "jump to its inside",
	  "jump to the probe function itself, without an offset" },
};
/* clang-format on */

static bool is_got_reloc(const struct arch *arch, uint32_t type)
{
	if (arch->machine == EM_386)
		return type == R_386_GOT32 || type == R_386_GOT32X;
	return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
	       type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_GOT32;
}

static bool is_large_model(const struct arch *arch, uint32_t type)
{
	if (arch->machine == EM_386)
		return false;
	return type == R_X86_64_64 || type == R_X86_64_PLTOFF64 ||
	       type == R_X86_64_GOT64 || type == R_X86_64_GOTOFF64 ||
	       type == R_X86_64_PC64;
}

static bool shape_fits(size_t i, const uint8_t *field, uint64_t offset,
		       bool is_got)
{
	unsigned n = refused_shapes[i].nbytes;

	if (offset < n || (refused_shapes[i].is_got && !is_got))
		return false;
	for (unsigned k = 0; k < n; k++)
		if ((field[(int)k - (int)n] & refused_shapes[i].mask[k]) !=
		    refused_shapes[i].bytes[k])
			return false;
	return true;
}

static void x86_explain_refusal(const struct arch *arch, const uint8_t *text,
				size_t size, const struct reloc *r,
				struct refusal *refusal)
{
	const uint8_t *field = text + r->offset;
	bool is_got = is_got_reloc(arch, r->type);

	*refusal = (struct refusal){
		.what = "no direct branch",
		.remedy = ADDRESS_REMEDY,
		.length = arch_reloc_width(arch, r->type),
	};
	if (is_large_model(arch, r->type) && r->offset >= 2 &&
	    (field[-2] & 0xf8) == 0x48 && (field[-1] & 0xf8) == 0xb8) {
		refusal->what = "movabs of its address";
		refusal->remedy = LARGE_REMEDY;
		refusal->back = 2;
	} else if (arch_reloc_width(arch, r->type) == 4) {
		for (size_t i = 0;
		     i < sizeof(refused_shapes) / sizeof(refused_shapes[0]);
		     i++) {
			if (!shape_fits(i, field, r->offset, is_got))
				continue;
			refusal->what = refused_shapes[i].what;
			refusal->remedy = refused_shapes[i].remedy;
			refusal->back = refused_shapes[i].nbytes;
			break;
		}
	}
	/* A REX prefix belongs to the instruction. */
	if (is_long_mode(arch) && refusal->back == 2 && r->offset >= 3 &&
	    field[-2] != 0xff && (field[-3] & 0xf0) == 0x40)
		refusal->back = 3;
	refusal->length += refusal->back;
	if (refusal->length > size - r->offset + refusal->back)
		refusal->length = size - r->offset + refusal->back;
}

/* --- Verify's view: from the bytes of an image ------------------------- */

static bool x86_decode_branch(const struct arch *arch, const struct code *code,
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
	branch->target =
		wrap(arch, code->addr + offset + branch->length +
				   (int64_t)read_s32(insn + branch->field));
	return true;
}

/* jmp rel8, jcc rel8, loop and jcxz: only between neighbours. */
static bool decode_short(const struct arch *arch, const struct code *code,
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
	branch->target =
		wrap(arch, code->addr + offset + 2 + (int64_t)(int8_t)insn[1]);
	return true;
}

struct branch_search {
	const struct arch *arch;
	const struct code *code;
	uint64_t low, high;
	void (*found)(void *ctx, uint64_t offset, const struct branch *branch);
	void *ctx;
};

static void judge(const struct branch_search *s, uint64_t offset,
		  bool (*decode)(const struct arch *arch,
				 const struct code *code, uint64_t offset,
				 struct branch *branch))
{
	struct branch branch = { 0 };

	if (decode(s->arch, s->code, offset, &branch) &&
	    branch.target >= s->low && branch.target <= s->high)
		s->found(s->ctx, offset, &branch);
}

/*
 * Near branches that begin with OPCODE, with the displacement FIELD bytes
 * behind: memchr, and a quick look at the target, are faster than any loop.
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
		if (field == 2 && (at[1] & 0xf0) != 0x80)
			continue;
		if (wrap(s->arch, offset + bias + read_s32(at + field)) <= span)
			judge(s, offset, x86_decode_branch);
	}
}

/* Displacements that are looked at together, and for how narrow a window. */
enum { BLOCK = 16, NARROW = 1 << 18 };

typedef uint16_t lanes __attribute__((vector_size(BLOCK)));
typedef int16_t signed_lanes __attribute__((vector_size(BLOCK)));

/*
 * May one of the displacements that begin in BLOCK bytes reach the window? What
 * their upper halves, plus FROM, are at most is LIMIT. By pointers, as vectors
 * are no arguments everywhere.
 */
static inline bool may_reach(const uint8_t *bytes, const lanes *from,
			     const signed_lanes *limit)
{
	lanes even, odd;
	signed_lanes hits;
	uint64_t any[2];

	memcpy(&even, bytes + 2, sizeof(even));
	memcpy(&odd, bytes + 3, sizeof(odd));
	hits = (signed_lanes)(even + *from) <= *limit;
	hits |= (signed_lanes)(odd + *from) <= *limit;
	memcpy(any, &hits, sizeof(any));
	/* Where the host has another byte order, this was no help. */
	return (any[0] | any[1]) != 0 || le32toh(1) != 1;
}

/* Near branches with their displacement at OFFSET. */
static void judge_field(const struct branch_search *s, uint64_t offset)
{
	const uint8_t *field = s->code->bytes + offset;

	if (offset >= 1 && (field[-1] & 0xfe) == 0xe8)
		judge(s, offset - 1, x86_decode_branch);
	if (offset >= 2 && field[-2] == 0x0f && (field[-1] & 0xf0) == 0x80)
		judge(s, offset - 2, x86_decode_branch);
}

/*
 * The first of the BLOCKs of CODE from AT on with a displacement that may lead
 * to SPAN bytes, a narrow window, from LOW on; else the last one. Upper halves
 * tell: in 64 KiB of code, that of the distance to the window grows by one, and
 * the lower half may carry. Both ends count from INT16_MIN, as processors
 * compare signed numbers best; that more than 32 bits are cut off is no loss,
 * since every hit is judged.
 */
static uint64_t next_block(const struct code *code, uint64_t at, uint64_t low,
			   uint64_t span)
{
	signed_lanes limit = (signed_lanes){ 0 } +
			     (int16_t)((span >> 16) + 2 + INT16_MIN);

	while (at + BLOCK + 3 <= code->size) {
		uint32_t first = code->addr + at + 4 - low;
		uint64_t end = at + 0x10000 - (first & 0xffff);
		lanes from = (lanes){ 0 } +
			     (uint16_t)((first >> 16) + 2 - INT16_MIN);

		for (; at < end && at + BLOCK + 3 <= code->size; at += BLOCK)
			if (may_reach(code->bytes + at, &from, &limit))
				return at;
	}
	return at;
}

/*
 * All near branches, for a narrow window: few bytes are a displacement that
 * leads there, more are an opcode.
 */
static void search_fields(const struct branch_search *s)
{
	const struct code *code = s->code;
	uint64_t at = 0;

	for (; (at = next_block(code, at, s->low, s->high - s->low)) + 4 <=
	       code->size;
	     at += BLOCK)
		for (unsigned i = 0; i < BLOCK && at + i + 4 <= code->size; i++)
			judge_field(s, at + i);
}

/* How far a short branch reaches, from its first byte. */
#define SHORT_REACH 130

static void search_short(const struct branch_search *s)
{
	uint64_t start = s->code->addr, end = start + s->code->size;

	if (s->low > start + SHORT_REACH)
		start = s->low - SHORT_REACH;
	if (s->high < end - SHORT_REACH && end > SHORT_REACH)
		end = s->high + SHORT_REACH;
	for (; start + 2 <= end; start++)
		judge(s, start - s->code->addr, decode_short);
}

/*
 * On i386, call, jmp and jcc with an operand size prefix: their displacement
 * has 16 bits, and so has the address that they go to.
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

static void search_narrow(const struct branch_search *s)
{
	const uint8_t *end = s->code->bytes + s->code->size;
	const uint8_t *at = s->code->bytes;

	if (is_long_mode(s->arch) || s->low > 0xffff)
		return;
	for (; (at = memchr(at, 0x66, end - at)) != NULL; at++)
		judge(s, at - s->code->bytes, decode_narrow);
}

static void x86_each_branch(const struct arch *arch, const struct code *code,
			    uint64_t low, uint64_t high,
			    void (*found)(void *ctx, uint64_t offset,
					  const struct branch *branch),
			    void *ctx)
{
	struct branch_search search = { arch, code, low, high, found, ctx };

	if (high - low < NARROW) {
		search_fields(&search);
	} else {
		search_opcode(&search, 0xe8, 1);
		search_opcode(&search, 0xe9, 1);
		search_opcode(&search, 0x0f, 2);
	}
	search_short(&search);
	search_narrow(&search);
}

static bool has_zero_byte(uint64_t word)
{
	return ((word - 0x0101010101010101) & ~word & 0x8080808080808080) != 0;
}

/* Operands with their displacement at OFFSET. */
static void judge_operand(
	const struct code *code, uint64_t offset, uint64_t low, uint64_t high,
	void (*found)(void *ctx, uint64_t offset, uint64_t target), void *ctx)
{
	uint64_t target;

	if (offset < 1 || (code->bytes[offset - 1] & 0xc7) != 0x05)
		return;
	target = code->addr + offset + 4 +
		 (int64_t)read_s32(code->bytes + offset);
	if (target + 4 - low <= high + 4 - low)
		found(ctx, offset, target < low ? low : target);
}

/*
 * The first eight bytes of CODE from AT on with one that may be the ModRM byte
 * of such an operand; else the last ones.
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
 * Operands relative to RIP: their ModRM byte has mod 0 and rm 5, and their
 * displacement counts from the instruction's end, which an immediate of up to
 * four bytes may put off. i386 has none: without a relocation, only branches
 * lead anywhere in its code.
 */
static void x86_each_operand(const struct arch *arch, const struct code *code,
			     uint64_t low, uint64_t high,
			     void (*found)(void *ctx, uint64_t offset,
					   uint64_t target),
			     void *ctx)
{
	bool is_narrow = high - low < NARROW;
	unsigned step = is_narrow ? BLOCK : 8;

	for (uint64_t at = 0; is_long_mode(arch) && at < code->size;
	     at += step) {
		/* In the latter, the displacement is behind the byte. */
		at = is_narrow ? next_block(code, at, low - 4, high - low + 4)
			       : next_word(code, at);
		for (unsigned i = 0; i < step; i++) {
			uint64_t field = at + i + !is_narrow;

			if (field + 4 <= code->size)
				judge_operand(code, field, low, high, found,
					      ctx);
		}
	}
}

enum { PREFIX_OPERAND = 0x66, PREFIX_REX = 0x40 };

static bool is_prefix(uint8_t byte, bool is_64)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return is_64 && (byte & 0xf0) == 0x40;
	}
}

/*
 * What the instruction of LENGTH bytes does. int3 is filler: behind a return
 * it keeps processors from guessing. hlt, ud2 and the like are no end: what
 * handles them may go on.
 */
static enum insn_flow flow_of(const uint8_t *p, size_t length, bool is_64)
{
	unsigned reg;

	while (length > 1 && is_prefix(*p, is_64))
		p++, length--;
	reg = length > 1 ? p[1] >> 3 & 7 : 0;
	switch (p[0]) {
	case 0x90: /* nop */
	case 0xcc: /* int3 */
		return FLOW_FILLER;
	case 0x0f:
		return length > 1 && p[1] == 0x1f ? FLOW_FILLER : FLOW_ON;
	case 0xc2: /* ret */
	case 0xc3:
	case 0xe9: /* jmp */
	case 0xeb:
		return FLOW_AWAY;
	case 0xff: /* jmp through a register or memory */
		return reg == 4 || reg == 5 ? FLOW_AWAY : FLOW_ON;
	default:
		return FLOW_ON;
	}
}

static uint64_t x86_find_end(const struct arch *arch, const struct code *code,
			     uint64_t start, uint64_t end)
{
	bool is_64 = is_long_mode(arch);
	uint64_t found = NO_END;

	if (end > code->size)
		return NO_END;
	while (start < end) {
		const uint8_t *p = code->bytes + start;
		size_t length = x86_insn_length(p, end - start, is_64);
		enum insn_flow flow;

		if (length == 0)
			return NO_END;
		flow = flow_of(p, length, is_64);
		start += length;
		if (flow != FLOW_FILLER)
			found = flow == FLOW_AWAY ? start : NO_END;
	}
	return found;
}

/* Traps, and what else nothing is certain behind: what handles it may skip. */
static bool is_trap(const uint8_t *p, size_t length)
{
	switch (p[0]) {
	case 0x0f: /* syscall returns, sysret, sysexit, ud and rsm do not */
		return length > 1 &&
		       (p[1] == 0x07 || p[1] == 0x0b || p[1] == 0x35 ||
			p[1] == 0xaa || p[1] == 0xb9 || p[1] == 0xff);
	case 0xca: /* lret */
	case 0xcb:
	case 0xcc: /* int3, int, into */
	case 0xcd:
	case 0xce:
	case 0xcf: /* iret */
	case 0xea: /* ljmp */
	case 0xf1: /* int1 */
	case 0xf4: /* hlt */
		return true;
	default:
		return false;
	}
}

static bool x86_step(const struct arch *arch, const struct code *code,
		     uint64_t offset, struct step *step)
{
	bool is_64 = is_long_mode(arch), is_narrow = false;
	const uint8_t *p = code->bytes + offset;
	struct branch branch = { 0 };
	unsigned n = 0;

	step->length = x86_insn_length(p, code->size - offset, is_64);
	if (step->length == 0)
		return false;
	for (; n + 1 < step->length && is_prefix(p[n], is_64); n++)
		is_narrow |= p[n] == PREFIX_OPERAND && !is_64;
	step->nprefixes = n;
	step->has_target = x86_decode_branch(arch, code, offset + n, &branch) ||
			   (step->length - n == 2 &&
			    decode_short(arch, code, offset + n, &branch));
	step->target = branch.target;
	step->is_call = step->has_target && branch.form == FORM_CALL;
	step->goes_on = flow_of(p, step->length, is_64) != FLOW_AWAY &&
			!is_trap(p + n, step->length - n);
	/* The target of a branch of 16 bits is another. */
	if (step->has_target && is_narrow)
		step->has_target = step->goes_on = false;
	return true;
}

/* lea 0(REG),REG, with a SIB byte or without; REG is not %esp. */
static bool is_lea_nop(const uint8_t *p, size_t length)
{
	unsigned mod = p[1] >> 6, reg = p[1] >> 3 & 7, base = p[1] & 7;
	size_t at = 2;

	if (p[0] != 0x8d || length < 3 || (mod != 1 && mod != 2))
		return false;
	if (base == 4) {
		base = p[2] & 7;
		at = 3;
	}
	if (base != reg || (at == 3 && (p[2] & 0x38) != 0x20))
		return false;
	for (; at < length; at++)
		if (p[at] != 0)
			return false;
	return true;
}

/* What assemblers for i386 take for a NOP, and int3. */
static bool is_filler(const uint8_t *p, size_t length, bool is_64)
{
	if (flow_of(p, length, is_64) == FLOW_FILLER)
		return true;
	while (length > 1 && (p[0] == 0x2e || p[0] == 0x3e))
		p++, length--;
	return !is_64 && length > 1 &&
	       (is_lea_nop(p, length) ||
		/* mov REG,REG */
		(p[0] == 0x89 && p[1] >= 0xc0 &&
		 (p[1] >> 3 & 7) == (p[1] & 7)));
}

static uint64_t filler_end(const struct code *code, uint64_t start,
			   uint64_t end, bool is_64)
{
	while (start < end) {
		const uint8_t *p = code->bytes + start;
		size_t length = x86_insn_length(p, end - start, is_64);

		if (length == 0 || !is_filler(p, length, is_64))
			break;
		start += length;
	}
	return start;
}

/*
 * gas puts NOPs, which on i386 hold what reads like short branches, or a jump
 * over NOPs; gold a jump over zeros.
 */
static uint64_t x86_padding_end(const struct arch *arch,
				const struct code *code, uint64_t start,
				uint64_t end)
{
	bool is_64 = is_long_mode(arch);
	uint64_t at = filler_end(code, start, end, is_64);
	uint64_t target, i;
	struct branch branch = { 0 };

	if (end - at < 2 ||
	    (!x86_decode_branch(arch, code, at, &branch) &&
	     !decode_short(arch, code, at, &branch)) ||
	    branch.form != FORM_TAIL)
		return at;
	target = branch.target - code->addr;
	if (target < at + branch.length || target > end)
		return at;
	i = at + branch.length;
	/* gas writes one over many NOPs, the long one where it must. */
	if (target - at >= (is_64 ? 64 : 15) &&
	    (branch.length == 2 || target - at > 129) &&
	    filler_end(code, i, target, is_64) == target)
		return target;
	/* gold writes one over zeros. */
	if (branch.length == 2 || target - at < 16)
		return at;
	while (i < target && code->bytes[i] == 0)
		i++;
	return i == target ? target : at;
}

/* An opcode behind its prefixes counts as a beginning, too. */
static bool x86_is_boundary(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t offset)
{
	while (start < offset) {
		size_t length = x86_insn_length(code->bytes + start,
						code->size - start,
						is_long_mode(arch));

		if (length == 0)
			return true;
		while (length > 0 && start < offset &&
		       is_prefix(code->bytes[start], is_long_mode(arch))) {
			start++;
			length--;
		}
		if (start == offset)
			return true;
		start += length;
	}
	return start == offset;
}

/* endbr64/endbr32, an optional bnd prefix, jmp *slot. */
static bool x86_decode_plt(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t got, uint64_t *slot)
{
	const uint8_t *p = code->bytes + offset;
	size_t left;
	size_t at = 0;

	if (offset >= code->size)
		return false;
	left = code->size - offset;
	if (left >= 4 && p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e &&
	    (p[3] == 0xfa || p[3] == 0xfb))
		at = 4;
	if (at < left && p[at] == 0xf2)
		at++;
	if (left < at + 6 || p[at] != 0xff)
		return false;
	if (p[at + 1] == 0x25) {
		*slot = read_s32(p + at + 2);
		if (is_long_mode(arch))
			*slot += code->addr + offset + at + 6;
	} else if (!is_long_mode(arch) &&
		   p[at + 1] == 0xa3) { /* jmp *disp(%ebx) */
		*slot = got + read_s32(p + at + 2);
	} else {
		return false;
	}
	*slot = wrap(arch, *slot);
	return true;
}

/* mov $HASH,%eax; for is-enabled, xor %eax,%eax; ret */
static unsigned x86_make_stub(const struct arch *arch, uint8_t mode,
			      bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	unsigned n = 0;

	(void)arch;
	(void)mode;
	bytes[n++] = 0xb8;
	for (int i = 0; i < 4; i++)
		bytes[n++] = hash >> 8 * i;
	if (is_enabled) {
		bytes[n++] = 0x31;
		bytes[n++] = 0xc0;
	}
	bytes[n++] = 0xc3;
	return n;
}

/*
 * A call takes no notice of an operand size or REX prefix, mov does. The byte
 * may belong to the instruction before as well: then the site stays for
 * nothing.
 */
static bool may_have_prefix(const struct arch *arch, const struct code *code,
			    uint64_t offset)
{
	uint8_t last = offset > 0 ? code->bytes[offset - 1] : 0;

	return last == PREFIX_OPERAND ||
	       (is_long_mode(arch) && (last & 0xf0) == PREFIX_REX);
}

/*
 * A conditional jump cannot be switched off: not taken, it goes on, taken, it
 * returns. Nor is there one instruction that returns 0. i386 has no 0f 1f
 * before the P6.
 */
static unsigned x86_disable(const struct arch *arch, enum site_form form,
			    bool is_enabled, const struct code *code,
			    uint64_t offset, uint8_t bytes[DISABLED_MAX])
{
	static const uint8_t nop_64[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const uint8_t nop_32[] = { 0x3e, 0x8d, 0x74, 0x26, 0x00 };
	static const uint8_t ret[] = { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc };
	static const uint8_t zero[] = { 0xb8, 0x00, 0x00, 0x00, 0x00 };

	switch (form) {
	case FORM_CALL:
		if (is_enabled && may_have_prefix(arch, code, offset))
			return 0;
		memcpy(bytes,
		       is_enabled	    ? zero
		       : is_long_mode(arch) ? nop_64
					    : nop_32,
		       5);
		return 5;
	case FORM_TAIL:
		if (is_enabled ||
		    (offset > 0 && code->bytes[offset - 1] == PREFIX_OPERAND))
			return 0;
		memcpy(bytes, ret, 5);
		return 5;
	case FORM_COND:
	case FORM_BRANCH:
		break;
	}
	return 0;
}

/* clang-format off */
#define X86_COMMON \
	.is_big_endian = false, \
	.stub_align = 16, \
	.make_stub = x86_make_stub, \
	.disable = x86_disable, \
	.find_site = x86_find_site, \
	.explain_refusal = x86_explain_refusal, \
	.decode_branch = x86_decode_branch, \
	.each_branch = x86_each_branch, \
	.each_operand = x86_each_operand, \
	.find_end = x86_find_end, \
	.is_boundary = x86_is_boundary, \
	.step = x86_step, \
	.chance_length = 2, \
	.padding_end = x86_padding_end, \
	.is_rewrite = x86_is_rewrite, \
	.decode_plt = x86_decode_plt
/* clang-format on */

const struct arch arch_i386 = {
	.name = "i386",
	.bfd_name = "i386",
	.machine = EM_386,
	.is_64 = false,
	.relocs = i386_relocs,
	.nrelocs = sizeof(i386_relocs) / sizeof(i386_relocs[0]),
	.reloc_none = R_386_NONE,
	.uses_rela = false,
	.reloc_pc32 = R_386_PC32,
	X86_COMMON,
};

const struct arch arch_x32 = {
	.name = "x32",
	.bfd_name = "i386:x64-32",
	.machine = EM_X86_64,
	.is_64 = false,
	.slot_width = 8,
	.relocs = x86_64_relocs,
	.nrelocs = sizeof(x86_64_relocs) / sizeof(x86_64_relocs[0]),
	.reloc_none = R_X86_64_NONE,
	.uses_rela = true,
	.reloc_pc32 = R_X86_64_PC32,
	X86_COMMON,
};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.bfd_name = "i386:x86-64",
	.machine = EM_X86_64,
	.is_64 = true,
	.relocs = x86_64_relocs,
	.nrelocs = sizeof(x86_64_relocs) / sizeof(x86_64_relocs[0]),
	.reloc_none = R_X86_64_NONE,
	.uses_rela = true,
	.reloc_pc32 = R_X86_64_PC32,
	X86_COMMON,
};
