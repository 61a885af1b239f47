/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The jumps of tracepoints: literal words, both ends of each range, and what
 * FreeBSD's own encoders once made, which must not pass for the right jump.
 */
#include <config.h>

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "arch/arm.h"
#include "arch/tracepoint.h"
#include "unit.h"

#define EM_LARCH 258 /* EM_LOONGARCH, newer than some <elf.h> */

/* The word that goes over DISTANCE, and back. */
static void check_jump(uint16_t machine, bool is_64, bool is_big,
		       int64_t distance, const char *bytes, unsigned n)
{
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(machine, is_64, 0);
	uint8_t found[TRACEPOINT_INSN_MAX];
	int64_t back = 0;

	CHECK(isa != NULL && isa->length == n);
	CHECK(tracepoint_encode(isa, is_big, distance, found));
	CHECK(memcmp(found, bytes, n) == 0);
	CHECK(tracepoint_decode(isa, is_big, found, &back));
	CHECK(back == distance);
}

/* LOW and HIGH are the last that fit. */
static void check_range(uint16_t machine, bool is_64, int64_t low, int64_t high,
			int step)
{
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(machine, is_64, 0);
	const int64_t fit[] = { low, low + step, high - step, high };
	const int64_t too_far[] = { low - step, high + step, low + 1 };
	uint8_t bytes[TRACEPOINT_INSN_MAX];

	for (int i = 0; i < 4; i++) {
		int64_t back = 0;

		CHECK(tracepoint_encode(isa, false, fit[i], bytes));
		CHECK(tracepoint_decode(isa, false, bytes, &back));
		CHECK(back == fit[i]);
	}
	for (int i = 0; i < (step > 1 ? 3 : 2); i++)
		CHECK(!tracepoint_encode(isa, false, too_far[i], bytes));
}

/* These bytes are no jump, or one over another distance. */
static void check_wrong(uint16_t machine, bool is_64, bool is_big,
			int64_t distance, const char *bytes)
{
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(machine, is_64, 0);
	int64_t back = 0;
	bool is_sled;

	CHECK(!tracepoint_decode(isa, is_big, (const uint8_t *)bytes, &back) ||
	      back != distance);
	CHECK(!tracepoint_is_nop(isa, is_big, (const uint8_t *)bytes,
				 &is_sled));
}

static void check_nop(uint16_t machine, bool is_64, bool is_big,
		      const char *bytes, bool wants_sled)
{
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(machine, is_64, 0);
	bool is_sled = !wants_sled;

	CHECK(tracepoint_is_nop(isa, is_big, (const uint8_t *)bytes, &is_sled));
	CHECK(is_sled == wants_sled);
}

static void test_jumps(void)
{
	/* jmp .+0x10, jmp .-0x10 */
	check_jump(EM_X86_64, true, false, 0x10, "\xe9\x0b\0\0\0", 5);
	check_jump(EM_X86_64, false, false, 0x10, "\xe9\x0b\0\0\0", 5);
	check_jump(EM_386, false, false, -0x10, "\xe9\xeb\xff\xff\xff", 5);
	/* b .+0x1000, b .-4 */
	check_jump(EM_AARCH64, true, false, 0x1000, "\0\x04\0\x14", 4);
	check_jump(EM_AARCH64, true, true, -4, "\xff\xff\xff\x17", 4);
	/* b .+0x1000 (pc is 8 ahead), b .-4 */
	check_jump(EM_ARM, false, false, 0x1000, "\xfe\x03\0\xea", 4);
	check_jump(EM_ARM, false, false, -4, "\xfd\xff\xff\xea", 4);
	/* b .+0x1000, b .-4 */
	check_jump(EM_PPC, false, true, 0x1000, "\x48\0\x10\0", 4);
	check_jump(EM_PPC64, true, true, -4, "\x4b\xff\xff\xfc", 4);
	check_jump(EM_PPC64, true, false, -4, "\xfc\xff\xff\x4b", 4);
	/* j .+0x800, j .-4 */
	check_jump(EM_RISCV, true, false, 0x800, "\x6f\0\x10\0", 4);
	check_jump(EM_RISCV, false, false, -4, "\x6f\xf0\xdf\xff", 4);
	/* b .+0x1000, b .-4 */
	check_jump(EM_LARCH, true, false, 0x1000, "\0\0\x10\x50", 4);
	check_jump(EM_LARCH, true, false, -4, "\xff\xff\xff\x53", 4);
	/* b .+0x1000, b .-4 */
	check_jump(EM_MIPS, false, true, 0x1000, "\x10\0\x03\xff", 4);
	check_jump(EM_MIPS, true, false, -4, "\xfe\xff\0\x10", 4);
	/* jg .+0x1000, jg .-4 */
	check_jump(EM_S390, true, true, 0x1000, "\xc0\xf4\0\0\x08\0", 6);
	check_jump(EM_S390, true, true, -4, "\xc0\xf4\xff\xff\xff\xfe", 6);
	/* ba,a,pt %xcc,.+0x1000, ba,a,pt %xcc,.-4 */
	check_jump(EM_SPARCV9, true, true, 0x1000, "\x30\x68\x04\0", 4);
	check_jump(EM_SPARCV9, true, true, -4, "\x30\x6f\xff\xff", 4);
}

/* b.w is in two halves, each in the order of the data. */
static void test_thumb(void)
{
	static const struct {
		int64_t distance;
		const char *little;
	} cases[] = {
		{ 0x1000, "\x00\xf0\xfe\xbf" }, /* b.w .+0x1000 */
		{ -4, "\xff\xf7\xfc\xbf" },	/* b.w .-4 */
		{ (16 << 20) + 2, "\xff\xf3\xff\x97" },
		{ 4 - (16 << 20), "\x00\xf4\x00\x90" },
		{ 0x800004, "\x00\xf0\x00\x98" }, /* only J1 and S differ */
	};
	const struct tracepoint_isa *isa =
		tracepoint_isa_find(EM_ARM, false, THUMB);
	uint8_t bytes[TRACEPOINT_INSN_MAX];
	int64_t back;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *little = cases[i].little;
		char big[] = { little[1], little[0], little[3], little[2] };

		CHECK(tracepoint_encode(isa, false, cases[i].distance, bytes));
		CHECK(memcmp(bytes, little, 4) == 0);
		CHECK(tracepoint_decode(isa, false, bytes, &back) &&
		      back == cases[i].distance);
		CHECK(tracepoint_encode(isa, true, cases[i].distance, bytes));
		CHECK(memcmp(bytes, big, 4) == 0);
	}
	CHECK(!tracepoint_encode(isa, false, (16 << 20) + 4, bytes));
	CHECK(!tracepoint_encode(isa, false, 2 - (16 << 20), bytes));
	CHECK(!tracepoint_encode(isa, false, 5, bytes));
	/* bl, bne.w, blx */
	CHECK(!tracepoint_decode(isa, false,
				 (const uint8_t *)"\x00\xf0\xfe\xff", &back));
	CHECK(!tracepoint_decode(isa, false,
				 (const uint8_t *)"\x40\xf0\xfe\xa7", &back));
	CHECK(!tracepoint_decode(isa, false,
				 (const uint8_t *)"\x00\xf0\xfe\xef", &back));
	CHECK(tracepoint_is_own_nop(isa, false,
				    (const uint8_t *)"\xaf\xf3\x00\x80"));
	CHECK(tracepoint_is_own_nop(isa, true,
				    (const uint8_t *)"\xf3\xaf\x80\x00"));
	CHECK(!tracepoint_is_own_nop(isa, false,
				     (const uint8_t *)"\x00\xf0\x20\xe3"));
}

static void test_ranges(void)
{
	const int64_t mib = 1 << 20;

	check_range(EM_X86_64, true, 5 - 2048 * mib, 4 + 2048 * mib, 1);
	check_range(EM_X86_64, false, 5 - 2048 * mib, 4 + 2048 * mib, 1);
	check_range(EM_AARCH64, true, -128 * mib, 128 * mib - 4, 4);
	check_range(EM_ARM, false, 8 - 32 * mib, 4 + 32 * mib, 4);
	check_range(EM_PPC, false, -32 * mib, 32 * mib - 4, 4);
	check_range(EM_PPC64, true, -32 * mib, 32 * mib - 4, 4);
	check_range(EM_RISCV, true, -mib, mib - 2, 2);
	check_range(EM_LARCH, true, -128 * mib, 128 * mib - 4, 4);
	check_range(EM_MIPS, true, 4 - (1 << 17), 1 << 17, 4);
	check_range(EM_S390, true, -4096 * mib, 4096 * mib - 2, 2);
	check_range(EM_SPARCV9, true, -mib, mib - 4, 4);
}

static void test_nops(void)
{
	check_nop(EM_X86_64, true, false, "\x90\x90\x90\x90\x90", true);
	check_nop(EM_X86_64, true, false, "\x66\x0f\x1f\x04\0", false);
	check_nop(EM_386, false, false, "\x0f\x1f\x44\0\0", false);
	check_nop(EM_AARCH64, true, true, "\x1f\x20\x03\xd5", false);
	check_nop(EM_ARM, false, false, "\0\xf0\x20\xe3", false);
	check_nop(EM_PPC, false, true, "\x60\0\0\0", false);
	check_nop(EM_PPC64, true, false, "\0\0\0\x60", false);
	check_nop(EM_RISCV, true, false, "\x13\0\0\0", false);
	check_nop(EM_LARCH, true, false, "\0\0\x40\x03", false);
	check_nop(EM_MIPS, false, true, "\0\0\0\0", false);
	check_nop(EM_S390, true, true, "\xc0\x04\0\0\0\0", false);
	check_nop(EM_SPARCV9, true, true, "\x01\0\0\0", false);
}

/* Three encoders as they were shipped. */
static void test_defects(void)
{
	/* arm refused all targets ahead: the last in reach fits. */
	check_jump(EM_ARM, false, false, (32 << 20) + 4, "\xff\xff\x7f\xea", 4);
	/* powerpc took 27 bits of a distance of 26: -4 became bcctr or so. */
	check_wrong(EM_PPC64, true, true, -4, "\x4f\xff\xff\xfc");
	check_wrong(EM_PPC64, true, false, -4, "\xfc\xff\xff\x4f");
	/* riscv put bit 11 to 21, and lost the sign. */
	check_wrong(EM_RISCV, true, false, 0x800, "\x6f\0\x20\0");
	check_wrong(EM_RISCV, true, false, -4, "\x6f\xf0\xef\x7f");
}

int main(void)
{
	test_jumps();
	test_thumb();
	test_ranges();
	test_nops();
	test_defects();
	/* A call is no jump, nor is one that is absolute or conditional. */
	check_wrong(EM_X86_64, true, false, 0x10, "\xe8\x0b\0\0\0");
	check_wrong(EM_AARCH64, true, false, 0x1000, "\0\x04\0\x94");
	check_wrong(EM_ARM, false, false, 0x1000, "\xfe\x03\0\x1a");
	check_wrong(EM_PPC, false, true, 0x1000, "\x48\0\x10\x01");
	check_wrong(EM_PPC, false, true, 0x1000, "\x48\0\x10\x02");
	check_wrong(EM_RISCV, true, false, 0x800, "\xef\0\x10\0");
	/* ba,pt has a delay slot; brcl 14 is conditional; so is bne */
	check_wrong(EM_SPARCV9, true, true, 0x1000, "\x10\x68\x04\0");
	check_wrong(EM_S390, true, true, 0x1000, "\xc0\xe4\0\0\x08\0");
	check_wrong(EM_MIPS, true, true, 0x1000, "\x14\0\x03\xff");
	check_wrong(EM_LARCH, true, false, 0x1000, "\0\0\x10\x54");
	CHECK(tracepoint_isa_find(EM_68K, false, 0) == NULL);
	CHECK(tracepoint_isa_find(EM_AARCH64, false, 0) == NULL);
	return unit_status();
}
