/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the copy that edit-write.c has planned to a file. Bytes that do not
 * change are shared with the original where the file system can, or copied by
 * the kernel, or else piece by piece. libelf would keep all of them in memory,
 * and would write zeros into the gaps that replaced sections leave. A file has
 * zeros there without that.
 *
 * Everything is written from start to end, in large pieces that begin and end
 * at multiples of their size. That takes half the time of other pieces.
 */
#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host.h"
#include "base/search.h"
#include "arch/arch.h"
#include "edit-write.h"

/* As many bytes are written at once. */
#define PIECE_SIZE ((size_t)256 << 10)

struct filer {
	struct diag *d;
	const struct edit *edit;
	const struct object *obj;
	Elf *elf;
	int fd;
	const char *path;
	uint64_t start, end; /* bytes of the original that are due */
	bool has_early;	     /* what may stay is there already */
	bool cannot_share;
	/* N bytes that are to be written at AT. */
	uint64_t at;
	size_t n;
	char *piece; /* PIECE_SIZE; owned */
};

static int write_error(const struct filer *f)
{
	return diag_file(f->d, f->path, "cannot-write", "cannot write: %s",
			 strerror(errno));
}

static int elf_error(const struct filer *f)
{
	return diag_file(f->d, f->obj->path, "malformed",
			 "cannot be copied: %s", elf_errmsg(-1));
}

static int write_at(const struct filer *f, const char *from, size_t size,
		    uint64_t offset)
{
	while (size > 0) {
		ssize_t n = pwrite(f->fd, from, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return write_error(f);
		from += n;
		size -= n;
		offset += n;
	}
	return 0;
}

static int flush(struct filer *f)
{
	uint64_t at = f->at;
	size_t n = f->n;

	f->at += n;
	f->n = 0;
	return write_at(f, f->piece, n, at);
}

/* The number of bytes that fit the current piece. Never 0. */
static size_t room(const struct filer *f)
{
	return PIECE_SIZE - (f->at + f->n) % PIECE_SIZE;
}

/* N more bytes are in the piece. */
static int advance(struct filer *f, size_t n)
{
	f->n += n;
	return (f->at + f->n) % PIECE_SIZE == 0 ? flush(f) : 0;
}

static int append(struct filer *f, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t n = size < room(f) ? size : room(f);

		memcpy(f->piece + f->n, bytes, n);
		if (advance(f, n))
			return -1;
		bytes += n;
		size -= n;
	}
	return 0;
}

/* Alignment in a file is not more. */
#define GAP_MAX 4096

static const char zeros[GAP_MAX];

/* Goes on at OFFSET. */
static int go_to(struct filer *f, uint64_t offset)
{
	uint64_t gap = offset - (f->at + f->n);

	if (gap <= GAP_MAX)
		return append(f, zeros, gap);
	if (flush(f))
		return -1;
	f->at = offset;
	return 0;
}

static int put(struct filer *f, const void *bytes, size_t size, uint64_t offset)
{
	return go_to(f, offset) ? -1 : append(f, bytes, size);
}

/* --- What is as in the original ---------------------------------------- */

/*
 * Skips a hole of the original at the current offset. Sets the end of the data
 * that follows.
 */
static void skip_hole(struct filer *f, uint64_t *end)
{
	off_t data = lseek(f->obj->fd, f->start, SEEK_DATA), hole;

	*end = f->end;
	if (data < 0) {
		if (errno == ENXIO) /* a hole to the end of the file */
			f->start = f->end;
		return;
	}
	f->start = (uint64_t)data < f->end ? (uint64_t)data : f->end;
	hole = lseek(f->obj->fd, f->start, SEEK_HOLE);
	if (hole >= 0 && (uint64_t)hole < f->end)
		*end = hole;
}

/* Reads the bytes that are due, up to END. */
static int read_range(struct filer *f, uint64_t end)
{
	if (f->start < end && go_to(f, f->start))
		return -1;
	while (f->start < end) {
		uint64_t size = end - f->start;
		ssize_t n = pread(f->obj->fd, f->piece + f->n,
				  size < room(f) ? size : room(f), f->start);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 && !object_is_unchanged(f->obj))
			return object_report_change(f->d, f->obj);
		if (n <= 0)
			return diag_file(f->d, f->obj->path, "cannot-read",
					 "cannot read: %s",
					 strerror(n == 0 ? EIO : errno));
		f->start += n;
		if (advance(f, n))
			return -1;
	}
	return 0;
}

/*
 * File systems share whole blocks, which are not larger than this. Sharing a
 * few is not worth a system call.
 */
#define SHARED_SIZE ((uint64_t)64 << 10)

/*
 * Lets the kernel copy up to SIZE bytes at OFFSET, or make both files share
 * them. Returns how many; 0 if it does neither, or the original has become
 * shorter.
 */
static size_t copy_range(const struct filer *f, uint64_t offset, size_t size)
{
#ifdef HAVE_COPY_FILE_RANGE
	off_t from = offset, to = offset;
	ssize_t n = copy_file_range(f->obj->fd, &from, f->fd, &to, size, 0);

	return n > 0 ? n : 0;
#else
	(void)f;
	(void)offset;
	(void)size;
	return 0;
#endif
}

/* Leaves what it can of the bytes up to END to the kernel. */
static int share(struct filer *f, uint64_t end)
{
	uint64_t low = edit_align_up(f->start, SHARED_SIZE);
	uint64_t high = end - end % SHARED_SIZE;
	size_t n;

	if (f->cannot_share || low >= high)
		return 0;
	if (read_range(f, low) || go_to(f, low) || flush(f))
		return -1;
	do {
		n = copy_range(f, f->start, high - f->start);
		f->start += n;
		f->at += n;
	} while (n > 0 && f->start < high);
	f->cannot_share = n == 0;
	return 0;
}

/* There may be many small pieces. They are copied from memory. */
#define READ_SIZE ((uint64_t)64 << 10)

static int copy_due(struct filer *f)
{
	const char *bytes = elf_rawfile(f->obj->elf, NULL);
	bool is_open = f->obj->fd >= 0 && f->obj->copy == NULL;
	uint64_t end;

	while (f->start < f->end) {
		if (is_open && f->end - f->start > READ_SIZE) {
			skip_hole(f, &end);
			if (share(f, end) || read_range(f, end))
				return -1;
			continue;
		}
		if (bytes == NULL)
			return elf_error(f);
		if (put(f, bytes + f->start, f->end - f->start, f->start))
			return -1;
		f->start = f->end;
	}
	return 0;
}

/* Are there only zeros between two sections? */
static bool is_blank(const struct filer *f, uint64_t start, uint64_t end)
{
	const char *bytes = elf_rawfile(f->obj->elf, NULL);

	if (bytes == NULL || end - start > GAP_MAX)
		return false;
	while (start < end && bytes[start] == 0)
		start++;
	return start == end;
}

/* Does an edit most likely leave the section as it is, where it is? */
static bool may_stay(const struct section *sec)
{
	switch (sec->type) {
	case SHT_NULL:
	case SHT_NOBITS:
	case SHT_SYMTAB:
	case SHT_SYMTAB_SHNDX:
	case SHT_STRTAB:
	case SHT_GROUP:
		return false;
	default:
		return sec->size > 0;
	}
}

/* Neighbours are copied at once. */
static int copy_section(struct filer *f, const struct section *sec)
{
	if (f->has_early && may_stay(sec)) {
		if (copy_due(f) || flush(f))
			return -1;
		f->at = sec->offset + sec->size;
		return 0;
	}
	if (sec->offset < f->end || !is_blank(f, f->end, sec->offset)) {
		if (copy_due(f))
			return -1;
		f->start = sec->offset;
	}
	f->end = sec->offset + sec->size;
	return 0;
}

/* --- What is not -------------------------------------------------------- */

/* Has the file the host's byte order? */
static bool is_native(const struct object *obj)
{
	return obj->is_big_endian == host_is_big_endian();
}

/* Writes SIZE bytes of TYPE at OFFSET, in the file's byte order. */
static int put_data(struct filer *f, void *bytes, size_t size, Elf_Type type,
		    uint64_t offset)
{
	unsigned encoding = f->obj->ehdr.e_ident[EI_DATA];
	Elf_Data from = { .d_buf = bytes,
			  .d_type = type,
			  .d_version = EV_CURRENT,
			  .d_size = size };
	Elf_Data to = from;
	int ret;

	/* What is due is before it. */
	if (copy_due(f))
		return -1;
	if (type == ELF_T_BYTE || size == 0 || is_native(f->obj))
		return put(f, bytes, size, offset);
	to.d_buf = malloc(size);
	if (to.d_buf == NULL)
		return diag_nomem(f->d, f->path);
	ret = gelf_xlatetof(f->elf, &to, &from, encoding) != NULL
		      ? put(f, to.d_buf, size, offset)
		      : elf_error(f);
	free(to.d_buf);
	return ret;
}

/*
 * Changed relocations are sorted by section: this many are in sections below I.
 */
static size_t changes_below(const struct edit *edit, size_t i)
{
	size_t first;

	LOWER_BOUND(first, edit->nrelocs, edit->relocs[first].relsec < i);
	return first;
}

/* So many relocations are changed at once: they fit the nearest cache. */
#define RELOCS_MAX 512

/*
 * Does one of RELOCS name a symbol whose index changes? Those of DWARF, the
 * most, name sections.
 */
static bool names_global(const struct object *obj, const struct relocs *relocs)
{
	uint32_t nlocals = obj->sections[obj->symtab].info;
	struct reloc r;

	for (size_t i = 0; i < relocs->n; i++) {
		reloc_get(relocs, i, &r);
		if (r.symndx >= nlocals)
			return true;
	}
	return false;
}

/*
 * Writes the relocations of section I with their changes and the new indices of
 * symbols, without those that are removed.
 */
static int put_relocs(struct filer *f, size_t i)
{
	const struct edit *edit = f->edit;
	const struct section *sec = &f->obj->sections[i];
	Elf_Type type = sec->type == SHT_RELA ? ELF_T_RELA : ELF_T_REL;
	size_t size = sec->entsize, n = 0;
	uint64_t offset = sec->offset;
	size_t next = changes_below(edit, i), end = changes_below(edit, i + 1);
	Elf64_Rela entries[RELOCS_MAX];
	struct relocs relocs;

	if (object_relocs(f->d, f->obj, i, &relocs))
		return -1;
	if (next == end && !names_global(f->obj, &relocs))
		return copy_section(f, sec);
	for (size_t k = 0, step; k < relocs.n; k += step) {
		bool changes = next < end && edit->relocs[next].idx == k;

		step = next == end ? relocs.n - k : 1;
		step = step < RELOCS_MAX - n ? step : RELOCS_MAX - n;
		n += edit_copy_relocs(edit, sec,
				      changes ? &edit->relocs[next] : NULL,
				      (const char *)relocs.entries + k * size,
				      step, (char *)entries + n * size);
		next += changes;
		if (n < RELOCS_MAX && k + step < relocs.n)
			continue;
		if (put_data(f, entries, n * size, type, offset))
			return -1;
		offset += n * size;
		n = 0;
	}
	return 0;
}

/*
 * Does section I of the original have relocations that may change in place? A
 * section at another place is complete.
 */
static bool may_differ(struct filer *f, size_t i, uint64_t offset)
{
	const struct edit *edit = f->edit;

	if (i >= f->obj->nsections ||
	    !section_is_relocs(&f->obj->sections[i]) ||
	    f->obj->sections[i].type == SECTION_CREL ||
	    offset != f->obj->sections[i].offset)
		return false;
	return edit->nlocals > 0 ||
	       changes_below(edit, i) < changes_below(edit, i + 1);
}

static int put_section(struct filer *f, uint32_t i)
{
	Elf_Scn *scn = elf_getscn(f->elf, i);
	Elf_Data *data = scn != NULL ? elf_getdata(scn, NULL) : NULL;
	GElf_Shdr sh;

	if (data == NULL || gelf_getshdr(scn, &sh) == NULL)
		return elf_error(f);
	if (may_differ(f, i, sh.sh_offset))
		return put_relocs(f, i);
	if (sh.sh_type == SHT_NOBITS || sh.sh_type == SHT_NULL ||
	    sh.sh_size == 0)
		return 0;
	if (i < f->obj->nsections) {
		const struct section *sec = &f->obj->sections[i];
		size_t size;

		if (data->d_buf == object_data(f->d, f->obj, i, &size) &&
		    sh.sh_offset == sec->offset)
			return copy_section(f, sec);
	}
	for (; data != NULL; data = elf_getdata(scn, data))
		if (put_data(f, data->d_buf, data->d_size, data->d_type,
			     sh.sh_offset + data->d_off))
			return -1;
	return 0;
}

struct placed {
	uint64_t offset; /* in the copy */
	uint32_t shndx;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->shndx < y->shndx ? -1 : x->shndx > y->shndx;
}

/* Writes zeros to [START, END), as if nothing had been copied there. */
static int clear(struct filer *f, uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t n = end - start < GAP_MAX ? end - start : GAP_MAX;

		if (write_at(f, zeros, n, start))
			return -1;
		start += n;
	}
	return 0;
}

/* Clears what was copied early, and has moved, or become smaller. */
static int clear_early(struct filer *f)
{
	for (size_t i = 1; f->has_early && i < f->obj->nsections; i++) {
		const struct section *sec = &f->obj->sections[i];
		uint64_t end = sec->offset;
		GElf_Shdr sh;

		if (!may_stay(sec))
			continue;
		if (gelf_getshdr(elf_getscn(f->elf, i), &sh) == NULL)
			return elf_error(f);
		if (sh.sh_offset == sec->offset && sh.sh_type != SHT_NOBITS)
			end += sh.sh_size;
		if (clear(f, end, sec->offset + sec->size))
			return -1;
	}
	return 0;
}

/* Text and its relocations are far apart in the file, but have near numbers. */
static int put_sections(struct filer *f, size_t n)
{
	struct placed *placed = calloc(n, sizeof(placed[0]));
	int ret = 0;

	if (placed == NULL)
		return diag_nomem(f->d, f->path);
	for (size_t i = 1; i < n && ret == 0; i++) {
		GElf_Shdr sh;

		if (gelf_getshdr(elf_getscn(f->elf, i), &sh) == NULL)
			ret = elf_error(f);
		else
			placed[i] = (struct placed){ sh.sh_offset, i };
	}
	qsort(placed + 1, n - 1, sizeof(placed[0]), compare_placed);
	for (size_t i = 1; i < n && ret == 0; i++)
		ret = put_section(f, placed[i].shndx);
	free(placed);
	return ret == 0 ? copy_due(f) || flush(f) || clear_early(f) : -1;
}

static void set_header(const struct filer *f, void *headers, size_t i,
		       const GElf_Shdr *sh)
{
	if (f->obj->is_64)
		((Elf64_Shdr *)headers)[i] = *sh;
	else
		((Elf32_Shdr *)headers)[i] =
			(Elf32_Shdr){ sh->sh_name,	sh->sh_type,
				      sh->sh_flags,	sh->sh_addr,
				      sh->sh_offset,	sh->sh_size,
				      sh->sh_link,	sh->sh_info,
				      sh->sh_addralign, sh->sh_entsize };
}

static int put_section_headers(struct filer *f, size_t n, uint64_t offset)
{
	size_t size = gelf_fsize(f->elf, ELF_T_SHDR, n, EV_CURRENT);
	void *headers = calloc(1, size);
	int ret = 0;

	if (headers == NULL)
		return diag_nomem(f->d, f->path);
	for (size_t i = 0; i < n; i++) {
		GElf_Shdr sh;

		if (gelf_getshdr(elf_getscn(f->elf, i), &sh) == NULL) {
			ret = elf_error(f);
			break;
		}
		/* libelf aligns compressed data for this host. */
		if (i < f->obj->nsections)
			sh.sh_addralign = f->obj->sections[i].align;
		set_header(f, headers, i, &sh);
	}
	if (ret == 0)
		ret = put_data(f, headers, size, ELF_T_SHDR, offset);
	free(headers);
	return ret;
}

/* The gABI sets the place of each header. That of the file is at its start. */
static int put_header(struct filer *f)
{
	void *ehdr = f->obj->is_64 ? (void *)elf64_getehdr(f->elf)
				   : (void *)elf32_getehdr(f->elf);

	if (ehdr == NULL)
		return elf_error(f);
	return put_data(f, ehdr, gelf_fsize(f->elf, ELF_T_EHDR, 1, EV_CURRENT),
			ELF_T_EHDR, 0);
}

/* --- What is copied early ----------------------------------------------- */

static int copy_all_early(struct filer *f, struct placed *placed)
{
	const struct section *sections = f->obj->sections;
	size_t n = 0;

	for (size_t i = 1; i < f->obj->nsections; i++)
		if (may_stay(&sections[i]))
			placed[n++] = (struct placed){ sections[i].offset, i };
	qsort(placed, n, sizeof(placed[0]), compare_placed);
	for (size_t i = 0; i < n; i++)
		if (copy_section(f, &sections[placed[i].shndx]))
			return -1;
	return copy_due(f) || flush(f);
}

/* Whatever fails: edit_write copies all again, and says what is wrong. */
static void copy_early(void *ctx)
{
	struct early_copy *early = ctx;
	struct diag quiet = { .sink = diag_ignore };
	struct filer f = { .d = &quiet, .obj = early->obj, .fd = early->fd };
	struct placed *placed = calloc(f.obj->nsections, sizeof(placed[0]));

	f.piece = malloc(PIECE_SIZE);
	early->is_whole = placed != NULL && f.piece != NULL &&
			  edit_check(&quiet, f.obj) == 0 &&
			  copy_all_early(&f, placed) == 0;
	free(placed);
	free(f.piece);
}

void edit_begin_copy(struct edit *edit, int fd)
{
	struct early_copy *early = &edit->early;

	*early = (struct early_copy){ .obj = edit->obj, .fd = fd };
	parallel_begin(&early->task, edit->obj->file_size, copy_early, early);
}

/* Takes what was copied early, if all of it is there, or removes it. */
static int take_early(struct filer *f, struct early_copy *early)
{
	if (!early->task.is_begun)
		return 0;
	parallel_wait(&early->task);
	f->has_early = early->is_whole && early->obj == f->obj;
	return f->has_early || ftruncate(f->fd, 0) == 0 ? 0 : write_error(f);
}

int edit_put(struct diag *d, struct edit *edit, Elf *elf, struct output *out)
{
	const struct object *obj = edit->obj;
	struct filer f = { .d = d,
			   .edit = edit,
			   .obj = obj,
			   .elf = elf,
			   .fd = fileno(out->stream),
			   .path = out->path };
	GElf_Ehdr ehdr;
	size_t n;
	int ret = -1;

	if (take_early(&f, &edit->early))
		return -1;
	/* Fills in what headers say of the file itself. */
	if (elf_update(elf, ELF_C_NULL) < 0 || elf_getshdrnum(elf, &n) != 0 ||
	    gelf_getehdr(elf, &ehdr) == NULL)
		return elf_error(&f);
	f.piece = malloc(PIECE_SIZE);
	if (f.piece == NULL)
		return diag_nomem(d, f.path);
	if (put_header(&f) == 0 && put_sections(&f, n) == 0 &&
	    put_section_headers(&f, n, ehdr.e_shoff) == 0)
		ret = flush(&f);
	free(f.piece);
	return ret;
}
