/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that print the results of --drift share. */
#ifndef SDTLINK_DRIFT_REPORT_H
#define SDTLINK_DRIFT_REPORT_H

#include "command.h"
#include "input.h"
#include "drift/compare.h"
#include "prove/verify.h"

/* Of objects with bytecode. */
enum bytecode {
	BYTECODE_REFUSED,   /* nobody knows what became of it */
	BYTECODE_GENERATED, /* the text made of it is among the inputs */
	BYTECODE_UNUSED,    /* the linker took the text beside it */
};

struct drift_report {
	const struct command *cmd;
	struct input_list list;
	struct object *inputs; /* those of the list, and the final */
	struct object *final;
	struct drift *drift;
	FILE *stream;
	bool is_short; /* no lists */
	enum bytecode bytecode;
};

/*
 * drift-inputs.c: opens and checks the inputs of the list, for the open final.
 */
int drift_open_inputs(struct diag *d, struct drift_report *r);

/*
 * drift.c: the mode, for the inputs of LIST and the final, which is CMD's last.
 * Returns an exit status. Inputs with only bytecode are removed from LIST if
 * the code made from it is an input.
 */
int drift_of_list(const struct command *cmd, struct report *report,
		  struct input_list *list, enum bytecode bytecode);

/* drift-against.c: the mode with another final. */
int command_drift_against(const struct command *cmd, struct report *report);

/* drift.c: what all its documents begin with. */
void drift_head_json(struct json *json, const char *path,
		     const struct object *final);

/*
 * The lines for --verify -v. NNOPS placed sections have NOPs instead of sites.
 */
void drift_print_short(const struct drift_report *r, size_t nnops);

/*
 * drift-verified.c: the report of --verify -v. LIST has the N sections with
 * sites, sorted. IS_WHOLE: all their text is proved.
 */
void drift_print_verified(const struct drift_report *r,
			  struct verified_section *list, size_t n,
			  bool is_whole);

/* drift-chart.c: as SVG. */
int drift_chart(struct diag *d, const struct drift_report *r);
int drift_against_chart(struct diag *d, const struct drift_report *r,
			const struct drift *drifts, const struct comparison *c);

#endif
