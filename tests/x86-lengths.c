/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86-lengths x86_64|i386|i8086 <DISASSEMBLY - reads what objdump -d -w printed, and asks
 * sdtlink for the length of each instruction. Prints a line for each that
 * differs, by opcode, and the sum; fails if one differs.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86.h"

#define LENGTH_MAX 15
#define TAIL 10

/* The length of the instruction at BYTES by sdtlink, 0 if it cannot tell. */
static size_t length_of(const char *arch, const uint8_t *bytes, size_t size)
{
	uint8_t padded[LENGTH_MAX + TAIL] = { 0 };

	memcpy(padded, bytes, size);
	if (strcmp(arch, "i8086") == 0)
		return x86_insn_length_16(padded, sizeof(padded));
	return x86_insn_length(padded, sizeof(padded),
			       strcmp(arch, "x86_64") == 0);
}

/* Reads "  401000:\t48 89 e5 \tmov %rsp,%rbp"; the text is what follows. */
static size_t parse(const char *line, uint8_t *bytes, const char **text)
{
	const char *p = strchr(line, '\t');
	size_t n = 0;
	unsigned byte;
	int used;

	if (p == NULL || p == line || p[-1] != ':')
		return 0;
	for (p++; n < LENGTH_MAX && sscanf(p, "%2x%n ", &byte, &used) == 1 &&
		  used == 2 && p[2] == ' ';
	     p += 3)
		bytes[n++] = byte;
	*text = strchr(p, '\t');
	return *text != NULL ? n : 0;
}

/* objdump stumbles over it as well, or shows a prefix on a line of its own. */
static int is_instruction(const char *text)
{
	static const char *const others[] = {
		"(bad)", ".byte", "data16\n", "rex", "cs\n", "ds\n", "es\n", "ss\n",
		"fs\n", "gs\n", "lock\n", "repz\n", "repnz\n", "addr32\n",
		"addr16\n", "bnd\n", "notrack\n", "xacquire\n", "xrelease\n",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strstr(text, others[i]) != NULL)
			return 0;
	return 1;
}

/*
 * wait (9b) is an instruction of its own, which assemblers put before others;
 * objdump shows both as one.
 */
static size_t skip_wait(const uint8_t *bytes, size_t size)
{
	return size > 1 && bytes[0] == 0x9b;
}

int main(int argc, char **argv)
{
	const char *arch = argc > 1 ? argv[1] : "x86_64";
	size_t nsame = 0, nunknown = 0, ndifferent = 0;
	char line[1024];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		uint8_t bytes[LENGTH_MAX] = { 0 };
		const char *text;
		size_t size = parse(line, bytes, &text);
		size_t length, wait;

		if (size == 0 || !is_instruction(text))
			continue;
		wait = skip_wait(bytes, size);
		length = wait + length_of(arch, bytes + wait, size - wait);
		if (length == size) {
			nsame++;
			continue;
		}
		if (length == 0)
			nunknown++;
		else
			ndifferent++;
		if (nunknown + ndifferent <= 100)
			printf("%s: %zu:%s", length ? "differs" : "unknown",
			       length, line);
	}
	printf("%s: %zu instructions agree, %zu unknown, %zu differ\n",
	       arch, nsame, nunknown, ndifferent);
	return nsame == 0 || ndifferent > 0;
}
