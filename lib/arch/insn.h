/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads, writes and takes apart instruction words. */
#ifndef SDTLINK_INSN_H
#define SDTLINK_INSN_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t insn_le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t insn_le32(const uint8_t *p)
{
	return insn_le16(p) | insn_le16(p + 2) << 16;
}

static inline uint32_t insn_be16(const uint8_t *p)
{
	return p[1] | (uint32_t)p[0] << 8;
}

static inline uint32_t insn_be32(const uint8_t *p)
{
	return insn_be16(p + 2) | insn_be16(p) << 16;
}

static inline void insn_put_le32(uint8_t *p, uint32_t insn)
{
	for (int i = 0; i < 4; i++)
		p[i] = insn >> 8 * i;
}

static inline void insn_put_be32(uint8_t *p, uint32_t insn)
{
	for (int i = 0; i < 4; i++)
		p[3 - i] = insn >> 8 * i;
}

static inline void insn_put_be16(uint8_t *p, uint32_t insn)
{
	p[0] = insn >> 8;
	p[1] = insn;
}

/* Bits LOW to LOW + N - 1 of INSN, moved to bit TO. */
static inline uint32_t insn_bits(uint32_t insn, unsigned low, unsigned n,
				 unsigned to)
{
	return (insn >> low & ((1u << n) - 1)) << to;
}

/* Which bits of an instruction are fixed, and their values. */
struct insn_pattern {
	uint32_t bits;
	uint32_t mask;
};

static inline bool insn_matches(const struct insn_pattern *pattern,
				uint32_t insn)
{
	return (insn & pattern->mask) == pattern->bits;
}

/* VALUE as a signed number of WIDTH bits. */
static inline int64_t insn_sign_extend(uint32_t value, unsigned width)
{
	uint32_t sign = 1u << (width - 1);

	return (int64_t)((value & (sign | (sign - 1))) ^ sign) - sign;
}

#endif
