/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probe names: which symbol is a probe function, and what it is called. */
#include <config.h>

#include "sites/probe.h"
#include "unit.h"

static const struct options *options_of(const char *const *plain,
					const char *const *enabled,
					const char *const *symbols)
{
	static struct options options;
	struct string_list *lists[] = { &options.prefixes,
					&options.enabled_prefixes,
					&options.symbols };
	const char *const *words[] = { plain, enabled, symbols };

	for (int i = 0; i < 3; i++) {
		string_list_free(lists[i]);
		for (int k = 0; words[i][k] != NULL; k++)
			CHECK(string_list_add(lists[i], words[i][k]) == 0);
	}
	return &options;
}

static const char *const none[] = { NULL };
static const char *const plain[] = { "__dtrace_sdt_", NULL };
static const char *const enabled[] = { "__dtrace_sdt_enabled_", NULL };

static void check_use(const struct options *options, const char *symbol,
		      bool is_defined, enum probe_use use, size_t prefix)
{
	size_t length = 99;

	if (!CHECK(probe_classify(options, symbol, is_defined, &length) ==
		   use) ||
	    !CHECK(length == prefix))
		printf("\t%s: %zu\n", symbol, length);
}

static void test_prefixes(void)
{
	const struct options *o = options_of(plain, enabled, none);

	check_use(o, "__dtrace_sdt_a", false, PROBE_PLAIN, 13);
	check_use(o, "__dtrace_sdt_a", true, PROBE_PLAIN, 13);
	check_use(o, "__dtrace_sdt_", false, PROBE_NONE, 0);
	check_use(o, "__dtrace_sd", false, PROBE_NONE, 0);
	check_use(o, "_dtrace_sdt_a", false, PROBE_NONE, 0);
	check_use(o, "x__dtrace_sdt_a", false, PROBE_NONE, 0);
	check_use(o, "__dtrace_sdt_enabled_a", false, PROBE_ENABLED, 21);
	/* Without a name behind it, it is no is-enabled function ... */
	check_use(o, "__dtrace_sdt_enabled", false, PROBE_PLAIN, 13);
	check_use(o, "", false, PROBE_NONE, 0);
}

/* The longest wins, in whatever order they were given. */
static void test_longest(void)
{
	static const char *const many[] = { "__p_", "__p_q_", "__", NULL };
	static const char *const is[] = { "__p_q_is_", "__p_i", NULL };
	const struct options *o = options_of(many, is, none);

	check_use(o, "__p_x", false, PROBE_PLAIN, 4);
	check_use(o, "__p_q_x", false, PROBE_PLAIN, 6);
	check_use(o, "__x", false, PROBE_PLAIN, 2);
	check_use(o, "__p_ix", false, PROBE_ENABLED, 5);
	check_use(o, "__p_q_is_x", false, PROBE_ENABLED, 9);
}

static void test_symbols(void)
{
	static const char *const globs[] = { "__fentry__", "mc?unt*", NULL };
	const struct options *o = options_of(plain, enabled, globs);

	check_use(o, "__fentry__", false, PROBE_SYMBOL, 0);
	check_use(o, "mcount", false, PROBE_SYMBOL, 0);
	check_use(o, "mcount", true, PROBE_NONE, 0);
	check_use(o, "xmcount", false, PROBE_NONE, 0);
	check_use(o, "__dtrace_sdt_a", false, PROBE_PLAIN, 13);
}

static void check_name(const char *symbol, size_t prefix,
		       const char *provider, const char *name)
{
	struct probe_name parsed;

	if (!CHECK(probe_name_parse(symbol, prefix, &parsed) == 0))
		return;
	CHECK_STR(parsed.provider, provider);
	CHECK_STR(parsed.name, name);
	probe_name_free(&parsed);
	probe_name_free(&parsed);
}

static void test_names(void)
{
	check_name("p_udp___receive", 2, "udp", "receive");
	check_name("p_udp___send__done", 2, "udp", "send-done");
	check_name("p_a___b__c__d", 2, "a", "b-c-d");
	check_name("p_a_b___c_d", 2, "a_b", "c_d");
	check_name("p_vfs__x___open", 2, "vfs__x", "open");
	/* Only the first separator counts. */
	check_name("p_a___b___c", 2, "a", "b-_c");
	check_name("p_receive", 2, "sdt", "receive");
	check_name("p_send__done", 2, "sdt", "send-done");
	/* Nothing before or behind the separator: it is none. */
	check_name("p____x", 2, "sdt", "-_x");
	check_name("p_x___", 2, "sdt", "x-_");
	/* --symbol: the symbol is the name as it stands. */
	check_name("__fentry__", 0, "sdt", "__fentry__");
	check_name("a___b", 0, "sdt", "a___b");
}

static int is_suspicious(const char *symbol)
{
	const char *remedy = NULL;
	const char *why = probe_name_suspicion(symbol, 2, &remedy);

	CHECK(why == NULL || remedy != NULL);
	return why != NULL;
}

static void test_suspicions(void)
{
	CHECK(!is_suspicious("p_udp___receive"));
	CHECK(!is_suspicious("p_udp2___receive2"));
	CHECK(!is_suspicious("p_a_b___wake__up__"));
	CHECK(!is_suspicious("p_udp___a_"));
	CHECK(!is_suspicious("p____x"));
	CHECK(is_suspicious("p_1___receive"));
	CHECK(is_suspicious("p_udp___1"));
	CHECK(is_suspicious("p_a___b__attribute__c"));
	/* Of the providers udp_ and udp___x, or the names _a and x___a. */
	CHECK(is_suspicious("p_udp____a"));
	CHECK(is_suspicious("p_udp___x___a"));
}

int main(void)
{
	test_prefixes();
	test_longest();
	test_symbols();
	test_names();
	test_suspicions();
	options_of(none, none, none);
	return unit_status();
}
