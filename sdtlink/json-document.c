/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "arch/arch.h"
#include "json-document.h"
#include "elf/object.h"

void document_open(struct json *json)
{
	json_open(json, '{');
	json_number(json, "version", 1);
	json_string(json, "tool", PACKAGE_STRING);
}

void document_file(struct json *json, const char *path, const char *type,
		   const struct object *obj)
{
	bool is_known = obj->arch != NULL && !obj->has_no_machine;

	json_string(json, "file", path);
	json_string(json, "type", type);
	json_string(json, "machine", is_known ? obj->arch->name : NULL);
	if (is_known)
		json_number(json, "class", obj->is_64 ? 64 : 32);
	else
		json_string(json, "class", NULL);
	json_string(json, "data",
		    obj->arch == NULL	 ? NULL
		    : obj->is_big_endian ? "big"
					 : "little");
}
