# SPDX-License-Identifier: GPL-3.0-or-later
sdtlinkdatadir = $(datadir)/sdtlink
dist_sdtlinkdata_DATA = doc/json-schema.json
EXTRA_DIST += doc/adding-an-isa.md doc/at-boot.md doc/cost.md doc/design.md \
	doc/cost.svg doc/drift.svg doc/forms.md doc/hosts.md doc/linkers.md \
	doc/linkers-gc.svg doc/linkers-lto.svg doc/linkers-machines.svg \
	doc/linkers-order.svg doc/linkers-pictures \
	doc/matrix-others.md doc/matrix.md doc/overview.py \
	doc/overview.svg doc/proof.md doc/speed.md doc/targets.md \
	doc/toolchains.md doc/troubleshooting.md doc/integrating/README.md \
	doc/integrating/cmake.md doc/integrating/edk2.md \
	doc/integrating/grub.md doc/integrating/kbuild.md \
	doc/integrating/seabios.md \
	doc/integrating/libraries.md doc/integrating/linker-script.md \
	doc/integrating/linux.md doc/integrating/make.md \
	doc/integrating/memtest86plus.md doc/integrating/meson.md \
	doc/integrating/not-tried.md \
	doc/integrating/opensbi.md doc/integrating/tf-a.md \
	doc/integrating/u-boot.md doc/integrating/xen.md
