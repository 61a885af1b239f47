/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs inside the linker, by LD_PRELOAD. When the linker opens an object or an
 * archive, this asks sdtlink, which may give it another file instead. So the
 * linker reads injected objects under their original names: in its command
 * line, scripts, map and messages.
 *
 * It is a separate shared object, and uses only the C library.
 */

/*
 * Some distributions define these. Then the headers give the functions below
 * other types or other names.
 */
#undef _FORTIFY_SOURCE
#undef _TIME_BITS
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "interpose.h"

static int ask = -1;
static const char *words; /* or NULL */

/* A linker that continues in a child process would outlive its parent. */
static void end_with_parent(void)
{
#ifdef PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static __attribute__((constructor)) void begin(void)
{
	const char *number = getenv(ASK_VARIABLE);
	int error = errno;

	if (number == NULL)
		return;
	ask = atoi(number);
	words = getenv(WORDS_VARIABLE);
	pthread_atfork(NULL, NULL, end_with_parent);
	errno = error;
}

/* --- What may have probes -------------------------------------------------
 */

/* Most objects are smaller, and cost one system call. */
#define FIRST_BYTES 16384

/* A file, and its first bytes. If NFIRST is less than FIRST_BYTES, that is all.
 */
struct file {
	int fd;
	size_t nfirst;
	unsigned char first[FIRST_BYTES];
};

static ssize_t read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	ssize_t n;

	do
		n = pread(fd, bytes, size, offset);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * Returns bytes of the file, or NULL if they cannot be read or are not there.
 * *OWN is for free().
 */
static const unsigned char *get(const struct file *file, uint64_t offset,
				uint64_t size, void **own)
{
	*own = NULL;
	if (offset <= file->nfirst && size <= file->nfirst - offset)
		return file->first + offset;
	if (file->nfirst < FIRST_BYTES || size > SIZE_MAX - 1)
		return NULL;
	*own = malloc(size + 1);
	return *own != NULL && read_at(file->fd, *own, size, offset) ==
				       (ssize_t)size
		       ? *own
		       : NULL;
}

static int has_word(const unsigned char *bytes, size_t size)
{
	for (const char *word = words, *end;; word = end + 1) {
		end = strchrnul(word, '\n');
		if (memmem(bytes, size, word, end - word) != NULL)
			return 1;
		if (*end == '\0')
			return 0;
	}
}

/* The header of an object, and the offsets of its members by class. */
struct shape {
	int is_64, is_big;
	uint64_t shoff;
	unsigned shentsize, shnum;
};

static uint64_t number(const struct shape *shape, const unsigned char *bytes,
		       unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | bytes[shape->is_big ? i : size - 1 - i];
	return value;
}

static void read_shape(const unsigned char *head, struct shape *shape)
{
	shape->is_64 = head[4] == 2;
	shape->is_big = head[5] == 2;
	if (shape->is_64) {
		shape->shoff = number(shape, head + 40, 8);
		shape->shentsize = number(shape, head + 58, 2);
		shape->shnum = number(shape, head + 60, 2);
	} else {
		shape->shoff = number(shape, head + 32, 4);
		shape->shentsize = number(shape, head + 46, 2);
		shape->shnum = number(shape, head + 48, 2);
	}
}

/* Does a string table contain one of the words? True if it cannot be read. */
static int table_has_word(const struct file *file, const struct shape *shape,
			  const unsigned char *header)
{
	uint64_t offset = shape->is_64 ? number(shape, header + 24, 8)
				       : number(shape, header + 16, 4);
	uint64_t size = shape->is_64 ? number(shape, header + 32, 8)
				     : number(shape, header + 20, 4);
	void *own;
	const unsigned char *bytes = get(file, offset, size, &own);
	int ret = bytes == NULL || has_word(bytes, size);

	free(own);
	return ret;
}

/* Does the object mention a probe, or is it one that only sdtlink can read? */
static int mentions_word(const struct file *file)
{
	const unsigned char *headers;
	struct shape shape;
	void *own;
	int ret = 1;

	if (words == NULL || file->nfirst < 64)
		return 1;
	read_shape(file->first, &shape);
	if (shape.shentsize != (shape.is_64 ? 64 : 40) || shape.shnum == 0)
		return 1;
	headers = get(file, shape.shoff,
		      (uint64_t)shape.shentsize * shape.shnum, &own);
	if (headers != NULL) {
		ret = 0;
		for (unsigned i = 1; i < shape.shnum && !ret; i++) {
			const unsigned char *at = headers + i * shape.shentsize;

			/* SHT_STRTAB */
			if (number(&shape, at + 4, 4) == 3)
				ret = table_has_word(file, &shape, at);
		}
	}
	free(own);
	return ret;
}

/*
 * Says that a linker is here: this is in a script that runs one, too, but no
 * shell reads ELF files or archives.
 */
static void announce(void)
{
	static volatile int is_known;

	if (!is_known)
		send(ask, "", 1, MSG_NOSIGNAL);
	is_known = 1;
}

/* Is that the head of an ELF file, of an archive, or of bytecode? */
static int is_binary(const unsigned char *head)
{
	return memcmp(head, "\177ELF", 4) == 0 ||
	       memcmp(head, "!<arch>\n", 8) == 0 ||
	       memcmp(head, "BC\xc0\xde", 4) == 0 ||
	       memcmp(head, "\xde\xc0\x17\x0b", 4) == 0;
}

/*
 * sdtlink only cares about these files, and most others are skipped. A file
 * that cannot be examined counts, so that sdtlink reports the trouble.
 */
static int is_input(int fd)
{
	struct file file;
	const unsigned char *head = file.first;
	struct stat st;
	ssize_t n = read_at(fd, file.first, sizeof(file.first), 0);

	/* What is no file has no offsets, or is a folder. */
	if (n < 0)
		return fstat(fd, &st) != 0 || S_ISREG(st.st_mode);
	if (n < 20 || !is_binary(head))
		return 0;
	announce();
	file.fd = fd;
	file.nfirst = n;
	if (memcmp(head, "\177ELF", 4) != 0)
		return 1;
	/* ET_REL, in either order */
	return head[16] + head[17] == 1 && mentions_word(&file);
}

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(2 * sizeof(int))];
};

static int send_question(const char *name, const int *fds)
{
	char text[QUESTION_SIZE];
	struct iovec iov = { text, strlen(name) };
	union control control;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *header;

	if (iov.iov_len > sizeof(text))
		iov.iov_len = sizeof(text);
	memcpy(text, name, iov.iov_len);
	memset(&control, 0, sizeof(control));
	header = CMSG_FIRSTHDR(&msg);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(header), fds, 2 * sizeof(int));
	for (;;) {
		if (sendmsg(ask, &msg, MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno != EINTR)
			return -1;
	}
}

/* Returns the answer. Sets *FD to the other file, or to -1. */
static char receive_answer(int socket, int *fd)
{
	char answer = ANSWER_FAIL;
	struct iovec iov = { &answer, 1 };
	union control control;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *header;
	ssize_t n;

	*fd = -1;
	do
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return ANSWER_FAIL;
	header = CMSG_FIRSTHDR(&msg);
	if (header != NULL && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return answer;
}

/* Replaces FD, which is NAME, by the file to read instead. */
static int exchange(int fd, const char *name)
{
	int pair[2], fds[2], other = -1, flags;
	char answer = ANSWER_FAIL;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -1;
	fds[0] = fd;
	fds[1] = pair[1];
	flags = send_question(name, fds);
	/* So that there is an end, if nobody answers. */
	close(pair[1]);
	if (flags == 0)
		answer = receive_answer(pair[0], &other);
	close(pair[0]);
	if (answer == ANSWER_INSTEAD && other >= 0) {
		flags = fcntl(fd, F_GETFD);
		if (dup3(other, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0)
			answer = ANSWER_FAIL;
	}
	if (other >= 0)
		close(other);
	return answer == ANSWER_FAIL ? -1 : 0;
}

/* Returns FD, or -1 with errno. */
static int look_at(int fd, const char *name)
{
	int error = errno;

	if (fd < 0 || ask < 0 || !is_input(fd) || exchange(fd, name) == 0) {
		errno = error;
		return fd;
	}
	close(fd);
	errno = EIO;
	return -1;
}

static int is_reading(int flags)
{
	return (flags & O_ACCMODE) == O_RDONLY;
}

/* --- The functions that linkers call ---------------------------------------
 */

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (function == NULL)
		abort();
	return function;
}

static mode_t mode_of(int flags, va_list ap)
{
	int has_mode = flags & O_CREAT;

#ifdef O_TMPFILE
	has_mode |= (flags & O_TMPFILE) == O_TMPFILE;
#endif
	return has_mode ? va_arg(ap, mode_t) : 0;
}

#define OPEN(function) \
	int function(const char *name, int flags, ...); \
	int function(const char *name, int flags, ...) \
	{ \
		static int (*real)(const char *, int, ...); \
		mode_t mode; \
		va_list ap; \
		int fd; \
\
		if (real == NULL) \
			*(void **)&real = next(#function); \
		va_start(ap, flags); \
		mode = mode_of(flags, ap); \
		va_end(ap); \
		fd = real(name, flags, mode); \
		return is_reading(flags) ? look_at(fd, name) : fd; \
	}

#define OPENAT(function) \
	int function(int dir, const char *name, int flags, ...); \
	int function(int dir, const char *name, int flags, ...) \
	{ \
		static int (*real)(int, const char *, int, ...); \
		mode_t mode; \
		va_list ap; \
		int fd; \
\
		if (real == NULL) \
			*(void **)&real = next(#function); \
		va_start(ap, flags); \
		mode = mode_of(flags, ap); \
		va_end(ap); \
		fd = real(dir, name, flags, mode); \
		return is_reading(flags) ? look_at(fd, name) : fd; \
	}

#define FOPEN(function) \
	FILE *function(const char *name, const char *mode); \
	FILE *function(const char *name, const char *mode) \
	{ \
		static FILE *(*real)(const char *, const char *); \
		FILE *file; \
\
		if (real == NULL) \
			*(void **)&real = next(#function); \
		file = real(name, mode); \
		if (file == NULL || mode[0] != 'r' || \
		    strchr(mode, '+') != NULL || ask < 0 || \
		    !is_input(fileno(file)) || \
		    exchange(fileno(file), name) == 0) \
			return file; \
		fclose(file); \
		errno = EIO; \
		return NULL; \
	}

#undef open
#undef open64
#undef openat
#undef openat64
#undef fopen
#undef fopen64

OPEN(open)
OPENAT(openat)
FOPEN(fopen)
#ifdef __GLIBC__
OPEN(open64)
OPEN(__open_2)
OPEN(__open64_2)
OPENAT(openat64)
OPENAT(__openat_2)
OPENAT(__openat64_2)
FOPEN(fopen64)
#endif
