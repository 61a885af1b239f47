/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the instruction set of a file, and names those that sdtlink does not
 * know.
 */
#include <config.h>

#include "arch.h"

#define ARCH_POINTER(name) &arch_##name,

static const struct arch *const arches[] = { ARCH_LIST(ARCH_POINTER) };

#define NARCHES (sizeof(arches) / sizeof(arches[0]))

const struct arch *arch_find(uint16_t machine, bool is_64, bool is_big_endian,
			     uint32_t flags)
{
	for (size_t i = 0; i < NARCHES; i++)
		if (arches[i]->machine == machine &&
		    arches[i]->is_64 == is_64 &&
		    arches[i]->is_big_endian == is_big_endian &&
		    (flags & arches[i]->flags_mask) == arches[i]->flags)
			return arches[i]->variant == NULL
				       ? arches[i]
				       : arches[i]->variant(arches[i], flags);
	return NULL;
}

const struct arch *arch_at(size_t i)
{
	return i < NARCHES ? arches[i] : NULL;
}

/* clang-format off */
/* By number: a host's elf.h may not have them all. */
static const struct {
	uint16_t machine;
	const char *name;
	const char *remedy_32; /* for files of 32 bits */
} machines[] = {
	{ 2, "SPARC", "compile with -m64" },
	{ 3, "Intel 80386" },
	{ 4, "Motorola 68000" },
	{ 8, "MIPS" },
	{ 15, "HP PA-RISC" },
	{ 18, "SPARC V8+", "compile with -m64" },
	{ 20, "PowerPC" },
	{ 21, "64-bit PowerPC" },
	{ 22, "IBM S/390", "compile with -m64" },
	{ 40, "ARM" },
	{ 42, "Renesas SuperH" },
	{ 43, "SPARC V9" },
	{ 50, "Intel IA-64" },
	{ 62, "x86-64" },
	{ 75, "VAX" },
	{ 83, "AVR" },
	{ 88, "Mitsubishi M32R" },
	{ 92, "OpenRISC" },
	{ 93, "ARC" },
	{ 94, "Xtensa" },
	{ 105, "MSP430" },
	{ 106, "Blackfin" },
	{ 113, "Nios II" },
	{ 140, "TI C6000" },
	{ 164, "Hexagon" },
	{ 173, "Renesas RX" },
	{ 183, "AArch64", "compile with -mabi=lp64" },
	{ 189, "MicroBlaze" },
	{ 190, "CUDA" },
	{ 191, "TILE-Gx" },
	{ 195, "ARCv2" },
	{ 224, "AMD GPU" },
	{ 243, "RISC-V" },
	{ 247, "BPF" },
	{ 252, "C-SKY" },
	{ 258, "LoongArch" },
	{ 0x9026, "Alpha" },
	{ 0xbaab, "MicroBlaze" },
};
/* clang-format on */

const char *arch_machine_name(uint16_t machine, bool is_64, const char **remedy)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine) {
			*remedy = is_64 ? NULL : machines[i].remedy_32;
			return machines[i].name;
		}
	return NULL;
}

const char *arch_names(void)
{
#define ARCH_NAME(name) ", " #name
	return &ARCH_LIST(ARCH_NAME)[2];
}

/*
 * Machine in IMAGE_FILE_HEADER of Microsoft's PE format, and the ELF machine,
 * by number.
 */
static const struct {
	uint16_t pe, machine;
	bool is_64;
} pe_machines[] = {
	{ 0x14c, 3, false },	{ 0x8664, 62, true },  { 0x1c0, 40, false },
	{ 0x1c2, 40, false },	{ 0x1c4, 40, false },  { 0xaa64, 183, true },
	{ 0x5032, 243, false }, { 0x5064, 243, true }, { 0x6264, 258, true },
};

void arch_pe_machine(uint16_t pe, uint16_t *machine, bool *is_64)
{
	for (size_t i = 0; i < sizeof(pe_machines) / sizeof(pe_machines[0]);
	     i++) {
		if (pe_machines[i].pe == pe) {
			*machine = pe_machines[i].machine;
			*is_64 = pe_machines[i].is_64;
		}
	}
}

/*
 * The machines for which GNU ld links ELF objects into PE images: their base
 * relocations (IMAGE_REL_BASED_*), and the equivalent ELF type.
 */
static const struct {
	uint16_t machine, type;
	uint8_t base;
} pe_relocs[] = {
	{ 3, 8, 3 },	/* R_386_RELATIVE */
	{ 62, 8, 10 },	/* R_X86_64_RELATIVE */
	{ 62, 10, 3 },	/* R_X86_64_32: of 4 bytes */
};

bool arch_pe_is_linked(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(pe_relocs) / sizeof(pe_relocs[0]); i++)
		if (pe_relocs[i].machine == machine)
			return true;
	return false;
}

uint16_t arch_pe_reloc(uint16_t machine, unsigned base)
{
	for (size_t i = 0; i < sizeof(pe_relocs) / sizeof(pe_relocs[0]); i++)
		if (pe_relocs[i].machine == machine &&
		    pe_relocs[i].base == base)
			return pe_relocs[i].type;
	return 0;
}
