# SPDX-License-Identifier: GPL-3.0-or-later
shell_tests += \
	tests/boot/boot-kernel \
	tests/boot/boot-live-aarch64 \
	tests/boot/boot-live-cortex_m \
	tests/boot/boot-live-ppc64le \
	tests/boot/boot-live-riscv64 \
	tests/boot/boot-live-s390x \
	tests/boot/boot-live-x32 \
	tests/boot/boot-live-x86_64
