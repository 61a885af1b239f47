/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed list of rewrites that linkers make in place, for x86. */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "reloc.h"
#include "x86.h"

/*
 * A rewrite of an instruction in place (psABI, "Linker Optimization", and
 * measured with GNU ld, gold, lld and mold). A hexadecimal digit stands for
 * itself, a dot for any digit, r for a base register, which is the same
 * wherever it stands (not 4, which would add a byte to the instruction). `back`
 * bytes lie before the field.
 */
struct rewrite {
	uint32_t type;
	uint8_t back;
	const char *before;
	const char *after;
	bool is_local; /* thread-local storage: local exec, of an executable */
};

static const struct rewrite x86_64_rewrites[] = {
	{ R_X86_64_GOTPCRELX, 2, "ff25........", "e9........90" },
	{ R_X86_64_GOTPCRELX, 2, "ff25........", "90e9........" },
	/* Thread-local storage, general dynamic to initial and local exec. */
	{ R_X86_64_TLSGD, 4, "66488d3d........666648e8........",
	  "64488b042500000000488d80........", true },
	{ R_X86_64_TLSGD, 4, "66488d3d........6648ff15........",
	  "64488b042500000000480305........" },
	{ R_X86_64_TLSGD, 4, "66488d3d........6648ff15........",
	  "64488b042500000000488d80........", true },
	{ R_X86_64_TLSGD, 4, "66488d3d........666648e8........",
	  "64488b042500000000480305........" },
	{ R_X86_64_TLSGD, 4, "66488d3d........666648e8........",
	  "64488b0425000000004881c0........", true }, /* mold */
	{ R_X86_64_TLSGD, 4, "66488d3d........6648ff15........",
	  "64488b0425000000004881c0........", true }, /* mold */
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "66666664488b042500000000", true },
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "31c064488b00482d........", true }, /* mold */
	{ R_X86_64_TLSLD, 3, "488d3d........ff15........",
	  "6666666664488b042500000000", true },
	{ R_X86_64_TLSLD, 3, "488d3d........ff15........",
	  "31c064488b00482d........90", true }, /* mold */
	/* The same in the large code model. */
	{ R_X86_64_TLSGD, 3, "488d3d........48b8..................01..ffd0",
	  "64488b042500000000488d80........660f1f440000", true },
	{ R_X86_64_TLSGD, 3, "488d3d........48b8..................01..ffd0",
	  "64488b042500000000480305........660f1f440000" },
	{ R_X86_64_TLSGD, 3, "488d3d........48b8..................01..ffd0",
	  "64488b0425000000004881c0........660f1f440000", true }, /* mold */
	{ R_X86_64_TLSLD, 3, "488d3d........48b8..................01..ffd0",
	  "666666662e0f1f84000000000064488b042500000000", true },
	{ R_X86_64_TLSLD, 3, "488d3d........48b8..................01..ffd0",
	  "31c064488b00482d........0f1f4400000f1f440000", true }, /* mold */
	{ R_X86_64_TLSDESC_CALL, 0, "ff10", "6690" },
};

/*
 * The same in x32, by GNU ld and gold. lld 19 writes the 64-bit form, which is
 * a byte too long.
 */
static const struct rewrite x32_rewrites[] = {
	{ R_X86_64_TLSGD, 3, "488d3d........666648e8........",
	  "648b042500000000488d80........", true },
	{ R_X86_64_TLSGD, 3, "488d3d........666648e8........",
	  "648b042500000000480305........" },
	{ R_X86_64_TLSGD, 3, "488d3d........6648ff15........",
	  "648b042500000000488d80........", true },
	{ R_X86_64_TLSGD, 3, "488d3d........6648ff15........",
	  "648b042500000000480305........" },
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "0f1f4000648b042500000000", true },
	{ R_X86_64_TLSLD, 3, "488d3d........ff15........",
	  "660f1f4000648b042500000000", true },
	{ R_X86_64_TLSDESC_CALL, 0, "67ff10", "0f1f00" },
};

/*
 * GNU ld subtracts what it loads, from the same register. gold and lld add what
 * they load from %ebx, since a call through the PLT needs the GOT there.
 */
static const struct rewrite i386_rewrites[] = {
	{ R_386_GOT32X, 2, "ffar........", "e9........90" },
	{ R_386_GOT32X, 2, "ffar........", "90e9........" },
	{ R_386_GOT32X, 2, "ff25........", "e9........90" },
	{ R_386_GOT32X, 2, "ff25........", "90e9........" },
	{ R_386_TLS_GD, 3, "8d041d........e8........",
	  "65a1000000000383........" },
	{ R_386_TLS_GD, 3, "8d041d........e8........",
	  "65a10000000081e8........", true },
	{ R_386_TLS_GD, 3, "8d041d........e8........",
	  "65a10000000081c0........", true }, /* mold */
	{ R_386_TLS_GD, 3, "8d041d........e8........",
	  "65a1000000002b83........" },
	{ R_386_TLS_GD, 2, "8d8r........e8........90",
	  "65a1000000000383........" },
	{ R_386_TLS_GD, 2, "8d8r........e8........90",
	  "65a10000000081e8........", true },
	{ R_386_TLS_GD, 2, "8d8r........e8........90",
	  "65a10000000081c0........", true }, /* mold */
	{ R_386_TLS_GD, 2, "8d8r........e8........90",
	  "65a1000000002b8r........" },
	{ R_386_TLS_GD, 2, "8d8r........ff9r........",
	  "65a1000000000383........" },
	{ R_386_TLS_GD, 2, "8d8r........ff9r........",
	  "65a10000000081e8........", true },
	{ R_386_TLS_GD, 2, "8d8r........ff9r........",
	  "65a10000000081c0........", true }, /* mold */
	{ R_386_TLS_GD, 2, "8d8r........ff9r........",
	  "65a1000000002b8r........" },
	/* GNU ld, if other code uses foo@gotntpoff alone */
	{ R_386_TLS_GD, 2, "8d8r........ff9r........",
	  "65a100000000038r........" },
	{ R_386_TLS_LDM, 2, "8d8r........ff9r........",
	  "65a1000000008db600000000", true },
	{ R_386_TLS_LDM, 2, "8d8r........ff9r........",
	  "65a1000000002d........90", true }, /* mold */
	{ R_386_TLS_LDM, 2, "8d8r........e8........", "65a100000000908d742600",
	  true },
	{ R_386_TLS_LDM, 2, "8d8r........e8........", "65a1000000002d........",
	  true }, /* mold */
	{ R_386_TLS_GOTDESC, 2, "8d8r", "8d05" },
	{ R_386_TLS_GOTDESC, 2, "8d83", "8b83" },
	{ R_386_TLS_DESC_CALL, 0, "ff10", "6690" },
	{ R_386_TLS_DESC_CALL, 0, "ff10", "f7d8" },
	{ R_386_TLS_IE, 1, "a1", "b8" },
};

#define NO_REGISTER 16u

/* Sets *BASE to the base register, unless it is one already. */
static bool matches_digit(char c, unsigned nibble, unsigned *base)
{
	static const char digits[] = "0123456789abcdef";

	if (c != 'r')
		return c == '.' || c == digits[nibble];
	if (*base == NO_REGISTER)
		*base = nibble;
	return nibble == *base && nibble < 8 && nibble != 4;
}

static bool matches(const char *pattern, const uint8_t *bytes, unsigned *base)
{
	for (size_t i = 0; pattern[i] != '\0'; i++)
		if (!matches_digit(pattern[i],
				   i % 2 == 0 ? bytes[i / 2] >> 4
					      : bytes[i / 2] & 15,
				   base))
			return false;
	return true;
}

static bool rewrite_fits(const struct rewrite *rw, const uint8_t *before,
			 const uint8_t *after, size_t size,
			 const struct reloc *r, struct byte_range *range)
{
	uint64_t start = r->offset - rw->back;
	unsigned base = NO_REGISTER;

	if (rw->type != r->type || r->offset < rw->back)
		return false;
	if (size - start < strlen(rw->before) / 2 ||
	    !matches(rw->before, before + start, &base) ||
	    !matches(rw->after, after + start, &base))
		return false;
	range->start = start;
	range->end = start + strlen(rw->before) / 2;
	return true;
}

/*
 * Is the byte behind a call an instruction of its own, nop or int3? Else it
 * would be part of what follows, which may be a site.
 */
static bool is_whole(uint8_t byte)
{
	return byte == 0x90 || byte == 0xcc;
}

/* Is the byte before a call a prefix that the call ignores, or a NOP? */
static bool is_ignored(bool is_i386, uint8_t byte)
{
	static const uint8_t ignored[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64,
					   0x65, 0x67, 0x90, 0xf2, 0xf3 };

	return memchr(ignored, byte, sizeof(ignored)) != NULL ||
	       (!is_i386 && (byte & 0xf0) == 0x40);
}

/*
 * A call through the GOT that became direct is one byte shorter. It is filled
 * with 0x67 in front, a NOP, or the byte of GNU ld's option -z
 * call-nop=prefix-NUMBER, suffix-NUMBER.
 */
static bool call_fits(bool is_i386, const uint8_t *before, const uint8_t *after,
		      size_t size, const struct reloc *r,
		      struct byte_range *range)
{
	uint32_t type = is_i386 ? R_386_GOT32X : R_X86_64_GOTPCRELX;
	uint64_t start = r->offset - 2;
	bool is_based;

	if (r->type != type || r->offset < 2 || size - start < 6)
		return false;
	before += start;
	after += start;
	is_based = is_i386 && (before[1] & 0xf8) == 0x90 && before[1] != 0x94;
	if (before[0] != 0xff || (before[1] != 0x15 && !is_based))
		return false;
	*range = (struct byte_range){ start, start + 6 };
	return (after[0] == 0xe8 && is_whole(after[5])) ||
	       (is_ignored(is_i386, after[0]) && after[1] == 0xe8);
}

/*
 * Loads of a GOT entry that become the address or the value. The register stays
 * the same, but it moves in ModRM from reg to rm, and in the prefix from R to
 * B, if it is the only operand.
 */
enum { TO_LEA = 1, TO_IMMEDIATE = 2, TO_LEA_OF_ITSELF = 4, TO_MOV = 8 };

/* The last two are of APX. The values are their lengths. */
enum prefix { NO_PREFIX = 0, REX = 1, REX2 = 2, EVEX = 4 };

struct load {
	uint32_t type;
	enum prefix prefix;
	unsigned to;
};

static const struct load x86_64_loads[] = {
	{ R_X86_64_GOTPCRELX, NO_PREFIX, TO_LEA | TO_IMMEDIATE },
	{ R_X86_64_REX_GOTPCRELX, REX, TO_LEA | TO_IMMEDIATE },
	{ R_X86_64_GOTPCREL, REX, TO_LEA },
	{ R_X86_64_GOTPCREL, NO_PREFIX, TO_LEA },
	{ R_X86_64_GOTTPOFF, REX, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
	{ R_X86_64_GOTPC32_TLSDESC, REX, TO_IMMEDIATE | TO_MOV },
	{ R_X86_64_CODE_4_GOTPCRELX, REX2, TO_LEA | TO_IMMEDIATE },
	{ R_X86_64_CODE_4_GOTTPOFF, REX2, TO_IMMEDIATE },
	{ R_X86_64_CODE_4_GOTPC32_TLSDESC, REX2, TO_IMMEDIATE | TO_MOV },
	{ R_X86_64_CODE_6_GOTTPOFF, EVEX, TO_IMMEDIATE },
};

static const struct load i386_loads[] = {
	{ R_386_GOT32X, NO_PREFIX, TO_LEA | TO_IMMEDIATE },
	{ R_386_GOT32, NO_PREFIX, TO_LEA },
	{ R_386_TLS_IE_32, NO_PREFIX, TO_IMMEDIATE },
	{ R_386_TLS_IE, NO_PREFIX, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
	{ R_386_TLS_GOTIE, NO_PREFIX, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
};

enum { REX_B = 1, REX_R = 4, REX_W = 8 };

/* In the second byte of REX2: REX_R and REX_B, each with a fifth bit. */
enum { REX2_B = 0x11, REX2_R = 0x44, REX2_MAP = 0x80 };

/* In the second byte of EVEX in the legacy map, 4: all but B4 are inverted. */
enum { EVEX_R3 = 0x80, EVEX_B3 = 0x20, EVEX_R4 = 0x10, EVEX_B4 = 0x08 };

/* mov, lea, test and arithmetic instructions, with an immediate operand. */
static bool is_immediate_form(const uint8_t *before, const uint8_t *after)
{
	uint8_t reg = before[1] >> 3 & 7;

	if (before[0] == 0x8b || before[0] == 0x8d)
		return after[0] == 0xc7 && after[1] == (0xc0 | reg);
	if (before[0] == 0x85)
		return after[0] == 0xf7 && after[1] == (0xc0 | reg);
	return (before[0] & 0xc7) == 0x03 && after[0] == 0x81 &&
	       after[1] == (0xc0 | (before[0] & 0x38) | reg);
}

/* add in both directions, with the sum in a third register. */
static bool is_evex_form(const uint8_t *before, const uint8_t *after)
{
	return (before[0] == 0x01 || before[0] == 0x03) && after[0] == 0x81 &&
	       after[1] == (0xc0 | (before[1] >> 3 & 7));
}

static bool is_prefix(enum prefix prefix, const uint8_t *p)
{
	switch (prefix) {
	case NO_PREFIX:
		return true;
	case REX:
		return (p[0] & 0xf0) == 0x40;
	case REX2:
		return p[0] == 0xd5 && (p[1] & REX2_MAP) == 0;
	case EVEX:
		return p[0] == 0x62 && (p[1] & 7) == 4;
	}
	return false;
}

/* What the prefix byte with R and B becomes. */
static uint8_t move_register(enum prefix prefix, const uint8_t *p)
{
	switch (prefix) {
	case NO_PREFIX:
		break;
	case REX:
		return (p[0] & ~(REX_R | REX_B)) | (p[0] & REX_R ? REX_B : 0);
	case REX2:
		return (p[1] & ~(REX2_R | REX2_B)) | (p[1] & REX2_R) >> 2;
	case EVEX:
		return (p[1] & ~(EVEX_B3 | EVEX_B4)) | EVEX_R3 | EVEX_R4 |
		       (p[1] & EVEX_R3 ? EVEX_B3 : 0) |
		       (p[1] & EVEX_R4 ? 0 : EVEX_B4);
	}
	return 0;
}

/* Is the prefix AFTER that of BEFORE, with the register moved? */
static bool is_moved(enum prefix prefix, const uint8_t *before,
		     const uint8_t *after)
{
	uint8_t moved = move_register(prefix, before);
	unsigned at = prefix == REX2 || prefix == EVEX;

	if (prefix == NO_PREFIX)
		return true;
	return after[at] == moved && memcmp(before, after, at) == 0 &&
	       memcmp(before + at + 1, after + at + 1, prefix - at - 1) == 0;
}

/*
 * GNU ld makes a move of 32 bits of one of 64, but not of an offset, which may
 * be negative.
 */
static bool is_narrowed(uint32_t type, const uint8_t *before,
			const uint8_t *after)
{
	return type == R_X86_64_REX_GOTPCRELX && before[1] == 0x8b &&
	       after[0] == (move_register(REX, before) & ~REX_W);
}

/* The number of bytes that LOAD explains, or 0 if it does not fit. */
static size_t load_length(const struct load *load, const uint8_t *before,
			  const uint8_t *after)
{
	enum prefix prefix = load->prefix;
	const uint8_t *op = before + prefix, *new_op = after + prefix;
	uint8_t reg = op[1] >> 3 & 7;
	bool is_same = memcmp(before, after, prefix) == 0 && op[1] == new_op[1];

	if (!is_prefix(prefix, before))
		return 0;
	if ((load->to & TO_LEA) && op[0] == 0x8b && new_op[0] == 0x8d &&
	    is_same)
		return prefix + 1;
	if ((load->to & TO_MOV) && op[0] == 0x8d && new_op[0] == 0x8b &&
	    is_same)
		return prefix + 1;
	if (prefix == EVEX)
		return is_evex_form(op, new_op) &&
				       is_moved(prefix, before, after)
			       ? prefix + 2
			       : 0;
	if ((load->to & TO_IMMEDIATE) &&
	    (op[0] == 0x8d) == ((load->to & TO_MOV) != 0) &&
	    is_immediate_form(op, new_op) &&
	    (is_moved(prefix, before, after) ||
	     is_narrowed(load->type, before, after)))
		return prefix + 2;
	/* %rsp and %r12 would take a byte more. */
	if ((load->to & TO_LEA_OF_ITSELF) && op[0] == 0x03 && reg != 4 &&
	    new_op[0] == 0x8d && new_op[1] == (0x80 | reg << 3 | reg) &&
	    (prefix == NO_PREFIX ||
	     after[0] == (before[0] | (before[0] & REX_R ? REX_B : 0))))
		return prefix + 2;
	return 0;
}

static bool load_fits(const struct load *load, const uint8_t *before,
		      const uint8_t *after, const struct reloc *r,
		      struct byte_range *range)
{
	uint64_t start = r->offset - load->prefix - 2;
	size_t length;

	if (load->type != r->type || r->offset < load->prefix + 2u)
		return false;
	length = load_length(load, before + start, after + start);
	*range = (struct byte_range){ start, start + length };
	return length > 0;
}

/* The N rows of TABLE, tried one after the other. */
static bool any_fits(const struct rewrite *table, size_t n,
		     const uint8_t *before, const uint8_t *after, size_t size,
		     const struct reloc *r, struct byte_range *range)
{
	for (size_t i = 0; i < n; i++)
		if (rewrite_fits(&table[i], before, after, size, r, range))
			return true;
	return false;
}

#define ANY_FITS(table) \
	any_fits(table, sizeof(table) / sizeof((table)[0]), before, after, \
		 size, r, range)

bool x86_is_rewrite(const struct arch *arch, const uint8_t *before,
		    const uint8_t *after, size_t size, const struct reloc *r,
		    struct byte_range *range)
{
	bool is_i386 = arch->machine == EM_386;
	const struct load *loads = is_i386 ? i386_loads : x86_64_loads;
	size_t nloads = is_i386 ? sizeof(i386_loads) / sizeof(*loads)
				: sizeof(x86_64_loads) / sizeof(*loads);

	if (call_fits(is_i386, before, after, size, r, range))
		return true;
	if (is_i386 ? ANY_FITS(i386_rewrites) : ANY_FITS(x86_64_rewrites))
		return true;
	if (!is_i386 && !arch->is_64 && ANY_FITS(x32_rewrites))
		return true;
	for (size_t i = 0; i < nloads; i++)
		if (load_fits(&loads[i], before, after, r, range))
			return true;
	return false;
}

/* The lea of a TLS descriptor, by its opcode. That of i386 stays one. */
static unsigned lea_models(bool is_i386, const uint8_t *before,
			   const uint8_t *after)
{
	unsigned kept = is_i386 && before[1] != after[1] ? 0 : TLS_KEPT;

	switch (after[0]) {
	case 0x8d:
		return kept | (is_i386 && after[1] == 0x05 ? TLS_LOCAL : 0);
	case 0x8b:
		return TLS_INITIAL;
	default:
		return TLS_LOCAL;
	}
}

/* The call: neg is for an offset of the opposite sign. */
static unsigned call_models(const uint8_t *before, const uint8_t *after)
{
	if (memcmp(before, after, 2) == 0)
		return TLS_KEPT;
	return after[0] == 0xf7 ? TLS_INITIAL : TLS_INITIAL | TLS_LOCAL;
}

/* Which model does the instruction have now, of those that is_rewrite knows? */
static unsigned local_models(const struct rewrite *table, size_t n,
			     const struct code *before, const uint8_t *after,
			     const struct reloc *r)
{
	struct byte_range range;

	for (size_t i = 0; i < n; i++)
		if (table[i].is_local &&
		    rewrite_fits(&table[i], before->bytes, after, before->size,
				 r, &range))
			return TLS_LOCAL;
	return 0;
}

#define LOCAL_MODELS(table) \
	local_models(table, sizeof(table) / sizeof((table)[0]), before, \
		     code_became(before, after, 0), r)

/* The same of initial exec, which has another opcode then. */
static unsigned initial_models(bool is_i386, uint32_t type,
			       const uint8_t *before, const uint8_t *after)
{
	bool is_initial = is_i386 ? type == R_386_TLS_IE ||
					    type == R_386_TLS_GOTIE ||
					    type == R_386_TLS_IE_32
				  : type == R_X86_64_GOTTPOFF ||
					    type == R_X86_64_CODE_4_GOTTPOFF ||
					    type == R_X86_64_CODE_6_GOTTPOFF;

	if (!is_initial)
		return 0;
	/* mov of an absolute address to %eax has no ModRM byte. */
	if (type == R_386_TLS_IE && is_i386 && before[1] == 0xa1)
		return after[1] == 0xa1 ? 0 : TLS_LOCAL;
	return before[0] == after[0] ? 0 : TLS_LOCAL;
}

/* Did a load from the GOT become an instruction with an immediate operand? */
static bool has_address(bool is_i386, uint32_t type, const uint8_t *before,
			const uint8_t *after)
{
	bool is_load = is_i386 ? type == R_386_GOT32X
			       : type == R_X86_64_GOTPCRELX ||
					 type == R_X86_64_REX_GOTPCRELX ||
					 type == R_X86_64_CODE_4_GOTPCRELX;

	return is_load && before[0] != after[0] && after[1] >= 0xc0 &&
	       (after[0] == 0xc7 || after[0] == 0x81 || after[0] == 0xf7);
}

/* Only an access by descriptor is two instructions in two places. */
bool x86_judge_part(const struct arch *arch, const struct reloc *relocs,
		    size_t n, const struct code *before,
		    const struct code *after, struct rewrite_part *part)
{
	const struct reloc *r = &relocs[0];
	const uint8_t *from = before->bytes + r->offset;
	const uint8_t *to = code_became(before, after, r->offset);
	bool is_i386 = arch->machine == EM_386;
	uint32_t lea = is_i386 ? R_386_TLS_GOTDESC : R_X86_64_GOTPC32_TLSDESC;
	uint32_t call = is_i386 ? R_386_TLS_DESC_CALL : R_X86_64_TLSDESC_CALL;

	(void)n;
	*part = (struct rewrite_part){ .symndx = r->symndx };
	if (r->offset < 2 || r->offset > before->size ||
	    before->size - r->offset < 2)
		return true;
	part->kind = 1;
	if (r->type == lea ||
	    (!is_i386 && r->type == R_X86_64_CODE_4_GOTPC32_TLSDESC)) {
		part->ways = lea_models(is_i386, from - 2, to - 2);
		return true;
	}
	if (r->type == call) {
		part->ways = call_models(from, to);
		return true;
	}
	part->kind = 0;
	part->ways = initial_models(is_i386, r->type, from - 2, to - 2) |
		     (is_i386 ? LOCAL_MODELS(i386_rewrites)
			      : LOCAL_MODELS(x86_64_rewrites));
	if (part->ways == 0 && arch->machine == EM_X86_64 && !arch->is_64)
		part->ways = LOCAL_MODELS(x32_rewrites);
	part->is_address = has_address(is_i386, r->type, from - 2, to - 2);
	return true;
}

/* The largest instruction in the tables of loads. */
#define LOAD_MAX 10

static unsigned table_reach(const struct rewrite *table, size_t n,
			    uint32_t type)
{
	size_t reach = 0;

	for (size_t i = 0; i < n; i++)
		if (table[i].type == type &&
		    strlen(table[i].before) / 2 > reach)
			reach = strlen(table[i].before) / 2;
	return reach;
}

#define TABLE_REACH(table) \
	table_reach(table, sizeof(table) / sizeof((table)[0]), type)

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

unsigned x86_rewrite_reach(const struct arch *arch, uint32_t type)
{
	bool is_i386 = arch->machine == EM_386;
	const struct load *loads = is_i386 ? i386_loads : x86_64_loads;
	size_t nloads = is_i386 ? sizeof(i386_loads) / sizeof(*loads)
				: sizeof(x86_64_loads) / sizeof(*loads);
	unsigned reach = is_i386 ? TABLE_REACH(i386_rewrites)
				 : larger(TABLE_REACH(x86_64_rewrites),
					  TABLE_REACH(x32_rewrites));

	for (size_t i = 0; i < nloads; i++)
		if (loads[i].type == type)
			reach = larger(reach, LOAD_MAX);
	return reach;
}
