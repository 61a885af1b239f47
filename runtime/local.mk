# SPDX-License-Identifier: BSD-2-Clause
# The headers for #include <sdtlink/sdt.h>, and the whole folder as a kernel
# would vendor it.
sdtlinkincludedir = $(includedir)/sdtlink
sdtlinkinclude_HEADERS = \
	runtime/sdt.h \
	runtime/sdt_control.h \
	runtime/sdt_host_plain.h \
	runtime/sdt_marker.h \
	runtime/sdt_patch.h \
	runtime/sdt_table.h

sdtlinkruntimedir = $(datadir)/sdtlink/runtime
dist_sdtlinkruntime_DATA = \
	$(sdtlinkinclude_HEADERS) \
	runtime/sdt_control.c \
	runtime/sdt_host_plain.c \
	runtime/sdt_match.c \
	runtime/sdt_names.c \
	runtime/sdt_patch.c \
	runtime/sdt_patch_aarch64.c \
	runtime/sdt_patch_arm.c \
	runtime/sdt_patch_isa.h \
	runtime/sdt_patch_loongarch.c \
	runtime/sdt_patch_mips.c \
	runtime/sdt_patch_ppc.c \
	runtime/sdt_patch_riscv.c \
	runtime/sdt_patch_s390x.c \
	runtime/sdt_patch_sparc64.c \
	runtime/sdt_patch_word.c \
	runtime/sdt_patch_word.h \
	runtime/sdt_patch_x86.c \
	runtime/sdt_table.c

# A folder with nothing but sdtlink/ in it, for compilers that look elsewhere
# than in $(includedir), and builds that must not look there.
sdtlinkheadersdir = $(datadir)/sdtlink/include
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(sdtlinkheadersdir)'
	rm -f '$(DESTDIR)$(sdtlinkheadersdir)/sdtlink'
	$(LN_S) ../runtime '$(DESTDIR)$(sdtlinkheadersdir)/sdtlink'

# Where pkg-config looks whatever the target is: the command is of the build
# machine, the runtime is source code.
pkgconfigdir = $(datadir)/pkgconfig
nodist_pkgconfig_DATA = runtime/sdtlink-runtime.pc sdtlink/sdtlink.pc
