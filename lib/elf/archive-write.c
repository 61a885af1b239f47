/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <ar.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive-write.h"
#include "base/search.h"

struct rewriting {
	const uint8_t *bytes;
	size_t size;
	const struct new_member *members;
	size_t n;
	int64_t *more; /* how much longer the file is behind each of them */
	int fd;
};

/* A header and the contents behind it. BSD's name is the first part of them. */
struct piece {
	size_t header, start, size;
	size_t end; /* with its padding, which the last one may not have */
};

static bool next_piece(const struct rewriting *r, size_t *at, struct piece *p)
{
	const struct ar_hdr *header = (const void *)(r->bytes + *at);

	if (r->size - *at < sizeof(*header))
		return false;
	p->header = *at;
	p->start = *at + sizeof(*header);
	p->size = 0;
	for (size_t i = 0;
	     i < sizeof(header->ar_size) && header->ar_size[i] >= '0' &&
	     header->ar_size[i] <= '9';
	     i++)
		p->size = 10 * p->size + (header->ar_size[i] - '0');
	if (p->size > r->size - p->start)
		return false;
	p->end = p->start + p->size + p->size % 2;
	if (p->end > r->size)
		p->end = r->size;
	*at = p->end;
	return true;
}

static const struct ar_hdr *header_of(const struct rewriting *r,
				      const struct piece *p)
{
	return (const void *)(r->bytes + p->header);
}

static bool is_named(const struct rewriting *r, const struct piece *p,
		     const char *name)
{
	return memcmp(header_of(r, p)->ar_name, name, strlen(name)) == 0;
}

/* The I-th new member, if it is that piece's. */
static const struct new_member *new_of(const struct rewriting *r, size_t i,
				       const struct piece *p)
{
	return i < r->n && r->members[i].offset < p->start + p->size
		       ? &r->members[i]
		       : NULL;
}

static uint64_t padded(uint64_t size)
{
	return size + size % 2;
}

static uint64_t new_size(const struct piece *p, const struct new_member *new)
{
	return new->offset - p->start + new->size;
}

static void sum_up(struct rewriting *r)
{
	const struct new_member *new;
	size_t at = SARMAG, i = 0;
	int64_t more = 0;
	struct piece p;

	while (next_piece(r, &at, &p)) {
		new = new_of(r, i, &p);
		if (new == NULL)
			continue;
		more += (int64_t)padded(new_size(&p, new)) -
			(int64_t)(p.end - p.start);
		r->more[i++] = more;
	}
}

/* The number of bytes that were added before the offset AT of the old file. */
static int64_t growth(const struct rewriting *r, uint64_t at)
{
	size_t i;

	LOWER_BOUND(i, r->n, r->members[i].offset < at);
	return i > 0 ? r->more[i - 1] : 0;
}

static int put(int fd, const void *bytes, size_t size)
{
	for (const char *from = bytes; size > 0;) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		from += n;
		size -= n;
	}
	return 0;
}

static int copy_file(int to, const struct new_member *new)
{
	static char piece[1 << 16];

	for (uint64_t at = 0; at < new->size;) {
		ssize_t n = pread(new->fd, piece, sizeof(piece), at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0 || put(to, piece, n))
			return -1;
		at += n;
	}
	return 0;
}

static uint64_t read_word(const uint8_t *p, unsigned width)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value = value << 8 | p[i];
	return value;
}

static void write_word(uint8_t *p, unsigned width, uint64_t value)
{
	for (unsigned i = width; i-- > 0; value >>= 8)
		p[i] = value;
}

/*
 * The symbol table: a count and, for each symbol, the offset of its member, in
 * big endian; then the names.
 */
static int move_symbols(const struct rewriting *r, unsigned width,
			uint8_t *table, size_t size)
{
	uint64_t n, where;

	if (size < width)
		return 0;
	n = read_word(table, width);
	if (n > size / width - 1)
		n = size / width - 1;
	for (uint64_t i = 1; i <= n; i++) {
		where = read_word(table + i * width, width);
		where += growth(r, where);
		if (width == 4 && where > UINT32_MAX) {
			errno = EFBIG;
			return -1;
		}
		write_word(table + i * width, width, where);
	}
	return 0;
}

static int put_symbols(const struct rewriting *r, const struct piece *p)
{
	unsigned width = is_named(r, p, "/ ") ? 4 : 8;
	size_t size = p->end - p->header;
	uint8_t *copy = malloc(size);
	int ret = -1;

	if (copy == NULL)
		return -1;
	memcpy(copy, r->bytes + p->header, size);
	if (move_symbols(r, width, copy + sizeof(struct ar_hdr), p->size) == 0)
		ret = put(r->fd, copy, size);
	free(copy);
	return ret;
}

static int put_new(const struct rewriting *r, const struct piece *p,
		   const struct new_member *new)
{
	struct ar_hdr header = *header_of(r, p);
	char digits[sizeof(header.ar_size) + 1];
	uint64_t size = new_size(p, new);
	int n = snprintf(digits, sizeof(digits), "%-10llu",
			 (unsigned long long)size);

	if ((size_t)n >= sizeof(digits)) {
		errno = EFBIG;
		return -1;
	}
	memcpy(header.ar_size, digits, sizeof(header.ar_size));
	if (put(r->fd, &header, sizeof(header)) ||
	    put(r->fd, r->bytes + p->start, new->offset - p->start) ||
	    copy_file(r->fd, new))
		return -1;
	return put(r->fd, "\n", size % 2);
}

static int put_piece(const struct rewriting *r, const struct piece *p,
		     size_t *i)
{
	const struct new_member *new = new_of(r, *i, p);

	if (new != NULL) {
		++*i;
		return put_new(r, p, new);
	}
	if (is_named(r, p, "__.SYMDEF") ||
	    (is_named(r, p, "#1/") && p->size >= 9 &&
	     memcmp(r->bytes + p->start, "__.SYMDEF", 9) == 0)) {
		errno = ENOTSUP;
		return -1;
	}
	if (is_named(r, p, "/ ") || is_named(r, p, "/SYM64/ "))
		return put_symbols(r, p);
	return put(r->fd, r->bytes + p->header, p->end - p->header);
}

int archive_rewrite(const uint8_t *bytes, size_t size,
		    const struct new_member *members, size_t n, int fd)
{
	struct rewriting r = { bytes, size, members, n, NULL, fd };
	size_t at = SARMAG, i = 0;
	struct piece p;
	int ret;

	r.more = calloc(n + 1, sizeof(r.more[0]));
	if (r.more == NULL)
		return -1;
	sum_up(&r);
	ret = put(fd, bytes, SARMAG);
	while (ret == 0 && next_piece(&r, &at, &p))
		ret = put_piece(&r, &p, &i);
	free(r.more);
	return ret;
}
