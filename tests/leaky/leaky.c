/*
 * One place of the program without its taint, for tests that look for secrets: they must find some
 * then. Linked with --wrap into build/osm-gen-leaky, and nothing else.
 */
#include "secrecy/secrecy.h"

/* The linker's names. */
struct value __wrap_secrecy_taint_userinfo(struct arena *arena, struct value url,
                                           sv name); /* NOLINT */

/* As secrecy_taint_userinfo, but for the taint: a proxy's password is text like any other. */
struct value __wrap_secrecy_taint_userinfo(struct arena *arena, struct value url,
                                           sv name) /* NOLINT */
{
	(void)arena;
	(void)name;
	return url;
}
