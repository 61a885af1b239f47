/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libelf cannot read thin archives, and takes over the file of others. The
 * format is simple: a header of 60 printable bytes before each member.
 */
#include <config.h>

#include <ar.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base/grow.h"

#define THIN_MAGIC "!<thin>\n"

struct reader {
	const uint8_t *bytes;
	size_t size;
	const char *names; /* the table of long names */
	size_t names_size;
	struct archive *archive;
};

bool archive_is_one(const void *bytes, size_t size)
{
	return size >= SARMAG && (memcmp(bytes, ARMAG, SARMAG) == 0 ||
				  memcmp(bytes, THIN_MAGIC, SARMAG) == 0);
}

/* Reads digits up to the first other byte. Returns false if there are none. */
static bool read_number(const char *at, size_t width, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	for (; i < width && at[i] >= '0' && at[i] <= '9'; i++)
		*value = 10 * *value + (at[i] - '0');
	return i > 0;
}

static bool is_name(const struct ar_hdr *hdr, const char *name)
{
	size_t n = strlen(name);

	return memcmp(hdr->ar_name, name, n) == 0 && hdr->ar_name[n] == ' ';
}

/* Those of GNU, of 64 bits, and of BSD. */
static bool is_symbol_table(const struct ar_hdr *hdr)
{
	return is_name(hdr, "/") || is_name(hdr, "/SYM64/") ||
	       memcmp(hdr->ar_name, "__.SYMDEF", 9) == 0;
}

/* GNU's "name/", or "/123" for a name in the table of names. Else NULL. */
static char *gnu_name(const struct reader *rd, const struct ar_hdr *hdr)
{
	const char *name = hdr->ar_name, *end;
	size_t n = sizeof(hdr->ar_name);
	uint64_t at;

	if (name[0] == '/') {
		if (!read_number(name + 1, n - 1, &at) || at >= rd->names_size)
			return NULL;
		name = rd->names + at;
		n = rd->names_size - at;
		end = memchr(name, '\n', n);
		n = end != NULL ? (size_t)(end - name) : n;
		n -= n > 0 && name[n - 1] == '/';
	} else {
		end = memchr(name, '/', n);
		n = end != NULL ? (size_t)(end - name) : n;
		while (n > 0 && name[n - 1] == ' ')
			n--;
	}
	return strndup(name, n);
}

static const char *add_member(struct reader *rd, const struct ar_hdr *hdr,
			      uint64_t offset, uint64_t size)
{
	struct archive *archive = rd->archive;
	struct archive_member *members, member = { NULL, offset, size };
	uint64_t length;

	if (memcmp(hdr->ar_name, "#1/", 3) == 0) { /* BSD: before the bytes */
		if (!read_number(hdr->ar_name + 3, 13, &length) ||
		    length > size)
			return "a name is longer than its member";
		member.name = strndup((const char *)rd->bytes + offset, length);
		member.offset += length;
		member.size -= length;
		if (member.name != NULL &&
		    strncmp(member.name, "__.SYMDEF", 9) == 0) {
			free(member.name);
			return NULL;
		}
	} else {
		member.name = gnu_name(rd, hdr);
		if (member.name == NULL && hdr->ar_name[0] == '/')
			return "a name is not in its table of names";
	}
	members = grow_list(archive->members, archive->n, sizeof(members[0]));
	if (members == NULL || member.name == NULL) {
		free(member.name);
		return "";
	}
	archive->members = members;
	members[archive->n++] = member;
	return NULL;
}

static const char *read_member(struct reader *rd, size_t *at)
{
	const struct ar_hdr *hdr = (const void *)(rd->bytes + *at);
	uint64_t size, offset = *at + sizeof(*hdr);
	bool is_table, is_names;

	if (rd->size - *at < sizeof(*hdr))
		return "it ends within a header";
	if (memcmp(hdr->ar_fmag, ARFMAG, 2) != 0 ||
	    !read_number(hdr->ar_size, sizeof(hdr->ar_size), &size))
		return "a header is damaged";
	is_table = is_symbol_table(hdr);
	is_names = is_name(hdr, "//");
	/* The members of thin ones are not in it. */
	if (rd->archive->is_thin && !is_table && !is_names) {
		*at = offset;
		return add_member(rd, hdr, 0, 0);
	}
	if (size > rd->size - offset)
		return "a member is past its end";
	*at = offset + size + (size & 1);
	if (is_names) {
		rd->names = (const char *)rd->bytes + offset;
		rd->names_size = size;
		return NULL;
	}
	return is_table ? NULL : add_member(rd, hdr, offset, size);
}

const char *archive_read(const uint8_t *bytes, size_t size,
			 struct archive *archive)
{
	struct reader rd = { .bytes = bytes, .size = size, .archive = archive };
	const char *wrong = NULL;
	size_t at = SARMAG;

	*archive = (struct archive){
		.is_thin = memcmp(bytes, THIN_MAGIC, SARMAG) == 0,
	};
	while (wrong == NULL && at < size)
		wrong = read_member(&rd, &at);
	return wrong;
}

void archive_free(struct archive *archive)
{
	for (size_t i = 0; i < archive->n; i++)
		free(archive->members[i].name);
	free(archive->members);
	*archive = (struct archive){ 0 };
}
