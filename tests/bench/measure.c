/*
 * measure FILE COMMAND...: runs the command and writes "SECONDS KIBIBYTES" to FILE: wall time, and
 * the largest resident set of the command. Exits as the command does.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: measure FILE COMMAND...\n", stderr);
		return 64;
	}
	double start = seconds_now();
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "measure: %s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	int status = 0;
	struct rusage usage;
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("measure");
		return 1;
	}
	double took = seconds_now() - start;
	FILE *file = fopen(argv[1], "w");
	if (!file || fprintf(file, "%.3f %ld\n", took, usage.ru_maxrss) < 0 || fclose(file) != 0) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
