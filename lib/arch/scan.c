/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "arch.h"
#include "reloc.h"
#include "scan.h"

struct refusal scan_explain_refusal(const struct arch *arch,
				    const uint8_t *text, size_t size,
				    const struct reloc *r)
{
	struct refusal refusal = {
		.what = "no direct branch",
		.remedy = SCAN_REMEDY,
		.length = arch_reloc_width(arch, r->type),
	};

	arch->scan->explain_refusal(arch, text, size, r, &refusal);
	if (refusal.length > size - r->offset + refusal.back)
		refusal.length = size - r->offset + refusal.back;
	return refusal;
}
