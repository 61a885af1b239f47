# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/fault/fault-input \
	tests/fault/fault-link \
	tests/fault/fault-malloc \
	tests/fault/fault-output \
	tests/fault/fault-short-write \
	tests/fault/fault-stopped \
	tests/fault/fault-syscalls \
	tests/fault/fault-writer
