# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/branch/branch-damaged \
	tests/branch/branch-form \
	tests/branch/branch-mutants \
	tests/branch/branch-thumb \
	tests/branch/branch-x32
