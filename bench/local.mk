# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += bench/run bench/floor.c bench/measure.c bench/runtime \
	bench/scale.c bench/drift bench/growth bench/tracepoints \
	bench/runtime-loop.c bench/instructions bench/linux \
	bench/linux-loop.c

# Needs the network for the first time, and a minute or two.
bench: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) CC='$(CC)' $(srcdir)/bench/run

bench-runtime: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) CC='$(CC)' $(srcdir)/bench/run runtime

# What a probe costs in instructions, on twelve machines; a minute or two.
bench-instructions: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) $(srcdir)/bench/instructions

# How time and memory grow with the input; a quarter of an hour.
bench-growth: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) CC='$(CC)' $(srcdir)/bench/growth

# The tracepoints of a Linux kernel, which is built four times; an hour.
bench-tracepoints: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) $(srcdir)/bench/tracepoints

# What probes cost a Linux kernel, which is built six times; an hour.
bench-linux: sdtlink/sdtlink$(EXEEXT)
	SDTLINK=sdtlink/sdtlink$(EXEEXT) $(srcdir)/bench/linux

.PHONY: bench bench-growth bench-instructions bench-linux bench-runtime bench-tracepoints
