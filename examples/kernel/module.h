/* SPDX-License-Identifier: BSD-2-Clause */
/* A loader of relocatable modules; one at a time. */
#ifndef MODULE_H
#define MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <sdtlink/sdt_table.h>

/*
 * Loads the object of SIZE bytes at FILE, which stays.  BOUNDS are those of its
 * site table.  Returns 0, or -1 and has loaded nothing.
 */
int module_load(const void *file, size_t size, struct sdt_bounds *bounds);

/* Its text is gone, and what is left of it traps. */
void module_unload(void);

/* The address of a symbol of the module, or 0. */
uintptr_t module_symbol(const char *name);

/* For the patcher, and for the names of functions. */
int module_is_text(uintptr_t addr, uint32_t len);
const char *module_function(void *cookie, sdt_uptr addr);

#endif
