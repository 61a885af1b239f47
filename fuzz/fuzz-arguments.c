/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines: the bytes are a response file, with the words of sdtlink, of a
 * linker or of a compiler.
 */
#include <config.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "compiler-options.h"
#include "fuzz.h"
#include "linker-options.h"

/* A word that is a file's name would be read: only ours is. */
static int names_files(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (bytes[i] == '@' &&
		    (bytes[i + 1] == '/' || bytes[i + 1] == '\\' ||
		     bytes[i + 1] == '"' || bytes[i + 1] == '\'' ||
		     bytes[i + 1] == '.'))
			return 1;
	return 0;
}

static void read_others(char **argv)
{
	struct linker_options options;
	struct compilation compilation;

	linker_options_read(argv, &options);
	free(options.output);
	compilation_read(argv, &compilation);
	compilation_free(&compilation);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct diag d = fuzz_diag();
	struct argument_list args;
	struct command cmd = { 0 };
	char path[80] = "@", name[] = "sdtlink";
	char *argv[] = { name, path, NULL };

	if (names_files(bytes, size))
		return 0;
	strcat(path, fuzz_file(0, bytes, size));
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	read_others(argv + 1);
	if (response_expand(&d, 2, argv, &args) == 0)
		arguments_parse(&args, &cmd);
	command_free(&cmd);
	response_free(&args);
	return 0;
}
