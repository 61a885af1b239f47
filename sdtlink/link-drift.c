/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/strings.h"
#include "drift-report.h"
#include "elf/object-file.h"
#include "link-drift.h"

/* --- What the linker reads ------------------------------------------------ */

/* Is LINKER, or the target of that link, a form of lld? */
static bool is_lld(const char *linker)
{
	char path[PATH_MAX];
	const char *name = realpath(linker, path) != NULL ? path : linker;
	const char *slash = strrchr(name, '/');

	return strstr(slash != NULL ? slash : name, "lld") != NULL;
}

static bool make_folder(struct read_files *files)
{
	const char *where = getenv("TMPDIR");

	char *name = strings_join(where != NULL ? where : "/tmp",
				  "/sdtlink.XXXXXX", "", "");

	if (name == NULL || mkdtemp(name) == NULL) {
		free(name);
		return false;
	}
	files->folder = name;
	files->listing = opendir(name);
	return files->listing != NULL;
}

/*
 * A time later than that of each file so far, and no later than that of any
 * file from now on. Linux gives most files the time of its last tick, and some
 * the time of its clock.
 */
static struct timespec next_tick(void)
{
	const struct timespec pause = { .tv_nsec = 500000 };
	struct timespec now, tick;

	clock_gettime(CLOCK_REALTIME, &now);
	while (tick = object_file_clock(), !object_file_is_before(&now, &tick))
		nanosleep(&pause, NULL);
	return tick;
}

int read_files_begin(struct diag *d, struct read_files *files,
		     const char *linker, char *const *program)
{
	size_t n = 0;

	files->start = next_tick();
	if (!is_lld(linker))
		return 0;
	if (!make_folder(files))
		return diag_file(d, linker, "cannot-run",
				 "no place for what it generates: %s",
				 strerror(errno));
	while (program[n] != NULL)
		n++;
	files->argv = calloc(n + 2, sizeof(files->argv[0]));
	files->option =
		strings_join("--lto-obj-path=", files->folder, "/lto.o", "");
	if (files->argv == NULL || files->option == NULL)
		return diag_nomem(d, linker);
	/* If the user gives this option, too, it comes later and wins. */
	files->argv[0] = program[0];
	files->argv[1] = files->option;
	memcpy(files->argv + 2, program + 1, (n - 1) * sizeof(program[0]));
	return 0;
}

/* FD becomes the list's. */
static int keep(struct diag *d, struct read_files *files, const char *name,
		const struct stat *st, int fd)
{
	struct read_file *items =
		grow_list(files->items, files->n, sizeof(items[0]));
	char *own = strdup(name);

	if (items != NULL)
		files->items = items;
	if (items == NULL || own == NULL) {
		close(fd);
		free(own);
		return diag_nomem(d, name);
	}
	items[files->n++] = (struct read_file){
		.name = own,
		.device = st->st_dev,
		.inode = st->st_ino,
		.fd = fd,
	};
	return 0;
}

int read_files_add(struct diag *d, struct read_files *files, const char *name,
		   int fd, int instead)
{
	struct stat st;
	int copy;

	if (fstat(fd, &st) != 0)
		return diag_file(d, name, "cannot-read", "cannot stat: %s",
				 strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	for (size_t i = 0; i < files->n; i++)
		if (files->items[i].device == st.st_dev &&
		    files->items[i].inode == st.st_ino)
			return 0;
	/* Some are gone when the linker ends. */
	copy = fcntl(instead >= 0 ? instead : fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return diag_file(d, name, "cannot-read",
				 "cannot keep it open for --drift: %s%s",
				 strerror(errno),
				 errno == EMFILE
					 ? ": raise the limit (ulimit -Hn)"
					 : "");
	files->has_generated |=
		!object_file_is_before(&st.st_ctim, &files->start);
	return keep(d, files, name, &st, copy);
}

/* Sorts by number: lto.o, lto.o1, and lto.o10 behind lto.o9. */
static int compare_generated(const void *a, const void *b)
{
	const struct read_file *one = a, *two = b;
	size_t x = strlen(one->name), y = strlen(two->name);

	if (x != y)
		return x < y ? -1 : 1;
	return strcmp(one->name, two->name);
}

/* Adds what lld wrote: lto.o, and with ThinLTO also lto.o1 and so on. */
static int add_generated(struct diag *d, struct read_files *files)
{
	size_t first = files->n;
	struct dirent *entry;
	int ret = 0;

	if (files->listing == NULL)
		return 0;
	rewinddir(files->listing);
	while (errno = 0,
	       ret == 0 && (entry = readdir(files->listing)) != NULL) {
		int fd = openat(dirfd(files->listing), entry->d_name,
				O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return diag_file(d, entry->d_name, "cannot-read",
					 "cannot open: %s", strerror(errno));
		ret = read_files_add(d, files, entry->d_name, fd, -1);
		close(fd);
	}
	if (ret == 0 && errno != 0)
		return diag_file(d, files->folder, "cannot-read",
				 "cannot list: %s", strerror(errno));
	if (files->n > first)
		qsort(files->items + first, files->n - first,
		      sizeof(files->items[0]), compare_generated);
	return ret;
}

static void remove_folder(struct read_files *files)
{
	struct dirent *entry;

	if (files->listing != NULL) {
		rewinddir(files->listing);
		while ((entry = readdir(files->listing)) != NULL)
			unlinkat(dirfd(files->listing), entry->d_name, 0);
		closedir(files->listing);
		files->listing = NULL;
	}
	if (files->folder != NULL)
		rmdir(files->folder);
	free(files->folder);
	files->folder = NULL;
}

int read_files_end(struct diag *d, struct read_files *files)
{
	int ret = add_generated(d, files);

	remove_folder(files);
	return ret;
}

void read_files_free(struct read_files *files)
{
	remove_folder(files);
	for (size_t i = 0; i < files->n; i++) {
		close(files->items[i].fd);
		free(files->items[i].name);
	}
	free(files->items);
	free(files->argv);
	free(files->option);
	*files = (struct read_files){ 0 };
}

/* --- What became of it ---------------------------------------------------- */

static int list_file(struct diag *d, struct input_list *list,
		     const struct read_file *file)
{
	uint8_t *bytes;
	size_t size;

	if (input_read_open(d, file->name, file->fd, &bytes, &size))
		return -1;
	return input_list_add(d, list, file->name, bytes, size);
}

int drift_linked(const struct command *cmd, struct report *report,
		 struct read_files *files, const char *output)
{
	struct diag *d = &report->diag;
	struct command own = *cmd;
	struct input_list list = { 0 };
	int ret = 0;

	own.inputs = (struct string_list){ 0 };
	if (ret == 0 && string_list_add(&own.inputs, output) != 0)
		ret = diag_nomem(d, output);
	for (size_t i = 0; ret == 0 && i < files->n; i++)
		ret = list_file(d, &list, &files->items[i]);
	if (ret == 0)
		ret = drift_of_list(&own, report, &list,
				    files->has_generated ? BYTECODE_GENERATED
							 : BYTECODE_UNUSED);
	else
		ret = EXIT_TROUBLE;
	string_list_free(&own.inputs);
	input_list_free(&list);
	return ret;
}
