# SPDX-License-Identifier: GPL-3.0-or-later
AM_TESTS_ENVIRONMENT = \
	SDTLINK='$(abs_builddir)/sdtlink/sdtlink$(EXEEXT)'; export SDTLINK; \
	builddir='$(abs_builddir)'; export builddir; \
	CC='$(CC)'; export CC;
LOG_COMPILER = $(srcdir)/tests/run

# --- Unit tests -------------------------------------------------------------

unit_tests = \
	tests/unit-bytes \
	tests/unit-check \
	tests/unit-json \
	tests/unit-layout \
	tests/unit-options \
	tests/unit-probe \
	tests/unit-response \
	tests/unit-runtime \
	tests/unit-x86-branch \
	tests/unit-x86-length \
	tests/unit-x86-rewrite \
	tests/unit-x86-site

check_PROGRAMS += $(unit_tests) tests/x86-lengths
EXTRA_PROGRAMS = tests/oracle-mcount
CLEANFILES += $(EXTRA_PROGRAMS)

tests_unit_bytes_SOURCES = tests/unit-bytes.c tests/unit.h
tests_unit_bytes_LDADD = lib/libsdtlink.a
tests_unit_check_SOURCES = tests/unit-check.c tests/unit.h
tests_unit_check_LDADD = lib/libsdtlink.a
tests_unit_json_SOURCES = tests/unit-json.c tests/unit.h sdtlink/json.c
tests_unit_json_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
tests_unit_layout_SOURCES = tests/unit-layout.c tests/unit.h
tests_unit_layout_LDADD = lib/libsdtlink.a
tests_unit_options_SOURCES = tests/unit-options.c tests/unit.h
tests_unit_options_LDADD = lib/libsdtlink.a
tests_unit_probe_SOURCES = tests/unit-probe.c tests/unit.h
tests_unit_probe_LDADD = lib/libsdtlink.a
tests_unit_response_SOURCES = tests/unit-response.c tests/unit.h \
	sdtlink/response.c
tests_unit_response_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/sdtlink
tests_unit_response_LDADD = lib/libsdtlink.a
tests_unit_runtime_SOURCES = tests/unit-runtime.c runtime/sdt_table.c \
	runtime/sdt_patch_x86.c
tests_unit_x86_branch_SOURCES = tests/unit-x86-branch.c tests/unit.h
tests_unit_x86_branch_LDADD = lib/libsdtlink.a
tests_unit_x86_length_SOURCES = tests/unit-x86-length.c tests/unit.h
tests_unit_x86_length_LDADD = lib/libsdtlink.a
tests_unit_x86_rewrite_SOURCES = tests/unit-x86-rewrite.c tests/unit.h
tests_unit_x86_rewrite_LDADD = lib/libsdtlink.a
tests_unit_x86_site_SOURCES = tests/unit-x86-site.c tests/unit.h
tests_unit_x86_site_LDADD = lib/libsdtlink.a
tests_x86_lengths_SOURCES = tests/x86-lengths.c
tests_x86_lengths_LDADD = lib/libsdtlink.a
tests_oracle_mcount_SOURCES = tests/oracle-mcount.c

# --- Tests in shell ---------------------------------------------------------

shell_tests = \
	tests/arch-x86-lengths \
	tests/boot-kernel \
	tests/doc-diagnostics \
	tests/doc-examples \
	tests/doc-json \
	tests/doc-options \
	tests/doc-table

TESTS += $(unit_tests) $(shell_tests)
EXTRA_DIST += $(shell_tests) tests/doc.py tests/lib.sh tests/run

# --- Real input, which must be fetched ----------------------------------------

real_tests = \
	tests/real-modules-amd64 \
	tests/real-modules-i386 \
	tests/real-vmlinux
EXTRA_DIST += $(real_tests) tests/real-fetch tests/real-modules \
	tests/real/check-table tests/real/partial

# The recipe that automake makes for each of TESTS, where these are not.
run_real = b="$$p"; \
	$(am__check_pre) $(LOG_DRIVER) --test-name "$$f" \
	--log-file "$$b.log" --trs-file "$$b.trs" \
	$(am__common_driver_flags) $(AM_LOG_DRIVER_FLAGS) \
	$(LOG_DRIVER_FLAGS) -- $(LOG_COMPILE) "$$tst" $(AM_TESTS_FD_REDIRECT)

tests/real-modules-amd64.log:
	@p=tests/real-modules-amd64; $(run_real)
tests/real-modules-i386.log:
	@p=tests/real-modules-i386; $(run_real)
tests/real-vmlinux.log:
	@p=tests/real-vmlinux; $(run_real)

check-real: tests/oracle-mcount$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(real_tests)'

# The command as installed starts; DESTDIR is honoured.
installcheck-local:
	'$(DESTDIR)$(bindir)/sdtlink$(EXEEXT)' --version
	'$(DESTDIR)$(bindir)/sdtlink$(EXEEXT)' --help >/dev/null

.PHONY: check-real
