/*
 * Checks the members of a settings document against the table of members.c: unknown names, wrong
 * types, missing ones.
 */
#include "fleet/internal.h"

#define MAX_MEMBERS 16

static bool has_type(const struct value *v, enum fleet_member_type type)
{
	switch (type) {
	case FLEET_MEMBER_MAP:
		return value_is_map(v);
	case FLEET_MEMBER_TEXT:
		return value_is_string(v);
	case FLEET_MEMBER_LIST:
		return value_is_list(v);
	case FLEET_MEMBER_NUMBER:
		return v->type == &type_int64 && v->integer >= 0;
	case FLEET_MEMBER_COUNT:
		return v->type == &type_int64 && v->integer >= 1;
	case FLEET_MEMBER_BOOL:
		return v->type == &type_bool;
	}
	BUG("member type");
}

static const char *type_words(enum fleet_member_type type)
{
	switch (type) {
	case FLEET_MEMBER_MAP:
		return "a map";
	case FLEET_MEMBER_TEXT:
		return "a string";
	case FLEET_MEMBER_LIST:
		return "a list";
	case FLEET_MEMBER_NUMBER:
		return "a number from 0 on";
	case FLEET_MEMBER_COUNT:
		return "a number from 1 on";
	case FLEET_MEMBER_BOOL:
		return "true or false";
	}
	BUG("member type");
}

static void report_unknown(struct sink *sink, const struct value_entry *entry, const char *what,
                           struct fleet_map map)
{
	sv names[MAX_MEMBERS];
	size_t count = 0;
	struct buf all = buf_in(sink->arena);

	for (size_t i = 0; i < fleet_member_count; i++) {
		if (!fleet_map_has(map, &fleet_members[i]))
			continue;
		BUG_ON(count == MAX_MEMBERS);
		buf_printf(&all, "%s%s", count ? ", " : "", fleet_members[i].name);
		names[count++] = sv_from_cstr(fleet_members[i].name);
	}
	struct diag *diag = diag_report(sink, DIAG_FLEET_MEMBER, origin_position(entry->key_origin),
	                                "%s has no \"%.*s\"", what, SV_ARG(entry->key));
	sv nearest = diag_nearest(entry->key, names, count);
	if (!sv_empty(nearest))
		diag_set_help(sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
	else
		diag_set_help(sink, diag, "it may hold: %.*s", SV_ARG(buf_sv(&all)));
}

static void report_type(struct sink *sink, const struct value *v, enum fleet_member_type wanted,
                        const char *format, ...) PRINTF_LIKE(4, 5);
static void report_type(struct sink *sink, const struct value *v, enum fleet_member_type wanted,
                        const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(sink->arena, format, args);
	va_end(args);
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_TYPE, value_position(v), "%.*s", SV_ARG(text));
	switch (wanted) {
	case FLEET_MEMBER_TEXT:
		diag_set_help(sink, diag,
		              "put it in quotes when it looks like a number or a boolean");
		break;
	case FLEET_MEMBER_LIST:
		diag_set_help(sink, diag, "write [A, B], or begin each item with \"- \"");
		break;
	case FLEET_MEMBER_MAP:
		diag_set_help(sink, diag, "write KEY: VALUE lines below it");
		break;
	case FLEET_MEMBER_NUMBER:
	case FLEET_MEMBER_COUNT:
		diag_set_help(sink, diag, "write its digits, without quotes and units");
		break;
	case FLEET_MEMBER_BOOL:
		diag_set_help(sink, diag, "write true or false, without quotes");
		break;
	}
}

static const struct fleet_member *find_member(sv name, struct fleet_map map)
{
	for (size_t i = 0; i < fleet_member_count; i++)
		if (sv_eq_cstr(name, fleet_members[i].name) &&
		    fleet_map_has(map, &fleet_members[i]))
			return &fleet_members[i];
	return NULL;
}

enum status fleet_check_members(struct sink *sink, const struct value *v, const char *what,
                                struct fleet_map map)
{
	size_t errors = sink->error_count;

	if (value_is_null(v))
		return STATUS_OK;
	if (!value_is_map(v)) {
		report_type(sink, v, FLEET_MEMBER_MAP, "%s must be a map", what);
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];
		const struct fleet_member *member = find_member(entry->key, map);

		if (!member)
			report_unknown(sink, entry, what, map);
		else if (!value_is_null(&entry->value) && !has_type(&entry->value, member->type))
			report_type(sink, &entry->value, member->type, "%s of %s must be %s",
			            member->name, what, type_words(member->type));
	}
	return sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

enum status fleet_require_member(struct sink *sink, const struct value *v, const char *what,
                                 const char *name)
{
	if (!value_is_null(value_map_get(v, sv_from_cstr(name))))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_TYPE, value_position(v), "%s has no %s", what, name);
	diag_set_help(sink, diag, "add %s%s", name,
	              strcmp(name, "metadata") == 0 ? ": {name: NAME}" : "");
	return STATUS_FAILED;
}

struct value fleet_sound_members(struct arena *arena, const struct value *v, struct fleet_map map)
{
	struct value sound = value_map_new(arena);

	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];
		const struct fleet_member *member = find_member(entry->key, map);

		if (member && has_type(&entry->value, member->type))
			value_map_set_at(arena, &sound, entry->key, entry->key_origin,
			                 entry->value);
	}
	return sound;
}
