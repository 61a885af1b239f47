/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libdw of elfutils. It is loaded only for a command that asks for lines. Its
 * ABI is stable: symbols have versions.
 */
#ifndef SDTLINK_LIBDW_H
#define SDTLINK_LIBDW_H

#include <stdbool.h>

/* Without its headers, only this part of the room is built. */
#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define LIBDW_FUNCTIONS(X) \
	X(dwarf_attr) \
	X(dwarf_attr_integrate) \
	X(dwarf_child) \
	X(dwarf_cu_die) \
	X(dwarf_cu_getdwarf) \
	X(dwarf_decl_line) \
	X(dwarf_dieoffset) \
	X(dwarf_diename) \
	X(dwarf_filesrc) \
	X(dwarf_formref_die) \
	X(dwarf_formsdata) \
	X(dwarf_formstring) \
	X(dwarf_formudata) \
	X(dwarf_get_units) \
	X(dwarf_getelf) \
	X(dwarf_getlocation_addr) \
	X(dwarf_getlocations) \
	X(dwarf_getsrc_die) \
	X(dwarf_getsrcfiles) \
	X(dwarf_getsrclines) \
	X(dwarf_hasattr) \
	X(dwarf_lineaddr) \
	X(dwarf_linebeginstatement) \
	X(dwarf_linecol) \
	X(dwarf_lineendsequence) \
	X(dwarf_lineno) \
	X(dwarf_linesrc) \
	X(dwarf_new_oom_handler) \
	X(dwarf_onesrcline) \
	X(dwarf_ranges) \
	X(dwarf_siblingof) \
	X(dwarf_tag) \
	X(dwfl_begin) \
	X(dwfl_end) \
	X(dwfl_errmsg) \
	X(dwfl_module_getdwarf) \
	X(dwfl_module_getelf) \
	X(dwfl_module_register_names) \
	X(dwfl_offline_section_address) \
	X(dwfl_report_end) \
	X(dwfl_report_offline) \
	X(dwfl_report_offline_memory) \
	X(dwfl_standard_find_debuginfo)

struct libdw {
#define LIBDW_MEMBER(name) __typeof__(&name) name;
	LIBDW_FUNCTIONS(LIBDW_MEMBER)
#undef LIBDW_MEMBER
};

/* NULL if it is not there. */
const struct libdw *libdw_load(void);

#endif

#endif
