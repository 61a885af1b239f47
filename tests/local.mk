# SPDX-License-Identifier: GPL-3.0-or-later
AM_TESTS_ENVIRONMENT = \
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)'; export SDTLINK; \
	builddir='$(abs_builddir)'; export builddir; \
	CC='$(CC)'; export CC; \
	PYTHON='$(PYTHON)'; export PYTHON;
LOG_COMPILER = $(srcdir)/tests/run

# Where a test does the same to thousands, every fifteenth, unless somebody wants
# more. Every sixteenth would try only one bit of each byte.
AM_TESTS_ENVIRONMENT += \
	SDTLINK_STRIDE="$${SDTLINK_STRIDE-15}"; export SDTLINK_STRIDE;

# --- Unit tests -------------------------------------------------------------

include tests/unit/local.mk

check_PROGRAMS += $(unit_tests) tests/branches tests/many tests/mutants \
	tests/x86-lengths
EXTRA_PROGRAMS = tests/oracle-mcount
CLEANFILES += $(EXTRA_PROGRAMS)

# It includes the command's main.c.
tests_many_SOURCES = tests/many.c $(command_sources)
tests_many_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
tests_many_LDADD = lib/libsdtlink.a
tests_mutants_SOURCES = tests/mutants.c tests/mutants.h tests/mutants-branch.c \
	tests/mutants-elf.c tests/mutants-table.c tests/mutants-text.c
tests_mutants_LDADD = lib/libsdtlink.a
tests_branches_SOURCES = tests/branches.c
tests_branches_LDADD = lib/libsdtlink.a
tests_x86_lengths_SOURCES = tests/x86-lengths.c
tests_x86_lengths_LDADD = lib/libsdtlink.a
tests_oracle_mcount_SOURCES = tests/oracle-mcount.c

# --- Tests in shell ---------------------------------------------------------

shell_tests = \
	tests/build-systems \
	tests/cc-wrapper \
	tests/fuzz-seeds \
	tests/fuzz-service \
	tests/host-calls \
	tests/host-compilers \
	tests/idioms \
	tests/lib-rooms \
	tests/live-threads \
	tests/live-threads-cross \
	tests/matrix \
	tests/metadata \
	tests/metadata-links \
	tests/oracle-random
# What the first word of a name says is its room.
include tests/arch/local.mk
include tests/bad/local.mk
include tests/boot/local.mk
include tests/branch/local.mk
include tests/cli/local.mk
include tests/doc/local.mk
include tests/drift/local.mk
include tests/dump/local.mk
include tests/emit/local.mk
include tests/fault/local.mk
include tests/inject/local.mk
include tests/jump/local.mk
include tests/link/local.mk
include tests/package/local.mk
include tests/runtime/local.mk
include tests/source/local.mk
include tests/verify/local.mk

TESTS += $(unit_tests) $(shell_tests)
EXTRA_DIST += tests/package/package
EXTRA_DIST += $(shell_tests) tests/fail-malloc.c testdata/arch/handlers.c \
	testdata/arch/machine.h testdata/arch/program.c \
	testdata/arch/reader.c testdata/kernel.lds testdata/runtime/control.c \
	testdata/runtime/sites.c testdata/runtime/start.S \
	testdata/trace/outside.c testdata/trace/program.c \
	testdata/matrix/a53.s testdata/matrix/a8.lds testdata/matrix/a8.s \
	testdata/matrix/core.c \
	testdata/matrix/discard.lds testdata/matrix/equal.c \
	testdata/matrix/far.lds testdata/matrix/tls.c \
	testdata/matrix/inline.cc \
	testdata/matrix/kernel.lds \
	testdata/matrix/merge-all.lds testdata/matrix/net.c \
	testdata/matrix/outside.c testdata/matrix/pad.c \
	testdata/matrix/padded.lds testdata/matrix/reader.c \
	testdata/matrix/weak.c testdata/override.c testdata/program.c \
	tests/arch/arch-chain tests/boot/boot-live tests/arch_branches.py tests/arch_oracle.py tests/arm_bits.py tests/targets.py tests/bad/bad-fields tests/doc.py tests/drift_maps.py tests/drift_random.py tests/elf-edit tests/elf.py tests/foreign.py tests/every-table tests/fields.py tests/lib.sh tests/tools tests/tools.py \
	tests/matrix.py tests/matrix_build.py tests/matrix_code.py \
	tests/matrix_damage.py tests/matrix_document.py tests/matrix_elf.py \
	tests/matrix_insns.py tests/matrix_isas.py tests/matrix_judge.py \
	tests/matrix_oracle.py tests/matrix_shuffle.py \
	tests/matrix_variants.py tests/oracle-verify tests/random_links.py tests/link_programs.py tests/block_links.py tests/bare.py tests/qemu_dump.py tests/rooms.py tests/markers.py tests/source_lines.py tests/stack.py tests/terminal.py tests/trace.py tests/x86_encodings.py \
	tests/run tests/verify/verify-matrix tests/verify/verify-mutants

# --- Real input, which must be fetched ----------------------------------------

include tests/real/local.mk

# The names of all tests, for scripts that run some of them.
list-tests:
	@for test in $(TESTS); do echo "$$test"; done

# What needs no compiler but the one, for those who package sdtlink.
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(unit_tests)'

# Each test whole, and those that take minutes or tools that few have.
check-long:
	SDTLINK_STRIDE=1 SDTLINK_LONG=1 $(MAKE) $(AM_MAKEFLAGS) check

check-real: tests/oracle-mcount$(EXEEXT)
	SDTLINK_STRIDE="$${SDTLINK_STRIDE-1}" \
		$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(real_tests)'; status=$$?; \
	$(srcdir)/tests/real/numbers $(real_tests); exit $$status

# Whole kernels take minutes each.
KERNELS = arm arm64 cortex_m i386 mips mips64el ppc32 ppc64le riscv s390 sparc64 \
	thumb x86_64
check-kernel: all
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)' \
		$(srcdir)/tests/real/real-kernel $(KERNELS)

# Linux with probes, built and booted.
LINUX = x86_64 x86_64,-X86_KERNEL_IBT aarch64 x86_64,6.12 \
	aarch64,6.12,+RANDOMIZE_MODULE_REGION_FULL riscv64,6.12 \
	x86_64,6.12,clang x86_64,6.12,clang,+LTO_CLANG_THIN
check-linux: all
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)' \
		$(srcdir)/tests/real/real-linux $(LINUX); status=$$?; \
	test $$status -eq 0 || test $$status -eq 77

# Systems with probes, built and booted, as doc/integrating/ says.
SYSTEMS = edk2 grub memtest86plus opensbi seabios tf-a u-boot xen
check-systems: all
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)' \
		$(srcdir)/tests/real/real-systems $(SYSTEMS); status=$$?; \
	test $$status -eq 0 || test $$status -eq 77

# The command as installed starts; DESTDIR is honoured.
installcheck-local:
	'$(DESTDIR)$(bindir)/sdtlink$(EXEEXT)' --version
	'$(DESTDIR)$(bindir)/sdtlink$(EXEEXT)' --help >/dev/null
	grep -q '^sdtlink=' '$(DESTDIR)$(pkgconfigdir)/sdtlink.pc'
	test -f '$(DESTDIR)$(sdtlinkruntimedir)/sdt_table.c'
	grep -q '^runtimedir=' '$(DESTDIR)$(pkgconfigdir)/sdtlink-runtime.pc'

.PHONY: check-kernel check-linux check-long check-real check-systems check-unit \
	list-tests
