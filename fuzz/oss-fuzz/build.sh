#!/bin/bash -eu
# SPDX-License-Identifier: GPL-3.0-or-later
#
# build.sh - builds all fuzz targets as the public fuzzing service wants them:
# with $CC, $CXX, $CFLAGS and $CXXFLAGS, which have its sanitizer,
# and with $LIB_FUZZING_ENGINE, into $OUT, each beside the seeds that it begins
# with. It is run in the source, and builds in $WORK.

source=$PWD
: "${WORK:=$PWD/fuzzing}"
mkdir -p "$WORK" "$OUT"
test -x configure || ./bootstrap
cd "$WORK"
# libdw is not where the targets run, nor is libopcodes.
"$source/configure" -q --enable-fuzzing --without-libdw --without-libbfd \
	LIB_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
# Nor libelf, which is linked in with what it needs. An engine may be C++.
libs=
for name in elf z zstd; do
	case $("$CC" -print-file-name=lib$name.a) in
	*/*) libs="$libs -l:lib$name.a" ;;
	esac
done
make -s -j"$(nproc)" fuzz-targets CCLD="$CXX $CXXFLAGS" LIBS="$libs"
export ASAN_OPTIONS=detect_leaks=0
CC=${SEED_CC:-cc} SDTLINK=sdtlink/sdtlink "$source/fuzz/seeds" seeds >/dev/null
for path in "$source"/fuzz/fuzz-*.c; do
	target=${path##*/fuzz-} target=${target%.c}
	cp fuzz/fuzz-$target "$OUT"
	python3 -m zipfile -c "$OUT/fuzz-${target}_seed_corpus.zip" \
		seeds/$target/
	printf '[libfuzzer]\nmax_len = %d\n' \
		$(case $target in arguments) echo 4096 ;; *) echo 200000 ;; esac) \
		>"$OUT/fuzz-$target.options"
done
