/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TARGET [-n ROUNDS] [-t STEP] [-o FILE] FILE... - runs the target on each
 * file, on ROUNDS mutants of it, the same in each run, and on what is left of
 * it when it is cut off at each STEPth byte. With -o, the input is in FILE
 * while it runs: that of a crash is left there.
 */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define SIZE_MAX_INPUT ((size_t)1 << 20)

static uint64_t state = 1;
static unsigned long nruns;

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

/* Truncated first, it would be on the disk before the next one is written. */
static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size ||
	    ftruncate(fd, size) != 0 || close(fd) != 0)
		die(path);
}

/* The first N of BYTES; they are in the file CURRENT, if that is not NULL. */
static void try(const char *current, const uint8_t *bytes, size_t n)
{
	if (current != NULL)
		write_file(current, bytes, n);
	LLVMFuzzerTestOneInput(bytes, n);
	nruns++;
}

int main(int argc, char **argv)
{
	uint8_t *good = malloc(SIZE_MAX_INPUT);
	uint8_t *bytes = malloc(SIZE_MAX_INPUT);
	const char *current = NULL;
	unsigned long nrounds = 0;
	size_t step = SIZE_MAX_INPUT;
	int option, first;

	while ((option = getopt(argc, argv, "n:o:t:")) != -1) {
		if (option == 'n')
			nrounds = strtoul(optarg, NULL, 0);
		else if (option == 'o')
			current = optarg;
		else if (option == 't')
			step = strtoul(optarg, NULL, 0);
		else
			return 99;
	}
	if (good == NULL || bytes == NULL || step == 0)
		die(argv[0]);
	first = optind; /* a target may call getopt, too */
	for (int i = first; i < argc; i++) {
		size_t size = read_file(argv[i], good);

		try(current, good, size);
		for (size_t n = step; n < size; n += step)
			try(current, good, n);
		for (unsigned long round = 1; round <= nrounds; round++) {
			memcpy(bytes, good, size);
			try(current, bytes,
			    LLVMFuzzerCustomMutator(bytes, size, SIZE_MAX_INPUT,
						    round));
		}
	}
	fprintf(stderr, "%s: %lu runs\n", argv[0], nruns);
	free(good);
	free(bytes);
	return nruns == 0;
}
