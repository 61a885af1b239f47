# SPDX-License-Identifier: GPL-3.0-or-later
# Pieces of other people's build systems.
sdtlinkmkdir = $(datadir)/sdtlink
dist_sdtlinkmk_DATA = share/sdtlink.mk
sdtlinkcmakedir = $(datadir)/cmake/sdtlink
dist_sdtlinkcmake_DATA = share/sdtlinkConfig.cmake
sdtlinkmesondir = $(datadir)/sdtlink/meson
dist_sdtlinkmeson_DATA = share/meson/meson.build
