# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sourced by the tests in shell. Each runs in a directory of its own, which
# is removed at the end, and finds the files of the distribution in $srcdir.
#
#   $builddir     where the tests' own programs are, below tests/
#   $SDTLINK      the command
#   $CC           a C compiler, for x86-64 unless told otherwise
#   sdtlink       runs the command, under valgrind if $SDTLINK_VALGRIND is set
set -u

export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL NO_COLOR SOURCE_DATE_EPOCH

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
: "${builddir:=$PWD}"
: "${SDTLINK:=$PWD/sdtlink/sdtlink}" "${CC:=cc}" "${PYTHON:=python3}"
test_name=${0##*/}
dir=$(mktemp -d "$PWD/$test_name.XXXXXX") && cd "$dir" || exit 99
trap 'cd / && chmod -R u+w "$dir" && rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
	echo "$test_name: $*" >&2
	exit 1
}

skip() {
	echo "$test_name: skipped: $*" >&2
	exit 77
}

# need TOOL... - skips without them.
need() {
	for tool; do
		command -v "$tool" >/dev/null || skip "no $tool here"
	done
}

# need_m32 - skips if the compiler makes no code for i386.
need_m32() {
	echo 'int x;' >m32.c
	$CC -m32 -c -o m32.o m32.c 2>/dev/null &&
		readelf -h m32.o 2>/dev/null | grep -q 'Intel 80386' ||
		skip "$CC has no -m32 here"
}

# need_x86 - skips if the compiler makes no code for x86-64.
need_x86() {
	echo 'int x;' >m64.c
	$CC -c -o m64.o m64.c && readelf -h m64.o | grep -q 'X86-64' ||
		skip "$CC is no compiler for x86-64"
}

if test -n "${SDTLINK_VALGRIND-}"; then
	need valgrind
	sdtlink() {
		valgrind -q --error-exitcode=99 --leak-check=full \
			--log-file="$dir/valgrind.%p" "$SDTLINK" "$@"
		status=$?
		test $status -ne 99 || cat "$dir"/valgrind.* >&2
		return $status
	}
else
	sdtlink() { "$SDTLINK" "$@"; }
fi

# run STATUS COMMAND... - keeps what it prints in the files out and err, and
# fails unless its exit status is STATUS.
run() {
	wanted=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err"
	status=$?
	test $status -eq "$wanted" && return
	cat "$dir/out" "$dir/err"
	fail "exit status $status and not $wanted: $*"
}

# says TEXT... - the last run printed exactly these lines as its errors.
says() {
	printf '%s\n' "$@" | diff - "$dir/err" || fail "other messages"
}

# prints TEXT... - the last run printed exactly these lines.
prints() {
	printf '%s\n' "$@" | diff - "$dir/out" || fail "other output"
}

# has FILE TEXT... - each TEXT is part of a line of FILE.
has() {
	file=$1
	shift
	for text; do
		grep -qF -e "$text" "$file" || {
			cat "$file"
			fail "no '$text' in $file"
		}
	done
}

# has_no FILE TEXT...
has_no() {
	file=$1
	shift
	for text; do
		! grep -F -e "$text" "$file" || fail "'$text' in $file"
	done
}

# json PATH - the value at PATH, as Python has it, of the document in out.
json() {
	$PYTHON -c 'import json, sys
print(eval("d" + sys.argv[2], {"d": json.load(open(sys.argv[1])), "len": len,
	"list": list, "sum": sum, "sorted": sorted}))' "$dir/out" "$1"
}

# json_is PATH VALUE
json_is() {
	value=$(json "$1")
	test "$value" = "$2" || fail "$1 is '$value' and not '$2'"
}

# cc FILE.o [OPTION]... <SOURCE - compiles C, freestanding.
cc() {
	object=$1
	shift
	cat >"${object%.o}.c"
	$CC -std=gnu99 -ffreestanding -fno-stack-protector -fno-pic \
		-fcf-protection=none -O2 "$@" -c -o "$object" \
		"${object%.o}.c" || exit 99
}

# as FILE.o [OPTION]... <SOURCE - assembles.
as() {
	object=$1
	shift
	cat >"${object%.o}.s"
	$CC "$@" -c -o "$object" "${object%.o}.s" || exit 99
}

# stubs [OPTION]... - compiles probes.c as a kernel does.
stubs() {
	$CC -std=c99 -ffreestanding -Wall -Wextra -Werror -pedantic -O2 \
		-fno-pic "$@" -c -o probes.o probes.c || exit 99
}
