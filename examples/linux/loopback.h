/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP to oneself, for init.c, in a Linux that nobody has configured. */
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* Returns a socket that gets what is sent to HERE; -1 with errno. */
static int open_loopback(struct sockaddr_in *here)
{
	int udp = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	socklen_t size = sizeof(*here);

	here->sin_family = AF_INET;
	here->sin_port = 0;
	here->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return udp >= 0 && ioctl(udp, SIOCSIFFLAGS, &up) == 0 &&
			       bind(udp, (struct sockaddr *)here, size) == 0 &&
			       getsockname(udp, (struct sockaddr *)here,
					   &size) == 0
		       ? udp
		       : -1;
}
