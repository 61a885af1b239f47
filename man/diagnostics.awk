# SPDX-License-Identifier: GPL-3.0-or-later
#
# awk -v to=c|man -f diagnostics.awk diagnostics.txt - rows of strings for C, or
# the page sdtlink-diagnostics(7).

function c_string(text,    i, c, out)
{
	# gsub() and backslashes differ from one awk to the other.
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "\\" || c == "\"")
			c = "\\" c
		out = out (c == "\t" ? "\\t" : c)
	}
	return "\"" out "\""
}

function roff(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	if (text ~ /^[.']/)
		text = "\\&" text
	return text
}

function end_entry()
{
	if (name == "")
		return
	if (to == "c")
		print "\t},"
	name = ""
}

BEGIN {
	if (to == "man") {
		print ".\\\" Made from diagnostics.txt by diagnostics.awk."
		print ".TH SDTLINK-DIAGNOSTICS 7 \"\" \"sdtlink\""
		print ".SH NAME"
		print "sdtlink-diagnostics \\- what the messages of sdtlink mean"
		print ".SH DESCRIPTION"
		print "Each error, warning and note of"
		print ".BR sdtlink (1)"
		print "has a code, and each finding of"
		print ".B \\-\\-verify"
		print "a cause; the last line is its verdict."
		print "The same is printed by"
		print ".BI \"sdtlink \\-\\-explain=\" CODE\\fR."
	}
	kind = ""
}

/^#/ && part == 0 { next }

/^= / {
	end_entry()
	name = $2
	about = $0
	sub(/^= [^ ]+ [^ ]+ /, "", about)
	part = 1
	if (to == "c") {
		printf "\t{ %s, %s,\n", c_string(name), c_string(about)
	} else {
		if (kind != $3)
			print ".SH " toupper($3) "S"
		print ".SS " roff(name)
		print "(" roff(about) ")"
		print ".PP"
	}
	kind = $3
	next
}

/^---$/ {
	if (to == "c")
		print "\t  \"\","
	else if (part == 2 && has_lines)
		print ".EE\n.RE"
	part++
	has_lines = 0
	if (to == "man" && part == 3)
		print ".PP"
	next
}

# A blank line is only between entries.
$0 == "" && part != 2 { next }
part > 0 {
	if (to == "c") {
		print "\t  " c_string($0) " \"\\n\""
	} else {
		if (part == 2 && !has_lines)
			print ".PP\n.RS 4\n.EX"
		print roff($0)
	}
	has_lines = 1
}

END {
	end_entry()
	if (to == "man")
		print ".SH \"SEE ALSO\"\n.BR sdtlink (1),\n.BR sdtlink\\-machines (7)"
}
