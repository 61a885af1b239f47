/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instruction sets, one row each, by their names in JSON. The struct arch
 * is called arch_NAME. The declarations of these, the search for one and the
 * names that --version prints are made from this list.
 */
#ifndef SDTLINK_INSTRUCTION_SETS_H
#define SDTLINK_INSTRUCTION_SETS_H

/* clang-format off */
#define ARCH_LIST(ROW) \
	ROW(aarch64) \
	ROW(aarch64_be) \
	ROW(arm) \
	ROW(armeb) \
	ROW(i386) \
	ROW(loongarch64) \
	ROW(mips) \
	ROW(mips64) \
	ROW(mips64el) \
	ROW(mipsel) \
	ROW(mipsn32) \
	ROW(mipsn32el) \
	ROW(ppc32) \
	ROW(ppc64) \
	ROW(ppc64le) \
	ROW(ppc64v1) \
	ROW(riscv32) \
	ROW(riscv64) \
	ROW(s390x) \
	ROW(sparc64) \
	ROW(x32) \
	ROW(x86_64)
/* clang-format on */

#endif
