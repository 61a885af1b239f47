/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86-64, i386 and x32. x32 has the instructions and relocations of x86-64 in
 * files of i386's class.
 *
 * psABI: https://gitlab.com/x86-psABIs/x86-64-ABI and .../i386-ABI.
 * Instructions: Intel SDM volume 2, appendix A (opcode maps).
 *
 * Peculiarities: instructions start at any byte. Whether there is a branch at
 * some byte is only known if a boundary is known. The relocation is at the
 * displacement, not at the instruction. i386 uses R_386_PC32 for calls and data
 * alike, as binutils before 2.31 did on x86-64. Only the opcode tells them
 * apart. clang makes conditional tail calls, 0f 8x.
 */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "reloc.h"
#include "scan.h"
#include "insn.h"
#include "x86.h"

/* clang-format off */
#define RELOC(prefix, type, bytes) \
	[prefix##type] = { .name = #prefix #type, .width = bytes, \
			   .is_known = true }

/* In an instruction, the field is nearly always the end of it. */
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
	RELOC(R_X86_64_, TLSDESC, 16),
	RELOC(R_X86_64_, IRELATIVE, 8),
	RELOC(R_X86_64_, RELATIVE64, 8),
	RELOC(R_X86_64_, GOTPCRELX, 4),
	RELOC(R_X86_64_, REX_GOTPCRELX, 4),
	RELOC(R_X86_64_, CODE_4_GOTPCRELX, 4),
	RELOC(R_X86_64_, CODE_4_GOTTPOFF, 4),
	RELOC(R_X86_64_, CODE_4_GOTPC32_TLSDESC, 4),
	RELOC(R_X86_64_, CODE_5_GOTPCRELX, 4),
	RELOC(R_X86_64_, CODE_5_GOTTPOFF, 4),
	RELOC(R_X86_64_, CODE_5_GOTPC32_TLSDESC, 4),
	RELOC(R_X86_64_, CODE_6_GOTPCRELX, 4),
	RELOC(R_X86_64_, CODE_6_GOTTPOFF, 4),
	RELOC(R_X86_64_, CODE_6_GOTPC32_TLSDESC, 4),
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
		addend = x86_read_s32(field);
	/* The branch ends with its field, so S + A - P leads to S + A + 4. */
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
	shape->is_doubtful = arch->machine == EM_386 &&
			     x86_may_be_16_bit(text, r->offset - shape->back);
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

/* clang-format off */
/* Opcode bytes before a 32-bit field. Messages name the first one that fits. */
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
	  SCAN_REMEDY },
	{ 2, { 0xff, 0x20 }, { 0xff, 0x38 }, false, "indirect jump",
	  SCAN_REMEDY },
	{ 2, { 0x8d, 0x00 }, { 0xff, 0x00 }, false, "lea of its address",
	  NO_INDIRECT_REMEDY },
	{ 2, { 0xc7, 0x00 }, { 0xff, 0x38 }, false, "mov of its address",
	  NO_INDIRECT_REMEDY },
	{ 1, { 0xb8 }, { 0xf8 }, false, "mov of its address",
	  NO_INDIRECT_REMEDY },
	{ 1, { 0x68 }, { 0xff }, false, "push of its address",
	  SCAN_REMEDY },
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
	       type == R_X86_64_REX_GOTPCRELX ||
	       type == R_X86_64_CODE_4_GOTPCRELX || type == R_X86_64_GOT32;
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

/* The bytes of a 16-bit branch before its field, or 0 if it is not one. */
static unsigned back_in_16_bit(const struct arch *arch, const uint8_t *text,
			       size_t size, const struct reloc *r)
{
	const uint8_t *field = text + r->offset;
	struct site_shape shape = { 0 };

	if (arch->machine == EM_386 && r->type == R_386_PC16) {
		if (r->offset >= 1 && (field[-1] & 0xfe) == 0xe8)
			return 1;
		return r->offset >= 2 && field[-2] == 0x0f &&
				       (field[-1] & 0xf0) == 0x80
			       ? 2
			       : 0;
	}
	/* It must be a site but for the doubt about its mode. */
	if (!x86_find_site(arch, text, size, r, &shape) || !shape.is_doubtful)
		return 0;
	return shape.back + 1;
}

static void x86_explain_refusal(const struct arch *arch, const uint8_t *text,
				size_t size, const struct reloc *r,
				struct refusal *refusal)
{
	const uint8_t *field = text + r->offset;
	bool is_got = is_got_reloc(arch, r->type);
	unsigned back_16 = back_in_16_bit(arch, text, size, r);

	if (is_large_model(arch, r->type) && r->offset >= 2 &&
	    (field[-2] & 0xf8) == 0x48 && (field[-1] & 0xf8) == 0xb8) {
		refusal->what = "movabs of its address";
		refusal->remedy = LARGE_REMEDY;
		refusal->back = 2;
	} else if (back_16 != 0) {
		refusal->what = "branch in 16-bit code";
		refusal->remedy = "compile without -m16";
		refusal->back = back_16;
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
	if (x86_is_long_mode(arch) && refusal->back == 2 && r->offset >= 3 &&
	    field[-2] != 0xff && (field[-3] & 0xf0) == 0x40)
		refusal->back = 3;
	refusal->length += refusal->back;
}

/*
 * mov $HASH,%eax; test $HASH,%al; for is-enabled, xor %eax,%eax; ret. The bytes
 * of the hash are digits of base 96, 0x80 to 0xdf. None of them begins a
 * branch, so no byte of the stub reads as a branch to another stub.
 */
static unsigned x86_make_stub(const struct arch *arch, uint8_t mode,
			      bool is_enabled, uint32_t hash, uint8_t *bytes)
{
	unsigned n = 0;

	(void)arch;
	(void)mode;
	bytes[n++] = 0xb8;
	for (int i = 0; i < 5; i++) {
		if (i == 4)
			bytes[n++] = 0xa8;
		bytes[n++] = 0x80 + hash % 96;
		hash /= 96;
	}
	if (is_enabled) {
		bytes[n++] = 0x31;
		bytes[n++] = 0xc0;
	}
	bytes[n++] = 0xc3;
	return n;
}

/*
 * A call ignores an operand size or REX prefix, but mov does not. The byte may
 * also be the end of the instruction before. Then the site is kept for no
 * reason.
 */
static bool may_have_prefix(const struct arch *arch, const struct code *code,
			    uint64_t offset)
{
	uint8_t last = offset > 0 ? code->bytes[offset - 1] : 0;

	return last == X86_PREFIX_OPERAND ||
	       (x86_is_long_mode(arch) && (last & 0xf0) == X86_PREFIX_REX);
}

/*
 * A conditional jump cannot be switched off: if not taken it goes on, if taken
 * it returns. Nor does a single instruction return 0. i386 has no 0f 1f before
 * the P6.
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
		/* Outside long mode, it would change the operand of the NOP. */
		if (!x86_is_long_mode(arch) && offset > 0 &&
		    code->bytes[offset - 1] == X86_PREFIX_ADDRESS)
			return 0;
		memcpy(bytes,
		       is_enabled		? zero
		       : x86_is_long_mode(arch) ? nop_64
						: nop_32,
		       5);
		return 5;
	case FORM_TAIL:
		if (is_enabled || (offset > 0 && code->bytes[offset - 1] ==
							 X86_PREFIX_OPERAND))
			return 0;
		memcpy(bytes, ret, 5);
		return 5;
	case FORM_COND:
	case FORM_BRANCH:
		break;
	}
	return 0;
}

static const struct arch_scan x86_scan = {
	.find_site = x86_find_site,
	.is_foreign = x86_is_foreign,
	.explain_refusal = x86_explain_refusal,
};

/* clang-format off */
#define X86_COMMON \
	.is_big_endian = false, \
	.fill_bytes = { 0x90, 0xcc }, /* nop, int3 */ \
	.stub_align = 16, \
	.make_stub = x86_make_stub, \
	.disable = x86_disable, \
	.scan = &x86_scan, \
	.decode_branch = x86_decode_branch, \
	.each_branch = x86_each_branch, \
	.each_operand = x86_each_operand, \
	.each_both = x86_each_both, \
	.each_address = x86_each_address, \
	.find_end = x86_find_end, \
	.is_boundary = x86_is_boundary, \
	.step = x86_step, \
	.is_return = x86_is_return, \
	.chance_length = 2, \
	.padding_end = x86_padding_end, \
	.is_rewrite = x86_is_rewrite, \
	.judge_part = x86_judge_part, \
	.rewrite_reach = x86_rewrite_reach, \
	.is_redirect = x86_is_redirect, \
	.may_redirect = x86_may_redirect, \
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
	.reloc_relative = R_386_RELATIVE,
	.reloc_jump_slot = R_386_JMP_SLOT,
	.reloc_irelative = R_386_IRELATIVE,
	.uses_rela = false,
	.reloc_pc32 = R_386_PC32,
	.reloc_word = R_386_32,
	.sets_got = x86_sets_got,
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
	.reloc_relative = R_X86_64_RELATIVE,
	.reloc_jump_slot = R_X86_64_JUMP_SLOT,
	.reloc_irelative = R_X86_64_IRELATIVE,
	.uses_rela = true,
	.reloc_pc32 = R_X86_64_PC32,
	.reloc_word = R_X86_64_32,
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
	.reloc_relative = R_X86_64_RELATIVE,
	.reloc_jump_slot = R_X86_64_JUMP_SLOT,
	.reloc_irelative = R_X86_64_IRELATIVE,
	.uses_rela = true,
	.reloc_pc32 = R_X86_64_PC32,
	.reloc_word = R_X86_64_64,
	X86_COMMON,
};
