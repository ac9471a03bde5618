/*
 * unit [NAME...]: runs the C tests of tests/unit/NAME_test.c, or all of them. `unit --list` prints
 * the names. Each file is run by a process of its own, so that a crash or a leak is the one file's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* unit_tests.def has a line UNIT(NAME) for each file; the Makefile writes it. */
#define UNIT(name) int unit_##name(void);
#include "unit_tests.def"
#undef UNIT

static const struct {
	const char *name;
	int (*run)(void);
} files[] = {
#define UNIT(name) {#name, unit_##name},
#include "unit_tests.def"
#undef UNIT
};

#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

/* Returns whether the tests of the file pass. */
static int passes(size_t file)
{
	int status = 1;

	fflush(NULL);
	pid_t child = fork();
	/* exit, not _exit: the leak check runs at exit. */
	if (child == 0)
		exit(files[file].run() != 0);
	if (child < 0 || waitpid(child, &status, 0) != child)
		perror(files[file].name);
	else if (WIFSIGNALED(status))
		fprintf(stderr, "%s: ended by signal %d\n", files[file].name, WTERMSIG(status));
	return status == 0;
}

static size_t file_index(const char *name)
{
	size_t i = 0;

	while (i < FILE_COUNT && strcmp(files[i].name, name) != 0)
		i++;
	return i;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < FILE_COUNT; i++)
			puts(files[i].name);
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		if (file_index(argv[i]) == FILE_COUNT) {
			fprintf(stderr, "unit: tests/unit/%s_test.c: no such test\n", argv[i]);
			return 64;
		}
	}
	/* One file alone needs no process of its own: a debugger and a profiler see it. */
	if (argc == 2)
		return files[file_index(argv[1])].run() != 0;
	for (int i = 1; i < argc; i++)
		failed |= !passes(file_index(argv[i]));
	for (size_t i = 0; argc == 1 && i < FILE_COUNT; i++)
		failed |= !passes(i);
	return failed;
}
