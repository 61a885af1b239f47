/* SPDX-License-Identifier: BSD-2-Clause */
#include "sdt_control.h"

#define NAME_SIZE 96

/* --- In words ------------------------------------------------------------- */

static const char *text_of(const char *const *texts, unsigned int n,
			   unsigned int value)
{
	return value < n && texts[value] != 0 ? texts[value] : "unknown error";
}

#define TEXT_OF(texts, value) \
	text_of(texts, sizeof(texts) / sizeof((texts)[0]), \
		(unsigned int)(value))

const char *sdt_control_text(enum sdt_control_error error)
{
	static const char *const texts[] = {
		[SDT_CONTROL_OK] = "done",
		[SDT_CONTROL_BAD_TABLE] = "the site table cannot be read",
		[SDT_CONTROL_BAD_PATTERN] = "a pattern has four fields at most",
		[SDT_CONTROL_NO_MATCH] = "no site matches the pattern",
		[SDT_CONTROL_NO_HANDLER] = "there is no handler to call",
		[SDT_CONTROL_REFUSED] = "a site could not be changed",
		[SDT_CONTROL_NO_COMMAND] =
			"commands: list [PATTERN], on PATTERN, off PATTERN",
	};

	return TEXT_OF(texts, error);
}

const char *sdt_table_text(enum sdt_table_error error)
{
	static const char *const texts[] = {
		[SDT_TABLE_OK] = "the table is in order",
		[SDT_TABLE_UNALIGNED] = "the table is not aligned to 4 bytes",
		[SDT_TABLE_NO_MAGIC] = "no table, or of the other byte order",
		[SDT_TABLE_NEWER] = "the table is newer than its reader",
		[SDT_TABLE_BAD_SIZE] = "the table's size is wrong",
		[SDT_TABLE_BAD_STRINGS] = "the table's strings are damaged",
		[SDT_TABLE_BAD_SECTION] = "a section record is damaged",
		[SDT_TABLE_BAD_SITE] = "a site record is damaged",
		[SDT_TABLE_BAD_PROBE] = "a probe record is damaged",
		[SDT_TABLE_BAD_FUNCTION] = "a function record is damaged",
	};

	return TEXT_OF(texts, error);
}

const char *sdt_patch_text(enum sdt_patch_error error)
{
	static const char *const texts[] = {
		[SDT_PATCH_OK] = "done",
		[SDT_PATCH_NO_TEXT] = "the text of the site is gone",
		[SDT_PATCH_OTHER_BYTES] = "other bytes than expected are there",
		[SDT_PATCH_OUT_OF_RANGE] = "no branch reaches the handler",
		[SDT_PATCH_NOT_WRITTEN] = "the text cannot be written to",
		[SDT_PATCH_NEEDS_STOP] = "the other CPUs must be stopped",
	};

	return TEXT_OF(texts, error);
}

const char *sdt_state_text(enum sdt_state state)
{
	static const char *const texts[] = {
		[SDT_STATE_OFF] = "off",     [SDT_STATE_ON] = "on",
		[SDT_STATE_STUB] = "stub",   [SDT_STATE_GONE] = "gone",
		[SDT_STATE_OTHER] = "other",
	};

	return TEXT_OF(texts, state);
}

/* --- Modules -------------------------------------------------------------- */

static void count(struct sdt_counts *counts, enum sdt_patch_error error)
{
	if (error == SDT_PATCH_NO_TEXT) {
		counts->ngone++;
	} else if (error != SDT_PATCH_OK) {
		if (counts->nrefused == 0)
			counts->error = error;
		counts->nrefused++;
	}
}

static enum sdt_control_error outcome(const struct sdt_counts *counts)
{
	return counts->nrefused == 0 ? SDT_CONTROL_OK : SDT_CONTROL_REFUSED;
}

/* A module without a table would only seem to have no sites. */
static enum sdt_table_error check_table(struct sdt_module *module)
{
	if (module->raw != 0)
		return sdt_table_check(module->raw, module->limit,
				       &module->table);
	if (module->bounds.sites == 0)
		return SDT_TABLE_NO_MAGIC;
	return sdt_table_check_anchored(&module->bounds, &module->table);
}

enum sdt_control_error sdt_control_add(struct sdt_control *control,
				       struct sdt_module *module)
{
	struct sdt_counts counts = { 0, 0, 0, 0, SDT_PATCH_OK };
	struct sdt_module **last = &control->first;

	module->error = check_table(module);
	if (module->error != SDT_TABLE_OK)
		return SDT_CONTROL_BAD_TABLE;
	module->table.find_function = module->find_function;
	module->table.cookie = module->cookie;
	while (*last != 0 && *last != module)
		last = &(*last)->next;
	if (*last == 0) {
		module->next = 0;
		*last = module;
	}
	for (sdt_u32 i = 0; i < module->table.nsites; i++) {
		struct sdt_site site;

		sdt_table_get_site(&module->table, i, &site);
		count(&counts, sdt_patch_init(control->host, &site));
	}
	return outcome(&counts);
}

void sdt_control_remove(struct sdt_control *control, struct sdt_module *module)
{
	struct sdt_module **at = &control->first;

	while (*at != 0 && *at != module)
		at = &(*at)->next;
	if (*at != 0)
		*at = module->next;
}

/* --- On and off ----------------------------------------------------------- */

/* An is-enabled site calls this while its probe is on. */
static int yes(void)
{
	return 1;
}

static sdt_uptr handler_of(const struct sdt_site *site, sdt_uptr handler)
{
	return site->is_enabled ? (sdt_uptr)yes : handler;
}

static enum sdt_patch_error change_site(const struct sdt_control *control,
					const struct sdt_site *site,
					sdt_uptr from, sdt_uptr to,
					struct sdt_counts *counts)
{
	enum sdt_patch_error error =
		sdt_patch_set(control->host, site, from, to);

	if (error == SDT_PATCH_OK)
		counts->nchanged++;
	else if (error == SDT_PATCH_OTHER_BYTES &&
		 sdt_patch_check(control->host, site, to) == SDT_PATCH_OK)
		error = SDT_PATCH_OK;
	return error;
}

static enum sdt_control_error change_all(const struct sdt_control *control,
					 const char *pattern, sdt_uptr handler,
					 int is_on, struct sdt_counts *counts)
{
	struct sdt_counts own = { 0, 0, 0, 0, SDT_PATCH_OK };

	if (counts == 0)
		counts = &own;
	*counts = own;
	/* 0 and 1 are states, and cannot be handlers. */
	if (handler <= 2)
		return SDT_CONTROL_NO_HANDLER;
	for (const struct sdt_module *m = control->first; m != 0; m = m->next) {
		struct sdt_match match;
		struct sdt_site site;

		if (sdt_match_start(&match, &m->table, m->name, pattern) != 0)
			return SDT_CONTROL_BAD_PATTERN;
		while (sdt_match_next(&match, &site)) {
			sdt_uptr on = handler_of(&site, handler);

			counts->nsites++;
			count(counts,
			      change_site(control, &site,
					  is_on ? SDT_PATCH_OFF : on,
					  is_on ? on : SDT_PATCH_OFF, counts));
		}
	}
	if (counts->nsites == 0)
		return SDT_CONTROL_NO_MATCH;
	return outcome(counts);
}

enum sdt_control_error sdt_control_enable(const struct sdt_control *control,
					  const char *pattern, sdt_uptr handler,
					  struct sdt_counts *counts)
{
	return change_all(control, pattern, handler, 1, counts);
}

enum sdt_control_error sdt_control_disable(const struct sdt_control *control,
					   const char *pattern,
					   sdt_uptr handler,
					   struct sdt_counts *counts)
{
	return change_all(control, pattern, handler, 0, counts);
}

enum sdt_state sdt_control_state(const struct sdt_control *control,
				 const struct sdt_site *site)
{
	sdt_uptr on = handler_of(site, control->handler);
	enum sdt_patch_error error =
		sdt_patch_check(control->host, site, SDT_PATCH_OFF);

	if (error == SDT_PATCH_OK)
		return SDT_STATE_OFF;
	if (error == SDT_PATCH_NO_TEXT)
		return SDT_STATE_GONE;
	if (on > 2 && sdt_patch_check(control->host, site, on) == SDT_PATCH_OK)
		return SDT_STATE_ON;
	if (site->stub != 0 &&
	    sdt_patch_check(control->host, site, site->stub) == SDT_PATCH_OK)
		return SDT_STATE_STUB;
	return SDT_STATE_OTHER;
}

enum sdt_control_error sdt_control_list(
	const struct sdt_control *control, const char *pattern,
	void (*visit)(void *cookie, const struct sdt_module *module,
		      const struct sdt_site *site, enum sdt_state state),
	void *cookie)
{
	int is_any = 0;

	for (const struct sdt_module *m = control->first; m != 0; m = m->next) {
		struct sdt_match match;
		struct sdt_site site;

		if (sdt_match_start(&match, &m->table, m->name, pattern) != 0)
			return SDT_CONTROL_BAD_PATTERN;
		while (sdt_match_next(&match, &site)) {
			is_any = 1;
			visit(cookie, m, &site,
			      sdt_control_state(control, &site));
		}
	}
	return is_any ? SDT_CONTROL_OK : SDT_CONTROL_NO_MATCH;
}

/* --- Lines of a console --------------------------------------------------- */

struct printer {
	void (*print)(void *cookie, const char *text);
	void *cookie;
};

static void print(const struct printer *printer, const char *text)
{
	printer->print(printer->cookie, text);
}

static void print_number(const struct printer *printer, sdt_uptr value,
			 unsigned int base)
{
	char digits[24];
	char *at = digits + sizeof(digits);

	*--at = '\0';
	do {
		*--at = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	print(printer, at);
}

static void print_site(void *cookie, const struct sdt_module *module,
		       const struct sdt_site *site, enum sdt_state state)
{
	static const char *const forms[] = { "call", "tail", "cond", "branch" };
	const struct printer *printer = cookie;
	char name[NAME_SIZE];

	sdt_site_name(site, module->name, name, sizeof(name));
	print(printer, "0x");
	print_number(printer, site->addr, 16);
	print(printer, " ");
	print(printer, sdt_state_text(state));
	print(printer, " ");
	print(printer, forms[site->form]);
	print(printer, site->is_enabled ? " is-enabled " : " ");
	print(printer, name);
	print(printer, "\n");
}

static void print_counts(const struct printer *printer,
			 const struct sdt_counts *counts)
{
	print_number(printer, counts->nsites, 10);
	print(printer, " sites, ");
	print_number(printer, counts->nchanged, 10);
	print(printer, " changed, ");
	print_number(printer, counts->ngone, 10);
	print(printer, " gone, ");
	print_number(printer, counts->nrefused, 10);
	print(printer, " refused");
	if (counts->nrefused > 0) {
		print(printer, ": ");
		print(printer, sdt_patch_text(counts->error));
	}
	print(printer, "\n");
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/* The text behind WORD if LINE begins with it, or 0. */
static const char *behind(const char *line, const char *word)
{
	while (*word != '\0' && *line == *word) {
		line++;
		word++;
	}
	return *word == '\0' && (*line == '\0' || is_blank(*line))
		       ? skip_blanks(line)
		       : 0;
}

/*
 * Copies the word at FROM to WORD.  Returns 0 if it is not the last of its
 * line.
 */
static int get_pattern(const char *from, char word[NAME_SIZE])
{
	sdt_u32 n = 0;

	while (*from != '\0' && !is_blank(*from)) {
		if (n == NAME_SIZE - 1)
			return 0;
		word[n++] = *from++;
	}
	word[n] = '\0';
	return *skip_blanks(from) == '\0';
}

static enum sdt_control_error run_line(const struct sdt_control *control,
				       const char *line,
				       struct printer *printer)
{
	char pattern[NAME_SIZE];
	const char *rest;
	struct sdt_counts counts;
	enum sdt_control_error error;
	int is_on;

	line = skip_blanks(line);
	rest = behind(line, "list");
	if (rest != 0 && get_pattern(rest, pattern))
		return sdt_control_list(control, pattern, print_site, printer);
	rest = behind(line, "on");
	is_on = rest != 0;
	if (!is_on)
		rest = behind(line, "off");
	if (rest == 0 || *rest == '\0' || !get_pattern(rest, pattern))
		return SDT_CONTROL_NO_COMMAND;
	error = change_all(control, pattern, control->handler, is_on, &counts);
	if (counts.nsites > 0)
		print_counts(printer, &counts);
	return error;
}

enum sdt_control_error
sdt_control_line(const struct sdt_control *control, const char *line,
		 void (*print_text)(void *cookie, const char *text),
		 void *cookie)
{
	struct printer printer = { print_text, cookie };
	enum sdt_control_error error = run_line(control, line, &printer);

	/* What was refused stands in the counts. */
	if (error != SDT_CONTROL_OK && error != SDT_CONTROL_REFUSED) {
		print(&printer, sdt_control_text(error));
		print(&printer, "\n");
	}
	return error;
}
