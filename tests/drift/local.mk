# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/drift/drift-against \
	tests/drift/drift-flipped \
	tests/drift/drift-libc \
	tests/drift/drift-maps \
	tests/drift/drift-moves \
	tests/drift/drift-random \
	tests/drift/drift-relaxed \
	tests/drift/drift-report \
	tests/drift/drift-weak \
	tests/drift/drift-wide
