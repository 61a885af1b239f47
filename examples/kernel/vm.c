/* SPDX-License-Identifier: BSD-2-Clause */
/* Many arguments, static functions, and one argument that costs something. */
#include "kernel.h"

#define PAGE_SIZE 4096
#define NPAGES 8

static uint8_t used[NPAGES];

static noinline unsigned int page_alloc(uintptr_t addr, unsigned int flags)
{
	unsigned int page = 0;

	while (page < NPAGES && used[page])
		page++;
	if (page < NPAGES)
		used[page] = 1;
	SDT_PROBE4(vm, page__alloc, addr, flags, page, (int)page - NPAGES);
	return page;
}

static noinline void page_free(unsigned int page, unsigned int order)
{
	uint8_t *entry = &used[page];

	SDT_PROBE5(vm, page__free, page, order, NPAGES, *entry, PAGE_SIZE);
	*entry = 0;
}

static noinline unsigned int count_free(void)
{
	unsigned int nfree = 0;

	for (unsigned int i = 0; i < NPAGES; i++)
		nfree += !used[i];
	return nfree;
}

unsigned long vm_fault(uintptr_t addr, unsigned int flags)
{
	unsigned int page = page_alloc(addr, flags);

	if (SDT_PROBE_ENABLED(vm, fault))
		SDT_PROBE6(vm, fault, addr, flags, page, count_free(),
			   addr % PAGE_SIZE, -1);
	page_free(page, 0);
	return addr / PAGE_SIZE + page;
}
