/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answers.h"
#include "interpose.h"

/* Builds pass on descriptors with small numbers: make's job server. */
#define FIRST_DESCRIPTOR 200

/* Each object with probes needs one until the end. */
static void raise_limit(struct rlimit *old)
{
	struct rlimit new;

	if (getrlimit(RLIMIT_NOFILE, old) != 0)
		return;
	new = *old;
	new.rlim_cur = new.rlim_max;
	setrlimit(RLIMIT_NOFILE, &new);
}

int answers_open(struct diag *d, struct answers *answers,
		 const struct options *options)
{
	int pair[2];

	*answers = (struct answers){ .mine = -1, .theirs = -1 };
	answers->set.options = options;
	raise_limit(&answers->files);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return diag_file(d, "--link", "cannot-run",
				 "cannot make a socket: %s", strerror(errno));
	answers->mine = pair[0];
	answers->theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
	if (answers->theirs < 0) {
		answers->theirs = pair[1];
		return 0;
	}
	close(pair[1]);
	return 0;
}

/* LD_PRELOAD is separated by blanks, without quoting: see open_again. */
static int name_by_number(char *path, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		fd = fcntl(fd, F_DUPFD, FIRST_DESCRIPTOR);
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd >= 0 ? 0 : -1;
}

void answers_interposer(const char *libexec, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/interpose.so", libexec);
}

/* Behind libraries that are already preloaded, such as fakeroot's. */
static int preload(const char *libexec)
{
	const char *old = getenv("LD_PRELOAD");
	char path[PATH_MAX];
	size_t size = sizeof(path) + (old ? strlen(old) : 0) + 2;
	char *list = malloc(size);
	int ret;

	answers_interposer(libexec, path);
	if (list == NULL ||
	    (strpbrk(path, " :") != NULL && name_by_number(path, sizeof(path))))
		return -1;
	snprintf(list, size, "%s%s%s", old ? old : "", old && old[0] ? ":" : "",
		 path);
	ret = setenv("LD_PRELOAD", list, 1);
	free(list);
	return ret;
}

/* --drift keeps all files that are read. Then each one must be asked about. */
static int offer_words(const struct answers *answers)
{
	char *words = answers->kept == NULL
			      ? substitute_words(answers->set.options)
			      : NULL;
	int ret = words != NULL ? setenv(WORDS_VARIABLE, words, 1)
				: unsetenv(WORDS_VARIABLE);

	free(words);
	return ret;
}

int answers_offer(const struct answers *answers, const char *libexec)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", answers->theirs);
	setrlimit(RLIMIT_NOFILE, &answers->files);
	if (fcntl(answers->theirs, F_SETFD, 0) != 0 ||
	    setenv(ASK_VARIABLE, number, 1) != 0 || offer_words(answers))
		return -1;
	return preload(libexec);
}

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(2 * sizeof(int))];
};

/* Who asked may be gone; -1 with errno if not. */
static int send_answer(int socket, char answer, int fd)
{
	struct iovec iov = { &answer, 1 };
	union control control;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (answer == ANSWER_INSTEAD) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(sizeof(int));
		header = CMSG_FIRSTHDR(&msg);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	while (sendmsg(socket, &msg, MSG_NOSIGNAL) < 0)
		if (errno == EPIPE || errno == ECONNRESET)
			break;
		else if (errno != EINTR)
			return -1;
	return 0;
}

/* Opens the file once more, so that each reader has its own offset. */
static int open_again(int fd)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open(name, O_RDONLY | O_CLOEXEC);
}

/* The linker cannot open the file then, and says that it cannot. */
static void fail(struct answers *answers, int socket)
{
	answers->has_failed = true;
	report_show(answers->report);
	send_answer(socket, ANSWER_FAIL, -1);
}

/* Does the linker put the file into the image as it is? */
static bool is_data(const struct answers *answers, const char *name)
{
	const struct string_list *data = answers->data;

	for (size_t i = 0; data != NULL && i < data->n; i++)
		if (strcmp(data->items[i], name) == 0)
			return true;
	return false;
}

static void answer(struct diag *d, struct answers *answers, const char *name,
		   int file, int socket)
{
	int instead = -1, again = -1;

	if (is_data(answers, name)) {
		send_answer(socket, ANSWER_KEEP, -1);
		return;
	}
	if (substitute_find(d, &answers->set, name, file, &instead) ||
	    (answers->kept != NULL &&
	     read_files_add(d, answers->kept, name, file, instead))) {
		fail(answers, socket);
		return;
	}
	if (instead >= 0)
		again = open_again(instead);
	if ((instead >= 0 && again < 0) ||
	    send_answer(socket, instead < 0 ? ANSWER_KEEP : ANSWER_INSTEAD,
			again)) {
		diag_file(d, name, "cannot-read",
			  "cannot give the linker what it is to read: %s",
			  strerror(errno));
		fail(answers, socket);
	}
	if (again >= 0)
		close(again);
}

/* Returns 0 if there is no question, and -1 with errno on trouble. */
static int answer_one(struct diag *d, struct answers *answers)
{
	char text[QUESTION_SIZE + 1];
	struct iovec iov = { text, QUESTION_SIZE };
	union control control;
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *header;
	ssize_t n =
		recvmsg(answers->mine, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int fds[2];

	if (n < 0 && errno != EINTR)
		return errno == EAGAIN ? 0 : -1;
	if (n <= 0)
		return n < 0;
	answers->was_asked = true;
	text[n] = '\0';
	/* The linker gets no answer, and the link ends. */
	if ((msg.msg_flags & MSG_CTRUNC) && !answers->has_failed) {
		answers->has_failed = true;
		diag_file(d, text, "cannot-read",
			  "too many open files: one for each object with "
			  "probes, so raise the limit (ulimit -Hn)");
	}
	header = CMSG_FIRSTHDR(&msg);
	if (header == NULL || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(fds)))
		return 1;
	memcpy(fds, CMSG_DATA(header), sizeof(fds));
	answer(d, answers, text, fds[0], fds[1]);
	close(fds[0]);
	close(fds[1]);
	return 1;
}

int answers_give(struct diag *d, struct answers *answers)
{
	int ret;

	do
		ret = answer_one(d, answers);
	while (ret > 0);
	return ret;
}

void answers_close(struct answers *answers)
{
	substitutes_free(&answers->set);
	if (answers->mine >= 0)
		close(answers->mine);
	if (answers->theirs >= 0)
		close(answers->theirs);
}
