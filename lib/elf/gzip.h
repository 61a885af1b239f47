/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SDTLINK_GZIP_H
#define SDTLINK_GZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * Unpacks the SIZE bytes at *BYTES if gzip packed them, or if they are a kernel
 * that unpacks itself. Then replaces *BYTES and *SIZE by the contents. The
 * caller owns *BYTES, which malloc allocated, before and after. If NLEFT is not
 * NULL, only the first gzip member is unpacked, and *NLEFT is the number of
 * bytes behind it. Fails with a diagnostic if another program packed the
 * kernel.
 */
int gzip_unpack(struct diag *d, const char *path, uint8_t **bytes, size_t *size,
		size_t *nleft);

#endif
