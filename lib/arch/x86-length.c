/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lengths of x86 instructions, from the opcode maps of the Intel SDM, volume 2,
 * appendix A and the APX Architecture Specification, and AMD's XOP. Verify uses
 * them where bytes read as a branch and may be the middle of something else,
 * and the generator where a branch may be in 16-bit code.
 */
#include <config.h>

#include <string.h>

#include "x86.h"

/*
 * Lengths of instructions. A letter per opcode:
 *   n nothing follows   m ModRM            b imm8       w imm16
 *   z imm16/32          i ModRM + imm8     Z ModRM + imm16/32
 *   v imm16/32/64       o memory offset    e imm16 + imm8
 *   f far pointer       j rel32            g, G group 3 (F6, F7)
 *   r ModRM of registers p prefix           x escape, decoded by hand
 *   q imm64
 */
/* clang-format off */
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
	"nnnmimrr" "nnnmimmm" "mmmmmmmm" "mmimmmmm" /* a0 */
	"mmimiiim" "nnnnnnnn" "mmmmmmmm" "mmmmmmmm" /* c0 */
	"mmmmmmmm" "mmmmmmmm" "mmmmmmmm" "mmmmmmmm"; /* e0 */

/* Map 4 of EVEX, which APX adds: most opcodes are those of one byte. */
static const char opcodes_4[] =
	"mmmmxxxx" "mmmmxxxx" "mmmmxxxx" "mmmmxxxx" /* 00 */
	"mmmmixxx" "mmmmixxx" "mmmmxxxx" "mmmmxxxx" /* 20 */
	"mmmmmmmm" "mmmmmmmm" "xxxxxxxx" "xxxxxxxx" /* 40 */
	"mmxxxmmx" "xZxixxxx" "xxxxxxxx" "xxxxxxxx" /* 60 */
	"iZximmxx" "mxmmxxxm" "xxxxxxxx" "xxxxxxxx" /* 80 */
	"xxxxxmxx" "xxxxxmxm" "xxxxxxxx" "xxxxxxxx" /* a0 */
	"iixxxxxx" "xxxxxxxx" "mmmmixxx" "mmmmmmmm" /* c0 */
	"xxxxxxxx" "xxxxxxxx" "mmmxmmgG" "mmxxmxmm"; /* e0 */
/* clang-format on */

/*
 * Opcodes of one byte that 64-bit mode lacks. 62 and d5 begin newer encodings
 * there, and 40 to 4f are prefixes, of which only one may be.
 */
static const char lacks_64[] = "\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f"
			       "\x60\x61\x82\x9a\xce\xd4\xea";

static bool lacks(uint8_t opcode)
{
	return memchr(lacks_64, opcode, sizeof(lacks_64) - 1) != NULL;
}

struct insn_reader {
	const uint8_t *bytes;
	size_t size;
	size_t at;
	bool is_64;
	bool is_16;
	bool has_66;
	bool has_f2;
	bool has_67;
	bool has_rex; /* 40 to 4f */
	bool has_rex_w;
};

/* A prefix selects the width that is not the mode's. */
static bool has_narrow_operand(const struct insn_reader *in)
{
	return in->has_66 != in->is_16;
}

static bool has_narrow_address(const struct insn_reader *in)
{
	return !in->is_64 && in->has_67 != in->is_16;
}

/* Bytes of ModRM, SIB and displacement at AT, or 0 if they are cut off. */
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
	if (has_narrow_address(in)) {
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

/* Bytes behind an opcode of that LETTER, or 0xff if unknown. */
static size_t operand_length(const struct insn_reader *in, char letter)
{
	size_t immediate = has_narrow_operand(in) ? 2 : 4;
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
	case 'q':
		return 8;
	case 'o':
		return in->is_64 ? (in->has_67 ? 4 : 8)
				 : (has_narrow_address(in) ? 2 : 4);
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

/* Not VMREAD, but SSE4a's EXTRQ and INSERTQ, with two immediates. */
static bool is_ambiguous_0f(const struct insn_reader *in, uint8_t opcode)
{
	return opcode == 0x78 && (in->has_66 || in->has_f2);
}

/* Behind these, an opcode without ModRM is not one. */
static char with_modrm(char letter)
{
	return letter == 'm' || letter == 'i' ? letter : 'x';
}

/* EVEX of map 4 holds the operand size, too. BYTES are behind 62. */
static char promoted_letter(struct insn_reader *in, const uint8_t *bytes)
{
	in->has_rex_w = bytes[1] & 0x80;
	in->has_66 = !in->has_rex_w && (bytes[1] & 3) == 1;
	return opcodes_4[bytes[3]];
}

/* VEX (c4, c5) and EVEX (62): the letter of the opcode behind them. */
static char vex_letter(struct insn_reader *in, uint8_t first)
{
	size_t payload = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;
	unsigned map = 1;

	if (in->at + payload >= in->size)
		return 'x';
	/* Outside of 64-bit mode, these are LES, LDS and BOUND with memory. */
	if (!in->is_64 && (in->bytes[in->at] & 0xc0) != 0xc0)
		return 'm';
	if (first == 0xc4)
		map = in->bytes[in->at] & 0x1f;
	else if (first == 0x62)
		map = in->bytes[in->at] & 0x07;
	in->at += payload;
	if (first == 0x62 && map == 4) {
		in->at++;
		return in->is_64 ? promoted_letter(in, in->bytes + in->at - 4)
				 : 'x';
	}
	if (map == 1 && first != 0x62 &&
	    in->bytes[in->at] == 0x77) { /* vzeroupper */
		in->at++;
		return 'n';
	}
	return with_modrm(map_letter(map, in->bytes[in->at++]));
}

/*
 * REX2 (d5) of APX: the letter of the opcode behind it and its payload. Sets
 * IS_0F if that is one of those behind 0f.
 */
static char rex2_letter(struct insn_reader *in, bool *is_0f)
{
	uint8_t payload, opcode, row;

	if (in->has_rex || in->at + 1 >= in->size)
		return 'x';
	payload = in->bytes[in->at++];
	opcode = in->bytes[in->at++];
	row = opcode >> 4;
	in->has_rex_w = payload & 8;
	if (in->has_rex_w)
		in->has_66 = false;
	*is_0f = payload & 0x80;
	if (*is_0f)
		return row == 3 || row == 8 || is_ambiguous_0f(in, opcode)
			       ? 'x'
			       : opcodes_0f[opcode];
	if (opcode == 0xa1) /* jmpabs */
		return in->has_rex_w ? 'x' : 'q';
	if (row == 4 || row == 7 || row == 10 || row == 14 || opcode == 0xd5 ||
	    lacks(opcode) || opcodes_1[opcode] == 'p')
		return 'x';
	return opcode == 0x8f ? 'm' : opcodes_1[opcode];
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
	if (is_ambiguous_0f(in, second))
		return 'x';
	if (second != 0x38 && second != 0x3a)
		return opcodes_0f[second];
	if (in->at >= in->size)
		return 'x';
	return map_letter(second == 0x38 ? 2 : 3, in->bytes[in->at++]);
}

bool x86_is_prefix(uint8_t byte, bool is_64)
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

static void read_prefixes(struct insn_reader *in)
{
	while (in->at < in->size && in->at < 14 &&
	       opcodes_1[in->bytes[in->at]] == 'p') {
		in->has_66 |= in->bytes[in->at] == 0x66;
		in->has_f2 |= in->bytes[in->at] == 0xf2;
		in->has_67 |= in->bytes[in->at] == 0x67;
		in->at++;
	}
	if (in->is_64 && in->at < in->size &&
	    (in->bytes[in->at] & 0xf0) == 0x40) {
		in->has_rex = true;
		in->has_rex_w = in->bytes[in->at] & 8;
		if (in->has_rex_w)
			in->has_66 = false;
		in->at++;
	}
}

static size_t read_insn(struct insn_reader in, struct x86_insn *parts)
{
	size_t operands;
	uint8_t opcode;
	char letter;

	*parts = (struct x86_insn){ 0 };
	read_prefixes(&in);
	if (in.at >= in.size)
		return 0;
	parts->opcode = in.at;
	opcode = in.bytes[in.at++];
	letter = opcodes_1[opcode];
	if (in.is_64 && opcode == 0xd5) {
		letter = rex2_letter(&in, &parts->is_rex2_0f);
		parts->opcode = in.at - 1;
		parts->is_jmpabs = letter == 'q';
	} else if (in.is_64 && (lacks(opcode) || (opcode & 0xf0) == 0x40)) {
		return 0;
	} else if (letter == 'x') {
		letter = escape_letter(&in, opcode);
	}
	parts->modrm = strchr("mirZgG", letter) != NULL ? in.at : 0;
	operands = operand_length(&in, letter);
	if (operands == 0xff || in.at + operands > in.size)
		return 0;
	return in.at + operands;
}

bool x86_insn_parse(const uint8_t *bytes, size_t size, bool is_64,
		    struct x86_insn *insn)
{
	insn->length = read_insn((struct insn_reader){ .bytes = bytes,
						       .size = size,
						       .is_64 = is_64 },
				 insn);
	return insn->length > 0;
}

size_t x86_insn_length(const uint8_t *bytes, size_t size, bool is_64)
{
	struct x86_insn insn;

	x86_insn_parse(bytes, size, is_64, &insn);
	return insn.length;
}

size_t x86_insn_length_16(const uint8_t *bytes, size_t size)
{
	struct x86_insn insn;

	return read_insn((struct insn_reader){ .bytes = bytes,
					       .size = size,
					       .is_16 = true },
			 &insn);
}
