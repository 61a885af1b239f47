/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_HASH_H
#define SDTLINK_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * The hash of N bytes, for tables in memory. It differs between runs, so no
 * input can contain many names of one hash. No output may depend on it.
 */
uint64_t hash_bytes(const void *bytes, size_t n);

#endif
