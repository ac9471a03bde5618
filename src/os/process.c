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

/* ---- signals that end a run -------------------------------------------------------------- */

struct held_signal {
	int number;
	const char *name;
};

static const struct held_signal held_signals[] = {
    {SIGHUP, "SIGHUP"}, {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}};

static sigset_t held_set(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < COUNT_OF(held_signals); i++)
		(void)sigaddset(&set, held_signals[i].number);
	return set;
}

void os_hold_signals(void)
{
	sigset_t set = held_set();

	(void)sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Returns the held signal that is pending, or null. Only blocked signals can be pending. */
static const struct held_signal *waiting_signal(void)
{
	sigset_t pending;

	if (sigpending(&pending) == 0)
		for (size_t i = 0; i < COUNT_OF(held_signals); i++)
			if (sigismember(&pending, held_signals[i].number) == 1)
				return &held_signals[i];
	return NULL;
}

enum status os_check_signals(struct sink *sink)
{
	const struct held_signal *waiting = waiting_signal();

	if (!waiting)
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_STOPPED, NOWHERE, "stopped by %s", waiting->name);
	diag_set_help(sink, diag, "run again when it was not meant to be");
	return STATUS_FAILED;
}

void os_release_signals(void)
{
	sigset_t set = held_set();
	const struct held_signal *waiting = waiting_signal();

	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* Only the first process of a container is still there. */
	if (waiting)
		exit(128 + waiting->number);
}

void os_end_by_closed_pipe(void)
{
	sigset_t closed_pipe;

	(void)sigemptyset(&closed_pipe);
	(void)sigaddset(&closed_pipe, SIGPIPE);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)raise(SIGPIPE);
	/* The parent process may have blocked the signal; deliver it now. */
	(void)sigprocmask(SIG_UNBLOCK, &closed_pipe, NULL);
	exit(128 + SIGPIPE);
}
