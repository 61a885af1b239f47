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
# table and the patcher, compiled here from the sources in SDTLINK_RUNTIME, for
# the machine of $(CC). SDTLINK_ISA names another: aarch64, arm, loongarch, mips,
# ppc, riscv, s390x, sparc64 or x86. They are made in the folder SDTLINK_O, by
# default the current one: set it before the include. Your rule for clean removes
# SDTLINK_CLEAN. CPPFLAGS gets a -I for <sdtlink/sdt.h>; if your rules have no
# CPPFLAGS, give them SDTLINK_CPPFLAGS.
#
# To copy this file, copy the folder that it is in, with cp -RL.
SDTLINK ?= sdtlink
SDTLINK_FLAGS ?=
SDTLINK_LINK = $(SDTLINK) --link $(SDTLINK_FLAGS) --
SDTLINK_CC = $(SDTLINK) --cc $(SDTLINK_FLAGS) --

# Of what follows, each make sees its own part: to the other one it is a
# variable that is not set. First the folder of this file.
SDTLINK_DIR := ${.PARSEDIR}$(dir $(lastword $(MAKEFILE_LIST)))
SDTLINK_RUNTIME ?= $(SDTLINK_DIR)/runtime
# It has nothing but sdtlink/ in it.
SDTLINK_CPPFLAGS ?= -I$(SDTLINK_DIR)/include
CPPFLAGS += $(SDTLINK_CPPFLAGS)

# The machine, once somebody wants the runtime.
SDTLINK_ISAS = aarch64 arm loongarch mips ppc riscv s390x sparc64 x86
SDTLINK_ASK_ISA = case `$(CC) $(CFLAGS) -dumpmachine` in \
	aarch64*|arm64*) echo aarch64 ;; arm*|thumb*) echo arm ;; \
	loongarch*) echo loongarch ;; mips*) echo mips ;; \
	powerpc*|ppc*) echo ppc ;; riscv*) echo riscv ;; s390x*) echo s390x ;; \
	sparc64*|sparcv9*) echo sparc64 ;; \
	x86_64*|amd64*|i?86*) echo x86 ;; esac
SDTLINK_CC_ISA = $(shell $(SDTLINK_ASK_ISA))${:!${SDTLINK_ASK_ISA}!}
SDTLINK_ISA ?= $(SDTLINK_CC_ISA)
SDTLINK_WRONG_ISA = sdtlink.mk: set SDTLINK_ISA to one of $(SDTLINK_ISAS)
SDTLINK_OTHER_ISA = sdtlink.mk: SDTLINK_ISA is $(SDTLINK_ISA), and $(CC) \
	compiles for $(SDTLINK_CC_ISA)
SDTLINK_NO_RUNTIME = sdtlink.mk: set SDTLINK_RUNTIME to what pkg-config \
	--variable=runtimedir sdtlink-runtime prints
SDTLINK_CHECK = \
	$(if $(wildcard $(SDTLINK_RUNTIME)/sdt_table.c),,$(error \
		$(SDTLINK_NO_RUNTIME))) \
	$(if $(filter $(SDTLINK_ISAS),$(SDTLINK_ISA)),,$(error \
		$(SDTLINK_WRONG_ISA))) \
	$(if $(filter-out $(SDTLINK_ISA),$(SDTLINK_CC_ISA)),$(error \
		$(SDTLINK_OTHER_ISA)))

SDTLINK_O ?= .
SDTLINK_OBJS = $(SDTLINK_O)/sdt_table.o $(SDTLINK_O)/sdt_names.o \
	$(SDTLINK_O)/sdt_match.o $(SDTLINK_O)/sdt_patch.o \
	$(SDTLINK_O)/sdt_patch_isa.o $(SDTLINK_O)/sdt_control.o \
	$(SDTLINK_O)/sdt_host_plain.o
SDTLINK_RUNTIME_OBJS = $(SDTLINK_CHECK) $(SDTLINK_OBJS)
# How they were compiled: with anything else they are compiled again.
SDTLINK_HOW = $(SDTLINK_O)/sdt_compiled
SDTLINK_CLEAN = $(SDTLINK_OBJS) $(SDTLINK_OBJS:.o=.d) $(SDTLINK_HOW)

# It runs before the FPU is on, or memory is mapped: of these flags, those that
# the compiler takes.
SDTLINK_EARLY_aarch64 = -mgeneral-regs-only -mstrict-align
SDTLINK_EARLY_arm = -mgeneral-regs-only -mno-unaligned-access
SDTLINK_EARLY_x86 = -mgeneral-regs-only
SDTLINK_ASK_EARLY = for f in $(SDTLINK_EARLY_$(SDTLINK_ISA)); do \
	$(CC) $(CFLAGS) -Werror $$f -S -o /dev/null -x c /dev/null \
	2>/dev/null && echo $$f; done
SDTLINK_EARLY = $(shell $(SDTLINK_ASK_EARLY))${:!${SDTLINK_ASK_EARLY}!}
SDTLINK_RUNTIME_CFLAGS ?= -O2 -ffreestanding -fno-stack-protector \
	$(SDTLINK_EARLY)
SDTLINK_COMPILE = $(CC) $(CPPFLAGS) $(CFLAGS) $(SDTLINK_RUNTIME_CFLAGS) -c -o

# The first rule of the file that includes this one stays its goal.
SDTLINK_GOAL := $(.DEFAULT_GOAL)
$(SDTLINK_OBJS) $(SDTLINK_HOW) sdtlink_always: ${.PARSEDIR:D.NOTMAIN}
sdtlink_always:
# With +, make -n and make -q of GNU know, too, whether it is the same.
$(SDTLINK_HOW): sdtlink_always
	+@mkdir -p $(SDTLINK_O); how=`echo $(SDTLINK_COMPILE) $(SDTLINK_RUNTIME) \
		$(SDTLINK_ISA)`; test -f $@ && test "$$how" = "`cat $@`" || \
		echo "$$how" >$@
$(SDTLINK_OBJS): $(SDTLINK_HOW)
$(SDTLINK_O)/sdt_table.o: $(SDTLINK_RUNTIME)/sdt_table.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_table.c
$(SDTLINK_O)/sdt_names.o: $(SDTLINK_RUNTIME)/sdt_names.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_names.c
$(SDTLINK_O)/sdt_match.o: $(SDTLINK_RUNTIME)/sdt_match.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_match.c
$(SDTLINK_O)/sdt_patch.o: $(SDTLINK_RUNTIME)/sdt_patch.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_patch.c
$(SDTLINK_O)/sdt_patch_isa.o: $(SDTLINK_RUNTIME)/sdt_patch_isa.h
	@test -f $(SDTLINK_RUNTIME)/sdt_patch_$(SDTLINK_ISA).c || \
		{ echo '$(SDTLINK_WRONG_ISA)' >&2; exit 1; }
	@case "$(SDTLINK_CC_ISA)" in ''|$(SDTLINK_ISA)) ;; \
	*) echo '$(SDTLINK_OTHER_ISA)' >&2; exit 1 ;; esac
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_patch_$(SDTLINK_ISA).c
$(SDTLINK_O)/sdt_control.o: $(SDTLINK_RUNTIME)/sdt_control.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_control.c
$(SDTLINK_O)/sdt_host_plain.o: $(SDTLINK_RUNTIME)/sdt_host_plain.c
	$(SDTLINK_COMPILE) $@ $(SDTLINK_RUNTIME)/sdt_host_plain.c
.DEFAULT_GOAL := $(SDTLINK_GOAL)
