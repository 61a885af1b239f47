# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/source/source-lines \
	tests/source/source-machines \
	tests/source/source-markers \
	tests/source/source-markers-gdb \
	tests/source/source-none
