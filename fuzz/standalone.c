/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TARGET [-n ROUNDS] [-o FILE] FILE... - runs the target on each file, and on
 * ROUNDS mutants of it. The mutants are the same in each run. With -o, the
 * input is in FILE while it runs: that of a crash is left there.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define SIZE_MAX_INPUT ((size_t)1 << 20)

static uint64_t state = 1;

/* Only what the mutator of ELF files leaves to libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t max)
{
	size_t n = 1 + size / 64;

	for (; size > 0 && n > 0; n--) {
		state = state * UINT64_C(6364136223846793005) +
			1442695040888963407;
		bytes[(state >> 33) % size] ^= state >> 25;
	}
	/* A byte more, sometimes, or a few less. */
	if (size < max && (state >> 40) % 16 == 0)
		bytes[size++] = state >> 20;
	else if (size > 1 && (state >> 40) % 16 == 1)
		size -= 1 + (state >> 44) % (size - 1);
	return size;
}

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static size_t read_file(const char *path, uint8_t *bytes)
{
	FILE *f = fopen(path, "rb");
	size_t size;

	if (f == NULL)
		die(path);
	size = fread(bytes, 1, SIZE_MAX_INPUT, f);
	if (ferror(f))
		die(path);
	fclose(f);
	return size;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
		die(path);
}

int main(int argc, char **argv)
{
	uint8_t *good = malloc(SIZE_MAX_INPUT);
	uint8_t *bytes = malloc(SIZE_MAX_INPUT);
	const char *current = NULL;
	unsigned long nrounds = 0, nruns = 0;
	int option, first;

	while ((option = getopt(argc, argv, "n:o:")) != -1) {
		if (option == 'n')
			nrounds = strtoul(optarg, NULL, 0);
		else if (option == 'o')
			current = optarg;
		else
			return 99;
	}
	if (good == NULL || bytes == NULL)
		die(argv[0]);
	first = optind; /* a target may call getopt, too */
	for (int i = first; i < argc; i++) {
		size_t size = read_file(argv[i], good);

		for (unsigned long round = 0; round <= nrounds; round++) {
			size_t n = size;

			memcpy(bytes, good, size);
			if (round > 0)
				n = LLVMFuzzerCustomMutator(
					bytes, size, SIZE_MAX_INPUT, round);
			if (current != NULL)
				write_file(current, bytes, n);
			LLVMFuzzerTestOneInput(bytes, n);
			nruns++;
		}
	}
	fprintf(stderr, "%s: %lu runs\n", argv[0], nruns);
	free(good);
	free(bytes);
	return nruns == 0;
}
