/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "diag-log.h"
#include "grow.h"

struct logged_diagnostic {
	enum severity severity;
	bool has_offset;
	uint64_t offset;
	uint64_t function_offset;
	char *file, *section, *function, *code, *text, *remedy;
};

static char *copy(const char *string)
{
	return string != NULL ? strdup(string) : NULL;
}

void diag_log_cut(struct diag_log *log, size_t n)
{
	for (size_t i = n; i < log->n; i++) {
		struct logged_diagnostic *dg = &log->items[i];

		free(dg->file);
		free(dg->section);
		free(dg->function);
		free(dg->code);
		free(dg->text);
		free(dg->remedy);
	}
	log->n = n;
}

void diag_log_free(struct diag_log *log)
{
	diag_log_cut(log, 0);
	free(log->items);
	log->items = NULL;
}

int diag_log_add(struct diag_log *log, const struct diagnostic *dg)
{
	struct logged_diagnostic *added =
		grow_list(log->items, log->n, sizeof(added[0]));

	if (added == NULL)
		return -1;
	log->items = added;
	added += log->n++;
	*added = (struct logged_diagnostic){
		.severity = dg->severity,
		.has_offset = dg->place.has_offset,
		.offset = dg->place.offset,
		.function_offset = dg->place.function_offset,
		.file = copy(dg->place.file),
		.section = copy(dg->place.section),
		.function = copy(dg->place.function),
		.code = copy(dg->code),
		.text = copy(dg->text),
		.remedy = copy(dg->remedy),
	};
	if (added->file != NULL && added->code != NULL && added->text != NULL)
		return 0;
	diag_log_cut(log, log->n - 1);
	return -1;
}

struct diagnostic diag_log_get(const struct diag_log *log, size_t i)
{
	const struct logged_diagnostic *dg = &log->items[i];

	return (struct diagnostic){
		.severity = dg->severity,
		.place = { .file = dg->file,
			   .section = dg->section,
			   .has_offset = dg->has_offset,
			   .offset = dg->offset,
			   .function = dg->function,
			   .function_offset = dg->function_offset },
		.code = dg->code,
		.text = dg->text,
		.remedy = dg->remedy,
	};
}

void diag_log_receive(void *ctx, const struct diagnostic *dg)
{
	(void)diag_log_add(ctx, dg);
}

void diag_log_pass(struct diag_log *log, struct diag *d)
{
	for (size_t i = 0; i < log->n; i++) {
		struct diagnostic dg = diag_log_get(log, i);

		diag_report(d, dg.severity, &dg.place, dg.code, dg.remedy, "%s",
			    dg.text);
	}
	diag_log_cut(log, 0);
}
