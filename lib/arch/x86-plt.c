/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PLT entries as GNU ld, gold, lld and mold write them (psABI, "Procedure
 * Linkage Table"): with endbr and bnd, with mold's slot number in a register,
 * and those of lld's -z retpolineplt, which returns to an address that it has
 * pushed.
 */
#include <config.h>

#include <string.h>

#include "x86.h"

/* That of lld 14 and 19: mov %r11,(%rsp); ret, or a call of that. */
static const uint8_t thunk_64[] = { 0x4c, 0x89, 0x1c, 0x24, 0xc3 };
static const uint8_t now_64[] = { 0xe8, 0x0b, 0x00, 0x00, 0x00, 0xf3,
				  0x90, 0x0f, 0xae, 0xe8, 0xeb, 0xf9 };
static const uint8_t thunk_32[] = { 0x89, 0x0c, 0x24, 0x8b, 0x4c,
				    0x24, 0x04, 0x89, 0x44, 0x24,
				    0x04, 0x89, 0xc8, 0x59, 0xc3 };

static bool has(const struct code *code, uint64_t offset, const void *bytes,
		size_t n)
{
	return offset < code->size && code->size - offset >= n &&
	       memcmp(code->bytes + offset, bytes, n) == 0;
}

/* Does the branch at AT lead to the thunk of -z retpolineplt? */
static bool is_to_thunk(const struct code *code, uint64_t at, bool is_64)
{
	const uint8_t *p = code->bytes + at;
	uint64_t target;

	if (code->size - at < 5 || (p[0] != 0xe8 && p[0] != 0xe9))
		return false;
	target = at + 5 + (int64_t)x86_read_s32(p + 1);
	return is_64 ? has(code, target, thunk_64, sizeof(thunk_64)) ||
			       has(code, target, now_64, sizeof(now_64))
		     : has(code, target, thunk_32, sizeof(thunk_32));
}

/* How an entry loads the slot, and whether the thunk must follow. */
struct load {
	bool is_64;
	uint8_t length;
	uint8_t bytes[3];
	bool is_from_got; /* by %ebx; else from the next instruction, or 0 */
	bool has_thunk;
};

/* clang-format off */
static const struct load loads[] = {
	{ true, 2, { 0xff, 0x25 }, false, false },	/* jmp *S(%rip) */
	{ true, 3, { 0x4c, 0x8b, 0x1d }, false, true },	/* mov S(%rip),%r11 */
	{ false, 2, { 0xff, 0x25 }, false, false },	/* jmp *S */
	{ false, 2, { 0xff, 0xa3 }, true, false },	/* jmp *S(%ebx) */
	/* push %eax; mov S(%ebx),%eax */
	{ false, 3, { 0x50, 0x8b, 0x83 }, true, true },
};
/* clang-format on */

static bool decode_load(const struct code *code, uint64_t at, bool is_64,
			uint64_t got, uint64_t *slot)
{
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		const struct load *load = &loads[i];
		uint64_t end = at + load->length + 4;

		if (load->is_64 != is_64 || end > code->size ||
		    !has(code, at, load->bytes, load->length) ||
		    (load->has_thunk && !is_to_thunk(code, end, is_64)))
			continue;
		*slot = (int64_t)x86_read_s32(code->bytes + end - 4);
		if (load->is_from_got)
			*slot += got;
		else if (is_64)
			*slot += code->addr + end;
		return true;
	}
	return false;
}

bool x86_decode_plt(const struct arch *arch, const struct code *code,
		    uint64_t offset, uint64_t got, uint64_t *slot)
{
	bool is_64 = x86_is_long_mode(arch);
	uint64_t at = offset;

	if (has(code, at, "\xf3\x0f\x1e\xfa", 4) ||
	    has(code, at, "\xf3\x0f\x1e\xfb", 4))
		at += 4; /* endbr64, endbr32 */
	if (is_64 && has(code, at, "\x41\xbb", 2))
		at += 6; /* mov $N,%r11d */
	else if (!is_64 && has(code, at, "\xb9", 1))
		at += 5; /* mov $N,%ecx */
	if (has(code, at, "\xf2", 1))
		at++; /* bnd */
	if (!decode_load(code, at, is_64, got, slot))
		return false;
	*slot = x86_wrap(arch, *slot);
	return true;
}

/*
 * The register in which the call at AT leaves its return address: the function
 * is mov (%esp),REG; ret, or pop REG follows. Sets NEXT to where code goes on.
 * -1 if it is neither.
 */
static int counter_register(const struct code *code, uint64_t at,
			    uint64_t *next)
{
	static const uint8_t load = 0x8b, rest[] = { 0x24, 0xc3 };
	const uint8_t *p = code->bytes;
	uint64_t target;

	*next = at + 5;
	if (code->size - at < 6)
		return -1;
	target = *next + (int64_t)x86_read_s32(p + at + 1);
	if (target == *next && (p[target] & 0xf8) == 0x58) {
		*next += 1;
		return p[target] & 7;
	}
	if (!has(code, target, &load, 1) || !has(code, target + 2, rest, 2) ||
	    (p[target + 1] & 0xc7) != 0x04)
		return -1;
	return p[target + 1] >> 3 & 7;
}

/* add $IMM,REG at AT: sets the immediate. */
static bool is_add(const struct code *code, uint64_t at, int reg, int32_t *imm)
{
	const uint8_t add[] = { 0x81, 0xc0 | reg }, add_eax = 0x05;
	uint64_t field = has(code, at, add, 2)			  ? at + 2
			 : reg == 0 && has(code, at, &add_eax, 1) ? at + 1
								  : at;

	if (field == at || code->size < 4 || field > code->size - 4)
		return false;
	*imm = x86_read_s32(code->bytes + field);
	return true;
}

bool x86_sets_got(const struct arch *arch, const struct code *code,
		  uint64_t offset, uint64_t *got)
{
	for (int i = 0; i < 32 && offset < code->size; i++) {
		const uint8_t *p = code->bytes + offset;
		size_t length = x86_insn_length(p, code->size - offset, false);
		uint64_t next;
		int32_t imm;
		int reg;

		if (length == 0 || *p == 0xe9 || *p == 0xeb || *p == 0xc3)
			return false;
		if (*p == 0xe8) {
			reg = counter_register(code, offset, &next);
			if (reg < 0 || !is_add(code, next, reg, &imm))
				return false;
			*got = x86_wrap(arch, code->addr + offset + 5 + imm);
			return true;
		}
		offset += length;
	}
	return false;
}
