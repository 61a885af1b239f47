/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the build attributes of an ARM object for the architecture that it
 * needs (Addenda to, and Errata in, the ABI for the Arm Architecture, chapter
 * 3).
 */
#include <config.h>

#include <string.h>

#include "arm.h"
#include "base/leb128.h"

enum { TAG_FILE = 1, TAG_CPU_RAW_NAME = 4, TAG_CPU_NAME = 5, TAG_CPU_ARCH = 6 };
enum { TAG_COMPATIBILITY = 32 };

struct cursor {
	const uint8_t *p, *end;
	const struct arch *arch;
};

/* 0, behind all, for one that cannot be read. */
static uint64_t get_number(struct cursor *c)
{
	uint64_t value;

	if (leb128_get(&c->p, c->end, false, &value) != LEB128_OK)
		c->p = c->end;
	return value;
}

/* Behind a string; false if it does not end. */
static bool skip_string(struct cursor *c)
{
	const uint8_t *nul = memchr(c->p, 0, c->end - c->p);

	c->p = nul != NULL ? nul + 1 : c->end;
	return nul != NULL;
}

/*
 * Takes a block off C. Its length, which includes the BACK bytes before it,
 * comes first. Returns false if C is shorter.
 */
static bool take_block(struct cursor *c, size_t back, struct cursor *block)
{
	size_t left = c->end - c->p;
	uint32_t size;

	if (left < 4)
		return false;
	size = arch_insn(c->arch, c->p);
	if (size < back + 4 || size - back > left)
		return false;
	*block = (struct cursor){ c->p + 4, c->p + (size - back), c->arch };
	c->p = block->end;
	return true;
}

/* Sets the value of Tag_CPU_arch, if it is there. */
static bool find_cpu_arch(struct cursor *c, uint64_t *arch)
{
	while (c->p < c->end) {
		uint64_t tag = get_number(c);

		if (tag == TAG_CPU_ARCH) {
			*arch = get_number(c);
			return true;
		}
		if (tag == TAG_COMPATIBILITY)
			get_number(c);
		if (tag != TAG_CPU_RAW_NAME && tag != TAG_CPU_NAME &&
		    (tag < TAG_COMPATIBILITY || tag % 2 == 0) &&
		    tag != TAG_COMPATIBILITY)
			get_number(c);
		else if (!skip_string(c))
			return false;
	}
	return false;
}

bool arm_lacks_bx(const struct arch *arch, const uint8_t *bytes, size_t size)
{
	struct cursor all = { bytes, bytes + size, arch };
	struct cursor vendor, block;
	uint64_t cpu_arch;

	if (size == 0 || *all.p++ != 'A')
		return false;
	while (take_block(&all, 0, &vendor)) {
		bool is_aeabi = vendor.end - vendor.p >= 6 &&
				memcmp(vendor.p, "aeabi", 6) == 0;

		if (!skip_string(&vendor) || !is_aeabi)
			continue;
		while (vendor.p < vendor.end) {
			const uint8_t *start = vendor.p;
			uint64_t tag = get_number(&vendor);

			if (!take_block(&vendor, vendor.p - start, &block))
				break;
			if (tag == TAG_FILE && find_cpu_arch(&block, &cpu_arch))
				return cpu_arch <= 1; /* before v4T */
		}
	}
	return false;
}
