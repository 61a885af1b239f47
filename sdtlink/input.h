/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What --dump looks at: objects and images, in archives and directories as
 * well, and images as they are flashed.
 */
#ifndef SDTLINK_INPUT_H
#define SDTLINK_INPUT_H

#include "command.h"
#include "elf/debug-file.h"
#include "elf/object.h"

/* What the first bytes of a file tell of it. */
enum input_kind {
	INPUT_UNREAD, /* nothing: it is empty, cannot be read, or is no file */
	INPUT_ELF,
	INPUT_ARCHIVE,
	INPUT_FLASH,   /* gzip, PE, Intel HEX or S-records */
	INPUT_OTHER,   /* text, or of a format that sdtlink cannot read */
	INPUT_UNKNOWN, /* binary, of no known format */
};

struct input {
	char *name;	      /* as messages have it; owned */
	enum input_kind kind; /* of a file */
	const uint8_t *bytes; /* of a member of an archive, or what was read
				 already; NULL: a file */
	size_t size;
	bool is_member;
};

struct input_list {
	struct input *items; /* owned */
	size_t n;
	bool is_list;	    /* an archive or a directory is among them */
	uint8_t **archives; /* owned; in which their bytes are */
	size_t narchives;
};

/*
 * Lists the files, the members of archives, and the objects in directories
 * that PATHS name. What cannot be read is in the list as it is. Fails without
 * memory.
 */
int input_list_make(struct diag *d, const struct string_list *paths,
		    struct input_list *list);
void input_list_free(struct input_list *list);

/*
 * Adds NAME, or its members, of which the SIZE bytes were read already; these
 * are malloc's, and become the list's. Fails without memory.
 */
int input_list_add(struct diag *d, struct input_list *list, const char *name,
		   uint8_t *bytes, size_t size);

/* The file at NAME, which may be NULL, after a look at its first bytes. */
struct input input_file(char *name);

/*
 * The bytes of a member, which may begin anywhere in its archive: malloc's, or
 * NULL after diagnosing.
 */
uint8_t *input_copy(struct diag *d, const struct input *input);

/* Sets *BYTES to all of the file at PATH, malloc's. */
int input_read(struct diag *d, const char *path, uint8_t **bytes, size_t *size);

/* The same, if it is open as FD, or could not be: then errno tells. */
int input_read_open(struct diag *d, const char *path, int fd, uint8_t **bytes,
		    size_t *size);

/*
 * Opens INPUT and checks it: an object, or an image with the symbols of its
 * debug file, if there is one. object_close and debug_file_close are due
 * either way.
 */
int input_open(struct diag *d, const struct input *input,
	       const struct command *cmd, struct object *obj,
	       struct debug_file *debug);

#endif
