# SPDX-License-Identifier: GPL-3.0-or-later
dist_man_MANS += \
	man/sdt.3 \
	man/sdt_control.3 \
	man/sdt_table.5 \
	man/sdtlink-cc.1 \
	man/sdtlink-check-jump.7 \
	man/sdtlink-drift.7 \
	man/sdtlink-dump.7 \
	man/sdtlink-inject.7 \
	man/sdtlink-json.5 \
	man/sdtlink-ld.1 \
	man/sdtlink-machines.7 \
	man/sdtlink-sites.7 \
	man/sdtlink-source.7 \
	man/sdtlink-verify.7

EXTRA_DIST += man/diagnostics.awk man/diagnostics.txt \
	man/options.awk man/options.txt man/sdtlink.1.in
man_MANS = man/sdtlink-diagnostics.7 man/sdtlink.1
CLEANFILES += $(man_MANS)
man/sdtlink-diagnostics.7: man/diagnostics.txt man/diagnostics.awk
	$(AM_V_GEN)$(MKDIR_P) man && $(AWK) -v to=man \
		-f '$(srcdir)/man/diagnostics.awk' \
		'$(srcdir)/man/diagnostics.txt' >$@.new && mv $@.new $@
man/sdtlink.1: man/sdtlink.1.in man/options.txt man/options.awk
	$(AM_V_GEN)$(MKDIR_P) man && $(AWK) -f '$(srcdir)/man/options.awk' \
		'$(srcdir)/man/options.txt' '$(srcdir)/man/sdtlink.1.in' \
		>$@.new && mv $@.new $@
