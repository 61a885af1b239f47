/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "arch/disassemble.h"
#include "finding-disassembly.h"
#include "report.h"

/* Without libopcodes, the end of the instruction is unknown. */
#define BYTES_SHOWN 8

/* Decoding starts at most this far before the instruction. */
#define REACH (1 << 16)

struct line {
	char place[64];
	char bytes[3 * 16 + 1];
	char insn[128];
};

/*
 * The start of the instruction of CODE that contains AT, decoded from FROM,
 * where its function begins. AT if it is unknown.
 */
static uint64_t start_of(const struct arch *arch, const struct code *code,
			 uint64_t from, uint64_t at)
{
	char text[64];

	while (from < at) {
		unsigned length =
			disassemble(arch, code, from, text, sizeof(text));

		if (length == 0)
			return at;
		if (length > at - from)
			break;
		from += length;
	}
	return from;
}

/* Reads the instruction at OFFSET of CODE: its bytes and its text. */
static void fill(struct line *line, const struct arch *arch,
		 const struct code *code, uint64_t offset)
{
	uint64_t n =
		disassemble(arch, code, offset, line->insn, sizeof(line->insn));
	char *text = line->bytes;

	if (n == 0) {
		n = code->size - offset;
		line->insn[0] = '\0';
		if (n > BYTES_SHOWN)
			n = BYTES_SHOWN;
	}
	for (uint64_t i = 0; i < n && i < 16; i++)
		text += sprintf(text, "%s%02x", i > 0 ? " " : "",
				code->bytes[offset + i]);
}

/*
 * The distance from the start of F's instruction to its place, in the partial.
 */
static uint64_t fill_partial(const struct object *obj, const struct finding *f,
			     struct line *line)
{
	struct diag quiet = { .sink = diag_ignore };
	uint64_t start = f->offset;
	struct code code;

	if (!object_code(&quiet, obj, f->shndx, &code) || start >= code.size)
		return 0;
	if (f->function != NULL && f->function_offset <= start &&
	    f->function_offset < REACH)
		start = start_of(obj->arch, &code, start - f->function_offset,
				 start);
	snprintf(line->place, sizeof(line->place), "%s+0x%" PRIx64, f->section,
		 start);
	fill(line, obj->arch, &code, start);
	return f->offset - start;
}

static void fill_final(struct finding_disassembly *code, uint64_t addr,
		       struct line *line)
{
	struct diag quiet = { .sink = diag_ignore };
	const struct object *final = &code->objs[code->n];
	const struct image_section *is;

	if (!code->is_tried && image_open(&quiet, final, &code->img))
		finding_disassembly_close(code);
	code->is_tried = true;
	is = image_find_text(&code->img, addr, 1);
	if (is == NULL)
		return;
	snprintf(line->place, sizeof(line->place), "0x%" PRIx64, addr);
	fill(line, final->arch, &is->code, addr - is->code.addr);
}

static int width(const char *a, const char *b)
{
	size_t n = strlen(a) > strlen(b) ? strlen(a) : strlen(b);

	return (int)n;
}

static void print_line(FILE *stream, const char *name, const struct line *line,
		       const struct line *other)
{
	int space = width(line->place, other->place) - (int)strlen(line->place);

	if (line->place[0] == '\0')
		return;
	fprintf(stream, "  %-7s  ", name);
	print_escaped(stream, line->place);
	fprintf(stream, "%*s  ", space, "");
	if (line->insn[0] == '\0')
		fprintf(stream, "%s\n", line->bytes);
	else
		fprintf(stream, "%-*s  %s\n", width(line->bytes, other->bytes),
			line->bytes, line->insn);
}

void finding_disassembly_print(struct finding_disassembly *code,
			       const struct finding *f, FILE *stream)
{
	struct line partial = { .place = "" }, final = { .place = "" };
	uint64_t before = 0;
	size_t i = 0;

	if (f->shndx != 0 && f->has_offset) {
		while (i < code->n &&
		       strcmp(code->objs[i].path, f->partial) != 0)
			i++;
		if (i < code->n)
			before = fill_partial(&code->objs[i], f, &partial);
	}
	if (f->has_address && f->address >= before)
		fill_final(code, f->address - before, &final);
	print_line(stream, "partial", &partial, &final);
	print_line(stream, "final", &final, &partial);
}

void finding_disassembly_close(struct finding_disassembly *code)
{
	image_close(&code->img);
	code->img = (struct image){ 0 };
}
