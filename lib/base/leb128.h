/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LEB128 numbers: seven bits in each byte, the lowest first (DWARF 5, 7.6). */
#ifndef SDTLINK_LEB128_H
#define SDTLINK_LEB128_H

#include <stdbool.h>
#include <stdint.h>

enum { LEB128_MAX = 10 }; /* bytes of 64 bits */

enum leb128_error { LEB128_OK, LEB128_CUT_OFF, LEB128_TOO_LARGE };

/*
 * Reads a number of up to 64 bits into *VALUE, and moves *P behind it. If it
 * does not end before END, or has more bits, *VALUE is 0 and *P stays.
 */
static inline enum leb128_error leb128_get(const uint8_t **p,
					   const uint8_t *end, bool is_signed,
					   uint64_t *value)
{
	const uint8_t *at = *p;
	uint64_t sum = 0;

	*value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (at == end)
			return LEB128_CUT_OFF;
		byte = *at++;
		/* The tenth byte has one bit, or copies of the sign. */
		if (shift == 63 && byte != 0 && byte != (is_signed ? 0x7f : 1))
			break;
		sum |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (is_signed && shift + 7 < 64 && (byte & 0x40))
			sum |= UINT64_MAX << (shift + 7);
		*value = sum;
		*p = at;
		return LEB128_OK;
	}
	return LEB128_TOO_LARGE;
}

/*
 * Both write VALUE at TO, which must have room for LEB128_MAX bytes. They
 * return the end of the number.
 */
static inline uint8_t *leb128_put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = value | 0x80;
	*to++ = value;
	return to;
}

static inline uint8_t *leb128_put_signed(uint8_t *to, int64_t value)
{
	for (; value < -0x40 || value >= 0x40; value >>= 7)
		*to++ = value | 0x80;
	*to++ = value & 0x7f;
	return to;
}

#endif
