/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <fnmatch.h>
#include <stdlib.h>

#include "options.h"

int string_list_add(struct string_list *list, const char *item)
{
	const char **items =
		realloc(list->items, (list->n + 1) * sizeof(list->items[0]));

	if (items == NULL)
		return -1;
	list->items = items;
	list->items[list->n++] = item;
	return 0;
}

void string_list_free(struct string_list *list)
{
	free(list->items);
	*list = (struct string_list){ 0 };
}

/* Nearly no name matches, and most differ in the first byte. */
static bool glob_matches(const char *glob, const char *name)
{
	char first = glob[0];

	if (first != name[0] && first != '*' && first != '?' && first != '[' &&
	    first != '\\')
		return false;
	return fnmatch(glob, name, 0) == 0;
}

bool string_list_matches(const struct string_list *globs, const char *name)
{
	for (size_t i = 0; i < globs->n; i++)
		if (glob_matches(globs->items[i], name))
			return true;
	return false;
}

enum section_policy options_section_policy(const struct options *options,
					   const char *name)
{
	if (string_list_matches(&options->skip_sections, name))
		return SECTION_SKIP;
	if (options->only_sections.n > 0 &&
	    !string_list_matches(&options->only_sections, name))
		return SECTION_SKIP;
	if (string_list_matches(&options->refuse_sections, name))
		return SECTION_REFUSE;
	return SECTION_TAKE;
}
