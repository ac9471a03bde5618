/*
 * Reads an extension's cloud-init modules. User-data contains their strings without quotes
 * (docs/spec/userdata.md 2). A string that YAML then reads as something else (yes, 1.10) would
 * break the first boot.
 */
#include "osm/extension/internal.h"

#include "yaml/yaml.h"

/* Parses `before` followed by `text`. Returns the document, or null if it is not YAML. */
static const struct value *read_after(struct arena *arena, sv before, sv text)
{
	return yml_parse_one(arena, SV("user-data"), ARENA_CONCAT(arena, before, text, SV("\n")),
	                     false);
}

static void report_module(struct schema *schema, const struct value *text, const char *what)
{
	struct diag *diag = extension_report(schema, value_position(text),
	                                     "cloud-init would not read this %s as it is", what);

	diag_set_help(
	    schema->sink, diag,
	    "user-data holds it without quotes, and \": \", \" #\" and some first characters have "
	    "a meaning in YAML: put it into a second pair of quotes, or into a file");
}

/* Returns true if YAML reads the string as written, or if its quotes or list are meant for YAML. */
static bool is_read_right(const struct value *read, sv text)
{
	bool is_quoted = sv_starts_with(text, SV("'")) || sv_starts_with(text, SV("\""));

	if (value_is_string(read))
		return is_quoted || sv_eq(read->string, sv_trim_space(text));
	for (size_t i = 0; value_is_list(read) && i < value_count(read); i++)
		if (!value_is_string(value_item(read, i)))
			return false;
	return value_is_list(read) && sv_starts_with(text, SV("[")) && value_count(read) > 0;
}

/* Checks a command: one line, which YAML reads as a string or a list of words. */
static void check_commands(struct schema *schema, const struct value *modules, const char *key)
{
	const struct value *list = extension_texts(schema, modules, key);

	for (size_t i = 0; i < value_count(list); i++) {
		ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
		const struct value *item = value_item(list, i);
		const struct value *read = read_after(scratch, SV("- "), item->string);

		if (value_count(read) != 1 || !is_read_right(value_item(read, 0), item->string))
			report_module(schema, item, "command");
	}
}

/* Checks that YAML reads each value of a repository, without quotes, as one scalar. */
static void check_repository(struct schema *schema, const struct value *repository)
{
	for (size_t i = 0; i < value_count(repository); i++) {
		ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
		const struct value *given = &repository->map->entries[i].value;

		if (!value_is_string(given))
			continue; /* reported by the profile's own check */
		const struct value *read = read_after(scratch, SV("a: "), given->string);
		const struct value *value = value_map_get(read, SV("a"));

		if (!value || value_count(value) > 0 ||
		    (value_is_string(value) && !is_read_right(value, given->string)))
			report_module(schema, given, "member of a repository");
	}
}

const struct value *extension_modules_read(struct schema *schema, const struct value *config)
{
	const struct value *modules = extension_member(config, "modules", KIND_MAP);
	const struct value *repositories = extension_member(modules, "yum_repos", KIND_MAP);

	check_commands(schema, modules, "bootcmd");
	check_commands(schema, modules, "runcmd");
	for (size_t i = 0; i < value_count(repositories); i++)
		check_repository(schema, &repositories->map->entries[i].value);
	return modules;
}
