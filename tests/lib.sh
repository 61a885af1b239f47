# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sourced by the tests in shell. Each runs in a directory of its own, which
# is removed at the end, and finds the files of the distribution in $srcdir.
#
#   $builddir     where the tests' own programs are, below tests/
#   $SDTLINK      the command
#   $CC           a C compiler, for x86-64 unless told otherwise
#   $LLVM         the newest version of LLVM that is here: clang-$LLVM
#   $SDTLINK_STRIDE  of thousands that are alike, one of so many is enough
#   sdtlink       runs the command, under valgrind if $SDTLINK_VALGRIND is set
set -u

export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL NO_COLOR SOURCE_DATE_EPOCH

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
: "${builddir:=$PWD}"
: "${SDTLINK:=$PWD/sdtlink/sdtlink}" "${CC:=cc}" "${PYTHON:=python3}"
# Not the function of that name, below.
case $CC in
cc | 'cc '*) CC=$(command -v cc)${CC#cc} ;;
esac
test_name=${0##*/}
. "$srcdir/tests/tools"
LLVM=${llvm##* }
for lib_version in $llvm; do
	! command -v ld.lld-$lib_version >/dev/null || LLVM=$lib_version
done
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
	for lib_tool; do
		command -v "$lib_tool" >/dev/null || skip "no $lib_tool here"
	done
}

# long - for what takes minutes: only "make check-long" does it.
long() {
	test -n "${SDTLINK_LONG-}" || skip "it takes minutes: make check-long"
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
			--log-file="$dir/../$test_name.valgrind" "$SDTLINK" "$@"
		lib_status=$?
		test $lib_status -ne 99 ||
			cat "$dir/../$test_name.valgrind" >&2
		rm -f "$dir/../$test_name.valgrind"
		return $lib_status
	}
else
	sdtlink() { "$SDTLINK" "$@"; }
fi

# sampled - is this call of it one of those to be tried? One in three, where a
# sample is enough; else each. The sum of the digits picks them, so that no loop
# around it sees the same of its cases each time.
sampled() {
	test "${SDTLINK_STRIDE:-1}" -ne 1 || return 0
	lib_nth=$((${lib_nth-0} + 1))
	lib_rest=$lib_nth lib_digits=0
	while test $lib_rest -gt 0; do
		lib_digits=$((lib_digits + lib_rest % 3)) \
			lib_rest=$((lib_rest / 3))
	done
	test $((lib_digits % 3)) -eq 1
}

lib_hint="^Try 'sdtlink --explain="

# run STATUS COMMAND... - keeps what it prints in the files out and err, and
# fails unless its exit status is STATUS. Where --explain is named, that is left
# out: doc-explain tries it.
run() {
	lib_wanted=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err"
	lib_status=$?
	! grep -q "$lib_hint" "$dir/err" || sed -i "/$lib_hint/d" "$dir/err"
	test $lib_status -eq "$lib_wanted" && return
	cat "$dir/out" "$dir/err"
	fail "exit status $lib_status and not $lib_wanted: $*"
}

# measured LIMIT COMMAND... - milliseconds of the processor's time that COMMAND
# takes, in $took; it prints to the file out. Of three runs the best counts, and
# of more while it is above LIMIT: others who use the machine make it slower,
# never quicker.
measured() {
	lib_limit=$1
	shift
	took=$("$PYTHON" -c 'import resource, subprocess, sys
def spent():
    # Both: how the sum of a few milliseconds is split is a matter of chance.
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (usage.ru_utime + usage.ru_stime)
limit, out, *command = sys.argv[1:]
best = float("inf")
for n in range(30):
    if n >= 3 and best <= int(limit):
        break
    before = spent()
    subprocess.run(command, check=True, stdout=open(out, "w"))
    best = min(best, spent() - before)
print(round(best))
' $lib_limit "$dir/out" "$@") || fail "not measured: $*"
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
	lib_file=$1
	shift
	for lib_text; do
		grep -qF -e "$lib_text" "$lib_file" || {
			cat "$lib_file"
			fail "no '$lib_text' in $lib_file"
		}
	done
}

# has_no FILE TEXT...
has_no() {
	lib_file=$1
	shift
	for lib_text; do
		! grep -F -e "$lib_text" "$lib_file" ||
			fail "'$lib_text' in $lib_file"
	done
}

# json PATH - the value at PATH, as Python has it, of the document in out.
json() {
	$PYTHON -I -S -c 'import json, sys
print(eval("d" + sys.argv[2], {"d": json.load(open(sys.argv[1])), "len": len,
	"list": list, "sum": sum, "sorted": sorted}))' "$dir/out" "$1"
}

# json_is PATH VALUE
json_is() {
	lib_text=$(json "$1")
	test "$lib_text" = "$2" || fail "$1 is '$lib_text' and not '$2'"
}

# cc FILE.o [OPTION]... <SOURCE - compiles C, freestanding.
cc() {
	lib_file=$1
	shift
	cat >"${lib_file%.o}.c"
	$CC -std=gnu99 -O2 -fno-inline -ffreestanding -fno-stack-protector \
		-fno-pic -fcf-protection=none "$@" -c -o "$lib_file" \
		"${lib_file%.o}.c" || exit 99
}

# as FILE.o [OPTION]... <SOURCE - assembles.
as() {
	lib_file=$1
	shift
	{
		cat
		printf '\t.section .note.GNU-stack,"",@progbits\n'
	} >"${lib_file%.o}.s"
	$CC "$@" -c -o "$lib_file" "${lib_file%.o}.s" || exit 99
}

# stubs [OPTION]... - compiles probes.c as a kernel does.
stubs() {
	$CC -std=c99 -ffreestanding -Wall -Wextra -Werror -pedantic -O2 \
		-fno-pic "$@" -c -o probes.o probes.c || exit 99
}

# sample [OPTION]... - makes the partial kernel.o: four sites of three probes
# in three functions, one a tail call, one is-enabled.
sample() {
	need_x86
	cc sample.o "$@" <<-'END'
		void __dtrace_sdt_udp___receive(int);
		void __dtrace_sdt_udp___send__done(void);
		int __dtrace_sdt_enabled_udp___receive(int);
		int udp_input(int n)
		{
			if (__dtrace_sdt_enabled_udp___receive(n))
				__dtrace_sdt_udp___receive(n);
			return n;
		}
		void udp_output(void) { __dtrace_sdt_udp___send__done(); }
		int start(int n)
		{
			__dtrace_sdt_udp___receive(n);
			udp_output();
			return udp_input(n + 1);
		}
	END
	case " $* " in
	*' -m32 '*) ld -m elf_i386 -r -o kernel.o sample.o || exit 99 ;;
	*) ld -r -o kernel.o sample.o || exit 99 ;;
	esac
}

# link_final FILE... - links kernel.elf; --verify is to judge it.
link_final() {
	ld -e start -o kernel.elf "$@" || exit 99
}

# oracle ARGUMENT... - fails unless the oracle finds the table true.
oracle() {
	$PYTHON "$srcdir/tests/oracle-verify" "$@" >oracle.out || {
		cat oracle.out
		fail "the oracle disagrees"
	}
}

# drifts CAUSE ARGUMENT... - --verify finds just that cause, first; the
# findings stay in out, as JSON.
drifts() {
	lib_cause=$1
	shift
	run 1 sdtlink --verify --format=json "$@"
	lib_text=$(json '["verdict"] + ": " + d["findings"][0]["cause"]')
	test "$lib_text" = "drift: $lib_cause" || {
		"$SDTLINK" --verify "$@"
		fail "it is $lib_text, and not $lib_cause first"
	}
}
