/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inputs of modes that take more than objects: also images, archives,
 * directories and what is flashed.
 */
#ifndef SDTLINK_INPUT_H
#define SDTLINK_INPUT_H

#include "command.h"
#include "elf/debug-file.h"
#include "elf/object.h"

/* What the first bytes of a file tell of it. */
enum input_kind {
	INPUT_UNREAD, /* nothing: it is empty, unreadable, or not a file */
	INPUT_ELF,
	INPUT_ARCHIVE,
	INPUT_FLASH,   /* gzip, PE, Intel HEX or S-records */
	INPUT_OTHER,   /* text, or a format that sdtlink cannot read */
	INPUT_UNKNOWN, /* binary, of no known format */
};

struct input {
	char *name;	      /* as messages have it; owned */
	enum input_kind kind; /* of a file */
	const uint8_t *bytes; /* of an archive's member, or if it was read
			       * already; NULL: a file */
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
 * Lists the files in PATHS, the members of archives, and the objects in
 * directories. Files that cannot be read are listed, too. Fails if memory ran
 * out.
 */
int input_list_make(struct diag *d, const struct string_list *paths,
		    struct input_list *list);
void input_list_free(struct input_list *list);

/*
 * Adds NAME, or its members. Its SIZE bytes, which malloc allocated, were read
 * already, and the list owns them from now on. Fails if memory ran out.
 */
int input_list_add(struct diag *d, struct input_list *list, const char *name,
		   uint8_t *bytes, size_t size);

/* Looks at the first bytes of the file at NAME, which may be NULL. */
struct input input_file(char *name);

/*
 * A copy of a member's bytes, which may be at any offset of its archive. The
 * caller frees it. NULL after a diagnostic.
 */
uint8_t *input_copy(struct diag *d, const struct input *input);

/* Sets *BYTES to the contents of the file at PATH. The caller frees them. */
int input_read(struct diag *d, const char *path, uint8_t **bytes, size_t *size);

/* The same for FD. If it could not be opened, errno says why. */
int input_read_open(struct diag *d, const char *path, int fd, uint8_t **bytes,
		    size_t *size);

/*
 * Opens INPUT and checks it: an object, or an image with the symbols of its
 * debug file, if there is one. Call object_close and debug_file_close either
 * way.
 */
int input_open(struct diag *d, const struct input *input,
	       const struct command *cmd, struct object *obj,
	       struct debug_file *debug);

#endif
