# SPDX-License-Identifier: BSD-2-Clause
# Beside the runtime, so that ../../runtime is true when installed, too.
examplekerneldir = $(datadir)/sdtlink/examples/kernel
dist_examplekernel_DATA = \
	examples/kernel/Makefile \
	examples/kernel/boot.S \
	examples/kernel/console.c \
	examples/kernel/copy.S \
	examples/kernel/disk.S \
	examples/kernel/disk.c \
	examples/kernel/init.c \
	examples/kernel/kernel.h \
	examples/kernel/kernel.lds \
	examples/kernel/layout.h \
	examples/kernel/main.c \
	examples/kernel/module.c \
	examples/kernel/module.h \
	examples/kernel/net.c \
	examples/kernel/sched.c \
	examples/kernel/trace.c \
	examples/kernel/trace.h \
	examples/kernel/trampoline.S \
	examples/kernel/trampoline.h \
	examples/kernel/vm.c

examplelivedir = $(datadir)/sdtlink/examples/live
dist_examplelive_DATA = \
	examples/live/Makefile \
	examples/live/aarch64.S \
	examples/live/aarch64.c \
	examples/live/aarch64.lds \
	examples/live/bare.c \
	examples/live/bare.h \
	examples/live/cortex_m.S \
	examples/live/cortex_m.c \
	examples/live/cortex_m.lds \
	examples/live/live.c \
	examples/live/live.h \
	examples/live/posix.c \
	examples/live/ppc64le.S \
	examples/live/ppc64le.c \
	examples/live/ppc64le.lds \
	examples/live/print.c \
	examples/live/riscv64.S \
	examples/live/riscv64.c \
	examples/live/riscv64.lds \
	examples/live/s390x.S \
	examples/live/s390x.c \
	examples/live/s390x.lds \
	examples/live/sites.c \
	examples/live/x86_64.S \
	examples/live/x86_64.c \
	examples/live/x86_64.lds

examplelinuxdir = $(datadir)/sdtlink/examples/linux
dist_examplelinux_DATA = \
	examples/linux/aarch64.config \
	examples/linux/init.c \
	examples/linux/linux-6.1.patch \
	examples/linux/linux-6.12.patch \
	examples/linux/loopback.h \
	examples/linux/probes-6.1.patch \
	examples/linux/probes-6.12.patch \
	examples/linux/riscv64.config \
	examples/linux/sdt.h \
	examples/linux/x86_64.config
dist_examplelinux_SCRIPTS = examples/linux/install

examplelinuxsdtdir = $(examplelinuxdir)/sdt
dist_examplelinuxsdt_DATA = \
	examples/linux/sdt/Kconfig \
	examples/linux/sdt/Makefile \
	examples/linux/sdt/linux.c
