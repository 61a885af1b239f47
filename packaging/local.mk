# SPDX-License-Identifier: GPL-3.0-or-later
EXTRA_DIST += packaging/release packaging/README.md \
	packaging/alpine/APKBUILD packaging/arch/PKGBUILD \
	packaging/rpm/sdtlink.spec \
	packaging/debian/changelog packaging/debian/control \
	packaging/debian/copyright packaging/debian/docs \
	packaging/debian/examples packaging/debian/lintian-overrides \
	packaging/debian/rules packaging/debian/source/lintian-overrides \
	packaging/debian/source/format packaging/debian/tests/control \
	packaging/debian/tests/hello

# make release VERSION=1.2
release:
	$(srcdir)/packaging/release '$(VERSION)'
.PHONY: release
