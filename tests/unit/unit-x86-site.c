/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86, the generator's view: what is a site, and what is said of the rest. */
#include <config.h>

#include <elf.h>

#include "arch/scan.h"
#include "arch/arch.h"
#include "elf/object.h"
#include "unit.h"

#define X64 &arch_x86_64
#define I386 &arch_i386

/* A relocation in up to 16 bytes of text, and what is to be made of it. */
struct row {
	const char *assembly;
	const struct arch *arch;
	uint8_t text[16];
	size_t size;
	struct reloc_row r; /* offset, addend, type */
	int form;	/* or -1: no site */
	unsigned back;
	unsigned length;
	const char *what;   /* part of the refusal's text */
	const char *remedy; /* part of it */
};

static const struct row sites[] = {
	{ "call p", X64, { 0xe8, 0, 0, 0, 0 }, 5,
	  { 1, -4, R_X86_64_PLT32, 0 }, FORM_CALL, 1, 5, 0, 0 },
	{ "call p, before binutils 2.31", X64, { 0xe8, 0, 0, 0, 0 }, 5,
	  { 1, -4, R_X86_64_PC32, 0 }, FORM_CALL, 1, 5, 0, 0 },
	{ "jmp p", X64, { 0xe9, 0, 0, 0, 0 }, 5,
	  { 1, -4, R_X86_64_PLT32, 0 }, FORM_TAIL, 1, 5, 0, 0 },
	{ "jo p", X64, { 0x0f, 0x80, 0, 0, 0, 0 }, 6,
	  { 2, -4, R_X86_64_PLT32, 0 }, FORM_COND, 2, 6, 0, 0 },
	{ "jg p", X64, { 0x0f, 0x8f, 0, 0, 0, 0 }, 6,
	  { 2, -4, R_X86_64_PLT32, 0 }, FORM_COND, 2, 6, 0, 0 },
	{ "nop; call p; nop", X64, { 0x90, 0xe8, 0, 0, 0, 0, 0x90 }, 7,
	  { 2, -4, R_X86_64_PLT32, 0 }, FORM_CALL, 1, 5, 0, 0 },
	{ "call p", I386, { 0xe8, 0xfc, 0xff, 0xff, 0xff }, 5,
	  { 1, 0, R_386_PC32, 0 }, FORM_CALL, 1, 5, 0, 0 },
	{ "call p@PLT", I386, { 0xe8, 0xfc, 0xff, 0xff, 0xff }, 5,
	  { 1, 0, R_386_PLT32, 0 }, FORM_CALL, 1, 5, 0, 0 },
	{ "jmp p", I386, { 0xe9, 0xfc, 0xff, 0xff, 0xff }, 5,
	  { 1, 0, R_386_PC32, 0 }, FORM_TAIL, 1, 5, 0, 0 },
	{ "je p", I386, { 0x0f, 0x84, 0xfc, 0xff, 0xff, 0xff }, 6,
	  { 2, 0, R_386_PC32, 0 }, FORM_COND, 2, 6, 0, 0 },
};

static const struct row refusals[] = {
	{ "call p, cut off by the section's end", X64, { 0xe8, 0, 0, 0 }, 4,
	  { 1, -4, R_X86_64_PLT32, 0 }, -1, 1, 4, "", "" },
	{ "a field at offset 0", X64, { 0, 0, 0, 0 }, 4,
	  { 0, -4, R_X86_64_PLT32, 0 }, -1, 0, 4, "no direct branch", "" },
	{ "80 without its 0f", X64, { 0x84, 0, 0, 0, 0 }, 5,
	  { 1, -4, R_X86_64_PLT32, 0 }, -1, 0, 4, "no direct branch", "" },
	{ "0f 7f, before the first jcc", X64, { 0x0f, 0x7f, 0, 0, 0, 0 }, 6,
	  { 2, -4, R_X86_64_PLT32, 0 }, -1, 0, 4, "no direct branch", "" },
	{ "0f 90, behind the last jcc", X64, { 0x0f, 0x90, 0, 0, 0, 0 }, 6,
	  { 2, -4, R_X86_64_PLT32, 0 }, -1, 0, 4, "no direct branch", "" },
	{ "call p+4", X64, { 0xe8, 0, 0, 0, 0 }, 5,
	  { 1, 0, R_X86_64_PLT32, 0 }, -1, 1, 5, "call of its inside",
	  "without an offset" },
	{ "jmp p+4", X64, { 0xe9, 0, 0, 0, 0 }, 5,
	  { 1, 0, R_X86_64_PLT32, 0 }, -1, 1, 5, "jump to its inside",
	  "without an offset" },
	{ "call *p@GOTPCREL(%rip)", X64, { 0xff, 0x15, 0, 0, 0, 0 }, 6,
	  { 2, -4, R_X86_64_GOTPCRELX, 0 }, -1, 2, 6, "call through the GOT",
	  "-fno-plt" },
	{ "jmp *p@GOTPCREL(%rip)", X64, { 0xff, 0x25, 0, 0, 0, 0 }, 6,
	  { 2, -4, R_X86_64_GOTPCRELX, 0 }, -1, 2, 6, "jump through the GOT",
	  "-fno-plt" },
	{ "mov p@GOTPCREL(%rip),%rbx", X64,
	  { 0x48, 0x8b, 0x1d, 0, 0, 0, 0 }, 7,
	  { 3, -4, R_X86_64_REX_GOTPCRELX, 0 }, -1, 3, 7,
	  "mov of a GOT entry", "-fno-plt" },
	{ "mov p@GOTPCREL(%rip),%r14", X64,
	  { 0x4c, 0x8b, 0x35, 0, 0, 0, 0 }, 7,
	  { 3, -4, R_X86_64_GOTPCREL, 0 }, -1, 3, 7, "mov of a GOT entry",
	  "-fno-plt" },
	{ "movabs $p,%rax", X64, { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0 }, 10,
	  { 2, 0, R_X86_64_64, 0 }, -1, 2, 10, "movabs of its address",
	  "-mcmodel=large" },
	{ "movabs $p@PLTOFF,%r11", X64,
	  { 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0 }, 10,
	  { 2, 0, R_X86_64_PLTOFF64, 0 }, -1, 2, 10, "movabs of its address",
	  "-mcmodel=large" },
	{ "lea p(%rip),%rdi", X64, { 0x48, 0x8d, 0x3d, 0, 0, 0, 0 }, 7,
	  { 3, -4, R_X86_64_PC32, 0 }, -1, 3, 7, "lea of its address",
	  "address" },
	{ "mov $p,%rax", X64, { 0x48, 0xc7, 0xc0, 0, 0, 0, 0 }, 7,
	  { 3, 0, R_X86_64_32S, 0 }, -1, 3, 7, "mov of its address",
	  "address" },
	{ "mov $p,%eax", X64, { 0xb8, 0, 0, 0, 0 }, 5,
	  { 1, 0, R_X86_64_32, 0 }, -1, 1, 5, "mov of its address",
	  "address" },
	{ "push $p", X64, { 0x68, 0, 0, 0, 0 }, 5,
	  { 1, 0, R_X86_64_32S, 0 }, -1, 1, 5, "push of its address",
	  "address" },
	{ "call *p", X64, { 0xff, 0x14, 0x25, 0, 0, 0, 0 }, 7,
	  { 3, 0, R_X86_64_32S, 0 }, -1, 0, 4, "no direct branch", "" },
	{ "call *p(%rip)", X64, { 0xff, 0x15, 0, 0, 0, 0 }, 6,
	  { 2, -4, R_X86_64_PC32, 0 }, -1, 2, 6, "indirect call", "" },
	{ "jmp *p(,%eax,4)", I386, { 0xff, 0x24, 0x85, 0, 0, 0, 0 }, 7,
	  { 3, 0, R_386_32, 0 }, -1, 0, 4, "no direct branch", "" },
	{ "jmp *p", I386, { 0xff, 0x25, 0, 0, 0, 0 }, 6,
	  { 2, 0, R_386_32, 0 }, -1, 2, 6, "indirect jump", "" },
	{ "call p+4", I386, { 0xe8, 0, 0, 0, 0 }, 5,
	  { 1, 0, R_386_PC32, 0 }, -1, 1, 5, "call of its inside",
	  "without an offset" },
	{ "call *p@GOT(%ebx)", I386, { 0xff, 0x93, 0, 0, 0, 0 }, 6,
	  { 2, 0, R_386_GOT32X, 0 }, -1, 2, 6, "call through the GOT",
	  "-fno-plt" },
	{ "jmp *p@GOT(%eax)", I386, { 0xff, 0xa0, 0, 0, 0, 0 }, 6,
	  { 2, 0, R_386_GOT32X, 0 }, -1, 2, 6, "jump through the GOT",
	  "-fno-plt" },
	{ "mov p@GOT(%ebx),%eax", I386, { 0x8b, 0x83, 0, 0, 0, 0 }, 6,
	  { 2, 0, R_386_GOT32X, 0 }, -1, 2, 6, "mov of a GOT entry",
	  "-fno-plt" },
	{ "mov $p,%eax", I386, { 0xb8, 0, 0, 0, 0 }, 5,
	  { 1, 0, R_386_32, 0 }, -1, 1, 5, "mov of its address", "address" },
	{ "dec %eax; mov p@GOT(%ebx),%eax", I386, { 0x48, 0x8b, 0x83, 0, 0, 0, 0 }, 7,
	  { 3, 0, R_386_GOT32, 0 }, -1, 2, 6, "mov of a GOT entry", "" },
	{ "a word that is no instruction", X64, { 1, 2, 3, 4, 0, 0, 0, 0 }, 8,
	  { 4, 0, R_X86_64_32, 0 }, -1, 0, 4, "no direct branch", "" },
	{ "call p, relocated as data", X64, { 0xe8, 0, 0, 0, 0 }, 5,
	  { 1, 0, R_X86_64_32, 0 }, -1, 1, 5, "", "" },
};

static void check_site(const struct row *row)
{
	struct site_shape shape = { 0 };

	if (!CHECK(row->arch->scan->find_site(row->arch, row->text, row->size,
					      RELOC(row->r), &shape)) ||
	    !CHECK((int)shape.form == row->form && shape.back == row->back &&
		   shape.length == row->length))
		printf("\t%s (%s)\n", row->assembly, row->arch->name);
}

static void check_refusal(const struct row *row)
{
	struct refusal refusal;
	struct site_shape shape;

	CHECK(!row->arch->scan->find_site(row->arch, row->text, row->size,
					  RELOC(row->r), &shape));
	refusal = scan_explain_refusal(row->arch, row->text, row->size,
				       RELOC(row->r));
	if (!CHECK(strstr(refusal.what, row->what) != NULL) ||
	    !CHECK(strstr(refusal.remedy, row->remedy) != NULL) ||
	    !CHECK(refusal.back == row->back) ||
	    !CHECK(refusal.length == row->length) ||
	    !CHECK(row->r.offset - refusal.back + refusal.length <= row->size))
		printf("\t%s (%s): %s, %u, %u\n", row->assembly,
		       row->arch->name, refusal.what, refusal.back,
		       refusal.length);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++)
		check_site(&sites[i]);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		check_refusal(&refusals[i]);
	return unit_status();
}
