/*
 * Edits osm-gen.yaml so that it names another output contract: replaces the number, or adds a line.
 * Then reads the result and compares: if anything else changed, nothing is done.
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

/* Returns true if the Fleet's spec is a map, or unset, so that a contract can be added. */
static bool has_place(const struct settings_file *file)
{
	const struct value *spec = value_map_get(file->fleet, SV("spec"));

	return value_is_null(spec) || value_is_map(spec);
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

/* ---- the edit ------------------------------------------------------------------------------ */

static sv spliced(const struct settings_file *file, size_t from, size_t to, sv text)
{
	return ARENA_CONCAT(file->arena, sv_slice(file->text, 0, from), text,
	                    sv_from_offset(file->text, to));
}

/* Returns the begin of the next line. *ret_end is the line ending used here. */
static size_t next_line(const struct settings_file *file, size_t at, sv *ret_end)
{
	size_t length = sv_find_char(sv_from_offset(file->text, at), '\n');
	size_t end = length == SV_NPOS ? file->text.len : at + length;

	*ret_end = end > 0 && file->text.ptr[end - 1] == '\r' ? SV("\r\n") : SV("\n");
	return length == SV_NPOS ? end : end + 1;
}

/* Returns the blanks before a key. Anything else before it makes the check of the result fail. */
static sv indentation(const struct settings_file *file, size_t at)
{
	size_t begin = at;

	while (begin > 0 && file->text.ptr[begin - 1] != '\n')
		begin--;
	return sv_slice(file->text, begin, at);
}

/* Inserts lines after the line of `at`. Their LFs become the file's line endings. */
static sv with_lines(const struct settings_file *file, size_t at, sv lines)
{
	struct buf buf = buf_in(file->arena);
	sv end;
	size_t place = next_line(file, at, &end);

	if (place == 0 || file->text.ptr[place - 1] != '\n')
		buf_add(&buf, end);
	for (size_t i = 0; i < lines.len; i++) {
		if (lines.ptr[i] == '\n')
			buf_add(&buf, end);
		else
			buf_add_char(&buf, lines.ptr[i]);
	}
	return spliced(file, place, place, buf_sv(&buf));
}

/* Adds a member to a spec in braces that begin at `at`. */
static sv with_braced(const struct settings_file *file, const struct value *spec, size_t at,
                      sv member)
{
	struct arena *arena = file->arena;
	sv after = sv_from_offset(file->text, at + 1);

	if (value_count(spec) == 0)
		return spliced(file, at + 1, at + 1, member);
	if (!sv_starts_with(after, SV("\n")) && !sv_starts_with(after, SV("\r\n")))
		return spliced(file, at + 1, at + 1, ARENA_CONCAT(arena, member, SV(", ")));
	return with_lines(file, at,
	                  ARENA_CONCAT(arena,
	                               indentation(file, spec->map->entries[0].key_origin.offset),
	                               member, SV(",\n")));
}

/* Adds a contract to a spec that has none. */
static sv with_member(const struct settings_file *file, const struct value_entry *spec, sv number)
{
	struct arena *arena = file->arena;
	size_t key = spec->key_origin.offset;
	size_t at = value_position(&spec->value).offset;
	bool is_empty = value_is_null(&spec->value) || value_count(&spec->value) == 0;
	sv name = file->text.ptr[key] == '"' ? SV("\"contract\"") : SV("contract"); /* JSON */

	if (value_is_map(&spec->value) && at < file->text.len && file->text.ptr[at] == '{')
		return with_braced(file, &spec->value, at,
		                   ARENA_CONCAT(arena, name, SV(": "), number));
	sv before = is_empty ? ARENA_CONCAT(arena, indentation(file, key), SV("  "))
	                     : indentation(file, spec->value.map->entries[0].key_origin.offset);
	return with_lines(file, key,
	                  ARENA_CONCAT(arena, before, SV("contract: "), number, SV("\n")));
}

static sv with_spec(const struct settings_file *file, sv number)
{
	size_t key = value_map_find(file->fleet, SV("kind"))->key_origin.offset;
	sv before = indentation(file, key);

	return with_lines(file, key,
	                  ARENA_CONCAT(file->arena, before, SV("spec:\n"), before,
	                               SV("  contract: "), number, SV("\n")));
}

static sv with_fleet(const struct settings_file *file, sv number)
{
	sv document = ARENA_CONCAT(file->arena,
	                           SV("apiVersion: " FLEET_API_VERSION "\nkind: Fleet\nspec:\n"
	                              "  contract: "),
	                           number, SV("\n"));

	if (sv_empty(file->text))
		return document;
	return with_lines(file, file->text.len - 1,
	                  ARENA_CONCAT(file->arena, SV("---\n"), document));
}

static sv edited(const struct settings_file *file, sv number)
{
	const struct value *given = contract_of(file);
	const struct value_entry *spec;

	if (given) {
		struct position at = value_position(given);

		return spliced(file, at.offset, at.offset + at.length, number);
	}
	if (!file->fleet)
		return with_fleet(file, number);
	spec = value_map_find(file->fleet, SV("spec"));
	return spec ? with_member(file, spec, number) : with_spec(file, number);
}

/* ---- the check of the result --------------------------------------------------------------- */

/* Returns a document without its contract, and without a spec that has no other member. */
static struct value without_contract(struct arena *arena, const struct value *root)
{
	struct value left = value_map_new(arena);

	if (!value_is_map(root))
		return *root;
	for (size_t i = 0; i < value_count(root); i++) {
		const struct value_entry *entry = &root->map->entries[i];
		struct value spec = value_map_new(arena);

		if (!sv_eq(entry->key, SV("spec")) ||
		    !(value_is_map(&entry->value) || value_is_null(&entry->value))) {
			value_map_set(arena, &left, entry->key, entry->value);
			continue;
		}
		for (size_t j = 0; value_is_map(&entry->value) && j < value_count(&entry->value);
		     j++) {
			const struct value_entry *member = &entry->value.map->entries[j];

			if (!sv_eq(member->key, SV("contract")))
				value_map_set(arena, &spec, member->key, member->value);
		}
		if (value_count(&spec) > 0)
			value_map_set(arena, &left, entry->key, spec);
	}
	return left;
}

/* Returns the next document from *i on that is not empty, or null. */
static const struct value *next_document(const struct settings_file *file, size_t *i)
{
	while (*i < file->documents.count) {
		const struct value *root = &file->documents.items[(*i)++].root;

		if (!value_is_null(root))
			return root;
	}
	return NULL;
}

static bool says_the_same(const struct settings_file *before, const struct settings_file *now)
{
	size_t i = 0;
	size_t j = 0;
	const struct value *one;

	while ((one = next_document(before, &i)) != NULL) {
		const struct value *other = next_document(now, &j);

		if (!other)
			return false;
		bool is_fleet = one == before->fleet;
		if (!is_fleet && !value_equal(one, other))
			return false;
		struct value left = without_contract(now->arena, one);
		struct value right = without_contract(now->arena, other);
		if (!value_equal(&left, &right) || is_fleet != (other == now->fleet))
			return false;
	}
	one = next_document(now, &j);
	return (one == NULL || (!before->fleet && one == now->fleet)) &&
	       next_document(now, &j) == NULL;
}

bool fleet_raise_contract(struct arena *arena, sv text, unsigned contract, sv *ret_text)
{
	struct settings_file before;
	struct settings_file now;

	if (!read_settings_file(arena, text, &before) || !has_place(&before))
		return false;
	sv result = edited(&before, arena_printf(arena, "%u", contract));
	if (!read_settings_file(arena, result, &now) || !now.fleet)
		return false;
	const struct value *given = contract_of(&now);
	if (!given || given->type != &type_int64 || given->integer != (int64_t)contract ||
	    !says_the_same(&before, &now))
		return false;
	*ret_text = result;
	return true;
}
