/*
 * Starts a program with bounds. posix_spawn cannot set limits or leave a network, so that the child
 * does it itself, between fork and exec: only by calls that are safe there.
 */
#include "os/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Everything that the child needs, made before the fork. */
struct plan {
	char *path;
	char **argv;
	char **envp;
	char *folder;
	const int *ends;
	const struct os_bounds *bounds;
	int error_fd; /* closed by exec */
};

static char **c_strings(struct arena *arena, char *first, const sv *texts, size_t count)
{
	char **list = ARENA_ARRAY(arena, char *, count + 2);
	size_t filled = 0;

	if (first)
		list[filled++] = first;
	for (size_t i = 0; i < count; i++)
		list[filled++] = arena_cstr(arena, texts[i]);
	return list;
}

static bool limit(__rlimit_resource_t resource, rlim_t most)
{
	const struct rlimit bound = {most, most};

	return setrlimit(resource, &bound) == 0;
}

/*
 * SAFETY: a network namespace has no network. It takes a right that most users have only in a user
 * namespace of their own, and some systems forbid that, too: the program then runs with the
 * network, and relies on what was refused before.
 */
static void leave_network(void)
{
	if (unshare(CLONE_NEWNET) != 0)
		(void)!unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

static void reset_signals(void)
{
	sigset_t none;

	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become(const struct plan *plan)
{
	rlim_t seconds = plan->bounds->milliseconds / 1000 + 1;
	bool is_ready = setsid() >= 0 && chdir(plan->folder) == 0;

	for (int fd = 0; fd < 3 && is_ready; fd++)
		is_ready = dup2(plan->ends[fd], fd) == fd;
	is_ready = is_ready && limit(RLIMIT_AS, plan->bounds->memory_bytes) &&
	           limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_CORE, 0) &&
	           limit(RLIMIT_CPU, seconds * 4);
	if (is_ready) {
		leave_network();
		reset_signals();
		(void)execve(plan->path, plan->argv, plan->envp);
	}
	int error = errno;
	(void)!write(plan->error_fd, &error, sizeof(error));
	_exit(127);
}

int os_start_bounded(struct arena *arena, const struct os_program *program, const int ends[3],
                     pid_t *ret_pid)
{
	struct plan plan = {
	    .path = arena_cstr(arena, program->path),
	    .envp = c_strings(arena, NULL, program->environment, program->environment_count),
	    .folder = arena_cstr(arena, program->folder),
	    .ends = ends,
	    .bounds = program->bounds,
	};
	int errors[2];
	int error = 0;

	plan.argv = c_strings(arena, plan.path, program->arguments, program->argument_count);
	if (pipe2(errors, O_CLOEXEC) != 0)
		return errno;
	plan.error_fd = errors[1];
	pid_t pid = fork();
	if (pid == 0)
		become(&plan);
	if (pid < 0)
		error = errno;
	close(errors[1]);
	/* Ends with exec, which closes the other end. */
	while (pid > 0 && read(errors[0], &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	close(errors[0]);
	if (pid > 0 && error != 0)
		(void)waitpid(pid, NULL, 0);
	*ret_pid = pid;
	return error;
}
