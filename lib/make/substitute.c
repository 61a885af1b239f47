/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/table-format.h"
#include "base/grow.h"
#include "base/strings.h"
#include "elf/archive-write.h"
#include "elf/check.h"
#include "elf/object-file.h"
#include "inject.h"
#include "sites/probe.h"
#include "substitute.h"
#include "table/undo-nop.h"

/* --- One object --------------------------------------------------------- */

/*
 * Adds a line for each string of LIST to *WORDS. On trouble, frees it and
 * returns false: memory ran out, or a pattern has wildcards and is not a word.
 */
static bool add_words(char **words, const struct string_list *list)
{
	for (size_t i = 0; i < list->n && *words != NULL; i++) {
		bool is_word = strpbrk(list->items[i], "*?[\\\n") == NULL;
		char *more =
			is_word ? strings_join(*words, "\n", list->items[i], "")
				: NULL;

		free(*words);
		*words = more;
	}
	return *words != NULL;
}

char *substitute_words(const struct options *options)
{
	char *words = strings_join(SDT_PROBE_SYMBOL "\n" SDT_NOP_PROBE_SYMBOL
						    "\n",
				   LTO_SECTIONS, "\n", options->sites_name);

	return words != NULL && add_words(&words, &options->prefixes) &&
			       add_words(&words, &options->enabled_prefixes) &&
			       add_words(&words, &options->symbols)
		       ? words
		       : NULL;
}

static int write_injected(struct diag *d, const struct options *options,
			  struct substituted *sub, const struct site_set *set,
			  int fd)
{
	struct output out = { .path = sub->name, .direct = -1 };
	struct edit edit;
	int ret = -1;

	edit_init(&edit, &sub->obj);
	out.stream = fdopen(fd, "w+");
	if (out.stream == NULL) {
		close(fd);
		return diag_nomem(d, sub->name);
	}
	edit_begin_copy(&edit, fd);
	if (inject_plan(d, &sub->obj, options, set, &edit) == 0 &&
	    edit_write(d, &edit, &out) == 0)
		ret = 0;
	if (fclose(out.stream) != 0 && ret == 0)
		ret = diag_file(d, sub->name, "cannot-write",
				"cannot write what is to be linked: %s",
				strerror(errno));
	edit_free(&edit);
	return ret;
}

static void report_no_file(struct diag *d, const char *name)
{
	diag_file(d, name, "cannot-write",
		  "no place for what is to be linked: %s%s", strerror(errno),
		  errno == EMFILE ? ": raise the limit (ulimit -Hn)" : "");
}

static int new_file(struct diag *d, const struct substitutes *set,
		    const char *name, size_t size)
{
	int fd = output_nameless(set->beside, size);

	if (fd < 0)
		report_no_file(d, name);
	return fd;
}

static bool is_injected(const struct object *obj, const struct options *options)
{
	struct diag quiet = { .sink = diag_ignore };

	return inject_check_fresh(&quiet, obj, options) != 0;
}

static bool defines_probe(const struct options *options,
			  const struct object *obj)
{
	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;
		size_t prefix;

		object_symbol(obj, i, &sym);
		if (sym.is_defined && sym.bind != STB_LOCAL &&
		    probe_classify(options, sym.name, false, &prefix) !=
			    PROBE_NONE)
			return true;
	}
	return false;
}

/* Sets *FD to the injected object, or to -1 if it is linked unchanged. */
static int inject(struct diag *d, const struct substitutes *all,
		  struct substituted *sub, int *fd)
{
	const struct options *options = all->options;
	struct site_set set = { 0 };
	unsigned long nerrors = d->nno + d->ntrouble;
	int copy, ret = -1;

	*fd = -1;
	if (check_object(d, &sub->obj, OBJECT_INPUT))
		goto done;
	if (sub->obj.symtab == 0) {
		ret = 0; /* Without symbols there are no probes. */
		goto done;
	}
	if (scan_object(d, &sub->obj, options, &set) ||
	    d->nno + d->ntrouble > nerrors)
		goto done;
	if (is_injected(&sub->obj, options)) {
		sub->has_sites = true;
		ret = undo_nop(d, &sub->obj);
		goto done;
	}
	ret = 0;
	sub->has_sites = set.nsites > 0;
	sub->has_function = defines_probe(options, &sub->obj);
	if (!sub->has_sites)
		goto done;
	ret = -1;
	*fd = new_file(d, all, sub->name, sub->obj.file_size);
	copy = *fd >= 0 ? dup(*fd) : -1;
	if (copy >= 0)
		ret = write_injected(d, options, sub, &set, copy);
	else if (*fd >= 0)
		report_no_file(d, sub->name);
	if (ret != 0 && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
done:
	site_set_free(&set);
	return ret;
}

static void free_substituted(struct substituted *sub)
{
	object_close(&sub->obj);
	free(sub->bytes);
	free(sub->name);
	free(sub);
}

/* NAME, or "archive(member)"; for free(). */
static char *full_name(const char *name, const struct archive_member *m)
{
	size_t length = strlen(name) + (m ? strlen(m->name) : 0) + 3;
	char *full = m != NULL ? malloc(length) : strdup(name);

	if (m != NULL && full != NULL)
		snprintf(full, length, "%s(%s)", name, m->name);
	return full;
}

/* Takes the bytes, which no longer change. If FD is not -1, it is mapped. */
static struct substituted *take_object(struct diag *d, const char *name,
				       const struct archive_member *m, int fd,
				       const void *bytes, size_t size)
{
	struct substituted *sub = calloc(1, sizeof(*sub));

	if (sub != NULL) {
		sub->name = full_name(name, m);
		sub->bytes = fd < 0 ? malloc(size) : NULL;
	}
	if (sub == NULL || sub->name == NULL ||
	    (fd < 0 && sub->bytes == NULL)) {
		diag_nomem(d, name);
		if (sub != NULL)
			free_substituted(sub);
		return NULL;
	}
	if (fd < 0)
		memcpy(sub->bytes, bytes, size);
	if ((fd < 0 ? object_open_memory(d, sub->name, sub->bytes, size,
					 &sub->obj)
		    : object_open_fd(d, sub->name, fd, &sub->obj)) == 0)
		return sub;
	free_substituted(sub);
	return NULL;
}

static int keep(struct diag *d, struct substitutes *set,
		struct substituted *sub)
{
	struct substituted **objects =
		grow_list(set->objects, set->nobjects, sizeof(objects[0]));

	if (objects == NULL)
		return diag_nomem(d, sub->name);
	set->objects = objects;
	objects[set->nobjects++] = sub;
	set->nprobed += sub->has_sites;
	return 0;
}

static int report_bytecode(struct diag *d, const char *name,
			   const struct archive_member *m, const void *bytes,
			   size_t size)
{
	bool is_elf = size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
	char *full = full_name(name, m);

	diag_report(d, SEVERITY_TROUBLE,
		    &(struct place){ .file = full != NULL ? full : name },
		    "lto", is_elf ? LTO_REMEDY_GCC : LTO_REMEDY_LLVM,
		    "has probes in link-time-optimisation bytecode, which has "
		    "no sites yet");
	free(full);
	return -1;
}

/* BYTES may be those of a member of NAME. */
static int substitute_object(struct diag *d, struct substitutes *set,
			     const char *name, const struct archive_member *m,
			     int fd, void *bytes, size_t size, int *instead)
{
	struct substituted *sub;
	int ret;

	*instead = -1;
	switch (probe_mentions(set->options, bytes, size)) {
	case MENTIONS_NONE:
		return 0;
	case MENTIONS_BYTECODE:
		return report_bytecode(d, name, m, bytes, size);
	case MENTIONS_NAME:
		break;
	}
	sub = take_object(d, name, m, size > OBJECT_COPIED_MAX ? fd : -1, bytes,
			  size);
	if (sub == NULL)
		return -1;
	ret = inject(d, set, sub, instead);
	if (ret == 0 && (sub->has_sites || sub->has_function)) {
		ret = keep(d, set, sub);
		if (ret == 0)
			return 0;
	}
	free_substituted(sub);
	return ret;
}

/* --- Archives ------------------------------------------------------------ */

struct new_members {
	struct new_member *items;
	size_t n;
};

static int add_member(struct diag *d, const char *name,
		      struct new_members *list, uint64_t offset, int fd)
{
	struct new_member *items =
		grow_list(list->items, list->n, sizeof(items[0]));
	struct stat st;

	if (items != NULL)
		list->items = items;
	if (items == NULL || fstat(fd, &st) != 0) {
		close(fd);
		return diag_nomem(d, name);
	}
	items[list->n++] = (struct new_member){ offset, fd, st.st_size };
	return 0;
}

static int substitute_members(struct diag *d, struct substitutes *set,
			      const char *name, const struct archive *ar,
			      uint8_t *bytes, struct new_members *list)
{
	int fd, ret = 0;

	for (size_t i = 0; i < ar->n; i++) {
		const struct archive_member *m = &ar->members[i];

		/* All that is wrong with the others, too. */
		if (substitute_object(d, set, name, m, -1, bytes + m->offset,
				      m->size, &fd))
			ret = -1;
		if (fd >= 0 && add_member(d, name, list, m->offset, fd))
			return -1;
	}
	return ret;
}

static int write_archive(struct diag *d, const struct substitutes *set,
			 const char *name, const uint8_t *bytes, size_t size,
			 const struct new_members *list, int *instead)
{
	*instead = new_file(d, set, name, size);
	if (*instead < 0)
		return -1;
	if (archive_rewrite(bytes, size, list->items, list->n, *instead) == 0)
		return 0;
	diag_file(d, name, "cannot-write",
		  "cannot write what is to be linked: %s", strerror(errno));
	close(*instead);
	*instead = -1;
	return -1;
}

static int substitute_archive(struct diag *d, struct substitutes *set,
			      const char *name, uint8_t *bytes, size_t size,
			      int *instead)
{
	struct new_members list = { 0 };
	struct archive ar = { 0 };
	const char *wrong = archive_read(bytes, size, &ar);
	int ret = 0;

	if (wrong != NULL)
		ret = wrong[0] == '\0'
			      ? diag_nomem(d, name)
			      : diag_file(d, name, "malformed",
					  "a damaged archive: %s", wrong);
	/* The linker opens the members of thin ones itself. */
	else if (!ar.is_thin)
		ret = substitute_members(d, set, name, &ar, bytes, &list);
	if (ret == 0 && list.n > 0)
		ret = write_archive(d, set, name, bytes, size, &list, instead);
	for (size_t i = 0; i < list.n; i++)
		close(list.items[i].fd);
	free(list.items);
	archive_free(&ar);
	return ret;
}

/* --- The set ------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
	const struct substitute *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->link == NULL || y->link == NULL)
		return (x->link != NULL) - (y->link != NULL);
	return strcmp(x->link, y->link);
}

/* The file of ST, or NULL if it was not opened before. */
static const struct substitute *find_file(const struct substitutes *set,
					  const char *name,
					  const struct stat *st)
{
	const struct substitute key = {
		.device = st->st_dev,
		.inode = st->st_ino,
		.link = st->st_nlink > 1 ? (char *)name : NULL,
	};
	void *const *found = tfind(&key, &set->files, compare_files);

	return found != NULL ? *found : NULL;
}

static void free_file(void *file)
{
	struct substitute *sub = file;

	if (sub->fd >= 0)
		close(sub->fd);
	free(sub->link);
	free(sub);
}

/* FD is the set's from now on, even after an error. */
static int add_file(struct diag *d, struct substitutes *set, const char *name,
		    const struct stat *st, int fd)
{
	bool is_link = st->st_nlink > 1;
	struct substitute *file = malloc(sizeof(*file));

	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return diag_nomem(d, name);
	}
	*file = (struct substitute){ .device = st->st_dev,
				     .inode = st->st_ino,
				     .fd = fd,
				     .link = is_link ? strdup(name) : NULL };
	if ((!is_link || file->link != NULL) &&
	    tsearch(file, &set->files, compare_files) != NULL)
		return 0;
	memory_note(ENOMEM);
	free_file(file);
	return diag_nomem(d, name);
}

/* libelf writes to pages of the mapping, so it is private. */
static int look_at(struct diag *d, struct substitutes *set, const char *name,
		   int fd, const struct stat *st, int *instead)
{
	size_t size = st->st_size;
	unsigned char *bytes =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	int ret;

	if (bytes == MAP_FAILED)
		return diag_file(d, name, "cannot-read", "cannot read: %s",
				 strerror(errno));
	ret = archive_is_one(bytes, size)
		      ? substitute_archive(d, set, name, bytes, size, instead)
		      : substitute_object(d, set, name, NULL, fd, bytes, size,
					  instead);
	munmap(bytes, size);
	return ret;
}

int substitute_find(struct diag *d, struct substitutes *set, const char *name,
		    int fd, int *instead)
{
	const struct substitute *file;
	struct stat st;
	int ret;

	*instead = -1;
	if (fstat(fd, &st) != 0)
		return diag_file(d, name, "cannot-read", "cannot read: %s",
				 strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	file = find_file(set, name, &st);
	if (file != NULL) {
		*instead = file->fd;
		return 0;
	}
	ret = look_at(d, set, name, fd, &st, instead);
	if (add_file(d, set, name, &st, *instead)) {
		*instead = -1;
		return -1;
	}
	return ret;
}

void substitutes_free(struct substitutes *set)
{
	tdestroy(set->files, free_file);
	for (size_t i = 0; i < set->nobjects; i++)
		free_substituted(set->objects[i]);
	free(set->objects);
	*set = (struct substitutes){ 0 };
}
