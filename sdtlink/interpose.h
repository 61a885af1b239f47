/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How interpose.c and answers.c speak with each other. */
#ifndef SDTLINK_INTERPOSE_H
#define SDTLINK_INTERPOSE_H

/* Holds the number of the socket to ask. */
#define ASK_VARIABLE "SDTLINK_ASK"

/*
 * Holds words, one a line: of an object whose string tables have none of them
 * nobody needs to ask. If it is not there, each object matters.
 */
#define WORDS_VARIABLE "SDTLINK_ASK_WORDS"

/*
 * A question is the name of a file, with two descriptors: the file, and a
 * socket for the answer. That is one byte of these, the first of which brings a
 * descriptor. A question without descriptors says that there will be some.
 */
#define ANSWER_INSTEAD 'i'
#define ANSWER_KEEP 'k'
#define ANSWER_FAIL 'f'

#define QUESTION_SIZE 4096

#endif
