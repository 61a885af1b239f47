/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds where exceptions land. If the augmentation of its CIE has an 'L', an
 * FDE of .eh_frame refers to the table of its function (LSDA). The entries of
 * that have a range of calls and its landing pad.
 *
 * Linux Standard Base, Core, 10.5 (DW_EH_PE_*) and 10.6.1 (.eh_frame). The
 * table is described in "Exception Handling Tables" of the Itanium C++ ABI, and
 * read by the personality routines of GCC and LLVM. Tables of setjmp and
 * longjmp have no FDE: there, code forms the address of the landing pads.
 */
#include <config.h>

#include <string.h>

#include "check.h"
#include "elf/frames.h"

/* A position in the bytes of a section of the map. */
struct reader {
	const struct jump_check *check;
	const struct jump_section *js;
	struct frame_cursor c;
};

struct pads {
	struct diag *d;
	struct jump_check *check;
	uint64_t left; /* bytes of tables that may still be read */
};

static struct reader read_from(const struct jump_check *check,
			       const struct jump_section *js, uint64_t start,
			       uint64_t end)
{
	const uint8_t *bytes = js->code.bytes;

	return (struct reader){
		check, js, { check->map.obj, bytes + start, bytes + end, false }
	};
}

/* The address of what is read next. */
static uint64_t address_of(const struct reader *r)
{
	return r->js->code.addr + (r->c.p - r->js->code.bytes);
}

/*
 * Reads an address in ENCODING; 0 means none. The only known base is the place
 * itself.
 */
static uint64_t read_address(struct reader *r, uint8_t encoding)
{
	uint64_t at = address_of(r);
	uint64_t value = frames_get_number(&r->c, encoding);

	switch (encoding & PE_BASE) {
	case 0:
		if (!r->c.is_bad && (encoding & PE_FORMAT) == PE_ABSPTR)
			jump_check_word(r->check, r->js, at - r->js->code.addr,
					&value);
		break;
	case PE_PCREL:
		if (value != 0)
			value += at;
		break;
	default:
		r->c.is_bad = true;
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
 * Reads the entries of the function at START, whose landing pads count from
 * BASE. An instruction in a range with a pad may continue there, and nowhere
 * else: a call, or any instruction with -fnon-call-exceptions.
 */
static int read_calls(struct pads *pads, struct reader *r, uint8_t encoding,
		      uint64_t start, uint64_t base)
{
	const struct object *obj = pads->check->map.obj;

	while (r->c.p < r->c.end) {
		uint64_t source = address_of(r);
		uint64_t from = start + frames_get_number(&r->c, encoding);
		uint64_t length = frames_get_number(&r->c, encoding);
		uint64_t pad = frames_get_number(&r->c, encoding);

		frames_get_leb128(&r->c, false); /* what is done there */
		if (r->c.is_bad) {
			not_read(pads, source,
				 "an entry of a table is of no known form");
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

/* Reads the table at ADDR of the function at START. */
static int read_table(struct pads *pads, uint64_t start, uint64_t addr)
{
	struct jump_section *js = jump_map_find(&pads->check->map, addr);
	uint64_t base = start, length;
	struct reader r;
	uint8_t encoding;

	if (js == NULL) {
		not_read(pads, addr, "a table is nowhere");
		return 0;
	}
	js->has_pads = true;
	r = read_from(pads->check, js, addr - js->code.addr, js->code.size);
	encoding = frames_get_byte(&r.c);
	if (encoding != PE_OMIT)
		base = read_address(&r, encoding);
	if (frames_get_byte(&r.c) != PE_OMIT) /* the table of types */
		frames_get_leb128(&r.c, false);
	encoding = frames_get_byte(&r.c);
	length = frames_get_leb128(&r.c, false);
	if (r.c.is_bad || length > (size_t)(r.c.end - r.c.p) ||
	    (encoding & PE_BASE) != 0) {
		not_read(pads, addr, "a table is of no known form");
		return 0;
	}
	/*
	 * Each function has a table of its own. Otherwise the same bytes could
	 * be read for ever.
	 */
	if (length > pads->left) {
		not_read(pads, addr, "tables overlap");
		return 0;
	}
	pads->left -= length;
	r.c.end = r.c.p + length;
	return read_calls(pads, &r, encoding, start, base);
}

/* --- .eh_frame ------------------------------------------------------------ */

/* Only its FDE makes a table useful. */
static int read_fde(struct pads *pads, const struct jump_section *js,
		    const struct frame_record *record)
{
	/* Behind the distance to its CIE. */
	struct reader r =
		read_from(pads->check, js, record->body + 4, record->end);
	uint64_t at = js->code.addr + record->start, distance, start, addr;
	struct frame_cie cie;

	distance = object_word(pads->check->map.obj,
			       js->code.bytes + record->body);
	if (distance > record->body ||
	    !frames_read_cie(pads->check->map.obj, js->code.bytes,
			     js->code.size, record->body - distance, &cie)) {
		not_read(pads, at, "a CIE is of no known form");
		return 0;
	}
	if (cie.table == PE_OMIT)
		return 0;
	start = read_address(&r, cie.code);
	frames_get_number(&r.c, cie.code); /* how long it is */
	frames_get_leb128(&r.c, false);
	addr = read_address(&r, cie.table);
	if (r.c.is_bad || (addr != 0 && !is_text(pads->check, start, 1))) {
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

/* Is it a personality routine that reads such tables? */
static bool is_personality(const char *name)
{
	return strstr(name, "_personality_v0") != NULL;
}

/* If a script renamed .eh_frame, nothing shows where it is. */
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
