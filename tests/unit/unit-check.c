/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sanity pass: a good object passes, and each fault has its message. */
#include <config.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "arch/arch.h"
#include "elf/check.h"
#include "unit.h"

enum { TEXT = 1, RELA, SYMTAB, STRTAB, SHSTRTAB, GROUP, NOTE, NSECTIONS };

/* One call of a probe function, in a COMDAT group. */
struct file {
	Elf64_Ehdr ehdr;
	uint8_t text[8];
	Elf64_Rela rela[1];
	Elf64_Sym symbols[3];
	char strings[8];
	char names[64];
	uint32_t group[2];
	uint32_t xindex[3];
	Elf64_Shdr sections[NSECTIONS];
};

#define SECTION(n, kind, attributes, member, l, i, entry) \
	{ .sh_name = (n), .sh_type = (kind), .sh_flags = (attributes), \
	  .sh_offset = offsetof(struct file, member), \
	  .sh_size = sizeof(((struct file *)0)->member), \
	  .sh_link = (l), .sh_info = (i), .sh_entsize = (entry) }

static const struct file good = {
	.ehdr = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = offsetof(struct file, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NSECTIONS,
		.e_shstrndx = SHSTRTAB,
	},
	.text = { 0xe8, 0, 0, 0, 0, 0xc3, 0xcc, 0xcc },
	.rela = { { 1, ELF64_R_INFO(1, R_X86_64_PLT32), -4 } },
	.symbols = { { 0 },
		     { 1, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0, 0, 0, 0 },
		     { 3, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, TEXT, 0,
		       6 } },
	.strings = "\0p\0main",
	.names = "\0.text\0.rela.text\0.symtab\0.strtab\0.group\0.note",
	.group = { GRP_COMDAT, TEXT },
	.sections = {
		[TEXT] = SECTION(1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
				 text, 0, 0, 0),
		[RELA] = SECTION(7, SHT_RELA, SHF_INFO_LINK, rela, SYMTAB,
				 TEXT, sizeof(Elf64_Rela)),
		[SYMTAB] = SECTION(18, SHT_SYMTAB, 0, symbols, STRTAB, 1,
				   sizeof(Elf64_Sym)),
		[STRTAB] = SECTION(26, SHT_STRTAB, 0, strings, 0, 0, 0),
		[SHSTRTAB] = SECTION(26, SHT_STRTAB, 0, names, 0, 0, 0),
		[GROUP] = SECTION(34, SHT_GROUP, 0, group, SYMTAB, 2, 4),
		[NOTE] = SECTION(41, SHT_PROGBITS, 0, xindex, SYMTAB, 0, 4),
	},
};

static char path[] = "unit-check.XXXXXX";
static struct unit_heard heard;

/* What check_object says of FILE: "" if nothing. */
static const char *judge(const struct file *file, enum object_kind wanted)
{
	struct diag d = { .sink = unit_hear, .ctx = &heard };
	struct object obj;
	FILE *f = fopen(path, "w");

	heard = (struct unit_heard){ .code = "" };
	if (CHECK(f != NULL)) {
		CHECK(fwrite(file, sizeof(*file), 1, f) == 1);
		fclose(f);
	}
	if (object_open(&d, path, &obj) == 0 &&
	    check_object(&d, &obj, wanted) == 0)
		CHECK(heard.code[0] == '\0' && obj.arch != NULL);
	else
		CHECK(heard.code[0] != '\0');
	object_close(&obj);
	return heard.text;
}

/* --- One number wrong ------------------------------------------------------ */

#define AT(member) offsetof(struct file, member), \
	sizeof(((struct file *)0)->member)
#define LARGE UINT64_C(0xffffffffffffffff)

static const struct fault {
	size_t offset;
	size_t size;
	uint64_t value;
	const char *text;
} faults[] = {
	{ AT(ehdr.e_type), ET_EXEC, "is a linked image (ET_EXEC), not an "
	  "object: give a .o file, or what ld -r wrote" },
	{ AT(ehdr.e_type), ET_DYN, "is a linked image (ET_DYN), not an "
	  "object: give a .o file, or what ld -r wrote" },
	{ AT(ehdr.e_type), ET_CORE, "is a core file (ET_CORE), not an "
	  "object: give a .o file, or what ld -r wrote" },
	{ AT(ehdr.e_type), 0xfe00, "is an ELF file of unknown type, not an "
	  "object: give a .o file, or what ld -r wrote" },
	{ AT(ehdr.e_shoff), 0, "no section header table: it was stripped" },
	{ AT(ehdr.e_shoff), sizeof(struct file), "section header table at "
	  "0x308 is past the end of the file (0x308 bytes)" },
	{ AT(ehdr.e_shnum), NSECTIONS + 1, "section header table at 0x108 is "
	  "past the end of the file (0x308 bytes)" },
	{ AT(ehdr.e_shentsize), 63, "section header size is 63, not 64" },
	{ AT(sections[TEXT].sh_offset), LARGE, "section 1: its contents are "
	  "past the end of the file: the file is truncated" },
	{ AT(sections[TEXT].sh_size), LARGE, "section 1: its contents are "
	  "past the end of the file: the file is truncated" },
	{ AT(sections[TEXT].sh_name), 64, "name of section 1 is outside the "
	  "section name table" },
	{ AT(sections[TEXT].sh_flags),
	  SHF_ALLOC | SHF_EXECINSTR | SHF_COMPRESSED,
	  "section 1: is both compressed and loaded" },
	{ AT(sections[RELA].sh_entsize), 23, "section 2: wrong entry size" },
	{ AT(sections[RELA].sh_size), 23, "section 2: its size is not a multiple "
	  "of its entry size" },
	{ AT(sections[RELA].sh_link), NSECTIONS, "section 2: its link is not a "
	  "section" },
	{ AT(sections[RELA].sh_link), TEXT, "section 2: its link is not the "
	  "symbol table" },
	{ AT(sections[RELA].sh_info), 0, "section 2: the section it applies "
	  "to does not exist" },
	{ AT(sections[RELA].sh_info), NSECTIONS, "section 2: the section it "
	  "applies to does not exist" },
	{ AT(sections[SYMTAB].sh_entsize), 0, "section 3: wrong entry size" },
	{ AT(sections[SYMTAB].sh_link), TEXT, "section 3: its link is not a "
	  "string table" },
	{ AT(sections[SYMTAB].sh_link), 0, "section 3: its link is not a "
	  "string table" },
	{ AT(sections[SYMTAB].sh_type), SHT_PROGBITS, "no symbol table: run "
	  "sdtlink before strip, and link without -s" },
	{ AT(sections[SYMTAB].sh_size), 0, "no symbol table: run sdtlink "
	  "before strip, and link without -s" },
	{ AT(sections[STRTAB].sh_size), 0, "section 4: the string table does "
	  "not end in a NUL" },
	{ AT(strings[7]), '!', "section 4: the string table does not end in a "
	  "NUL" },
	{ AT(symbols[2].st_name), 8, "section 3: a symbol's name is outside "
	  "the string table" },
	{ AT(symbols[2].st_shndx), NSECTIONS, "section 3: a symbol's section "
	  "does not exist" },
	{ AT(symbols[2].st_shndx), SHN_XINDEX, "section 3: a symbol needs an "
	  "extended section index, and there is no table of them" },
	{ AT(rela[0].r_offset), 5, "relocation R_X86_64_PLT32 is past the end "
	  "of its section" },
	{ AT(rela[0].r_offset), LARGE, "relocation R_X86_64_PLT32 is past the "
	  "end of its section" },
	{ AT(rela[0].r_info), ELF64_R_INFO(3, R_X86_64_PLT32), "relocation "
	  "R_X86_64_PLT32 has a symbol index past the end of the symbol "
	  "table" },
	{ AT(sections[GROUP].sh_size), 3, "cannot read section .group: "
	  "invalid data" },
	{ AT(sections[GROUP].sh_size), 0, "section 6: a group of a wrong "
	  "size" },
	{ AT(sections[GROUP].sh_info), 3, "section 6: a group without a "
	  "signature symbol" },
	{ AT(sections[GROUP].sh_link), TEXT, "section 6: a group without a "
	  "signature symbol" },
	{ AT(group[1]), NSECTIONS, "section 6: a member of the group is not a "
	  "section" },
	{ AT(group[1]), GROUP, "section 6: a member of the group is not a "
	  "section" },
	{ AT(sections[NOTE].sh_type), SHT_SYMTAB, "section 7: wrong entry "
	  "size" },
};

static void check_fault(const struct fault *fault)
{
	struct file file = good;

	memcpy((char *)&file + fault->offset, &fault->value, fault->size);
	CHECK_STR(judge(&file, OBJECT_PARTIAL), fault->text);
}

static void test_machine(void)
{
	struct file file = good;
	char text[512];

	file.ehdr.e_machine = 65200;
	snprintf(text, sizeof(text),
		 "machine 65200 (64-bit, little-endian) is not supported; "
		 "sdtlink knows %s",
		 arch_names());
	CHECK_STR(judge(&file, OBJECT_PARTIAL), text);
}

static void test_second_symtab(void)
{
	struct file file = good;

	file.sections[NOTE] = file.sections[SYMTAB];
	CHECK_STR(judge(&file, OBJECT_PARTIAL),
		  "section 7: a second symbol table");
	CHECK_STR(heard.section, ".symtab");
}

/* --- Good ones --------------------------------------------------------------- */

static void test_good(void)
{
	struct file file = good;

	CHECK_STR(judge(&file, OBJECT_PARTIAL), "");
	CHECK_STR(judge(&file, OBJECT_ANY), "");
	CHECK_STR(judge(&file, OBJECT_FINAL),
		  "is a relocatable object (ET_REL), not a linked image: give "
		  "the output of the final link");
	file.ehdr.e_type = ET_EXEC;
	CHECK_STR(judge(&file, OBJECT_FINAL), "");
	file.ehdr.e_type = ET_CORE;
	CHECK_STR(judge(&file, OBJECT_ANY),
		  "is a core file (ET_CORE), neither an object nor a linked "
		  "image");
}

/* The last offset at which four bytes fit, and a marker at the very end. */
static void test_last_relocation(void)
{
	struct file file = good;

	file.rela[0].r_offset = 4;
	CHECK_STR(judge(&file, OBJECT_PARTIAL), "");
	file.rela[0].r_offset = 8;
	file.rela[0].r_info = ELF64_R_INFO(1, R_X86_64_NONE);
	CHECK_STR(judge(&file, OBJECT_PARTIAL), "");
	file.rela[0].r_offset = 9;
	CHECK_STR(judge(&file, OBJECT_PARTIAL),
		  "relocation R_X86_64_NONE is past the end of its section");
}

static void test_xindex(void)
{
	struct file file = good;

	file.symbols[2].st_shndx = SHN_XINDEX;
	file.xindex[2] = TEXT;
	file.sections[NOTE].sh_type = SHT_SYMTAB_SHNDX;
	CHECK_STR(judge(&file, OBJECT_PARTIAL), "");
	file.xindex[2] = NSECTIONS;
	CHECK_STR(judge(&file, OBJECT_PARTIAL),
		  "section 3: a symbol's section does not exist");
	file.xindex[2] = TEXT;
	file.sections[NOTE].sh_size = 8;
	CHECK_STR(judge(&file, OBJECT_PARTIAL),
		  "section 7: too short for the symbol table");
}

/* What is not loaded is not read: debug information may be anything. */
static void test_unread(void)
{
	struct file file = good;

	file.sections[TEXT].sh_flags = 0;
	file.rela[0].r_offset = LARGE;
	CHECK_STR(judge(&file, OBJECT_PARTIAL), "");
}

static void test_lto(void)
{
	struct file file = good;

	strcpy(file.names + 41, ".gnu.lto_x");
	judge(&file, OBJECT_PARTIAL);
	CHECK_STR(heard.code, "lto");
	CHECK_STR(heard.section, ".gnu.lto_x");
	strcpy(file.names + 41, ".llvm.lto");
	judge(&file, OBJECT_PARTIAL);
	CHECK_STR(heard.code, "lto");
	strcpy(file.names + 41, ".gnu.lto");
	CHECK_STR(judge(&file, OBJECT_PARTIAL), "");
}

int main(void)
{
	int fd = mkstemp(path);

	if (!CHECK(fd >= 0))
		return unit_status();
	close(fd);
	test_good();
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		check_fault(&faults[i]);
	test_machine();
	test_second_symtab();
	test_last_relocation();
	test_xindex();
	test_unread();
	test_lto();
	unlink(path);
	return unit_status();
}
