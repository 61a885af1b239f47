/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Without a probe. */
int state __attribute__((visibility("hidden"))) = 1;
const int table[] = { 1, 2, 3, 5, 7, 11, 13, 17 };

int outside(int n)
{
	return n * state + table[n & 7];
}
