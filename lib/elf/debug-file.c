/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/strings.h"
#include "check.h"
#include "debug-file.h"

#define DEBUG_FOLDER "/usr/lib/debug"
#define BUILD_ID_MAX 64

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	size_t n; /* 0: there is none */
};

/* --- What the final says of it ------------------------------------------- */

/* Finds the build ID in the notes at BYTES. */
static bool read_build_id(const struct object *obj, const uint8_t *bytes,
			  size_t size, struct build_id *id)
{
	for (size_t at = 0; size - at >= 12;) {
		size_t name = object_word(obj, bytes + at);
		size_t desc = object_word(obj, bytes + at + 4);
		uint32_t type = object_word(obj, bytes + at + 8);
		size_t left = size - at - 12, padded = (name + 3) & ~(size_t)3;

		if (name > left || padded > left || desc > left - padded)
			return false;
		if (type == 3 && name == 4 && desc > 0 &&
		    desc <= BUILD_ID_MAX &&
		    memcmp(bytes + at + 12, "GNU", 4) == 0) {
			id->n = desc;
			memcpy(id->bytes, bytes + at + 12 + padded, desc);
			return true;
		}
		padded += (desc + 3) & ~(size_t)3;
		if (padded > left)
			return false;
		at += 12 + padded;
	}
	return false;
}

/* Sections show where notes are, or else segments. */
static void find_build_id(struct diag *d, const struct object *obj,
			  struct build_id *id)
{
	size_t n = 0, size;
	const uint8_t *bytes = object_file(obj, &size);
	GElf_Phdr ph;

	id->n = 0;
	for (size_t i = 1; !obj->is_bare && i < obj->nsections; i++) {
		size_t length;
		const uint8_t *notes;

		if (obj->sections[i].type != SHT_NOTE)
			continue;
		notes = object_data(d, obj, i, &length);
		if (notes != NULL && read_build_id(obj, notes, length, id))
			return;
	}
	if (bytes == NULL || elf_getphdrnum(obj->elf, &n) != 0)
		return;
	for (size_t i = 0; obj->is_bare && i < n; i++)
		if (gelf_getphdr(obj->elf, i, &ph) != NULL &&
		    ph.p_type == PT_NOTE && ph.p_offset <= size &&
		    ph.p_filesz <= size - ph.p_offset &&
		    read_build_id(obj, bytes + ph.p_offset, ph.p_filesz, id))
			return;
}

/* The name in .gnu_debuglink, or NULL. */
static const char *find_debuglink(struct diag *d, const struct object *obj,
				  uint32_t *crc)
{
	uint32_t shndx = object_find_section(obj, ".gnu_debuglink");
	const uint8_t *bytes;
	size_t size, length;

	if (shndx == 0)
		return NULL;
	bytes = object_data(d, obj, shndx, &size);
	length = bytes != NULL ? strnlen((const char *)bytes, size) : 0;
	length = (length + 4) & ~(size_t)3;
	if (bytes == NULL || bytes[0] == '\0' || size < 4 || length > size - 4)
		return NULL;
	*crc = object_word(obj, bytes + length);
	return (const char *)bytes;
}

/* That of zlib. */
static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
	uint32_t table[256], crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^
				   (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (size_t i = 0; i < size; i++)
		crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}

/* --- Is it that one? ----------------------------------------------------- */

/* The section of OBJ that contains the addresses of SEC, or 0. */
static uint32_t section_at(const struct object *obj, const struct section *sec)
{
	uint32_t found = 0;

	for (size_t i = 1; i < obj->nsections; i++) {
		const struct section *other = &obj->sections[i];

		if (!section_is_alloc(other) || (other->flags & SHF_TLS) ||
		    sec->addr - other->addr >= other->size)
			continue;
		if (other->addr == sec->addr && other->size == sec->size)
			return i;
		if (found == 0)
			found = i;
	}
	return found;
}

/* Of the code that both have. */
static enum belonging compare_code(struct diag *d, const struct object *obj,
				   const struct object *other)
{
	enum belonging result = BELONGS_MAYBE;

	for (size_t i = 1; i < other->nsections; i++) {
		const struct section *sec = &other->sections[i];
		uint32_t shndx;
		const uint8_t *a, *b;
		size_t size, room;

		if (!section_is_text(sec) || sec->size == 0)
			continue;
		shndx = section_at(obj, sec);
		if (shndx == 0)
			return BELONGS_NOT;
		a = object_data(d, other, i, &size);
		b = object_data(d, obj, shndx, &room);
		if (a == NULL || b == NULL)
			return BELONGS_NOT;
		b += sec->addr - obj->sections[shndx].addr;
		room -= sec->addr - obj->sections[shndx].addr;
		if (size > room || memcmp(a, b, size) != 0)
			return BELONGS_NOT;
		result = BELONGS;
	}
	return result;
}

static bool is_code_segment(const struct object *obj, size_t i, GElf_Phdr *ph)
{
	return gelf_getphdr(obj->elf, i, ph) != NULL && ph->p_type == PT_LOAD &&
	       (ph->p_flags & PF_X);
}

/*
 * Does OBJ have a segment of code that OTHER lacks? A tool that moves code
 * after the link adds one, and OTHER's names say nothing about it.
 * --only-keep-debug and eu-strip keep program headers with their addresses and
 * sizes.
 */
static bool has_other_code(const struct object *obj, const struct object *other)
{
	size_t n = 0, nothers = 0;
	GElf_Phdr ph, theirs;

	if (obj->is_flashed || elf_getphdrnum(obj->elf, &n) != 0 ||
	    elf_getphdrnum(other->elf, &nothers) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool found = nothers == 0 || !is_code_segment(obj, i, &ph);

		for (size_t j = 0; j < nothers && !found; j++)
			found = is_code_segment(other, j, &theirs) &&
				ph.p_vaddr >= theirs.p_vaddr &&
				ph.p_memsz <= theirs.p_memsz &&
				ph.p_vaddr - theirs.p_vaddr <=
					theirs.p_memsz - ph.p_memsz;
		if (!found)
			return true;
	}
	return false;
}

static enum belonging belongs(struct diag *d, const struct object *obj,
			      const struct object *other)
{
	struct build_id ours, theirs;
	uint32_t crc;
	size_t size;
	const uint8_t *bytes = object_file(other, &size);

	if (has_other_code(obj, other))
		return BELONGS_NOT;
	find_build_id(d, obj, &ours);
	find_build_id(d, other, &theirs);
	if (ours.n > 0 && theirs.n > 0)
		return ours.n == theirs.n && memcmp(ours.bytes, theirs.bytes,
						    ours.n) == 0
			       ? BELONGS
			       : BELONGS_NOT;
	if (find_debuglink(d, obj, &crc) != NULL && bytes != NULL &&
	    crc32_of(bytes, size) == crc)
		return BELONGS;
	return compare_code(d, obj, other);
}

/* --- Its symbols --------------------------------------------------------- */

/*
 * A final and its debug file have their section headers in one order, unless
 * one of them was changed. So sections are matched by address.
 */
static void map_sections(const struct object *obj, const struct object *other,
			 uint32_t *map)
{
	for (size_t i = 1; i < other->nsections; i++)
		map[i] = section_is_alloc(&other->sections[i])
				 ? section_at(obj, &other->sections[i])
				 : 0;
}

static int lend_all(struct diag *d, struct object *obj, struct debug_file *file)
{
	const struct object *other = &file->obj;
	size_t size = obj->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint32_t *map = calloc(other->nsections + 1, sizeof(map[0]));

	if (map == NULL)
		return diag_nomem(d, obj->path);
	if (lend_alloc(d, obj, other->nsymbols, &file->lent)) {
		free(map);
		return -1;
	}
	memcpy(file->lent.symbols, other->symbols, other->nsymbols * size);
	map_sections(obj, other, map);
	/* Of a descriptor's symbol, its own section. */
	file->obj.ndescriptors = 0;
	for (size_t i = 1; i < other->nsymbols; i++) {
		struct symbol sym;

		object_symbol(other, i, &sym);
		if (sym.is_defined)
			lend_set_section(obj, &file->lent, i, map[sym.shndx]);
	}
	free(map);
	obj->is_stripped = false;
	obj->lender = other;
	return lend_symbols(d, obj, &file->lent, other->nsymbols,
			    other->strings, other->strings_size);
}

/* --- Where it is --------------------------------------------------------- */

/* Uses the file at PATH, if it belongs to OBJ. FILE owns it then. */
static int take(struct diag *d, struct object *obj, char *path,
		enum belonging least, bool *found, struct debug_file *file)
{
	enum belonging is;

	*found = false;
	file->path = path;
	if (object_open(d, path, &file->obj) ||
	    check_object(d, &file->obj, OBJECT_SYMBOLS))
		return -1;
	if (file->obj.arch->machine != obj->arch->machine ||
	    file->obj.is_64 != obj->is_64 ||
	    file->obj.is_big_endian != obj->is_big_endian)
		return diag_file(
			d, path, "debug-file", "is for %s, and %s is for %s",
			file->obj.arch->name, obj->path, obj->arch->name);
	is = belongs(d, obj, &file->obj);
	if (is == BELONGS_NOT)
		return diag_file(d, path, "debug-file",
				 "is not the debug file of %s: its build ID or "
				 "code is another",
				 obj->path);
	if (is < least)
		return diag_file(d, path, "debug-file",
				 "neither build ID, .gnu_debuglink nor code "
				 "show that it is the debug file of %s: link "
				 "with --build-id",
				 obj->path);
	if (lend_all(d, obj, file))
		return -1;
	*found = true;
	return 0;
}

/*
 * A file that sdtlink itself looked for may belong to another final. That is
 * not an error.
 */
static int try(struct diag *d, struct object *obj, char *path, bool *found,
	       struct debug_file *file)
{
	struct diag quiet = { .sink = diag_ignore };

	if (path == NULL)
		return diag_nomem(d, obj->path);
	if (access(path, R_OK) != 0) {
		free(path);
		return 0;
	}
	if (take(&quiet, obj, path, BELONGS, found, file) || !*found)
		debug_file_close(file);
	return 0;
}

/*
 * In the places where gdb and elfutils look: below DEBUG_FOLDER, and where
 * debuginfod keeps what it fetched.
 */
static int find_by_id(struct diag *d, struct object *obj,
		      const struct build_id *id, bool *found,
		      struct debug_file *file)
{
	static const struct {
		const char *variable, *folder;
	} caches[] = {
		{ "DEBUGINFOD_CACHE_PATH", "/" },
		{ "XDG_CACHE_HOME", "/debuginfod_client/" },
		{ "HOME", "/.cache/debuginfod_client/" },
		{ "HOME", "/.debuginfod_client_cache/" },
	};
	char hex[2 * BUILD_ID_MAX + 1], first[4];

	for (size_t i = 0; i < id->n; i++)
		snprintf(hex + 2 * i, 3, "%02x", id->bytes[i]);
	snprintf(first, sizeof(first), "%.2s/", hex);
	if (try(d, obj,
		strings_join(DEBUG_FOLDER "/.build-id/", first, hex + 2,
			     ".debug"),
		found, file))
		return -1;
	for (size_t i = 0; !*found && i < sizeof(caches) / sizeof(caches[0]);
	     i++) {
		const char *folder = getenv(caches[i].variable);

		if (folder != NULL && folder[0] != '\0' &&
		    try(d, obj,
			strings_join(folder, caches[i].folder, hex,
				     "/debuginfo"),
			found, file))
			return -1;
	}
	return 0;
}

/*
 * Beside the file, in .debug beside it, and in its folder below DEBUG_FOLDER.
 */
static int find_by_link(struct diag *d, struct object *obj, const char *name,
			bool *found, struct debug_file *file)
{
	char *real = realpath(obj->path, NULL), *slash;
	int ret;

	if (real == NULL || (slash = strrchr(real, '/')) == NULL) {
		free(real);
		return 0;
	}
	slash[1] = '\0';
	ret = try(d, obj, strings_join(real, name, "", ""), found, file) ||
	      (!*found && try(d, obj, strings_join(real, ".debug/", name, ""),
			      found, file)) ||
	      (!*found &&
	       try(d, obj, strings_join(DEBUG_FOLDER, real, name, ""), found,
		   file));
	free(real);
	return ret ? -1 : 0;
}

int debug_file_lend(struct diag *d, struct object *obj, const char *path,
		    enum belonging belonging, struct debug_file *file,
		    bool *found)
{
	struct build_id id;
	const char *name;
	uint32_t crc;

	*file = (struct debug_file){ .obj.fd = -1 };
	*found = false;
	if (path != NULL) {
		char *copy = strdup(path);

		if (copy == NULL)
			return diag_nomem(d, path);
		return take(d, obj, copy, belonging, found, file);
	}
	find_build_id(d, obj, &id);
	if (id.n > 1 && find_by_id(d, obj, &id, found, file))
		return -1;
	name = *found ? NULL : find_debuglink(d, obj, &crc);
	/* A name with a folder is not to be trusted. */
	if (name != NULL && strchr(name, '/') == NULL)
		return find_by_link(d, obj, name, found, file);
	return 0;
}

void debug_file_close(struct debug_file *file)
{
	if (file->path != NULL)
		object_close(&file->obj);
	free(file->path);
	lend_free(&file->lent);
	*file = (struct debug_file){ .obj.fd = -1 };
}
