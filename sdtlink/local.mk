# SPDX-License-Identifier: GPL-3.0-or-later
bin_PROGRAMS += sdtlink/sdtlink
command_sources = \
	sdtlink/arguments.c sdtlink/arguments.h \
	sdtlink/command.h \
	sdtlink/cost.c sdtlink/cost.h \
	sdtlink/cost-chart.c \
	sdtlink/cost-measure.c \
	sdtlink/depfile.c sdtlink/depfile.h \
	sdtlink/drift.c \
	sdtlink/dump.c \
	sdtlink/generate.c \
	sdtlink/inject.c \
	sdtlink/input.c sdtlink/input.h \
	sdtlink/json.c sdtlink/json.h \
	sdtlink/listing.c sdtlink/listing.h sdtlink/listing-print.c \
	sdtlink/merge_script.c \
	sdtlink/report.c sdtlink/report.h \
	sdtlink/response.c sdtlink/response.h \
	sdtlink/result.c \
	sdtlink/verify.c
sdtlink_sdtlink_SOURCES = sdtlink/main.c $(command_sources)
sdtlink_sdtlink_LDADD = lib/libsdtlink.a
