/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "jump.h"

/*
 * The bytes from the reserving to the storing instruction. Architectures
 * guarantee less.
 */
#define REACH 64

bool jump_is_reserved(const struct arch *arch, const struct code *code,
		      uint64_t start, uint64_t offset, unsigned unit,
		      enum reservation (*kind)(const struct arch *arch,
					       const uint8_t *insn))
{
	for (unsigned back = 0; back <= REACH; back += unit) {
		enum reservation found;

		if (offset < start + back)
			return false;
		found = kind(arch, code->bytes + offset - back);
		if (found != RESERVES_NOT && (unit == 4 || back == 0))
			return back == 0 || found == RESERVES;
		if (found == RESERVES)
			return true;
	}
	return false;
}
