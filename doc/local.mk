# SPDX-License-Identifier: GPL-3.0-or-later
sdtlinkdatadir = $(datadir)/sdtlink
dist_sdtlinkdata_DATA = doc/json-schema.json
EXTRA_DIST += doc/adding-an-isa.md doc/design.md doc/matrix.md \
	doc/matrix-others.md doc/speed.md doc/targets.md
