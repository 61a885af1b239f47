/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/output.h"
#include "driver.h"
#include "program.h"

/* --- Where they are ------------------------------------------------------ */

static char *join(const char *dir, size_t length, const char *name)
{
	char *path = malloc(length + strlen(name) + 3);

	if (path == NULL)
		return NULL;
	/* An empty part of PATH means the current directory. */
	if (length == 0)
		strcpy(path, ".");
	else {
		memcpy(path, dir, length);
		path[length] = '\0';
	}
	strcat(path, "/");
	return strcat(path, name);
}

/*
 * The folder beside the command, as installed or built, or else the configured
 * one.
 */
char *program_libexec(void)
{
	char self[PATH_MAX], *path, *found;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return strdup(PKGLIBEXECDIR);
	self[n] = '\0';
	slash = strrchr(self, '/');
	path = join(self, slash - self, "../libexec/sdtlink");
	if (path == NULL)
		return NULL;
	errno = 0;
	found = realpath(path, NULL);
	memory_note(errno);
	free(path);
	return found != NULL ? found : strdup(PKGLIBEXECDIR);
}

static bool is_self(const struct stat *st)
{
	struct stat self;

	/* Without /proc, as in a new chroot, it must be the installed one. */
	return (stat("/proc/self/exe", &self) == 0 ||
		stat(PKGLIBEXECDIR "/ld", &self) == 0) &&
	       self.st_dev == st->st_dev && self.st_ino == st->st_ino;
}

bool program_is_self(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && is_self(&st);
}

bool program_may_run(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0 && !is_self(&st);
}

/* In DIRS, parted by colons. */
static char *search(const char *dirs, const char *name)
{
	while (dirs != NULL) {
		size_t n = strcspn(dirs, ":");
		char *path = join(dirs, n, name);

		if (path == NULL || program_may_run(path))
			return path;
		free(path);
		dirs = dirs[n] == ':' ? dirs + n + 1 : NULL;
	}
	return NULL;
}

/* On some file systems every file may be executed, even objects. */
static bool is_object(const char *path)
{
	unsigned char head[18];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head)) : 0;

	if (fd >= 0)
		close(fd);
	if (n < (ssize_t)sizeof(head))
		return n < 2 || memcmp(head, "#!", 2) != 0;
	if (memcmp(head, ELFMAG, SELFMAG) == 0)
		return head[16] + head[17] == ET_REL;
	return memcmp(head, "#!", 2) != 0;
}

bool program_is(const char *name)
{
	char *path;
	bool ret;

	if (name[0] == '-' || name[0] == '@')
		return false;
	path = strchr(name, '/') != NULL ? strdup(name)
					 : search(getenv("PATH"), name);
	ret = path != NULL && program_may_run(path) && !is_object(path);
	free(path);
	return ret;
}

/* What is here under that name is an input. */
size_t program_words(char *const *argv)
{
	return argv[1] != NULL && program_is(argv[1]) &&
			       (strchr(argv[1], '/') != NULL ||
				access(argv[1], F_OK) != 0)
		       ? 2
		       : 1;
}

static bool is_own_name(const char *name)
{
	return strcmp(name, "sdtlink") == 0 ||
	       strcmp(name, "sdtlink-ld") == 0 ||
	       strcmp(name, "sdtlink-cc") == 0;
}

char *program_find(struct diag *d, const char *name, bool in_driver)
{
	char *path = NULL;
	struct stat st;

	if (strchr(name, '/') != NULL) {
		if (stat(name, &st) != 0 || !is_self(&st))
			return strdup(name);
		name = strrchr(name, '/') + 1;
		in_driver = true;
	}
	if (in_driver && driver_find(d, name, &path))
		return NULL;
	if (path == NULL && in_driver)
		path = search(getenv("COMPILER_PATH"), name);
	if (path == NULL)
		path = search(getenv("PATH"), name);
	if (path == NULL && is_own_name(name))
		diag_file(d, name, "cannot-run",
			  "is sdtlink itself: write one of sdtlink-ld and "
			  "sdtlink-cc, once, and then the program");
	else if (path == NULL)
		diag_file(d, name, "cannot-run",
			  "there is no such program in the PATH");
	return path;
}

/* --- What they inherit --------------------------------------------------- */

static struct sigaction old_xfsz;

void program_remember(void)
{
	sigaction(SIGXFSZ, NULL, &old_xfsz);
}

/* As it was before main. */
static void restore(void)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGXFSZ, &old_xfsz, NULL);
}

static int cannot_run(struct diag *d, const char *path)
{
	return diag_file(d, path, "cannot-run", "cannot run it: %s",
			 strerror(errno));
}

int program_become(struct diag *d, const char *path, char **argv)
{
	restore();
	execv(path, argv);
	return cannot_run(d, path);
}

int program_remove(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
}

/* --- Signals ------------------------------------------------------------- */

static volatile sig_atomic_t child, caught;
static volatile sig_atomic_t channel = -1; /* to the child, during work */

bool program_is_running(void)
{
	return child > 0;
}

void program_await(void)
{
	if (child <= 0 || channel < 0)
		return;
	close(channel);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	child = 0;
}

/* While the child runs, it is for that to end. */
void program_signal(int signum)
{
	int error = errno;

	caught = signum;
	if (child > 0)
		kill(child, signum);
	else {
		output_abandon();
		signal(signum, SIG_DFL);
		raise(signum);
	}
	errno = error;
}

static void nothing(int signum)
{
	(void)signum;
}

static void watch(void)
{
	struct sigaction action = { .sa_handler = program_signal,
				    .sa_flags = SA_RESTART };

	output_watch_signals(&action);
	/* If it were ignored, nobody could wait for the child. */
	action.sa_handler = nothing;
	sigaction(SIGCHLD, &action, NULL);
}

/* --- Running ------------------------------------------------------------- */

/* In the child. If it cannot run, writes the reason to ERROR. */
static void start(const char *path, char **argv, const struct service *service,
		  int parent, int error, const sigset_t *mask)
{
#ifdef PR_SET_PDEATHSIG
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(127);
	restore();
	if (service->prepare == NULL || service->prepare(service->ctx) == 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execv(path, argv);
	}
	(void)!write(error, &errno, sizeof(errno));
	_exit(127);
}

/* Has it ended? -1 with errno if nobody knows. */
static int look_at_child(struct running *running)
{
	pid_t pid;

	do
		pid = waitpid(running->pid, &running->status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	return pid < 0 ? -1 : pid > 0;
}

/* The child waits for an answer that it will not get. So end it. */
static int end_child(struct running *running)
{
	int error = errno;

	kill(running->pid, SIGKILL);
	waitpid(running->pid, &running->status, 0);
	child = 0;
	errno = error;
	return -1;
}

static bool work(const struct service *service)
{
	bool has_more;

	channel = service->fd;
	has_more = service->work(service->ctx);
	channel = -1;
	return has_more;
}

/* A child that asks a lot has asked again by then. */
static const struct timespec between = { .tv_nsec = 2000000 };

/* Serves until the child ends. SIGCHLD only arrives while this waits. */
static int serve(const struct service *service, const sigset_t *mask,
		 struct running *running)
{
	struct pollfd wanted = { .fd = service->fd, .events = POLLIN };
	bool has_fd = service->fd >= 0, has_work = false;
	int ended, n;

	while ((ended = look_at_child(running)) == 0) {
		n = ppoll(&wanted, has_fd, has_work ? &between : NULL, mask);
		if (n < 0 ? errno != EINTR
			  : n > 0 && service->answer(service->ctx))
			return end_child(running);
		if (n > 0)
			has_work = true;
		else if (n == 0)
			has_work = work(service);
	}
	if (ended < 0)
		return end_child(running);
	child = 0;
	/* A child that ended at once may have asked, too. */
	return has_fd ? service->answer(service->ctx) : 0;
}

int program_run(struct diag *d, const char *path, char **argv,
		const struct service *service, struct running *running)
{
	int pipes[2], error = 0, parent = getpid();
	sigset_t all, blocked, mask;
	ssize_t n;

	*running = (struct running){ 0 };
	if (pipe2(pipes, O_CLOEXEC) != 0)
		return cannot_run(d, path);
	/* Block all signals until it is known to whom they are passed on. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	sigdelset(&mask, SIGCHLD);
	blocked = mask;
	sigaddset(&blocked, SIGCHLD);
	watch();
	running->pid = fork();
	if (running->pid == 0)
		start(path, argv, service, parent, pipes[1], &mask);
	child = running->pid;
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	close(pipes[1]);
	if (running->pid > 0 && serve(service, &mask, running)) {
		close(pipes[0]);
		return cannot_run(d, path);
	}
	n = read(pipes[0], &error, sizeof(error));
	close(pipes[0]);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	running->is_signal = caught != 0;
	if (running->pid > 0 && n != sizeof(error))
		return 0;
	if (running->pid > 0) {
		running->pid = 0;
		errno = error;
	}
	return cannot_run(d, path);
}

int program_status(const struct running *running)
{
	int signum = caught;

	if (WIFEXITED(running->status) && WEXITSTATUS(running->status) != 0)
		return WEXITSTATUS(running->status);
	if (WIFSIGNALED(running->status))
		signum = WTERMSIG(running->status);
	if (signum == 0)
		return 0;
	signal(signum, SIG_DFL);
	raise(signum);
	return 128 + signum;
}
