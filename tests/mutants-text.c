/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damages text and symbols. */
#include <config.h>

#include <elf.h>
#include <string.h>

#include "mutants.h"

/* --- Text
 * -------------------------------------------------------------------------------
 */

/*
 * What linkers change around a relocated field: bytes before and behind it. Of
 * the plain ones of x86, it is known to be nothing; elsewhere, the field is
 * taken for the whole instruction.
 */
static uint64_t reach(const struct lab *lab, unsigned type)
{
	switch (lab->final.machine) {
	case EM_386:
		return type <= 2 || type == 4 ? 0 : 12;
	case EM_X86_64:
		return type == 2 || type == 4 || type == 10 || type == 11 ? 0
									  : 12;
	case EM_PPC64: /* an instruction with a prefix has eight bytes */
		return 4;
	default:
		return 0;
	}
}

/*
 * The immediates of LoongArch's instructions that a relocation of TYPE fills,
 * in this word and the next: "ELF for the LoongArch Architecture", Relocations.
 * A type that is not here fills none.
 */
static uint64_t loongarch_field(unsigned type)
{
	switch (type) {
	case 64: /* B16 */
		return 0x03fffc00;
	case 65: /* B21 */
		return 0x03fffc1f;
	case 66: /* B26 */
		return 0x03ffffff;
	case 71: /* PCALA_HI20 */
	case 75: /* GOT_PC_HI20 */
		return 0x01ffffe0;
	case 72: /* PCALA_LO12 */
	case 76: /* GOT_PC_LO12 */
		return 0x003ffc00;
	case 110: /* CALL36: pcaddu18i, and jirl behind it */
		return UINT64_C(0x03fffc00) << 32 | 0x01ffffe0;
	default:
		return 0;
	}
}

/* Which bits of the byte OFFSET of TEXT the final link writes for R. */
static uint8_t written_for(const struct lab *lab, const struct relocation *r,
			   uint64_t offset)
{
	uint64_t n = reach(lab, r->type), k = offset - r->offset;

	if (lab->final.machine == EM_LOONGARCH)
		return k < 8 ? loongarch_field(r->type) >> 8 * k : 0;
	return k + n < 4 + 2 * n ? 0xff : 0;
}

/* Which it writes for somebody else. */
static uint8_t others_bits(const struct lab *lab, const struct text *text,
			   uint64_t offset)
{
	uint8_t bits = 0;

	for (size_t i = 0; i < text->nrelocs; i++)
		if (!is_probe(text->relocs[i].symbol))
			bits |= written_for(lab, &text->relocs[i], offset);
	return bits;
}

/* Each byte of the instruction at each site. */
static void flip_sites(struct lab *lab)
{
	struct kind kind = { .name = "sites" };

	for (size_t i = 0; i < lab->nsites; i++) {
		uint64_t addr = lab->sites[i].addr;
		size_t at = file_offset(&lab->final, addr);
		uint8_t bytes[8];
		unsigned n;

		memcpy(bytes, lab->final.bytes + at, sizeof(bytes));
		n = aim_branch(&lab->final, bytes, addr, addr);
		for (unsigned k = 0; k < 8 * n; k++) {
			lab->work[at + k / 8] ^= 1 << k % 8;
			try(lab, &kind, NULL);
		}
	}
	finish(lab, &kind, NULL);
}

/* With --text=sites, only the bytes of sites must be the same. */
static bool is_free(const struct lab *lab, uint64_t addr)
{
	for (size_t i = 0; i < lab->nsites; i++) {
		uint64_t site = lab->sites[i].addr;
		uint8_t bytes[8];

		memcpy(bytes,
		       lab->final.bytes + file_offset(&lab->final, site),
		       sizeof(bytes));
		if (addr - site <
		    aim_branch(&lab->final, bytes, site, site))
			return false;
	}
	return lab->options.text == TEXT_SITES;
}

/* Where text relaxes, only functions and their sites are compared. */
static void flip_text(struct lab *lab)
{
	static const uint8_t flips[] = { 0x01, 0x10, 0x80, 0xff };
	struct kind kind = { .name = "text" };

	for (size_t i = 0; i < lab->ntexts; i++) {
		const struct text *text = &lab->texts[i];
		size_t at = file_offset(&lab->final, text->addr);

		for (uint64_t k = 0; k < text->size && !text->relaxes; k++) {
			uint8_t bits = others_bits(lab, text, k);

			for (size_t f = 0; f < sizeof(flips); f++) {
				lab->work[at + k] ^= flips[f];
				try(lab, &kind,
				    (flips[f] & ~bits) == 0 ||
						    is_free(lab, text->addr + k)
					    ? "field"
					    : NULL);
			}
		}
	}
	finish(lab, &kind,
	       lab->options.text == TEXT_SITES
		       ? "no site, or a field relocated against another symbol"
		       : "a field that is relocated against another symbol");
}

/* The length of the instruction at P, ADDR, where it begins with that. */
static unsigned told_length(const struct elf *elf, const uint8_t *p,
			    uint64_t addr)
{
	switch (elf->machine) {
	case EM_RISCV:
		return (*p & 3) == 3 ? 4 : 2;
	case EM_S390:
		return *p < 0x40 ? 2 : *p < 0xc0 ? 4 : 6;
	case EM_LOONGARCH:
		return 4;
	case EM_ARM:
		return !is_thumb(elf, addr) || p[1] >= 0xe8 ? 4 : 2;
	default:
		return 0;
	}
}

/* Without the bit that means Thumb. */
static uint64_t code_addr(const struct elf *elf, const struct symbol_row *sym)
{
	return elf->machine == EM_ARM ? sym->value & ~UINT64_C(1) : sym->value;
}

static bool has_site(const struct lab *lab, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < lab->nsites; i++)
		if (lab->sites[i].addr >= start && lab->sites[i].addr < end)
			return true;
	return false;
}

/*
 * The bits of INSN that no linker writes: all but the immediates of the formats
 * that relocations fill, whether this one is relocated or not.
 */
static uint32_t loongarch_fixed(uint32_t insn)
{
	uint32_t op = insn >> 26;

	if (op >= 0x10 && op <= 0x12) /* beqz, bnez, bceqz: 1RI21 */
		return ~UINT32_C(0x03fffc1f);
	if (op == 0x14 || op == 0x15) /* b, bl: I26 */
		return ~UINT32_C(0x03ffffff);
	if (op == 0x13 || (op >= 0x16 && op <= 0x1b)) /* jirl, beq...: 2RI16 */
		return ~UINT32_C(0x03fffc00);
	if (op >= 0x05 && op <= 0x07) /* lu12i.w, pcaddi...: 1RI20 */
		return ~UINT32_C(0x01ffffe0);
	if (op == 0x00 && insn >> 22 >= 0x08) /* addi.d, ori...: 2RI12 */
		return ~UINT32_C(0x003ffc00);
	if (op == 0x0a || op == 0x0b) /* loads and stores: 2RI12 */
		return ~UINT32_C(0x003ffc00);
	return ~UINT32_C(0);
}

static uint32_t riscv_fixed(uint32_t insn)
{
	switch (insn & 0x7f) {
	case 0x17: /* auipc, lui, jal: U and J */
	case 0x37:
	case 0x6f:
		return 0xfff;
	case 0x23: /* stores, branches: S and B */
	case 0x27:
	case 0x63:
		return 0x01fff07f;
	case 0x03: /* loads, addi, jalr: I */
	case 0x07:
	case 0x13:
	case 0x1b:
	case 0x67:
		return 0xfffff;
	default:
		return ~UINT32_C(0);
	}
}

/* Compressed: c.jal, c.j, c.beqz, c.bnez, c.lui. */
static uint32_t riscv_fixed_half(uint32_t insn)
{
	switch (insn & 0xe003) {
	case 0x2001: /* with 64 bits it is c.addiw */
	case 0xa001:
		return 0xe003;
	case 0xc001:
	case 0xe001:
		return 0xe383;
	case 0x6001:
		return 0xef83;
	default:
		return 0xffff;
	}
}

static uint32_t little_word(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t fixed_bits(const struct elf *elf, const uint8_t *p)
{
	uint32_t insn = little_word(p);

	if (elf->machine == EM_LOONGARCH)
		return loongarch_fixed(insn);
	return (*p & 3) == 3 ? riscv_fixed(insn) : riscv_fixed_half(insn);
}

/*
 * Does the instruction at P count from gp, or from zero? RISC-V's linkers put
 * those into loads, stores and addi: RISC-V psABI, Linker Relaxation Types.
 */
static bool has_new_base(const struct elf *elf, const uint8_t *p)
{
	uint32_t insn = little_word(p), base = insn >> 15 & 0x1f;

	switch (insn & 0x7f) {
	case 0x03:
	case 0x07:
	case 0x13:
	case 0x23:
	case 0x27:
		return elf->machine == EM_RISCV && (base == 3 || base == 0);
	default:
		return false;
	}
}

/*
 * Each instruction of the function SYM up to its last site. What is behind that
 * may be something else, as not all linkers shorten its size.
 */
static void flip_function(struct lab *lab, struct kind *kind,
			  const struct symbol_row *sym)
{
	uint64_t end = sym->value + sym->size, n;

	for (uint64_t addr = sym->value; has_site(lab, addr, end); addr += n) {
		size_t at = file_offset(&lab->final, addr);
		const uint8_t *good = lab->final.bytes + at;
		uint32_t bits = fixed_bits(&lab->final, good);

		n = told_length(&lab->final, good, addr);
		for (int bit = 0; bit < 32; bit++)
			if (bits >> bit & 1) {
				lab->work[at + bit / 8] ^= 1 << bit % 8;
				try(lab, kind,
				    bit >= 15 && bit < 20 &&
						    has_new_base(&lab->final,
								 lab->work + at)
					    ? "base"
					    : NULL);
			}
	}
}

/* Where text relaxes, what of it is a field is not known. */
static void flip_opcodes(struct lab *lab)
{
	struct kind kind = { .name = "opcodes" };
	bool relaxes = false;

	for (size_t i = 0; i < lab->ntexts; i++)
		relaxes |= lab->texts[i].relaxes;
	if (!relaxes)
		return;
	for (size_t i = 1; i < lab->final.nsymbols; i++)
		if (lab->final.symbols[i].type == STT_FUNC &&
		    !is_probe(lab->final.symbols[i].name))
			flip_function(lab, &kind, &lab->final.symbols[i]);
	finish(lab, &kind, "a base that the linker may have put there");
}

/* Each site's branch goes to each other stub. */
static void retarget(struct lab *lab)
{
	struct kind kind = { .name = "retarget" };

	for (size_t i = 0; i < lab->nsites; i++) {
		uint64_t addr = lab->sites[i].addr;
		size_t at = file_offset(&lab->final, addr);

		for (size_t s = 0; s < lab->nstubs; s++) {
			aim_branch(&lab->final, lab->work + at, addr,
				   lab->stubs[s]->value);
			try(lab, &kind, NULL);
		}
	}
	finish(lab, &kind, NULL);
}

/* The form of each site becomes that of each other, to the same stub. */
static void reshape(struct lab *lab)
{
	struct kind kind = { .name = "reshape" };

	for (size_t i = 0; i < lab->nsites; i++)
		for (size_t k = 0; k < lab->nsites; k++) {
			uint64_t addr = lab->sites[i].addr;
			size_t at = file_offset(&lab->final, addr);
			size_t from =
				file_offset(&lab->final, lab->sites[k].addr);
			const struct symbol_row *stub =
				find_symbol(&lab->final, lab->sites[i].stub);
			uint8_t bytes[8];
			unsigned n;

			memcpy(bytes, lab->final.bytes + from, sizeof(bytes));
			n = stub == NULL ? 0
					 : aim_branch(&lab->final, bytes, addr,
						      stub->value);
			memcpy(lab->work + at, bytes, n);
			try(lab, &kind, NULL);
		}
	finish(lab, &kind, NULL);
}

/*
 * Is ADDR in a field that is relocated against another symbol? Then it is the
 * inside of an instruction.
 */
static bool is_inside(const struct lab *lab, uint64_t addr)
{
	for (size_t i = 0; i < lab->ntexts; i++)
		if (!lab->texts[i].relaxes && addr >= lab->texts[i].addr &&
		    addr - lab->texts[i].addr < lab->texts[i].size)
			return others_bits(lab, &lab->texts[i],
					   addr - lab->texts[i].addr) == 0xff;
	return false;
}

/* Is the code at A ARM's, and that at B Thumb's, or the other way round? */
static bool is_other_mode(const struct lab *lab, uint64_t a, uint64_t b)
{
	const char *x = mark_at(&lab->final, a);
	const char *y = mark_at(&lab->final, b);

	return (strncmp(x, "$a", 2) == 0 && strncmp(y, "$t", 2) == 0) ||
	       (strncmp(x, "$t", 2) == 0 && strncmp(y, "$a", 2) == 0);
}

/* Does the code of a function, from its start, run over ADDR? */
static bool is_run_over(const struct lab *lab, uint64_t addr)
{
	const struct elf *final = &lab->final;

	for (size_t i = 1; i < final->nsymbols; i++) {
		const struct symbol_row *sym = &final->symbols[i];
		uint64_t at = code_addr(final, sym), length = 1;

		if (sym->type != STT_FUNC || addr < at ||
		    addr - at >= sym->size)
			continue;
		for (; at < addr && length > 0; at += length)
			length = told_length(
				final, lab->work + file_offset(final, at), at);
		return at > addr;
	}
	return false;
}

/* A branch to a stub, as that of site I, at each place of the section SEC. */
static void insert_at(struct lab *lab, struct kind *kind,
		      const struct shdr *sec, const struct site_row *site)
{
	size_t from = file_offset(&lab->final, site->addr);
	uint8_t bytes[8];
	unsigned n;

	for (uint64_t k = 0; k + sizeof(bytes) <= sec->size;
	     k += insn_step(&lab->final)) {
		uint64_t addr = sec->addr + k;

		memcpy(bytes, lab->final.bytes + from, sizeof(bytes));
		n = aim_branch(&lab->final, bytes, addr,
			       lab->stubs[k % lab->nstubs]->value);
		memcpy(lab->work + sec->offset + k, bytes, n);
		try(lab, kind,
		    is_inside(lab, addr) || is_run_over(lab, addr) ||
				    is_other_mode(lab, addr, site->addr)
			    ? "inside"
			    : NULL);
	}
}

static void insert(struct lab *lab)
{
	struct kind kind = { .name = "insert" };

	for (size_t i = 1; i < lab->final.nsections; i++) {
		const struct shdr *sec = &lab->final.sections[i];

		/* A site in the middle has another form than the first. */
		if ((sec->flags & SHF_EXECINSTR) && sec->type != SHT_NOBITS)
			for (size_t k = 0; k < lab->nsites;
			     k += 1 + lab->nsites / 3)
				insert_at(lab, &kind, sec, &lab->sites[k]);
	}
	finish(lab, &kind,
	       "inside an instruction, in such a field, or among others");
}

/* Re-aims the branches of the sites in [START, END), now by DELTA elsewhere. */
static void aim_again(struct lab *lab, uint64_t start, uint64_t end,
		      int64_t delta)
{
	for (size_t i = 0; i < lab->nsites; i++) {
		uint64_t addr = lab->sites[i].addr;
		const struct symbol_row *stub =
			find_symbol(&lab->final, lab->sites[i].stub);
		size_t at = file_offset(&lab->final, addr + delta);

		if (addr >= start && addr < end && stub != NULL && at != 0)
			aim_branch(&lab->final, lab->work + at, addr + delta,
				   stub->value);
	}
}

/*
 * A function moves by its alignment and the table does not know: its bytes
 * alone, then its symbol as well, then its branches reach their stubs, too.
 */
static void shift(struct lab *lab, struct kind *kind,
		  const struct symbol_row *sym, int64_t delta)
{
	uint64_t addr = code_addr(&lab->final, sym);
	size_t to = file_offset(&lab->final, addr + delta);
	size_t last = file_offset(&lab->final, addr + delta + sym->size - 1);
	size_t from = file_offset(&lab->final, addr);

	if (to == 0 || last != to + sym->size - 1)
		return;
	for (int what = 0; what < 3; what++) {
		/* What it leaves behind is not code. */
		memset(lab->work + from, 0, sym->size);
		memcpy(lab->work + to, lab->final.bytes + from, sym->size);
		if (what > 0)
			set_symbol(lab, sym, sym->value + delta);
		if (what > 1)
			aim_again(lab, addr, addr + sym->size, delta);
		try(lab, kind, NULL);
	}
}

static void shift_functions(struct lab *lab)
{
	static const int deltas[] = { 4, 16, 32 };
	struct kind kind = { .name = "shift" };

	for (size_t i = 1; i < lab->final.nsymbols; i++) {
		const struct symbol_row *sym = &lab->final.symbols[i];

		if (sym->type != STT_FUNC || sym->shndx == SHN_UNDEF ||
		    sym->size == 0 ||
		    !has_site(lab, code_addr(&lab->final, sym),
			      sym->value + sym->size))
			continue;
		for (size_t k = 0; k < sizeof(deltas) / sizeof(int); k++) {
			shift(lab, &kind, sym, deltas[k]);
			shift(lab, &kind, sym, -deltas[k]);
		}
	}
	finish(lab, &kind, NULL);
}

void change_text(struct lab *lab)
{
	flip_sites(lab);
	flip_text(lab);
	flip_opcodes(lab);
	if (lab->nstubs > 0)
		insert(lab);
	retarget(lab);
	reshape(lab);
	shift_functions(lab);
}

/* --- Symbols
 * ------------------------------------------------------------------------------
 */

/* All branches to stub B go to stub A instead. */
static void redirect(struct lab *lab, size_t a, size_t b)
{
	for (size_t i = 0; i < lab->nsites; i++)
		if (strcmp(lab->sites[i].stub, lab->stubs[b]->name) == 0)
			aim_branch(&lab->final,
				   lab->work + file_offset(&lab->final,
							   lab->sites[i].addr),
				   lab->sites[i].addr, lab->stubs[a]->value);
}

static void fold(struct lab *lab, const struct table_copy *good)
{
	static struct table_copy t;
	struct kind kind = { .name = "fold" };

	for (size_t a = 0; a < lab->nstubs; a++)
		for (size_t b = 0; b < lab->nstubs; b++) {
			set_symbol(lab, lab->stubs[b], lab->stubs[a]->value);
			try(lab, &kind, NULL);
			if (good == NULL)
				continue;
			t = *good;
			for (size_t i = 0; i < t.counts[2]; i++)
				if (t.records[2][i][0] ==
				    (uint32_t)lab->stubs[b]->value)
					t.records[2][i][0] =
						lab->stubs[a]->value;
			write_table(lab, &t);
			set_symbol(lab, lab->stubs[b], lab->stubs[a]->value);
			redirect(lab, a, b);
			try(lab, &kind, NULL);
		}
	finish(lab, &kind, NULL);
}

/* The symbols that the proof relies on: stubs, table, global functions. */
static void move_symbols(struct lab *lab)
{
	struct kind kind = { .name = "symbols" };

	for (size_t i = 1; i < lab->final.nsymbols; i++) {
		const struct symbol_row *sym = &lab->final.symbols[i];
		bool counts = strcmp(sym->name, "sdt_table") == 0;

		for (size_t k = 0; k < lab->nstubs; k++)
			counts |= sym == lab->stubs[k];
		for (size_t k = 0; k < lab->ntexts; k++)
			counts |= sym->bind == STB_GLOBAL &&
				  (!lab->texts[k].relaxes ||
				   has_site(lab, sym->value,
					    sym->value + sym->size)) &&
				  sym->value >= lab->texts[k].addr &&
				  sym->value - lab->texts[k].addr <
					  lab->texts[k].size &&
				  find_symbol(&lab->partial, sym->name);
		for (int bit = 0; counts && bit < 32; bit++) {
			set_symbol(lab, sym, sym->value ^ UINT64_C(1) << bit);
			/* ARM: not part of the address, but Thumb. */
			try(lab, &kind,
			    bit == 0 && lab->final.machine == EM_ARM ? "Thumb"
								     : NULL);
			/* Another descriptor, or none. */
			if (sym->descriptor_at == 0)
				continue;
			lab->work[sym->descriptor_at + 7 - bit / 8] ^=
				1 << bit % 8;
			try(lab, &kind, NULL);
		}
	}
	finish(lab, &kind, "bit 0 of a function of ARM");
}

void change_symbols(struct lab *lab, const struct table_copy *good)
{
	fold(lab, good);
	move_symbols(lab);
}
