# SPDX-License-Identifier: GPL-3.0-or-later
unit_tests = \
	tests/unit/unit-aarch64 \
	tests/unit/unit-anchored \
	tests/unit/unit-arm \
	tests/unit/unit-branches \
	tests/unit/unit-bytes \
	tests/unit/unit-check \
	tests/unit/unit-crel \
	tests/unit/unit-json \
	tests/unit/unit-layout \
	tests/unit/unit-loongarch \
	tests/unit/unit-mips \
	tests/unit/unit-options \
	tests/unit/unit-patch-aarch64 \
	tests/unit/unit-patch-arm \
	tests/unit/unit-patch-loongarch \
	tests/unit/unit-patch-mips \
	tests/unit/unit-patch-ppc \
	tests/unit/unit-patch-riscv \
	tests/unit/unit-patch-s390x \
	tests/unit/unit-patch-sparc64 \
	tests/unit/unit-patch-x86 \
	tests/unit/unit-ppc \
	tests/unit/unit-probe \
	tests/unit/unit-response \
	tests/unit/unit-riscv \
	tests/unit/unit-runtime \
	tests/unit/unit-tracepoint \
	tests/unit/unit-s390x \
	tests/unit/unit-sparc64 \
	tests/unit/unit-x86-branch \
	tests/unit/unit-x86-length \
	tests/unit/unit-x86-rewrite \
	tests/unit/unit-x86-site
patcher = runtime/sdt_patch.c runtime/sdt_patch_isa.h runtime/sdt_table.c
tests_unit_unit_aarch64_SOURCES = tests/unit/unit-aarch64.c tests/unit/unit.h
tests_unit_unit_aarch64_LDADD = lib/libsdtlink.a
tests_unit_unit_anchored_SOURCES = tests/unit/unit-anchored.c runtime/sdt_match.c \
	runtime/sdt_table.c
tests_unit_unit_arm_SOURCES = tests/unit/unit-arm.c tests/unit/unit.h
tests_unit_unit_arm_LDADD = lib/libsdtlink.a
tests_unit_unit_branches_SOURCES = tests/unit/unit-branches.c tests/unit/unit.h
tests_unit_unit_branches_LDADD = lib/libsdtlink.a
tests_unit_unit_bytes_SOURCES = tests/unit/unit-bytes.c tests/unit/unit.h
tests_unit_unit_bytes_LDADD = lib/libsdtlink.a
tests_unit_unit_check_SOURCES = tests/unit/unit-check.c tests/unit/unit.h
tests_unit_unit_check_LDADD = lib/libsdtlink.a
tests_unit_unit_crel_SOURCES = tests/unit/unit-crel.c tests/unit/unit.h
tests_unit_unit_crel_LDADD = lib/libsdtlink.a
tests_unit_unit_json_SOURCES = tests/unit/unit-json.c tests/unit/unit.h sdtlink/json.c
tests_unit_unit_json_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
tests_unit_unit_json_LDADD = lib/libsdtlink.a
tests_unit_unit_layout_SOURCES = tests/unit/unit-layout.c tests/unit/unit.h
tests_unit_unit_layout_LDADD = lib/libsdtlink.a
tests_unit_unit_loongarch_SOURCES = tests/unit/unit-loongarch.c tests/unit/unit.h
tests_unit_unit_loongarch_LDADD = lib/libsdtlink.a
tests_unit_unit_mips_SOURCES = tests/unit/unit-mips.c tests/unit/unit.h
tests_unit_unit_mips_LDADD = lib/libsdtlink.a
tests_unit_unit_options_SOURCES = tests/unit/unit-options.c tests/unit/unit.h
tests_unit_unit_options_LDADD = lib/libsdtlink.a
tests_unit_unit_ppc_SOURCES = tests/unit/unit-ppc.c tests/unit/unit.h
tests_unit_unit_ppc_LDADD = lib/libsdtlink.a
tests_unit_unit_probe_SOURCES = tests/unit/unit-probe.c tests/unit/unit.h
tests_unit_unit_probe_LDADD = lib/libsdtlink.a
tests_unit_unit_response_SOURCES = tests/unit/unit-response.c tests/unit/unit.h \
	sdtlink/response.c
tests_unit_unit_response_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
tests_unit_unit_response_LDADD = lib/libsdtlink.a
tests_unit_unit_riscv_SOURCES = tests/unit/unit-riscv.c tests/unit/unit.h
tests_unit_unit_riscv_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_aarch64_SOURCES = tests/unit/unit-patch-aarch64.c \
	tests/unit/unit-patch.h tests/unit/unit.h runtime/sdt_patch_aarch64.c \
	$(patcher)
tests_unit_unit_patch_aarch64_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_arm_SOURCES = tests/unit/unit-patch-arm.c \
	tests/unit/unit-patch.h tests/unit/unit.h runtime/sdt_patch_arm.c \
	$(patcher)
tests_unit_unit_patch_arm_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_loongarch_SOURCES = tests/unit/unit-patch-loongarch.c \
	tests/unit/unit-patch.h tests/unit/unit.h runtime/sdt_patch_loongarch.c \
	$(patcher)
tests_unit_unit_patch_loongarch_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_mips_SOURCES = tests/unit/unit-patch-mips.c \
	tests/unit/unit-patch.h tests/unit/unit.h runtime/sdt_patch_mips.c \
	$(patcher)
tests_unit_unit_patch_mips_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_ppc_SOURCES = tests/unit/unit-patch-ppc.c \
	tests/unit/unit-patch.h tests/unit/unit.h runtime/sdt_patch_ppc.c \
	$(patcher)
tests_unit_unit_patch_ppc_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_s390x_SOURCES = tests/unit/unit-patch-s390x.c \
	tests/unit/unit-patch.h tests/unit/unit.h runtime/sdt_patch_s390x.c \
	$(patcher)
tests_unit_unit_patch_s390x_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_sparc64_SOURCES = tests/unit/unit-patch-sparc64.c \
	tests/unit/unit-patch.h tests/unit/unit.h runtime/sdt_patch_sparc64.c \
	$(patcher)
tests_unit_unit_patch_sparc64_LDADD = lib/libsdtlink.a
tests_unit_unit_patch_riscv_SOURCES = tests/unit/unit-patch-riscv.c \
	runtime/sdt_patch.c runtime/sdt_patch_isa.h \
	runtime/sdt_patch_riscv.c runtime/sdt_table.c
tests_unit_unit_patch_x86_SOURCES = tests/unit/unit-patch-x86.c runtime/sdt_match.c \
	runtime/sdt_patch.c runtime/sdt_patch_isa.h runtime/sdt_patch_x86.c \
	runtime/sdt_table.c
tests_unit_unit_runtime_SOURCES = tests/unit/unit-runtime.c runtime/sdt_match.c \
	runtime/sdt_table.c
tests_unit_unit_s390x_SOURCES = tests/unit/unit-s390x.c tests/unit/unit.h
tests_unit_unit_s390x_LDADD = lib/libsdtlink.a
tests_unit_unit_sparc64_SOURCES = tests/unit/unit-sparc64.c tests/unit/unit.h
tests_unit_unit_sparc64_LDADD = lib/libsdtlink.a
tests_unit_unit_tracepoint_SOURCES = tests/unit/unit-tracepoint.c tests/unit/unit.h
tests_unit_unit_tracepoint_LDADD = lib/libsdtlink.a
tests_unit_unit_x86_branch_SOURCES = tests/unit/unit-x86-branch.c tests/unit/unit.h
tests_unit_unit_x86_branch_LDADD = lib/libsdtlink.a
tests_unit_unit_x86_length_SOURCES = tests/unit/unit-x86-length.c tests/unit/unit.h
tests_unit_unit_x86_length_LDADD = lib/libsdtlink.a
tests_unit_unit_x86_rewrite_SOURCES = tests/unit/unit-x86-rewrite.c tests/unit/unit.h
tests_unit_unit_x86_rewrite_LDADD = lib/libsdtlink.a
tests_unit_unit_x86_site_SOURCES = tests/unit/unit-x86-site.c tests/unit/unit.h
tests_unit_unit_x86_site_LDADD = lib/libsdtlink.a
