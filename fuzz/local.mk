# SPDX-License-Identifier: GPL-3.0-or-later
fuzz_targets = \
	fuzz/fuzz-against \
	fuzz/fuzz-arguments \
	fuzz/fuzz-differential \
	fuzz/fuzz-drift \
	fuzz/fuzz-dump \
	fuzz/fuzz-image \
	fuzz/fuzz-inject \
	fuzz/fuzz-link \
	fuzz/fuzz-memory \
	fuzz/fuzz-object \
	fuzz/fuzz-runtime \
	fuzz/fuzz-source \
	fuzz/fuzz-table \
	fuzz/fuzz-verify

check_PROGRAMS += $(fuzz_targets)
EXTRA_DIST += fuzz/minimise fuzz/run fuzz/seeds \
	fuzz/oss-fuzz/Dockerfile fuzz/oss-fuzz/build.sh \
	fuzz/oss-fuzz/project.yaml

# libFuzzer has a main() of its own.
fuzz_common = fuzz/common.c fuzz/fuzz.h fuzz/mutate.c
if FUZZING
AM_LDFLAGS_FUZZ = $(AM_LDFLAGS) $(LIB_FUZZING_ENGINE)
else
AM_LDFLAGS_FUZZ = $(AM_LDFLAGS)
fuzz_common += fuzz/standalone.c
endif

# The modes that targets run whole, compiled once.
check_LIBRARIES += fuzz/libcommand.a
fuzz_libcommand_a_SOURCES = \
	fuzz/run-command.c fuzz/run-command.h \
	sdtlink/check-jump.c \
	sdtlink/cost.c sdtlink/cost-chart.c sdtlink/cost-measure.c \
	sdtlink/json-document.c \
	sdtlink/drift.c sdtlink/drift-against.c sdtlink/drift-chart.c \
	sdtlink/drift-inputs.c sdtlink/drift-verified.c \
	sdtlink/dump.c sdtlink/dump-against.c sdtlink/dump-summary.c \
	sdtlink/finding-disassembly.c \
	sdtlink/finding-lines.c \
	sdtlink/input.c \
	sdtlink/json.c \
	sdtlink/listing.c sdtlink/listing-foreign.c sdtlink/listing-print.c \
	sdtlink/markers.c \
	sdtlink/memory.c \
	sdtlink/report.c \
	sdtlink/select.c \
	sdtlink/source.c \
	sdtlink/verify.c sdtlink/verify-print.c \
	runtime/sdt_match.c runtime/sdt_table.c
fuzz_libcommand_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_against_SOURCES = fuzz/fuzz-against.c $(fuzz_common)
fuzz_fuzz_against_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_against_LDADD = fuzz/libcommand.a lib/libsdtlink.a
fuzz_fuzz_against_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_arguments_SOURCES = fuzz/fuzz-arguments.c $(fuzz_common) \
	sdtlink/arguments.c sdtlink/compiler-options.c sdtlink/depfile.c \
	sdtlink/linker-options.c sdtlink/response.c
fuzz_fuzz_arguments_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_arguments_LDADD = fuzz/libcommand.a lib/libsdtlink.a
fuzz_fuzz_arguments_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_differential_SOURCES = fuzz/fuzz-differential.c fuzz/small-elf.c \
	fuzz/small-link.c fuzz/small-program.c fuzz/small-program.h \
	$(fuzz_common)
fuzz_fuzz_differential_LDADD = lib/libsdtlink.a
fuzz_fuzz_differential_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_drift_SOURCES = fuzz/fuzz-drift.c $(fuzz_common)
fuzz_fuzz_drift_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_drift_LDADD = fuzz/libcommand.a lib/libsdtlink.a
fuzz_fuzz_drift_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_dump_SOURCES = fuzz/fuzz-dump.c $(fuzz_common)
fuzz_fuzz_dump_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_dump_LDADD = fuzz/libcommand.a lib/libsdtlink.a
fuzz_fuzz_dump_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_image_SOURCES = fuzz/fuzz-image.c $(fuzz_common)
fuzz_fuzz_image_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_image_LDADD = fuzz/libcommand.a lib/libsdtlink.a
fuzz_fuzz_image_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_inject_SOURCES = fuzz/fuzz-inject.c $(fuzz_common)
fuzz_fuzz_inject_LDADD = lib/libsdtlink.a
fuzz_fuzz_inject_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_link_SOURCES = fuzz/fuzz-link.c $(fuzz_common)
fuzz_fuzz_link_LDADD = lib/libsdtlink.a
fuzz_fuzz_link_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_memory_SOURCES = fuzz/fuzz-memory.c $(fuzz_common)
fuzz_fuzz_memory_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_memory_LDADD = fuzz/libcommand.a lib/libsdtlink.a
fuzz_fuzz_memory_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_object_SOURCES = fuzz/fuzz-object.c $(fuzz_common)
fuzz_fuzz_object_LDADD = lib/libsdtlink.a
fuzz_fuzz_object_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_runtime_SOURCES = fuzz/fuzz-runtime.c $(fuzz_common) \
	runtime/sdt_match.c runtime/sdt_table.c
fuzz_fuzz_runtime_LDADD = lib/libsdtlink.a
fuzz_fuzz_runtime_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_source_SOURCES = fuzz/fuzz-source.c $(fuzz_common)
fuzz_fuzz_source_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
fuzz_fuzz_source_LDADD = fuzz/libcommand.a lib/libsdtlink.a
fuzz_fuzz_source_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_table_SOURCES = fuzz/fuzz-table.c $(fuzz_common)
fuzz_fuzz_table_LDADD = lib/libsdtlink.a
fuzz_fuzz_table_LDFLAGS = $(AM_LDFLAGS_FUZZ)
fuzz_fuzz_verify_SOURCES = fuzz/fuzz-verify.c $(fuzz_common)
fuzz_fuzz_verify_LDADD = lib/libsdtlink.a
fuzz_fuzz_verify_LDFLAGS = $(AM_LDFLAGS_FUZZ)

# Builds all of it with libFuzzer in ./fuzzing, where the corpora are, too.
# fuzz/run says how to go on.
# It is the newest clang of tests/tools, unless FUZZ_CC says otherwise.
FUZZ_CC =
fuzz:
	mkdir -p fuzzing
	srcdir=`cd $(srcdir) && pwd`; . "$$srcdir/tests/tools"; \
		cc='$(FUZZ_CC)'; cd fuzzing && \
		"$$srcdir/configure" -q --enable-fuzzing \
			CC="$${cc:-clang-$${llvm##* }}" \
			CFLAGS='-g -O1' && \
		$(MAKE) $(AM_MAKEFLAGS) fuzz-targets

# All targets, for those who name them: fuzz/oss-fuzz/build.sh.
fuzz-targets: $(fuzz_targets) sdtlink/sdtlink$(EXEEXT)

.PHONY: fuzz fuzz-targets
