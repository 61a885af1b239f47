/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows below match the heads of the files runtime/sdt_patch_NAME.c. */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "loongarch.h"
#include "state.h"
#include "tracepoint.h"

/*
 * The bits in MASK of the first SIZE bytes, in the machine's byte order, are
 * VALUE.
 */
struct pattern {
	uint16_t machine;
	uint8_t size;
	uint8_t at; /* bytes behind the start of the site */
	uint32_t mask, value;
	uint8_t length; /* of the site; 0 for any */
};

static const struct pattern breakpoints[] = {
	{ EM_X86_64, 1, 0, 0xff, 0xcc },
	{ EM_386, 1, 0, 0xff, 0xcc },
	{ EM_AARCH64, 4, 0, 0xffe0001f, 0xd4200000 }, /* brk */
	{ EM_ARM, 4, 0, 0x0ff000f0, 0x01200070 },     /* bkpt */
	{ EM_ARM, 4, 0, 0x0ff000f0, 0x07f000f0 },     /* udf */
	{ EM_ARM, 2, 0, 0xff00, 0xbe00 },	      /* Thumb: bkpt, udf */
	{ EM_ARM, 2, 0, 0xff00, 0xde00 },
	{ EM_RISCV, 4, 0, 0xffffffff, 0xc0009073 }, /* csrw cycle,ra */
	{ EM_RISCV, 4, 0, 0xffffffff, 0xc0001073 }, /* csrw cycle,zero */
	{ EM_RISCV, 4, 0, 0xffffffff, 0x00100073 }, /* ebreak */
	{ EM_RISCV, 2, 0, 0xffff, 0x0000, 2 },
	{ EM_RISCV, 2, 0, 0xffff, 0x9002 }, /* c.ebreak */
	{ EM_PPC, 4, 0, 0xffffffff, 0x7fe00008 },
	{ EM_PPC64, 4, 0, 0xffffffff, 0x7fe00008 },
	{ EM_S390, 1, 0, 0xff, 0x00 },
	{ LA_MACHINE, 4, 0, 0xffff8000, 0x002a0000, 4 },
	{ LA_MACHINE, 4, 4, 0xffff8000, 0x002a0000, 8 },
	{ EM_MIPS, 4, 0, 0xfc00003f, 0x0000000d },
	{ EM_SPARCV9, 4, 0, 0xffffffff,
	  0x00000d75 }, /* illtrap; 0 is not code */
	{ EM_SPARCV9, 4, 0, 0xffffe000, 0x91d02000 }, /* ta */
};

/* Switched-off forms that --nop does not write. */
static const struct pattern offs[] = {
	{ EM_AARCH64, 4, 0, 0xffffffff, 0xd503201f },
	{ EM_ARM, 4, 0, 0x0fffffff, 0x0320f000 }, /* nop on a condition */
	{ EM_ARM, 4, 0, 0x0fffffff, 0x01a00000 }, /* mov r0,r0 */
	{ EM_RISCV, 4, 0, 0xffffffff, 0x00000013, 4 },
	{ EM_S390, 2, 0, 0xffff, 0xc004, 6 }, /* brcl 0, wherever to */
};

/* The same of two words, each of them whole. */
static const struct {
	uint16_t machine;
	uint32_t mask;
	uint32_t words[2];
} off_pairs[] = {
	{ EM_RISCV, 0xffffffff, { 0x0080006f, 0x00000013 } }, /* j .+8; nop */
	{ EM_RISCV, 0xffffffff, { 0x00008067, 0x00008067 } }, /* ret; ret */
	{ EM_RISCV, 0xffffffff, { 0x00000513, 0x00000013 } }, /* li a0,0 */
	/* pcaddu18i reg,0 before nop, return, and move a0,zero */
	{ LA_MACHINE, 0xffffffe0, { 0x1e000000, 0x03400000 } },
	{ LA_MACHINE, 0xffffffe0, { 0x1e000000, 0x4c000020 } },
	{ LA_MACHINE, 0xffffffe0, { 0x1e000000, 0x00150004 } },
};

/* b .+4; nop */
static const uint8_t thumb_off[] = { 0x00, 0xe0, 0xc0, 0x46 };

static uint32_t get(const struct arch *arch, const uint8_t *bytes, unsigned n)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < n; i++)
		value |= (uint32_t)bytes[i]
			 << 8 * (arch->is_big_endian ? n - 1 - i : i);
	return value;
}

static bool has_room(const struct site_view *v, uint64_t at, unsigned n)
{
	return v->memory.size - v->offset >= at + n;
}

static bool matches(const struct arch *arch, const struct site_view *v,
		    const struct pattern *list, size_t n)
{
	const uint8_t *site = v->memory.bytes + v->offset;

	for (size_t i = 0; i < n; i++)
		if (list[i].machine == arch->machine &&
		    (list[i].length == 0 || list[i].length == v->length) &&
		    has_room(v, list[i].at, list[i].size) &&
		    (get(arch, site + list[i].at, list[i].size) &
		     list[i].mask) == list[i].value)
			return true;
	return false;
}

static bool is_off_pair(const struct arch *arch, const struct site_view *v)
{
	const uint8_t *site = v->memory.bytes + v->offset;

	if (v->length != 8 || !has_room(v, 0, 8))
		return false;
	for (size_t i = 0; i < sizeof(off_pairs) / sizeof(off_pairs[0]); i++)
		if (off_pairs[i].machine == arch->machine &&
		    (get(arch, site, 4) & off_pairs[i].mask) ==
			    off_pairs[i].words[0] &&
		    get(arch, site + 4, 4) == off_pairs[i].words[1])
			return true;
	return false;
}

/* Writes what --nop would make of the site. Returns 0 if it cannot. */
static unsigned disabled(const struct arch *arch, const struct site_view *v,
			 uint8_t off[DISABLED_MAX])
{
	return arch->disable(arch, v->form, v->is_enabled, &v->image, v->offset,
			     off);
}

static bool is_off(const struct arch *arch, const struct site_view *v)
{
	const uint8_t *site = v->memory.bytes + v->offset;
	uint8_t off[DISABLED_MAX];
	unsigned n = disabled(arch, v, off);

	if (n > 0 && has_room(v, 0, n) && memcmp(site, off, n) == 0)
		return true;
	return is_off_pair(arch, v) ||
	       matches(arch, v, offs, sizeof(offs) / sizeof(offs[0])) ||
	       (arch->machine == EM_ARM && has_room(v, 0, 4) &&
		memcmp(site, thumb_off, 4) == 0);
}

static bool is_breakpoint(const struct arch *arch, const struct site_view *v)
{
	return matches(arch, v, breakpoints,
		       sizeof(breakpoints) / sizeof(breakpoints[0]));
}

/* Where the branch in CODE goes, if there is one. */
static bool branch_target(const struct arch *arch, const struct site_view *v,
			  const struct code *code, uint64_t *target)
{
	struct branch branch;

	if (arch->decode_branch(arch, code, v->offset, &branch)) {
		*target = branch.target;
		return true;
	}
	/* Of two words, only the second one branches when a probe is on. */
	if (v->length == 8 && code->size - v->offset >= 8 &&
	    arch->decode_branch(arch, code, v->offset + 4, &branch)) {
		*target = branch.target;
		return true;
	}
	return false;
}

/* The state behind a breakpoint in the first byte, as if it were written. */
static enum site_state half_state(const struct arch *arch,
				  const struct site_view *v, uint64_t *target)
{
	uint8_t bytes[DISABLED_MAX * 2], off[DISABLED_MAX];
	struct site_view whole = *v;
	unsigned n = disabled(arch, v, off);
	const uint8_t *tail = v->memory.bytes + v->offset + 1;
	const uint8_t *linked = v->image.bytes + v->offset + 1;

	if (v->length < 2 || v->length > sizeof(bytes) ||
	    !has_room(v, 0, v->length))
		return STATE_BREAKPOINT;
	if ((n == v->length && memcmp(tail, off + 1, n - 1) == 0) ||
	    memcmp(tail, linked, v->length - 1) == 0)
		return STATE_BREAKPOINT;
	/* Linux and others fill text that they discard with breakpoints. */
	if (memcmp(tail, tail - 1, v->length - 1) == 0)
		return STATE_OTHER;
	memcpy(bytes, v->memory.bytes + v->offset, v->length);
	if (arch->machine == EM_S390)
		bytes[0] = 0xc0;
	else if (v->length == 6)
		bytes[0] = 0x0f;
	else
		bytes[0] = v->form == FORM_CALL ? 0xe8 : 0xe9;
	whole.memory = (struct code){ .bytes = bytes,
				      .size = v->length,
				      .addr = v->memory.addr + v->offset };
	whole.offset = 0;
	branch_target(arch, &whole, &whole.memory, target);
	return STATE_HALF;
}

/*
 * Between off and a branch, on a host that writes byte by byte without a
 * breakpoint: the first bytes are those of one, and the rest those of the
 * other.
 */
static bool is_torn(const struct arch *arch, const struct site_view *v)
{
	const uint8_t *site = v->memory.bytes + v->offset;
	uint8_t off[DISABLED_MAX];
	unsigned n = disabled(arch, v, off);

	if ((arch->machine != EM_386 && arch->machine != EM_X86_64) || n != 5 ||
	    n != v->length || !has_room(v, 0, n))
		return false;
	return memcmp(site, off, 2) == 0 ||
	       ((site[0] == 0xe8 || site[0] == 0xe9) &&
		memcmp(site + 1, off + 1, n - 1) == 0);
}

static enum site_state jump_state(const struct arch *arch,
				  const struct site_view *v, uint64_t *target)
{
	const struct tracepoint_isa *isa =
		tracepoint_isa_at(arch, &v->memory, v->offset);
	const uint8_t *site = v->memory.bytes + v->offset;
	int64_t distance;

	if (isa == NULL || !has_room(v, 0, isa->length))
		return STATE_OTHER;
	if (tracepoint_is_own_nop(isa, arch->is_big_endian, site))
		return STATE_OFF;
	if (tracepoint_decode(isa, arch->is_big_endian, site, &distance) &&
	    distance == tracepoint_distance(isa, v->memory.addr + v->offset,
					    v->target)) {
		*target = v->target;
		return STATE_ON;
	}
	return is_breakpoint(arch, v) ? STATE_BREAKPOINT : STATE_OTHER;
}

enum site_state site_state(const struct arch *arch,
			   const struct site_view *view, uint64_t *target)
{
	const struct site_view *v = view;
	uint64_t linked;

	*target = 0;
	if (v->form == FORM_BRANCH)
		return jump_state(arch, v, target);
	if (has_room(v, 0, v->length) && v->length > 0 &&
	    memcmp(v->memory.bytes + v->offset, v->image.bytes + v->offset,
		   v->length) == 0)
		return branch_target(arch, v, &v->image, &linked) &&
				       !is_off(arch, v)
			       ? STATE_LINKED
			       : STATE_OFF;
	if (is_off(arch, v))
		return STATE_OFF;
	if (is_breakpoint(arch, v))
		return arch->machine == EM_386 || arch->machine == EM_X86_64 ||
				       arch->machine == EM_S390
			       ? half_state(arch, v, target)
			       : STATE_BREAKPOINT;
	if (is_torn(arch, v))
		return STATE_HALF;
	if (!branch_target(arch, v, &v->memory, target))
		return STATE_OTHER;
	if (*target != v->stub || v->stub == 0)
		return STATE_ON;
	*target = 0;
	return STATE_LINKED;
}
