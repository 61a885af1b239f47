/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_HASH_H
#define SDTLINK_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Of N bytes, for tables in memory: it differs from run to run, so that no input
 * can have many names of one hash. Let no output depend on it.
 */
uint64_t hash_bytes(const void *bytes, size_t n);

#endif
