/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "libdw.h"

#ifdef HAVE_ELFUTILS_LIBDWFL_H

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define LIBDW_SO "libdw.so.1"

/*
 * If a library exists but could not be mapped, memory ran out. The loader says
 * so only in MESSAGE.
 */
static void note_error(const char *message)
{
	if (message == NULL || strstr(message, " map ") != NULL ||
	    strstr(message, "memory") != NULL ||
	    strstr(message, "allocate") != NULL)
		memory_note(ENOMEM);
}

const struct libdw *libdw_load(void)
{
	static struct libdw libdw;
	static bool was_tried, is_loaded;
	void *handle;

	if (was_tried)
		return is_loaded ? &libdw : NULL;
	was_tried = true;
	handle = dlopen(LIBDW_SO, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL) {
		note_error(dlerror());
		return NULL;
	}
	is_loaded = true;
#define LIBDW_FIND(name) \
	*(void **)&libdw.name = dlsym(handle, #name); \
	is_loaded = is_loaded && libdw.name != NULL;
	LIBDW_FUNCTIONS(LIBDW_FIND)
#undef LIBDW_FIND
	return is_loaded ? &libdw : NULL;
}

#endif
