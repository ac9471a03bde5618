/*
 * Threads: mutexes, and a job for each of many items.
 */
#include "os/os.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Enough for the deepest documents and templates; musl's own default is 128 KiB. */
enum { MAX_WORKERS = 256, STACK_BYTES = 8 * 1024 * 1024 };

struct os_mutex {
	pthread_mutex_t mutex;
};

struct os_mutex *os_mutex_new(void)
{
	struct os_mutex *mutex = malloc(sizeof(*mutex));

	if (!mutex || pthread_mutex_init(&mutex->mutex, NULL) != 0)
		base_out_of_memory();
	return mutex;
}

void os_mutex_free(struct os_mutex *mutex)
{
	if (!mutex)
		return;
	pthread_mutex_destroy(&mutex->mutex);
	free(mutex);
}

void os_mutex_lock(struct os_mutex *mutex)
{
	BUG_ON(pthread_mutex_lock(&mutex->mutex) != 0);
}

void os_mutex_unlock(struct os_mutex *mutex)
{
	BUG_ON(pthread_mutex_unlock(&mutex->mutex) != 0);
}

unsigned os_core_count(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	int count = CPU_COUNT(&set);
	return count < 1 ? 1 : (unsigned)count;
}

struct pool {
	atomic_size_t next;
	size_t count;
	os_job job;
	void *context;
};

struct worker {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

static void work(const struct worker *worker)
{
	struct pool *pool = worker->pool;

	for (;;) {
		size_t index = atomic_fetch_add(&pool->next, 1);

		if (index >= pool->count)
			return;
		pool->job(pool->context, index, worker->number);
	}
}

/* The C library keeps the stacks of threads that ended, for later threads. */
static void *run_worker(void *worker)
{
	work(worker);
	os_wipe_stack();
	return NULL;
}

/* Signals are the calling thread's to take: the workers block them all. */
static unsigned start(struct worker *workers, unsigned wanted)
{
	sigset_t all;
	sigset_t before;
	pthread_attr_t attributes;
	unsigned started = 1;

	if (pthread_attr_init(&attributes) != 0)
		return started;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < wanted && pthread_create(&workers[started].thread, &attributes, run_worker,
	                                          &workers[started]) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attributes);
	return started;
}

void os_parallel(size_t count, unsigned workers, os_job job, void *context)
{
	struct pool pool = {.count = count, .job = job, .context = context};
	struct worker list[MAX_WORKERS];
	unsigned wanted = workers < 1 ? 1 : workers > MAX_WORKERS ? MAX_WORKERS : workers;

	if (wanted > count)
		wanted = count < 1 ? 1 : (unsigned)count;
	atomic_init(&pool.next, 0);
	for (unsigned i = 0; i < wanted; i++)
		list[i] = (struct worker){.pool = &pool, .number = i};
	unsigned started = start(list, wanted);
	work(&list[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(list[i].thread, NULL);
}
