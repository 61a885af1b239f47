/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other people's programs: the linkers and compilers that sdtlink stands for.
 */
#ifndef SDTLINK_PROGRAM_H
#define SDTLINK_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* What main changed of what a program inherits; to be called before that. */
void program_remember(void);

/* Where sdtlink's own files are; for free(). NULL without memory. */
char *program_libexec(void);

/* Is it sdtlink that PATH leads to? */
bool program_is_self(const char *path);

/* Is it another program, which we may run? */
bool program_may_run(const char *path);

/* May NAME be run: is it a program, rather than an input of one? */
bool program_is(const char *name);

/*
 * How many of the words at ARGV come before a program's arguments: ccache gcc
 * is two.
 */
size_t program_words(char *const *argv);

/*
 * The program NAME, where the shell would find it; for free(). If IN_DRIVER,
 * where the compiler that runs us looks, first. Never sdtlink itself. NULL
 * after a diagnostic.
 */
char *program_find(struct diag *d, const char *name, bool in_driver);

/* Becomes the program; returns only with a diagnostic. */
int program_become(struct diag *d, const char *path, char **argv);

struct running {
	int pid;	/* 0 if it did not begin */
	int status;	/* as waitpid has it */
	bool is_signal; /* sdtlink was told to end */
};

/*
 * Runs PROGRAM as a child, which gets the signals that sdtlink gets, and ends
 * with it. PREPARE is called in the child; ANSWER while it runs, if FD can be
 * read, and -1 with errno from it ends the child. Returns -1, diagnosed, if it
 * cannot be run, or nobody knows how it ended.
 */
int program_run(struct diag *d, const char *path, char **argv,
		int (*prepare)(void *ctx), int (*answer)(void *ctx), int fd,
		void *ctx, struct running *running);

/*
 * Removes what a program wrote to PATH, and nobody vouches for; a device, or
 * nothing, stays. Returns -1 with errno.
 */
int program_remove(const char *path);

/* Is there a child now? For signal handlers, too. */
bool program_is_running(void);

/* Gives a signal to the child, or ends sdtlink by it; for signal handlers. */
void program_signal(int signum);

/* Ends as a program that did with STATUS: with it, or by the same signal. */
int program_status(const struct running *running);

#endif
