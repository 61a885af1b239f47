/* SPDX-License-Identifier: BSD-2-Clause */
/* What trampoline.S and trace.c must agree on. */
#ifndef TRAMPOLINE_H
#define TRAMPOLINE_H

#define TRACE_NSITES_MAX 64
#define TRAMPOLINE_SIZE 16

#endif
