# SPDX-License-Identifier: GPL-3.0-or-later
dist_man_MANS += man/sdtlink.1 man/sdtlink-machines.7 man/sdt.3 \
	man/sdt_control.3 \
	man/sdt_table.5
