/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module, with probes of its own, one of them in the branch form: sdtlink
 * --inject gives it a table.
 */
#include "kernel.h"

#define BLOCK_SIZE 512
#define SLOW 2 /* blocks from here on */

static unsigned int nread;

static noinline unsigned int disk_seek(unsigned int block)
{
	if (block >= SLOW && SDT_PROBE_ENABLED(disk, slow))
		SDT_PROBE2(disk, slow, block, nread);
	return block / 2;
}

static noinline void disk_done(unsigned int block)
{
	nread++;
	SDT_PROBE2(disk, read__done, block, nread);
}

/* The kernel calls this, and it calls the kernel. */
unsigned int disk_read(unsigned int block)
{
	unsigned int cylinder;

	SDT_BRANCH_PROBE2(disk, read, block, BLOCK_SIZE);
	cylinder = disk_seek(block);
	disk_done(block);
	return cylinder + nread + (unsigned int)udp_is_traced();
}
