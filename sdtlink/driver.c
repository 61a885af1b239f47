/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the linker that the compiler would run without sdtlink. gcc says so in
 * COMPILER_PATH. clang does not: it is run once more, with its own arguments
 * but for the -B that led to sdtlink.
 */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "program.h"

/* What the compiler was called with. */
struct driver {
	char path[PATH_MAX];
	char *words; /* owned: each with a 0 behind it */
	char **argv; /* the words; the one before NULL is for a question;
		      * owned */
	size_t n;
};

/*
 * Reads a file that does not report its size: *SIZE bytes, and a 0 behind them.
 * For free().
 */
static char *read_file(const char *path, size_t *size)
{
	size_t room = 4096, n = 0;
	char *text = NULL;
	FILE *file;

	errno = 0;
	file = fopen(path, "re");
	memory_note(errno);
	while (file != NULL) {
		char *more = realloc(text, room + 1);

		if (more == NULL)
			break;
		text = more;
		n += fread(text + n, 1, room - n, file);
		if (n < room) {
			text[n] = '\0';
			*size = n;
			fclose(file);
			return text;
		}
		room *= 2;
	}
	if (file != NULL)
		fclose(file);
	free(text);
	return NULL;
}

/* Has DIR sdtlink under the name of a linker? */
static bool leads_here(const char *dir)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/ld", dir) < PATH_MAX &&
	       program_is_self(path);
}

/* The number of words from WORD on that are a -B to our folder. */
static size_t count_ours(const char *word, const char *next)
{
	if (strncmp(word, "-B", 2) != 0)
		return 0;
	if (word[2] != '\0')
		return leads_here(word + 2);
	return next != NULL && leads_here(next) ? 2 : 0;
}

/* Removes these from the arguments. Returns whether there were any. */
static bool drop_ours(struct driver *driver)
{
	size_t n = 1, i = 1;

	while (i < driver->n) {
		size_t nours = count_ours(driver->argv[i], driver->argv[i + 1]);

		if (nours == 0)
			driver->argv[n++] = driver->argv[i++];
		i += nours;
	}
	driver->n = n;
	return n < i;
}

/* Reads the program that runs us. Returns false if it is unknown. */
static bool read_parent(struct driver *driver)
{
	char path[64];
	ssize_t length;
	size_t size, n = 0;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)getppid());
	length = readlink(path, driver->path, sizeof(driver->path) - 1);
	if (length <= 0)
		return false;
	driver->path[length] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)getppid());
	driver->words = read_file(path, &size);
	if (driver->words == NULL)
		return false;
	for (size_t i = 0; i < size; i++)
		n += driver->words[i] == '\0';
	driver->argv = calloc(n + 2, sizeof(driver->argv[0]));
	if (driver->argv == NULL)
		return false;
	for (size_t i = 0; driver->n < n; i += strlen(driver->words + i) + 1)
		driver->argv[driver->n++] = driver->words + i;
	return n > 0;
}

/* In the child. */
static void become(struct driver *driver, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0 && dup2(null, 0) >= 0 && dup2(null, 2) >= 0 &&
	    dup2(out, 1) >= 0)
		execv(driver->path, driver->argv);
	_exit(127);
}

/* Reads a line without its end, and the rest up to the end of the file. */
static void read_line(int fd, char *line, size_t size)
{
	size_t n = 0;
	ssize_t more;

	while ((more = read(fd, line + n, size - 1 - n)) > 0 ||
	       (more < 0 && errno == EINTR))
		n += more > 0 ? more : 0;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

/*
 * Calls the compiler so, and reads what it writes; "" if it fails. Returns -1
 * with errno if it cannot be called.
 */
static int ask(struct driver *driver, char *line, size_t size)
{
	int pipes[2], status;
	pid_t pid, ended;

	line[0] = '\0';
	if (pipe2(pipes, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0)
		become(driver, pipes[1]);
	close(pipes[1]);
	if (pid > 0)
		read_line(pipes[0], line, size);
	close(pipes[0]);
	if (pid < 0)
		return -1;
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended != pid || status != 0)
		line[0] = '\0';
	return 0;
}

int driver_find(struct diag *d, const char *name, char **path)
{
	static const char question[] = "-print-prog-name=";
	struct driver driver = { 0 };
	char *word = malloc(sizeof(question) + strlen(name));
	char line[PATH_MAX];
	int ret = 0;

	*path = NULL;
	if (word == NULL)
		return diag_nomem(d, name);
	if (read_parent(&driver) && drop_ours(&driver)) {
		sprintf(word, "%s%s", question, name);
		driver.argv[driver.n++] = word;
		driver.argv[driver.n] = NULL;
		if (ask(&driver, line, sizeof(line)))
			ret = diag_file(d, driver.path, "cannot-run",
					"cannot be asked for its linker: %s",
					strerror(errno));
		else if (strchr(line, '/') != NULL && program_may_run(line))
			*path = strdup(line);
	}
	free(word);
	free(driver.argv);
	free(driver.words);
	return ret;
}
