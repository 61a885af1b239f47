/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads cores without libelf: a core may be larger than memory, and /proc/kcore
 * cannot be mapped.
 */
#include <config.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/search.h"
#include "core.h"

struct reader {
	struct diag *d;
	struct core *core;
};

static int malformed(const struct reader *rd, const char *what)
{
	if (rd->core->error != 0)
		return core_confirm(rd->d, rd->core);
	return diag_file(rd->d, rd->core->path, "malformed", "a core: %s",
			 what);
}

static int not_elf(const struct reader *rd)
{
	if (rd->core->error != 0)
		return core_confirm(rd->d, rd->core);
	return diag_file(rd->d, rd->core->path, "not-elf",
			 "is not a core: not an ELF file");
}

/* All of them, or false. */
static bool read_at(struct core *core, uint64_t offset, void *to, size_t size)
{
	char *at = to;

	while (size > 0) {
		ssize_t n = offset > INT64_MAX
				    ? -1
				    : pread(core->fd, at, size, offset);

		if (n < 0 && errno == EINTR && offset <= INT64_MAX)
			continue;
		/* Nobody may read some of a machine's memory. */
		if (n < 0 && offset <= INT64_MAX && !core->is_live)
			core->error = errno;
		if (n <= 0)
			return false;
		at += n;
		offset += n;
		size -= n;
	}
	return true;
}

static uint64_t get(const struct core *core, const uint8_t *bytes, unsigned n)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < n; i++)
		value |= (uint64_t)bytes[i]
			 << 8 * (core->is_big_endian ? n - 1 - i : i);
	return value;
}

/* --- Notes --------------------------------------------------------------- */

#define NOTES_MAX (16u << 20)

/* AT_ENTRY shows where the kernel loaded a position-independent program. */
static void read_auxv(struct core *core, const uint8_t *desc, size_t size)
{
	unsigned word = core->is_64 ? 8 : 4;

	for (size_t at = 0; size - at >= 2 * word; at += 2 * word)
		if (get(core, desc + at, word) == AT_ENTRY) {
			core->has_entry = true;
			core->entry = get(core, desc + at + word, word);
		}
}

/* "KERNELOFFSET=HEX\n", among lines of text. */
static void read_vmcoreinfo(struct core *core, const uint8_t *desc, size_t size)
{
	static const char key[] = "KERNELOFFSET=";
	size_t n = sizeof(key) - 1;

	for (size_t at = 0; at + n < size; at++) {
		if (memcmp(desc + at, key, n) != 0)
			continue;
		core->has_offset = true;
		core->offset = 0;
		for (at += n; at < size; at++) {
			char c = desc[at] | 0x20;

			if (c >= '0' && c <= '9')
				core->offset = core->offset << 4 | (c - '0');
			else if (c >= 'a' && c <= 'f')
				core->offset = core->offset << 4 |
					       (c - 'a' + 10);
			else
				return;
		}
	}
}

/*
 * The note begins with two words, the number of files and the size of a page.
 * Three words for each file follow.
 */
static int read_files(const struct reader *rd, const uint8_t *desc, size_t size)
{
	struct core *core = rd->core;
	unsigned word = core->is_64 ? 8 : 4;
	uint64_t n, page;

	if (size < 2 * word || core->mappings != NULL)
		return 0;
	n = get(core, desc, word);
	page = get(core, desc + word, word);
	if (n > (size - 2 * word) / (3 * word))
		return 0;
	core->mappings = calloc(n + 1, sizeof(core->mappings[0]));
	if (core->mappings == NULL)
		return diag_nomem(rd->d, core->path);
	for (; core->nmappings < n; core->nmappings++) {
		const uint8_t *at = desc + (2 + 3 * core->nmappings) * word;

		core->mappings[core->nmappings] = (struct core_mapping){
			get(core, at, word),
			get(core, at + word, word),
			get(core, at + 2 * word, word) * page,
		};
	}
	return 0;
}

static int read_notes(const struct reader *rd, const uint8_t *bytes,
		      size_t size)
{
	struct core *core = rd->core;

	for (size_t at = 0; size - at >= 12;) {
		uint64_t name = get(core, bytes + at, 4);
		uint64_t desc = get(core, bytes + at + 4, 4);
		uint64_t type = get(core, bytes + at + 8, 4);
		size_t left = size - at - 12;
		const uint8_t *start = bytes + at + 12;
		uint64_t skip = (name + 3) & ~(uint64_t)3;

		if (skip > left || desc > left - skip)
			return 0;
		if (type == NT_AUXV && name == 5 &&
		    memcmp(start, "CORE", 5) == 0)
			read_auxv(core, start + skip, desc);
		if (type == NT_FILE && name == 5 &&
		    memcmp(start, "CORE", 5) == 0 &&
		    read_files(rd, start + skip, desc))
			return -1;
		if (name == sizeof("VMCOREINFO") &&
		    memcmp(start, "VMCOREINFO", name) == 0)
			read_vmcoreinfo(core, start + skip, desc);
		skip += (desc + 3) & ~(uint64_t)3;
		if (skip > left)
			break;
		at += 12 + skip;
	}
	return 0;
}

static int add_notes(const struct reader *rd, uint64_t offset, uint64_t size)
{
	uint8_t *bytes;
	int ret = 0;

	/* Notes that are this long contain nothing that is needed here. */
	if (size > NOTES_MAX)
		size = NOTES_MAX;
	bytes = malloc(size + 1);
	if (bytes == NULL)
		return diag_nomem(rd->d, rd->core->path);
	if (read_at(rd->core, offset, bytes, size))
		ret = read_notes(rd, bytes, size);
	free(bytes);
	return ret;
}

/* --- Headers ------------------------------------------------------------- */

static int add_range(const struct reader *rd, struct core_range range)
{
	struct core *core = rd->core;
	struct core_range *ranges =
		grow_list(core->ranges, core->nranges, sizeof(ranges[0]));

	if (ranges == NULL)
		return diag_nomem(rd->d, core->path);
	core->ranges = ranges;
	ranges[core->nranges++] = range;
	return 0;
}

static int read_segment(const struct reader *rd, const uint8_t *ph)
{
	struct core *core = rd->core;
	unsigned word = core->is_64 ? 8 : 4;
	const uint8_t *words = ph + word; /* behind type and flags, or type */
	uint64_t type = get(core, ph, 4);
	uint64_t offset = get(core, words, word);
	uint64_t size = get(core, words + 3 * word, word);

	if (type == PT_NOTE)
		return add_notes(rd, offset, size);
	if (type != PT_LOAD || size == 0)
		return 0;
	return add_range(rd,
			 (struct core_range){
				 .addr = { get(core, words + word, word),
					   get(core, words + 2 * word, word) },
				 .offset = offset,
				 .size = size });
}

/* The number of program headers. If it is PN_XNUM, section header 0 has it. */
static uint64_t count_segments(struct core *core, const uint8_t *header)
{
	uint64_t n = get(core, header + (core->is_64 ? 56 : 44), 2);
	uint64_t shoff = core->is_64 ? get(core, header + 40, 8)
				     : get(core, header + 32, 4);
	uint8_t info[4];

	if (n == PN_XNUM && shoff != 0 &&
	    read_at(core, shoff + (core->is_64 ? 44 : 28), info, 4))
		n = get(core, info, 4);
	return n;
}

static int read_headers(const struct reader *rd)
{
	struct core *core = rd->core;
	uint8_t header[sizeof(Elf64_Ehdr)] = { 0 };
	uint8_t ph[sizeof(Elf64_Phdr)];
	size_t size;
	uint64_t at, n;

	if (!read_at(core, 0, header, sizeof(Elf32_Ehdr)) ||
	    memcmp(header, ELFMAG, SELFMAG) != 0)
		return not_elf(rd);
	core->is_64 = header[EI_CLASS] == ELFCLASS64;
	core->is_big_endian = header[EI_DATA] == ELFDATA2MSB;
	core->machine = get(core, header + 18, 2);
	if (core->is_64 && !read_at(core, 0, header, sizeof(header)))
		return malformed(rd, "it is truncated");
	if (get(core, header + 16, 2) != ET_CORE)
		return diag_file(
			rd->d, core->path, "wrong-type",
			"is not a core (ET_CORE): make one with gcore, "
			"or dump-guest-memory of QEMU");
	size = core->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	at = core->is_64 ? get(core, header + 32, 8)
			 : get(core, header + 28, 4);
	n = count_segments(core, header);
	for (uint64_t i = 0; i < n; i++, at += size) {
		if (!read_at(core, at, ph, size))
			return malformed(rd, "its program headers are past "
					     "the end of the file");
		if (read_segment(rd, ph))
			return -1;
	}
	if (core->nranges == 0)
		return malformed(rd, "it holds no memory");
	return 0;
}

static int compare_virtual(const void *a, const void *b)
{
	const struct core_range *x = *(const struct core_range *const *)a;
	const struct core_range *y = *(const struct core_range *const *)b;

	return x->addr[0] < y->addr[0] ? -1 : x->addr[0] > y->addr[0];
}

static int compare_physical(const void *a, const void *b)
{
	const struct core_range *x = *(const struct core_range *const *)a;
	const struct core_range *y = *(const struct core_range *const *)b;

	return x->addr[1] < y->addr[1] ? -1 : x->addr[1] > y->addr[1];
}

/* There may be as many as a process has mappings. */
static int sort_ranges(const struct reader *rd)
{
	struct core *core = rd->core;

	for (int space = 0; space < 2; space++) {
		core->sorted[space] = malloc((core->nranges + 1) *
					     sizeof(core->sorted[0][0]));
		if (core->sorted[space] == NULL)
			return diag_nomem(rd->d, core->path);
		for (size_t i = 0; i < core->nranges; i++)
			core->sorted[space][i] = &core->ranges[i];
		qsort(core->sorted[space], core->nranges,
		      sizeof(core->sorted[0][0]),
		      space == CORE_VIRTUAL ? compare_virtual
					    : compare_physical);
	}
	return 0;
}

/* What is in /proc is another at each look. */
static bool is_live(const struct stat *st)
{
	struct stat proc;

	return stat("/proc", &proc) == 0 && proc.st_dev == st->st_dev;
}

static bool is_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

int core_confirm(struct diag *d, const struct core *core)
{
	struct stat st;

	if (core->error != 0)
		return diag_file(d, core->path, "cannot-read",
				 "cannot read: %s", strerror(core->error));
	if (core->is_live ||
	    (fstat(core->fd, &st) == 0 && st.st_size == core->was.st_size &&
	     is_time(&st.st_mtim, &core->was.st_mtim) &&
	     is_time(&st.st_ctim, &core->was.st_ctim)))
		return 0;
	return diag_file(d, core->path, "cannot-read",
			 "the file changed while it was read");
}

int core_open(struct diag *d, const char *path, struct core *core)
{
	struct reader rd = { .d = d, .core = core };
	struct stat st;

	*core = (struct core){ .path = path };
	core->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (core->fd < 0)
		return diag_file(d, path, "cannot-read", "cannot open: %s",
				 strerror(errno));
	if (fstat(core->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return diag_file(d, path, "cannot-read", "not a regular file");
	core->was = st;
	core->is_live = is_live(&st);
	return read_headers(&rd) || sort_ranges(&rd) ? -1 : 0;
}

void core_close(struct core *core)
{
	if (core->path != NULL && core->fd >= 0)
		close(core->fd);
	free(core->ranges);
	free(core->mappings);
	free(core->sorted[CORE_VIRTUAL]);
	free(core->sorted[CORE_PHYSICAL]);
	*core = (struct core){ .fd = -1 };
}

/* --- Memory -------------------------------------------------------------- */

static bool holds(const struct core_range *range, enum core_space space,
		  uint64_t addr)
{
	return addr - range->addr[space] < range->size;
}

/* The range with ADDR, or NULL. */
static const struct core_range *find_range(const struct core *core,
					   enum core_space space, uint64_t addr)
{
	const struct core_range *const *sorted = core->sorted[space];
	size_t i;

	LOWER_BOUND(i, core->nranges, sorted[i]->addr[space] <= addr);
	return i > 0 && holds(sorted[i - 1], space, addr) ? sorted[i - 1]
							  : NULL;
}

bool core_read(struct core *core, enum core_space space, uint64_t addr,
	       uint8_t *bytes, size_t size)
{
	if (!core->is_64)
		addr = (uint32_t)addr;
	while (size > 0) {
		const struct core_range *range = find_range(core, space, addr);
		uint64_t start, n;

		if (range == NULL)
			return false;
		start = addr - range->addr[space];
		n = range->size - start < size ? range->size - start : size;
		if (!read_at(core, range->offset + start, bytes, n))
			return false;
		bytes += n;
		addr += n;
		size -= n;
	}
	return true;
}

bool core_maps(const struct core *core, uint64_t addr, uint64_t size,
	       uint64_t offset)
{
	for (size_t i = 0; i < core->nmappings; i++) {
		const struct core_mapping *m = &core->mappings[i];

		if (addr >= m->start && addr < m->end &&
		    size <= m->end - addr &&
		    addr - m->start + m->offset == offset)
			return true;
	}
	return false;
}

/*
 * A range of /proc/kcore without a physical address is one of addresses, not of
 * memory. It has terabytes, nearly all of them empty.
 */
static bool is_memory(const struct core *core, const struct core_range *range)
{
	return range->addr[CORE_PHYSICAL] !=
	       (core->is_64 ? UINT64_MAX : UINT32_MAX);
}

#define PIECE ((size_t)1 << 20)

bool core_find(struct core *core, const uint8_t *bytes, size_t size,
	       size_t *range, uint64_t *offset, uint64_t *at)
{
	uint8_t *piece = malloc(PIECE + CORE_WINDOW);
	bool is_found = false;

	while (piece != NULL && !is_found && *range < core->nranges) {
		const struct core_range *r = &core->ranges[*range];
		uint64_t left = *offset < r->size ? r->size - *offset : 0;
		size_t n = left < PIECE + size ? left : PIECE + size;
		const uint8_t *found = NULL;

		/* What was cut off of a core is not there. */
		if (n < size || !is_memory(core, r) ||
		    !read_at(core, r->offset + *offset, piece, n)) {
			++*range;
			*offset = 0;
			continue;
		}
		found = memmem(piece, n, bytes, size);
		is_found = found != NULL;
		*at = *offset + (is_found ? found - piece : 0);
		*offset = is_found ? *at + 1 : *offset + PIECE;
	}
	free(piece);
	return is_found;
}
