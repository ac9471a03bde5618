/* "NAME <MAIL>", which --author and osm-gen.yaml give: both parts are safe in a commit's header. */
#include "run/commit/commit.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv author = sv_from((const char *)data, size);
	sv name;
	sv mail;
	sv name_again;
	sv mail_again;

	if (!run_parse_author(author, &name, &mail))
		return 0;
	check(!sv_empty(name) && !sv_empty(mail) && sv_eq(name, sv_trim_space(name)));
	check(sv_contains(author, name) && sv_contains(author, mail));
	/* A commit's header has one line for it, in which < and > enclose the address. */
	for (size_t i = 0; i < size; i++)
		check(data[i] >= 0x20 && data[i] != 0x7f);
	check(sv_find_char(name, '<') == SV_NPOS && sv_find_char(name, '>') == SV_NPOS);
	check(sv_find_char(mail, '<') == SV_NPOS && sv_find_char(mail, '>') == SV_NPOS);
	sv written = ARENA_CONCAT(arena, name, SV(" <"), mail, SV(">"));
	check(run_parse_author(written, &name_again, &mail_again));
	check(sv_eq(name, name_again) && sv_eq(mail, mail_again));
	return 0;
}
