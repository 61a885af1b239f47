# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += lib/libsdtlink.a
lib_libsdtlink_a_SOURCES = \
	lib/arch/aarch64.c lib/arch/aarch64.h \
	lib/arch/aarch64-rewrite.c \
	lib/absent.c \
	lib/arch/arch.c lib/arch/arch.h \
	lib/arch/arm.c lib/arch/arm.h \
	lib/arch/arm-attributes.c \
	lib/arch/arm-branch.c \
	lib/arch/arm-veneer.c \
	lib/arch/branch-search.h \
	lib/arch/insn.h \
	lib/arch/loongarch.c \
	lib/arch/mips.c \
	lib/arch/ppc.c lib/arch/ppc.h \
	lib/arch/ppc-relocs.c \
	lib/arch/ppc-rewrite.c \
	lib/arch/ppc-veneer.c \
	lib/arch/riscv.c \
	lib/arch/s390x.c \
	lib/arch/sparc64.c \
	lib/arch/sparc64.h \
	lib/arch/sparc64-rewrite.c \
	lib/arch/tracepoint.c lib/arch/tracepoint.h \
	lib/arch/x86.c lib/arch/x86.h \
	lib/arch/x86-16.c \
	lib/arch/x86-flow.c \
	lib/arch/x86-length.c \
	lib/arch/x86-plt.c \
	lib/arch/x86-rewrite.c \
	lib/arch/x86-search.c \
	lib/assign.c \
	lib/bytecode.c \
	lib/check.c lib/check.h \
	lib/dead.c \
	lib/decode.c \
	lib/doubt.c lib/doubt.h \
	lib/descriptors.c lib/descriptors.h \
	lib/diag.c lib/diag.h \
	lib/disassemble.c lib/disassemble.h \
	lib/edit.c lib/edit.h \
	lib/edit-check.c lib/edit-file.c lib/edit-sections.c \
	lib/edit-symbols.c lib/edit-write.c lib/edit-write.h \
	lib/emit.c lib/emit.h \
	lib/extra.c \
	lib/flow.c lib/flow.h \
	lib/finding.c lib/finding.h \
	lib/fits.c lib/fits.h \
	lib/folded.c \
	lib/functions.c lib/functions.h \
	lib/grow.h \
	lib/halves.c \
	lib/holes.c lib/holes.h \
	lib/image.c lib/image.h lib/image-relocs.c \
	lib/inject.c lib/inject.h lib/inject-probes.c lib/injection.h \
	lib/kinship.c \
	lib/layout.c lib/layout.h \
	lib/lookup.c \
	lib/marks.c lib/marks.h \
	lib/match.c lib/match.h \
	lib/metadata.c lib/metadata.h \
	lib/missing.c \
	lib/names.c lib/names.h \
	lib/notes.c lib/notes.h \
	lib/object.c lib/object.h \
	lib/options.c lib/options.h \
	lib/output.c lib/output.h \
	lib/overlays.c \
	lib/place.c lib/place.h \
	lib/probe.c lib/probe.h \
	lib/proof.h \
	lib/reach.c \
	lib/recorded.c \
	lib/relocated.c lib/relocated.h \
	lib/relaxed.c \
	lib/scan.c lib/scan.h lib/scan-probes.c \
	lib/sort.c lib/sort.h \
	lib/sections.c \
	lib/seek.c \
	lib/segments.c lib/segments.h \
	lib/stray.c \
	lib/stubs.c \
	lib/table.c lib/table.h lib/table-anchored.c lib/table-lost.c \
	lib/text.c lib/text.h \
	lib/tracepoint.c lib/tracepoint.h lib/tracepoint-lint.c \
	lib/unseen.c lib/unseen.h \
	lib/verify.c lib/verify.h \
	lib/witness.c lib/witness.h
