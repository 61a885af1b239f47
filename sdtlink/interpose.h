/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocol between interpose.c and answers.c. */
#ifndef SDTLINK_INTERPOSE_H
#define SDTLINK_INTERPOSE_H

/* Holds the number of the socket to ask. */
#define ASK_VARIABLE "SDTLINK_ASK"

/*
 * The variable with the words, one a line. If no string table of an object
 * contains one of them, there is no need to ask. Without the variable, each
 * object must be asked about.
 */
#define WORDS_VARIABLE "SDTLINK_ASK_WORDS"

/*
 * A question is the name of a file with two descriptors: the file, and a socket
 * for the answer. The answer is one of these bytes. The first one comes with a
 * descriptor. A question without descriptors announces that a linker is here.
 */
#define ANSWER_INSTEAD 'i'
#define ANSWER_KEEP 'k'
#define ANSWER_FAIL 'f'

#define QUESTION_SIZE 4096

#endif
