/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include <sdtlink/sdt.h>

#define noinline __attribute__((__noinline__))
#define cold __attribute__((__cold__, __noinline__))
/* Freed once the kernel is up: no probe may be patched there afterwards. */
#define __init __attribute__((__section__(".init.text"), __noinline__))

/* console.c: the serial line; %s %u %lu %lx %02x and no others */
void console_print(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));
void machine_exit(unsigned int code) __attribute__((__noreturn__));

/* init.c */
unsigned int init_devices(unsigned int ndevices);

/* net.c */
struct packet {
	unsigned int port;
	unsigned int len;
	const uint8_t *data;
};

int udp_is_traced(void);
unsigned int udp_receive(const struct packet *packet);
unsigned int udp6_receive(const struct packet *packet);

/* sched.c */
unsigned int sched_run(unsigned int nticks);
void sched_wake_up(unsigned int task);

/* vm.c */
unsigned long vm_fault(uintptr_t addr, unsigned int flags);

/* copy.S: counts the address, and fires copy:::bad if it is no user's */
void copy_check(uintptr_t addr, unsigned int *nchecked);

/* disk.S: the module disk, a relocatable object with an anchored table */
extern const uint8_t disk_module[], disk_module_end[];

/* main.c, which boot.S calls */
void kernel_main(void) __attribute__((__noreturn__));

#endif
