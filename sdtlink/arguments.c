/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "base/table-format.h"
#include "depfile.h"
#include "make/emit.h"
#include "make/layout.h"
#include "select.h"

enum option_id {
	OPT_FIRST = 256,
	OPT_GENERATE,
	OPT_INJECT,
	OPT_NOP,
	OPT_NO_FUNCTION_NAMES,
	OPT_FUNCTION_NAMES,
	OPT_ANCHOR,
	OPT_NOTES,
	OPT_TEXT,
	OPT_VERIFY,
	OPT_DUMP,
	OPT_EXPLAIN,
	OPT_CHECK_JUMP,
	OPT_COST,
	OPT_AGAINST,
	OPT_DRIFT,
	OPT_MARKERS,
	OPT_MERGE_SCRIPT,
	OPT_LINK,
	OPT_CC,
	OPT_PRINT_LIBEXEC,
	OPT_SCRIPT_FRAGMENT,
	OPT_SYMBOL,
	OPT_ENABLED_PREFIX,
	OPT_BASE,
	OPT_MODULE,
	OPT_SECTION,
	OPT_SKIP_SECTION,
	OPT_REFUSE_SECTION,
	OPT_TABLE,
	OPT_TABLE_NAME,
	OPT_STUB_ATTR,
	OPT_STUB_INCLUDE,
	OPT_REQUIRE_PROBES,
	OPT_PROBE,
	OPT_FUNCTION,
	OPT_KIND,
	OPT_SUMMARY,
	OPT_SORT,
	OPT_SUPPRESSIONS,
	OPT_MEMORY,
	OPT_DISPLACEMENT,
	OPT_DEBUG_FILE,
	OPT_IMAGE,
	OPT_IMAGE_BASE,
	OPT_SOURCE,
	OPT_WERROR,
	OPT_FORMAT,
	OPT_COLOR,
};

/* A row without a name is a heading. */
struct option_row {
	const char *name;
	int id; /* the letter, if it has one */
	const char *argument;
	const char *help;
	const char *const *words; /* the values it takes, NULL if any */
};

/* usage_lines and rows, which getopt and the help text share. */
#include "sdtlink/option-rows.inc"

#define NROWS (sizeof(rows) / sizeof(rows[0]))

void print_help(void)
{
	fputs(usage_lines, stdout);
	fputs("Find the probe sites of an object, and prove them after the final "
	      "link. PARTIAL\nis a .o file, or what ld -r wrote; FINAL is the "
	      "linked image. --verify takes\nmore than one PARTIAL, and "
	      "archives.\n"
	      "In a build, write sdtlink-ld for 'sdtlink --link --', and "
	      "sdtlink-cc for\n'sdtlink --cc --'; SDTLINK_FLAGS holds their "
	      "options. See sdtlink(1).\n",
	      stdout);
	for (size_t i = 0; i < NROWS; i++) {
		const struct option_row *row = &rows[i];
		char left[64];
		bool has_letter = row->id > 0 && row->id < OPT_FIRST;

		if (row->name == NULL) {
			printf("\n%s:\n", row->help);
			continue;
		}
		snprintf(left, sizeof(left), "%c%c%c --%s%s%s",
			 has_letter ? '-' : ' ', has_letter ? row->id : ' ',
			 has_letter ? ',' : ' ', row->name,
			 row->argument ? "=" : "",
			 row->argument ? row->argument : "");
		printf("  %-28s %s\n", left, row->help);
		if (row->id == OPT_COLOR)
			fputs("  -MD, -MF FILE, -MT TARGET, -MP\n"
			      "                               write a make rule, "
			      "as gcc does\n",
			      stdout);
	}
	fputs("  @FILE                        read arguments from FILE\n\n"
	      "Exit status: 0 done or proved; 1 the answer is no; 2 trouble.\n",
	      stdout);
}

static int usage_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static int usage_error(const char *format, ...)
{
	va_list ap;

	fputs("sdtlink: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputs("\nTry 'sdtlink --help' for more information.\n", stderr);
	return -1;
}

static int add(struct string_list *list, const char *item)
{
	if (string_list_add(list, item) == 0)
		return 0;
	fputs("sdtlink: out of memory\n", stderr);
	return -1;
}

/* -MD, -MP, -MF FILE, -MT TARGET: gcc's spelling, which is not getopt's. */
static int parse_make(struct command *cmd, char *arg, int argc, char **argv)
{
	char letter = arg[0];
	const char *value = arg + 1;

	if (strcmp(arg, "D") == 0) {
		cmd->depfile = true;
		return 0;
	}
	if (strcmp(arg, "P") == 0) {
		cmd->phony = true;
		return 0;
	}
	if (letter != 'F' && letter != 'T')
		return usage_error("unrecognized option '-M%s'", arg);
	if (value[0] == '\0') {
		if (optind >= argc)
			return usage_error("option '-M%s' needs an argument",
					   arg);
		value = argv[optind++];
	}
	if (value[0] == '\0')
		return usage_error("-M%c needs a value", letter);
	if (letter == 'T')
		return add(&cmd->targets, value);
	cmd->depfile_path = value;
	return 0;
}

static const struct option_row *find_row(int id)
{
	size_t i = 0;

	while (rows[i].name == NULL || rows[i].id != id)
		i++;
	return &rows[i];
}

static int parse_word(int id, const char *value)
{
	const struct option_row *row = find_row(id);

	for (int i = 0; row->words[i] != NULL; i++)
		if (strcmp(value, row->words[i]) == 0)
			return i;
	fprintf(stderr, "sdtlink: '%s' is not a value of --%s; it takes", value,
		row->name);
	for (int i = 0; row->words[i] != NULL; i++)
		fprintf(stderr, " %s", row->words[i]);
	fputs("\nTry 'sdtlink --help' for more information.\n", stderr);
	return -1;
}

static int parse_number(const char *option, const char *value, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 0);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0)
		return usage_error("'%s' is not an address for --%s", value,
				   option);
	return 0;
}

/* 0 means all, as without the option. So it is refused. */
static int parse_jobs(const char *value, unsigned *jobs)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (value[0] < '1' || value[0] > '9' || *end != '\0')
		return usage_error("'%s' is not a number of jobs for --jobs",
				   value);
	*jobs = n < INT_MAX ? n : INT_MAX;
	return 0;
}

/* The words in man/options.txt are in the order of the enums. */
static int parse_enum(struct command *cmd, int id, const char *value)
{
	int choice = parse_word(id, value);

	if (choice < 0)
		return -1;
	switch (id) {
	case OPT_FORMAT:
		cmd->format = choice;
		break;
	case OPT_SUMMARY:
		cmd->summary = SUMMARY_PROBE + choice;
		break;
	case OPT_SORT:
		cmd->sort = choice;
		break;
	case OPT_COLOR:
		cmd->color = choice;
		break;
	case OPT_ANCHOR:
		cmd->options.anchor = choice;
		break;
	case OPT_NOTES:
		cmd->options.notes = choice;
		break;
	case OPT_TEXT:
		cmd->options.text = choice;
		break;
	case OPT_TABLE:
		cmd->options.table = choice;
		break;
	}
	return 0;
}

static const char *option_name(int id)
{
	return find_row(id)->name;
}

/* --help may be beside any mode. Two other modes contradict each other. */
static int set_mode(struct command *cmd, int id, enum mode mode)
{
	if (cmd->mode_option == id || cmd->mode >= MODE_HELP)
		return 0;
	/* Either way round. */
	if ((cmd->mode_option == OPT_LINK && id == OPT_DRIFT) ||
	    (cmd->mode_option == OPT_DRIFT && id == OPT_LINK)) {
		cmd->with_drift = true;
		cmd->mode = MODE_LINK;
		return 0;
	}
	if (cmd->mode_option != 0 && mode < MODE_HELP)
		return usage_error("--%s and --%s are two modes",
				   option_name(cmd->mode_option),
				   option_name(id));
	cmd->mode = mode;
	cmd->mode_option = id;
	return 0;
}

static unsigned count_colons(const char *pattern)
{
	unsigned n = 0;

	for (; *pattern != '\0'; pattern++)
		n += *pattern == ':';
	return n;
}

/* What most options do to a struct command. */
static const struct effect {
	int id;
	enum { SETS_MODE, SETS_FLAG, SETS_STRING, ADDS_STRING } kind;
	size_t to; /* a mode, or the offset of a member */
} effects[] = {
#define AT(member) offsetof(struct command, member)
	{ OPT_GENERATE, SETS_MODE, MODE_GENERATE },
	{ OPT_INJECT, SETS_MODE, MODE_INJECT },
	{ OPT_VERIFY, SETS_MODE, MODE_VERIFY },
	{ OPT_DUMP, SETS_MODE, MODE_DUMP },
	{ OPT_CHECK_JUMP, SETS_MODE, MODE_CHECK_JUMP },
	{ OPT_COST, SETS_MODE, MODE_COST },
	{ OPT_DRIFT, SETS_MODE, MODE_DRIFT },
	{ OPT_MARKERS, SETS_MODE, MODE_MARKERS },
	{ OPT_MERGE_SCRIPT, SETS_MODE, MODE_MERGE_SCRIPT },
	{ OPT_LINK, SETS_MODE, MODE_LINK },
	{ OPT_CC, SETS_MODE, MODE_CC },
	{ OPT_PRINT_LIBEXEC, SETS_MODE, MODE_LIBEXEC },
	{ OPT_SCRIPT_FRAGMENT, SETS_MODE, MODE_FRAGMENT },
	{ 'h', SETS_MODE, MODE_HELP },
	{ 'V', SETS_MODE, MODE_VERSION },
	{ OPT_NOP, SETS_FLAG, AT(options.nop) },
	{ OPT_NO_FUNCTION_NAMES, SETS_FLAG, AT(options.no_function_names) },
	{ OPT_FUNCTION_NAMES, SETS_FLAG, AT(options.function_names) },
	{ OPT_REQUIRE_PROBES, SETS_FLAG, AT(require_probes) },
	{ OPT_WERROR, SETS_FLAG, AT(werror) },
	{ OPT_SOURCE, SETS_FLAG, AT(with_source) },
	{ 'v', SETS_FLAG, AT(is_verbose) },
	{ 'q', SETS_FLAG, AT(is_quiet) },
	{ OPT_AGAINST, SETS_STRING, AT(against) },
	{ OPT_BASE, SETS_STRING, AT(options.base) },
	{ OPT_MODULE, SETS_STRING, AT(module) },
	{ OPT_TABLE_NAME, SETS_STRING, AT(options.table_name) },
	{ OPT_SUPPRESSIONS, SETS_STRING, AT(suppressions) },
	{ OPT_DEBUG_FILE, SETS_STRING, AT(debug_file) },
	{ OPT_MEMORY, SETS_STRING, AT(memory) },
	{ 'o', SETS_STRING, AT(output) },
	{ 'p', ADDS_STRING, AT(options.prefixes) },
	{ OPT_ENABLED_PREFIX, ADDS_STRING, AT(options.enabled_prefixes) },
	{ OPT_SYMBOL, ADDS_STRING, AT(options.symbols) },
	{ OPT_SECTION, ADDS_STRING, AT(options.only_sections) },
	{ OPT_SKIP_SECTION, ADDS_STRING, AT(options.skip_sections) },
	{ OPT_REFUSE_SECTION, ADDS_STRING, AT(options.refuse_sections) },
	{ OPT_STUB_ATTR, ADDS_STRING, AT(options.stub_attrs) },
	{ OPT_STUB_INCLUDE, ADDS_STRING, AT(options.stub_includes) },
	{ OPT_FUNCTION, ADDS_STRING, AT(functions) },
#undef AT
};

static const struct effect *find_effect(int id)
{
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		if (effects[i].id == id)
			return &effects[i];
	return NULL;
}

static int take_effect(struct command *cmd, const struct effect *effect,
		       const char *arg)
{
	void *member = (char *)cmd + effect->to;

	switch (effect->kind) {
	case SETS_MODE:
		return set_mode(cmd, effect->id, effect->to);
	case SETS_FLAG:
		*(bool *)member = true;
		break;
	case SETS_STRING:
		*(const char **)member = arg;
		break;
	case ADDS_STRING:
		return add(member, arg);
	}
	return 0;
}

static int parse_option(struct command *cmd, int id, char *arg)
{
	const struct effect *effect;

	/*
	 * An empty value often comes from an unset variable, so it is refused.
	 * For --stub-attr, an empty value means no attribute.
	 */
	if (arg != NULL && arg[0] == '\0' && id != OPT_STUB_ATTR)
		return usage_error("--%s needs a value", option_name(id));
	effect = find_effect(id);
	if (effect != NULL)
		return take_effect(cmd, effect, arg);
	switch (id) {
	case OPT_EXPLAIN:
		cmd->explained = arg;
		return set_mode(cmd, id, MODE_EXPLAIN);
	case OPT_PROBE:
		if (count_colons(arg) > 3)
			return usage_error("'%s' is not a pattern: it has more "
					   "than three colons",
					   arg);
		return add(&cmd->probes, arg);
	case OPT_KIND:
		for (char *word; (word = strsep(&arg, ",")) != NULL;)
			if (add(&cmd->kinds, word) || parse_enum(cmd, id, word))
				return -1;
		return 0;
	case OPT_DISPLACEMENT:
		cmd->has_displacement = true;
		if (parse_number("displacement", arg + (arg[0] == '-'),
				 &cmd->displacement))
			return -1;
		if (arg[0] == '-')
			cmd->displacement = -cmd->displacement;
		return 0;
	case OPT_IMAGE:
		cmd->image = arg;
		return 0;
	case 'j':
		return parse_jobs(arg, &cmd->jobs);
	case OPT_IMAGE_BASE:
		cmd->flash.has_base = true;
		return parse_number("image-base", arg, &cmd->flash.base);
	default:
		return parse_enum(cmd, id, arg);
	}
}

/* What getopt_long wants, from the one table. */
static void fill_longopts(struct option *longopts)
{
	for (size_t i = 0; i < NROWS; i++)
		if (rows[i].name != NULL)
			*longopts++ = (struct option){
				.name = rows[i].name,
				.has_arg = rows[i].argument != NULL,
				.val = rows[i].id,
			};
	*longopts = (struct option){ 0 };
}

/*
 * Sections in which a kernel must not be patched, and code that it copies over
 * other code. x86 and s390 have one section for that, Power has many. A merge
 * script merges none of them.
 */
static int refuse_usual(struct command *cmd)
{
	static const char *const globs[] = { ".noinstr.text", ".entry.text",
					     ".altinstr_replacement",
					     "__ftr_alt_*" };
	size_t n = sizeof(globs) / sizeof(globs[0]);

	cmd->refuses_usual = true;
	for (size_t i = 0; cmd->mode != MODE_MERGE_SCRIPT && i < n; i++)
		if (add(&cmd->options.refuse_sections, globs[i]))
			return -1;
	return 0;
}

static int set_defaults(struct command *cmd)
{
	struct options *options = &cmd->options;

	if (options->prefixes.n == 0 &&
	    add(&options->prefixes, "__dtrace_sdt_"))
		return -1;
	if (options->enabled_prefixes.n == 0 &&
	    add(&options->enabled_prefixes, "__dtrace_sdt_enabled_"))
		return -1;
	if (options->refuse_sections.n == 0 && refuse_usual(cmd))
		return -1;
	options->sites_name = options->table_name ? options->table_name
						  : SDT_SITES_SECTION;
	if (options->table_name == NULL)
		options->table_name = "sdt_table";
	return 0;
}

static const struct option_row *find_name(const char *name, size_t length)
{
	for (size_t i = 0; i < NROWS; i++)
		if (rows[i].name != NULL && strlen(rows[i].name) == length &&
		    strncmp(rows[i].name, name, length) == 0)
			return &rows[i];
	return NULL;
}

bool arguments_is_option(const char *word)
{
	const struct option_row *row;
	size_t length = strcspn(word, "=");

	if (strncmp(word, "--", 2) != 0)
		return false;
	row = find_name(word + 2, length - 2);
	return row != NULL && (row->argument != NULL) == (word[length] == '=');
}

static int check_inputs(const struct command *cmd)
{
	size_t n = cmd->inputs.n;
	const char *first = n > 0 ? cmd->inputs.items[0] : NULL;

	switch (cmd->mode) {
	case MODE_GENERATE:
	case MODE_INJECT:
		if (n == 0)
			return usage_error("missing PARTIAL");
		if (cmd->output == NULL && access(first, F_OK) != 0 &&
		    find_name(first, strlen(first)) != NULL)
			return usage_error("'%s' is no file; do you mean "
					   "--%s?",
					   first, first);
		if (cmd->output == NULL)
			return usage_error("missing -o FILE");
		break;
	case MODE_VERIFY:
		if (n == 0)
			return usage_error("--verify needs PARTIAL and FINAL, "
					   "or one FILE");
		return 0;
	case MODE_DUMP:
		if (n == 0)
			return usage_error("missing FILE");
		if (cmd->against != NULL && n > 1)
			return usage_error("--against compares one FILE, not "
					   "'%s' as well",
					   cmd->inputs.items[1]);
		return 0;
	case MODE_CHECK_JUMP:
		if (n == 0)
			return usage_error("missing FILE");
		return 0;
	case MODE_COST:
		if (n == 0)
			return usage_error("missing FILE");
		if (n > 1)
			return usage_error("one FILE at a time, not '%s'; "
					   "another build is --against's",
					   cmd->inputs.items[1]);
		return 0;
	case MODE_MARKERS:
		if (n != 1)
			return usage_error("--markers needs one FILE");
		return 0;
	case MODE_DRIFT:
		if (n < 1 || (n < 2 && cmd->against == NULL))
			return usage_error("--drift needs INPUT and FINAL, or "
					   "--against and FINAL");
		return 0;
	case MODE_LINK:
	case MODE_CC:
		if (n > 0)
			return usage_error("'%s' is before the --: only "
					   "options of sdtlink are",
					   cmd->inputs.items[0]);
		return 0;
	case MODE_EXPLAIN:
		if (n > 0)
			return usage_error("--explain takes no FILE, as '%s'",
					   cmd->inputs.items[0]);
		return 0;
	case MODE_MERGE_SCRIPT:
		break;
	case MODE_HELP:
	case MODE_VERSION:
	case MODE_LIBEXEC:
	case MODE_FRAGMENT:
		return 0;
	}
	if (n > 1)
		return usage_error("one PARTIAL at a time, not '%s'",
				   cmd->inputs.items[1]);
	return 0;
}

static int check_kept(const struct string_list *globs)
{
	for (size_t i = 0; i < globs->n; i++)
		if (!emit_can_keep(globs->items[i]))
			return usage_error("--merge-script cannot keep '%s' "
					   "out of .text: give plain names, "
					   "such as .text.start",
					   globs->items[i]);
	return 0;
}

/* A merge script knows no table, and cannot choose what it leaves out. */
static int check_merge_script(const struct command *cmd)
{
	const struct options *options = &cmd->options;

	if (cmd->format == FORMAT_JSON)
		return usage_error("--merge-script has no --format=json");
	if (options->table != TABLE_AUTO || options->base != NULL ||
	    strcmp(options->sites_name, SDT_SITES_SECTION) != 0 ||
	    options->only_sections.n > 0 || options->stub_attrs.n > 0 ||
	    options->stub_includes.n > 0 || cmd->module != NULL ||
	    cmd->require_probes)
		return usage_error("--merge-script heeds the options of probe "
				   "functions, --skip-section and "
				   "--refuse-section only");
	if (check_kept(&options->skip_sections))
		return -1;
	return check_kept(&options->refuse_sections);
}

static int check_questions(const struct command *cmd)
{
	bool is_compared = cmd->against != NULL;
	bool is_listed = cmd->summary == SUMMARY_NONE;

	if (cmd->mode != MODE_DUMP &&
	    (cmd->probes.n > 0 || cmd->functions.n > 0 || cmd->kinds.n > 0 ||
	     !is_listed || cmd->sort != SORT_PROBE || cmd->suppressions ||
	     cmd->format == FORMAT_NAMES))
		return usage_error("--probe, --function, --kind, --summary, "
				   "--sort, --suppressions and --format=names "
				   "are for --dump");
	if (cmd->memory != NULL && (cmd->mode != MODE_DUMP || is_compared ||
				    !is_listed || cmd->format == FORMAT_NAMES))
		return usage_error("--memory is for --dump that lists sites");
	if (cmd->memory != NULL && select_foreign(cmd) != 0)
		return usage_error("--memory is for our own kinds of sites");
	if (cmd->has_displacement && cmd->memory == NULL)
		return usage_error("--displacement needs --memory");
	if (cmd->suppressions != NULL && !is_compared)
		return usage_error("--suppressions needs --against");
	if (is_compared && cmd->mode == MODE_DUMP &&
	    (!is_listed || cmd->sort != SORT_PROBE ||
	     cmd->format == FORMAT_NAMES))
		return usage_error("--against lists changes: leave --summary, "
				   "--sort and --format=names out");
	if (!is_listed && cmd->format == FORMAT_NAMES)
		return usage_error("--summary and --format=names are two "
				   "questions");
	if (is_listed ? cmd->sort == SORT_SITES || cmd->sort == SORT_BYTES
		      : cmd->sort == SORT_FUNCTION || cmd->sort == SORT_ADDRESS)
		return usage_error(is_listed ? "--sort=sites and --sort=bytes "
					       "are for --summary"
					     : "--summary has --sort=probe, "
					       "sites or bytes");
	if (cmd->sort != SORT_PROBE && is_listed && cmd->format != FORMAT_TEXT)
		return usage_error("--sort is for lines of text: JSON and "
				   "names have an order of their own");
	return 0;
}

/* Refuses options that another choice would silently ignore. */
static int check_combinations(const struct command *cmd)
{
	bool writes = cmd->mode == MODE_GENERATE || cmd->mode == MODE_INJECT ||
		      cmd->mode == MODE_MERGE_SCRIPT;
	bool injects = cmd->mode == MODE_INJECT || cmd->mode == MODE_LINK ||
		       cmd->mode == MODE_CC;
	bool wants_rule = cmd->depfile || cmd->depfile_path != NULL ||
			  cmd->targets.n > 0 || cmd->phony;

	if (!writes && cmd->output != NULL && cmd->mode < MODE_HELP)
		return usage_error("--%s writes no file: leave -o out",
				   option_name(cmd->mode_option));
	if (cmd->against != NULL && cmd->mode != MODE_COST &&
	    cmd->mode != MODE_DUMP && cmd->mode != MODE_DRIFT)
		return usage_error("--against is for --dump, --cost and "
				   "--drift");
	if (check_questions(cmd))
		return -1;
	if (cmd->format == FORMAT_SVG && cmd->mode == MODE_DRIFT &&
	    cmd->inputs.n < 2)
		return usage_error("--format=svg needs the inputs, too");
	if (cmd->format == FORMAT_SVG && cmd->mode != MODE_COST &&
	    cmd->mode != MODE_DRIFT && !cmd->with_drift)
		return usage_error("--format=svg is for --cost and --drift");
	if (!layout_is_asm_symbol(cmd->options.table_name))
		return usage_error(
			"'%s' is not a name for a table: it must be a "
			"symbol",
			cmd->options.table_name);
	if (wants_rule && cmd->mode != MODE_GENERATE &&
	    cmd->mode != MODE_INJECT)
		return usage_error("-MD is for modes that write an output");
	if (cmd->mode == MODE_GENERATE && cmd->options.table == TABLE_ANCHORED)
		return usage_error("an anchored table is made by --inject");
	if (injects &&
	    ((cmd->options.table != TABLE_AUTO &&
	      cmd->options.table != TABLE_ANCHORED) ||
	     cmd->options.base != NULL || cmd->options.stub_attrs.n > 0 ||
	     cmd->options.stub_includes.n > 0))
		return usage_error("--table, --base, --stub-attr and "
				   "--stub-include are not for --inject");
	if ((cmd->options.nop || cmd->options.anchor != ANCHOR_AUTO ||
	     cmd->options.notes != NOTES_NONE || cmd->options.function_names) &&
	    !injects)
		return usage_error("--nop, --anchor, --notes and "
				   "--function-names are for --inject");
	if (cmd->image != NULL &&
	    (cmd->mode != MODE_VERIFY || cmd->inputs.n < 2))
		return usage_error("--image is for --verify of PARTIAL and "
				   "FINAL: give the objects, too");
	if (cmd->flash.has_base && cmd->mode != MODE_DUMP && cmd->image == NULL)
		return usage_error("--image-base is for --dump and --image");
	if (cmd->debug_file != NULL && cmd->mode != MODE_DUMP &&
	    cmd->mode != MODE_MARKERS && cmd->mode != MODE_VERIFY)
		return usage_error("--debug-file is for --dump, --markers and "
				   "--verify");
	if (cmd->with_source && cmd->mode != MODE_DUMP)
		return usage_error("--source is for --dump");
	if (cmd->with_source &&
	    (cmd->summary != SUMMARY_NONE || cmd->against != NULL ||
	     cmd->format == FORMAT_NAMES))
		return usage_error("--source lists sites: leave --summary, "
				   "--against and --format=names out");
	if (cmd->options.text != TEXT_ALL && cmd->mode != MODE_VERIFY &&
	    cmd->mode != MODE_LINK)
		return usage_error("--text is for --verify");
	if (cmd->mode == MODE_CC && cmd->format == FORMAT_JSON)
		return usage_error("--cc has no --format=json");
	if (cmd->options.no_function_names &&
	    (cmd->mode != MODE_GENERATE ||
	     cmd->options.table == TABLE_LINKER_SET))
		return usage_error("--no-function-names is for writing the "
				   "offsets table");
	if (wants_rule && !cmd->depfile && cmd->depfile_path == NULL)
		return usage_error("%s needs -MD or -MF",
				   cmd->phony ? "-MP" : "-MT");
	if (cmd->mode == MODE_EXPLAIN && cmd->format != FORMAT_TEXT)
		return usage_error("--explain writes text alone");
	if (cmd->mode == MODE_MERGE_SCRIPT && check_merge_script(cmd))
		return -1;
	if (cmd->format == FORMAT_JSON && cmd->output != NULL &&
	    strcmp(cmd->output, "-") == 0)
		return usage_error("--format=json and -o - both want standard "
				   "output");
	if (wants_rule && cmd->output != NULL &&
	    strcmp(cmd->output, "-") == 0 &&
	    (cmd->depfile_path == NULL || cmd->targets.n == 0))
		return usage_error("-MD with -o - needs -MF and -MT");
	return 0;
}

int arguments_parse(struct argument_list *args, struct command *cmd)
{
	struct option longopts[NROWS + 1];
	char **argv = (char **)args->words.items;
	int argc = args->words.n;
	int id;

	*cmd = (struct command){ 0 };
	fill_longopts(longopts);
	while ((id = getopt_long(argc, argv, "p:o:j:vqhVM:", longopts, NULL)) !=
	       -1) {
		if (id == '?') {
			fputs("Try 'sdtlink --help' for more information.\n",
			      stderr);
			return -1;
		}
		if (id == 'M' ? parse_make(cmd, optarg, argc, argv)
			      : parse_option(cmd, id, optarg))
			return -1;
	}
	while (optind < argc)
		if (add(&cmd->inputs, argv[optind++]))
			return -1;
	cmd->response_files = args->files;
	if (cmd->output != NULL)
		cmd->default_depfile = depfile_default_path(cmd->output);
	return set_defaults(cmd);
}

int arguments_check(const struct command *cmd)
{
	bool is_cc = cmd->mode == MODE_CC;

	if ((is_cc || cmd->mode == MODE_LINK) &&
	    (cmd->program == NULL || cmd->program[0] == NULL))
		return usage_error("missing %s: it stands, with its "
				   "arguments, behind --",
				   is_cc ? "CC" : "LD");
	return check_combinations(cmd) ? -1 : check_inputs(cmd);
}

void command_free(struct command *cmd)
{
	string_list_free(&cmd->options.prefixes);
	string_list_free(&cmd->options.enabled_prefixes);
	string_list_free(&cmd->options.symbols);
	string_list_free(&cmd->options.only_sections);
	string_list_free(&cmd->options.skip_sections);
	string_list_free(&cmd->options.refuse_sections);
	string_list_free(&cmd->options.stub_attrs);
	string_list_free(&cmd->options.stub_includes);
	string_list_free(&cmd->probes);
	string_list_free(&cmd->functions);
	string_list_free(&cmd->kinds);
	string_list_free(&cmd->inputs);
	string_list_free(&cmd->targets);
	free(cmd->default_depfile);
}
