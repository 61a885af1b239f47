/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Globs, and what the section options say of a section. */
#include <config.h>

#include "base/options.h"
#include "unit.h"

static void test_globs(void)
{
	struct string_list globs = { 0 };

	CHECK(!string_list_matches(&globs, ""));
	CHECK(string_list_add(&globs, ".text.*") == 0);
	CHECK(string_list_add(&globs, ".init.tex[st]") == 0);
	CHECK(string_list_matches(&globs, ".text.unlikely"));
	CHECK(string_list_matches(&globs, ".text.a/b"));
	CHECK(string_list_matches(&globs, ".text."));
	CHECK(!string_list_matches(&globs, ".text"));
	CHECK(!string_list_matches(&globs, "x.text.a"));
	CHECK(string_list_matches(&globs, ".init.text"));
	CHECK(string_list_matches(&globs, ".init.texs"));
	CHECK(!string_list_matches(&globs, ".init.texta"));
	string_list_free(&globs);
	CHECK(globs.n == 0);
	string_list_free(&globs);
}

static void test_policy(void)
{
	struct options o = { 0 };

	CHECK(options_section_policy(&o, ".text") == SECTION_TAKE);
	CHECK(string_list_add(&o.refuse_sections, ".noinstr*") == 0);
	CHECK(options_section_policy(&o, ".noinstr.text") == SECTION_REFUSE);
	CHECK(options_section_policy(&o, ".text") == SECTION_TAKE);

	/* To leave a section out is stronger than to refuse it. */
	CHECK(string_list_add(&o.skip_sections, ".noinstr.text") == 0);
	CHECK(options_section_policy(&o, ".noinstr.text") == SECTION_SKIP);
	CHECK(options_section_policy(&o, ".noinstr.data") == SECTION_REFUSE);

	/* To take some is to leave out the rest, refused or not. */
	CHECK(string_list_add(&o.only_sections, ".text") == 0);
	CHECK(options_section_policy(&o, ".text") == SECTION_TAKE);
	CHECK(options_section_policy(&o, ".text.hot") == SECTION_SKIP);
	CHECK(options_section_policy(&o, ".noinstr.data") == SECTION_SKIP);
	CHECK(string_list_add(&o.skip_sections, ".text") == 0);
	CHECK(options_section_policy(&o, ".text") == SECTION_SKIP);
	string_list_free(&o.refuse_sections);
	string_list_free(&o.skip_sections);
	string_list_free(&o.only_sections);
}

int main(void)
{
	test_globs();
	test_policy();
	return unit_status();
}
