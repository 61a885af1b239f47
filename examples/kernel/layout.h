/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the kernel lies; for C, assembly and kernel.lds alike.  Physical
 * address P is mapped at KERNEL_BASE + P, for -mcmodel=kernel, and at P.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#define KERNEL_BASE 0xffffffff80000000
#define BOOT_PHYS 0x100000
#define TEXT_PHYS 0x200000 /* one page of 2 MiB, read-only */
#define DATA_PHYS 0x400000 /* one page of 2 MiB */

#endif
