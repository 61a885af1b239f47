/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What --link gives a linker to read in the place of a file: an object, an
 * archive of any sort, or something else.
 */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "make/substitute.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct diag d = fuzz_diag();
	struct options options;
	struct substitutes set = { .options = &options };
	const char *name = fuzz_file(0, bytes, size);
	int fd = open(name, O_RDONLY | O_CLOEXEC), instead;

	if (fd < 0)
		abort();
	fuzz_options(&options);
	options.nop = fuzz_choice(bytes, size) & 1;
	/* Asked again, it gives the same; nobody is told to read what failed. */
	if (substitute_find(&d, &set, name, fd, &instead) == 0) {
		int again;

		if (substitute_find(&d, &set, name, fd, &again) ||
		    again != instead)
			abort();
	} else if (d.nno + d.ntrouble == 0) {
		abort();
	}
	substitutes_free(&set);
	fuzz_options_free(&options);
	close(fd);
	return 0;
}
