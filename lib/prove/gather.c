/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>

#include "base/parallel.h"
#include "gather.h"

struct reading {
	struct verify_run *run;
	const struct object *final;
	struct gathered *g;
	/* Of the only partial. NULL if there are several: then each is enough
	 * work for one thread. */
	struct extents *extents;
	int status; /* of listing them */
};

static struct diag log_to(const struct reading *r, struct diag_log *log)
{
	return (struct diag){
		.sink = diag_log_receive,
		.ctx = log,
		.warnings_are_errors = r->run->d->warnings_are_errors,
	};
}

static void read_final(struct reading *r)
{
	struct verify_run *run = r->run;
	struct gathered *g = r->g;
	struct diag d = log_to(r, &g->image_log);

	g->image_status = image_open(&d, r->final, &run->img);
	if (g->image_status != 0)
		return;
	d = log_to(r, &g->table_log);
	g->table_status = table_read(&d, &run->img, run->options, &run->table,
				     &g->has_table);
}

/* Partial K, which nobody has read before. */
static void read_partial(struct reading *r, size_t k)
{
	struct verify_run *run = r->run;
	struct diag d = log_to(r, &r->g->logs[k]);
	const struct object *partial = run->proofs[k].partial;

	if (k < run->v->ncollected) {
		r->g->collected[k] = run->v->collected[k];
		run->v->collected[k] = NULL;
	} else if (r->extents == NULL) {
		r->g->collected[k] = collected_new(&d, partial, run->options);
	} else {
		r->g->collected[k] = collected_begin(&d, partial, run->options);
	}
}

/* The final, then the partials, then the extents of the only partial. */
static void read_one(void *ctx, size_t i)
{
	struct reading *r = ctx;
	struct diag quiet = { .sink = diag_ignore };

	if (i == 0)
		read_final(r);
	else if (i <= r->run->nproofs)
		read_partial(r, i - 1);
	else
		r->status = extents_list(&quiet, r->run->proofs[0].partial,
					 r->extents);
}

/* Puts together what was read of the only partial. */
static int join(struct reading *r)
{
	struct collected *c = r->g->collected[0];
	const struct object *partial = r->run->proofs[0].partial;
	struct diag d = log_to(r, &r->g->logs[0]);

	if (r->status != 0)
		return diag_nomem(r->run->d, partial->path);
	if (c != NULL && !c->has_failed)
		collected_end(&d, partial, r->extents, c);
	return 0;
}

int gather(struct verify_run *run, const struct object *final,
	   struct gathered *g)
{
	struct extents extents = { 0 };
	struct reading r = { .run = run, .final = final, .g = g };
	uint64_t bytes = final->file_size;
	size_t n = 1 + run->nproofs;
	int ret = 0;

	*g = (struct gathered){
		.collected = calloc(run->nproofs, sizeof(g->collected[0])),
		.logs = calloc(run->nproofs, sizeof(g->logs[0])),
	};
	if (g->collected == NULL || g->logs == NULL)
		return diag_nomem(run->d, final->path);
	for (size_t k = run->v->ncollected; k < run->nproofs; k++)
		bytes += run->proofs[k].partial->file_size;
	if (run->nproofs == 1 && run->v->ncollected == 0) {
		r.extents = &extents;
		n++;
	}
	parallel_run(n, bytes, read_one, &r);
	if (r.extents != NULL)
		ret = join(&r);
	extents_free(&extents);
	return ret;
}

void gather_free(struct verify_run *run, struct gathered *g)
{
	diag_log_free(&g->image_log);
	diag_log_free(&g->table_log);
	for (size_t k = 0; k < run->nproofs; k++) {
		if (g->collected != NULL)
			collected_free(g->collected[k]);
		if (g->logs != NULL)
			diag_log_free(&g->logs[k]);
	}
	free(g->collected);
	free(g->logs);
}
