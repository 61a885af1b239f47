/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns a PE image into an ELF file: headers of ELF, then the bytes of the
 * file, then tables in ELF's form made from the tables of PE.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/table-format.h"
#include "boot-image.h"
#include "elf-bytes.h"
#include "pe.h"

#define RELOCS_STRIPPED 1 /* IMAGE_FILE_RELOCS_STRIPPED */
#define ENTRY 16	  /* in the optional header */
#define DIRECTORIES 96	  /* and in that of PE32+: */
#define DIRECTORIES_PLUS 112
#define DIRECTORY 8
#define BASE_RELOCATIONS 5

#define SYMBOL 18
#define CLASS_EXTERNAL 2
#define CLASS_STATIC 3
#define CLASS_LABEL 6
#define CLASS_FILE 103
#define CLASS_WEAK 105
#define NUMBER_ABSOLUTE 0xffff
#define NUMBER_MAX 0xfeff /* of a section */

#define NAME_MAX_OWN 16 /* bytes of the name of a section of ours */

#define BLOCK 8 /* the header of one of base relocations */

/* ELF has numbers for this many sections, even if each becomes two. */
#define SECTIONS_MAX 0x7f00

struct maker {
	struct diag *d;
	const char *path;
	struct pe pe;
	struct elf_bytes w;
	uint16_t machine;	/* EM_* */
	const uint8_t *symbols; /* of COFF */
	size_t nsymbols;	/* with those that say more of the one before */
	const uint8_t *strings; /* of COFF, with their size in front */
	size_t strings_size;
	const uint8_t *relocs; /* the blocks of base relocations */
	size_t relocs_size;
	size_t nrelocs;
	GElf_Shdr *sections; /* of ELF, but for the last three; owned */
	size_t nsections;
	uint32_t *first; /* of ELF, by section of PE, or 0; owned */
	char *names;	 /* of symbols and sections; owned */
	size_t names_size;
	size_t nlocals; /* symbols of ELF, with the first, which is none */
	size_t nglobals;
	size_t shift;	/* where the file is in the ELF file */
	uint8_t *bytes; /* the ELF file */
	size_t size;
};

static int malformed(const struct maker *m, const char *what)
{
	return diag_file(m->d, m->path, "malformed", "PE: %s", what);
}

static bool is_known(const struct pe *pe, uint16_t *machine)
{
	bool is_64 = false;

	*machine = 0;
	arch_pe_machine(pe->machine, machine, &is_64);
	return arch_pe_is_linked(*machine) && is_64 == pe->is_plus;
}

bool pe_may_be_linked(const uint8_t *bytes, size_t size)
{
	struct pe pe;
	uint16_t machine;

	return pe_is_one(bytes, size) && !boot_image_is_one(bytes, size) &&
	       (pe_open(bytes, size, &pe) != NULL || is_known(&pe, &machine));
}

/* --- Names ---------------------------------------------------------------- */

/*
 * They follow COFF's symbols. Offsets in them stay; their first four bytes are
 * their size.
 */
static int find_strings(struct maker *m)
{
	uint64_t at = bytes_little(m->pe.bytes + m->pe.header + 12, 4);
	uint64_t n = bytes_little(m->pe.bytes + m->pe.header + 16, 4);
	uint64_t left = m->pe.size - (at < m->pe.size ? at : m->pe.size);

	if (at == 0 || n == 0)
		return 0;
	if (n * SYMBOL > left)
		return malformed(m, "its symbols are past the end of the file");
	m->symbols = m->pe.bytes + at;
	m->nsymbols = n;
	left -= n * SYMBOL;
	if (left < 4)
		return 0;
	m->strings = m->symbols + n * SYMBOL;
	m->strings_size = bytes_little(m->strings, 4);
	if (m->strings_size > left)
		return malformed(m, "its strings are past the end of the file");
	return 0;
}

static int copy_strings(struct maker *m)
{
	/*
	 * Room for each symbol and section with its name and a NUL, and our
	 * own.
	 */
	size_t room = m->strings_size + m->nsymbols * (SYMBOL + 1) +
		      m->pe.nsections * (NAME_MAX_OWN + 1) + 64;

	m->names = calloc(room, 1);
	if (m->names == NULL)
		return diag_nomem(m->d, m->path);
	m->names_size = 1;
	if (m->strings_size > 4) {
		memcpy(m->names + 1, m->strings + 4, m->strings_size - 4);
		m->names_size += m->strings_size - 4 + 1;
	}
	return 0;
}

/* A name of up to SIZE bytes, which may lack a NUL. */
static uint32_t add_name(struct maker *m, const void *name, size_t size)
{
	uint32_t at = m->names_size;
	size_t length = strnlen(name, size);

	memcpy(m->names + at, name, length);
	m->names_size += length + 1;
	return at;
}

/* Where the string at OFFSET of COFF's is. */
static int find_name(const struct maker *m, uint32_t offset, uint32_t *name)
{
	if (offset < 4 || offset >= m->strings_size)
		return malformed(m, "a name is outside the string table");
	*name = offset - 4 + 1;
	return 0;
}

/* A symbol's name: SIZE bytes, or four zeros and an offset. */
static int read_name(struct maker *m, const uint8_t *bytes, size_t size,
		     uint32_t *name)
{
	if (bytes_little(bytes, 4) == 0 && bytes_little(bytes + 4, 4) != 0)
		return find_name(m, bytes_little(bytes + 4, 4), name);
	*name = add_name(m, bytes, size);
	return 0;
}

/*
 * In an image, GNU ld cuts section names to 8 bytes. These are the full names
 * of ours.
 */
static const char *whole_name(const uint8_t *bytes)
{
	static const char *const names[] = {
		SDT_SITES_SECTION,  SDT_PROBES_SECTION,
		SDT_BEFORE_SECTION, SDT_FUNCTIONS_SECTION,
		NOTES_SECTION,	    TRACEPOINT_OWN_SECTION,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (memcmp(names[i], bytes, 8) == 0)
			return names[i];
	return NULL;
}

/* A section's name: 8 bytes, or a slash and an offset in decimal digits. */
static int read_section_name(struct maker *m, const uint8_t *bytes,
			     uint32_t *name)
{
	const char *whole;
	uint32_t offset = 0;
	size_t i = 1;

	for (; i < 8 && bytes[i] >= '0' && bytes[i] <= '9'; i++)
		offset = offset * 10 + (bytes[i] - '0');
	if (bytes[0] == '/' && i > 1 && (i == 8 || bytes[i] == '\0'))
		return find_name(m, offset, name);
	whole = whole_name(bytes);
	*name = whole != NULL ? add_name(m, whole, NAME_MAX_OWN)
			      : add_name(m, bytes, 8);
	return 0;
}

/* --- Sections ------------------------------------------------------------- */

static int check_extent(const struct maker *m, const struct pe_section *sec)
{
	uint64_t last = (uint64_t)sec->rva + sec->size;

	if (last > (m->pe.is_plus ? UINT64_MAX : UINT32_MAX) - m->pe.base)
		return malformed(m, "a section wraps around the address space");
	return 0;
}

static void add_section(struct maker *m, const GElf_Shdr *sh)
{
	m->sections[m->nsections++] = *sh;
}

/* Linkers mark debug information as loaded, but nothing reads it in memory. */
static bool is_loaded(const struct maker *m, const struct pe_section *sec,
		      uint32_t name)
{
	return sec->is_loaded && !(sec->is_discardable && !sec->is_code &&
				   strncmp(m->names + name, ".debug", 6) == 0);
}

/* The loader of EFI looks at all of them. */
static void warn_outside(const struct maker *m, const char *name)
{
	diag_report(m->d, SEVERITY_WARNING,
		    &(struct place){ .file = m->path, .section = name },
		    "outside-image",
		    "remove it (strip -g, objcopy -R), or let the linker "
		    "script place it behind the others",
		    "the section is outside of the image, and firmware "
		    "refuses to load such a file");
}

/* One of bytes, and one of zeros behind it. */
static int convert_section(struct maker *m, size_t i)
{
	struct pe_section sec;
	const char *wrong = pe_section(&m->pe, i, &sec);
	uint64_t flags = (sec.is_code ? SHF_EXECINSTR : 0) |
			 (sec.is_writable ? SHF_WRITE : 0);
	GElf_Shdr sh = { .sh_type = SHT_PROGBITS, .sh_addralign = 1 };

	if (wrong != NULL)
		return malformed(m, wrong);
	if (read_section_name(m, sec.name, &sh.sh_name))
		return -1;
	if (sec.is_outside && sec.size > 0)
		warn_outside(m, m->names + sh.sh_name);
	sh.sh_offset = m->shift + sec.offset;
	sh.sh_size = sec.file_size;
	if (!is_loaded(m, &sec, sh.sh_name)) {
		add_section(m, &sh);
		return 0;
	}
	if (check_extent(m, &sec))
		return -1;
	sh.sh_flags = flags | SHF_ALLOC;
	sh.sh_addr = m->pe.base + sec.rva;
	m->first[i] = m->nsections;
	if (sec.file_size > 0)
		add_section(m, &sh);
	sh.sh_addr += sec.file_size;
	sh.sh_size = sec.size - sec.file_size;
	sh.sh_type = SHT_NOBITS;
	if (sh.sh_size > 0 || sec.file_size == 0)
		add_section(m, &sh);
	return 0;
}

static int convert_sections(struct maker *m)
{
	if (m->pe.nsections > SECTIONS_MAX)
		return malformed(m, "it has too many sections");
	m->sections = calloc(2 * m->pe.nsections + 1, sizeof(m->sections[0]));
	m->first = calloc(m->pe.nsections + 1, sizeof(m->first[0]));
	if (m->sections == NULL || m->first == NULL)
		return diag_nomem(m->d, m->path);
	m->nsections = 1;
	/*
	 * ELF's headers come first. There are at most as many segments as
	 * sections.
	 */
	m->shift = (m->pe.is_plus ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)) +
		   m->pe.nsections * (m->pe.is_plus ? sizeof(Elf64_Phdr)
						    : sizeof(Elf32_Phdr));
	m->shift = (m->shift + 15) & ~(size_t)15;
	for (size_t i = 0; i < m->pe.nsections; i++)
		if (convert_section(m, i))
			return -1;
	return 0;
}

/* --- Symbols -------------------------------------------------------------- */

/* Finds section NUMBER of PE, which counts from 1, and offset VALUE in it. */
static int locate_symbol(const struct maker *m, uint32_t number, uint32_t value,
			 GElf_Sym *sym)
{
	const GElf_Shdr *sh;
	uint32_t shndx;

	if (number > m->pe.nsections)
		return malformed(m, "a symbol's section does not exist");
	shndx = m->first[number - 1];
	if (shndx == 0)
		return 0;
	sh = &m->sections[shndx];
	sym->st_value = sh->sh_addr + value;
	/* What is zeros has a section of its own. */
	if (value >= sh->sh_size && shndx + 1 < m->nsections &&
	    sh->sh_type != SHT_NOBITS && sh[1].sh_type == SHT_NOBITS &&
	    sh[1].sh_name == sh->sh_name)
		shndx++;
	sym->st_shndx = shndx;
	if (m->sections[shndx].sh_flags & SHF_EXECINSTR)
		sym->st_info = STT_FUNC;
	return 0;
}

/* Is it the symbol that COFF has for a section, with its length? */
static bool is_of_section(const uint8_t *at)
{
	return at[16] == CLASS_STATIC && at[17] > 0 &&
	       bytes_little(at + 8, 4) == 0;
}

/*
 * Converts the symbol at AT to ELF. Its section becomes SHN_XINDEX if ELF has
 * no use for it.
 */
static int convert_symbol(struct maker *m, const uint8_t *at, GElf_Sym *sym)
{
	uint32_t value = bytes_little(at + 8, 4),
		 number = bytes_little(at + 12, 2);
	unsigned bind = at[16] == CLASS_EXTERNAL ? STB_GLOBAL
			: at[16] == CLASS_WEAK	 ? STB_WEAK
						 : STB_LOCAL;

	*sym = (GElf_Sym){ .st_shndx = SHN_XINDEX };
	if (at[16] == CLASS_FILE && at[17] > 0) {
		sym->st_shndx = SHN_ABS;
		sym->st_info = GELF_ST_INFO(STB_LOCAL, STT_FILE);
		return read_name(m, at + SYMBOL, (size_t)at[17] * SYMBOL,
				 &sym->st_name);
	}
	if ((bind == STB_LOCAL && at[16] != CLASS_STATIC &&
	     at[16] != CLASS_LABEL) ||
	    is_of_section(at))
		return 0;
	if (number == NUMBER_ABSOLUTE) {
		sym->st_shndx = SHN_ABS;
		sym->st_value = value;
	} else if (number == 0 && bind != STB_LOCAL) {
		sym->st_shndx = SHN_UNDEF;
	} else if (number != 0 && number <= NUMBER_MAX &&
		   locate_symbol(m, number, value, sym)) {
		return -1;
	}
	if (sym->st_shndx == SHN_XINDEX)
		return 0;
	sym->st_info = GELF_ST_INFO(bind, sym->st_info);
	/* An image has a table of its own for what it exports. */
	sym->st_other = bind != STB_LOCAL ? STV_HIDDEN : STV_DEFAULT;
	return read_name(m, at, 8, &sym->st_name);
}

/* Those that are local come first in ELF. */
static void put_symbols(struct maker *m, const GElf_Sym *symbols, size_t n,
			bool is_local)
{
	for (size_t i = 0; i < n; i++)
		if ((GELF_ST_BIND(symbols[i].st_info) == STB_LOCAL) == is_local)
			elf_bytes_symbol(&m->w, &symbols[i]);
}

static int convert_symbols(struct maker *m, GElf_Sym **symbols)
{
	GElf_Sym *all = calloc(m->nsymbols + 1, sizeof(all[0]));

	*symbols = all;
	if (all == NULL)
		return diag_nomem(m->d, m->path);
	m->nlocals = m->nsymbols > 0;
	for (size_t i = 0; i < m->nsymbols; i++) {
		const uint8_t *at = m->symbols + i * SYMBOL;
		GElf_Sym *sym = &all[m->nlocals + m->nglobals];

		if (at[17] >= m->nsymbols - i)
			return malformed(m, "its last symbol is cut");
		if (convert_symbol(m, at, sym))
			return -1;
		i += at[17];
		if (sym->st_shndx == SHN_XINDEX)
			continue;
		if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
			m->nlocals++;
		else
			m->nglobals++;
	}
	/* The first is none. */
	if (m->nlocals + m->nglobals < m->nsymbols + 1)
		all[m->nlocals + m->nglobals] = (GElf_Sym){ 0 };
	return 0;
}

/* --- Base relocations ------------------------------------------------------
 */

static int find_relocs(struct maker *m)
{
	size_t directories = m->pe.is_plus ? DIRECTORIES_PLUS : DIRECTORIES;
	size_t entry = directories + BASE_RELOCATIONS * DIRECTORY;
	const uint8_t *optional = m->pe.bytes + m->pe.optional;
	uint32_t rva, size;

	if (m->pe.optional_size < entry + DIRECTORY ||
	    bytes_little(optional + directories - 4, 4) <= BASE_RELOCATIONS)
		return 0;
	rva = bytes_little(optional + entry, 4);
	size = bytes_little(optional + entry + 4, 4);
	if (size == 0)
		return 0;
	for (size_t i = 0; i < m->pe.nsections; i++) {
		struct pe_section sec;

		if (pe_section(&m->pe, i, &sec) != NULL || rva < sec.rva ||
		    rva - sec.rva > sec.file_size ||
		    size > sec.file_size - (rva - sec.rva))
			continue;
		m->relocs = m->pe.bytes + sec.offset + (rva - sec.rva);
		m->relocs_size = size;
		return 0;
	}
	return malformed(m, "its base relocations are in no section");
}

static void put_reloc(struct maker *m, uint64_t addr, uint16_t type)
{
	elf_bytes_word(&m->w, addr);
	elf_bytes_word(&m->w, m->pe.is_plus ? ELF64_R_INFO(0, type)
					    : ELF32_R_INFO(0, type));
}

/* Counts, or writes. */
static int convert_block(struct maker *m, const uint8_t *block, size_t size,
			 bool writes)
{
	uint64_t page = m->pe.base + bytes_little(block, 4);

	for (size_t at = BLOCK; at < size; at += 2) {
		uint32_t entry = bytes_little(block + at, 2);
		unsigned base = entry >> 12;
		uint16_t type = arch_pe_reloc(m->machine, base);

		if (base == 0) /* it fills up the block */
			continue;
		if (type == 0)
			return diag_file(m->d, m->path, "unknown-relocations",
					 "PE: base relocations of type %u, "
					 "which sdtlink does not know",
					 base);
		m->nrelocs += !writes;
		if (writes)
			put_reloc(m, page + (entry & 0xfff), type);
	}
	return 0;
}

static int convert_relocs(struct maker *m, bool writes)
{
	size_t left = m->relocs_size;
	const uint8_t *block = m->relocs;

	while (left > 0) {
		size_t size = left >= BLOCK ? bytes_little(block + 4, 4) : 0;

		if (size < BLOCK || size > left || size % 2 != 0)
			return malformed(m, "a block of base relocations has a "
					    "wrong size");
		if (convert_block(m, block, size, writes))
			return -1;
		block += size;
		left -= size;
	}
	return 0;
}

/* --- The file --------------------------------------------------------------
 */

static void put_segments(struct maker *m)
{
	for (size_t i = 0; i < m->pe.nsections; i++) {
		const GElf_Shdr *sh = &m->sections[m->first[i]];
		struct pe_section sec;
		GElf_Phdr ph = { .p_type = PT_NULL };

		pe_section(&m->pe, i, &sec);
		if (m->first[i] != 0)
			ph = (GElf_Phdr){ .p_type = PT_LOAD,
					  .p_offset = m->shift + sec.offset,
					  .p_vaddr = sh->sh_addr,
					  .p_paddr = sh->sh_addr,
					  .p_filesz = sec.file_size,
					  .p_memsz = sec.size,
					  .p_align = 1 };
		ph.p_flags = PF_R | (sec.is_code ? PF_X : 0) |
			     (sec.is_writable ? PF_W : 0);
		elf_bytes_segment(&m->w, &ph);
	}
}

static void align(struct maker *m)
{
	while ((m->w.at - m->bytes) % 8 != 0)
		m->w.at++;
}

static size_t here(const struct maker *m)
{
	return m->w.at - m->bytes;
}

/* What begins at START and ends here. */
static GElf_Shdr make_section(const struct maker *m, uint32_t type,
			      uint32_t name, size_t start)
{
	return (GElf_Shdr){ .sh_name = name,
			    .sh_type = type,
			    .sh_offset = start,
			    .sh_size = here(m) - start,
			    .sh_addralign = 8 };
}

static int allocate(struct maker *m, size_t nsymbols, size_t symbol,
		    size_t reloc)
{
	size_t section = m->pe.is_plus ? sizeof(Elf64_Shdr)
				       : sizeof(Elf32_Shdr);

	m->size = m->shift + m->pe.size + nsymbols * symbol + m->names_size +
		  m->nrelocs * reloc + (m->nsections + 3) * section + 4 * 8;
	m->bytes = calloc(m->size, 1);
	m->w = (struct elf_bytes){ .at = m->bytes, .is_64 = m->pe.is_plus };
	return m->bytes != NULL ? 0 : diag_nomem(m->d, m->path);
}

static int write_file(struct maker *m, const GElf_Sym *symbols)
{
	size_t n = m->nlocals + m->nglobals, start;
	size_t symbol = m->pe.is_plus ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t reloc = m->pe.is_plus ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
	size_t ehdr = m->pe.is_plus ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	uint32_t symbols_name = add_name(m, ".symtab", 8);
	uint32_t strings_name = add_name(m, ".strtab", 8);
	uint32_t relocs_name = add_name(m, ".rel.dyn", 9);
	GElf_Shdr symtab, strtab, rel;
	bool is_fixed = m->pe.characteristics & RELOCS_STRIPPED;

	if (allocate(m, n, symbol, reloc))
		return -1;
	m->w.at += ehdr;
	put_segments(m);
	m->w.at = m->bytes + m->shift;
	memcpy(m->w.at, m->pe.bytes, m->pe.size);
	m->w.at += m->pe.size;
	align(m);

	start = here(m);
	put_symbols(m, symbols, n, true);
	put_symbols(m, symbols, n, false);
	symtab = make_section(m, SHT_SYMTAB, symbols_name, start);
	symtab.sh_link = m->nsections + 1;
	symtab.sh_info = m->nlocals;
	symtab.sh_entsize = symbol;

	start = here(m);
	memcpy(m->w.at, m->names, m->names_size);
	m->w.at += m->names_size;
	strtab = make_section(m, SHT_STRTAB, strings_name, start);
	align(m);

	start = here(m);
	if (convert_relocs(m, true))
		return -1;
	rel = make_section(m, SHT_REL, relocs_name, start);
	rel.sh_flags = SHF_ALLOC;
	rel.sh_link = m->nsections;
	rel.sh_entsize = reloc;
	align(m);

	start = here(m);
	for (size_t i = 0; i < m->nsections; i++)
		elf_bytes_section(&m->w, &m->sections[i]);
	elf_bytes_section(&m->w, &symtab);
	elf_bytes_section(&m->w, &strtab);
	elf_bytes_section(&m->w, &rel);
	m->size = here(m);

	m->w.at = m->bytes;
	elf_bytes_header(
		&m->w,
		&(GElf_Ehdr){ .e_type = is_fixed ? ET_EXEC : ET_DYN,
			      .e_machine = m->machine,
			      .e_entry = m->pe.base +
					 bytes_little(m->pe.bytes +
							      m->pe.optional +
							      ENTRY,
						      4),
			      .e_phoff = ehdr,
			      .e_shoff = start,
			      .e_phnum = m->pe.nsections,
			      .e_shnum = m->nsections + 3,
			      .e_shstrndx = m->nsections + 1 });
	return 0;
}

static int make(struct maker *m)
{
	GElf_Sym *symbols = NULL;
	int ret = find_strings(m) || copy_strings(m) || convert_sections(m) ||
		  convert_symbols(m, &symbols) || find_relocs(m) ||
		  convert_relocs(m, false) || write_file(m, symbols);

	free(symbols);
	return ret ? -1 : 0;
}

int pe_make_elf(struct diag *d, const char *path, const uint8_t *bytes,
		size_t size, uint8_t **elf, size_t *elf_size)
{
	struct maker m = { .d = d, .path = path };
	const char *wrong = pe_open(bytes, size, &m.pe);
	int ret = wrong != NULL ? malformed(&m, wrong) : 0;

	if (ret == 0) {
		is_known(&m.pe, &m.machine);
		ret = make(&m);
	}
	free(m.sections);
	free(m.first);
	free(m.names);
	if (ret)
		free(m.bytes);
	*elf = ret ? NULL : m.bytes;
	*elf_size = m.size;
	return ret;
}
