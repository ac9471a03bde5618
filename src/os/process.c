/*
 * The process: its clock, terminal, memory and signals.
 */
#include "os/os.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t os_monotonic_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool os_is_terminal(int fd)
{
	return isatty(fd) == 1;
}

unsigned os_terminal_width(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void os_protect_memory(void)
{
	struct rlimit none = {0, 0};

	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)setrlimit(RLIMIT_CORE, &none);
}

void os_ignore_signals(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
}

void os_end_by_closed_pipe(void)
{
	sigset_t closed_pipe;

	(void)sigemptyset(&closed_pipe);
	(void)sigaddset(&closed_pipe, SIGPIPE);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)raise(SIGPIPE);
	/* Whoever started the program may have blocked the signal: it is taken here. */
	(void)sigprocmask(SIG_UNBLOCK, &closed_pipe, NULL);
	exit(128 + SIGPIPE);
}
