/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of verify: is each address that the image has for a name explained?
 *
 * A section that is not at a place of its own was dropped, or folded into
 * another. Its names may be in the image all the same, as other functions have
 * them, too. So each function of the image with such a name is one of these:
 *
 * - a function of a placed section, with that name;
 * - a function without sites of a given object, with that name. Such a function
 *   explains one address: linkers do not double functions;
 * - a global one, where the section has a weak one: another object's;
 * - another object's, where the section is of an archive member that was not
 *   linked.
 *
 * Else it may be the section itself, as it was when the image was linked.
 */
#ifndef SDTLINK_NAMED_H
#define SDTLINK_NAMED_H

#include "proof.h"

/*
 * Reports the sections without a place of their own for which that is not so.
 * Returns -1 on trouble, diagnosed.
 */
int named_check(struct proof *all, size_t n);

#endif
