# SPDX-License-Identifier: GPL-3.0-or-later
# Real input, which must be fetched.

real_tests = \
	tests/real/real-against \
	tests/real/real-blocks \
	tests/real/real-calls-arm \
	tests/real/real-calls-arm64 \
	tests/real/real-calls-loong64 \
	tests/real/real-calls-riscv32 \
	tests/real/real-calls-riscv64 \
	tests/real/real-calls-s390x \
	tests/real/real-calls-sparc64 \
	tests/real/real-calls-x32 \
	tests/real/real-host-i386 \
	tests/real/real-host-musl \
	tests/real/real-host-s390x \
	tests/real/real-inject-amd64 \
	tests/real/real-inject-arm64 \
	tests/real/real-inject-armhf \
	tests/real/real-inject-i386 \
	tests/real/real-inject-ppc64el \
	tests/real/real-inject-riscv64 \
	tests/real/real-inject-s390x \
	tests/real/real-libc-aarch64 \
	tests/real/real-libc-arm \
	tests/real/real-libc-loong64 \
	tests/real/real-libc-powerpc \
	tests/real/real-libc-powerpc64 \
	tests/real/real-libc-powerpc64le \
	tests/real/real-libc-riscv64 \
	tests/real/real-libc-s390x \
	tests/real/real-libc-sparc64 \
	tests/real/real-libc-x32 \
	tests/real/real-jump-amd64 \
	tests/real/real-jump-i386 \
	tests/real/real-jump-vmlinux \
	tests/real/real-modules-amd64 \
	tests/real/real-modules-armel \
	tests/real/real-modules-armhf \
	tests/real/real-modules-i386 \
	tests/real/real-modules-ppc64el \
	tests/real/real-refused-mips \
	tests/real/real-refused-mips64 \
	tests/real/real-refused-mips64el \
	tests/real/real-refused-mipsel \
	tests/real/real-refused-mipsn32 \
	tests/real/real-refused-mipsn32el \
	tests/real/real-source \
	tests/real/real-vmlinux
EXTRA_DIST += $(real_tests) tests/real/real-calls tests/real/real-fetch tests/real/real-libc \
	tests/real/real-host tests/real/real-kernel tests/real/real-linux tests/real/real-systems \
	tests/systems/edk2 tests/systems/grub tests/systems/memtest86plus tests/systems/opensbi tests/systems/seabios tests/systems/tf-a \
	tests/systems/u-boot tests/systems/xen \
	tests/jump_oracle.py tests/jump_pads.py tests/real/real-jump \
	tests/real/real-inject tests/real/real-modules tests/real/real-refused \
	tests/real/check-table tests/real/flip-bits tests/real/numbers tests/real/partial

# The recipe that automake makes for each of TESTS, where these are not.
run_real = b="$$p"; \
	$(am__check_pre) $(LOG_DRIVER) --test-name "$$f" \
	--log-file "$$b.log" --trs-file "$$b.trs" \
	$(am__common_driver_flags) $(AM_LOG_DRIVER_FLAGS) \
	$(LOG_DRIVER_FLAGS) -- $(LOG_COMPILE) "$$tst" $(AM_TESTS_FD_REDIRECT)

tests/real/real-against.log:
	@p=tests/real/real-against; $(run_real)
tests/real/real-blocks.log:
	@p=tests/real/real-blocks; $(run_real)
tests/real/real-calls-arm.log:
	@p=tests/real/real-calls-arm; $(run_real)
tests/real/real-calls-arm64.log:
	@p=tests/real/real-calls-arm64; $(run_real)
tests/real/real-calls-loong64.log:
	@p=tests/real/real-calls-loong64; $(run_real)
tests/real/real-calls-riscv32.log:
	@p=tests/real/real-calls-riscv32; $(run_real)
tests/real/real-calls-riscv64.log:
	@p=tests/real/real-calls-riscv64; $(run_real)
tests/real/real-calls-s390x.log:
	@p=tests/real/real-calls-s390x; $(run_real)
tests/real/real-calls-sparc64.log:
	@p=tests/real/real-calls-sparc64; $(run_real)
tests/real/real-calls-x32.log:
	@p=tests/real/real-calls-x32; $(run_real)
tests/real/real-host-musl.log:
	@p=tests/real/real-host-musl; $(run_real)
tests/real/real-host-i386.log:
	@p=tests/real/real-host-i386; $(run_real)
tests/real/real-host-s390x.log:
	@p=tests/real/real-host-s390x; $(run_real)
tests/real/real-inject-amd64.log:
	@p=tests/real/real-inject-amd64; $(run_real)
tests/real/real-inject-arm64.log:
	@p=tests/real/real-inject-arm64; $(run_real)
tests/real/real-inject-armhf.log:
	@p=tests/real/real-inject-armhf; $(run_real)
tests/real/real-inject-i386.log:
	@p=tests/real/real-inject-i386; $(run_real)
tests/real/real-inject-ppc64el.log:
	@p=tests/real/real-inject-ppc64el; $(run_real)
tests/real/real-inject-riscv64.log:
	@p=tests/real/real-inject-riscv64; $(run_real)
tests/real/real-inject-s390x.log:
	@p=tests/real/real-inject-s390x; $(run_real)
tests/real/real-libc-aarch64.log:
	@p=tests/real/real-libc-aarch64; $(run_real)
tests/real/real-libc-arm.log:
	@p=tests/real/real-libc-arm; $(run_real)
tests/real/real-libc-loong64.log:
	@p=tests/real/real-libc-loong64; $(run_real)
tests/real/real-libc-powerpc.log:
	@p=tests/real/real-libc-powerpc; $(run_real)
tests/real/real-libc-powerpc64.log:
	@p=tests/real/real-libc-powerpc64; $(run_real)
tests/real/real-libc-powerpc64le.log:
	@p=tests/real/real-libc-powerpc64le; $(run_real)
tests/real/real-libc-riscv64.log:
	@p=tests/real/real-libc-riscv64; $(run_real)
tests/real/real-libc-s390x.log:
	@p=tests/real/real-libc-s390x; $(run_real)
tests/real/real-libc-sparc64.log:
	@p=tests/real/real-libc-sparc64; $(run_real)
tests/real/real-libc-x32.log:
	@p=tests/real/real-libc-x32; $(run_real)
tests/real/real-jump-amd64.log:
	@p=tests/real/real-jump-amd64; $(run_real)
tests/real/real-jump-i386.log:
	@p=tests/real/real-jump-i386; $(run_real)
tests/real/real-jump-vmlinux.log:
	@p=tests/real/real-jump-vmlinux; $(run_real)
tests/real/real-modules-amd64.log:
	@p=tests/real/real-modules-amd64; $(run_real)
tests/real/real-modules-armel.log:
	@p=tests/real/real-modules-armel; $(run_real)
tests/real/real-modules-armhf.log:
	@p=tests/real/real-modules-armhf; $(run_real)
tests/real/real-modules-i386.log:
	@p=tests/real/real-modules-i386; $(run_real)
tests/real/real-modules-ppc64el.log:
	@p=tests/real/real-modules-ppc64el; $(run_real)
tests/real/real-refused-mips.log:
	@p=tests/real/real-refused-mips; $(run_real)
tests/real/real-refused-mips64.log:
	@p=tests/real/real-refused-mips64; $(run_real)
tests/real/real-refused-mips64el.log:
	@p=tests/real/real-refused-mips64el; $(run_real)
tests/real/real-refused-mipsel.log:
	@p=tests/real/real-refused-mipsel; $(run_real)
tests/real/real-refused-mipsn32.log:
	@p=tests/real/real-refused-mipsn32; $(run_real)
tests/real/real-refused-mipsn32el.log:
	@p=tests/real/real-refused-mipsn32el; $(run_real)
tests/real/real-source.log:
	@p=tests/real/real-source; $(run_real)
tests/real/real-vmlinux.log:
	@p=tests/real/real-vmlinux; $(run_real)
