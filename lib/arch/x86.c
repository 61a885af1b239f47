/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86-64 and i386.
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
#include <string.h>

#include "../object.h"
#include "arch.h"

#define RELOC(prefix, type, bytes) \
	[prefix##type] = { .name = #prefix #type, .width = bytes, \
			   .is_known = true }

/* In instructions, and then the instruction nearly always ends with it. */
#define RELOC_PC(prefix, type, bytes) \
	[prefix##type] = { .name = #prefix #type, .width = bytes, \
			   .is_known = true, .from_end = true }

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
	RELOC(R_X86_64_, PC16, 2),
	RELOC(R_X86_64_, 8, 1),
	RELOC(R_X86_64_, PC8, 1),
	RELOC(R_X86_64_, DTPMOD64, 8),
	RELOC(R_X86_64_, DTPOFF64, 8),
	RELOC(R_X86_64_, TPOFF64, 8),
	RELOC(R_X86_64_, TLSGD, 4),
	RELOC(R_X86_64_, TLSLD, 4),
	RELOC(R_X86_64_, DTPOFF32, 4),
	RELOC(R_X86_64_, GOTTPOFF, 4),
	RELOC(R_X86_64_, TPOFF32, 4),
	RELOC(R_X86_64_, PC64, 8),
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
	RELOC(R_386_, NONE, 0),
	RELOC(R_386_, 32, 4),
	RELOC_PC(R_386_, PC32, 4),
	RELOC(R_386_, GOT32, 4),
	RELOC_PC(R_386_, PLT32, 4),
	RELOC(R_386_, COPY, 0),
	RELOC(R_386_, GLOB_DAT, 4),
	RELOC(R_386_, JMP_SLOT, 4),
	RELOC(R_386_, RELATIVE, 4),
	RELOC(R_386_, GOTOFF, 4),
	RELOC(R_386_, GOTPC, 4),
	RELOC(R_386_, TLS_TPOFF, 4),
	RELOC(R_386_, TLS_IE, 4),
	RELOC(R_386_, TLS_GOTIE, 4),
	RELOC(R_386_, TLS_LE, 4),
	RELOC(R_386_, TLS_GD, 4),
	RELOC(R_386_, TLS_LDM, 4),
	RELOC(R_386_, 16, 2),
	RELOC(R_386_, PC16, 2),
	RELOC(R_386_, 8, 1),
	RELOC(R_386_, PC8, 1),
	RELOC(R_386_, TLS_LDO_32, 4),
	RELOC(R_386_, TLS_IE_32, 4),
	RELOC(R_386_, TLS_LE_32, 4),
	RELOC(R_386_, TLS_DTPMOD32, 4),
	RELOC(R_386_, TLS_DTPOFF32, 4),
	RELOC(R_386_, TLS_TPOFF32, 4),
	RELOC(R_386_, SIZE32, 4),
	RELOC(R_386_, TLS_GOTDESC, 4),
	RELOC(R_386_, TLS_DESC_CALL, 0),
	RELOC(R_386_, TLS_DESC, 8),
	RELOC(R_386_, IRELATIVE, 4),
	RELOC(R_386_, GOT32X, 4),
};

static int32_t read_s32(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 |
			 (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

/* Addresses wrap at the word size of the target. */
static uint64_t wrap(const struct arch *arch, uint64_t addr)
{
	return arch->is_64 ? addr : (uint32_t)addr;
}

/* --- The generator's view: from a relocation ------------------------- */

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

	if (!is_pc32(arch, r->type) || r->offset < 1 ||
	    size - r->offset < 4)
		return false;
	/* REL: the addend is in the field. */
	if (arch->machine == EM_386)
		addend = read_s32(field);
	/* The branch ends with its field, so S + A - P aims at S + A + 4. */
	if (addend != -4)
		return false;

	if (field[-1] == 0xe8)
		*shape = (struct site_shape){ FORM_CALL, 1, 5 };
	else if (field[-1] == 0xe9)
		*shape = (struct site_shape){ FORM_TAIL, 1, 5 };
	else if (r->offset >= 2 && field[-2] == 0x0f &&
		 (field[-1] & 0xf0) == 0x80)
		*shape = (struct site_shape){ FORM_COND, 2, 6 };
	else
		return false;
	return true;
}

#define NO_PLT_REMEDY \
	"compile without -fno-plt (profiling calls such as __fentry__: " \
	"without -fpie or -fpic)"
#define LARGE_REMEDY \
	"compile without -mcmodel=large (a kernel wants -mcmodel=kernel)"
#define ADDRESS_REMEDY \
	"call the probe function directly; its address must not be taken"

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
	  "compile without -fno-plt, and do not take the address of a probe "
	  "function" },
	{ 2, { 0xff, 0x10 }, { 0xff, 0x38 }, false, "indirect call",
	  ADDRESS_REMEDY },
	{ 2, { 0xff, 0x20 }, { 0xff, 0x38 }, false, "indirect jump",
	  ADDRESS_REMEDY },
	{ 2, { 0x8d, 0x00 }, { 0xff, 0x00 }, false, "lea of its address",
	  ADDRESS_REMEDY },
	{ 2, { 0xc7, 0x00 }, { 0xff, 0x38 }, false, "mov of its address",
	  ADDRESS_REMEDY },
	{ 1, { 0xb8 }, { 0xf8 }, false, "mov of its address", ADDRESS_REMEDY },
	{ 1, { 0x68 }, { 0xff }, false, "push of its address",
	  ADDRESS_REMEDY },
	{ 1, { 0xe8 }, { 0xff }, false, "call of its inside",
	  "call the probe function itself, without an offset" },
	{ 1, { 0xe9 }, { 0xff }, false, "jump to its inside",
	  "jump to the probe function itself, without an offset" },
};

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
		for (size_t i = 0; i < sizeof(refused_shapes) /
					       sizeof(refused_shapes[0]);
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
	if (arch->is_64 && refusal->back == 2 && r->offset >= 3 &&
	    field[-2] != 0xff && (field[-3] & 0xf0) == 0x40)
		refusal->back = 3;
	refusal->length += refusal->back;
	if (refusal->length > size - r->offset + refusal->back)
		refusal->length = size - r->offset + refusal->back;
}

/* --- Verify's view: from the bytes of an image ------------------------ */

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
	branch->target = wrap(arch, code->addr + offset + branch->length +
					    (int64_t)read_s32(insn +
							      branch->field));
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
	branch->target = wrap(arch, code->addr + offset + 2 +
					    (int64_t)(int8_t)insn[1]);
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
	struct branch branch;

	if (decode(s->arch, s->code, offset, &branch) &&
	    branch.target >= s->low && branch.target <= s->high)
		s->found(s->ctx, offset, &branch);
}

/* Near branches that begin with OPCODE: memchr is faster than any loop. */
static void search_opcode(const struct branch_search *s, uint8_t opcode)
{
	const uint8_t *end = s->code->bytes + s->code->size;
	const uint8_t *at = s->code->bytes;

	while ((at = memchr(at, opcode, end - at)) != NULL) {
		judge(s, at - s->code->bytes, x86_decode_branch);
		at++;
	}
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

static void x86_each_branch(const struct arch *arch, const struct code *code,
			    uint64_t low, uint64_t high,
			    void (*found)(void *ctx, uint64_t offset,
					  const struct branch *branch),
			    void *ctx)
{
	struct branch_search search = { arch, code, low, high, found, ctx };

	search_opcode(&search, 0xe8);
	search_opcode(&search, 0xe9);
	search_opcode(&search, 0x0f);
	search_short(&search);
}

/*
 * Lengths of instructions. A letter per opcode:
 *   n nothing follows   m ModRM            b imm8       w imm16
 *   z imm16/32          i ModRM + imm8     Z ModRM + imm16/32
 *   v imm16/32/64       o memory offset    e imm16 + imm8
 *   f far pointer       j rel32            g, G group 3 (F6, F7)
 *   r ModRM of registers p prefix           x escape, decoded by hand
 */
static const char opcodes_1[] =
	"mmmmbznn" "mmmmbznx" "mmmmbznn" "mmmmbznn" /* 00 */
	"mmmmbzpn" "mmmmbzpn" "mmmmbzpn" "mmmmbzpn" /* 20 */
	"nnnnnnnn" "nnnnnnnn" "nnnnnnnn" "nnnnnnnn" /* 40 */
	"nnxmpppp" "zZbinnnn" "bbbbbbbb" "bbbbbbbb" /* 60 */
	"iZiimmmm" "mmmmmmmx" "nnnnnnnn" "nnfnnnnn" /* 80 */
	"oooonnnn" "bznnnnnn" "bbbbbbbb" "vvvvvvvv" /* a0 */
	"iiwnxxiZ" "enwnnbnn" "mmmmbbnn" "mmmmmmmm" /* c0 */
	"bbbbbbbb" "jjfbnnnn" "pnppnngG" "nnnnnnmm"; /* e0 */

static const char opcodes_0f[] =
	"mmmmnnnn" "nnnnnmni" "mmmmmmmm" "mmmmmmmm" /* 00 */
	"rrrrrrrr" "mmmmmmmm" "nnnnnnnn" "xnxnnnnn" /* 20 */
	"mmmmmmmm" "mmmmmmmm" "mmmmmmmm" "mmmmmmmm" /* 40 */
	"mmmmmmmm" "mmmmmmmm" "iiiimmmn" "mmmmmmmm" /* 60 */
	"jjjjjjjj" "jjjjjjjj" "mmmmmmmm" "mmmmmmmm" /* 80 */
	"nnnmimnn" "nnnmimmm" "mmmmmmmm" "mmimmmmm" /* a0 */
	"mmimiiim" "nnnnnnnn" "mmmmmmmm" "mmmmmmmm" /* c0 */
	"mmmmmmmm" "mmmmmmmm" "mmmmmmmm" "mmmmmmmm"; /* e0 */

struct insn_reader {
	const uint8_t *bytes;
	size_t size;
	size_t at;
	bool is_64;
	bool has_66;
	bool has_67;
	bool has_rex_w;
};

/* Bytes of ModRM, SIB and displacement at AT; 0 if they are cut off. */
static size_t modrm_length(const struct insn_reader *in)
{
	uint8_t modrm, mod, rm;
	size_t length = 1;

	if (in->at >= in->size)
		return 0;
	modrm = in->bytes[in->at];
	mod = modrm >> 6;
	rm = modrm & 7;
	if (mod == 3)
		return 1;
	if (in->has_67 && !in->is_64) {
		if (mod == 0)
			return rm == 6 ? 3 : 1;
		return mod == 1 ? 2 : 3;
	}
	if (rm == 4) {
		if (in->at + 1 >= in->size)
			return 0;
		if (mod == 0 && (in->bytes[in->at + 1] & 7) == 5)
			length += 4;
		length++;
	} else if (mod == 0 && rm == 5) {
		length += 4;
	}
	return length + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Bytes after the opcode, for an opcode of that LETTER; 0xff if unknown. */
static size_t operand_length(const struct insn_reader *in, char letter)
{
	size_t immediate = in->has_66 ? 2 : 4;
	size_t modrm = modrm_length(in);

	switch (letter) {
	case 'n':
		return 0;
	case 'b':
	case 'r':
		return 1;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'z':
		return immediate;
	case 'j':
		/* Intel ignores 66 before a near branch in 64-bit mode. */
		return in->is_64 ? 4 : immediate;
	case 'v':
		return in->has_rex_w ? 8 : immediate;
	case 'o':
		return in->is_64 ? (in->has_67 ? 4 : 8) : (in->has_67 ? 2 : 4);
	case 'f':
		return in->is_64 ? 0xff : immediate + 2;
	default:
		break;
	}
	if (modrm == 0)
		return 0xff;
	switch (letter) {
	case 'm':
		return modrm;
	case 'i':
		return modrm + 1;
	case 'Z':
		return modrm + immediate;
	case 'g': /* only TEST has an immediate */
		return modrm + ((in->bytes[in->at] & 0x30) == 0);
	case 'G':
		return modrm +
		       ((in->bytes[in->at] & 0x30) == 0 ? immediate : 0);
	default:
		return 0xff;
	}
}

static char map_letter(unsigned map, uint8_t opcode)
{
	switch (map) {
	case 1:
		return opcodes_0f[opcode];
	case 2: /* 0f 38 */
	case 5:
	case 6:
		return 'm';
	case 3: /* 0f 3a */
		return 'i';
	default:
		return 'x';
	}
}

/* VEX (c4, c5) and EVEX (62): the letter of the opcode behind them. */
static char vex_letter(struct insn_reader *in, uint8_t first)
{
	size_t payload = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;
	unsigned map = 1;

	if (in->at + payload >= in->size)
		return 'x';
	/* Outside 64-bit mode these are LES, LDS and BOUND with memory. */
	if (!in->is_64 && (in->bytes[in->at] & 0xc0) != 0xc0)
		return 'm';
	if (first == 0xc4)
		map = in->bytes[in->at] & 0x1f;
	else if (first == 0x62)
		map = in->bytes[in->at] & 0x07;
	in->at += payload;
	if (map == 1 && in->bytes[in->at] == 0x77) { /* vzeroupper */
		in->at++;
		return 'n';
	}
	return map_letter(map, in->bytes[in->at++]);
}

/* 8f is pop, or with a map of 8 and up, AMD's XOP. */
static char xop_letter(struct insn_reader *in)
{
	unsigned map;

	if (in->at + 2 >= in->size)
		return 'x';
	map = in->bytes[in->at] & 0x1f;
	if (map < 8)
		return 'm';
	in->at += 3;
	return map == 8 ? 'i' : map == 9 ? 'm' : map == 10 ? 'Z' : 'x';
}

static char escape_letter(struct insn_reader *in, uint8_t first)
{
	uint8_t second;

	if (first == 0x8f)
		return xop_letter(in);
	if (first != 0x0f)
		return vex_letter(in, first);
	if (in->at >= in->size)
		return 'x';
	second = in->bytes[in->at++];
	if (second != 0x38 && second != 0x3a)
		return opcodes_0f[second];
	if (in->at >= in->size)
		return 'x';
	return map_letter(second == 0x38 ? 2 : 3, in->bytes[in->at++]);
}

static void read_prefixes(struct insn_reader *in)
{
	while (in->at < in->size && in->at < 14 &&
	       opcodes_1[in->bytes[in->at]] == 'p') {
		in->has_66 |= in->bytes[in->at] == 0x66;
		in->has_67 |= in->bytes[in->at] == 0x67;
		in->at++;
	}
	if (in->is_64 && in->at < in->size &&
	    (in->bytes[in->at] & 0xf0) == 0x40) {
		in->has_rex_w = in->bytes[in->at] & 8;
		if (in->has_rex_w)
			in->has_66 = false;
		in->at++;
	}
}

/* The length of the instruction at BYTES, or 0 if it cannot be told. */
static size_t insn_length(const uint8_t *bytes, size_t size, bool is_64)
{
	struct insn_reader in = { .bytes = bytes,
				  .size = size,
				  .is_64 = is_64 };
	size_t operands;
	uint8_t opcode;
	char letter;

	read_prefixes(&in);
	if (in.at >= size)
		return 0;
	opcode = bytes[in.at++];
	letter = opcodes_1[opcode];
	if (letter == 'x')
		letter = escape_letter(&in, opcode);
	operands = operand_length(&in, letter);
	if (operands == 0xff || in.at + operands > size)
		return 0;
	return in.at + operands;
}

static bool x86_is_boundary(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t offset)
{
	while (start < offset) {
		size_t length = insn_length(code->bytes + start,
					    code->size - start, arch->is_64);

		if (length == 0)
			return true;
		start += length;
	}
	return start == offset;
}

/*
 * What linkers make of an instruction in place (psABI, "Linker Optimization",
 * and measured with GNU ld, gold, lld and mold). A hexadecimal digit stands
 * for itself, a dot for any digit; `back` bytes lie before the field.
 */
struct rewrite {
	uint32_t type;
	uint8_t back;
	const char *before;
	const char *after;
};

static const struct rewrite x86_64_rewrites[] = {
	{ R_X86_64_GOTPCRELX, 2, "ff15........", "67e8........" },
	{ R_X86_64_GOTPCRELX, 2, "ff15........", "90e8........" },
	{ R_X86_64_GOTPCRELX, 2, "ff15........", "e8........90" },
	{ R_X86_64_GOTPCRELX, 2, "ff25........", "e9........90" },
	{ R_X86_64_GOTPCRELX, 2, "ff25........", "90e9........" },
	/* Thread-local storage, general dynamic to initial and local exec. */
	{ R_X86_64_TLSGD, 4, "66488d3d........666648e8........",
	  "64488b042500000000488d80........" },
	{ R_X86_64_TLSGD, 4, "66488d3d........6648ff15........",
	  "64488b042500000000480305........" },
	{ R_X86_64_TLSGD, 4, "66488d3d........6648ff15........",
	  "64488b042500000000488d80........" },
	{ R_X86_64_TLSGD, 4, "66488d3d........666648e8........",
	  "64488b042500000000480305........" },
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "66666664488b042500000000" },
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "31c064488b00482d........" }, /* mold */
	{ R_X86_64_TLSLD, 3, "488d3d........ff15........",
	  "6666666664488b042500000000" },
	{ R_X86_64_GOTPC32_TLSDESC, 3, "488d05", "48c7c0" },
	{ R_X86_64_GOTPC32_TLSDESC, 3, "488d05", "488b05" },
	{ R_X86_64_TLSDESC_CALL, 0, "ff10", "6690" },
};

static const struct rewrite i386_rewrites[] = {
	{ R_386_GOT32X, 2, "ff9.........", "67e8........" },
	{ R_386_GOT32X, 2, "ff9.........", "90e8........" },
	{ R_386_GOT32X, 2, "ff9.........", "e8........90" },
	{ R_386_GOT32X, 2, "ff15........", "67e8........" },
	{ R_386_GOT32X, 2, "ff15........", "90e8........" },
	{ R_386_GOT32X, 2, "ff15........", "e8........90" },
	{ R_386_GOT32X, 2, "ffa.........", "e9........90" },
	{ R_386_GOT32X, 2, "ffa.........", "90e9........" },
	{ R_386_GOT32X, 2, "ff25........", "e9........90" },
	{ R_386_GOT32X, 2, "ff25........", "90e9........" },
	{ R_386_TLS_GD, 3, "8d04.d........e8........",
	  "65a1000000000383........" },
	{ R_386_TLS_GD, 3, "8d04.d........e8........",
	  "65a10000000081e8........" },
	{ R_386_TLS_GD, 3, "8d04.d........e8........",
	  "65a10000000081c0........" }, /* mold */
	{ R_386_TLS_GD, 2, "8d8.........e8........90",
	  "65a10000000081c0........" }, /* mold */
	{ R_386_TLS_GD, 2, "8d8.........e8........90",
	  "65a10000000003.........." },
	{ R_386_TLS_GD, 2, "8d8.........e8........90",
	  "65a10000000081e8........" },
	{ R_386_TLS_LDM, 2, "8d8.........e8........",
	  "65a100000000908d742600" },
	{ R_386_TLS_IE, 1, "a1", "b8" },
};

static bool matches(const char *pattern, const uint8_t *bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; pattern[i] != '\0'; i++) {
		unsigned nibble = i % 2 == 0 ? bytes[i / 2] >> 4
					     : bytes[i / 2] & 15;

		if (pattern[i] != '.' && pattern[i] != digits[nibble])
			return false;
	}
	return true;
}

static bool rewrite_fits(const struct rewrite *rw, const uint8_t *before,
			 const uint8_t *after, size_t size,
			 const struct reloc *r, struct byte_range *range)
{
	uint64_t start = r->offset - rw->back;

	if (rw->type != r->type || r->offset < rw->back)
		return false;
	if (size - start < strlen(rw->before) / 2 ||
	    !matches(rw->before, before + start) ||
	    !matches(rw->after, after + start))
		return false;
	range->start = start;
	range->end = start + strlen(rw->before) / 2;
	return true;
}

/*
 * Loads of a GOT entry that become the address or the value itself. The
 * register stays the same; as an operand of its own it moves in ModRM from
 * reg to rm, and in the REX prefix from R to B.
 */
enum { TO_LEA = 1, TO_IMMEDIATE = 2, TO_LEA_OF_ITSELF = 4 };

struct load {
	uint32_t type;
	bool has_rex;
	unsigned to;
};

static const struct load x86_64_loads[] = {
	{ R_X86_64_GOTPCRELX, false, TO_LEA | TO_IMMEDIATE },
	{ R_X86_64_REX_GOTPCRELX, true, TO_LEA | TO_IMMEDIATE },
	{ R_X86_64_GOTPCREL, true, TO_LEA },
	{ R_X86_64_GOTPCREL, false, TO_LEA },
	{ R_X86_64_GOTTPOFF, true, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
};

static const struct load i386_loads[] = {
	{ R_386_GOT32X, false, TO_LEA | TO_IMMEDIATE },
	{ R_386_GOT32, false, TO_LEA },
	{ R_386_TLS_IE, false, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
	{ R_386_TLS_GOTIE, false, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
};

enum { REX_B = 1, REX_R = 4, REX_W = 8 };

/* mov, test, and the arithmetic instructions, with an immediate operand. */
static bool is_immediate_form(const uint8_t *before, const uint8_t *after)
{
	uint8_t reg = before[1] >> 3 & 7;

	if (before[0] == 0x8b)
		return after[0] == 0xc7 && after[1] == (0xc0 | reg);
	if (before[0] == 0x85)
		return after[0] == 0xf7 && after[1] == (0xc0 | reg);
	return (before[0] & 0xc7) == 0x03 && after[0] == 0x81 &&
	       after[1] == (0xc0 | (before[0] & 0x38) | reg);
}

/* The number of bytes that LOAD accounts for, 0 if it does not fit. */
static size_t load_length(const struct load *load, const uint8_t *before,
			  const uint8_t *after)
{
	size_t at = load->has_rex;
	uint8_t rex = load->has_rex ? before[0] : 0;
	uint8_t new_rex = load->has_rex ? after[0] : 0;
	uint8_t moved = (rex & ~(REX_R | REX_B)) | (rex & REX_R ? REX_B : 0);
	uint8_t reg = before[at + 1] >> 3 & 7;

	if (load->has_rex && (rex & 0xf0) != 0x40)
		return 0;
	if ((load->to & TO_LEA) && before[at] == 0x8b && after[at] == 0x8d &&
	    before[at + 1] == after[at + 1] && rex == new_rex)
		return at + 1;
	if ((load->to & TO_IMMEDIATE) &&
	    is_immediate_form(before + at, after + at) &&
	    (new_rex == moved ||
	     (before[at] == 0x8b && new_rex == (moved & ~REX_W))))
		return at + 2;
	if ((load->to & TO_LEA_OF_ITSELF) && before[at] == 0x03 &&
	    after[at] == 0x8d && after[at + 1] == (0x80 | reg << 3 | reg) &&
	    new_rex == (rex | (rex & REX_R ? REX_B : 0)))
		return at + 2;
	return 0;
}

static bool load_fits(const struct load *load, const uint8_t *before,
		      const uint8_t *after, const struct reloc *r,
		      struct byte_range *range)
{
	uint64_t start = r->offset - load->has_rex - 2;
	size_t length;

	if (load->type != r->type || r->offset < load->has_rex + 2u)
		return false;
	length = load_length(load, before + start, after + start);
	*range = (struct byte_range){ start, start + length };
	return length > 0;
}

static bool x86_is_rewrite(const struct arch *arch, const uint8_t *before,
			   const uint8_t *after, size_t size,
			   const struct reloc *r, struct byte_range *range)
{
	bool is_i386 = arch->machine == EM_386;
	const struct rewrite *table = is_i386 ? i386_rewrites
					      : x86_64_rewrites;
	const struct load *loads = is_i386 ? i386_loads : x86_64_loads;
	size_t n = is_i386 ? sizeof(i386_rewrites) / sizeof(*table)
			   : sizeof(x86_64_rewrites) / sizeof(*table);
	size_t nloads = is_i386 ? sizeof(i386_loads) / sizeof(*loads)
				: sizeof(x86_64_loads) / sizeof(*loads);

	for (size_t i = 0; i < n; i++)
		if (rewrite_fits(&table[i], before, after, size, r, range))
			return true;
	for (size_t i = 0; i < nloads; i++)
		if (load_fits(&loads[i], before, after, r, range))
			return true;
	return false;
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
		if (arch->is_64)
			*slot += code->addr + offset + at + 6;
	} else if (!arch->is_64 && p[at + 1] == 0xa3) { /* jmp *disp(%ebx) */
		*slot = got + read_s32(p + at + 2);
	} else {
		return false;
	}
	*slot = wrap(arch, *slot);
	return true;
}

/*
 * A conditional jump cannot be switched off: not taken, it goes on, taken, it
 * returns. Nor is there one instruction that returns 0. i386 has no 0f 1f
 * before the P6.
 */
static unsigned x86_disable(const struct arch *arch, enum site_form form,
			    bool is_enabled, uint8_t bytes[8])
{
	static const uint8_t nop_64[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const uint8_t nop_32[] = { 0x3e, 0x8d, 0x74, 0x26, 0x00 };
	static const uint8_t ret[] = { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc };
	static const uint8_t zero[] = { 0xb8, 0x00, 0x00, 0x00, 0x00 };

	switch (form) {
	case FORM_CALL:
		memcpy(bytes, is_enabled ? zero : arch->is_64 ? nop_64 : nop_32,
		       5);
		return 5;
	case FORM_TAIL:
		memcpy(bytes, ret, 5);
		return is_enabled ? 0 : 5;
	case FORM_COND:
		break;
	}
	return 0;
}

const struct arch arch_i386 = {
	.name = "i386",
	.bfd_name = "i386",
	.machine = EM_386,
	.is_64 = false,
	.is_big_endian = false,
	.relocs = i386_relocs,
	.nrelocs = sizeof(i386_relocs) / sizeof(i386_relocs[0]),
	.reloc_none = R_386_NONE,
	.uses_rela = false,
	.reloc_pc32 = R_386_PC32,
	.stub = { { 0xc3 }, 1 },		     /* ret */
	.enabled_stub = { { 0x31, 0xc0, 0xc3 }, 3 }, /* xor %eax,%eax; ret */
	.stub_align = 1,
	.disable = x86_disable,
	.find_site = x86_find_site,
	.explain_refusal = x86_explain_refusal,
	.decode_branch = x86_decode_branch,
	.each_branch = x86_each_branch,
	.is_boundary = x86_is_boundary,
	.is_rewrite = x86_is_rewrite,
	.decode_plt = x86_decode_plt,
};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.bfd_name = "i386:x86-64",
	.machine = EM_X86_64,
	.is_64 = true,
	.is_big_endian = false,
	.relocs = x86_64_relocs,
	.nrelocs = sizeof(x86_64_relocs) / sizeof(x86_64_relocs[0]),
	.reloc_none = R_X86_64_NONE,
	.uses_rela = true,
	.reloc_pc32 = R_X86_64_PC32,
	.stub = { { 0xc3 }, 1 },		     /* ret */
	.enabled_stub = { { 0x31, 0xc0, 0xc3 }, 3 }, /* xor %eax,%eax; ret */
	.stub_align = 1,
	.disable = x86_disable,
	.find_site = x86_find_site,
	.explain_refusal = x86_explain_refusal,
	.decode_branch = x86_decode_branch,
	.each_branch = x86_each_branch,
	.is_boundary = x86_is_boundary,
	.is_rewrite = x86_is_rewrite,
	.decode_plt = x86_decode_plt,
};
