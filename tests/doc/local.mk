# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/doc/doc-diagnostics \
	tests/doc/doc-examples \
	tests/doc/doc-explain \
	tests/doc/doc-hooks \
	tests/doc/doc-integrating \
	tests/doc/doc-json \
	tests/doc/doc-options \
	tests/doc/doc-pictures \
	tests/doc/doc-sdt \
	tests/doc/doc-table \
	tests/doc/doc-targets
