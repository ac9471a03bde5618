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
 * The result of a function that can fail. STATUS_FAILED means that the sink it was given has at
 * least one new error; nothing else means that. Parameters named ret_* are then untouched.
 */
enum status { STATUS_OK = 0, STATUS_FAILED = 1 };

/*
 * Stops the program: prints the invariant that failed on stderr and calls abort(). Never used for
 * bad input.
 */
NORETURN void base_bug(const char *file, int line, const char *what);
#define BUG(what)    base_bug(__FILE__, __LINE__, (what))
#define BUG_ON(cond) ((cond) ? base_bug(__FILE__, __LINE__, #cond) : (void)0)

/*
 * Reports DIAG_OUT_OF_MEMORY on stderr and exits with status 3 at once. Nothing is cleaned up: the
 * next run does that, as after a power cut.
 */
NORETURN void base_out_of_memory(void);

#endif
