/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of the machine that sdtlink runs on. */
#ifndef SDTLINK_HOST_H
#define SDTLINK_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Not every system has <endian.h>, but every compiler knows. */
static inline bool host_is_big_endian(void)
{
	const uint16_t one = 1;
	uint8_t first;

	memcpy(&first, &one, 1);
	return first == 0;
}

#endif
