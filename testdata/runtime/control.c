/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program without a C library that switches its own sites by the lines of a
 * console, with the plain host; tests/runtime/runtime-patch-cross has the sites.
 */
#include <machine.h>
#include <sdt_host_plain.h>

extern const char __executable_start[], text_end[];
int call(int), branch(int), enabled(void), ask(void);
void tail(int);
static struct sdt_control control;
static struct sdt_module program = { .name = "prog" };
static int nfired;
static char printed[4096];
static unsigned nprinted;

static void handler(sdt_uptr n, sdt_uptr seven)
{
	nfired += n == 42 && seven == 7;
}
static void print(void *c, const char *text)
{
	(void)c;
	while (*text != 0 && nprinted < sizeof(printed) - 1)
		printed[nprinted++] = *text++;
	printed[nprinted] = 0;
}
static int pass(void)
{
	nfired = 0;
	tail(42);
	if (call(42) != 42)
		return -1;
	nfired += branch(42) == 0;
	return nfired * 100 + enabled() * 10 + ask();
}
static int same(const char *a, const char *b)
{
	while (*a != 0 && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}
static int has(const char *part)
{
	for (unsigned i = 0; i < nprinted; i++) {
		unsigned n = 0;

		while (part[n] != 0 && printed[i + n] == part[n])
			n++;
		if (part[n] == 0)
			return 1;
	}
	return 0;
}
static enum sdt_control_error line(const char *text)
{
	nprinted = 0;
	return sdt_control_line(&control, text, print, 0);
}
static enum sdt_control_error start(void)
{
#ifdef NO_FLUSH
	static struct sdt_patch_host host;

	sdt_host_plain(&host, &control);
	host.flush = 0;
	control.host = &host;
	control.handler = (sdt_uptr)handler;
	control.first = 0;
	return sdt_control_add(&control, &program);
#else
	return sdt_plain_start(&control, &program, (sdt_uptr)handler);
#endif
}
static int run(void)
{
	struct sdt_counts counts;
	struct sdt_site site;
	sdt_u8 byte;
#ifdef OFFSETS
	program.raw = sdt_table;
	program.limit = SDT_TABLE_LIMIT;
#else
	const struct sdt_bounds bounds = SDT_BOUNDS;

	program.bounds = bounds;
#endif
	/* No text: no site may be touched. */
	if (start() != 0 || line("list") != 0 || !has(" gone ") ||
	    has(" off ") || line("on t:::") != 0 || !has(" 0 changed, ") ||
	    pass() != 30)
		return 2;
	program.text[1].start = (sdt_uptr)__executable_start;
	program.text[1].end = (sdt_uptr)text_end;
	if (start() != 0 || control.first != &program || pass() != 30)
		return 3;
	if (line("list") != 0 || !has(" off ") || has(" on ") || has("stub") ||
	    !has(" t:prog:") || !has(":call\n") || !has(" is-enabled "))
		return 4;
	if (line(" on\tt::: \r\n") != 0 || has(" 0 changed") ||
	    !has(" 0 gone, 0 refused\n") || pass() != 451 ||
	    line("list t:prog::") != 0 || has(" off ") || !has(" on "))
		return 5;
	/* Twice is no error, and changes nothing. */
	if (line("on t:::") != 0 || !has(" 0 changed, ") || pass() != 451)
		return 6;
	/* With another handler they are neither on nor off. */
	if (sdt_control_disable(&control, "t:::call", (sdt_uptr)print,
				&counts) != SDT_CONTROL_REFUSED ||
	    counts.nrefused == 0 || counts.error != SDT_PATCH_OTHER_BYTES)
		return 7;
	if (line("off t:::call") != 0 || line("list call") != 0 ||
	    !has(" off ") || has(" on ") || line("off") == 0 || pass() == 451)
		return 8;
	if (line("off *") != 0 || pass() != 30)
		return 9;
	/* What the console does not understand is said. */
	if (line("off t:::nothing") != SDT_CONTROL_NO_MATCH ||
	    !same(printed, "no site matches the pattern\n") ||
	    line("on a:b:c:d:e") != SDT_CONTROL_BAD_PATTERN ||
	    line("onn") != SDT_CONTROL_NO_COMMAND ||
	    line("on a b") != SDT_CONTROL_NO_COMMAND ||
	    line("") != SDT_CONTROL_NO_COMMAND || nprinted == 0 ||
	    sdt_control_enable(&control, "t:::", 0, &counts) !=
		    SDT_CONTROL_NO_HANDLER)
		return 10;
	/* Damage is told of, and left. */
	sdt_table_get_site(&program.table, 0, &site);
	byte = *(volatile sdt_u8 *)site.addr;
	*(volatile sdt_u8 *)site.addr = byte ^ 0x41;
	if (line("on *") != SDT_CONTROL_REFUSED ||
	    !has(" 1 refused: other bytes than expected are there\n") ||
	    line("list") != 0 || !has(" other ") ||
	    *(volatile sdt_u8 *)site.addr != (byte ^ 0x41))
		return 11;
	*(volatile sdt_u8 *)site.addr = byte;
	if (line("off *") != 0 || pass() != 30)
		return 12;
	sdt_control_remove(&control, &program);
	if (line("list") != SDT_CONTROL_NO_MATCH || control.first != 0)
		return 13;
	/* A table that is none. */
	program.raw = printed;
	program.limit = sizeof(printed);
	if (sdt_control_add(&control, &program) != SDT_CONTROL_BAD_TABLE ||
	    control.first != 0 || *sdt_table_text(program.error) == 0)
		return 14;
	for (int i = -1; i < 20; i++)
		if (*sdt_control_text(i) == 0 || *sdt_table_text(i) == 0 ||
		    *sdt_patch_text(i) == 0 || *sdt_state_text(i) == 0)
			return 15;
	return 0;
}
void __attribute__((used)) start_in_c(void)
{
	exit_with(run());
}
#ifndef START_IN_ASSEMBLY
void _start(void)
{
	start_in_c();
}
#endif
