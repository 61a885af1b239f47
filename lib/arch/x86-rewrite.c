/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed list of what linkers make of x86 instructions in place. */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "../object.h"
#include "x86.h"

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
	{ R_X86_64_TLSGD, 4, "66488d3d........666648e8........",
	  "64488b0425000000004881c0........" }, /* mold */
	{ R_X86_64_TLSGD, 4, "66488d3d........6648ff15........",
	  "64488b0425000000004881c0........" }, /* mold */
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "66666664488b042500000000" },
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "31c064488b00482d........" }, /* mold */
	{ R_X86_64_TLSLD, 3, "488d3d........ff15........",
	  "6666666664488b042500000000" },
	{ R_X86_64_TLSLD, 3, "488d3d........ff15........",
	  "31c064488b00482d........90" }, /* mold */
	{ R_X86_64_TLSDESC_CALL, 0, "ff10", "6690" },
};

/*
 * The same in x32, by GNU ld and gold. lld 19 writes that of 64 bits, which is
 * a byte too long.
 */
static const struct rewrite x32_rewrites[] = {
	{ R_X86_64_TLSGD, 3, "488d3d........666648e8........",
	  "648b042500000000488d80........" },
	{ R_X86_64_TLSGD, 3, "488d3d........666648e8........",
	  "648b042500000000480305........" },
	{ R_X86_64_TLSGD, 3, "488d3d........6648ff15........",
	  "648b042500000000488d80........" },
	{ R_X86_64_TLSGD, 3, "488d3d........6648ff15........",
	  "648b042500000000480305........" },
	{ R_X86_64_TLSLD, 3, "488d3d........e8........",
	  "0f1f4000648b042500000000" },
	{ R_X86_64_TLSLD, 3, "488d3d........ff15........",
	  "660f1f4000648b042500000000" },
	{ R_X86_64_TLSDESC_CALL, 0, "67ff10", "0f1f00" },
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
	{ R_386_TLS_GD, 3, "8d04.d........e8........",
	  "65a1000000002b8........." },
	{ R_386_TLS_GD, 2, "8d8.........e8........90",
	  "65a1000000002b8........." },
	{ R_386_TLS_GD, 2, "8d8.........ff9.........",
	  "65a10000000081e8........" },
	{ R_386_TLS_GD, 2, "8d8.........ff9.........",
	  "65a1000000002b8........." },
	{ R_386_TLS_GD, 2, "8d8.........ff9.........",
	  "65a10000000003.........." },
	{ R_386_TLS_GD, 2, "8d8.........ff9.........",
	  "65a10000000081c0........" }, /* mold */
	{ R_386_TLS_LDM, 2, "8d8.........ff9.........",
	  "65a1000000008db600000000" },
	{ R_386_TLS_LDM, 2, "8d8.........ff9.........",
	  "65a1000000002d........90" }, /* mold */
	{ R_386_TLS_LDM, 2, "8d8.........e8........",
	  "65a100000000908d742600" },
	{ R_386_TLS_LDM, 2, "8d8.........e8........",
	  "65a1000000002d........" }, /* mold */
	{ R_386_TLS_GOTDESC, 2, "8d8.", "8d05" },
	{ R_386_TLS_GOTDESC, 2, "8d83", "8b83" },
	{ R_386_TLS_DESC_CALL, 0, "ff10", "6690" },
	{ R_386_TLS_DESC_CALL, 0, "ff10", "f7d8" },
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
enum { TO_LEA = 1, TO_IMMEDIATE = 2, TO_LEA_OF_ITSELF = 4, TO_MOV = 8 };

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
	{ R_X86_64_GOTPC32_TLSDESC, true, TO_IMMEDIATE | TO_MOV },
};

static const struct load i386_loads[] = {
	{ R_386_GOT32X, false, TO_LEA | TO_IMMEDIATE },
	{ R_386_GOT32, false, TO_LEA },
	{ R_386_TLS_IE, false, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
	{ R_386_TLS_GOTIE, false, TO_IMMEDIATE | TO_LEA_OF_ITSELF },
};

enum { REX_B = 1, REX_R = 4, REX_W = 8 };

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
	if ((load->to & TO_MOV) && before[at] == 0x8d && after[at] == 0x8b &&
	    before[at + 1] == after[at + 1] && rex == new_rex)
		return at + 1;
	if ((load->to & TO_IMMEDIATE) &&
	    (before[at] == 0x8d) == ((load->to & TO_MOV) != 0) &&
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

	if (is_i386 ? ANY_FITS(i386_rewrites) : ANY_FITS(x86_64_rewrites))
		return true;
	if (!is_i386 && !arch->is_64 && ANY_FITS(x32_rewrites))
		return true;
	for (size_t i = 0; i < nloads; i++)
		if (load_fits(&loads[i], before, after, r, range))
			return true;
	return false;
}

/* Bytes of an instruction that is in the tables of loads. */
#define LOAD_MAX 8

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
