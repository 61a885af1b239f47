# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/package/package-alpine \
	tests/package/package-arch \
	tests/package/package-bootstrap \
	tests/package/package-debian \
	tests/package/package-release \
	tests/package/package-rpm
