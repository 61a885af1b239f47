# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/runtime/runtime-anchored \
	tests/runtime/runtime-arch \
	tests/runtime/runtime-arguments \
	tests/runtime/runtime-cxx \
	tests/runtime/runtime-names \
	tests/runtime/runtime-no-probes \
	tests/runtime/runtime-own-stubs \
	tests/runtime/runtime-patch-cross \
	tests/runtime/runtime-plain-bare \
	tests/runtime/runtime-stack \
	tests/runtime/runtime-trampoline \
	tests/runtime/runtime-warnings
