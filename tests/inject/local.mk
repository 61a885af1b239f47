# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/inject/inject-alias \
	tests/inject/inject-anchor \
	tests/inject/inject-crel \
	tests/inject/inject-dead \
	tests/inject/inject-defined \
	tests/inject/inject-excluded \
	tests/inject/inject-high-strings \
	tests/inject/inject-local-branch \
	tests/inject/inject-many-sections \
	tests/inject/inject-mips64 \
	tests/inject/inject-no-trace \
	tests/inject/inject-nop \
	tests/inject/inject-nop-icf \
	tests/inject/inject-nop-prefix \
	tests/inject/inject-notes \
	tests/inject/inject-notes-cross \
	tests/inject/inject-notes-links \
	tests/inject/inject-objects \
	tests/inject/inject-pieces \
	tests/inject/inject-riscv \
	tests/inject/inject-shuffle \
	tests/inject/inject-symbol \
	tests/inject/inject-table \
	tests/inject/inject-untouched \
	tests/inject/inject-unwind
