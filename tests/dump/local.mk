# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/dump/dump-against \
	tests/dump/dump-against-kernel \
	tests/dump/dump-archive \
	tests/dump/dump-boot-image \
	tests/dump/dump-flashed \
	tests/dump/dump-foreign \
	tests/dump/dump-growth \
	tests/dump/dump-injected \
	tests/dump/dump-lookalike \
	tests/dump/dump-memory \
	tests/dump/dump-memory-cross \
	tests/dump/dump-memory-dropped \
	tests/dump/dump-memory-forms \
	tests/dump/dump-moved \
	tests/dump/dump-qemu \
	tests/dump/dump-questions \
	tests/dump/dump-stripped
