/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/grow.h"
#include "base/strings.h"
#include "elf/archive.h"
#include "elf/boot-image.h"
#include "elf/check.h"
#include "elf/flash.h"
#include "elf/gzip.h"
#include "elf/flashed.h"
#include "elf/object-file.h"
#include "elf/pe.h"
#include "input.h"
#include "table/table.h"

/* --- Files -------------------------------------------------------------- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/*
 * Reads up to SIZE bytes from the start of the regular file at PATH. Returns
 * their number.
 */
static size_t peek(const char *path, char *bytes, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = read(fd, bytes, size);
	close(fd);
	return n > 0 ? n : 0;
}

static bool is_elf(const void *bytes, size_t size)
{
	return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

/* No image is smaller than this. */
#define IMAGE_MIN 64

static bool is_flash(const char *magic, size_t n)
{
	return (n > 18 && memcmp(magic, "\x1f\x8b", 2) == 0) ||
	       (n >= IMAGE_MIN && (memcmp(magic, "MZ", 2) == 0 ||
				   magic[0] == ':' || magic[0] == 'S')) ||
	       boot_image_is_one((const uint8_t *)magic, n);
}

static enum input_kind look_at(const char *path)
{
	char magic[BOOT_IMAGE_HEAD];
	size_t n = peek(path, magic, sizeof(magic));

	if (n == 0)
		return INPUT_UNREAD;
	if (is_elf(magic, n))
		return INPUT_ELF;
	if (archive_is_one(magic, n))
		return INPUT_ARCHIVE;
	if (is_flash(magic, n))
		return INPUT_FLASH;
	return n >= IMAGE_MIN && object_is_unknown(magic, IMAGE_MIN)
		       ? INPUT_UNKNOWN
		       : INPUT_OTHER;
}

static int read_all(struct diag *d, const char *path, int fd, uint8_t *bytes,
		    size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, bytes + done, size - done, done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return diag_file(d, path, "cannot-read",
					 "cannot read: %s", strerror(errno));
		if (n == 0)
			return diag_file(d, path, "cannot-read",
					 "the file changed while it was read");
		done += n;
	}
	return 0;
}

/* Is the file still as it was when it was read? */
static bool is_unchanged(int fd, const struct stat *st,
			 const struct timespec *before, const uint8_t *bytes)
{
	struct stat after;

	return (!object_file_may_be_written(fd, st, before) ||
		object_file_has_bytes(fd, bytes, st->st_size)) &&
	       fstat(fd, &after) == 0 && is_same(st, &after);
}

int input_read_open(struct diag *d, const char *path, int fd, uint8_t **bytes,
		    size_t *size)
{
	struct timespec before = object_file_clock();
	struct stat st;
	int ret = -1;

	*bytes = NULL;
	if (fd < 0 || fstat(fd, &st) != 0) {
		diag_file(d, path, "cannot-read", "cannot open: %s",
			  strerror(errno));
	} else if ((uint64_t)st.st_size > SIZE_MAX / 2) {
		diag_nomem(d, path);
	} else {
		*size = st.st_size;
		*bytes = malloc(*size + 1);
		ret = *bytes == NULL ? diag_nomem(d, path)
				     : read_all(d, path, fd, *bytes, *size);
	}
	if (ret == 0 && !is_unchanged(fd, &st, &before, *bytes))
		ret = diag_file(d, path, "cannot-read",
				"the file changed while it was read");
	if (ret != 0) {
		free(*bytes);
		*bytes = NULL;
	}
	return ret;
}

int input_read(struct diag *d, const char *path, uint8_t **bytes, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret = input_read_open(d, path, fd, bytes, size);

	if (fd >= 0)
		close(fd);
	return ret;
}

/* --- The list ----------------------------------------------------------- */

struct input input_file(char *name)
{
	return (struct input){
		.name = name,
		.kind = name != NULL ? look_at(name) : INPUT_UNREAD,
	};
}

/*
 * Adds NAME, which the list owns from now on. NULL means that memory ran out.
 */
static int add_input(struct diag *d, struct input_list *list,
		     struct input input)
{
	struct input *items = NULL;

	if (input.name != NULL)
		items = grow_list(list->items, list->n, sizeof(items[0]));
	if (items == NULL) {
		free(input.name);
		return diag_nomem(d, "-");
	}
	list->items = items;
	items[list->n++] = input;
	return 0;
}

/*
 * The path of a thin archive's member, which is relative to the archive's
 * folder.
 */
static char *thin_path(const char *archive, const char *member)
{
	const char *slash = strrchr(archive, '/');
	char *folder, *path;

	if (slash == NULL || member[0] == '/')
		return strdup(member);
	folder = strndup(archive, slash + 1 - archive);
	path = folder != NULL ? strings_join(folder, member, "", "") : NULL;
	free(folder);
	return path;
}

static int add_members(struct diag *d, struct input_list *list,
		       const char *path, const uint8_t *bytes,
		       const struct archive *archive)
{
	for (size_t i = 0; i < archive->n; i++) {
		const struct archive_member *member = &archive->members[i];
		struct input input = { 0 };

		if (archive->is_thin) {
			input = input_file(thin_path(path, member->name));
		} else {
			input.name = strings_join(path, "(", member->name, ")");
			input.bytes = bytes + member->offset;
			input.size = member->size;
		}
		input.is_member = true;
		if (add_input(d, list, input))
			return -1;
	}
	return 0;
}

/* BYTES become the list's. */
static int own_bytes(struct diag *d, struct input_list *list, const char *path,
		     uint8_t *bytes)
{
	uint8_t **archives =
		grow_list(list->archives, list->narchives, sizeof(archives[0]));

	if (archives == NULL) {
		free(bytes);
		return diag_nomem(d, path);
	}
	list->archives = archives;
	archives[list->narchives++] = bytes;
	return 0;
}

/* Reports trouble with one member, and lists the others. */
static int add_archive_bytes(struct diag *d, struct input_list *list,
			     const char *path, const uint8_t *bytes,
			     size_t size)
{
	struct archive archive = { 0 };
	const char *wrong = size < 8 ? "it is truncated"
				     : archive_read(bytes, size, &archive);
	int ret;

	list->is_list = true;
	if (wrong != NULL && wrong[0] == '\0')
		ret = diag_nomem(d, path);
	else
		ret = add_members(d, list, path, bytes, &archive);
	if (wrong != NULL && ret == 0)
		diag_file(d, path, "malformed", "a damaged archive: %s", wrong);
	archive_free(&archive);
	return ret;
}

static int add_archive(struct diag *d, struct input_list *list,
		       const char *path)
{
	uint8_t *bytes;
	size_t size;

	list->is_list = true;
	if (input_read(d, path, &bytes, &size))
		return 0;
	return own_bytes(d, list, path, bytes) ||
			       add_archive_bytes(d, list, path, bytes, size)
		       ? -1
		       : 0;
}

int input_list_add(struct diag *d, struct input_list *list, const char *name,
		   uint8_t *bytes, size_t size)
{
	if (own_bytes(d, list, name, bytes))
		return -1;
	if (archive_is_one(bytes, size))
		return add_archive_bytes(d, list, name, bytes, size);
	return add_input(d, list,
			 (struct input){
				 .name = strdup(name),
				 .kind = INPUT_ELF,
				 .bytes = bytes,
				 .size = size,
			 });
}

static int add_directory(struct diag *d, struct input_list *list,
			 const char *path);

/* Adds a file of a directory if it is an object, image or archive. */
static int add_found(struct diag *d, struct input_list *list, char *path)
{
	struct input input;
	struct stat link, st;
	int ret = 0;

	if (path == NULL)
		return diag_nomem(d, "-");
	/* Links to directories could lead back here, so they are skipped. */
	st.st_mode = 0;
	if (lstat(path, &link) != 0 ||
	    (stat(path, &st) != 0 && !S_ISLNK(link.st_mode))) {
		ret = diag_file(d, path, "cannot-read", "cannot open: %s",
				strerror(errno));
		free(path);
		return ret;
	}
	if (S_ISDIR(st.st_mode) && !S_ISLNK(link.st_mode))
		ret = add_directory(d, list, path);
	input = input_file(path);
	if (input.kind == INPUT_ARCHIVE)
		ret = add_archive(d, list, path);
	/* Who opens what could not be read says why. */
	else if (input.kind == INPUT_ELF ||
		 (input.kind == INPUT_UNREAD && S_ISREG(st.st_mode) &&
		  st.st_size > 0))
		return add_input(d, list, input);
	free(path);
	return ret;
}

static int is_no_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Sorted by name, so the order is always the same. */
static int add_directory(struct diag *d, struct input_list *list,
			 const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_no_dot, compare_entries);
	const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
	int ret = 0;

	list->is_list = true;
	if (n < 0) {
		diag_file(d, path, "cannot-read", "cannot open: %s",
			  strerror(errno));
		return 0;
	}
	for (int i = 0; i < n; i++) {
		if (ret == 0)
			ret = add_found(d, list,
					strings_join(path, slash,
						     entries[i]->d_name, ""));
		free(entries[i]);
	}
	free(entries);
	return ret;
}

static int add_path(struct diag *d, struct input_list *list, const char *path)
{
	struct input input = input_file(strdup(path));

	if (input.kind != INPUT_ARCHIVE)
		return add_input(d, list, input);
	free(input.name);
	return add_archive(d, list, path);
}

int input_list_make(struct diag *d, const struct string_list *paths,
		    struct input_list *list)
{
	*list = (struct input_list){ 0 };
	for (size_t i = 0; i < paths->n; i++) {
		const char *path = paths->items[i];
		struct stat st;
		int failed;

		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			failed = add_directory(d, list, path);
		else
			failed = add_path(d, list, path);
		if (failed)
			return -1;
	}
	return 0;
}

void input_list_free(struct input_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].name);
	for (size_t i = 0; i < list->narchives; i++)
		free(list->archives[i]);
	free(list->items);
	free(list->archives);
	*list = (struct input_list){ 0 };
}

/* --- Images as they are flashed ------------------------------------------ */

/* Opens FLASH as an image of ARCH. Returns false if it cannot be one. */
static bool open_as(const struct flash *flash, const struct arch *arch,
		    const char *name, struct object *obj)
{
	struct diag quiet = { .sink = diag_ignore };
	uint8_t *bytes;
	size_t size;

	if (!flash_make_elf(flash, arch, &bytes, &size) || bytes == NULL)
		return false;
	if (object_open_owned(&quiet, name, bytes, size, obj) == 0 &&
	    check_object(&quiet, obj, OBJECT_LISTED) == 0)
		return true;
	object_close(obj);
	return false;
}

/* The number of sites in its tables, if each is right for its machine. */
static size_t count_sites(const struct object *obj)
{
	struct diag quiet = { .sink = diag_ignore };
	struct image img = { 0 };
	struct table table = { 0 };
	struct found_tables found = { 0 };
	size_t n = 0;

	if (image_open(&quiet, obj, &img) == 0 &&
	    table_search(&quiet, &img, &table, &found) == 0)
		n = table.nentries;
	free(found.items);
	table_free(&table);
	image_close(&img);
	return n;
}

/*
 * Guesses the machine of a format that does not say it: the sites must be
 * branches in its instruction set. If two machines fit, it stays unknown.
 */
static const struct arch *guess_machine(const struct flash *flash,
					const char *name, bool *is_sure)
{
	const struct arch *arch, *best = NULL;
	size_t most = 0;

	*is_sure = true;
	for (size_t i = 0; (arch = arch_at(i)) != NULL; i++) {
		struct object obj = { 0 };
		size_t n = 0;

		if (flash->machine != 0 && (flash->machine != arch->machine ||
					    flash->is_64 != arch->is_64))
			continue;
		if (open_as(flash, arch, name, &obj)) {
			n = count_sites(&obj);
			object_close(&obj);
		}
		if (best == NULL || n > most || (n == most && n > 0)) {
			*is_sure = flash->machine != 0 || n > most;
			best = arch;
			most = n;
		}
	}
	*is_sure &= flash->machine != 0 || most > 0;
	return best;
}

/*
 * Opens FLASH. DEBUG, from which it was made, gives the machine and the
 * addresses at which its segments run. DEBUG may be NULL.
 */
static int open_flash(struct diag *d, struct flash *flash, const char *name,
		      const struct object *debug, struct object *obj)
{
	bool is_sure = true;
	const struct arch *arch;

	if (debug != NULL && flash_move(d, name, flash, debug))
		return -1;
	arch = debug != NULL ? debug->arch
			     : guess_machine(flash, name, &is_sure);
	if (arch == NULL)
		return diag_file(d, name, "unknown-machine",
				 "is a %s of a machine that sdtlink does not "
				 "know; it knows %s",
				 flash->format, arch_names());
	if (!open_as(flash, arch, name, obj))
		return diag_file(d, name, "malformed",
				 "%s: it is not an image of %s", flash->format,
				 arch->name);
	obj->is_flashed = true;
	obj->has_no_machine = !is_sure;
	return 0;
}

/* Can the file be raw bytes? Linux' Image begins as PE does. */
static bool is_raw(const uint8_t *bytes, size_t size)
{
	return boot_image_is_linux(bytes, size) ||
	       object_is_unknown((const char *)bytes, size);
}

/*
 * The object owns BYTES from now on. If the format is unknown, that is an
 * error.
 */
static int read_flash(struct diag *d, const char *name, uint8_t *bytes,
		      size_t size, const struct command *cmd,
		      const struct object *debug, struct object *obj)
{
	struct flash_options options = cmd->flash;
	struct flash flash;
	int ret;

	if (!options.has_base && debug != NULL && is_raw(bytes, size)) {
		if (flashed_base(d, debug, &options.base)) {
			free(bytes);
			return -1;
		}
		options.is_default = true;
		options.has_base = options.base != UINT64_MAX;
	}
	ret = flash_read(d, name, bytes, size, &options, &flash);
	if (ret == 0 && flash.npieces > 0) {
		ret = open_flash(d, &flash, name, debug, obj);
	} else if (ret == 0 && is_raw(flash.bytes, flash.size)) {
		ret = diag_report(
			d, SEVERITY_TROUBLE, &(struct place){ .file = name },
			"not-elf",
			"if it is a raw image, say with --image-base where it "
			"is loaded",
			"no file of a format that sdtlink knows");
	} else if (ret == 0) { /* says what it is, then */
		ret = object_open_owned(d, name, flash.bytes, flash.size, obj);
		flash.bytes = NULL;
	}
	flash_free(&flash);
	return ret;
}

/* Checks ELF, which says itself where it is loaded. */
static int check_elf(struct diag *d, const char *name,
		     const struct command *cmd, struct object *obj)
{
	return flash_refuse_base(d, name, "ELF", &cmd->flash) ||
	       check_object(d, obj, OBJECT_LISTED);
}

/* A PE image that nothing else describes. */
static bool is_whole_pe(const uint8_t *bytes, size_t size,
			const struct command *cmd)
{
	return !cmd->flash.has_base && cmd->debug_file == NULL &&
	       pe_may_be_linked(bytes, size);
}

/* The object owns BYTES, which are not ELF, from now on. */
static int open_other(struct diag *d, const char *name, uint8_t *bytes,
		      size_t size, const struct command *cmd,
		      struct object *obj)
{
	struct diag quiet = { .sink = diag_ignore };
	struct object debug = { 0 };
	bool has_debug;
	int ret;

	if (gzip_unpack(d, name, &bytes, &size, NULL)) {
		free(bytes);
		return -1;
	}
	if (is_elf(bytes, size) || is_whole_pe(bytes, size, cmd))
		return object_open_owned(d, name, bytes, size, obj) ||
		       check_elf(d, name, cmd, obj);
	has_debug = cmd->debug_file != NULL &&
		    object_open(&quiet, cmd->debug_file, &debug) == 0 &&
		    check_object(&quiet, &debug, OBJECT_SYMBOLS) == 0;
	ret = read_flash(d, name, bytes, size, cmd, has_debug ? &debug : NULL,
			 obj);
	object_close(&debug);
	return ret;
}

uint8_t *input_copy(struct diag *d, const struct input *input)
{
	uint8_t *copy = malloc(input->size + 1);

	if (copy == NULL)
		diag_nomem(d, input->name);
	else
		memcpy(copy, input->bytes, input->size);
	return copy;
}

static int open_member(struct diag *d, const struct input *input,
		       const struct command *cmd, struct object *obj)
{
	uint8_t *copy = input_copy(d, input);

	if (copy == NULL)
		return -1;
	if (!is_elf(copy, input->size))
		return open_other(d, input->name, copy, input->size, cmd, obj);
	return object_open_owned(d, input->name, copy, input->size, obj) ||
	       check_elf(d, input->name, cmd, obj);
}

/* Is it a file that open_other reads? */
static bool is_other(const struct input *input, const struct command *cmd)
{
	if (input->kind == INPUT_UNREAD || input->kind == INPUT_ELF)
		return false;
	return cmd->flash.has_base || input->kind == INPUT_FLASH ||
	       input->kind == INPUT_UNKNOWN;
}

int input_open(struct diag *d, const struct input *input,
	       const struct command *cmd, struct object *obj,
	       struct debug_file *debug)
{
	uint8_t *bytes;
	size_t size;
	bool found;
	int failed;

	if (input->bytes != NULL) {
		failed = open_member(d, input, cmd, obj);
	} else if (is_other(input, cmd)) {
		failed = input_read(d, input->name, &bytes, &size) ||
			 open_other(d, input->name, bytes, size, cmd, obj);
	} else {
		failed = object_open(d, input->name, obj) ||
			 check_elf(d, input->name, cmd, obj);
	}
	if (failed)
		return -1;
	if (!obj->is_stripped)
		return 0;
	return debug_file_lend(d, obj, cmd->debug_file, BELONGS_MAYBE, debug,
			       &found);
}
