/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads what the compiler or ld -r wrote for x86-64, into memory that is within
 * reach of the kernel's branches.  Trusts the file: it is part of the kernel.
 * All that sdtlink adds is two sections that lie together by their names.
 */
#include "kernel.h"
#include "module.h"

#define ARENA_SIZE 16384
#define NSECTIONS_MAX 64

#define SHT_SYMTAB 2
#define SHT_RELA 4
#define SHT_NOBITS 8
#define SHF_ALLOC 2
#define SHF_EXECINSTR 4
#define STT_FUNC 2
#define STB_WEAK 2

struct elf_header {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, phoff, shoff;
	uint32_t flags;
	uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_section {
	uint32_t name, type;
	uint64_t flags, addr, offset, size;
	uint32_t link, info;
	uint64_t align, entsize;
};

struct elf_symbol {
	uint32_t name;
	uint8_t info, other;
	uint16_t shndx;
	uint64_t value, size;
};

struct elf_reloc {
	uint64_t offset;
	uint32_t type, symbol;
	int64_t addend;
};

/* What a module can call. */
static const struct {
	const char *name;
	uintptr_t addr;
} exports[] = {
	{ "udp_is_traced", (uintptr_t)udp_is_traced },
};

static uint8_t arena[ARENA_SIZE] __attribute__((__aligned__(4096)));

static struct {
	const uint8_t *file;
	const struct elf_header *header;
	const struct elf_section *sections;
	const struct elf_symbol *symbols;
	const char *strings;
	size_t nsymbols;
	uintptr_t addrs[NSECTIONS_MAX]; /* 0: not loaded */
	uintptr_t text_end;
	uintptr_t end; /* of what is taken of the arena */
} module;

static int same_text(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* --- Sections ------------------------------------------------------------- */

static const char *section_name(size_t i)
{
	const struct elf_section *names =
		&module.sections[module.header->shstrndx];

	return (const char *)module.file + names->offset +
	       module.sections[i].name;
}

enum part { PART_TEXT, PART_DATA, PART_SITES, PART_PROBES, NPARTS };

static enum part part_of(size_t i)
{
	if (same_text(section_name(i), "sdt_sites"))
		return PART_SITES;
	if (same_text(section_name(i), "sdt_probes"))
		return PART_PROBES;
	return module.sections[i].flags & SHF_EXECINSTR ? PART_TEXT : PART_DATA;
}

static int place_section(size_t i)
{
	const struct elf_section *sec = &module.sections[i];
	uint64_t align = sec->align > 0 ? sec->align : 1;
	uintptr_t addr = (module.end + align - 1) / align * align;
	uint8_t *to = (uint8_t *)addr;

	if (addr + sec->size > (uintptr_t)arena + ARENA_SIZE)
		return -1;
	for (size_t k = 0; k < sec->size; k++)
		to[k] = sec->type == SHT_NOBITS ? 0
						: module.file[sec->offset + k];
	module.addrs[i] = addr;
	module.end = addr + sec->size;
	return 0;
}

/* All of one part together; an empty one is at an aligned address. */
static int place_part(enum part part, const void **start, const void **end)
{
	module.end = (module.end + 7) & ~(uintptr_t)7;
	*start = (const void *)module.end;
	for (size_t i = 1; i < module.header->shnum; i++)
		if (module.sections[i].flags & SHF_ALLOC &&
		    part_of(i) == part && place_section(i) != 0)
			return -1;
	*end = (const void *)module.end;
	return 0;
}

/* --- Symbols and relocations ---------------------------------------------- */

static void find_symbols(void)
{
	for (size_t i = 1; i < module.header->shnum; i++) {
		const struct elf_section *sec = &module.sections[i];

		if (sec->type != SHT_SYMTAB)
			continue;
		module.symbols = (const void *)(module.file + sec->offset);
		module.nsymbols = sec->size / sizeof(module.symbols[0]);
		module.strings = (const char *)module.file +
				 module.sections[sec->link].offset;
	}
}

static int symbol_addr(const struct elf_symbol *sym, uintptr_t *addr)
{
	*addr = sym->value;
	if (sym->shndx != 0) {
		if (sym->shndx < module.header->shnum)
			*addr += module.addrs[sym->shndx];
		return 0;
	}
	for (size_t i = 0; i < sizeof(exports) / sizeof(exports[0]); i++) {
		if (same_text(module.strings + sym->name, exports[i].name)) {
			*addr = exports[i].addr;
			return 0;
		}
	}
	return sym->info >> 4 == STB_WEAK ? 0 : -1;
}

static int relocate(uintptr_t at, const struct elf_reloc *r)
{
	uintptr_t value;

	if (symbol_addr(&module.symbols[r->symbol], &value) != 0) {
		console_print("module: the kernel has no %s\n",
			      module.strings + module.symbols[r->symbol].name);
		return -1;
	}
	value += (uintptr_t)r->addend;
	switch (r->type) {
	case 0: /* R_X86_64_NONE */
		return 0;
	case 1: /* R_X86_64_64 */
		*(uint64_t *)at = value;
		return 0;
	case 2: /* R_X86_64_PC32 */
	case 4: /* R_X86_64_PLT32 */
		*(uint32_t *)at = (uint32_t)(value - at);
		return (intptr_t)(value - at) == (int32_t)(value - at) ? 0 : -1;
	case 11: /* R_X86_64_32S */
		*(uint32_t *)at = (uint32_t)value;
		return (intptr_t)value == (int32_t)value ? 0 : -1;
	}
	return -1;
}

static int relocate_all(void)
{
	for (size_t i = 1; i < module.header->shnum; i++) {
		const struct elf_section *sec = &module.sections[i];
		const struct elf_reloc *relocs =
			(const void *)(module.file + sec->offset);

		if (sec->type != SHT_RELA || module.addrs[sec->info] == 0)
			continue;
		for (size_t k = 0; k < sec->size / sizeof(relocs[0]); k++)
			if (relocate(module.addrs[sec->info] + relocs[k].offset,
				     &relocs[k]) != 0)
				return -1;
	}
	return 0;
}

/* --- Loading -------------------------------------------------------------- */

int module_load(const void *file, size_t size, struct sdt_bounds *bounds)
{
	const void *start, *end;

	module.file = file;
	module.header = file;
	module.sections = (const void *)(module.file + module.header->shoff);
	module.end = (uintptr_t)arena;
	if (size < sizeof(*module.header) ||
	    module.header->shnum > NSECTIONS_MAX)
		return -1;
	find_symbols();
	if (place_part(PART_TEXT, &start, &end) != 0)
		return -1;
	module.text_end = (uintptr_t)end;
	if (place_part(PART_DATA, &start, &end) != 0 ||
	    place_part(PART_SITES, &bounds->sites, &bounds->sites_end) != 0 ||
	    place_part(PART_PROBES, &bounds->probes, &bounds->probes_end) !=
		    0 ||
	    relocate_all() != 0) {
		module_unload();
		return -1;
	}
	return 0;
}

void module_unload(void)
{
	for (size_t i = 0; i < ARENA_SIZE; i++)
		arena[i] = 0xcc;
	for (size_t i = 0; i < NSECTIONS_MAX; i++)
		module.addrs[i] = 0;
	module.text_end = 0;
	module.nsymbols = 0;
}

uintptr_t module_symbol(const char *name)
{
	uintptr_t addr;

	for (size_t i = 1; i < module.nsymbols; i++)
		if (module.symbols[i].shndx != 0 &&
		    same_text(module.strings + module.symbols[i].name, name) &&
		    symbol_addr(&module.symbols[i], &addr) == 0)
			return addr;
	return 0;
}

int module_is_text(uintptr_t addr, uint32_t len)
{
	uintptr_t at = addr - (uintptr_t)arena;
	uintptr_t size = module.text_end - (uintptr_t)arena;

	/* Without a module the size is that of no text, and too big. */
	return module.text_end != 0 && at <= size && len <= size - at;
}

const char *module_function(void *cookie, sdt_uptr addr)
{
	(void)cookie;
	for (size_t i = 1; i < module.nsymbols; i++) {
		const struct elf_symbol *sym = &module.symbols[i];
		uintptr_t start;

		if ((sym->info & 15) == STT_FUNC && sym->shndx != 0 &&
		    symbol_addr(sym, &start) == 0 && addr - start < sym->size)
			return module.strings + sym->name;
	}
	return 0;
}
