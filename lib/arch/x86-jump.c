/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which x86 instructions can run elsewhere, and where control goes from them:
 * Intel SDM, volume 2, appendix A. An instruction in doubt stays.
 */
#include <config.h>

#include <string.h>

#include "jump.h"
#include "x86.h"

#define JUMP_LENGTH 5 /* e9 rel32 */

/* Behind 0f. */
static const char *stays_0f(const uint8_t *p, size_t n)
{
	uint8_t modrm = n > 2 ? p[2] : 0;

	if (n < 2)
		return "unknown";
	if (p[1] >= 0x80 && p[1] < 0x90)
		return "a conditional jump";
	switch (p[1]) {
	case 0x05:
	case 0x07:
	case 0x34:
	case 0x35:
		return "a system call or its return";
	case 0x0b:
	case 0xb9:
	case 0xff:
		return "a trap";
	case 0xaa:
		return "a return from system management";
	case 0x37:
		return "getsec";
	case 0x01: /* vmcall to vmxoff, encls; vmfunc, xend; SVM; enclu */
		if ((modrm >= 0xc0 && modrm < 0xc8) || modrm == 0xcf ||
		    modrm == 0xd4 || modrm == 0xd5 || modrm == 0xd7 ||
		    (modrm >= 0xd8 && modrm < 0xe0) ||
		    (modrm >= 0xe8 && modrm < 0xf0) || modrm == 0xf8)
			return "a change of the machine's state";
		return NULL;
	case 0xb2: /* lss */
		return "a load of the stack segment";
	default:
		return NULL;
	}
}

/* Why the instruction P, of N bytes without prefixes, must stay. */
static const char *stays(const uint8_t *p, size_t n, bool is_64)
{
	unsigned reg = n > 1 ? p[1] >> 3 & 7 : 0;

	if ((p[0] >= 0x70 && p[0] < 0x80) || (p[0] >= 0xe0 && p[0] < 0xe4))
		return "a conditional jump";
	if (p[0] >= 0xd8 && p[0] < 0xe0)
		return "an instruction of the x87, which keeps its address";
	switch (p[0]) {
	case 0x0f:
		return stays_0f(p, n);
	case 0x17:
		return is_64 ? NULL : "a load of the stack segment";
	case 0x62:
		return !is_64 && n > 1 && p[1] < 0xc0 ? "a trap" : NULL;
	case 0x8e:
		return reg == 2 ? "a load of the stack segment" : NULL;
	case 0x9a:
	case 0xe8:
		return "a call";
	case 0xe9:
	case 0xea:
	case 0xeb:
		return "a jump";
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
		return "a return";
	case 0xc6: /* xabort */
	case 0xc7: /* xbegin */
		return n > 1 && p[1] == 0xf8 ? "a transaction" : NULL;
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xd6:
	case 0xf1:
		return "a trap";
	case 0xf4:
		return "hlt";
	case 0xfb: /* what is behind it still runs without interrupts */
		return "sti";
	case 0xff:
		return reg == 2 || reg == 3   ? "a call"
		       : reg == 4 || reg == 5 ? "a jump"
					      : NULL;
	default:
		return NULL;
	}
}

/* Why the instruction at P must stay. */
static const char *stays_at(const uint8_t *p, const struct x86_insn *parts,
			    bool is_64)
{
	size_t n = parts->length - parts->opcode;

	if (parts->is_jmpabs)
		return "a jump";
	return parts->is_rex2_0f ? stays_0f(p + parts->opcode - 1, n + 1)
				 : stays(p + parts->opcode, n, is_64);
}

/*
 * Is it a branch relative to its end, with a displacement of one byte or more?
 */
static bool is_short(const uint8_t *p)
{
	return (p[0] & 0xf0) == 0x70 || (p[0] & 0xfc) == 0xe0 || p[0] == 0xeb;
}

static bool is_near(const uint8_t *p, size_t n)
{
	return p[0] == 0xe8 || p[0] == 0xe9 ||
	       (n > 1 && ((p[0] == 0x0f && (p[1] & 0xf0) == 0x80) ||
			  (p[0] == 0xc7 && p[1] == 0xf8)));
}

/* Sets the target of such a branch, of N bytes at P, which ends at END. */
static void set_target(const uint8_t *p, size_t n, uint64_t end,
		       struct jump_insn *insn)
{
	insn->has_target = true;
	insn->target = end +
		       (is_short(p) ? (int8_t)p[1] : x86_read_s32(p + n - 4));
	insn->is_call = p[0] == 0xe8;
}

static bool is_indirect_jump(const uint8_t *p, size_t n)
{
	unsigned reg = n > 1 ? p[1] >> 3 & 7 : 0;

	return p[0] == 0xff && (reg == 4 || reg == 5);
}

/* Where does it take its target from? */
static void set_way(const uint8_t *p, size_t n, bool is_64, uint64_t end,
		    struct jump_insn *insn)
{
	unsigned mod = p[1] >> 6, rm = p[1] & 7;

	insn->way = WAY_UNKNOWN;
	if ((p[1] >> 3 & 7) != 4 || mod != 0)
		return;
	if (rm == 5 && n == 6) {
		insn->way = WAY_SLOT;
		insn->slot = is_64 ? end + x86_read_s32(p + 2)
				   : (uint32_t)x86_read_s32(p + 2);
	} else if (rm == 4 && n == 7 && (p[2] & 7) == 5 &&
		   p[2] >> 6 == (is_64 ? 3 : 2)) {
		insn->way = WAY_TABLE;
		insn->slot = is_64 ? (uint64_t)(int64_t)x86_read_s32(p + 3)
				   : (uint32_t)x86_read_s32(p + 3);
	}
}

static bool x86_jump_decode(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t offset,
			    struct jump_insn *insn)
{
	bool is_64 = x86_is_long_mode(arch);
	const uint8_t *p = code->bytes + offset;
	bool has_66 = false, has_67 = false;
	struct x86_insn parts;
	uint64_t end;
	size_t n;

	(void)start;
	*insn = (struct jump_insn){ 0 };
	if (!x86_insn_parse(p, code->size - offset, is_64, &parts) ||
	    parts.length > 15)
		return false;
	insn->length = parts.length;
	end = code->addr + offset + parts.length;
	/* Behind REX2 is a byte that is no prefix. */
	for (size_t i = 0; i < parts.opcode && !(is_64 && p[i] == 0xd5); i++) {
		has_66 |= p[i] == 0x66;
		has_67 |= p[i] == 0x67;
		insn->is_unchecked |= p[i] == 0x3e;
	}
	n = parts.length - parts.opcode;
	insn->is_landing = n == 3 && parts.opcode == 1 &&
			   (memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0 ||
			    memcmp(p, "\xf3\x0f\x1e\xfb", 4) == 0);
	insn->stays = stays_at(p, &parts, is_64);
	/* FRED: eretu and erets; without the prefix, clac */
	if (n == 3 && memcmp(p + parts.opcode, "\x0f\x01\xca", 3) == 0 &&
	    parts.opcode > 0)
		insn->stays = "a return from an exception";
	if (parts.is_jmpabs) {
		insn->has_target = true;
		insn->target = x86_read_u64(p + parts.length - 8);
	} else if (!parts.is_rex2_0f && (is_short(p + parts.opcode) ||
					 is_near(p + parts.opcode, n))) {
		/* With 66, processors differ, or the address is cut. */
		if (has_66 && !(is_64 && p[parts.opcode] == 0xe8))
			return false;
		set_target(p + parts.opcode, n, end, insn);
		insn->target = x86_wrap(arch, insn->target);
	}
	if (!parts.is_rex2_0f && is_indirect_jump(p + parts.opcode, n)) {
		set_way(p + parts.opcode, n, is_64, end, insn);
		if (has_67 && insn->way != WAY_UNKNOWN)
			insn->way = WAY_UNKNOWN;
	}
	if (is_64 && parts.modrm != 0 && (p[parts.modrm] & 0xc7) == 5) {
		insn->has_operand = true;
		insn->field = parts.modrm + 1;
		insn->operand = end + x86_read_s32(p + insn->field);
		insn->is_fixable = !has_67;
	}
	return true;
}

static void x86_each_target(const struct arch *arch, const struct code *code,
			    uint64_t start, uint64_t end, bool is_far,
			    void (*found)(void *ctx, uint64_t offset,
					  uint64_t target),
			    void *ctx)
{
	for (uint64_t i = start; i < end; i++) {
		const uint8_t *p = code->bytes + i;
		size_t left = code->size - i, n = 0;
		struct jump_insn insn = { 0 };

		if (x86_is_long_mode(arch) && left >= 11 && p[0] == 0xd5 &&
		    (p[1] & 0x88) == 0 && p[2] == 0xa1) /* jmpabs */
			found(ctx, i, x86_read_u64(p + 3));
		if (is_near(p, left))
			n = p[0] == 0xe8 || p[0] == 0xe9 ? 5 : 6;
		else if (!is_far && is_short(p))
			n = 2;
		if (n == 0 || n > left)
			continue;
		set_target(p, n, code->addr + i + n, &insn);
		found(ctx, i, x86_wrap(arch, insn.target));
	}
}

/*
 * x86-64: movslq (BASE,INDEX,4),REG; add BASE,REG; jmp *REG.
 * i386: mov TABLE@GOTOFF(GOT,INDEX,4),REG; add GOT,REG; jmp *REG.
 */
static bool x86_is_table_jump(const struct arch *arch, const struct code *code,
			      const uint64_t *before, unsigned count,
			      uint64_t offset)
{
	const uint8_t *p = code->bytes + offset, *add, *load;
	unsigned reg, base;
	unsigned rex_p = 0, rex_add = 0, rex_load = 0;
	bool is_64 = x86_is_long_mode(arch);

	if (count < 2)
		return false;
	while (*p == 0x3e || *p == 0xf2)
		p++;
	if (is_64 && (*p & 0xf0) == 0x40)
		rex_p = *p++;
	if (p[0] != 0xff || (p[1] & 0xf8) != 0xe0)
		return false;
	reg = (p[1] & 7) | (rex_p & 1) << 3;
	add = code->bytes + before[0];
	load = code->bytes + before[1];
	if (is_64) {
		if ((*add & 0xf8) != 0x48 || (*load & 0xf8) != 0x48)
			return false;
		rex_add = *add++;
		rex_load = *load++;
	}
	/* add base,reg in either of its forms */
	if ((add[0] != 0x01 && add[0] != 0x03) || (add[1] & 0xc0) != 0xc0)
		return false;
	base = (add[1] >> 3 & 7) | (rex_add & 4) << 1;
	if (add[0] == 0x03) {
		if (base != reg)
			return false;
		base = (add[1] & 7) | (rex_add & 1) << 3;
	} else if (((add[1] & 7) | (rex_add & 1) << 3) != reg) {
		return false;
	}
	/* The load: a SIB byte, scale 4, the same base. */
	if (load[0] != (is_64 ? 0x63 : 0x8b) || (load[1] & 7) != 4 ||
	    load[2] >> 6 != 2)
		return false;
	if (((load[1] >> 3 & 7) | (rex_load & 4) << 1) != reg ||
	    ((load[2] & 7) | (rex_load & 1) << 3) != base)
		return false;
	if (is_64) /* no displacement, or a displacement of 0, which %rbp and
		    * %r13 need */
		return load[1] >> 6 == 0 ? (load[2] & 7) != 5
					 : load[1] >> 6 == 1 && load[3] == 0;
	return load[1] >> 6 == 2;
}

const struct jump_isa jump_isa_i386 = {
	.machine = EM_386,
	.length = JUMP_LENGTH,
	.has_ibt = true,
	.decode = x86_jump_decode,
	.each_target = x86_each_target,
	.is_table_jump = x86_is_table_jump,
};

const struct jump_isa jump_isa_x86_64 = {
	.machine = EM_X86_64,
	.length = JUMP_LENGTH,
	.has_ibt = true,
	.decode = x86_jump_decode,
	.each_target = x86_each_target,
	.is_table_jump = x86_is_table_jump,
};
