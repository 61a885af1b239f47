/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A polynomial modulo the prime 2^61 - 1, evaluated at a secret key. Its
 * coefficients are the length and seven bytes each. Two inputs of at most N
 * bytes have the same value at no more than N / 7 + 2 keys, whoever chose them:
 * J. Lawrence Carter and Mark N. Wegman, Universal classes of hash functions,
 * Journal of Computer and System Sciences 18, 1979.
 */
#include <config.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "hash.h"
#include "host.h"

#define PRIME ((UINT64_C(1) << 61) - 1)
#define KEY_BITS 58
#define COEFFICIENT_SIZE 7

/*
 * A * B modulo PRIME, less than 2^62. A is less than 2^63, and B than 2^58.
 * Since 2^61 is 1 modulo PRIME, the upper bits are added to the lower ones.
 */
static uint64_t multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 product = a;

	product *= b;
	return ((uint64_t)product & PRIME) + (uint64_t)(product >> 61);
#else
	uint64_t a_high = a >> 32, a_low = (uint32_t)a;
	uint64_t b_high = b >> 32, b_low = (uint32_t)b;
	uint64_t low = a_low * b_low, high = a_high * b_high;
	uint64_t one = a_high * b_low, other = a_low * b_high;
	uint64_t middle = (low >> 32) + (uint32_t)one + (uint32_t)other;

	high += (one >> 32) + (other >> 32) + (middle >> 32);
	low = middle << 32 | (uint32_t)low;
	return (low & PRIME) + (high << 3 | low >> 61);
#endif
}

/* The author of an input knows neither the time nor the addresses of a run. */
static uint64_t make_key(void)
{
	struct timespec now;
	uint64_t key = (uintptr_t)&now;

	if (clock_gettime(CLOCK_REALTIME, &now) == 0)
		key ^= (uint64_t)now.tv_sec << 30 ^ now.tv_nsec;
	/* Mix all bits. The result is odd, so it is not 0. */
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return key >> (64 - KEY_BITS) | 1;
}

/* All threads have the same: the first one makes it, which takes no time. */
static uint64_t key(void)
{
	enum { NOBODY, SOMEBODY, DONE };
	static atomic_int state;
	static uint64_t made;
	int nobody = NOBODY;

	if (atomic_load(&state) == DONE)
		return made;
	if (atomic_compare_exchange_strong(&state, &nobody, SOMEBODY)) {
		made = make_key();
		atomic_store(&state, DONE);
	}
	while (atomic_load(&state) != DONE)
		;
	return made;
}

uint64_t hash_bytes(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t k = key(), h = n, word;

	for (; n >= sizeof(word);
	     n -= COEFFICIENT_SIZE, p += COEFFICIENT_SIZE) {
		memcpy(&word, p, sizeof(word));
		word = host_is_big_endian() ? word >> 8 : word << 8 >> 8;
		h = multiply(h, k) + word;
	}
	word = 0;
	memcpy(&word, p, n);
	/* Up to seven bytes. On big-endian hosts they are the high ones. */
	h = multiply(h, k) + (host_is_big_endian() ? word >> 8 : word);
	return multiply(h, k);
}
