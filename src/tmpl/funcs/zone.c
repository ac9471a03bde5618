/*
 * Time zones, from the system's database (RFC 8536): a table of changes, and a rule for what comes
 * behind it.
 */
#include "os/os.h"
#include "tmpl/funcs/date.h"

#define DATABASE "/usr/share/zoneinfo/"
#define MAX_SIZE (1 << 20)
#define HEADER   44

static uint32_t number_at(sv s, size_t at)
{
	uint32_t number = 0;

	for (size_t i = 0; i < 4; i++)
		number = number << 8 | (unsigned char)s.ptr[at + i];
	return number;
}

static int64_t long_at(sv s, size_t at)
{
	return (int64_t)((uint64_t)number_at(s, at) << 32 | number_at(s, at + 4));
}

struct counts {
	size_t is_utc;
	size_t is_standard;
	size_t leaps;
	size_t transitions;
	size_t types;
	size_t letters;
};

static bool read_header(sv s, struct counts *c)
{
	if (s.len < HEADER || !sv_starts_with(s, SV("TZif")))
		return false;
	c->is_utc = number_at(s, 20);
	c->is_standard = number_at(s, 24);
	c->leaps = number_at(s, 28);
	c->transitions = number_at(s, 32);
	c->types = number_at(s, 36);
	c->letters = number_at(s, 40);
	return c->is_utc + c->is_standard + c->leaps + c->transitions + c->types + c->letters <
	       MAX_SIZE;
}

static size_t block_size(const struct counts *c, size_t time_size)
{
	return c->transitions * (time_size + 1) + c->types * 6 + c->letters +
	       c->leaps * (time_size + 4) + c->is_standard + c->is_utc;
}

/* The text between two line feeds behind the data. */
static sv footer(sv s)
{
	size_t end = s.len > 0 ? sv_find_char(sv_from_offset(s, 1), '\n') : SV_NPOS;

	return s.len > 0 && s.ptr[0] == '\n' && end != SV_NPOS ? sv_slice(s, 1, 1 + end)
	                                                       : (sv){NULL, 0};
}

/* Offset and name at an instant; false for a file that is none. */
static bool look_up(sv file, int64_t seconds, struct go_time *time)
{
	struct counts c;
	size_t type = 0;

	if (!read_header(file, &c) || file.ptr[4] < '2' ||
	    file.len < 2 * HEADER + block_size(&c, 4))
		return false;
	file = sv_from_offset(file, HEADER + block_size(&c, 4));
	if (!read_header(file, &c) || c.types == 0 || file.len < HEADER + block_size(&c, 8))
		return false;
	sv times = sv_from_offset(file, HEADER);
	sv indexes = sv_from_offset(times, c.transitions * 8);
	sv types = sv_from_offset(indexes, c.transitions);
	sv letters = sv_slice(types, c.types * 6, c.types * 6 + c.letters);
	size_t passed = 0;
	while (passed < c.transitions && long_at(times, passed * 8) <= seconds)
		type = (unsigned char)indexes.ptr[passed++];
	if (type >= c.types)
		return false;
	size_t name = (unsigned char)types.ptr[type * 6 + 5];
	if (name >= letters.len)
		return false;
	letters = sv_from_offset(letters, name);
	size_t end = sv_find_char(letters, '\0');
	time->zone_offset = (int32_t)number_at(types, type * 6);
	time->zone_name = sv_slice(letters, 0, end == SV_NPOS ? letters.len : end);
	if (passed == c.transitions)
		(void)zone_rule_apply(footer(sv_from_offset(file, HEADER + block_size(&c, 8))),
		                      time);
	return true;
}

static bool is_plain_name(sv zone)
{
	return zone.len > 0 && zone.len < 100 && !sv_contains(zone, SV("..")) &&
	       zone.ptr[0] != '/' && zone.ptr[0] != '\\' && sv_find_char(zone, '\0') == SV_NPOS;
}

void time_to_zone(struct arena *arena, struct go_time *time, sv zone)
{
	struct sink sink = sink_in(arena); /* an unknown zone is no mistake */
	sv path = ARENA_CONCAT(arena, SV(DATABASE), zone);
	sv file;

	time->zone_offset = 0;
	time->zone_name = SV("UTC");
	if (sv_eq(zone, SV("UTC")) || sv_eq(zone, SV("Local")) || !is_plain_name(zone) ||
	    os_kind(path) == OS_ABSENT || os_kind(path) == OS_FOLDER)
		return;
	if (os_read_file(arena, &sink, path, MAX_SIZE, &file) == STATUS_OK)
		(void)look_up(file, time->seconds, time);
}
