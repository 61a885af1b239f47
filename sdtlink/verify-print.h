/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --verify found and what it says of the final, as text and as JSON. */
#ifndef SDTLINK_VERIFY_PRINT_H
#define SDTLINK_VERIFY_PRINT_H

#include "elf/flashed.h"
#include "prove/verify.h"
#include "command.h"
#include "finding-disassembly.h"
#include "finding-lines.h"

struct kept_finding {
	struct finding finding;
	struct source_chain chain;
};

/*
 * The findings of --verify, and what it says else. They are kept, since in JSON
 * they come after the head; as text, each is printed when it comes.
 */
struct finding_list {
	const struct command *cmd;
	struct report *report;
	const char *path; /* that they are about */
	struct finding_lines lines;
	struct finding_disassembly code;
	struct kept_finding *items;
	size_t n;
	struct unexplained *notes;
	size_t nnotes;
	struct verified_section *sections; /* with -v; owned */
	size_t nsections;
	bool is_cut; /* there was no memory for one */
};

/*
 * The file that --image names, and how many of its bytes are not the final's.
 */
struct judged_flash {
	struct flashed file;
	bool is_compared;    /* it has all that the proof relies on */
	uint64_t ndiffering; /* bytes, if so */
};

/* The last input. */
static inline const char *verify_final_path(const struct command *cmd)
{
	return cmd->inputs.items[cmd->inputs.n - 1];
}

/*
 * The sink, note and placed of a verification, whose ctx is a finding_list.
 * They copy what they keep. What a new member of struct finding points to is
 * copied in finding_list_add, too, unless it outlives the proof.
 */
void finding_list_add(void *ctx, const struct finding *f);
void finding_list_note(void *ctx, const struct unexplained *u);
void finding_list_section(void *ctx, const struct verified_section *section);
void finding_list_free(struct finding_list *list);

/* FLASH is what --image names. */
void verify_print_json(const struct object *final, const struct verification *v,
		       const struct judged_flash *flash,
		       const struct finding_list *list, struct report *report);
void verify_print_verdict(const struct command *cmd,
			  const struct report *report,
			  const struct verification *v,
			  const struct judged_flash *flash);

#endif
