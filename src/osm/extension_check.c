/*
 * What the readers of an extension's members share.
 */
#include "osm/extension.h"

#include <stdarg.h>

struct diag *extension_report(struct schema *schema, struct position at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(schema->arena, format, args);
	va_end(args);
	schema->failed = true;
	return diag_report(schema->sink, DIAG_EXTENSION, at, "%.*s", SV_ARG(text));
}

void extension_check_template(struct schema *schema, sv name, const struct value *text)
{
	const struct tmpl_source source = {name, text};
	struct tmpl_set *set;

	if (text->type && tmpl_parse(schema->arena, schema->sink, &tmpl_funcs_profile, &source,
	                             &set, NULL) != STATUS_OK)
		schema->failed = true;
}

const struct value *extension_texts(struct schema *schema, const struct value *map, const char *key)
{
	const struct value *list = schema_list(schema, map, key, false);
	bool is_right = true;

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (value_is_string(item) && !sv_empty(sv_trim_space(item->string)))
			continue;
		struct diag *diag = extension_report(schema, value_position(item),
		                                     "%s must hold texts that are not empty", key);
		diag_set_help(schema->sink, diag,
		              "put it in quotes when it looks like a number, or remove it");
		is_right = false;
	}
	return is_right ? list : NULL;
}
