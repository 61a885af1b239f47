/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/table-format.h"
#include "probe.h"

/* The length of the longest prefix in LIST with which SYMBOL begins. */
static size_t longest_prefix(const struct string_list *list, const char *symbol)
{
	size_t best = 0;

	for (size_t i = 0; i < list->n; i++) {
		const char *prefix = list->items[i];
		size_t n = 0;

		while (prefix[n] != '\0' && prefix[n] == symbol[n])
			n++;
		if (prefix[n] == '\0' && n > best)
			best = n;
	}
	return best;
}

enum probe_use probe_classify(const struct options *options, const char *symbol,
			      bool is_defined, size_t *prefix)
{
	size_t plain = longest_prefix(&options->prefixes, symbol);
	size_t enabled = longest_prefix(&options->enabled_prefixes, symbol);

	*prefix = plain > enabled ? plain : enabled;
	if (*prefix > 0 && symbol[*prefix] != '\0')
		return enabled >= plain ? PROBE_ENABLED : PROBE_PLAIN;
	*prefix = 0;
	if (!is_defined && string_list_matches(&options->symbols, symbol))
		return PROBE_SYMBOL;
	return PROBE_NONE;
}

bool probe_names_code(const struct options *options, const struct arch *arch,
		      const char *symbol)
{
	size_t length, prefix;

	if (arch->descriptors == NULL)
		return false;
	length = strlen(arch->descriptors->prefix);
	return strncmp(symbol, arch->descriptors->prefix, length) == 0 &&
	       probe_classify(options, symbol + length, false, &prefix) !=
		       PROBE_NONE;
}

/* Copies NAME, with a dash for each double underscore. */
static char *hyphenate(const char *name)
{
	char *copy = malloc(strlen(name) + 1);
	char *to = copy;

	if (copy == NULL)
		return NULL;
	while (*name != '\0') {
		if (name[0] == '_' && name[1] == '_') {
			*to++ = '-';
			name += 2;
		} else {
			*to++ = *name++;
		}
	}
	*to = '\0';
	return copy;
}

const char *probe_name_split(const char *symbol, size_t prefix)
{
	const char *rest = symbol + prefix;
	const char *split = prefix > 0 ? strstr(rest, "___") : NULL;

	/* Both parts are needed: "___x" and "x___" are plain names. */
	if (split == rest || (split != NULL && split[3] == '\0'))
		return NULL;
	return split;
}

int probe_name_parse(const char *symbol, size_t prefix, struct probe_name *name)
{
	const char *rest = symbol + prefix;
	const char *split = probe_name_split(symbol, prefix);

	name->provider = split != NULL ? strndup(rest, split - rest)
				       : strdup("sdt");
	name->name = prefix > 0 ? hyphenate(split != NULL ? split + 3 : rest)
				: strdup(rest);
	if (name->provider == NULL || name->name == NULL) {
		probe_name_free(name);
		return -1;
	}
	return 0;
}

void probe_name_free(struct probe_name *name)
{
	free(name->provider);
	free(name->name);
	*name = (struct probe_name){ 0 };
}

const char *probe_name_suspicion(const char *symbol, size_t prefix,
				 const char **remedy)
{
	const char *rest = symbol + prefix;
	const char *split = strstr(rest, "___");

	*remedy = "paste names in the outermost macro";
	if (strstr(rest, "__attribute__") != NULL)
		return "a macro such as noinstr was expanded in the probe's "
		       "name";
	if ((rest[0] >= '0' && rest[0] <= '9') ||
	    (split != NULL && split[3] >= '0' && split[3] <= '9'))
		return "the name begins with a digit: a macro such as linux "
		       "was expanded in it";
	*remedy = "name it otherwise";
	if (split != NULL && split != rest && split[3] == '_')
		return "its provider is taken to end before the first of more "
		       "than three underscores";
	if (split != NULL && split != rest && strstr(split + 3, "___") != NULL)
		return "its provider is taken to end at the first of several "
		       "___";
	return NULL;
}

static bool is_mentioned(void *ctx, const char *name)
{
	const struct options *options = ctx;
	size_t prefix;

	/* What was injected before may have lost its symbols. */
	if (strcmp(name, options->sites_name) == 0)
		return true;
	/* With --nop, it has only descriptors. */
	if (strncmp(name, SDT_PROBE_SYMBOL, strlen(SDT_PROBE_SYMBOL)) == 0 ||
	    strncmp(name, SDT_NOP_PROBE_SYMBOL, strlen(SDT_NOP_PROBE_SYMBOL)) ==
		    0)
		return true;
	/* ELFv1's name of the code, too. */
	return probe_classify(options, name + (name[0] == '.'), false,
			      &prefix) != PROBE_NONE;
}

enum mentions probe_mentions(const struct options *options, void *bytes,
			     size_t size)
{
	size_t n = options->prefixes.n;
	const char **words =
		calloc(n + options->enabled_prefixes.n + 1, sizeof(words[0]));
	enum mentions ret;

	if (words == NULL)
		return MENTIONS_NAME;
	for (size_t i = 0; i < n; i++)
		words[i] = options->prefixes.items[i];
	for (size_t i = 0; i < options->enabled_prefixes.n; i++)
		words[n + i] = options->enabled_prefixes.items[i];
	ret = object_mentions(bytes, size, is_mentioned, (void *)options,
			      words);
	free(words);
	return ret;
}
