/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs other programs: the linkers and compilers in whose place sdtlink was
 * called.
 */
#ifndef SDTLINK_PROGRAM_H
#define SDTLINK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/*
 * Remembers what main changes of what a program inherits. Call it before that.
 */
void program_remember(void);

/* The folder of sdtlink's own files. For free(). NULL if memory ran out. */
char *program_libexec(void);

/* Is it sdtlink that PATH leads to? */
bool program_is_self(const char *path);

/* Is it another program, which we may run? */
bool program_may_run(const char *path);

/* Is NAME a program to run, as opposed to an input of one? */
bool program_is(const char *name);

/*
 * The number of words at ARGV before a program's arguments. For "ccache gcc" it
 * is two.
 */
size_t program_words(char *const *argv);

/*
 * Finds the program NAME as the shell would. For free(). If IN_DRIVER, looks
 * first where the compiler that runs us looks. Never returns sdtlink itself.
 * NULL after a diagnostic.
 */
char *program_find(struct diag *d, const char *name, bool in_driver);

/* Becomes the program. Returns only after a diagnostic. */
int program_become(struct diag *d, const char *path, char **argv);

struct running {
	int pid;	/* 0 if it did not begin */
	int status;	/* as waitpid has it */
	bool is_signal; /* sdtlink was told to end */
};

/* What to do for a child. */
struct service {
	int (*prepare)(void *ctx); /* in the child, before it begins; or NULL */
	int fd;			   /* or -1 */
	/* When FD can be read. If it returns -1 with errno, the child ends. */
	int (*answer)(void *ctx);
	/* While the child asks nothing, until it returns false. */
	bool (*work)(void *ctx);
	void *ctx;
};

/*
 * Runs PROGRAM as a child. The child gets the signals that sdtlink gets, and
 * ends when sdtlink ends. Returns -1, diagnosed, if the program cannot be run,
 * or its end is unknown.
 */
int program_run(struct diag *d, const char *path, char **argv,
		const struct service *service, struct running *running);

/*
 * Removes an unproved output of a program at PATH. A device stays. Returns -1
 * with errno.
 */
int program_remove(const char *path);

/* Is a child running? May be called in signal handlers. */
bool program_is_running(void);

/*
 * Before sdtlink ends while it works: lets the child end by itself, as it may
 * be writing. It gets no more answers. For signal handlers.
 */
void program_await(void);

/* Passes a signal to the child, or ends sdtlink by it. For signal handlers. */
void program_signal(int signum);

/* Ends as the program did: with the same status, or by the same signal. */
int program_status(const struct running *running);

#endif
