/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that print what --drift found. */
#ifndef SDTLINK_DRIFT_REPORT_H
#define SDTLINK_DRIFT_REPORT_H

#include "command.h"
#include "input.h"
#include "place/drift.h"

struct drift_report {
	const struct command *cmd;
	struct input_list list;
	struct object *inputs; /* those of the list, and the final */
	struct object *final;
	struct drift *drift;
	FILE *stream;
};

/* drift-chart.c: as SVG. */
void drift_chart(const struct drift_report *r);

#endif
