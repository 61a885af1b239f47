/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/grow.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf-bytes.h"
#include "flash.h"
#include "object.h"
#include "pe.h"

/* The number of program headers that an ELF file can have without PN_XNUM. */
#define PIECES_MAX 0xff00

struct flasher {
	struct diag *d;
	const char *path;
	struct flash *flash;
};

static int malformed(const struct flasher *f, const char *what, uint64_t line)
{
	if (line > 0)
		return diag_file(f->d, f->path, "malformed",
				 "%s, line %" PRIu64 ": %s", f->flash->format,
				 line, what);
	return diag_file(f->d, f->path, "malformed", "%s: %s", f->flash->format,
			 what);
}

int flash_refuse_base(struct diag *d, const char *path, const char *format,
		      const struct flash_options *options)
{
	if (!options->has_base || options->is_default)
		return 0;
	return diag_report(d, SEVERITY_TROUBLE, &(struct place){ .file = path },
			   "image-base", "leave --image-base out",
			   "%s says itself where it is loaded", format);
}

static int add_piece(const struct flasher *f, struct flash_piece piece)
{
	struct flash *flash = f->flash;
	struct flash_piece *pieces =
		grow_list(flash->pieces, flash->npieces, sizeof(pieces[0]));

	if (pieces == NULL)
		return diag_nomem(f->d, f->path);
	flash->pieces = pieces;
	if (piece.size > UINT64_MAX - piece.addr)
		return malformed(f, "it wraps around the address space", 0);
	pieces[flash->npieces++] = piece;
	return 0;
}

/* --- Intel HEX and S-record: bytes of memory in lines of digits -------- */

struct record {
	unsigned type;
	uint64_t addr;
	const uint8_t *data;
	unsigned size;
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#define LINE_MAX_BYTES 260

/*
 * The bytes that the digits at LINE spell. Returns 0 if another character is
 * among them.
 */
static unsigned read_digits(const char *line, size_t length,
			    uint8_t bytes[LINE_MAX_BYTES])
{
	if (length % 2 != 0 || length / 2 > LINE_MAX_BYTES)
		return 0;
	for (size_t i = 0; i < length; i += 2) {
		int high = digit(line[i]), low = digit(line[i + 1]);

		if (high < 0 || low < 0)
			return 0;
		bytes[i / 2] = high << 4 | low;
	}
	return length / 2;
}

static uint8_t sum(const uint8_t *bytes, unsigned n)
{
	uint8_t total = 0;

	for (unsigned i = 0; i < n; i++)
		total += bytes[i];
	return total;
}

static uint64_t big_endian(const uint8_t *bytes, unsigned n)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < n; i++)
		value = value << 8 | bytes[i];
	return value;
}

/*
 * Adds bytes at ADDR. If they continue the piece before, they become part of
 * it.
 */
static int add_data(const struct flasher *f, size_t *used, uint64_t addr,
		    const uint8_t *data, unsigned size)
{
	struct flash *flash = f->flash;
	struct flash_piece *last = NULL;

	if (size == 0)
		return 0;
	/* Behind what was read: two digits make a byte. */
	memcpy(flash->bytes + *used, data, size);
	*used += size;
	if (flash->npieces > 0)
		last = &flash->pieces[flash->npieces - 1];
	if (last != NULL && last->addr + last->size == addr) {
		last->size += size;
		return 0;
	}
	return add_piece(f, (struct flash_piece){ .addr = addr,
						  .at = *used - size,
						  .size = size,
						  .is_code = true,
						  .is_writable = true });
}

struct text_state {
	size_t used;
	uint64_t upper; /* Intel HEX: what is added to addresses */
	bool is_over;
};

/* BYTES are length, address, type, data, checksum. */
static const char *read_hex_line(const struct flasher *f, const uint8_t *bytes,
				 unsigned n, struct text_state *state,
				 int *failed)
{
	unsigned size = n >= 5 ? bytes[0] : 0;

	if (n < 5 || n != size + 5)
		return "it is not as long as it says";
	if (sum(bytes, n) != 0)
		return "its checksum is wrong";
	switch (bytes[3]) {
	case 0:
		*failed = add_data(f, &state->used,
				   state->upper + big_endian(bytes + 1, 2),
				   bytes + 4, size);
		return NULL;
	case 1:
		state->is_over = true;
		return NULL;
	case 2:
	case 4:
		if (size != 2)
			return "an address of another length";
		state->upper = big_endian(bytes + 4, 2)
			       << (bytes[3] == 2 ? 4 : 16);
		return NULL;
	case 3:
	case 5: /* where to start */
		return NULL;
	default:
		return "a record of unknown type";
	}
}

/* BYTES are length, address, data, checksum. */
static const char *read_srec_line(const struct flasher *f, char type,
				  const uint8_t *bytes, unsigned n,
				  struct text_state *state, int *failed)
{
	unsigned width = type - '0' + 1;

	if (n < 3 || n != bytes[0] + 1u)
		return "it is not as long as it says";
	if (sum(bytes, n) != 0xff)
		return "its checksum is wrong";
	if (type >= '7' && type <= '9')
		state->is_over = true;
	if (type < '1' || type > '3')
		return type >= '0' && type <= '9' ? NULL
						  : "a record of unknown type";
	if (n < 2 + width)
		return "it is too short for its address";
	*failed = add_data(f, &state->used, big_endian(bytes + 1, width),
			   bytes + 1 + width, n - 2 - width);
	return NULL;
}

/* Reads the lines of a file in FORMAT. Each begins with the same character. */
static int read_lines(const struct flasher *f, bool is_hex)
{
	struct flash *flash = f->flash;
	struct text_state state = { 0 };
	uint64_t number = 0;
	size_t at = 0;

	flash->has_narrow_addrs = true;
	while (at < flash->size) {
		const char *line = (const char *)flash->bytes + at;
		const char *end = memchr(line, '\n', flash->size - at);
		size_t length = end != NULL ? (size_t)(end - line)
					    : flash->size - at;
		unsigned skip = is_hex ? 1 : 2, n;
		uint8_t bytes[LINE_MAX_BYTES];
		const char *wrong;
		int failed = 0;

		at += length + 1;
		number++;
		while (length > 0 &&
		       (line[length - 1] == '\r' || line[length - 1] == ' '))
			length--;
		if (length == 0)
			continue;
		if (state.is_over)
			return malformed(f, "a line behind the end", number);
		n = length > skip && line[0] == (is_hex ? ':' : 'S')
			    ? read_digits(line + skip, length - skip, bytes)
			    : 0;
		if (n == 0)
			return malformed(f, "it is not a record", number);
		/* What is written stays behind what is read. */
		wrong = is_hex ? read_hex_line(f, bytes, n, &state, &failed)
			       : read_srec_line(f, line[1], bytes, n, &state,
						&failed);
		if (wrong != NULL)
			return malformed(f, wrong, number);
		if (failed)
			return -1;
	}
	if (!state.is_over)
		return malformed(f, "no record ends it: it is truncated", 0);
	flash->size = state.used;
	return 0;
}

/* --- PE ----------------------------------------------------------------- */

static int add_pe_section(const struct flasher *f, const struct pe *pe,
			  size_t i, uint64_t base)
{
	struct pe_section sec;
	const char *wrong = pe_section(pe, i, &sec);

	if (wrong != NULL)
		return malformed(f, wrong, 0);
	if (!sec.is_loaded || sec.file_size == 0)
		return 0;
	return add_piece(
		f, (struct flash_piece){ .addr = base + sec.rva,
					 .at = sec.offset,
					 .size = sec.file_size,
					 .is_code = sec.is_code,
					 .is_writable = sec.is_writable });
}

static int read_pe(const struct flasher *f, const struct flash_options *options)
{
	struct flash *flash = f->flash;
	struct pe pe;
	const char *wrong = pe_open(flash->bytes, flash->size, &pe);

	if (wrong != NULL)
		return malformed(f, wrong, 0);
	arch_pe_machine(pe.machine, &flash->machine, &flash->is_64);
	for (size_t i = 0; i < pe.nsections; i++)
		if (add_pe_section(f, &pe, i,
				   options->has_base ? options->base : pe.base))
			return -1;
	return 0;
}

/* --- ELF ---------------------------------------------------------------- */

bool flash_has_physical(Elf *elf)
{
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &ph) != NULL && ph.p_type == PT_LOAD &&
		    ph.p_paddr != 0)
			return true;
	return false;
}

/*
 * The segments that a boot loader puts into physical memory. They may run
 * elsewhere.
 */
static int read_elf(const struct flasher *f)
{
	struct flash *flash = f->flash;
	struct object obj = { 0 };
	size_t n = 0;
	GElf_Phdr ph;
	bool is_physical;
	int ret = object_open_memory(f->d, f->path, flash->bytes, flash->size,
				     &obj);

	if (ret == 0 && elf_getphdrnum(obj.elf, &n) != 0)
		ret = malformed(f, "it has no segments", 0);
	is_physical = ret == 0 && flash_has_physical(obj.elf);
	for (size_t i = 0; ret == 0 && i < n; i++) {
		if (gelf_getphdr(obj.elf, i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_filesz == 0)
			continue;
		if (ph.p_offset > flash->size ||
		    ph.p_filesz > flash->size - ph.p_offset)
			ret = malformed(
				f, "a segment is past the end of the file", 0);
		else
			ret = add_piece(
				f, (struct flash_piece){
					   .addr = is_physical ? ph.p_paddr
							       : ph.p_vaddr,
					   .at = ph.p_offset,
					   .size = ph.p_filesz,
					   .is_code = ph.p_flags & PF_X,
					   .is_writable = (ph.p_flags & PF_W) !=
							  0 });
	}
	object_close(&obj);
	return ret;
}

/* ------------------------------------------------------------------------ */

static bool may_join(const struct flash_piece *a, const struct flash_piece *b)
{
	return a->addr + a->size == b->addr && a->at + a->size == b->at &&
	       a->is_code == b->is_code && a->is_writable == b->is_writable;
}

/*
 * Puts the bytes into the order of the pieces. The lines of a file may be in
 * any order.
 */
static int order_bytes(const struct flasher *f)
{
	struct flash *flash = f->flash;
	uint8_t *bytes = malloc(flash->size + 1);
	size_t at = 0;

	if (bytes == NULL)
		return diag_nomem(f->d, f->path);
	for (size_t i = 0; i < flash->npieces; i++) {
		struct flash_piece *piece = &flash->pieces[i];

		memcpy(bytes + at, flash->bytes + piece->at, piece->size);
		piece->at = at;
		at += piece->size;
	}
	free(flash->bytes);
	flash->bytes = bytes;
	return 0;
}

static int limit_pieces(const struct flasher *f)
{
	return f->flash->npieces > PIECES_MAX
		       ? malformed(f, "it is in too many pieces", 0)
		       : 0;
}

/* Sorts the pieces by address, and joins pieces that touch. */
static int sort_pieces(const struct flasher *f)
{
	struct flash *flash = f->flash;
	size_t n = 0;

	if (flash->npieces == 0)
		return malformed(f, "it holds no bytes", 0);
	qsort(flash->pieces, flash->npieces, sizeof(flash->pieces[0]),
	      sort_compare_numbers);
	if (flash->has_narrow_addrs && order_bytes(f))
		return -1;
	for (size_t i = 0; i < flash->npieces; i++) {
		struct flash_piece *last = flash->pieces + n - 1;
		const struct flash_piece *next = &flash->pieces[i];

		if (n > 0 && next->addr - last->addr < last->size)
			return diag_file(
				f->d, f->path, "malformed",
				"%s: two of its pieces are at 0x%" PRIx64,
				flash->format, next->addr);
		if (n > 0 && may_join(last, next))
			last->size += next->size;
		else
			flash->pieces[n++] = *next;
	}
	flash->npieces = n;
	return limit_pieces(f);
}

int flash_read(struct diag *d, const char *path, uint8_t *bytes, size_t size,
	       const struct flash_options *options, struct flash *flash)
{
	struct flasher f = { .d = d, .path = path, .flash = flash };
	int failed;

	*flash = (struct flash){ .bytes = bytes, .size = size };
	if (size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0) {
		flash->format = "ELF";
		failed = flash_refuse_base(d, path, flash->format, options) ||
			 read_elf(&f);
	} else if (pe_is_one(bytes, size)) {
		flash->format = "PE";
		flash->runs_in_place = true;
		failed = read_pe(&f, options);
	} else if (size > 10 && bytes[0] == ':' && digit(bytes[1]) >= 0) {
		flash->format = "Intel HEX";
		failed = flash_refuse_base(d, path, flash->format, options) ||
			 read_lines(&f, true);
	} else if (size > 8 && bytes[0] == 'S' && bytes[1] >= '0' &&
		   bytes[1] <= '9' && digit(bytes[2]) >= 0) {
		flash->format = "S-record";
		failed = flash_refuse_base(d, path, flash->format, options) ||
			 read_lines(&f, false);
	} else if (options->has_base) {
		flash->format = "raw image";
		failed = add_piece(&f,
				   (struct flash_piece){ .addr = options->base,
							 .size = size,
							 .is_code = true,
							 .is_writable = true });
	} else {
		return 0;
	}
	return failed ? -1 : sort_pieces(&f);
}

void flash_free(struct flash *flash)
{
	free(flash->bytes);
	free(flash->pieces);
	*flash = (struct flash){ 0 };
}

const uint8_t *flash_run(const struct flash *flash, uint64_t addr, size_t *n)
{
	const struct flash_piece *piece;
	uint64_t left;
	size_t i;

	LOWER_BOUND(i, flash->npieces, flash->pieces[i].addr <= addr);
	if (i > 0) {
		piece = &flash->pieces[i - 1];
		if (addr - piece->addr < piece->size) {
			left = piece->size - (addr - piece->addr);
			*n = left < *n ? left : *n;
			return flash->bytes + piece->at + (addr - piece->addr);
		}
	}
	left = i < flash->npieces ? flash->pieces[i].addr - addr : *n;
	*n = left < *n ? left : *n;
	return NULL;
}

/* Reads segment INDEX. Returns false if FLASH cannot have bytes of it. */
static bool get_segment(const struct flash *flash, const struct object *image,
			bool is_physical, size_t index, GElf_Phdr *ph)
{
	if (gelf_getphdr(image->elf, index, ph) == NULL ||
	    ph->p_type != PT_LOAD || ph->p_filesz == 0)
		return false;
	if (!is_physical)
		ph->p_paddr = ph->p_vaddr;
	/* Of 0xffffffff80100000, objcopy writes the low 32 bits. */
	if (flash->has_narrow_addrs)
		ph->p_paddr = (uint32_t)ph->p_paddr;
	return ph->p_filesz <= UINT64_MAX - ph->p_paddr &&
	       ph->p_filesz <= UINT64_MAX - ph->p_vaddr;
}

/*
 * Adds the bytes of the segment that FLASH has to MOVED, and marks their pieces
 * as USED.
 */
static int move_segment(const struct flasher *moved, const struct flash *flash,
			const GElf_Phdr *ph, bool *used)
{
	uint64_t end = ph->p_paddr + ph->p_filesz;
	size_t i;

	LOWER_BOUND(i, flash->npieces,
		    flash->pieces[i].addr + flash->pieces[i].size <=
			    ph->p_paddr);
	for (; i < flash->npieces && flash->pieces[i].addr < end; i++) {
		struct flash_piece part = flash->pieces[i];
		uint64_t skip =
			part.addr < ph->p_paddr ? ph->p_paddr - part.addr : 0;

		used[i] = true;
		part.addr += skip;
		part.at += skip;
		part.size -= skip;
		if (part.size > end - part.addr)
			part.size = end - part.addr;
		part.addr += ph->p_vaddr - ph->p_paddr;
		part.is_code = ph->p_flags & PF_X;
		part.is_writable = (ph->p_flags & PF_W) != 0;
		if (add_piece(moved, part))
			return -1;
	}
	return limit_pieces(moved);
}

static int move_pieces(const struct flasher *moved, const struct flash *flash,
		       const struct object *image, bool *used)
{
	bool is_physical = flash_has_physical(image->elf);
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(image->elf, &n) != 0)
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (get_segment(flash, image, is_physical, i, &ph) &&
		    move_segment(moved, flash, &ph, used))
			return -1;
	for (size_t i = 0; i < flash->npieces; i++)
		if (!used[i] && add_piece(moved, flash->pieces[i]))
			return -1;
	return limit_pieces(moved);
}

int flash_move(struct diag *d, const char *path, struct flash *flash,
	       const struct object *image)
{
	struct flash moved = { .format = flash->format };
	struct flasher f = { .d = d, .path = path, .flash = &moved };
	bool *used = calloc(flash->npieces + 1, sizeof(used[0]));
	int ret = used != NULL ? move_pieces(&f, flash, image, used)
			       : diag_nomem(d, path);

	if (ret == 0) {
		qsort(moved.pieces, moved.npieces, sizeof(moved.pieces[0]),
		      sort_compare_numbers);
		free(flash->pieces);
		flash->pieces = moved.pieces;
		flash->npieces = moved.npieces;
		moved.pieces = NULL;
	}
	free(moved.pieces);
	free(used);
	return ret;
}

/* --- As ELF ------------------------------------------------------------- */

static void put_header(struct elf_bytes *w, const struct arch *arch,
		       size_t nsegments)
{
	elf_bytes_header(
		w, &(GElf_Ehdr){ .e_type = ET_EXEC,
				 .e_machine = arch->machine,
				 .e_phoff = arch->is_64 ? sizeof(Elf64_Ehdr)
							: sizeof(Elf32_Ehdr),
				 .e_flags = arch->flags,
				 .e_phnum = nsegments });
}

static void put_segment(struct elf_bytes *w, const struct flash_piece *piece,
			uint64_t offset)
{
	uint32_t flags = PF_R | (piece->is_code ? PF_X : 0) |
			 (piece->is_writable ? PF_W : 0);

	elf_bytes_segment(w, &(GElf_Phdr){ .p_type = PT_LOAD,
					   .p_flags = flags,
					   .p_offset = offset,
					   .p_vaddr = piece->addr,
					   .p_paddr = piece->addr,
					   .p_filesz = piece->size,
					   .p_memsz = piece->size,
					   .p_align = 1 });
}

bool flash_make_elf(const struct flash *flash, const struct arch *arch,
		    uint8_t **bytes, size_t *size)
{
	const struct flash_piece *last = &flash->pieces[flash->npieces - 1];
	struct elf_bytes w = { .is_64 = arch->is_64,
			       .is_big_endian = arch->is_big_endian };
	size_t headers = arch->is_64
				 ? sizeof(Elf64_Ehdr) +
					   flash->npieces * sizeof(Elf64_Phdr)
				 : sizeof(Elf32_Ehdr) +
					   flash->npieces * sizeof(Elf32_Phdr);

	/* So that no word of the image loses its alignment. */
	headers = (headers + 15) & ~(size_t)15;
	*bytes = NULL;
	if (!arch->is_64 && last->addr + last->size > (uint64_t)1 << 32)
		return false;
	*size = headers + flash->size;
	*bytes = calloc(*size, 1);
	if (*bytes == NULL)
		return true;
	w.at = *bytes;
	put_header(&w, arch, flash->npieces);
	for (size_t i = 0; i < flash->npieces; i++)
		put_segment(&w, &flash->pieces[i],
			    headers + flash->pieces[i].at);
	memcpy(*bytes + headers, flash->bytes, flash->size);
	return true;
}
