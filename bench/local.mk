# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += bench/run bench/floor.c bench/measure.c bench/runtime \
	bench/scale.c bench/drift bench/growth bench/tracepoints \
	bench/runtime-loop.c

# Needs the network for the first time, and a minute or two.
bench: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) CC='$(CC)' $(srcdir)/bench/run

bench-runtime: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) CC='$(CC)' $(srcdir)/bench/run runtime

# How time and memory grow with the input; a quarter of an hour.
bench-growth: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) CC='$(CC)' $(srcdir)/bench/growth

# The tracepoints of a Linux kernel, which is built four times; an hour.
bench-tracepoints: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) $(srcdir)/bench/tracepoints

.PHONY: bench bench-growth bench-runtime bench-tracepoints
