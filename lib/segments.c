/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loader knows nothing but the program headers, so a proof is as good as
 * they are. An image need not have any.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "segments.h"

static int compare_segments(const void *a, const void *b)
{
	const GElf_Phdr *x = a, *y = b;

	if (x->p_vaddr != y->p_vaddr)
		return x->p_vaddr < y->p_vaddr ? -1 : 1;
	return 0;
}

/* The N segments are sorted by address. */
static int check_overlap(struct diag *d, const struct object *obj,
			 const GElf_Phdr *segments, size_t n)
{
	uint64_t end = 0, code_end = 0;

	for (size_t i = 0; i < n; i++) {
		const GElf_Phdr *ph = &segments[i];
		bool is_code = (ph->p_flags & PF_X) && ph->p_filesz > 0;
		uint64_t next = ph->p_memsz > UINT64_MAX - ph->p_vaddr
					? UINT64_MAX
					: ph->p_vaddr + ph->p_memsz;

		if (ph->p_filesz > ph->p_memsz)
			return diag_file(d, obj->path, "malformed",
					 "a segment has more bytes in the "
					 "file than in memory");
		if (ph->p_memsz == 0)
			continue;
		if (ph->p_vaddr < code_end || (is_code && ph->p_vaddr < end))
			return diag_file(d, obj->path, "overlay",
					 "a segment at 0x%" PRIx64 " is loaded "
					 "over another, and one of the two "
					 "holds code",
					 ph->p_vaddr);
		if (next > end)
			end = next;
		if (is_code && next > code_end)
			code_end = next;
	}
	return 0;
}

int segments_check(struct diag *d, const struct object *obj)
{
	unsigned phnum = obj->ehdr.e_phnum;
	GElf_Phdr *segments;
	size_t n = 0, nloaded = 0;
	int status;

	if (phnum == 0)
		return 0;
	/* libelf leaves out what is not in the file. */
	if (elf_getphdrnum(obj->elf, &n) != 0 || n == 0 ||
	    (phnum != PN_XNUM && n != phnum) ||
	    obj->ehdr.e_phentsize !=
		    gelf_fsize(obj->elf, ELF_T_PHDR, 1, EV_CURRENT))
		return diag_file(d, obj->path, "malformed",
				 "its program headers are not all in the "
				 "file, or not as long as they should be");
	segments = malloc(n * sizeof(segments[0]));
	if (segments == NULL)
		return diag_nomem(d, obj->path);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(obj->elf, i, &segments[nloaded]) != NULL &&
		    segments[nloaded].p_type == PT_LOAD)
			nloaded++;
	if (nloaded > 0)
		qsort(segments, nloaded, sizeof(segments[0]), compare_segments);
	status = check_overlap(d, obj, segments, nloaded);
	free(segments);
	return status;
}
