/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instruction sets share. */
#include <config.h>

#include <string.h>

#include "reloc.h"
#include "arch.h"
#include "insn.h"

void arch_each_reference(
	const struct arch *arch, const struct code *code, uint64_t low,
	uint64_t high,
	void (*branch)(void *ctx, uint64_t offset, const struct branch *branch),
	void (*operand)(void *ctx, uint64_t offset, uint64_t target), void *ctx)
{
	if (arch->each_both != NULL) {
		arch->each_both(arch, code, low, high, branch, operand, ctx);
		return;
	}
	arch->each_branch(arch, code, low, high, branch, ctx);
	if (arch->each_operand != NULL)
		arch->each_operand(arch, code, low, high, operand, ctx);
}

void arch_each_word_branch(const struct arch *arch, const struct code *code,
			   uint64_t low, uint64_t high,
			   void (*found)(void *ctx, uint64_t offset,
					 const struct branch *branch),
			   void *ctx)
{
	struct branch branch = { 0 };

	for (uint64_t i = -code->addr & 3; i + 4 <= code->size; i += 4)
		if (arch->decode_branch(arch, code, i, &branch) &&
		    branch.target >= low && branch.target <= high)
			found(ctx, i, &branch);
}

/* The most bytes of an instruction before its displacement. */
#define OPCODE_MAX 4

bool arch_decode_at_field(const struct arch *arch, const struct code *code,
			  uint64_t field, struct branch *branch)
{
	for (unsigned back = 0; back <= OPCODE_MAX && back <= field; back++)
		if (arch->decode_branch(arch, code, field - back, branch) &&
		    branch->field == back)
			return true;
	return false;
}

/*
 * If control reaches the last word at all, it runs: its start does not matter.
 */
uint64_t arch_find_word_end(const struct code *code, uint64_t start,
			    uint64_t end, uint32_t (*read)(const uint8_t *p),
			    enum insn_flow (*flow)(uint32_t insn))
{
	enum insn_flow last = FLOW_FILLER;

	if (end > code->size || (code->addr + end) % 4 != 0)
		return NO_END;
	while (last == FLOW_FILLER && end >= start + 4) {
		last = flow(read(code->bytes + end - 4));
		end -= last == FLOW_FILLER ? 4 : 0;
	}
	return last == FLOW_AWAY ? end : NO_END;
}

/* Is it the return that a disabled tail call becomes, if no hook says so? */
static bool is_return(const struct arch *arch, const struct code *code,
		      uint64_t offset)
{
	uint8_t bytes[DISABLED_MAX];

	return arch->find_end == NULL &&
	       arch->disable(arch, FORM_TAIL, false, code, offset, bytes) ==
		       4 &&
	       memcmp(code->bytes + offset, bytes, 4) == 0;
}

bool arch_step(const struct arch *arch, const struct code *code,
	       uint64_t offset, struct step *step)
{
	struct branch branch = { 0 };

	if (arch->step != NULL)
		return arch->step(arch, code, offset, step);
	if (offset > code->size || code->size - offset < 4)
		return false;
	*step = (struct step){ .length = 4, .goes_on = true };
	step->has_target = arch->decode_branch(arch, code, offset, &branch);
	step->target = branch.target;
	step->is_call = step->has_target && branch.form == FORM_CALL;
	if (step->has_target)
		step->goes_on = branch.form != FORM_TAIL;
	else if (arch->find_end == NULL)
		step->goes_on = !is_return(arch, code, offset);
	else
		step->goes_on = arch->find_end(arch, code, offset,
					       offset + 4 + arch->delay_slot) ==
				NO_END;
	if (!step->goes_on)
		step->length += arch->delay_slot;
	return step->length <= code->size - offset;
}

uint64_t arch_straight_end(const struct arch *arch, const struct code *code,
			   uint64_t start, uint64_t end)
{
	struct step step = { .goes_on = true };

	if (end > code->size)
		end = code->size;
	while (step.goes_on && start < end) {
		if (!arch_step(arch, code, start, &step))
			return end;
		start += step.length;
	}
	return step.goes_on || start > end ? end : start;
}

static bool is_store_site(const struct arch *arch, enum site_form form,
			  bool is_enabled, uint8_t mode)
{
	static const uint8_t forms[] = {
		[FORM_CALL] = STORE_CALL,
		[FORM_TAIL] = STORE_TAIL,
		[FORM_COND] = STORE_COND,
		[FORM_BRANCH] = STORE_BRANCH,
	};

	return (mode & arch->mode_bits) == 0 &&
	       (arch->store_sites &
		(is_enabled ? STORE_ENABLED : forms[form])) != 0;
}

bool arch_reloc_may_branch(const struct arch *arch, uint32_t type)
{
	return arch->step == NULL || arch->relax != NULL ||
	       arch->reloc_lead != NULL || arch_reloc_bias(arch, type) != 0;
}

bool arch_reloc_has_slot(const struct arch *arch, uint32_t type)
{
	return arch_reloc_is_known(arch, type) &&
	       strstr(arch->relocs[type].name, "GOT") != NULL;
}

/* As all psABIs name them: R_X86_64_64, R_PPC64_UADDR64, R_SPARC_UA64. */
bool arch_reloc_is_address(const struct arch *arch, uint32_t type)
{
	static const char *const ends[] = { "_64",    "_32",	"_32S",
					    "ADDR64", "ADDR32", "ABS64",
					    "ABS32",  "_UA64",	"_UA32" };
	const char *name = arch_reloc_name(arch, type);
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (length > n && strcmp(name + length - n, ends[i]) == 0)
			return true;
	}
	return false;
}

bool arch_reloc_is_tls(const struct arch *arch, uint32_t type)
{
	const char *name = arch_reloc_name(arch, type);

	return strstr(name, "TLS") != NULL || strstr(name, "TPOFF") != NULL ||
	       strstr(name, "TPREL") != NULL || strstr(name, "DTPMOD") != NULL;
}

/* Both psABIs with such types name them R_RISCV_ADD32, R_LARCH_SUB64. */
bool arch_reloc_subtracts(const struct arch *arch, uint32_t add, uint32_t sub,
			  unsigned width)
{
	const char *names[2] = { width == 8 ? "_ADD64" : "_ADD32",
				 width == 8 ? "_SUB64" : "_SUB32" };

	return strstr(arch_reloc_name(arch, add), names[0]) != NULL &&
	       strstr(arch_reloc_name(arch, sub), names[1]) != NULL;
}

int64_t arch_reloc_addend(const struct arch *arch, const uint8_t *bytes,
			  size_t size, bool is_rela, const struct reloc *r)
{
	unsigned width = arch_reloc_width(arch, r->type);
	uint64_t word = 0;

	if (is_rela || width == 0 || width > 8 || r->offset > size ||
	    size - r->offset < width)
		return r->addend;
	bytes += r->offset;
	for (unsigned i = 0; i < width; i++)
		word |= (uint64_t)bytes[arch->is_big_endian ? width - 1 - i : i]
			<< 8 * i;
	if (width < 8 && word >> (8 * width - 1) != 0)
		word |= ~UINT64_C(0) << 8 * width;
	return (int64_t)word;
}

int64_t arch_reloc_lead(const struct arch *arch, const uint8_t *bytes,
			size_t size, bool is_text, bool is_rela,
			const struct reloc *r, uint64_t *step)
{
	unsigned width = arch_reloc_width(arch, r->type);
	bool is_inside = r->offset <= size && size - r->offset >= width;

	*step = 0;
	/* A type that sets no bits refers to an instruction, too. */
	if (is_text && arch->reloc_lead != NULL && is_inside &&
	    (width > 0 || size - r->offset >= 4))
		return arch->reloc_lead(arch, bytes + r->offset, r, step);
	/* Unsigned: an addend may be any number. */
	return (uint64_t)arch_reloc_addend(arch, bytes, size, is_rela, r) +
	       (is_text ? arch_reloc_bias(arch, r->type) : 0);
}

bool arch_one_store(const struct arch *arch, enum site_form form,
		    bool is_enabled, uint8_t mode, uint64_t addr,
		    unsigned length)
{
	return is_store_site(arch, form, is_enabled, mode) && length > 0 &&
	       addr % arch->store_width + length <= arch->store_width;
}

bool arch_one_store_is_known(const struct arch *arch, enum site_form form,
			     bool is_enabled, uint8_t mode, uint64_t align,
			     unsigned length)
{
	return !is_store_site(arch, form, is_enabled, mode) ||
	       (align != 0 &&
		(length > arch->store_width || align % arch->store_width == 0));
}

const char *arch_reloc_name(const struct arch *arch, uint32_t type)
{
	if (!arch_reloc_is_known(arch, type))
		return "of unknown type";
	return arch->relocs[type].name;
}
