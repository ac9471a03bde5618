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

static void compile(struct system_reader *r, struct system_text *text, const char *name)
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

		if (value_is_string(&entry->value) &&
		    tmpl_set_add(arena, r->schema.sink, set, &named, NULL) != STATUS_OK)
			r->schema.failed = true;
	}
	text->set = set;
}

struct system_text system_text_read(struct system_reader *r, const struct value *map,
                                    const char *key, bool required, const char *name)
{
	struct system_text text = {.source = schema_string(&r->schema, map, key, required)};

	if (text.source.type && sv_find(text.source.string, SV("{{")) != SV_NPOS)
		compile(r, &text, name);
	return text;
}
