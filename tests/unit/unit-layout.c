/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol that a section's offsets are measured from. */
#include <config.h>

#include "arch/arch.h"
#include "make/layout.h"
#include "unit.h"

#define STRINGS "\0a\0b\0c\0weak\0.dotted\0local\0other\0"
enum { A = 1, B = 3, C = 5, WEAK = 7, DOTTED = 12, LOCAL = 20, OTHER = 26 };
enum { TEXT = 1, HOT, GROUP };

#define SYMBOL(name, bind, type, visibility, shndx, value) \
	{ \
		(name), ELF64_ST_INFO(STB_##bind, STT_##type), \
			STV_##visibility, (shndx), (value), 0 \
	}

static struct section sections[] = {
	{ .name = "" },
	[TEXT] = { .name = ".text", .size = 0x100 },
	[HOT] = { .name = ".text.hot", .size = 0x100 },
	[GROUP] = { .name = ".group" },
};
static struct site sites[] = { { .offset = 0x20, .shndx = TEXT },
			       { .offset = 0x40, .shndx = TEXT },
			       { .offset = 8, .shndx = HOT } };
static struct unit_heard heard;
static struct layout layout;
static struct options options;
static size_t nsites;

/* Plans the first NSITES sites with these symbols besides the null one. */
static int plan(const Elf64_Sym *symbols, size_t nsymbols)
{
	struct diag d = { .sink = unit_hear, .ctx = &heard };
	const struct object obj = {
		.path = "x.o",
		.arch = &arch_x86_64,
		.is_64 = true,
		.sections = sections,
		.nsections = 4,
		.symbols = symbols,
		.nsymbols = nsymbols,
		.strings = STRINGS,
		.strings_size = sizeof(STRINGS),
	};
	const struct site_set set = { .sites = sites, .nsites = nsites };

	heard = (struct unit_heard){ .code = "" };
	layout_free(&layout);
	return layout_plan(&d, &obj, &options, &set, &layout);
}

#define PLAN(...) \
	plan((const Elf64_Sym[]){ { 0 }, __VA_ARGS__ }, \
	     sizeof((const Elf64_Sym[]){ { 0 }, __VA_ARGS__ }) / \
		     sizeof(Elf64_Sym))

static void check_base(size_t i, const char *symbol, uint64_t value)
{
	if (!CHECK(i < layout.nbases && layout.bases[i].symbol != NULL))
		return;
	CHECK_STR(layout.bases[i].symbol, symbol);
	CHECK(layout.bases[i].value == value);
}

static void test_choice(void)
{
	nsites = 2;
	/* The first of equals, then by name. */
	CHECK(PLAN(SYMBOL(B, GLOBAL, FUNC, DEFAULT, TEXT, 0x10),
		   SYMBOL(A, GLOBAL, FUNC, DEFAULT, TEXT, 0x20)) == 0);
	check_base(0, "b", 0x10);
	CHECK(PLAN(SYMBOL(B, GLOBAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(A, GLOBAL, NOTYPE, DEFAULT, TEXT, 0)) == 0);
	check_base(0, "a", 0);
	CHECK(layout.nbases == 1 && layout.bases[0].nsites == 2);
	/* A hidden one cannot be preempted. */
	CHECK(PLAN(SYMBOL(A, GLOBAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(B, GLOBAL, FUNC, HIDDEN, TEXT, 0x80)) == 0);
	check_base(0, "b", 0x80);
	/* Behind the last byte is in the section, further is not. */
	CHECK(PLAN(SYMBOL(A, GLOBAL, NOTYPE, DEFAULT, TEXT, 0x101),
		   SYMBOL(B, GLOBAL, NOTYPE, DEFAULT, TEXT, 0x100)) == 0);
	check_base(0, "b", 0x100);
}

static void test_unusable(void)
{
	nsites = 2;
	CHECK(PLAN(SYMBOL(LOCAL, LOCAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(WEAK, WEAK, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(DOTTED, GLOBAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(OTHER, GLOBAL, FUNC, DEFAULT, HOT, 0),
		   SYMBOL(A, GLOBAL, TLS, DEFAULT, TEXT, 0),
		   SYMBOL(B, GLOBAL, FUNC, INTERNAL, TEXT, 0),
		   SYMBOL(C, GLOBAL, FUNC, DEFAULT, SHN_UNDEF, 0)) == -1);
	CHECK_STR(heard.code, "no-base");
	CHECK_STR(heard.section, ".text");
	CHECK_STR(heard.text, "the section has 2 probe sites but no global "
			      "symbol to measure them from");
}

/* In a COMDAT group a weak symbol will do. */
static void test_comdat(void)
{
	nsites = 2;
	sections[TEXT].group = sections[TEXT].comdat = GROUP;
	sections[TEXT].ngroups = 1;
	sections[GROUP].info = 1;
	CHECK(PLAN(SYMBOL(WEAK, WEAK, FUNC, DEFAULT, TEXT, 0)) == 0);
	check_base(0, "weak", 0);
	CHECK(PLAN(SYMBOL(WEAK, WEAK, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(A, GLOBAL, FUNC, DEFAULT, TEXT, 0x10)) == -1);
	CHECK_STR(heard.code, "merged-group");
	sections[TEXT].ngroups = 2;
	CHECK(PLAN(SYMBOL(WEAK, WEAK, FUNC, DEFAULT, TEXT, 0)) == -1);
	CHECK_STR(heard.text, "the section is in 2 section groups at once");
	sections[TEXT].group = sections[TEXT].comdat = 0;
	sections[TEXT].ngroups = 0;
}

static void test_two_sections(void)
{
	nsites = 3;
	CHECK(PLAN(SYMBOL(A, GLOBAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(B, GLOBAL, FUNC, DEFAULT, HOT, 4)) == 0);
	CHECK(layout.nbases == 2 && layout.bases[1].first_site == 2);
	check_base(0, "a", 0);
	check_base(1, "b", 4);
	CHECK(PLAN(SYMBOL(A, GLOBAL, FUNC, DEFAULT, TEXT, 0)) == -1);
	CHECK_STR(heard.section, ".text.hot");
}

static void test_base_option(void)
{
	nsites = 3;
	options.base = "c";
	CHECK(PLAN(SYMBOL(A, GLOBAL, FUNC, HIDDEN, TEXT, 0),
		   SYMBOL(C, GLOBAL, FUNC, DEFAULT, TEXT, 0x30),
		   SYMBOL(B, GLOBAL, FUNC, DEFAULT, HOT, 0)) == 0);
	check_base(0, "c", 0x30);
	CHECK(PLAN(SYMBOL(A, GLOBAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(C, LOCAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(B, GLOBAL, FUNC, DEFAULT, HOT, 0)) == -1);
	CHECK_STR(heard.text, "--base=c is not a global symbol of a section that "
			      "has probe sites");
	options.base = NULL;
}

/* A linker set has one text start, and needs no symbol for it. */
static void test_linker_set(void)
{
	options.table = TABLE_LINKER_SET;
	nsites = 2;
	CHECK(PLAN(SYMBOL(LOCAL, LOCAL, FUNC, DEFAULT, TEXT, 0)) == 0);
	nsites = 3;
	CHECK(PLAN(SYMBOL(A, GLOBAL, FUNC, DEFAULT, TEXT, 0),
		   SYMBOL(B, GLOBAL, FUNC, DEFAULT, HOT, 0)) == -1);
	CHECK_STR(heard.section, ".text.hot");
	options.table = TABLE_OFFSETS;
}

static void test_names(void)
{
	CHECK(layout_is_asm_symbol("a_1.b$") && layout_is_asm_symbol("_"));
	CHECK(!layout_is_asm_symbol("") && !layout_is_asm_symbol("1a"));
	CHECK(!layout_is_asm_symbol(".a") && !layout_is_asm_symbol("$a"));
	CHECK(!layout_is_asm_symbol("a b") && !layout_is_asm_symbol("a\"") &&
	      !layout_is_asm_symbol("a*/") &&
	      !layout_is_asm_symbol("\xc3\xa9"));
}

int main(void)
{
	test_choice();
	test_unusable();
	test_comdat();
	test_two_sections();
	test_base_option();
	test_linker_set();
	test_names();
	nsites = 0;
	CHECK(PLAN({ 0 }) == 0);
	CHECK(layout.nbases == 0);
	layout_free(&layout);
	return unit_status();
}
