# SPDX-License-Identifier: GPL-3.0-or-later
#
# awk -f options.awk options.txt - usage and rows for arguments.c.
# awk -f options.awk options.txt sdtlink.1.in - sdtlink(1): a line @SYNOPSIS@
# and a line @OPTIONS@ of the latter become what the table says.

function c_string(text)
{
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}

function c_words(text,    words, n, i, out)
{
	n = split(text, words, " ")
	if (n == 0)
		return "NULL"
	for (i = 1; i <= n; i++)
		out = out c_string(words[i]) ", "
	return "(const char *const[]){ " out "NULL }"
}

function roff(text)
{
	gsub(/-/, "\\-", text)
	return text
}

# A line of the page: `bold` and {italic}, which may go on in the next one.
function marked(text,    i, c, out)
{
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "`" || c == "{" || c == "}") {
			is_marked = !is_marked
			c = !is_marked ? "\\fR" : c == "`" ? "\\fB" : "\\fI"
		} else if (is_marked && c == "-") {
			c = "\\-"
		} else if (is_marked && c == "'") {
			c = "\\(aq"
		}
		out = out c
	}
	return out "\n"
}

# What the reader puts there is in italics: words in capitals.
function usage(text,    out)
{
	text = roff(text)
	while (match(text, /[A-Z][A-Z]+/)) {
		out = out substr(text, 1, RSTART - 1) "\\fI" \
		      substr(text, RSTART, RLENGTH) "\\fR"
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

# "-p, --prefix=PREFIX" in bold, what the reader puts there in italics.
function tag(text,    value)
{
	value = ""
	if (match(text, /[= @][A-Z]+$/)) {
		value = substr(text, RSTART + 1)
		text = substr(text, 1, RSTART)
	}
	text = roff(text)
	sub(/, /, "\\fR, \\fB", text)
	return "\\fB" text (value == "" ? "" : "\\fI" value) "\\fR"
}

function end_row(    id, letter)
{
	if (option == "")
		return
	page = page ".TP\n" tag(option) "\n" body
	if (help != "") {
		letter = option ~ /^-[a-zA-Z],/ ? substr(option, 2, 1) : ""
		sub(/^-[a-zA-Z], /, "", option)
		sub(/^--/, "", option)
		argument = option ~ /=/ ? option : ""
		sub(/^[^=]*=/, "", argument)
		sub(/=.*/, "", option)
		id = "OPT_" toupper(option)
		gsub(/-/, "_", id)
		if (letter != "")
			id = "'" letter "'"
		rows = rows "\t{ " c_string(option) ", " id ", " \
		       (argument == "" ? "NULL" : c_string(argument)) \
		       ",\n\t  " c_string(help) ",\n\t  " c_words(words) " },\n"
	}
	option = help = body = words = ""
}

BEGIN { first = "Usage:" }

FNR == 1 { nfiles++ }
nfiles == 1 && (/^#/ || /^$/) { next }

nfiles == 1 && /^\+ / {
	text = substr($0, 3)
	lines = lines "\t" c_string(first " sdtlink " text) \
		       " \"\\n\"\n"
	synopsis = synopsis (synopsis == "" ? "" : ".br\n") \
		   "\\fBsdtlink\\fR " usage(text) "\n"
	first = "  or: "
	next
}

nfiles == 1 && /^== / {
	end_row()
	text = substr($0, 4)
	rows = rows "\t{ NULL, 0, NULL,\n\t  " c_string(text) ",\n\t  NULL },\n"
	page = page ".SS \"" roff(text) "\"\n"
	next
}

nfiles == 1 && /^= / {
	end_row()
	option = substr($0, 3)
	if ((colon = index(option, ": ")) > 0) {
		help = substr(option, colon + 2)
		option = substr(option, 1, colon - 1)
	}
	next
}

nfiles == 1 && /^: / { words = substr($0, 3); next }
nfiles == 1 && option == "" { page = page marked($0); next }
nfiles == 1 { body = body marked($0); next }

$0 == "@SYNOPSIS@" { printf "%s", synopsis; next }
$0 == "@OPTIONS@" { end_row(); printf "%s", page; next }
{ print }

END {
	end_row()
	if (nfiles == 1)
		printf "static const char usage_lines[] =\n%s\t;\n\n" \
		       "static const struct option_row rows[] = {\n%s};\n",
		       lines, rows
}
