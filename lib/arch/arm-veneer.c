/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What linkers put between a branch and its target: veneers of a dozen forms
 * (too far, the other encoding, position-independent, for each architecture
 * since ARMv4T) and PLT entries. This does not list them: it runs their few
 * instructions on ip, r0, r1 and two words of stack, and finds where they go if
 * they changed only ip.
 */
#include <config.h>

#include "reloc.h"
#include "arm.h"

enum { R0 = 0, R1 = 1, IP = 12, PC = 15 };

/* More instructions than any veneer has. */
#define STEPS_MAX 12

struct value {
	bool is_known; /* else it is the caller's value of the register REG */
	uint32_t number; /* if it is known */
	uint8_t reg;
};

enum outcome { GOES_ON, ARRIVES, LOADS, FAILS };

struct machine {
	const struct arch *arch;
	const struct code *code;
	uint32_t start;
	uint32_t pc; /* address of the instruction */
	uint8_t mode;
	struct value r0, r1, ip;
	struct value stack[2];
	unsigned depth;	   /* words on the stack */
	uint32_t length;   /* of the bytes that count, so far */
	bool has_switched; /* from Thumb to ARM */
	uint32_t target;   /* if it arrives: a pointer; if it loads: a slot */
};

static const uint8_t *bytes_at(const struct machine *m, uint32_t addr,
			       unsigned n)
{
	uint64_t offset = (uint32_t)(addr - (uint32_t)m->code->addr);

	if (offset > m->code->size || m->code->size - offset < n)
		return NULL;
	return m->code->bytes + offset;
}

/* The veneer reaches at least to END. */
static void cover(struct machine *m, uint32_t end)
{
	uint32_t length = end - m->start;

	if ((int32_t)length > (int32_t)m->length)
		m->length = length;
}

static struct value known(uint32_t number)
{
	return (struct value){ true, number, 0 };
}

static struct value original(uint8_t reg)
{
	return (struct value){ false, 0, reg };
}

/* A word of the veneer's own. */
static bool load(struct machine *m, uint32_t addr, uint32_t *word)
{
	const uint8_t *bytes = bytes_at(m, addr, 4);

	if (bytes == NULL || addr % 4 != 0)
		return false;
	cover(m, addr + 4);
	*word = arch_insn(m->arch, bytes);
	return true;
}

/* Leaves the veneer. All registers but ip must have the caller's values. */
static enum outcome leave(struct machine *m, uint32_t target,
			  enum outcome outcome)
{
	bool is_clean = m->depth == 0 && !m->r0.is_known && m->r0.reg == R0 &&
			!m->r1.is_known && m->r1.reg == R1;

	m->target = target;
	return is_clean ? outcome : FAILS;
}

/* Goes to POINTER, whose bit 0 is the mode, as bx does. */
static enum outcome arrive(struct machine *m, uint32_t pointer)
{
	return leave(m, pointer, ARRIVES);
}

static enum outcome set_ip(struct machine *m, uint32_t number)
{
	m->ip = known(number);
	return GOES_ON;
}

/* The value that register REG, ip or the PC, has for an instruction. */
static bool read(const struct machine *m, unsigned reg, uint32_t *number)
{
	*number = reg == PC ? m->pc + (m->mode == ARM ? 8 : 4) : m->ip.number;
	return reg == PC || (reg == IP && m->ip.is_known);
}

static uint32_t rotated(uint32_t insn)
{
	uint32_t imm = insn & 0xff;
	unsigned by = insn >> 7 & 30;

	return by ? imm >> by | imm << (32 - by) : imm;
}

/* --- ARM --------------------------------------------------------------- */

/* ldr ip or pc, from the veneer's own bytes; or pc from another place. */
static enum outcome arm_load(struct machine *m, uint32_t insn)
{
	unsigned reg = insn >> 12 & 15, base = insn >> 16 & 15;
	uint32_t addr, word;

	if (!read(m, base, &addr))
		return FAILS;
	addr += insn & 1u << 23 ? insn & 0xfff : -(insn & 0xfff);
	if (base == IP && reg == PC)
		return leave(m, addr, LOADS);
	if (base != PC || (insn & 1u << 21) || !load(m, addr, &word))
		return FAILS;
	return reg == IP   ? set_ip(m, word)
	       : reg == PC ? arrive(m, word)
			   : FAILS;
}

/* add to ip or pc: of ip and the PC, or of one of them and a constant. */
static enum outcome arm_add(struct machine *m, uint32_t insn)
{
	unsigned reg = insn >> 12 & 15;
	uint32_t a, b = rotated(insn);

	if (!read(m, insn >> 16 & 15, &a) ||
	    (!(insn & 1u << 25) &&
	     ((insn & 0xff0) != 0 || !read(m, insn & 15, &b))))
		return FAILS;
	return reg == IP   ? set_ip(m, a + b)
	       : reg == PC ? arrive(m, a + b)
			   : FAILS;
}

static enum outcome step_arm(struct machine *m)
{
	const uint8_t *bytes = bytes_at(m, m->pc, 4);
	uint32_t insn, number;

	if (bytes == NULL || m->pc % 4 != 0)
		return FAILS;
	insn = arch_insn(m->arch, bytes);
	cover(m, m->pc + 4);
	if ((insn & 0xff500000) == 0xe5100000)
		return arm_load(m, insn);
	if ((insn & 0xfdf00000) == 0xe0800000)
		return arm_add(m, insn);
	if ((insn & 0xfff0f000) == 0xe300c000) /* movw ip */
		return set_ip(m, insn_bits(insn, 16, 4, 12) | (insn & 0xfff));
	if ((insn & 0xfff0f000) == 0xe340c000 && m->ip.is_known) /* movt ip */
		return set_ip(m, (m->ip.number & 0xffff) |
					 insn_bits(insn, 16, 4, 28) |
					 (insn & 0xfff) << 16);
	if (insn == 0xe12fff1c && read(m, IP, &number)) /* bx ip */
		return arrive(m, number);
	/* A plain jump is not a veneer, unless it follows a change of mode. */
	if (insn >> 24 == 0xea && m->has_switched)
		return arrive(m, m->pc + arm_branch_distance(insn));
	return FAILS;
}

/* --- Thumb ------------------------------------------------------------- */

static uint32_t imm16(uint32_t insn)
{
	return insn_bits(insn, 16, 4, 12) | insn_bits(insn, 26, 1, 11) |
	       insn_bits(insn, 12, 3, 8) | (insn & 0xff);
}

static enum outcome step_wide(struct machine *m, uint32_t insn)
{
	uint32_t addr = (m->pc + 4) & ~3u, word;
	unsigned reg = insn >> 12 & 15;

	if ((insn & 0xfbf08f00) == 0xf2400c00) /* movw ip */
		return set_ip(m, imm16(insn));
	if ((insn & 0xfbf08f00) == 0xf2c00c00 && m->ip.is_known) /* movt ip */
		return set_ip(m, (m->ip.number & 0xffff) | imm16(insn) << 16);
	if ((insn & 0xff7f0000) == 0xf85f0000) { /* ldr.w from here */
		addr += insn & 1u << 23 ? insn & 0xfff : -(insn & 0xfff);
		if (!load(m, addr, &word))
			return FAILS;
		return reg == IP   ? set_ip(m, word)
		       : reg == PC ? arrive(m, word)
				   : FAILS;
	}
	if ((insn & 0xfffff000) == 0xf8dcf000 && m->ip.is_known) /* [ip] */
		return leave(m, m->ip.number + (insn & 0xfff), LOADS);
	return FAILS;
}

/* In ARMv6-M, only low registers can be added to and loaded. */
static enum outcome step_r0(struct machine *m, uint32_t insn)
{
	uint32_t word;

	if (m->depth == 0) /* it would be lost */
		return FAILS;
	switch (insn >> 8) {
	case 0x48: /* ldr r0 */
		if (!load(m, ((m->pc + 4) & ~3u) + (insn & 0xff) * 4, &word))
			return FAILS;
		m->r0 = known(word);
		return GOES_ON;
	case 0x20: /* movs r0 */
		m->r0 = known(insn & 0xff);
		return GOES_ON;
	case 0x30: /* adds r0 */
		m->r0.number += insn & 0xff;
		return m->r0.is_known ? GOES_ON : FAILS;
	case 0x02: /* lsls r0,r0,#8 */
		m->r0.number <<= 8;
		return m->r0.is_known && insn == 0x0200 ? GOES_ON : FAILS;
	default:
		return FAILS;
	}
}

static enum outcome push(struct machine *m, unsigned n)
{
	if (m->depth != 0)
		return FAILS;
	m->stack[0] = m->r0;
	m->stack[1] = m->r1;
	m->depth = n;
	return GOES_ON;
}

/* pop {r0}, or {r0,pc}, of everything on the stack */
static enum outcome pop(struct machine *m, unsigned n)
{
	if (m->depth != n)
		return FAILS;
	m->depth = 0;
	m->r0 = m->stack[0];
	if (n == 1)
		return GOES_ON;
	return m->stack[1].is_known ? arrive(m, m->stack[1].number) : FAILS;
}

/* Goes on to the word a halfword behind this instruction of one halfword. */
static enum outcome switch_to_arm(struct machine *m)
{
	m->mode = ARM;
	m->has_switched = true;
	m->pc += 2;
	return m->pc % 4 == 2 ? GOES_ON : FAILS;
}

static enum outcome step_narrow(struct machine *m, uint32_t insn)
{
	const uint8_t *next;
	uint32_t number;

	switch (insn) {
	case 0x46c0: /* nop */
	case 0xbf00:
		return GOES_ON;
	case 0x4778: /* bx pc, over a halfword */
		return switch_to_arm(m);
	case 0x4760: /* bx ip */
		return m->ip.is_known ? arrive(m, m->ip.number) : FAILS;
	case 0x44fc: /* add ip,pc */
		read(m, PC, &number);
		return m->ip.is_known ? set_ip(m, m->ip.number + number)
				      : FAILS;
	case 0x44e7: /* add pc,ip */
		read(m, PC, &number);
		return m->ip.is_known ? arrive(m, (m->ip.number + number) | 1)
				      : FAILS;
	case 0x4684: /* mov ip,r0 */
		return m->r0.is_known ? set_ip(m, m->r0.number) : FAILS;
	case 0x46fc: /* mov ip,pc, maybe with bx ip: goes on to the word
		      * behind it. */
		read(m, PC, &number);
		set_ip(m, number);
		next = bytes_at(m, m->pc + 2, 2);
		return next != NULL && thumb_half(m->arch, next) == 0x4760
			       ? switch_to_arm(m)
			       : GOES_ON;
	case 0x4484: /* add ip,r0 */
		return m->ip.is_known && m->r0.is_known
			       ? set_ip(m, m->ip.number + m->r0.number)
			       : FAILS;
	case 0xb401: /* push {r0} */
		return push(m, 1);
	case 0xb403: /* push {r0,r1} */
		return push(m, 2);
	case 0x9001: /* str r0,[sp,#4] */
		m->stack[1] = m->r0;
		return m->depth == 2 ? GOES_ON : FAILS;
	case 0xbc01:
		return pop(m, 1);
	case 0xbd01:
		return pop(m, 2);
	default:
		return step_r0(m, insn);
	}
}

static enum outcome step_thumb(struct machine *m, unsigned *length)
{
	const uint8_t *bytes = bytes_at(m, m->pc, 2);
	uint32_t half;

	*length = 2;
	if (bytes == NULL || m->pc % 2 != 0)
		return FAILS;
	half = thumb_half(m->arch, bytes);
	if (thumb_is_wide(half)) {
		*length = 4;
		bytes = bytes_at(m, m->pc, 4);
		if (bytes == NULL)
			return FAILS;
	}
	cover(m, m->pc + *length);
	return *length == 4 ? step_wide(m, thumb_insn(m->arch, bytes))
			    : step_narrow(m, half);
}

/* --- Both -------------------------------------------------------------- */

static enum outcome run(const struct arch *arch, const struct code *code,
			uint64_t offset, struct machine *m)
{
	enum outcome outcome = GOES_ON;
	uint8_t mode = code_mode(code, offset);

	/* This is called for every byte of an image: most end here. */
	if ((mode != ARM && mode != THUMB) ||
	    (code->addr + offset) % (mode == ARM ? 4 : 2) != 0)
		return FAILS;
	*m = (struct machine){
		.arch = arch,
		.code = code,
		.start = code->addr + offset,
		.pc = code->addr + offset,
		.mode = mode,
		.r0 = original(R0),
		.r1 = original(R1),
		.ip = original(IP),
	};
	for (int i = 0; i < STEPS_MAX && outcome == GOES_ON; i++) {
		unsigned length = 4;

		outcome = m->mode == ARM ? step_arm(m) : step_thumb(m, &length);
		m->pc += length;
	}
	return outcome;
}

bool arm_decode_plt(const struct arch *arch, const struct code *code,
		    uint64_t offset, uint64_t got, uint64_t *slot)
{
	struct machine m;

	(void)got;
	if (run(arch, code, offset, &m) != LOADS)
		return false;
	*slot = m.target;
	return true;
}

unsigned arm_decode_veneer(const struct arch *arch, const struct code *code,
			   uint64_t offset, uint64_t got, uint64_t *target)
{
	struct machine m;

	(void)got;
	if (run(arch, code, offset, &m) != ARRIVES)
		return 0;
	*target = m.target;
	return m.length;
}
