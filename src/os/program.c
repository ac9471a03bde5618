/* Finds other programs, runs them, and reads their output until they end. */
#include "os/internal.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUT_MAX_BYTES = 64 * 1024 * 1024, ERR_MAX_BYTES = 64 * 1024 };

/* ---- finding ----------------------------------------------------------------------------- */

bool os_is_inside(struct arena *arena, sv path, sv folder)
{
	sv real;
	sv root;

	return !sv_empty(folder) && os_real_path(arena, path, &real) &&
	       os_real_path(arena, folder, &root) &&
	       (sv_eq(real, root) || sv_starts_with(real, ARENA_CONCAT(arena, root, SV("/"))));
}

sv os_trusted_path(struct arena *arena, sv path, sv untrusted)
{
	struct buf buf = buf_in(arena);
	struct sv_splitter it = sv_split(path, ':');
	sv folder;

	while (sv_split_next(&it, &folder)) {
		/* An empty one is the working directory. */
		if (!sv_starts_with(folder, SV("/")) || os_is_inside(arena, folder, untrusted))
			continue;
		buf_printf(&buf, "%s%.*s", buf.len ? ":" : "", SV_ARG(folder));
	}
	return buf_sv(&buf);
}

bool os_find_program(struct arena *arena, sv path, sv name, sv untrusted, sv *ret_program)
{
	struct sv_splitter it = sv_split(os_trusted_path(arena, path, untrusted), ':');
	sv folder;

	while (sv_split_next(&it, &folder)) {
		sv program = ARENA_CONCAT(arena, folder, SV("/"), name);
		struct stat info;
		const char *text = arena_cstr(arena, program);

		if (sv_empty(folder) || stat(text, &info) != 0 || !S_ISREG(info.st_mode) ||
		    access(text, X_OK) != 0 || os_is_inside(arena, program, untrusted))
			continue;
		*ret_program = program;
		return true;
	}
	return false;
}

/* ---- starting ---------------------------------------------------------------------------- */

/* A running program and our ends of its pipes; each is -1 once closed. */
struct talk {
	pid_t pid;
	bool leads; /* a session of its own, and so a group of processes */
	int in, out, err;
	int signals;
	sv input;
	struct buf out_text;
	struct buf err_text;
	bool too_long;
	size_t out_max_bytes;
	uint64_t ends_ns; /* when it is ended; 0: never */
	enum os_exceeded exceeded;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static char **c_strings(struct arena *arena, const char *first, const sv *texts, size_t count)
{
	char **list = ARENA_ARRAY(arena, char *, count + 2);
	size_t filled = 0;

	if (first)
		list[filled++] = arena_cstr(arena, sv_from_cstr(first));
	for (size_t i = 0; i < count; i++)
		list[filled++] = arena_cstr(arena, texts[i]);
	return list;
}

static int spawn(struct arena *arena, const struct os_program *program, const int ends[3],
                 struct talk *talk)
{
	char *path = arena_cstr(arena, program->path);
	char **argv = c_strings(arena, path, program->arguments, program->argument_count);
	char **envp = c_strings(arena, NULL, program->environment, program->environment_count);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	sigset_t plain;
	int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;

	/* Where a child has memory of its own, as under qemu's emulation, posix_spawn hides it. */
	if (access(path, X_OK) != 0)
		return errno;
	(void)sigemptyset(&none);
	(void)sigemptyset(&plain);
	(void)sigaddset(&plain, SIGPIPE);
	(void)sigaddset(&plain, SIGXFSZ);
	if (!program->has_terminal)
		flags |= POSIX_SPAWN_SETSID;
	talk->leads = !program->has_terminal;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return ENOMEM;
	if (posix_spawnattr_init(&attributes) != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return ENOMEM;
	}
	int error =
	    posix_spawn_file_actions_addchdir_np(&actions, arena_cstr(arena, program->folder));
	for (int fd = 0; fd < 3 && error == 0; fd++)
		error = posix_spawn_file_actions_adddup2(&actions, ends[fd], fd);
	if (error == 0)
		error = posix_spawnattr_setflags(&attributes, (short)flags);
	if (error == 0)
		error = posix_spawnattr_setsigmask(&attributes, &none);
	if (error == 0)
		error = posix_spawnattr_setsigdefault(&attributes, &plain);
	if (error == 0)
		error = posix_spawn(&talk->pid, path, &actions, &attributes, argv, envp);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Returns an errno value, or 0. */
static int start(struct arena *arena, const struct os_program *program, struct talk *talk)
{
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
	int error = 0;

	for (size_t i = 0; i < COUNT_OF(pipes) && error == 0; i++)
		if (pipe2(pipes[i], O_CLOEXEC) != 0)
			error = errno;
	const int ends[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
	if (error == 0 && program->bounds) {
		talk->leads = true;
		error = os_start_bounded(arena, program, ends, &talk->pid);
	} else if (error == 0) {
		error = spawn(arena, program, ends, talk);
	}
	close_end(&pipes[0][0]);
	close_end(&pipes[1][1]);
	close_end(&pipes[2][1]);
	talk->in = pipes[0][1];
	talk->out = pipes[1][0];
	talk->err = pipes[2][0];
	if (error != 0) {
		close_end(&talk->in);
		close_end(&talk->out);
		close_end(&talk->err);
		return error;
	}
	(void)fcntl(talk->in, F_SETFL, O_NONBLOCK);
	(void)fcntl(talk->out, F_SETFL, O_NONBLOCK);
	(void)fcntl(talk->err, F_SETFL, O_NONBLOCK);
	return 0;
}

/* ---- listening --------------------------------------------------------------------------- */

static void give(struct talk *talk)
{
	while (!sv_empty(talk->input)) {
		ssize_t put = write(talk->in, talk->input.ptr, talk->input.len);

		if (put < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (put < 0)
			break; /* it reads no more */
		talk->input = sv_from_offset(talk->input, (size_t)put);
	}
	close_end(&talk->in);
}

static void take_output(int *fd, struct buf *text)
{
	for (;;) {
		char part[4096];
		ssize_t got = read(*fd, part, sizeof(part));

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got <= 0) {
			close_end(fd);
			return;
		}
		buf_add(text, (sv){part, (size_t)got});
		/* It may be a secret, and the text in memory that is wiped. */
		explicit_bzero(part, sizeof(part));
	}
}

static void take_all(struct talk *talk)
{
	if (talk->out >= 0)
		take_output(&talk->out, &talk->out_text);
	if (talk->out_text.len > talk->out_max_bytes) {
		talk->too_long = true;
		talk->out_text.len = 0;
	}
	if (talk->err >= 0)
		take_output(&talk->err, &talk->err_text);
	if (talk->err_text.len > ERR_MAX_BYTES) {
		size_t over = talk->err_text.len - ERR_MAX_BYTES;

		memmove(talk->err_text.ptr, talk->err_text.ptr + over, ERR_MAX_BYTES);
		talk->err_text.len = ERR_MAX_BYTES;
	}
}

/* Ends a program with bounds, and all that it started, once it exceeds one. */
static void hold_to_bounds(struct talk *talk)
{
	enum os_exceeded exceeded = talk->too_long                      ? OS_EXCEEDED_OUTPUT
	                            : os_monotonic_ns() > talk->ends_ns ? OS_EXCEEDED_TIME
	                                                                : OS_WITHIN_BOUNDS;

	if (talk->ends_ns == 0 || talk->exceeded != OS_WITHIN_BOUNDS ||
	    exceeded == OS_WITHIN_BOUNDS)
		return;
	talk->exceeded = exceeded;
	(void)kill(-talk->pid, SIGKILL);
}

/*
 * Until it has ended: what it leaves running may keep the pipes open. Both pipes at their end
 * mean that it ends now.
 */
static int listen_to(struct talk *talk)
{
	enum { WAIT_MS = 50, SHORT_MS = 1 };
	bool told = false;
	int status = 0;

	for (;;) {
		struct pollfd fds[] = {
		    {talk->in, POLLOUT, 0},
		    {talk->out, POLLIN, 0},
		    {talk->err, POLLIN, 0},
		    {told ? -1 : talk->signals, POLLIN, 0},
		};
		bool is_quiet = talk->out < 0 && talk->err < 0;

		(void)poll(fds, COUNT_OF(fds), is_quiet ? SHORT_MS : WAIT_MS);
		if (talk->in >= 0 && fds[0].revents)
			give(talk);
		take_all(talk);
		if (fds[3].revents && !told) {
			told = true;
			(void)kill(talk->leads ? -talk->pid : talk->pid, SIGTERM);
		}
		hold_to_bounds(talk);
		pid_t ended = waitpid(talk->pid, &status, WNOHANG);
		if (ended == talk->pid || (ended < 0 && errno != EINTR))
			break;
	}
	take_all(talk);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Returns a descriptor that is readable once a signal that ends a run is pending. */
static int signals_fd(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum status os_run_program(struct arena *arena, struct sink *sink, const struct os_program *program,
                           struct os_ended *ret_ended)
{
	struct talk talk = {
	    .input = program->input,
	    .out_text = buf_in(arena),
	    .err_text = buf_in(arena),
	    .out_max_bytes = OUT_MAX_BYTES,
	};
	struct os_ended ended;

	if (program->bounds) {
		talk.out_max_bytes = program->bounds->out_bytes;
		talk.ends_ns =
		    os_monotonic_ns() + (uint64_t)program->bounds->milliseconds * 1000000;
	}

	if (os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	int error = start(arena, program, &talk);
	if (error != 0) {
		os_report_error(sink, error, "run", program->path);
		return STATUS_FAILED;
	}
	talk.signals = signals_fd();
	ended.status = listen_to(&talk);
	close_end(&talk.in);
	close_end(&talk.out);
	close_end(&talk.err);
	close_end(&talk.signals);
	if (os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	ended.exceeded = talk.exceeded;
	if (talk.too_long && !program->bounds) {
		os_report_error(sink, EFBIG, "read what is printed by", program->path);
		return STATUS_FAILED;
	}
	ended.out = buf_sv(&talk.out_text);
	ended.err = buf_sv(&talk.err_text);
	*ret_ended = ended;
	return STATUS_OK;
}

void os_sleep_ms(unsigned milliseconds)
{
	struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};

	(void)nanosleep(&time, NULL);
}
