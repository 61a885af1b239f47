/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What JSON documents of all modes begin with: see sdtlink-json(5). */
#ifndef SDTLINK_JSON_DOCUMENT_H
#define SDTLINK_JSON_DOCUMENT_H

#include "json.h"

struct object;

/* Opens the document, and writes its "version" and "tool". */
void document_open(struct json *json);

/*
 * Writes which file it is about: "file", "type", "machine", "class" and "data".
 * What is not known of OBJ is null.
 */
void document_file(struct json *json, const char *path, const char *type,
		   const struct object *obj);

#endif
