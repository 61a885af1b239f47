/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of formats that are little-endian whatever the machine is. */
#ifndef SDTLINK_BYTES_H
#define SDTLINK_BYTES_H

#include <stdint.h>

/* That of N bytes, at most 4. */
static inline uint32_t bytes_little(const uint8_t *bytes, unsigned n)
{
	uint32_t value = 0;

	for (unsigned i = n; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

#endif
