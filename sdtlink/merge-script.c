/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for linker scripts: --merge-script for the partial link,
 * --script-fragment for the final one.
 */
#include <config.h>

#include <stdio.h>

#include "elf/check.h"
#include "command.h"
#include "result.h"
#include "make/emit.h"
#include "sites/scan.h"

int command_merge_script(const struct command *cmd, struct report *report)
{
	struct diag *d = &report->diag;
	struct object obj = { 0 };
	struct site_set set = { 0 };
	struct result result = { 0 };
	bool has_input = cmd->inputs.n > 0;

	if (has_input && (object_open(d, cmd->inputs.items[0], &obj) ||
			  check_object(d, &obj, OBJECT_PARTIAL) ||
			  scan_object(d, &obj, &cmd->options, &set)))
		goto done;
	/* A script is of no use with refused sites. */
	if (report_status(report) != EXIT_YES)
		goto done;
	if (result_open(d, cmd, &result))
		goto done;
	emit_merge_script(result.out.stream, &cmd->options,
			  has_input ? &obj : NULL, &set);
	result_finish(d, &result);
done:
	result_end(cmd, report, &obj, NULL, &result);
	site_set_free(&set);
	object_close(&obj);
	return report_status(report);
}

/*
 * The fragment is in .rodata, since programs that copy sections by name know
 * that one. The last sections are empty: GNU ld makes them for weak symbols,
 * and would call them orphans.
 */
int command_script_fragment(const struct command *cmd)
{
	const char *sites = cmd->options.sites_name;

	printf("\t\t/* Where .text is, unless that has *(.text.*): "
	       "*(.text.sdt_stubs) */\n"
	       "\t\t. = ALIGN(8);\n"
	       "\t\t__start_%s = .;\n"
	       "\t\t*(%s)\n"
	       "\t\t__stop_%s = .;\n"
	       "\t\t. = ALIGN(8);\n"
	       "\t\t__start_sdt_probes = .;\n"
	       "\t\t*(sdt_probes)\n"
	       "\t\t__stop_sdt_probes = .;\n"
	       "\t\t*(.relsdt_probes .relasdt_probes)\n"
	       "\t\t. = ALIGN(4);\n"
	       "\t\t__start_sdt_functions = .;\n"
	       "\t\t*(sdt_functions)\n"
	       "\t\t__stop_sdt_functions = .;\n",
	       sites, sites, sites);
	return EXIT_YES;
}
