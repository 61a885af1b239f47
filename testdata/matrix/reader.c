/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Not in the partial: refers to the table, as a program that reads it does. */
#if defined(ANCHORED)
extern const unsigned __start_sdt_sites[], __stop_sdt_sites[];
#elif defined(OFFSETS)
extern const unsigned sdt_table[] __attribute__((visibility("hidden")));
#endif

extern volatile int state;

void reader(void);
void reader(void)
{
#if defined(ANCHORED)
	const unsigned *volatile first = __start_sdt_sites;
	const unsigned *volatile last = __stop_sdt_sites;

	state = (int)(last - first);
#elif defined(OFFSETS)
	const unsigned *volatile first = sdt_table;

	state = (int)first[0];
#endif
}
