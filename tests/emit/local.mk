# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/emit/emit-compilers \
	tests/emit/emit-enabled \
	tests/emit/emit-linker-set \
	tests/emit/emit-no-function-names \
	tests/emit/emit-odd-names \
	tests/emit/emit-options \
	tests/emit/emit-stubs-stay \
	tests/emit/emit-zero
