# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/jump/jump-check \
	tests/jump/jump-fixed \
	tests/jump/jump-oracle \
	tests/jump/jump-pads \
	tests/jump/jump-pads-bad \
	tests/jump/jump-rseq \
	tests/jump/jump-run
