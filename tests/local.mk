# SPDX-License-Identifier: GPL-3.0-or-later
AM_TESTS_ENVIRONMENT = \
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)'; export SDTLINK; \
	builddir='$(abs_builddir)'; export builddir; \
	CC='$(CC)'; export CC; \
	PYTHON='$(PYTHON)'; export PYTHON;
LOG_COMPILER = $(srcdir)/tests/run

# Where a test does the same to thousands, every seventh, unless somebody wants
# all. Every eighth would try only one bit of each byte.
AM_TESTS_ENVIRONMENT += \
	SDTLINK_STRIDE="$${SDTLINK_STRIDE-7}"; export SDTLINK_STRIDE;

# --- Unit tests -------------------------------------------------------------

unit_tests = \
	tests/unit-aarch64 \
	tests/unit-anchored \
	tests/unit-arm \
	tests/unit-bytes \
	tests/unit-check \
	tests/unit-crel \
	tests/unit-json \
	tests/unit-layout \
	tests/unit-loongarch \
	tests/unit-mips \
	tests/unit-options \
	tests/unit-patch-aarch64 \
	tests/unit-patch-arm \
	tests/unit-patch-loongarch \
	tests/unit-patch-mips \
	tests/unit-patch-ppc \
	tests/unit-patch-riscv \
	tests/unit-patch-s390x \
	tests/unit-patch-sparc64 \
	tests/unit-patch-x86 \
	tests/unit-ppc \
	tests/unit-probe \
	tests/unit-response \
	tests/unit-riscv \
	tests/unit-runtime \
	tests/unit-tracepoint \
	tests/unit-s390x \
	tests/unit-sparc64 \
	tests/unit-x86-branch \
	tests/unit-x86-length \
	tests/unit-x86-rewrite \
	tests/unit-x86-site

check_PROGRAMS += $(unit_tests) tests/branches tests/many tests/mutants \
	tests/x86-lengths
EXTRA_PROGRAMS = tests/oracle-mcount
CLEANFILES += $(EXTRA_PROGRAMS)

patcher = runtime/sdt_patch.c runtime/sdt_patch_isa.h runtime/sdt_table.c
word_patcher = $(patcher) runtime/sdt_patch_word.c runtime/sdt_patch_word.h

tests_unit_aarch64_SOURCES = tests/unit-aarch64.c tests/unit.h
tests_unit_aarch64_LDADD = lib/libsdtlink.a
tests_unit_anchored_SOURCES = tests/unit-anchored.c runtime/sdt_match.c \
	runtime/sdt_table.c
tests_unit_arm_SOURCES = tests/unit-arm.c tests/unit.h
tests_unit_arm_LDADD = lib/libsdtlink.a
tests_unit_bytes_SOURCES = tests/unit-bytes.c tests/unit.h
tests_unit_bytes_LDADD = lib/libsdtlink.a
tests_unit_check_SOURCES = tests/unit-check.c tests/unit.h
tests_unit_check_LDADD = lib/libsdtlink.a
tests_unit_crel_SOURCES = tests/unit-crel.c tests/unit.h
tests_unit_crel_LDADD = lib/libsdtlink.a
tests_unit_json_SOURCES = tests/unit-json.c tests/unit.h sdtlink/json.c
tests_unit_json_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
tests_unit_json_LDADD = lib/libsdtlink.a
tests_unit_layout_SOURCES = tests/unit-layout.c tests/unit.h
tests_unit_layout_LDADD = lib/libsdtlink.a
tests_unit_loongarch_SOURCES = tests/unit-loongarch.c tests/unit.h
tests_unit_loongarch_LDADD = lib/libsdtlink.a
tests_unit_mips_SOURCES = tests/unit-mips.c tests/unit.h
tests_unit_mips_LDADD = lib/libsdtlink.a
tests_unit_options_SOURCES = tests/unit-options.c tests/unit.h
tests_unit_options_LDADD = lib/libsdtlink.a
tests_unit_ppc_SOURCES = tests/unit-ppc.c tests/unit.h
tests_unit_ppc_LDADD = lib/libsdtlink.a
tests_unit_probe_SOURCES = tests/unit-probe.c tests/unit.h
tests_unit_probe_LDADD = lib/libsdtlink.a
tests_unit_response_SOURCES = tests/unit-response.c tests/unit.h \
	sdtlink/response.c
tests_unit_response_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
tests_unit_response_LDADD = lib/libsdtlink.a
tests_unit_riscv_SOURCES = tests/unit-riscv.c tests/unit.h
tests_unit_riscv_LDADD = lib/libsdtlink.a
tests_unit_patch_aarch64_SOURCES = tests/unit-patch-aarch64.c \
	tests/unit-patch.h tests/unit.h runtime/sdt_patch_aarch64.c \
	$(word_patcher)
tests_unit_patch_aarch64_LDADD = lib/libsdtlink.a
tests_unit_patch_arm_SOURCES = tests/unit-patch-arm.c \
	tests/unit-patch.h tests/unit.h runtime/sdt_patch_arm.c \
	$(patcher)
tests_unit_patch_arm_LDADD = lib/libsdtlink.a
tests_unit_patch_loongarch_SOURCES = tests/unit-patch-loongarch.c \
	tests/unit-patch.h tests/unit.h runtime/sdt_patch_loongarch.c \
	$(patcher)
tests_unit_patch_loongarch_LDADD = lib/libsdtlink.a
tests_unit_patch_mips_SOURCES = tests/unit-patch-mips.c \
	tests/unit-patch.h tests/unit.h runtime/sdt_patch_mips.c \
	$(word_patcher)
tests_unit_patch_mips_LDADD = lib/libsdtlink.a
tests_unit_patch_ppc_SOURCES = tests/unit-patch-ppc.c \
	tests/unit-patch.h tests/unit.h runtime/sdt_patch_ppc.c \
	$(word_patcher)
tests_unit_patch_ppc_LDADD = lib/libsdtlink.a
tests_unit_patch_s390x_SOURCES = tests/unit-patch-s390x.c \
	tests/unit-patch.h tests/unit.h runtime/sdt_patch_s390x.c \
	$(patcher)
tests_unit_patch_s390x_LDADD = lib/libsdtlink.a
tests_unit_patch_sparc64_SOURCES = tests/unit-patch-sparc64.c \
	tests/unit-patch.h tests/unit.h runtime/sdt_patch_sparc64.c \
	$(word_patcher)
tests_unit_patch_sparc64_LDADD = lib/libsdtlink.a
tests_unit_patch_riscv_SOURCES = tests/unit-patch-riscv.c \
	runtime/sdt_patch.c runtime/sdt_patch_isa.h \
	runtime/sdt_patch_riscv.c runtime/sdt_table.c
tests_unit_patch_x86_SOURCES = tests/unit-patch-x86.c runtime/sdt_match.c \
	runtime/sdt_patch.c runtime/sdt_patch_isa.h runtime/sdt_patch_x86.c \
	runtime/sdt_table.c
tests_unit_runtime_SOURCES = tests/unit-runtime.c runtime/sdt_match.c \
	runtime/sdt_table.c
tests_unit_s390x_SOURCES = tests/unit-s390x.c tests/unit.h
tests_unit_s390x_LDADD = lib/libsdtlink.a
tests_unit_sparc64_SOURCES = tests/unit-sparc64.c tests/unit.h
tests_unit_sparc64_LDADD = lib/libsdtlink.a
tests_unit_tracepoint_SOURCES = tests/unit-tracepoint.c tests/unit.h
tests_unit_tracepoint_LDADD = lib/libsdtlink.a
tests_unit_x86_branch_SOURCES = tests/unit-x86-branch.c tests/unit.h
tests_unit_x86_branch_LDADD = lib/libsdtlink.a
tests_unit_x86_length_SOURCES = tests/unit-x86-length.c tests/unit.h
tests_unit_x86_length_LDADD = lib/libsdtlink.a
tests_unit_x86_rewrite_SOURCES = tests/unit-x86-rewrite.c tests/unit.h
tests_unit_x86_rewrite_LDADD = lib/libsdtlink.a
tests_unit_x86_site_SOURCES = tests/unit-x86-site.c tests/unit.h
tests_unit_x86_site_LDADD = lib/libsdtlink.a
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
	tests/arch-aarch64-dead \
	tests/arch-aarch64-erratum \
	tests/arch-aarch64-far \
	tests/arch-aarch64-namesakes \
	tests/arch-aarch64-plt \
	tests/arch-aarch64-refused \
	tests/arch-aarch64-rewrites \
	tests/arch-aarch64-stub \
	tests/arch-arm-bits \
	tests/arch-arm-erratum \
	tests/arch-arm-redirect \
	tests/arch-arm-extra \
	tests/arch-arm-far \
	tests/arch-arm-glue \
	tests/arch-arm-marks \
	tests/arch-arm-overridden \
	tests/arch-arm-plt \
	tests/arch-arm-refused \
	tests/arch-arm-stripped \
	tests/arch-branches \
	tests/arch-chain-aarch64 \
	tests/arch-chain-aarch64_be \
	tests/arch-chain-arm \
	tests/arch-chain-arm-mixed \
	tests/arch-chain-armeb \
	tests/arch-chain-armv4 \
	tests/arch-chain-loongarch64 \
	tests/arch-chain-loongarch64-relax \
	tests/arch-chain-mips \
	tests/arch-chain-mips64 \
	tests/arch-chain-mips64el \
	tests/arch-chain-mipsel \
	tests/arch-chain-mipsn32 \
	tests/arch-chain-mipsn32el \
	tests/arch-chain-ppc32 \
	tests/arch-chain-ppc64 \
	tests/arch-chain-ppc64le \
	tests/arch-chain-ppc64le-mixed \
	tests/arch-chain-ppc64v1 \
	tests/arch-chain-riscv32 \
	tests/arch-chain-riscv64 \
	tests/arch-chain-s390x \
	tests/arch-chain-sparc64 \
	tests/arch-chain-thumb-mixed \
	tests/arch-chain-x32 \
	tests/arch-chain-x86_64 \
	tests/arch-data-pointer \
	tests/arch-dead \
	tests/arch-direct \
	tests/arch-loongarch-relax \
	tests/arch-mips-far \
	tests/arch-mips-pic-stubs \
	tests/arch-mips-refused \
	tests/arch-mips-rewrites \
	tests/arch-plt \
	tests/arch-plt-address \
	tests/arch-plt-got \
	tests/arch-ppc-erratum \
	tests/arch-ppc-far \
	tests/arch-ppc-options \
	tests/arch-ppc32-plt \
	tests/arch-rewrites \
	tests/arch-s390x-refused \
	tests/arch-sparc64-enter \
	tests/arch-sparc64-refused \
	tests/arch-sparc64-register \
	tests/arch-sparc64-relax \
	tests/arch-split-stacks \
	tests/arch-stub-code \
	tests/arch-toolchains \
	tests/arch-weak \
	tests/arch-wide-relocs \
	tests/arch-x32-rewrites \
	tests/arch-x86-16 \
	tests/arch-x86-cond \
	tests/arch-x86-lengths \
	tests/arch-x86-options \
	tests/arch-x86-refused \
	tests/arch-x86-rewrites \
	tests/arch-x86-sites \
	tests/arch-mutants-aarch64 \
	tests/arch-mutants-aarch64_be \
	tests/arch-mutants-arm \
	tests/arch-mutants-loongarch64 \
	tests/arch-mutants-mips \
	tests/arch-mutants-mips64el \
	tests/arch-mutants-others \
	tests/arch-mutants-ppc64le \
	tests/arch-mutants-ppc64v1 \
	tests/arch-mutants-riscv64 \
	tests/arch-mutants-s390x \
	tests/arch-mutants-sparc64 \
	tests/bad-bitcode \
	tests/bad-collisions \
	tests/bad-crel \
	tests/bad-descriptors \
	tests/bad-fields-aarch64 \
	tests/bad-fields-aarch64_be \
	tests/bad-fields-arm \
	tests/bad-fields-armeb \
	tests/bad-fields-i386 \
	tests/bad-fields-loongarch64 \
	tests/bad-fields-mips \
	tests/bad-fields-mips64 \
	tests/bad-fields-mips64el \
	tests/bad-fields-mipsel \
	tests/bad-fields-mipsn32 \
	tests/bad-fields-mipsn32el \
	tests/bad-fields-ppc32 \
	tests/bad-fields-ppc64 \
	tests/bad-fields-ppc64le \
	tests/bad-fields-ppc64v1 \
	tests/bad-fields-riscv32 \
	tests/bad-fields-riscv64 \
	tests/bad-fields-s390x \
	tests/bad-fields-sparc64 \
	tests/bad-fields-thumb \
	tests/bad-fields-x32 \
	tests/bad-fields-x86_64 \
	tests/bad-full-disk \
	tests/bad-lto \
	tests/bad-machine \
	tests/bad-malformed \
	tests/bad-many \
	tests/bad-not-elf \
	tests/bad-output \
	tests/bad-truncated \
	tests/bad-output-is-input \
	tests/bad-overlap \
	tests/bad-type \
	tests/bad-verify-inputs \
	tests/boot-kernel \
	tests/boot-live-aarch64 \
	tests/boot-live-cortex_m \
	tests/boot-live-ppc64le \
	tests/boot-live-riscv64 \
	tests/boot-live-s390x \
	tests/boot-live-x32 \
	tests/boot-live-x86_64 \
	tests/branch-damaged \
	tests/branch-form \
	tests/branch-mutants \
	tests/branch-thumb \
	tests/branch-x32 \
	tests/build-systems \
	tests/cc-wrapper \
	tests/cli-closed-files \
	tests/cli-cost \
	tests/cli-cost-others \
	tests/cli-color \
	tests/cli-completion \
	tests/cli-depfile \
	tests/cli-depfile-response \
	tests/cli-dump \
	tests/dump-against \
	tests/dump-archive \
	tests/dump-boot-image \
	tests/dump-flashed \
	tests/dump-growth \
	tests/dump-injected \
	tests/dump-lookalike \
	tests/dump-memory \
	tests/dump-memory-cross \
	tests/dump-memory-dropped \
	tests/dump-memory-forms \
	tests/dump-moved \
	tests/dump-qemu \
	tests/dump-questions \
	tests/dump-stripped \
	tests/cli-escapes \
	tests/cli-findings \
	tests/cli-help \
	tests/cli-json \
	tests/cli-json-bytes \
	tests/cli-json-diagnostics \
	tests/cli-json-final \
	tests/cli-libraries \
	tests/cli-modes \
	tests/cli-names \
	tests/cli-output-device \
	tests/cli-output-elsewhere \
	tests/cli-output-failure \
	tests/cli-output-readonly \
	tests/cli-output-stdout \
	tests/cli-output-symlink \
	tests/cli-output-unchanged \
	tests/cli-reproducible \
	tests/cli-require-probes \
	tests/cli-response \
	tests/cli-verbose \
	tests/cli-version \
	tests/cli-wrong-option \
	tests/doc-diagnostics \
	tests/doc-examples \
	tests/doc-explain \
	tests/doc-hooks \
	tests/doc-integrating \
	tests/doc-json \
	tests/doc-options \
	tests/doc-sdt \
	tests/doc-table \
	tests/doc-targets \
	tests/drift-flipped \
	tests/drift-libc \
	tests/drift-maps \
	tests/drift-random \
	tests/drift-relaxed \
	tests/drift-report \
	tests/emit-compilers \
	tests/emit-enabled \
	tests/emit-linker-set \
	tests/emit-no-function-names \
	tests/emit-odd-names \
	tests/emit-options \
	tests/emit-stubs-stay \
	tests/emit-zero \
	tests/fault-input \
	tests/fault-link \
	tests/fault-malloc \
	tests/fault-output \
	tests/fault-short-write \
	tests/fault-stopped \
	tests/fault-syscalls \
	tests/fault-writer \
	tests/fuzz-seeds \
	tests/fuzz-service \
	tests/inject-crel \
	tests/inject-dead \
	tests/inject-defined \
	tests/inject-excluded \
	tests/inject-high-strings \
	tests/idioms \
	tests/host-calls \
	tests/host-compilers \
	tests/inject-alias \
	tests/inject-anchor \
	tests/inject-local-branch \
	tests/inject-many-sections \
	tests/inject-mips64 \
	tests/inject-no-trace \
	tests/inject-nop \
	tests/inject-nop-icf \
	tests/inject-nop-prefix \
	tests/inject-notes \
	tests/inject-notes-cross \
	tests/inject-notes-links \
	tests/inject-objects \
	tests/inject-pieces \
	tests/inject-riscv \
	tests/inject-shuffle \
	tests/inject-symbol \
	tests/inject-table \
	tests/inject-untouched \
	tests/inject-unwind \
	tests/jump-check \
	tests/jump-fixed \
	tests/jump-oracle \
	tests/jump-pads \
	tests/jump-pads-bad \
	tests/lib-rooms \
	tests/link-cold-only \
	tests/link-comdat \
	tests/link-comdat-differs \
	tests/link-comdat-many \
	tests/link-dead \
	tests/link-dead-falls \
	tests/link-dead-many \
	tests/link-dead-names \
	tests/link-dead-tables \
	tests/link-excluded \
	tests/link-function-sections \
	tests/link-many-sections \
	tests/link-merge-script \
	tests/link-merged-group \
	tests/link-refused-section \
	tests/link-relative-table \
	tests/link-stripped-local \
	tests/link-two-partials \
	tests/link-wrapper \
	tests/link-wrapper-passes \
	tests/link-wrapper-refused \
	tests/link-fragment \
	tests/live-threads \
	tests/live-threads-cross \
	tests/matrix \
	tests/metadata \
	tests/metadata-links \
	tests/oracle-random \
	tests/package-alpine \
	tests/package-arch \
	tests/package-debian \
	tests/package-release \
	tests/package-rpm \
	tests/runtime-anchored \
	tests/runtime-arch \
	tests/runtime-arguments \
	tests/source-lines \
	tests/source-markers \
	tests/source-markers-gdb \
	tests/source-machines \
	tests/source-none \
	tests/runtime-cxx \
	tests/runtime-patch-cross \
	tests/runtime-own-stubs \
	tests/runtime-warnings \
	tests/runtime-plain-bare \
	tests/runtime-stack \
	tests/verify-absent \
	tests/verify-alias-local \
	tests/verify-alias-twin \
	tests/verify-alike \
	tests/verify-ambiguous \
	tests/verify-bb-jumps \
	tests/verify-code-names \
	tests/verify-common \
	tests/verify-dead-field \
	tests/verify-defsym \
	tests/verify-dropped-tail \
	tests/verify-dynamic-relocs \
	tests/verify-dynamic-section \
	tests/verify-extra \
	tests/verify-extra-data \
	tests/verify-extra-far \
	tests/verify-extra-fill \
	tests/verify-extra-inside \
	tests/verify-extra-lost \
	tests/verify-extra-narrow \
	tests/verify-extra-padding \
	tests/verify-extra-padding-x86 \
	tests/verify-extra-prefix \
	tests/verify-extra-rodata \
	tests/verify-extra-riscv \
	tests/verify-extra-short \
	tests/verify-extra-upper \
	tests/verify-extra-veneer \
	tests/verify-folded-away \
	tests/verify-folded-nameless \
	tests/verify-folded-parts \
	tests/verify-foreign-text \
	tests/verify-gc \
	tests/verify-image \
	tests/verify-image-partials \
	tests/verify-ifunc \
	tests/verify-kept-relocs \
	tests/verify-kinship \
	tests/verify-lines \
	tests/verify-linked \
	tests/verify-linker-set \
	tests/verify-linker-set-order \
	tests/verify-lto \
	tests/verify-many-alike \
	tests/verify-growth \
	tests/verify-matrix-i386-bfd \
	tests/verify-matrix-i386-gold \
	tests/verify-matrix-i386-lld \
	tests/verify-matrix-i386-lld-19 \
	tests/verify-matrix-i386-lld-new \
	tests/verify-matrix-i386-mold \
	tests/verify-matrix-x86_64-bfd \
	tests/verify-matrix-x86_64-gold \
	tests/verify-matrix-x86_64-lld \
	tests/verify-matrix-x86_64-lld-19 \
	tests/verify-matrix-x86_64-lld-new \
	tests/verify-matrix-x86_64-mold \
	tests/verify-moved-local \
	tests/verify-mutants-anchored \
	tests/verify-mutants-i386 \
	tests/verify-mutants-ppc \
	tests/verify-mutants-set \
	tests/verify-mutants-x86_64 \
	tests/verify-namesakes \
	tests/verify-nameless \
	tests/verify-nop-folded \
	tests/verify-open-base \
	tests/verify-other-build \
	tests/verify-partials \
	tests/verify-patched \
	tests/verify-inner-name \
	tests/verify-mixed \
	tests/verify-overlays \
	tests/verify-program-headers \
	tests/verify-reader \
	tests/verify-relaxed \
	tests/verify-run-time-relocs \
	tests/verify-run-time-wide \
	tests/verify-script-alias \
	tests/verify-segments \
	tests/verify-stripped \
	tests/verify-stub-folded \
	tests/verify-subalign \
	tests/verify-table-missing \
	tests/verify-table-overwritten \
	tests/verify-text-differs \
	tests/verify-text-sites \
	tests/verify-tracepoint \
	tests/verify-tracepoint-riscv \
	tests/verify-two-tables \
	tests/verify-weak \
	tests/verify-weak-twice

TESTS += $(unit_tests) $(shell_tests)
EXTRA_DIST += tests/package
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
	tests/arch-chain tests/boot-live tests/arch_branches.py tests/arch_oracle.py tests/arm_bits.py tests/targets.py tests/bad-fields tests/doc.py tests/drift_maps.py tests/drift_random.py tests/elf-edit tests/elf.py tests/every-table tests/lib.sh tests/tools tests/tools.py \
	tests/matrix.py tests/matrix_build.py tests/matrix_code.py \
	tests/matrix_damage.py tests/matrix_document.py tests/matrix_elf.py \
	tests/matrix_insns.py tests/matrix_isas.py tests/matrix_judge.py \
	tests/matrix_oracle.py tests/matrix_shuffle.py \
	tests/matrix_variants.py tests/oracle-verify tests/random_links.py tests/bare.py tests/qemu_dump.py tests/rooms.py tests/markers.py tests/source_lines.py tests/stack.py tests/terminal.py tests/trace.py \
	tests/run tests/verify-matrix tests/verify-mutants

# --- Real input, which must be fetched ----------------------------------------

real_tests = \
	tests/real-calls-arm \
	tests/real-calls-arm64 \
	tests/real-calls-loong64 \
	tests/real-calls-riscv32 \
	tests/real-calls-riscv64 \
	tests/real-calls-s390x \
	tests/real-calls-sparc64 \
	tests/real-calls-x32 \
	tests/real-host-i386 \
	tests/real-host-s390x \
	tests/real-inject-amd64 \
	tests/real-inject-arm64 \
	tests/real-inject-armhf \
	tests/real-inject-i386 \
	tests/real-inject-ppc64el \
	tests/real-inject-riscv64 \
	tests/real-inject-s390x \
	tests/real-libc-aarch64 \
	tests/real-libc-arm \
	tests/real-libc-loong64 \
	tests/real-libc-powerpc \
	tests/real-libc-powerpc64 \
	tests/real-libc-powerpc64le \
	tests/real-libc-riscv64 \
	tests/real-libc-s390x \
	tests/real-libc-sparc64 \
	tests/real-libc-x32 \
	tests/real-jump-amd64 \
	tests/real-jump-i386 \
	tests/real-modules-amd64 \
	tests/real-modules-armel \
	tests/real-modules-armhf \
	tests/real-modules-i386 \
	tests/real-modules-ppc64el \
	tests/real-refused-mips \
	tests/real-refused-mips64 \
	tests/real-refused-mips64el \
	tests/real-refused-mipsel \
	tests/real-refused-mipsn32 \
	tests/real-refused-mipsn32el \
	tests/real-source \
	tests/real-vmlinux
EXTRA_DIST += $(real_tests) tests/real-calls tests/real-fetch tests/real-libc \
	tests/real-host tests/real-kernel tests/real-linux tests/real-systems \
	tests/systems/memtest86plus tests/systems/opensbi tests/systems/tf-a \
	tests/jump_oracle.py tests/jump_pads.py tests/real-jump \
	tests/real-inject tests/real-modules tests/real-refused \
	tests/real/check-table tests/real/flip-bits tests/real/numbers tests/real/partial

# The recipe that automake makes for each of TESTS, where these are not.
run_real = b="$$p"; \
	$(am__check_pre) $(LOG_DRIVER) --test-name "$$f" \
	--log-file "$$b.log" --trs-file "$$b.trs" \
	$(am__common_driver_flags) $(AM_LOG_DRIVER_FLAGS) \
	$(LOG_DRIVER_FLAGS) -- $(LOG_COMPILE) "$$tst" $(AM_TESTS_FD_REDIRECT)

tests/real-calls-arm.log:
	@p=tests/real-calls-arm; $(run_real)
tests/real-calls-arm64.log:
	@p=tests/real-calls-arm64; $(run_real)
tests/real-calls-loong64.log:
	@p=tests/real-calls-loong64; $(run_real)
tests/real-calls-riscv32.log:
	@p=tests/real-calls-riscv32; $(run_real)
tests/real-calls-riscv64.log:
	@p=tests/real-calls-riscv64; $(run_real)
tests/real-calls-s390x.log:
	@p=tests/real-calls-s390x; $(run_real)
tests/real-calls-sparc64.log:
	@p=tests/real-calls-sparc64; $(run_real)
tests/real-calls-x32.log:
	@p=tests/real-calls-x32; $(run_real)
tests/real-host-i386.log:
	@p=tests/real-host-i386; $(run_real)
tests/real-host-s390x.log:
	@p=tests/real-host-s390x; $(run_real)
tests/real-inject-amd64.log:
	@p=tests/real-inject-amd64; $(run_real)
tests/real-inject-arm64.log:
	@p=tests/real-inject-arm64; $(run_real)
tests/real-inject-armhf.log:
	@p=tests/real-inject-armhf; $(run_real)
tests/real-inject-i386.log:
	@p=tests/real-inject-i386; $(run_real)
tests/real-inject-ppc64el.log:
	@p=tests/real-inject-ppc64el; $(run_real)
tests/real-inject-riscv64.log:
	@p=tests/real-inject-riscv64; $(run_real)
tests/real-inject-s390x.log:
	@p=tests/real-inject-s390x; $(run_real)
tests/real-libc-aarch64.log:
	@p=tests/real-libc-aarch64; $(run_real)
tests/real-libc-arm.log:
	@p=tests/real-libc-arm; $(run_real)
tests/real-libc-loong64.log:
	@p=tests/real-libc-loong64; $(run_real)
tests/real-libc-powerpc.log:
	@p=tests/real-libc-powerpc; $(run_real)
tests/real-libc-powerpc64.log:
	@p=tests/real-libc-powerpc64; $(run_real)
tests/real-libc-powerpc64le.log:
	@p=tests/real-libc-powerpc64le; $(run_real)
tests/real-libc-riscv64.log:
	@p=tests/real-libc-riscv64; $(run_real)
tests/real-libc-s390x.log:
	@p=tests/real-libc-s390x; $(run_real)
tests/real-libc-sparc64.log:
	@p=tests/real-libc-sparc64; $(run_real)
tests/real-libc-x32.log:
	@p=tests/real-libc-x32; $(run_real)
tests/real-jump-amd64.log:
	@p=tests/real-jump-amd64; $(run_real)
tests/real-jump-i386.log:
	@p=tests/real-jump-i386; $(run_real)
tests/real-modules-amd64.log:
	@p=tests/real-modules-amd64; $(run_real)
tests/real-modules-armel.log:
	@p=tests/real-modules-armel; $(run_real)
tests/real-modules-armhf.log:
	@p=tests/real-modules-armhf; $(run_real)
tests/real-modules-i386.log:
	@p=tests/real-modules-i386; $(run_real)
tests/real-modules-ppc64el.log:
	@p=tests/real-modules-ppc64el; $(run_real)
tests/real-refused-mips.log:
	@p=tests/real-refused-mips; $(run_real)
tests/real-refused-mips64.log:
	@p=tests/real-refused-mips64; $(run_real)
tests/real-refused-mips64el.log:
	@p=tests/real-refused-mips64el; $(run_real)
tests/real-refused-mipsel.log:
	@p=tests/real-refused-mipsel; $(run_real)
tests/real-refused-mipsn32.log:
	@p=tests/real-refused-mipsn32; $(run_real)
tests/real-refused-mipsn32el.log:
	@p=tests/real-refused-mipsn32el; $(run_real)
tests/real-source.log:
	@p=tests/real-source; $(run_real)
tests/real-vmlinux.log:
	@p=tests/real-vmlinux; $(run_real)

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
		$(srcdir)/tests/real-kernel $(KERNELS)

# Linux with probes, built and booted.
LINUX = x86_64
check-linux: all
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)' \
		$(srcdir)/tests/real-linux $(LINUX); status=$$?; \
	test $$status -eq 0 || test $$status -eq 77

# Systems with probes, built and booted, as doc/integrating/ says.
SYSTEMS = memtest86plus opensbi tf-a
check-systems: all
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)' \
		$(srcdir)/tests/real-systems $(SYSTEMS); status=$$?; \
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
