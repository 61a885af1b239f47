# SPDX-License-Identifier: BSD-2-Clause
#
# For GNU make and bmake: include it where CC and LD are set already, then
#
#	kernel.elf: $(OBJS) $(SDTLINK_RUNTIME_OBJS)
#		$(SDTLINK_LINK) $(LD) -T kernel.lds -o $@ $(OBJS) $(SDTLINK_RUNTIME_OBJS)
#
# links a program with probes, and proves it;
#
#	lib.o: lib.c
#		$(SDTLINK_CC) $(CC) $(CFLAGS) -c -o $@ lib.c
#
# compiles what others will link. SDTLINK_RUNTIME_OBJS are the reader of the
# table and the patcher, compiled here from the installed sources, for the
# SDTLINK_ISA: aarch64, arm, loongarch, mips, ppc, riscv, s390x, sparc64, x86.
SDTLINK ?= sdtlink
SDTLINK_FLAGS ?=
SDTLINK_LINK = $(SDTLINK) --link $(SDTLINK_FLAGS) --
SDTLINK_CC = $(SDTLINK) --cc $(SDTLINK_FLAGS) --

# The folder of this file: bmake knows the one, GNU make the other.
SDTLINK_DIR := ${.PARSEDIR}$(dir $(lastword $(MAKEFILE_LIST)))
SDTLINK_RUNTIME ?= $(SDTLINK_DIR)/runtime
SDTLINK_ISA ?= x86
SDTLINK_RUNTIME_CFLAGS ?= -O2 -ffreestanding -fno-stack-protector
SDTLINK_RUNTIME_OBJS = sdt_table.o sdt_names.o sdt_match.o sdt_patch.o \
	sdt_patch_isa.o sdt_control.o sdt_host_plain.o

SDTLINK_COMPILE = $(CC) $(CPPFLAGS) $(CFLAGS) $(SDTLINK_RUNTIME_CFLAGS) -c -o

sdt_table.o: $(SDTLINK_RUNTIME)/sdt_table.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_table.c
sdt_names.o: $(SDTLINK_RUNTIME)/sdt_names.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_names.c
sdt_match.o: $(SDTLINK_RUNTIME)/sdt_match.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_match.c
sdt_patch.o: $(SDTLINK_RUNTIME)/sdt_patch.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_patch.c
sdt_patch_isa.o: $(SDTLINK_RUNTIME)/sdt_patch_$(SDTLINK_ISA).c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_patch_$(SDTLINK_ISA).c
sdt_control.o: $(SDTLINK_RUNTIME)/sdt_control.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_control.c
sdt_host_plain.o: $(SDTLINK_RUNTIME)/sdt_host_plain.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_host_plain.c
