/*
 * measure FILE COMMAND...: runs the command and writes "SECONDS KIBIBYTES PROCESSOR-SECONDS" to
 * FILE: wall time, the largest resident set of the command, and the processor time of it and of all
 * that it ran. Exits as the command does.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

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
	double processor = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
	if (!file || fprintf(file, "%.3f %ld %.3f\n", took, usage.ru_maxrss, processor) < 0 ||
	    fclose(file) != 0) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
