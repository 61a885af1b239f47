/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics that are kept, to be shown later or in another form. */
#ifndef SDTLINK_DIAG_LOG_H
#define SDTLINK_DIAG_LOG_H

#include <stddef.h>

#include "base/diag.h"

struct diag_log {
	struct logged_diagnostic *items; /* owned */
	size_t n;
};

/* Keeps a copy. Returns -1 without memory. */
int diag_log_add(struct diag_log *log, const struct diagnostic *dg);

/* The I-th. Its strings are valid as long as it is kept. */
struct diagnostic diag_log_get(const struct diag_log *log, size_t i);

/* Forgets all but the first N. */
void diag_log_cut(struct diag_log *log, size_t n);

void diag_log_free(struct diag_log *log);

/* A sink, with a log as CTX. What cannot be kept is forgotten, and
 * memory_has_failed() tells. */
void diag_log_receive(void *ctx, const struct diagnostic *dg);

/* Reports all of LOG to D, in order, and forgets them. */
void diag_log_pass(struct diag_log *log, struct diag *d);

#endif
