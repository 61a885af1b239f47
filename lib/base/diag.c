/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>

#include "diag.h"

/* Longer texts are cut. Names come from a file, and can have any length. */
#define TEXT_MAX 1024

void diag_ignore(void *ctx, const struct diagnostic *diagnostic)
{
	(void)ctx;
	(void)diagnostic;
}

static int report(struct diag *d, struct diagnostic *dg, const char *fmt,
		  va_list ap) __attribute__((format(printf, 3, 0)));

static int report(struct diag *d, struct diagnostic *dg, const char *fmt,
		  va_list ap)
{
	char text[TEXT_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	if (d->warnings_are_errors && dg->severity == SEVERITY_WARNING)
		dg->severity = SEVERITY_NO;
	dg->text = text;
	d->sink(d->ctx, dg);

	switch (dg->severity) {
	case SEVERITY_NO:
		d->nno++;
		return -1;
	case SEVERITY_TROUBLE:
		d->ntrouble++;
		return -1;
	case SEVERITY_NOTE:
	case SEVERITY_WARNING:
		break;
	}
	return 0;
}

int diag_report(struct diag *d, enum severity severity,
		const struct place *place, const char *code, const char *remedy,
		const char *fmt, ...)
{
	struct diagnostic dg = {
		.severity = severity,
		.place = *place,
		.code = code,
		.remedy = remedy,
	};
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = report(d, &dg, fmt, ap);
	va_end(ap);
	return ret;
}

int diag_file(struct diag *d, const char *file, const char *code,
	      const char *fmt, ...)
{
	struct diagnostic dg = {
		.severity = SEVERITY_TROUBLE,
		.place = { .file = file },
		.code = code,
	};
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = report(d, &dg, fmt, ap);
	va_end(ap);
	return ret;
}

int diag_nomem(struct diag *d, const char *file)
{
	return diag_file(d, file, "out-of-memory", "out of memory");
}
