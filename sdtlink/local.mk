# SPDX-License-Identifier: GPL-3.0-or-later
bin_PROGRAMS += sdtlink/sdtlink
command_sources = \
	sdtlink/answers.c sdtlink/answers.h sdtlink/interpose.h \
	sdtlink/arguments.c sdtlink/arguments.h \
	sdtlink/cc.c \
	sdtlink/check-jump.c \
	sdtlink/command.h \
	sdtlink/compiler-options.c sdtlink/compiler-options.h \
	sdtlink/cost.c sdtlink/cost.h \
	sdtlink/cost-chart.c \
	sdtlink/cost-measure.c \
	sdtlink/depfile.c sdtlink/depfile.h \
	sdtlink/drift.c sdtlink/drift-report.h \
	sdtlink/drift-against.c \
	sdtlink/drift-chart.c \
	sdtlink/drift-inputs.c \
	sdtlink/drift-verified.c \
	sdtlink/driver.c sdtlink/driver.h \
	sdtlink/dump.c \
	sdtlink/dump-against.c sdtlink/dump-against.h \
	sdtlink/dump-summary.c sdtlink/dump-summary.h \
	sdtlink/explain.c \
	sdtlink/finding-disassembly.c sdtlink/finding-disassembly.h \
	sdtlink/finding-lines.c sdtlink/finding-lines.h \
	sdtlink/generate.c \
	sdtlink/inject.c \
	sdtlink/input.c sdtlink/input.h \
	sdtlink/json.c sdtlink/json.h \
	sdtlink/json-document.c sdtlink/json-document.h \
	sdtlink/link.c \
	sdtlink/link-drift.c sdtlink/link-drift.h \
	sdtlink/linker-options.c sdtlink/linker-options.h \
	sdtlink/listing.c sdtlink/listing.h sdtlink/listing-foreign.c \
	sdtlink/listing-print.c \
	sdtlink/memory.c sdtlink/memory.h \
	sdtlink/markers.c \
	sdtlink/merge-script.c \
	sdtlink/program.c sdtlink/program.h \
	sdtlink/report.c sdtlink/report.h \
	sdtlink/response.c sdtlink/response.h \
	sdtlink/result.c sdtlink/result.h \
	sdtlink/select.c sdtlink/select.h \
	sdtlink/source.c sdtlink/source-text.h \
	sdtlink/verify-print.c \
	sdtlink/verify-print.h \
	sdtlink/verify.c \
	sdtlink/wrapped.c sdtlink/wrapped.h \
	runtime/sdt_match.c runtime/sdt_table.c
sdtlink_sdtlink_SOURCES = sdtlink/main.c $(command_sources)
sdtlink_sdtlink_LDADD = lib/libsdtlink.a

# What --link puts into linkers: a shared object, which needs no more than this
# (AM_CFLAGS may have sanitizers, which linkers have not), beside the linkers'
# names for gcc -B. It is found by its place from the command's, which is the
# same here and installed.
EXTRA_DIST += sdtlink/interpose.c
linker_names = ld ld.bfd ld.gold ld.lld ld.mold
interpose = libexec/sdtlink/interpose.so
noinst_DATA += $(interpose)
CLEANFILES += $(interpose) $(linker_names:%=libexec/sdtlink/%) \
	sdtlink/sdtlink-ld sdtlink/sdtlink-cc

$(interpose): sdtlink/interpose.c sdtlink/interpose.h
	$(AM_V_CCLD)$(MKDIR_P) libexec/sdtlink && \
	$(CC) $(WARN_CFLAGS) $(CPPFLAGS) -D_GNU_SOURCE $(CFLAGS) -fPIC \
		$(LDFLAGS) -shared -o $@ $(srcdir)/sdtlink/interpose.c $(DL_LIBS) && \
	for name in $(linker_names); do \
		$(LN_S) -f ../../sdtlink/sdtlink$(EXEEXT) \
			libexec/sdtlink/$$name || exit 1; \
	done && \
	for name in sdtlink-ld sdtlink-cc; do \
		$(LN_S) -f sdtlink$(EXEEXT) sdtlink/$$name || exit 1; \
	done

install-exec-local: $(interpose)
	$(MKDIR_P) '$(DESTDIR)$(pkglibexecdir)' '$(DESTDIR)$(bindir)'
	$(INSTALL_DATA) $(interpose) '$(DESTDIR)$(pkglibexecdir)'
	case '$(bindir) $(pkglibexecdir)' in \
	'$(prefix)/bin $(prefix)/libexec/sdtlink') to=../../bin ;; \
	*) to='$(bindir)' ;; \
	esac; \
	for name in $(linker_names); do \
		$(LN_S) -f "$$to/sdtlink$(EXEEXT)" \
			'$(DESTDIR)$(pkglibexecdir)'/$$name || exit 1; \
	done
	for name in sdtlink-ld sdtlink-cc; do \
		$(LN_S) -f sdtlink$(EXEEXT) '$(DESTDIR)$(bindir)'/$$name || \
			exit 1; \
	done

uninstall-hook:
	rm -f '$(DESTDIR)$(pkglibexecdir)'/interpose.so \
		'$(DESTDIR)$(bindir)'/sdtlink-ld '$(DESTDIR)$(bindir)'/sdtlink-cc
	for name in $(linker_names); do \
		rm -f '$(DESTDIR)$(pkglibexecdir)'/$$name; \
	done
	-rmdir '$(DESTDIR)$(pkglibexecdir)'
	rm -f '$(DESTDIR)$(sdtlinkheadersdir)/sdtlink'
	-rmdir '$(DESTDIR)$(sdtlinkheadersdir)'

# What --explain and --help say, for whatever compiles explain.c and arguments.c.
explain_texts = sdtlink/explain-texts.inc
option_rows = sdtlink/option-rows.inc
CLEANFILES += $(explain_texts) $(option_rows)
$(explain_texts): man/diagnostics.txt man/diagnostics.awk
	$(AM_V_GEN)$(MKDIR_P) sdtlink && $(AWK) -v to=c \
		-f '$(srcdir)/man/diagnostics.awk' \
		'$(srcdir)/man/diagnostics.txt' >$@.new && mv $@.new $@
$(option_rows): man/options.txt man/options.awk
	$(AM_V_GEN)$(MKDIR_P) sdtlink && $(AWK) -f '$(srcdir)/man/options.awk' \
		'$(srcdir)/man/options.txt' >$@.new && mv $@.new $@
sdtlink/explain.$(OBJEXT): $(explain_texts)
sdtlink/tests_many-explain.$(OBJEXT): $(explain_texts)
sdtlink/arguments.$(OBJEXT): $(option_rows)
sdtlink/tests_many-arguments.$(OBJEXT): $(option_rows)
sdtlink/fuzz_fuzz_arguments-arguments.$(OBJEXT): $(option_rows)
