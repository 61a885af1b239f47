/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutants [--anchored | --linker-set=BASE] [--dead=N] PARTIAL FINAL - damages
 * FINAL, which is proved, in every way it knows, and wants no mutant to be
 * proved.
 *
 * It finds out itself what the files hold, from the gABI and sdt_table(5); of
 * sdtlink it uses what --verify does with two files, and nothing else. What
 * may be proved although it changed is counted by the rule that allows it. N
 * entries of the table are of sites in code that no symbol names any more, and
 * that nothing leads to: those may be missing.
 */
#include <config.h>

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "verify.h"

#define PREFIX "__dtrace_sdt_"
#define MAX 512 /* sites, probes or functions of a table */

/* --- ELF files ------------------------------------------------------------ */

struct shdr {
	const char *name;
	uint64_t type, flags, addr, offset, size, info;
	size_t at; /* of the header, in the file */
};

struct symbol_row {
	const char *name;
	uint64_t value;
	unsigned bind, shndx;
	size_t value_at; /* of st_value, in the file */
};

struct relocation {
	uint64_t offset;
	const char *symbol;
	unsigned type;
};

struct elf {
	uint8_t *bytes;
	size_t size;
	bool is_64;
	unsigned machine;
	struct shdr *sections;
	size_t nsections;
	struct symbol_row *symbols;
	size_t nsymbols;
};

static void die(const char *what)
{
	fprintf(stderr, "mutants: %s\n", what);
	exit(99);
}

static void read_bytes(const char *path, struct elf *elf)
{
	FILE *f = fopen(path, "rb");

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		die(path);
	elf->size = ftell(f);
	elf->bytes = malloc(elf->size);
	rewind(f);
	if (elf->bytes == NULL || fread(elf->bytes, elf->size, 1, f) != 1)
		die(path);
	fclose(f);
}

/* The field MEMBER of the structure TYPE of either class at AT. */
#define FIELD(elf, type, at, member) \
	((elf)->is_64 ? (uint64_t)((const Elf64_##type *)((elf)->bytes + \
							  (at)))->member \
		      : (uint64_t)((const Elf32_##type *)((elf)->bytes + \
							  (at)))->member)
#define SIZEOF(elf, type) \
	((elf)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

static void read_sections(struct elf *elf)
{
	uint64_t shoff = FIELD(elf, Ehdr, 0, e_shoff);
	size_t strndx = FIELD(elf, Ehdr, 0, e_shstrndx);

	elf->nsections = FIELD(elf, Ehdr, 0, e_shnum);
	elf->sections = calloc(elf->nsections, sizeof(elf->sections[0]));
	for (size_t i = 0; i < elf->nsections; i++) {
		size_t at = shoff + i * SIZEOF(elf, Shdr);

		elf->sections[i] = (struct shdr){
			.type = FIELD(elf, Shdr, at, sh_type),
			.flags = FIELD(elf, Shdr, at, sh_flags),
			.addr = FIELD(elf, Shdr, at, sh_addr),
			.offset = FIELD(elf, Shdr, at, sh_offset),
			.size = FIELD(elf, Shdr, at, sh_size),
			.info = FIELD(elf, Shdr, at, sh_info),
			.at = at,
		};
	}
	for (size_t i = 0; i < elf->nsections; i++)
		elf->sections[i].name =
			(const char *)elf->bytes +
			elf->sections[strndx].offset +
			FIELD(elf, Shdr, elf->sections[i].at, sh_name);
}

static void read_symbols(struct elf *elf)
{
	const struct shdr *symtab = elf->sections;
	uint64_t names;

	while (symtab->type != SHT_SYMTAB)
		if (++symtab == elf->sections + elf->nsections)
			die("no symbols");
	names = elf->sections[FIELD(elf, Shdr, symtab->at, sh_link)].offset;
	elf->nsymbols = symtab->size / SIZEOF(elf, Sym);
	elf->symbols = calloc(elf->nsymbols, sizeof(elf->symbols[0]));
	for (size_t i = 0; i < elf->nsymbols; i++) {
		size_t at = symtab->offset + i * SIZEOF(elf, Sym);

		elf->symbols[i] = (struct symbol_row){
			.name = (const char *)elf->bytes + names +
				FIELD(elf, Sym, at, st_name),
			.value = FIELD(elf, Sym, at, st_value),
			.bind = FIELD(elf, Sym, at, st_info) >> 4,
			.shndx = FIELD(elf, Sym, at, st_shndx),
			.value_at = at + (elf->is_64
					  ? offsetof(Elf64_Sym, st_value)
					  : offsetof(Elf32_Sym, st_value)),
		};
	}
}

static void read_elf(const char *path, struct elf *elf)
{
	read_bytes(path, elf);
	elf->is_64 = elf->bytes[EI_CLASS] == ELFCLASS64;
	elf->machine = FIELD(elf, Ehdr, 0, e_machine);
	read_sections(elf);
	read_symbols(elf);
}

static void free_elf(struct elf *elf)
{
	free(elf->bytes);
	free(elf->sections);
	free(elf->symbols);
}

static const struct symbol_row *find_symbol(const struct elf *elf,
					    const char *name)
{
	const struct symbol_row *found = NULL;

	for (size_t i = 0; i < elf->nsymbols; i++) {
		const struct symbol_row *sym = &elf->symbols[i];

		if (sym->shndx != SHN_UNDEF && strcmp(sym->name, name) == 0)
			found = found == NULL ? sym : NULL;
	}
	return found;
}

/* Where in the file the byte at ADDR is, or 0. */
static size_t file_offset(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 1; i < elf->nsections; i++) {
		const struct shdr *sec = &elf->sections[i];

		if ((sec->flags & SHF_ALLOC) && sec->type != SHT_NOBITS &&
		    addr >= sec->addr && addr - sec->addr < sec->size)
			return sec->offset + (addr - sec->addr);
	}
	return 0;
}

/* The relocations of section SHNDX; returns how many. */
static size_t relocations(const struct elf *elf, size_t shndx,
			  struct relocation **out)
{
	size_t n = 0;

	*out = NULL;
	for (size_t i = 1; i < elf->nsections; i++) {
		const struct shdr *sec = &elf->sections[i];
		size_t step = sec->type == SHT_RELA ? SIZEOF(elf, Rela)
						    : SIZEOF(elf, Rel);

		if ((sec->type != SHT_RELA && sec->type != SHT_REL) ||
		    sec->info != shndx)
			continue;
		*out = realloc(*out,
			       (n + sec->size / step) * sizeof(**out));
		for (size_t at = 0; at < sec->size; at += step) {
			uint64_t info = FIELD(elf, Rel, sec->offset + at,
					      r_info);
			uint64_t symndx = elf->is_64 ? info >> 32 : info >> 8;

			(*out)[n++] = (struct relocation){
				FIELD(elf, Rel, sec->offset + at, r_offset),
				elf->symbols[symndx].name,
				elf->is_64 ? (uint32_t)info : info & 0xff,
			};
		}
	}
	return n;
}

static bool is_probe(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}

/* --- Mutants ----------------------------------------------------------------- */

struct kind {
	const char *name;
	size_t ntried, nallowed, nsurvived;
};

/* A section of the partial with sites, as it is in the final. */
struct text {
	uint64_t addr, size;
	struct relocation *relocs;
	size_t nrelocs;
};

struct lab {
	struct elf partial, final;
	struct object partial_obj;
	struct options options;
	uint8_t *work; /* the mutant */
	const char *path; /* of its file */
	int fd;
	struct text texts[64];
	size_t ntexts;
	const struct symbol_row *stubs[MAX];
	size_t nstubs;
	size_t ndead; /* entries that may be missing */
	size_t nsurvived;
};

static void ignore_diagnostic(void *ctx, const struct diagnostic *dg)
{
	(void)ctx;
	(void)dg;
}

static void ignore_finding(void *ctx, const struct finding *f)
{
	(void)ctx;
	(void)f;
}

/* Would --verify end with exit status 0? */
static bool is_proved(struct lab *lab, const char *path)
{
	struct diag d = { .sink = ignore_diagnostic };
	struct verification v = { .sink = ignore_finding };
	struct object final = { 0 };
	bool is_judged = object_open(&d, path, &final) == 0 &&
			 check_object(&d, &final, OBJECT_FINAL) == 0 &&
			 verify_objects(&d, &lab->partial_obj, &final,
					&lab->options, &v) == 0;

	object_close(&final);
	return is_judged && d.nno == 0 && d.ntrouble == 0 &&
	       v.verdict == VERDICT_PROVED;
}

static void write_mutant(const struct lab *lab)
{
	ssize_t n = pwrite(lab->fd, lab->work, lab->final.size, 0);

	if (n < 0 || (size_t)n != lab->final.size)
		die("cannot write the mutant");
}

static void report_survivor(const struct lab *lab, const struct kind *kind)
{
	const struct elf *final = &lab->final;
	size_t at = 0;

	while (lab->work[at] == final->bytes[at])
		at++;
	printf("survivor: %s: file offset 0x%zx: %02x became %02x", kind->name,
	       at, final->bytes[at], lab->work[at]);
	for (size_t i = 1; i < final->nsections; i++) {
		const struct shdr *sec = &final->sections[i];

		if (sec->type != SHT_NOBITS && at >= sec->offset &&
		    at - sec->offset < sec->size)
			printf(", %s+0x%" PRIx64 " = 0x%" PRIx64, sec->name,
			       at - sec->offset,
			       sec->addr + (at - sec->offset));
	}
	putchar('\n');
}

/*
 * Judges the mutant in lab->work and puts the good bytes back. RULE says why
 * it may be proved; it is NULL if it may not.
 */
static void try(struct lab *lab, struct kind *kind, const char *rule)
{
	if (memcmp(lab->work, lab->final.bytes, lab->final.size) == 0)
		return;
	kind->ntried++;
	write_mutant(lab);
	if (is_proved(lab, lab->path)) {
		if (rule != NULL)
			kind->nallowed++;
		else if (kind->nsurvived++ < 10)
			report_survivor(lab, kind);
	}
	memcpy(lab->work, lab->final.bytes, lab->final.size);
}

static void finish(struct lab *lab, const struct kind *kind, const char *rule)
{
	printf("%-10s %6zu mutants, %6zu rejected, %zu proved by mistake",
	       kind->name, kind->ntried,
	       kind->ntried - kind->nallowed - kind->nsurvived,
	       kind->nsurvived);
	if (kind->nallowed > 0)
		printf(", %zu rightly: %s", kind->nallowed, rule);
	putchar('\n');
	lab->nsurvived += kind->nsurvived;
}

static void put_word(struct lab *lab, size_t at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		lab->work[at + i] = value >> 8 * i;
}

static uint32_t get_word(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static void set_symbol(struct lab *lab, const struct symbol_row *sym,
		       uint64_t value)
{
	memcpy(lab->work + sym->value_at, &value, lab->final.is_64 ? 8 : 4);
}

/* --- What there is -------------------------------------------------------------- */

static void find_stubs(struct lab *lab)
{
	for (size_t i = 1; i < lab->final.nsymbols; i++)
		if (is_probe(lab->final.symbols[i].name) &&
		    lab->final.symbols[i].shndx != SHN_UNDEF &&
		    lab->nstubs < MAX)
			lab->stubs[lab->nstubs++] = &lab->final.symbols[i];
	/* Where all sites are disabled there is none. */
	if (lab->nstubs < 2 && lab->options.table != TABLE_ANCHORED)
		die("fewer than two stubs");
}

/* Where section SHNDX of the partial begins, by a symbol of it. */
static bool place(const struct lab *lab, size_t shndx, uint64_t *addr)
{
	for (size_t i = 1; i < lab->partial.nsymbols; i++) {
		const struct symbol_row *sym = &lab->partial.symbols[i];
		const struct symbol_row *found;

		if (sym->shndx != shndx || sym->name[0] == '\0')
			continue;
		found = find_symbol(&lab->final, sym->name);
		if (found == NULL)
			continue;
		*addr = found->value - sym->value;
		return true;
	}
	return false;
}

static void find_texts(struct lab *lab)
{
	for (size_t i = 1; i < lab->partial.nsections; i++) {
		struct text *text = &lab->texts[lab->ntexts];
		bool has_sites = false;

		if (!(lab->partial.sections[i].flags & SHF_EXECINSTR))
			continue;
		text->nrelocs = relocations(&lab->partial, i, &text->relocs);
		for (size_t k = 0; k < text->nrelocs; k++)
			has_sites |= is_probe(text->relocs[k].symbol);
		text->size = lab->partial.sections[i].size;
		if (has_sites && place(lab, i, &text->addr) &&
		    lab->ntexts + 1 < 64)
			lab->ntexts++;
		else
			free(text->relocs);
	}
	if (lab->ntexts == 0)
		die("no text");
}

/* --- The offsets table ------------------------------------------------------------ */

struct table_copy {
	size_t at; /* in the file */
	uint64_t addr;
	uint32_t counts[4]; /* sections, sites, probes, functions */
	uint32_t records[4][MAX][3];
	const uint8_t *strings;
	size_t nstrings;
};

static const unsigned widths[4] = { 2, 2, 3, 2 };

static void read_table(const struct lab *lab, struct table_copy *t)
{
	const struct symbol_row *sym = find_symbol(&lab->final, "sdt_table");
	const uint8_t *p;

	if (sym == NULL)
		die("no table");
	t->addr = sym->value;
	t->at = file_offset(&lab->final, sym->value);
	p = lab->final.bytes + t->at;
	t->strings = p + get_word(p + 28);
	t->nstrings = get_word(p + 8) - get_word(p + 28);
	for (int i = 0; i < 4; i++)
		t->counts[i] = get_word(p + 12 + 4 * i);
	p += 32;
	for (int i = 0; i < 4; i++)
		for (size_t k = 0; k < t->counts[i]; k++)
			for (size_t w = 0; w < widths[i]; w++, p += 4) {
				if (k >= MAX)
					die("too large a table");
				t->records[i][k][w] = get_word(p);
				/* Self-relative words, made absolute. */
				if (w == 0 && (i == 0 || i == 2))
					t->records[i][k][w] +=
						t->addr +
						(p - lab->final.bytes - t->at);
			}
}

/* The table as a mutant, in place of the good one. */
static void write_table(struct lab *lab, const struct table_copy *t)
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
	uint32_t old = get_word(lab->final.bytes + word);
	uint32_t new = get_word(lab->work + word);

	return at >= first && at < strings && (word - first) % 8 == 4 &&
	       new < t->nstrings &&
	       strcmp((const char *)t->strings + old,
		      (const char *)t->strings + new) == 0;
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
		uint32_t end = k + 1 < t->counts[i]
				       ? t->records[i][k + 1][word]
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

/* --- The linker set ------------------------------------------------------------------ */

static void change_linker_set(struct lab *lab)
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
				    ? "same" : NULL);
		}
	finish(lab, &kind, NULL);
}

/* --- The anchored table ------------------------------------------------------------- */

static const struct shdr *find_section(const struct elf *elf, const char *name)
{
	for (size_t i = 1; i < elf->nsections; i++)
		if (strcmp(elf->sections[i].name, name) == 0)
			return &elf->sections[i];
	die(name);
	return NULL;
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
	const struct shdr *sec = find_section(&lab->final, name);
	struct kind kind = { .name = name };

	for (size_t i = 0; i < sec->size; i++)
		for (int bit = 0; bit <= 8; bit++) {
			lab->work[sec->offset + i] ^= bit < 8 ? 1 << bit : 0xff;
			try(lab, &kind,
			    strcmp(name, "sdt_probes") == 0 &&
				    is_padding(lab->final.bytes + sec->offset,
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
			 get_word(lab->final.bytes + at + 8 * k + word) +
				 8 * (k - i));
}

static void change_anchored(struct lab *lab)
{
	const struct shdr *sites = find_section(&lab->final, "sdt_sites");
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
				 get_word(lab->final.bytes + at + 8 * k + 4) +
					 8 * (k - i));
			try(lab, &mixed,
			    get_word(lab->final.bytes + at + 8 * k + 4) +
						    8 * (k - i) ==
					    get_word(lab->final.bytes + at +
						     8 * i + 4)
				    ? "same" : NULL);
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

/* --- Text ------------------------------------------------------------------------------- */

/* Is byte OFFSET of TEXT one that the final link writes for somebody else? */
static bool is_others(const struct lab *lab, const struct text *text,
		      uint64_t offset)
{
	for (size_t i = 0; i < text->nrelocs; i++) {
		const struct relocation *r = &text->relocs[i];
		/* The plain ones; around others linkers rewrite more. */
		bool is_plain = lab->final.machine == EM_386
					? r->type <= 2 || r->type == 4
					: r->type == 2 || r->type == 4 ||
						  r->type == 10 ||
						  r->type == 11;
		uint64_t reach = is_plain ? 0 : 12;

		if (!is_probe(r->symbol) && offset + reach >= r->offset &&
		    offset < r->offset + 4 + reach)
			return true;
	}
	return false;
}

static void flip_text(struct lab *lab)
{
	static const uint8_t flips[] = { 0x01, 0x10, 0x80, 0xff };
	struct kind kind = { .name = "text" };

	for (size_t i = 0; i < lab->ntexts; i++) {
		const struct text *text = &lab->texts[i];
		size_t at = file_offset(&lab->final, text->addr);

		for (uint64_t k = 0; k < text->size; k++)
			for (size_t f = 0; f < sizeof(flips); f++) {
				lab->work[at + k] ^= flips[f];
				try(lab, &kind,
				    is_others(lab, text, k) ? "field" : NULL);
			}
	}
	finish(lab, &kind, "a field that is relocated against another symbol");
}

/* A branch with that opcode at file offset AT and address ADDR to a stub. */
static void put_branch(struct lab *lab, size_t at, uint64_t addr,
		       unsigned opcode, size_t stub)
{
	size_t length = 1;

	if (opcode > 0xff)
		lab->work[at + length++ - 1] = opcode >> 8;
	lab->work[at + length - 1] = opcode;
	put_word(lab, at + length,
		 lab->stubs[stub]->value - (addr + length + 4));
}

/* Each relocated call or jump goes to each stub. */
static void retarget(struct lab *lab)
{
	struct kind kind = { .name = "retarget" };

	for (size_t i = 0; i < lab->ntexts; i++) {
		const struct text *text = &lab->texts[i];
		size_t at = file_offset(&lab->final, text->addr);

		for (size_t k = 0; k < text->nrelocs; k++) {
			uint64_t field = text->relocs[k].offset;
			uint8_t opcode;

			if (field < 2 || field + 4 > text->size)
				continue;
			opcode = lab->final.bytes[at + field - 1];
			if (opcode != 0xe8 && opcode != 0xe9 &&
			    (lab->final.bytes[at + field - 2] != 0x0f ||
			     (opcode & 0xf0) != 0x80))
				continue;
			for (size_t s = 0; s < lab->nstubs; s++) {
				put_branch(lab, at + field - 1,
					   text->addr + field - 1, opcode, s);
				try(lab, &kind, NULL);
			}
		}
	}
	finish(lab, &kind, NULL);
}

/*
 * Is ADDR in a field that is relocated against another symbol? Then it is the
 * inside of an instruction.
 */
static bool is_inside(const struct lab *lab, uint64_t addr)
{
	for (size_t i = 0; i < lab->ntexts; i++)
		if (addr >= lab->texts[i].addr &&
		    addr - lab->texts[i].addr < lab->texts[i].size)
			return is_others(lab, &lab->texts[i],
					 addr - lab->texts[i].addr);
	return false;
}

/* A branch to a stub at each place of executable sections. */
static void insert(struct lab *lab)
{
	static const unsigned opcodes[] = { 0xe8, 0xe9, 0x0f84 };
	struct kind kind = { .name = "insert" };
	size_t stub = 0;

	for (size_t i = 1; i < lab->final.nsections; i++) {
		const struct shdr *sec = &lab->final.sections[i];

		if (!(sec->flags & SHF_EXECINSTR) || sec->size < 6)
			continue;
		for (uint64_t k = 0; k + 6 <= sec->size; k++)
			for (int o = 0; o < 3; o++) {
				put_branch(lab, sec->offset + k,
					   sec->addr + k, opcodes[o],
					   stub++ % lab->nstubs);
				try(lab, &kind,
				    is_inside(lab, sec->addr + k) ? "inside"
								  : NULL);
			}
	}
	finish(lab, &kind, "inside an instruction, in such a field");
}

/* --- Symbols ------------------------------------------------------------------------------ */

/* All branches to stub B go to stub A instead. */
static void redirect(struct lab *lab, size_t a, size_t b)
{
	for (size_t i = 0; i < lab->ntexts; i++) {
		const struct text *text = &lab->texts[i];
		size_t at = file_offset(&lab->final, text->addr);

		for (size_t k = 0; k < text->nrelocs; k++) {
			const struct relocation *r = &text->relocs[k];

			if (strcmp(r->symbol, lab->stubs[b]->name) == 0)
				put_word(lab, at + r->offset,
					 lab->stubs[a]->value -
						 (text->addr + r->offset + 4));
		}
	}
}

static void fold(struct lab *lab, const struct table_copy *good)
{
	static struct table_copy t;
	struct kind kind = { .name = "fold" };

	for (size_t a = 0; a < lab->nstubs; a++)
		for (size_t b = 0; b < lab->nstubs; b++) {
			set_symbol(lab, lab->stubs[b], lab->stubs[a]->value);
			try(lab, &kind, NULL);
			if (good == NULL)
				continue;
			t = *good;
			for (size_t i = 0; i < t.counts[2]; i++)
				if (t.records[2][i][0] ==
				    (uint32_t)lab->stubs[b]->value)
					t.records[2][i][0] =
						lab->stubs[a]->value;
			write_table(lab, &t);
			set_symbol(lab, lab->stubs[b], lab->stubs[a]->value);
			redirect(lab, a, b);
			try(lab, &kind, NULL);
		}
	finish(lab, &kind, NULL);
}

/* The symbols that the proof relies on: stubs, table, global functions. */
static void move_symbols(struct lab *lab)
{
	struct kind kind = { .name = "symbols" };

	for (size_t i = 1; i < lab->final.nsymbols; i++) {
		const struct symbol_row *sym = &lab->final.symbols[i];
		bool counts = (is_probe(sym->name) &&
			       sym->shndx != SHN_UNDEF) ||
			      strcmp(sym->name, "sdt_table") == 0;

		for (size_t k = 0; k < lab->ntexts; k++)
			counts |= sym->bind == STB_GLOBAL &&
				  sym->value >= lab->texts[k].addr &&
				  sym->value - lab->texts[k].addr <
					  lab->texts[k].size &&
				  find_symbol(&lab->partial, sym->name);
		for (int bit = 0; counts && bit < 32; bit++) {
			set_symbol(lab, sym,
				   sym->value ^ UINT64_C(1) << bit);
			try(lab, &kind, NULL);
		}
	}
	finish(lab, &kind, NULL);
}

/* --- The whole -------------------------------------------------------------------------------- */

static void set_options(struct options *options, const char *base)
{
	string_list_add(&options->prefixes, PREFIX);
	string_list_add(&options->enabled_prefixes, PREFIX "enabled_");
	options->table_name = "sdt_table";
	options->sites_name = "sdt_sites";
	if (options->table == TABLE_AUTO)
		options->table = TABLE_OFFSETS;
	if (base != NULL) {
		options->table = TABLE_LINKER_SET;
		options->base = base;
	}
}

static void open_lab(struct lab *lab, const char *partial, const char *final)
{
	struct diag d = { .sink = ignore_diagnostic };

	read_elf(partial, &lab->partial);
	read_elf(final, &lab->final);
	lab->work = malloc(lab->final.size);
	if (lab->work == NULL)
		die("no memory");
	memcpy(lab->work, lab->final.bytes, lab->final.size);
	lab->fd = open(lab->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (lab->fd < 0)
		die("cannot make the mutant's file");
	find_stubs(lab);
	find_texts(lab);
	if (object_open(&d, partial, &lab->partial_obj) ||
	    check_object(&d, &lab->partial_obj, OBJECT_PARTIAL) ||
	    !is_proved(lab, final))
		die("the good image is not proved");
}

static void close_lab(struct lab *lab)
{
	object_close(&lab->partial_obj);
	for (size_t i = 0; i < lab->ntexts; i++)
		free(lab->texts[i].relocs);
	free_elf(&lab->partial);
	free_elf(&lab->final);
	free(lab->work);
	string_list_free(&lab->options.prefixes);
	string_list_free(&lab->options.enabled_prefixes);
	close(lab->fd);
	unlink(lab->path);
}

int main(int argc, char **argv)
{
	static struct table_copy table;
	static struct lab lab = { .path = "mutant" };
	const char *base = NULL;

	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++)
		if (strcmp(argv[1], "--anchored") == 0)
			lab.options.table = TABLE_ANCHORED;
		else if (strncmp(argv[1], "--linker-set=", 13) == 0)
			base = argv[1] + 13;
		else if (strncmp(argv[1], "--dead=", 7) == 0)
			lab.ndead = atoi(argv[1] + 7);
	if (argc != 3)
		die("usage: mutants [OPTION]... PARTIAL FINAL");
	set_options(&lab.options, base);
	open_lab(&lab, argv[1], argv[2]);
	switch (lab.options.table) {
	case TABLE_ANCHORED:
		change_anchored(&lab);
		break;
	case TABLE_LINKER_SET:
		change_linker_set(&lab);
		break;
	case TABLE_AUTO:
	case TABLE_OFFSETS:
		read_table(&lab, &table);
		flip_table(&lab, &table);
		change_entries(&lab, &table);
		break;
	}
	flip_text(&lab);
	if (lab.nstubs > 0)
		insert(&lab);
	retarget(&lab);
	fold(&lab, lab.options.table == TABLE_OFFSETS ? &table : NULL);
	move_symbols(&lab);
	close_lab(&lab);
	return lab.nsurvived > 0;
}
