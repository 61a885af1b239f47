/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function that is nothing but a site, and one that is what --nop makes of
 * it: the linker may take them for one then, and must not.
 */
void __dtrace_sdt_equal___site(void);

__attribute__((section(".text.equal_site"))) void equal_site(void);
void equal_site(void)
{
	__dtrace_sdt_equal___site();
}

__attribute__((section(".text.equal_bare"))) void equal_bare(void);
#if defined(__i386__) || defined(__x86_64__)
__asm__(".section .text.equal_bare, \"ax\", @progbits\n"
	".p2align 4\n"
	".globl equal_bare\n.type equal_bare, @function\n"
	"equal_bare: ret\n.byte 0xcc, 0xcc, 0xcc, 0xcc\n"
	".size equal_bare, 5\n.text");
#else
void equal_bare(void)
{
}
#endif
