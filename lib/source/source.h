/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the source of places in code: lines, inlined functions and variables,
 * from the debug information (DWARF). libdw finds and reads it: compressed,
 * split, or in a file of its own (.gnu_debuglink, build-id folders,
 * debuginfod's cache).
 *
 * The number of steps is limited, so that no file takes for ever. What is
 * unknown is reported once, as a warning, and the rest goes on.
 */
#ifndef SDTLINK_SOURCE_H
#define SDTLINK_SOURCE_H

#include "base/diag.h"
#include "elf/object.h"

struct source;

typedef void (*__attribute__((__noreturn__)) source_nomem)(void);

/*
 * Opens the debug information of OBJ, which is checked. It is in the file
 * DEBUG, or where libdw finds it if that is NULL. If there is none, or no
 * libdw, *SRC is NULL after a warning. NOMEM must not return: libdw cannot go
 * on without memory. Returns -1 if memory ran out, diagnosed. Call source_close
 * either way.
 */
int source_open(struct diag *d, const struct object *obj, const char *debug,
		source_nomem nomem, struct source **src);

/* Reports what could not be read, if anything. */
void source_report(struct diag *d, const struct source *src);
void source_close(struct source *src);

struct source_frame {
	const char *function; /* or NULL */
	const char *file;     /* or NULL, and LINE is 0 */
	unsigned line;
	unsigned column; /* 0 if it is not known */
	bool is_inlined; /* into the next frame's function */
};

/* The innermost frame is first. */
struct source_chain {
	struct source_frame *frames; /* owned; strings are the source's */
	size_t nframes;
	/* The innermost function, or inlined copy of one, as a number. */
	const void *instance;
};

/*
 * A place in code: an offset in section SHNDX of a partial, or an address of a
 * final. A statement without code may be where one function ends and another
 * begins. Then FILE and LINE, if they are set, say which is meant.
 */
struct source_spot {
	uint32_t shndx;
	uint64_t at;
	const char *file; /* as __FILE__ has it, or NULL */
	uint32_t line;
	bool has_no_code; /* and no line: variables may be a caller's */
};

/*
 * Finds the source of SPOT. If it is unknown, there are no frames. Returns -1
 * if memory ran out. Call source_chain_free either way.
 */
int source_find(struct source *src, const struct source_spot *spot,
		struct source_chain *chain);
void source_chain_free(struct source_chain *chain);

/* The path of FILE, the __FILE__ of a place, or NULL. */
const char *source_path(struct source *src, uint32_t shndx, uint64_t at,
			const char *file);

/* Where the value of a variable is, at a place. The best comes first. */
enum source_where {
	WHERE_CONSTANT,
	WHERE_REGISTER,
	WHERE_STACK,
	WHERE_MEMORY,	 /* at a fixed address */
	WHERE_COMPUTED,	 /* from registers or memory */
	WHERE_PART,	 /* only some of its bytes are anywhere */
	WHERE_ENTRY,	 /* its value at the function's entry: unwind for it */
	WHERE_ELSEWHERE, /* available in its scope, but not here */
	WHERE_GONE,	 /* optimised out */
	WHERE_UNKNOWN,	 /* no variable of that name */
};

#define WHERE_AVAILABLE_MAX WHERE_COMPUTED

/* Such as "optimised-out". */
const char *source_where_name(enum source_where where);

#define SOURCE_TEXT_MAX 128

struct source_variable {
	enum source_where where;
	char what[32];		    /* the register or constant, or "" */
	char type[SOURCE_TEXT_MAX]; /* as C has it, or "" */
};

/*
 * Where the value of an expression is: that of its variable that is hardest to
 * get. Sets TYPE if the expression is a single name.
 */
void source_expression(struct source *src, const struct source_spot *spot,
		       const char *text, struct source_variable *var);

struct source_parameter {
	const char *name; /* or NULL */
	char type[SOURCE_TEXT_MAX];
};

/*
 * How the unit of a place declares FUNCTION. Returns the number of its
 * parameters, and fills in up to MAX of them. -1 if it is not declared.
 */
int source_parameters(struct source *src, uint32_t shndx, uint64_t at,
		      const char *function, struct source_parameter *params,
		      unsigned max);

/* A copy of the code of a line. */
struct source_copy {
	size_t line; /* index in what was asked for */
	uint32_t shndx;
	uint64_t at;
	const void *instance; /* as in struct source_chain */
};

struct source_line {
	const char *file; /* as __FILE__ has it */
	uint32_t line;
	/* Set: */
	const char *path;  /* the source's; NULL if the file is unknown */
	bool is_ambiguous; /* several files are called so */
};

/*
 * Finds the code of N lines, sorted by line. Returns -1 if memory ran out. Free
 * COPIES with free().
 */
int source_find_lines(struct source *src, struct source_line *lines, size_t n,
		      struct source_copy **copies, size_t *ncopies);

#endif
