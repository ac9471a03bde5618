/*
 * Compiler attributes, the status type, and BUG() for our own mistakes.
 */
#ifndef OSM_GEN_BASE_COMPILER_H
#define OSM_GEN_BASE_COMPILER_H

#define MUST_CHECK        __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define NORETURN          __attribute__((noreturn))
#define UNUSED            __attribute__((unused))
#define CLEANUP(f)        __attribute__((cleanup(f)))
#define COUNT_OF(a)       (sizeof(a) / sizeof((a)[0]))

/*
 * What a fallible function returns. STATUS_FAILED means that the sink it was given has at least
 * one new error; nothing else does, and ret_* parameters are then untouched.
 */
enum status { STATUS_OK = 0, STATUS_FAILED = 1 };

/* Stops the program: the invariant that failed, on stderr, then abort(). Never for bad input. */
NORETURN void base_bug(const char *file, int line, const char *what);
#define BUG(what)    base_bug(__FILE__, __LINE__, (what))
#define BUG_ON(cond) ((cond) ? base_bug(__FILE__, __LINE__, #cond) : (void)0)

/*
 * Out of memory cannot be mended where it happens: DIAG_OUT_OF_MEMORY on stderr, exit status 3, at
 * once. Nothing is cleaned up: that is the next run's work, as after a power cut (git/locks.h).
 */
NORETURN void base_out_of_memory(void);

#endif
