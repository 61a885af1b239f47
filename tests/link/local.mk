# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/link/link-alternatives \
	tests/link/link-cold-only \
	tests/link/link-comdat \
	tests/link/link-comdat-differs \
	tests/link/link-comdat-many \
	tests/link/link-dead \
	tests/link/link-dead-falls \
	tests/link/link-dead-many \
	tests/link/link-dead-names \
	tests/link/link-dead-tables \
	tests/link/link-drift \
	tests/link/link-excluded \
	tests/link/link-first \
	tests/link/link-fragment \
	tests/link/link-function-sections \
	tests/link/link-localized \
	tests/link/link-many-sections \
	tests/link/link-merge-script \
	tests/link/link-merged-group \
	tests/link/link-programs \
	tests/link/link-refused-section \
	tests/link/link-relative-table \
	tests/link/link-stripped-local \
	tests/link/link-two-partials \
	tests/link/link-wrapper \
	tests/link/link-wrapper-asks \
	tests/link/link-wrapper-clang \
	tests/link/link-wrapper-output \
	tests/link/link-wrapper-passes \
	tests/link/link-wrapper-refused \
	tests/link/link-wrapper-rust
