/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two functions that fire the same probe, a probe in a static inline function
 * (one line, two sites), and two that hardly ever run: gcc moves those out of
 * the way, into .text.unlikely.
 */
#include "kernel.h"

#define LEN_MAX 1500

static unsigned int nresets;

/* An is-enabled probe that is the tail call of its function. */
int udp_is_traced(void)
{
	return SDT_PROBE_ENABLED(udp, receive);
}

static inline unsigned int checksum(const struct packet *packet)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < packet->len; i++)
		sum = (sum << 1 | sum >> 31) ^ packet->data[i];
	SDT_PROBE2(net, checksum, packet->port, sum);
	return sum;
}

/* gcc takes a block that begins with a call of this for cold, too. */
static cold void reset(unsigned int port)
{
	nresets++;
	SDT_PROBE2(net, reset, port, nresets);
	__asm__ volatile("" : : : "memory"); /* no tail call, for once */
}

unsigned int udp_receive(const struct packet *packet)
{
	SDT_PROBE2(udp, receive, packet->port, packet->len);
	if (packet->len > LEN_MAX) {
		reset(packet->port);
		SDT_PROBE1(net, drop, packet->len);
		return 0;
	}
	return checksum(packet);
}

unsigned int udp6_receive(const struct packet *packet)
{
	SDT_PROBE2(udp, receive, packet->port, packet->len);
	return ~checksum(packet);
}
