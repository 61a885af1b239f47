# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/cli/cli-closed-files \
	tests/cli/cli-color \
	tests/cli/cli-completion \
	tests/cli/cli-cost \
	tests/cli/cli-cost-others \
	tests/cli/cli-depfile \
	tests/cli/cli-depfile-response \
	tests/cli/cli-dump \
	tests/cli/cli-escapes \
	tests/cli/cli-findings \
	tests/cli/cli-help \
	tests/cli/cli-jobs \
	tests/cli/cli-json \
	tests/cli/cli-json-bytes \
	tests/cli/cli-json-diagnostics \
	tests/cli/cli-json-final \
	tests/cli/cli-libraries \
	tests/cli/cli-modes \
	tests/cli/cli-names \
	tests/cli/cli-output-device \
	tests/cli/cli-output-elsewhere \
	tests/cli/cli-output-failure \
	tests/cli/cli-output-readonly \
	tests/cli/cli-output-stdout \
	tests/cli/cli-output-symlink \
	tests/cli/cli-output-unchanged \
	tests/cli/cli-reproducible \
	tests/cli/cli-require-probes \
	tests/cli/cli-response \
	tests/cli/cli-verbose \
	tests/cli/cli-version \
	tests/cli/cli-wrong-option
