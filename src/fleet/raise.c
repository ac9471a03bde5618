/*
 * Edits osm-gen.yaml so that it names another output contract: replaces the number, adds a line, or
 * adds a Fleet.
 */
#include "fleet/internal.h"

#include "yaml/yaml.h"

/* The osm-gen.yaml that is edited. */
struct settings_file {
	struct arena *arena;
	sv text;
	struct yml_documents documents;
	const struct value *fleet; /* the Fleet's document, or null */
};

static bool is_fleet(const struct value *root)
{
	return sv_eq(value_text(value_map_get(root, SV("kind"))), SV("Fleet")) &&
	       sv_eq(value_text(value_map_get(root, SV("apiVersion"))), SV(FLEET_API_VERSION));
}

/* Returns true for a List with a Fleet in it, which is not edited here. */
static bool is_list_with_fleet(const struct value *root)
{
	const struct value *items = value_map_get(root, SV("items"));

	for (size_t i = 0; value_is_list(items) && i < value_count(items); i++)
		if (is_fleet(value_item(items, i)))
			return true;
	return false;
}

static bool read_settings_file(struct arena *arena, sv text, struct settings_file *ret_file)
{
	struct sink ignored = sink_in(arena);
	const struct source *source = source_new(arena, SV(FLEET_SETTINGS_FILE), text, false);
	struct settings_file file = {.arena = arena, .text = text};

	if (yml_parse(arena, &ignored, source, &file.documents) != STATUS_OK)
		return false;
	VEC_EACH (document, &file.documents) {
		const struct value *root = &document->root;

		if (is_list_with_fleet(root))
			return false;
		if (!is_fleet(root))
			continue;
		if (file.fleet)
			return false;
		file.fleet = root;
	}
	*ret_file = file;
	return true;
}

static const struct value *contract_of(const struct settings_file *file)
{
	const struct value *given = value_path(file->fleet, "spec.contract");

	return value_is_null(given) ? NULL : given;
}

bool fleet_named_contract(struct arena *arena, sv text, int64_t *ret_contract)
{
	struct settings_file file;

	if (!read_settings_file(arena, text, &file))
		return false;
	const struct value *given = contract_of(&file);
	if (given && given->type != &type_int64)
		return false;
	*ret_contract = given ? given->integer : 0;
	return true;
}

bool fleet_edit_needs_key(struct arena *arena, sv text)
{
	struct settings_file file;

	if (!read_settings_file(arena, text, &file))
		return false;
	VEC_EACH (document, &file.documents)
		if (seal_covers_clear_values(&document->root))
			return true;
	return false;
}

/* ---- the edit ------------------------------------------------------------------------------ */

/* Returns the text with a document more, a Fleet. */
static sv with_fleet(struct arena *arena, sv text, sv number)
{
	sv end = sv_contains(text, SV("\r\n")) ? SV("\r\n") : SV("\n");
	struct buf buf = buf_in(arena);

	buf_add(&buf, text);
	if (!sv_empty(text) && !sv_ends_with(text, SV("\n")))
		buf_add(&buf, end);
	if (!sv_empty(text))
		buf_printf(&buf, "---%.*s", SV_ARG(end));
	buf_printf(&buf, "apiVersion: " FLEET_API_VERSION "%.*skind: Fleet%.*sspec:%.*s",
	           SV_ARG(end), SV_ARG(end), SV_ARG(end));
	buf_printf(&buf, "  contract: %.*s%.*s", SV_ARG(number), SV_ARG(end));
	return buf_sv(&buf);
}

/* Returns true if the text is that of before, with a Fleet after it. */
static bool has_fleet_more(const struct settings_file *before, const struct settings_file *now,
                           unsigned contract)
{
	const struct value *given = now->fleet ? contract_of(now) : NULL;
	size_t count = 0;

	VEC_EACH (document, &now->documents) {
		if (value_is_null(&document->root) || &document->root == now->fleet)
			continue;
		while (count < before->documents.count &&
		       value_is_null(&before->documents.items[count].root))
			count++;
		if (count == before->documents.count ||
		    !value_equal(&before->documents.items[count++].root, &document->root))
			return false;
	}
	return given && given->type == &type_int64 && given->integer == (int64_t)contract;
}

bool fleet_raise_contract(struct arena *arena, sv text, unsigned contract, sv *ret_text)
{
	static const sv path[] = {SV_INIT("spec"), SV_INIT("contract")};
	struct settings_file before;
	struct settings_file now;
	sv number = arena_printf(arena, "%u", contract);
	struct yml_edit edit = {.item = YML_NO_ITEM,
	                        .path = path,
	                        .path_count = COUNT_OF(path),
	                        .scalar = number,
	                        .value = value_int((int64_t)contract),
	                        .beside = SV("kind")};
	size_t failed;

	if (!read_settings_file(arena, text, &before))
		return false;
	if (!before.fleet) {
		sv result = with_fleet(arena, text, number);

		if (!read_settings_file(arena, result, &now) ||
		    !has_fleet_more(&before, &now, contract))
			return false;
		*ret_text = result;
		return true;
	}
	while (&before.documents.items[edit.document].root != before.fleet)
		edit.document++;
	return yml_set_members(arena, text, &edit, 1, ret_text, &failed);
}
