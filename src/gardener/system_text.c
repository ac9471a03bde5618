/*
 * Reads strings of a system, compiles those that are templates, and reports mistakes.
 */
#include <stdarg.h>

#include "gardener/system.h"

struct diag *system_report(struct system_reader *r, struct position at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(r->schema.arena, format, args);
	va_end(args);
	r->schema.failed = true;
	return diag_report(r->schema.sink, DIAG_GARDENER_SYSTEM, at, "%.*s", SV_ARG(text));
}

void system_refuse(struct system_reader *r, const struct value *v, const char *key,
                   const char *reason)
{
	if (value_is_null(v))
		return;
	struct diag *diag =
	    system_report(r, value_position(v), "%s is not allowed here: %s", key, reason);
	diag_set_help(r->schema.sink, diag, "remove it");
}

bool system_is_true(const struct value *map, const char *key)
{
	const struct value *v = value_map_get(map, sv_from_cstr(key));

	return v && v->boolean;
}

static void compile_text(struct system_reader *r, struct system_text *text, const char *name)
{
	struct arena *arena = r->schema.arena;
	/* The set keeps a pointer to it. */
	struct value *lasting = ARENA_NEW(arena, struct value);
	const struct tmpl_source source = {sv_from_cstr(name), lasting};
	struct tmpl_set *set;

	*lasting = text->source;
	if (tmpl_parse(arena, r->schema.sink, &tmpl_funcs_profile, &source, &set, NULL) !=
	    STATUS_OK) {
		r->schema.failed = true;
		return;
	}
	for (size_t i = 0; i < value_count(r->templates); i++) {
		const struct value_entry *entry = &r->templates->map->entries[i];
		const struct tmpl_source named = {entry->key, &entry->value};

		if (tmpl_set_add(arena, r->schema.sink, set, &named, NULL) != STATUS_OK)
			r->schema.failed = true;
	}
	text->set = set;
}

struct system_text system_text_read(struct system_reader *r, const struct value *given,
                                    const char *name)
{
	struct system_text text = {.source = given ? *given : VALUE_INVALID};

	if (given && sv_find(given->string, SV("{{")) != SV_NPOS)
		compile_text(r, &text, name);
	return text;
}
