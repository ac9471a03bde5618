/*
 * Determines what YAML reads back if names, paths and keys are written without escaping
 * (docs/spec/userdata.md 3.3).
 *
 * Almost all are plain words that YAML reads back unchanged. Any other is put into the lines of
 * YAML that the controller would write around it, and parsed.
 */
#include "userdata/ignition.h"
#include "yaml/yaml.h"

/* Bytes that a plain scalar may not begin with. */
#define INDICATORS "-?:,[]{}#&*!|>'\"%@` "

static bool is_printable_ascii(sv text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < 0x20 || text.ptr[i] > 0x7E)
			return false;
	}
	return true;
}

static bool is_null_word(sv text)
{
	static const sv words[] = {SV_INIT("~"), SV_INIT("null"), SV_INIT("Null"), SV_INIT("NULL")};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (sv_eq(text, words[i]))
			return true;
	}
	return false;
}

/* True for a plain scalar that reads back unchanged, even if it looks like a number. */
static bool is_plain_word(sv text)
{
	return text.len > 0 && is_printable_ascii(text) && !strchr(INDICATORS, text.ptr[0]) &&
	       text.ptr[text.len - 1] != ' ' && text.ptr[text.len - 1] != ':' &&
	       !sv_contains(text, SV(": ")) && !sv_contains(text, SV(" #")) && !is_null_word(text);
}

/*
 * Returns the parsed text as a value. If it differs from the original, offsets of secrets in it are
 * unknown: then it is secret as a whole.
 */
static struct value moved(struct arena *arena, sv text, const struct value *from)
{
	struct value v = value_string(text);

	v.origin = from->origin;
	v.taint = from->taint;
	if (taint_derived_from(from->taint))
		v.taint = taint_derived(arena, text.len, from->taint->derived);
	else if (!sv_eq(text, value_text(from)))
		v.taint = taint_whole(arena, text.len, taint_secret(from->taint));
	return v;
}

/* Decodes a node into a string as yaml.v3 does: numbers and booleans as they are written. */
static enum ignition_scalar scalar_text(const struct value *v, sv *ret_text)
{
	if (value_is_null(v))
		return IGNITION_SCALAR_NULL;
	if (value_is_string(v))
		*ret_text = v->string;
	else if (value_is_list(v) || value_is_map(v) || !v->origin.source)
		return IGNITION_SCALAR_BROKEN;
	else
		*ret_text = sv_slice(v->origin.source->text, v->origin.offset,
		                     v->origin.offset + v->origin.length);
	return IGNITION_SCALAR_TEXT;
}

/* Returns items[0].KEY; broken if the list or its map has other members than were written. */
static enum ignition_scalar item_text(struct arena *arena, const struct value *root,
                                      const char *key, const struct value *from,
                                      struct value *ret_text)
{
	const struct value *list = value_map_get(root, SV("items"));
	sv text;

	if (value_count(root) != 1 || value_count(list) != 1 ||
	    value_count(value_item(list, 0)) != 2)
		return IGNITION_SCALAR_BROKEN;
	const struct value *v = value_map_get(value_item(list, 0), sv_from_cstr(key));
	enum ignition_scalar kind = v ? scalar_text(v, &text) : IGNITION_SCALAR_BROKEN;
	if (kind == IGNITION_SCALAR_TEXT)
		*ret_text = moved(arena, text, from);
	return kind;
}

enum ignition_scalar ignition_plain_name(struct arena *arena, const struct value *name,
                                         size_t column, struct value *ret_text)
{
	struct buf yaml = buf_in(arena);

	if (is_plain_word(value_text(name))) {
		*ret_text = *name;
		return IGNITION_SCALAR_TEXT;
	}
	if (ignition_find_forbidden(value_text(name)) != SV_NPOS)
		return IGNITION_SCALAR_BROKEN;
	BUF_ADD_LIT(&yaml, "items:\n");
	buf_add_repeat(&yaml, ' ', column - 2);
	BUF_ADD_LIT(&yaml, "- name: ");
	buf_add(&yaml, value_text(name));
	BUF_ADD_LIT(&yaml, "\n");
	buf_add_repeat(&yaml, ' ', column);
	BUF_ADD_LIT(&yaml, "after: x\n");
	return item_text(arena, yml_parse_one(arena, SV(""), buf_sv(&yaml), true), "name", name,
	                 ret_text);
}

enum ignition_scalar ignition_quoted_path(struct arena *arena, const struct value *path,
                                          struct value *ret_text)
{
	sv text = value_text(path);
	struct buf yaml = buf_in(arena);

	if (is_printable_ascii(text) && sv_find_char(text, '\'') == SV_NPOS) {
		*ret_text = *path;
		return IGNITION_SCALAR_TEXT;
	}
	if (ignition_find_forbidden(text) != SV_NPOS)
		return IGNITION_SCALAR_BROKEN;
	BUF_ADD_LIT(&yaml, "items:\n  - path: '");
	buf_add(&yaml, text);
	BUF_ADD_LIT(&yaml, "'\n    after: x\n");
	return item_text(arena, yml_parse_one(arena, SV(""), buf_sv(&yaml), true), "path", path,
	                 ret_text);
}

/* ---- keys -------------------------------------------------------------------------------- */

/* Returns the list that YAML reads back from the keys, or null if it is broken. */
static const struct value *read_keys(struct arena *arena, const struct value *keys, size_t count)
{
	struct buf yaml = buf_in(arena);

	BUF_ADD_LIT(&yaml, "passwd:\n  users:\n    - name: core\n      keys:\n        ");
	for (size_t i = 0; i < count; i++) {
		BUF_ADD_LIT(&yaml, "- ");
		buf_add(&yaml, value_text(&keys[i]));
		BUF_ADD_LIT(&yaml, "\n        ");
	}
	BUF_ADD_LIT(&yaml, "\nstorage:\n");
	if (ignition_find_forbidden(buf_sv(&yaml)) != SV_NPOS)
		return NULL;
	const struct value *root = yml_parse_one(arena, SV(""), buf_sv(&yaml), true);
	const struct value *users = value_path(root, "passwd.users");
	if (value_count(root) != 2 || value_count(value_map_get(root, SV("passwd"))) != 1 ||
	    value_count(users) != 1 || value_count(value_item(users, 0)) != 2)
		return NULL;
	const struct value *list = value_map_get(value_item(users, 0), SV("keys"));
	if (!value_is_list(list))
		return NULL;
	for (size_t i = 0; i < value_count(list); i++) {
		sv text;

		if (scalar_text(value_item(list, i), &text) == IGNITION_SCALAR_BROKEN)
			return NULL;
	}
	return list;
}

bool ignition_plain_keys(struct arena *arena, const struct value *keys, size_t count,
                         struct value **ret_texts, size_t *ret_count, size_t *ret_culprit)
{
	bool plain = true;

	for (size_t i = 0; i < count && plain; i++)
		plain = is_plain_word(value_text(&keys[i]));
	if (plain) {
		*ret_texts = ARENA_ARRAY(arena, struct value, count + 1);
		for (size_t i = 0; i < count; i++)
			(*ret_texts)[i] = keys[i];
		*ret_count = count;
		return true;
	}
	const struct value *list = read_keys(arena, keys, count);
	if (!list) {
		/* Find the first that breaks the list on its own; if none does, name the first. */
		*ret_culprit = 0;
		for (size_t i = count; i-- > 0;) {
			if (!read_keys(arena, &keys[i], 1))
				*ret_culprit = i;
		}
		return false;
	}
	struct value *texts = ARENA_ARRAY(arena, struct value, value_count(list) + 1);
	size_t kept = 0;
	for (size_t i = 0; i < value_count(list); i++) {
		sv text;

		if (scalar_text(value_item(list, i), &text) == IGNITION_SCALAR_TEXT)
			texts[kept++] = moved(arena, text, &keys[i < count ? i : count - 1]);
	}
	*ret_texts = texts;
	*ret_count = kept;
	return true;
}
