/*
 * osm-gen.yaml with another output contract: the number alone is changed, or a line added. What
 * comes of it is read again and compared: where anything else would change nothing is done.
 */
#include "fleet/internal.h"

#include "yaml/yaml.h"

/* osm-gen.yaml as it is to be edited. */
struct sheet {
	struct arena *arena;
	sv text;
	struct yml_documents documents;
	const struct value *fleet; /* the document; null: there is none */
};

static bool is_fleet(const struct value *root)
{
	return sv_eq(value_text(value_map_get(root, SV("kind"))), SV("Fleet")) &&
	       sv_eq(value_text(value_map_get(root, SV("apiVersion"))), SV(FLEET_API_VERSION));
}

/* Which no edit here reaches. */
static bool is_list_with_fleet(const struct value *root)
{
	const struct value *items = value_map_get(root, SV("items"));

	for (size_t i = 0; value_is_list(items) && i < value_count(items); i++)
		if (is_fleet(value_item(items, i)))
			return true;
	return false;
}

static bool read_sheet(struct arena *arena, sv text, struct sheet *ret_sheet)
{
	struct sink ignored = sink_in(arena);
	const struct source *source = source_new(arena, SV(FLEET_SETTINGS_FILE), text, false);
	struct sheet sheet = {.arena = arena, .text = text};

	if (yml_parse(arena, &ignored, source, &sheet.documents) != STATUS_OK)
		return false;
	VEC_EACH (document, &sheet.documents) {
		const struct value *root = &document->root;

		if (is_list_with_fleet(root))
			return false;
		if (!is_fleet(root))
			continue;
		if (sheet.fleet)
			return false;
		sheet.fleet = root;
	}
	*ret_sheet = sheet;
	return true;
}

static const struct value *contract_of(const struct sheet *sheet)
{
	const struct value *given = value_path(sheet->fleet, "spec.contract");

	return value_is_null(given) ? NULL : given;
}

/* A spec that is a list, or a word, has no place for a contract. */
static bool has_place(const struct sheet *sheet)
{
	const struct value *spec = value_map_get(sheet->fleet, SV("spec"));

	return value_is_null(spec) || value_is_map(spec);
}

bool fleet_named_contract(struct arena *arena, sv text, int64_t *ret_contract)
{
	struct sheet sheet;

	if (!read_sheet(arena, text, &sheet))
		return false;
	const struct value *given = contract_of(&sheet);
	if (given && given->type != &type_int64)
		return false;
	*ret_contract = given ? given->integer : 0;
	return true;
}

/* ---- the edit ------------------------------------------------------------------------------ */

static sv spliced(const struct sheet *sheet, size_t from, size_t to, sv text)
{
	return ARENA_CONCAT(sheet->arena, sv_slice(sheet->text, 0, from), text,
	                    sv_from_offset(sheet->text, to));
}

/* Where the line after this one begins, and how lines end here. */
static size_t next_line(const struct sheet *sheet, size_t at, sv *ret_end)
{
	size_t length = sv_find_char(sv_from_offset(sheet->text, at), '\n');
	size_t end = length == SV_NPOS ? sheet->text.len : at + length;

	*ret_end = end > 0 && sheet->text.ptr[end - 1] == '\r' ? SV("\r\n") : SV("\n");
	return length == SV_NPOS ? end : end + 1;
}

/* Of blanks; what else stands before a key is found out when the result is read. */
static sv indentation(const struct sheet *sheet, size_t at)
{
	size_t begin = at;

	while (begin > 0 && sheet->text.ptr[begin - 1] != '\n')
		begin--;
	return sv_slice(sheet->text, begin, at);
}

/* The lines are put behind the line of `at`; each ends in LF, which becomes what lines end in. */
static sv with_lines(const struct sheet *sheet, size_t at, sv lines)
{
	struct buf buf = buf_in(sheet->arena);
	sv end;
	size_t place = next_line(sheet, at, &end);

	if (place == 0 || sheet->text.ptr[place - 1] != '\n')
		buf_add(&buf, end);
	for (size_t i = 0; i < lines.len; i++) {
		if (lines.ptr[i] == '\n')
			buf_add(&buf, end);
		else
			buf_add_char(&buf, lines.ptr[i]);
	}
	return spliced(sheet, place, place, buf_sv(&buf));
}

/* Of a spec in braces, the first of which is at `at`. */
static sv with_braced(const struct sheet *sheet, const struct value *spec, size_t at, sv member)
{
	struct arena *arena = sheet->arena;
	sv behind = sv_from_offset(sheet->text, at + 1);

	if (value_count(spec) == 0)
		return spliced(sheet, at + 1, at + 1, member);
	if (!sv_starts_with(behind, SV("\n")) && !sv_starts_with(behind, SV("\r\n")))
		return spliced(sheet, at + 1, at + 1, ARENA_CONCAT(arena, member, SV(", ")));
	return with_lines(sheet, at,
	                  ARENA_CONCAT(arena,
	                               indentation(sheet, spec->map->entries[0].key_origin.offset),
	                               member, SV(",\n")));
}

/* Of a spec that has no contract. */
static sv with_member(const struct sheet *sheet, const struct value_entry *spec, sv number)
{
	struct arena *arena = sheet->arena;
	size_t key = spec->key_origin.offset;
	size_t at = value_position(&spec->value).offset;
	bool is_empty = value_is_null(&spec->value) || value_count(&spec->value) == 0;
	sv name = sheet->text.ptr[key] == '"' ? SV("\"contract\"") : SV("contract"); /* JSON */

	if (value_is_map(&spec->value) && at < sheet->text.len && sheet->text.ptr[at] == '{')
		return with_braced(sheet, &spec->value, at,
		                   ARENA_CONCAT(arena, name, SV(": "), number));
	sv before = is_empty ? ARENA_CONCAT(arena, indentation(sheet, key), SV("  "))
	                     : indentation(sheet, spec->value.map->entries[0].key_origin.offset);
	return with_lines(sheet, key,
	                  ARENA_CONCAT(arena, before, SV("contract: "), number, SV("\n")));
}

static sv with_spec(const struct sheet *sheet, sv number)
{
	size_t key = value_map_find(sheet->fleet, SV("kind"))->key_origin.offset;
	sv before = indentation(sheet, key);

	return with_lines(sheet, key,
	                  ARENA_CONCAT(sheet->arena, before, SV("spec:\n"), before,
	                               SV("  contract: "), number, SV("\n")));
}

static sv with_fleet(const struct sheet *sheet, sv number)
{
	sv document = ARENA_CONCAT(sheet->arena,
	                           SV("apiVersion: " FLEET_API_VERSION "\nkind: Fleet\nspec:\n"
	                              "  contract: "),
	                           number, SV("\n"));

	if (sv_empty(sheet->text))
		return document;
	return with_lines(sheet, sheet->text.len - 1,
	                  ARENA_CONCAT(sheet->arena, SV("---\n"), document));
}

static sv edited(const struct sheet *sheet, sv number)
{
	const struct value *given = contract_of(sheet);
	const struct value_entry *spec;

	if (given) {
		struct position at = value_position(given);

		return spliced(sheet, at.offset, at.offset + at.length, number);
	}
	if (!sheet->fleet)
		return with_fleet(sheet, number);
	spec = value_map_find(sheet->fleet, SV("spec"));
	return spec ? with_member(sheet, spec, number) : with_spec(sheet, number);
}

/* ---- what has come of it ------------------------------------------------------------------- */

/* A document less its contract, and less a spec that says nothing else. */
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

/* The next document with content from *i on; null: there is none. */
static const struct value *next_document(const struct sheet *sheet, size_t *i)
{
	while (*i < sheet->documents.count) {
		const struct value *root = &sheet->documents.items[(*i)++].root;

		if (!value_is_null(root))
			return root;
	}
	return NULL;
}

static bool says_the_same(const struct sheet *before, const struct sheet *now)
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
	struct sheet before;
	struct sheet now;

	if (!read_sheet(arena, text, &before) || !has_place(&before))
		return false;
	sv result = edited(&before, arena_printf(arena, "%u", contract));
	if (!read_sheet(arena, result, &now) || !now.fleet)
		return false;
	const struct value *given = contract_of(&now);
	if (!given || given->type != &type_int64 || given->integer != (int64_t)contract ||
	    !says_the_same(&before, &now))
		return false;
	*ret_text = result;
	return true;
}
