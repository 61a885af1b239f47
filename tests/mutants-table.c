/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Damages the table, of each form. */
#include <config.h>

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mutants.h"

/* --- The offsets table
 * ------------------------------------------------------------ */

static const unsigned widths[4] = { 2, 2, 3, 2 };

static void list_sites(struct lab *lab, const struct table_copy *t)
{
	for (size_t s = 0; s < t->counts[0]; s++) {
		size_t end = s + 1 < t->counts[0] ? t->records[0][s + 1][1]
						  : t->counts[1];

		for (size_t i = t->records[0][s][1]; i < end; i++) {
			uint32_t probe = t->records[1][i][1] >> 3;

			lab->sites[lab->nsites++] = (struct site_row){
				/* Text and table share the high bits. */
				(t->addr & ~(uint64_t)UINT32_MAX) |
					(uint32_t)(t->records[0][s][0] +
						   t->records[1][i][0]),
				(const char *)t->strings +
					t->records[2][probe][1],
			};
		}
	}
}

void read_offsets(struct lab *lab, struct table_copy *t)
{
	const struct symbol_row *sym = find_symbol(&lab->final, "sdt_table");
	const uint8_t *p;

	if (sym == NULL)
		die("no table");
	t->addr = sym->value;
	t->at = file_offset(&lab->final, sym->value);
	p = lab->final.bytes + t->at;
	t->strings = p + get_word(lab, p + 28);
	t->nstrings = get_word(lab, p + 8) - get_word(lab, p + 28);
	for (int i = 0; i < 4; i++)
		t->counts[i] = get_word(lab, p + 12 + 4 * i);
	p += 32;
	for (int i = 0; i < 4; i++)
		for (size_t k = 0; k < t->counts[i]; k++)
			for (size_t w = 0; w < widths[i]; w++, p += 4) {
				if (k >= MAX)
					die("too large a table");
				t->records[i][k][w] = get_word(lab, p);
				/* Self-relative words, made absolute. */
				if (w == 0 && (i == 0 || i == 2))
					t->records[i][k][w] +=
						t->addr +
						(p - lab->final.bytes - t->at);
			}
	list_sites(lab, t);
}

void write_table(struct lab *lab, const struct table_copy *t)
{
	size_t at = t->at + 32;

	for (int i = 0; i < 4; i++) {
		put_word(lab, t->at + 12 + 4 * i, t->counts[i]);
		for (size_t k = 0; k < t->counts[i]; k++)
			for (size_t w = 0; w < widths[i]; w++, at += 4) {
				uint32_t value = t->records[i][k][w];

				if (w == 0 && (i == 0 || i == 2))
					value -= t->addr + (at - t->at);
				put_word(lab, at, value);
			}
	}
	put_word(lab, t->at + 28, at - t->at);
	memcpy(lab->work + at, t->strings, t->nstrings);
	put_word(lab, t->at + 8, at - t->at + t->nstrings);
}

/* Is string byte I part of the name of a function and of no probe? */
static bool is_function_name(const struct table_copy *t, size_t i)
{
	for (size_t k = 0; k < t->counts[2]; k++) {
		size_t start = t->records[2][k][1];

		if (i >= start &&
		    i <= start + strlen((const char *)t->strings + start))
			return false;
	}
	return i + 1 < t->nstrings;
}

/* Is the word around AT the place of a function's name, and still the same? */
static bool is_same_name(const struct lab *lab, const struct table_copy *t,
			 size_t at)
{
	size_t strings = t->strings - lab->final.bytes;
	size_t first = strings - 8 * t->counts[3];
	size_t word = at & ~(size_t)3;
	uint32_t old = get_word(lab, lab->final.bytes + word);
	uint32_t new = get_word(lab, lab->work + word);

	return at >= first && at < strings && (word - first) % 8 == 4 &&
	       new < t->nstrings &&strcmp((const char *)t->strings + old,
					  (const char *)t->strings + new) ==
		       0;
}

static void flip_table(struct lab *lab, const struct table_copy *t)
{
	struct kind kind = { .name = "table" };
	size_t strings = t->strings - lab->final.bytes;

	for (size_t at = t->at; at < strings + t->nstrings; at++)
		for (int bit = 0; bit <= 8; bit++) {
			bool may_pass = at >= strings &&
					is_function_name(t, at - strings);

			lab->work[at] ^= bit < 8 ? 1 << bit : 0xff;
			/* The size, which must be that of whole strings. */
			if ((at >= t->at + 8 && at < t->at + 12) ||
			    is_same_name(lab, t, at))
				may_pass = true;
			try(lab, &kind, may_pass ? "name" : NULL);
		}
	finish(lab, &kind,
	       "a function's name that no symbol has or that is the "
	       "same, a size up to another NUL");
}

/* Takes record K out of array I of records that say where they begin. */
static void drop_record(struct table_copy *t, int i, size_t k)
{
	memmove(t->records[i][k], t->records[i][k + 1],
		(t->counts[i] - k - 1) * sizeof(t->records[i][k]));
	t->counts[i]--;
}

static void renumber(struct table_copy *t, int i, int word, size_t site)
{
	for (size_t k = 0; k < t->counts[i]; k++)
		if (t->records[i][k][word] > site)
			t->records[i][k][word]--;
	/* A record without sites goes, too. */
	for (size_t k = 0; k < t->counts[i]; k++) {
		uint32_t end = k + 1 < t->counts[i] ? t->records[i][k + 1][word]
						    : t->counts[1];

		if (t->records[i][k][word] == end)
			drop_record(t, i, k);
	}
}

static void change_entries(struct lab *lab, const struct table_copy *good)
{
	static struct table_copy t;
	struct kind dropped = { .name = "drop" }, swapped = { .name = "swap" };
	size_t nsites = good->counts[1];

	for (size_t i = 0; i < nsites; i++) {
		t = *good;
		drop_record(&t, 1, i);
		renumber(&t, 0, 1, i);
		renumber(&t, 3, 0, i);
		write_table(lab, &t);
		try(lab, &dropped, lab->ndead > 0 ? "dead" : NULL);
		for (size_t k = 0; k < nsites; k++)
			for (int what = 0; what < 3; what++) {
				t = *good;
				if (what != 1) /* offset */
					t.records[1][i][0] =
						good->records[1][k][0];
				if (what != 0) /* probe and form */
					t.records[1][i][1] =
						good->records[1][k][1];
				write_table(lab, &t);
				try(lab, &swapped, NULL);
			}
	}
	for (size_t i = 0; i < t.counts[2]; i++)
		for (size_t k = 0; k < t.counts[2]; k++) {
			t = *good;
			t.records[2][i][0] = good->records[2][k][0];
			t.records[2][k][0] = good->records[2][i][0];
			write_table(lab, &t);
			try(lab, &swapped, NULL);
		}
	if (dropped.nallowed > lab->ndead)
		dropped.nsurvived = dropped.nallowed - lab->ndead;
	dropped.nallowed -= dropped.nsurvived;
	finish(lab, &dropped, "its site is dead");
	finish(lab, &swapped, NULL);
}

void change_offsets(struct lab *lab, const struct table_copy *good)
{
	flip_table(lab, good);
	change_entries(lab, good);
}

/* --- The linker set
 * ------------------------------------------------------------------ */

void change_linker_set(struct lab *lab)
{
	struct kind kind = { .name = "records" };
	size_t word = lab->final.is_64 ? 8 : 4, at, size;
	const struct shdr *set = lab->final.sections;

	while (strcmp(set->name, "set_sdt_probe_site_set") != 0)
		if (++set == lab->final.sections + lab->final.nsections)
			die("no linker set");
	at = set->offset;
	size = set->size;
	for (size_t i = 0; i < size; i++)
		for (int bit = 0; bit < 8; bit++) {
			lab->work[at + i] ^= 1 << bit;
			try(lab, &kind, NULL);
		}
	/* A record twice; two words swapped. */
	for (size_t i = 0; i < size; i += 2 * word)
		for (size_t k = 0; k < size; k += 2 * word) {
			memcpy(lab->work + at + i, lab->final.bytes + at + k,
			       2 * word);
			try(lab, &kind, NULL);
			memcpy(lab->work + at + i, lab->final.bytes + at + k,
			       word);
			memcpy(lab->work + at + k, lab->final.bytes + at + i,
			       word);
			try(lab, &kind,
			    memcmp(lab->final.bytes + at + i,
				   lab->final.bytes + at + k, word) == 0
				    ? "same"
				    : NULL);
		}
	finish(lab, &kind, NULL);
}

/* --- The anchored table
 * ------------------------------------------------------------- */

static const struct shdr *section_or_die(const struct lab *lab,
					 const char *name)
{
	const struct shdr *sec = find_section(&lab->final, name);

	if (sec == NULL)
		die(name);
	return sec;
}

/* Is byte I of the descriptors padding behind a name's NUL? */
static bool is_padding(const uint8_t *descriptors, size_t i)
{
	size_t at = 0;

	while (true) {
		size_t end = at + 12 +
			     strlen((const char *)descriptors + at + 12) + 1;
		size_t next = (end + 7) & ~(size_t)7;

		if (i < end)
			return false;
		if (i < next)
			return true;
		at = next;
	}
}

static void flip_section(struct lab *lab, const char *name)
{
	const struct shdr *sec = section_or_die(lab, name);
	struct kind kind = { .name = name };

	for (size_t i = 0; i < sec->size; i++)
		for (int bit = 0; bit <= 8; bit++) {
			lab->work[sec->offset + i] ^= bit < 8 ? 1 << bit : 0xff;
			try(lab, &kind,
			    strcmp(name, "sdt_probes") == 0 &&
					    is_padding(lab->final.bytes +
							       sec->offset,
						       i)
				    ? "padding"
				    : NULL);
		}
	finish(lab, &kind, "padding behind a name");
}

/* Entry I becomes what K is: self-relative words move with their place. */
static void copy_entry(struct lab *lab, size_t at, size_t i, size_t k)
{
	for (size_t word = 0; word < 8; word += 4)
		put_word(lab, at + 8 * i + word,
			 get_word(lab, lab->final.bytes + at + 8 * k + word) +
				 8 * (k - i));
}

void read_entries(struct lab *lab)
{
	const struct shdr *sites = section_or_die(lab, "sdt_sites");

	for (size_t at = 0; at < sites->size && lab->nsites < MAX; at += 8) {
		const uint8_t *p = lab->final.bytes + sites->offset + at;
		uint64_t addr = sites->addr + at;
		uint64_t probe = addr + 4 + (int32_t)get_word(lab, p + 4);

		lab->sites[lab->nsites++] = (struct site_row){
			addr + (int32_t)get_word(lab, p),
			(const char *)lab->final.bytes +
				file_offset(&lab->final, probe & ~7ull) + 12,
		};
	}
}

void change_anchored(struct lab *lab)
{
	const struct shdr *sites = section_or_die(lab, "sdt_sites");
	struct kind twice = { .name = "twice" }, drop = { .name = "drop" };
	struct kind mixed = { .name = "mixed" };
	size_t n = sites->size / 8, at = sites->offset;
	size_t size_at = sites->at + (lab->final.is_64
					      ? offsetof(Elf64_Shdr, sh_size)
					      : offsetof(Elf32_Shdr, sh_size));

	flip_section(lab, "sdt_sites");
	flip_section(lab, "sdt_probes");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			copy_entry(lab, at, i, k);
			try(lab, &twice, NULL);
			/* The place of one, the probe of the other. */
			put_word(lab, at + 8 * i + 4,
				 get_word(lab,
					  lab->final.bytes + at + 8 * k + 4) +
					 8 * (k - i));
			try(lab, &mixed,
			    get_word(lab, lab->final.bytes + at + 8 * k + 4) +
						    8 * (k - i) ==
					    get_word(lab, lab->final.bytes +
								  at + 8 * i +
								  4)
				    ? "same"
				    : NULL);
		}
		for (size_t k = i; k + 1 < n; k++)
			copy_entry(lab, at, k, k + 1);
		put_word(lab, size_at, sites->size - 8);
		try(lab, &drop, NULL);
	}
	finish(lab, &twice, NULL);
	finish(lab, &mixed, NULL);
	finish(lab, &drop, NULL);
}
