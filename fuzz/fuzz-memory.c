/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump --memory of an image and a core: see fuzz_split. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"

/* The core, beside the image of fuzz_file. */
static const char *core_file(const uint8_t *bytes, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("core", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) != 0 ||
	    pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct command cmd = { .mode = MODE_DUMP };
	struct report report;
	struct fuzz_pair pair;
	unsigned choice;

	if (fuzz_split(bytes, size, &pair))
		return 0;
	choice = fuzz_choice(pair.bytes[0], pair.size[0]);
	cmd.format = choice & 1 ? FORMAT_TEXT : FORMAT_JSON;
	cmd.has_displacement = choice & 2;
	cmd.memory = core_file(pair.bytes[1], pair.size[1]);
	fuzz_drop_output();
	if (report_init(&report))
		abort();
	report.is_json = cmd.format == FORMAT_JSON;
	if (!report.is_json)
		report.diag = fuzz_diag();
	fuzz_options(&cmd.options);
	if (string_list_add(&cmd.inputs,
			    fuzz_file(pair.bytes[0], pair.size[0])))
		abort();
	command_dump(&cmd, &report);
	string_list_free(&cmd.inputs);
	fuzz_options_free(&cmd.options);
	report_free(&report);
	return 0;
}
