/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers the linker when it opens its inputs: see interpose.c. */
#ifndef SDTLINK_ANSWERS_H
#define SDTLINK_ANSWERS_H

#include <limits.h>
#include <sys/resource.h>

#include "base/diag.h"
#include "link-drift.h"
#include "make/substitute.h"
#include "report.h"

struct answers {
	int mine, theirs;    /* two ends of a socket */
	struct rlimit files; /* as the linker is to have it */
	bool was_asked;	     /* interpose.c is where binaries are read */
	bool has_failed;
	struct substitutes set;
	struct report *report;		/* is shown before a file is refused */
	const struct string_list *data; /* files that are no objects here */
	struct read_files *kept;	/* that keep what is read; or NULL */
};

/* Returns -1, diagnosed. Call answers_close either way. */
int answers_open(struct diag *d, struct answers *answers,
		 const struct options *options);

/* The path of what the linker is to load. */
void answers_interposer(const char *libexec, char path[PATH_MAX]);

/* Sets the environment so that the program asks. Called in the child. */
int answers_offer(const struct answers *answers, const char *libexec);

/* Answers all pending questions. Returns -1 with errno on trouble. */
int answers_give(struct diag *d, struct answers *answers);

void answers_close(struct answers *answers);

#endif
