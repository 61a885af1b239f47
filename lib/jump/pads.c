/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where exceptions land. Each FDE of .eh_frame leads to the table of its
 * function (LSDA) if the augmentation of its CIE says so with 'L'; entries of
 * that have a range of calls and the landing pad of each.
 *
 * Linux Standard Base, Core, 10.5 (DW_EH_PE_*) and 10.6.1 (.eh_frame); the
 * table as the personality routines of GCC and LLVM read it: "Exception
 * Handling Tables" of the Itanium C++ ABI. Tables of setjmp and longjmp have no
 * FDE: code forms the address of their landing pads.
 */
#include <config.h>

#include <string.h>

#include "check.h"
#include "base/leb128.h"
#include "elf/frames.h"

enum {
	PE_FORMAT = 0x0f, /* mask: how long it is */
	PE_ABSPTR = 0,
	PE_ULEB128 = 1,
	PE_UDATA2 = 2,
	PE_UDATA4 = 3,
	PE_UDATA8 = 4,
	PE_SLEB128 = 9,
	PE_SDATA2 = 10,
	PE_SDATA4 = 11,
	PE_SDATA8 = 12,
	PE_BASE = 0xf0, /* mask: what it counts from */
	PE_PCREL = 0x10,
	PE_OMIT = 0xff,
};

/* Bytes of a section of the map, read one behind the other. */
struct reader {
	const struct jump_check *check;
	const struct jump_section *js;
	uint64_t at, end; /* offsets in JS */
	bool is_bad;	  /* something was not there, or of no known form */
};

/* What a CIE says of its FDEs. */
struct cie {
	bool has_data; /* they have the length of their augmentation */
	uint8_t code;  /* how they have addresses of code */
	uint8_t table; /* and of the table, or PE_OMIT */
};

struct pads {
	struct diag *d;
	struct jump_check *check;
	uint64_t left; /* bytes of tables that may still be read */
};

/* --- Numbers -------------------------------------------------------------- */

static uint64_t read_fixed(struct reader *r, unsigned size)
{
	const struct object *obj = r->check->map.obj;
	const uint8_t *p = r->js->code.bytes + r->at;
	uint64_t value = 0;

	if (r->is_bad || r->end - r->at < size) {
		r->is_bad = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | p[obj->is_big_endian ? i : size - 1 - i];
	r->at += size;
	return value;
}

static int64_t read_signed(struct reader *r, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(read_fixed(r, size) << unused) >> unused;
}

static uint64_t read_leb128(struct reader *r, bool is_signed)
{
	const uint8_t *bytes = r->js->code.bytes, *p = bytes + r->at;
	uint64_t value;

	r->is_bad = r->is_bad || leb128_get(&p, bytes + r->end, is_signed,
					    &value) != LEB128_OK;
	if (r->is_bad)
		return 0;
	r->at = p - bytes;
	return value;
}

/* A number in ENCODING, without what it counts from. */
static uint64_t read_number(struct reader *r, uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
		return read_fixed(r, r->check->map.obj->is_64 ? 8 : 4);
	case PE_ULEB128:
		return read_leb128(r, false);
	case PE_UDATA2:
		return read_fixed(r, 2);
	case PE_UDATA4:
		return read_fixed(r, 4);
	case PE_UDATA8:
		return read_fixed(r, 8);
	case PE_SLEB128:
		return read_leb128(r, true);
	case PE_SDATA2:
		return read_signed(r, 2);
	case PE_SDATA4:
		return read_signed(r, 4);
	case PE_SDATA8:
		return read_fixed(r, 8);
	}
	r->is_bad = true;
	return 0;
}

/* An address in ENCODING; 0 for none. Of the bases, only the place is known. */
static uint64_t read_address(struct reader *r, uint8_t encoding)
{
	uint64_t at = r->at, value = read_number(r, encoding);

	switch (encoding & PE_BASE) {
	case 0:
		if (!r->is_bad && (encoding & PE_FORMAT) == PE_ABSPTR)
			jump_check_word(r->check, r->js, at, &value);
		break;
	case PE_PCREL:
		if (value != 0)
			value += r->js->code.addr + at;
		break;
	default:
		r->is_bad = true;
	}
	return object_wrap(r->check->map.obj, value);
}

/* --- A table -------------------------------------------------------------- */

static void not_read(struct pads *pads, uint64_t at, const char *why)
{
	if (pads->check->unread == NULL) {
		pads->check->unread = why;
		pads->check->unread_at = at;
	}
}

/* Is [START, START + LENGTH) text of one section? */
static bool is_text(const struct jump_check *check, uint64_t start,
		    uint64_t length)
{
	const struct jump_section *js = jump_map_find_text(&check->map, start);

	return js != NULL && length <= js->code.size - (start - js->code.addr);
}

/*
 * The entries of a function at START, whose landing pads count from BASE. What
 * is in a range with a pad may leave for that, where it is and nowhere else: a
 * call, or with -fnon-call-exceptions anything.
 */
static int read_calls(struct pads *pads, struct reader *r, uint8_t encoding,
		      uint64_t start, uint64_t base)
{
	const struct object *obj = pads->check->map.obj;

	while (r->at < r->end) {
		uint64_t source = r->js->code.addr + r->at;
		uint64_t from = start + read_number(r, encoding);
		uint64_t length = read_number(r, encoding);
		uint64_t pad = read_number(r, encoding);

		read_leb128(r, false); /* what is done there */
		if (r->is_bad) {
			not_read(pads, source, "an entry of a table is of no known form");
			return 0;
		}
		if (pad == 0)
			continue;
		from = object_wrap(obj, from);
		pad = object_wrap(obj, base + pad);
		if (!is_text(pads->check, from, length) ||
		    !is_text(pads->check, pad, 1)) {
			not_read(pads, source,
				 "an entry of a table leads to no code");
			return 0;
		}
		if (jump_check_land(pads->d, pads->check, pad, source,
				    LANDING_PAD) ||
		    jump_check_mark(pads->d, pads->check, from, length,
				    r->js->name))
			return -1;
	}
	return 0;
}

/* The table at ADDR of the function at START. */
static int read_table(struct pads *pads, uint64_t start, uint64_t addr)
{
	struct jump_section *js = jump_map_find(&pads->check->map, addr);
	struct reader r = { .check = pads->check, .js = js };
	uint64_t base = start, length;
	uint8_t encoding;

	if (js == NULL) {
		not_read(pads, addr, "a table is nowhere");
		return 0;
	}
	js->has_pads = true;
	r.at = addr - js->code.addr;
	r.end = js->code.size;
	encoding = read_fixed(&r, 1);
	if (encoding != PE_OMIT)
		base = read_address(&r, encoding);
	if (read_fixed(&r, 1) != PE_OMIT) /* the table of types */
		read_leb128(&r, false);
	encoding = read_fixed(&r, 1);
	length = read_leb128(&r, false);
	if (r.is_bad || length > r.end - r.at || (encoding & PE_BASE) != 0) {
		not_read(pads, addr, "a table is of no known form");
		return 0;
	}
	/* Each function has its own; else the same bytes are read forever. */
	if (length > pads->left) {
		not_read(pads, addr, "tables overlap");
		return 0;
	}
	pads->left -= length;
	r.end = r.at + length;
	return read_calls(pads, &r, encoding, start, base);
}

/* --- .eh_frame ------------------------------------------------------------ */

/* How the FDEs of the CIE at OFFSET of JS are; false if that is not known. */
static bool read_cie(const struct jump_check *check,
		     const struct jump_section *js, uint64_t offset,
		     struct cie *cie)
{
	struct reader r = { .check = check, .js = js };
	struct frame_record record;
	char names[9]; /* each at most once, and then some */
	unsigned n = 0;
	uint8_t version, encoding;

	*cie = (struct cie){ .table = PE_OMIT };
	if (js->code.size < 4 || offset > js->code.size - 4 ||
	    object_word(check->map.obj, js->code.bytes + offset) == 0 ||
	    frames_next(check->map.obj, js->code.bytes, js->code.size, &offset,
			&record) <= 0)
		return false;
	r.at = record.body;
	r.end = record.end;
	if (read_fixed(&r, 4) != 0)
		return false;
	version = read_fixed(&r, 1);
	do {
		names[n] = read_fixed(&r, 1);
	} while (names[n] != '\0' && ++n < sizeof(names));
	if (n == sizeof(names) || (version != 1 && version != 3))
		return false;
	read_leb128(&r, false); /* factors of code and of data */
	read_leb128(&r, true);
	if (version == 1) /* the register with the return address */
		read_fixed(&r, 1);
	else
		read_leb128(&r, false);
	if (names[0] == 'z')
		read_leb128(&r, false);
	else if (names[0] != '\0')
		return false;
	cie->has_data = names[0] == 'z';
	for (unsigned i = 1; i < n; i++) {
		switch (names[i]) {
		case 'L':
			cie->table = read_fixed(&r, 1);
			break;
		case 'P':
			encoding = read_fixed(&r, 1);
			/* An aligned one may have bytes before it. */
			r.is_bad |= (encoding & 0x70) == 0x50;
			read_number(&r, encoding);
			break;
		case 'R':
			cie->code = read_fixed(&r, 1);
			break;
		case 'S': /* of a signal handler */
			break;
		default:
			return false;
		}
	}
	return !r.is_bad;
}

/* A table is of no use to anybody but by its FDE. */
static int read_fde(struct pads *pads, const struct jump_section *js,
		    const struct frame_record *record)
{
	struct reader r = { pads->check, js, record->body, record->end, false };
	uint64_t at = js->code.addr + record->start, distance, start, addr;
	struct cie cie;

	distance = read_fixed(&r, 4);
	if (distance > record->body ||
	    !read_cie(pads->check, js, record->body - distance, &cie)) {
		not_read(pads, at, "a CIE is of no known form");
		return 0;
	}
	if (cie.table == PE_OMIT)
		return 0;
	start = read_address(&r, cie.code);
	read_number(&r, cie.code); /* how long it is */
	read_leb128(&r, false);
	addr = read_address(&r, cie.table);
	if (r.is_bad || (addr != 0 && !is_text(pads->check, start, 1))) {
		not_read(pads, at, "an FDE is of no known form");
		return 0;
	}
	return addr != 0 ? read_table(pads, start, addr) : 0;
}

static int read_frames(struct pads *pads, const struct jump_section *js)
{
	const struct object *obj = pads->check->map.obj;
	struct frame_record record;
	uint64_t at = 0;
	int more;

	while ((more = frames_next(obj, js->code.bytes, js->code.size, &at,
				   &record)) > 0)
		if (object_word(obj, js->code.bytes + record.body) != 0 &&
		    read_fde(pads, js, &record))
			return -1;
	if (more < 0)
		not_read(pads, js->code.addr + record.start,
			 "a record of .eh_frame is cut");
	return 0;
}

/* A personality routine that reads such tables. */
static bool is_personality(const char *name)
{
	return strstr(name, "_personality_v0") != NULL;
}

/* Where scripts gave .eh_frame another name, nothing tells where it is. */
static void look_for_users(struct pads *pads)
{
	const struct object *obj = pads->check->map.obj;

	for (size_t i = 1; i < obj->nsymbols; i++) {
		struct symbol sym;

		object_symbol(obj, i, &sym);
		if (is_personality(sym.name))
			not_read(pads, 0, "there is no .eh_frame");
	}
}

int jump_check_pads(struct diag *d, struct jump_check *check)
{
	struct pads pads = { d, check, 0 };
	bool has_frames = false;

	for (size_t i = 0; i < check->map.n; i++)
		pads.left += check->map.sections[i].code.size;
	for (size_t i = 0; i < check->map.n; i++) {
		const struct jump_section *js = &check->map.sections[i];

		if (!frames_hold(js->name))
			continue;
		has_frames = true;
		if (read_frames(&pads, js))
			return -1;
	}
	if (!has_frames)
		look_for_users(&pads);
	for (size_t i = 0; i < check->map.n; i++) {
		const struct jump_section *js = &check->map.sections[i];

		if (strncmp(js->name, ".gcc_except_table", 17) == 0 &&
		    !js->has_pads)
			not_read(&pads, js->code.addr, "no FDE has this table");
	}
	return 0;
}
