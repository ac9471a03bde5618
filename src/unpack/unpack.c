/*
 * Takes objects apart: what a file's or a unit's map holds as content becomes a part of its own,
 * and the rest is printed without it.
 */
#include "unpack/internal.h"
#include "yaml/yaml.h"
#include "json/json.h"

struct unpacking {
	struct arena *arena;
	struct unpack_parts *parts;
	struct map names; /* how often each name was used */
	size_t left;      /* bytes that may still be decompressed */
};

/* Far more than a Secret holds. */
enum { MOST_BYTES = 64 * 1024 * 1024 };

static void add_part(struct unpacking *u, sv name, sv text)
{
	size_t *used = map_get(&u->names, name);
	sv unique = name;

	/* Count on from the last number, as thousands may have one name. */
	while (map_get(&u->names, unique))
		unique = arena_printf(u->arena, "%.*s (%zu)", SV_ARG(name), ++*used);
	size_t *count = ARENA_NEW(u->arena, size_t);
	*count = 1;
	map_put(&u->names, unique, count);
	VEC_PUSH(u->arena, u->parts, (struct unpack_part){unique, unpack_readable(u->arena, text)});
}

/* ---- files and units ---------------------------------------------------------------------- */

static sv text_at(const struct value *map, const char *path)
{
	const struct value *found = value_path(map, path);

	return value_is_string(found) ? value_text(found) : (sv){0};
}

/*
 * Finds the content of a file or a unit, in the spelling of cloud-init, Ignition 2 and 3,
 * coreos-cloudinit, or an OperatingSystemConfig. *ret_key is the member that holds it.
 */
static bool find_content(struct unpacking *u, const struct value *map, sv *ret_key, sv *ret_bytes)
{
	sv inlined = text_at(map, "content.inline.data");
	sv contents = text_at(map, "contents");
	sv content = text_at(map, "content");
	sv source = text_at(map, "contents.source");
	sv bytes;

	if (content.ptr) {
		*ret_bytes = unpack_encoded(u->arena, content, text_at(map, "encoding"), &u->left);
	} else if (inlined.ptr) {
		*ret_bytes = unpack_encoded(u->arena, inlined,
		                            text_at(map, "content.inline.encoding"), &u->left);
	} else if (contents.ptr) {
		*ret_bytes = contents;
	} else if (source.ptr && unpack_data_url(u->arena, source, &bytes)) {
		*ret_bytes = sv_eq(text_at(map, "contents.compression"), SV("gzip"))
		                 ? unpack_expand(u->arena, bytes, &u->left)
		                 : bytes;
	} else {
		return false;
	}
	*ret_key = content.ptr || inlined.ptr ? SV("content") : SV("contents");
	return true;
}

/*
 * Returns the value without the contents of its files and units, which become parts. `label` is
 * before their names; `folder` is that of drop-ins, "kubelet.service.d/", or empty.
 */
static struct value lift(struct unpacking *u, const struct value *value, sv label, sv folder)
{
	struct value out;
	sv key = {0};
	sv bytes;

	if (value_is_list(value)) {
		out = value_list_new(u->arena);
		for (size_t i = 0; i < value_count(value); i++)
			value_list_add(u->arena, &out,
			               lift(u, value_item(value, i), label, folder));
		return out;
	}
	if (!value_is_map(value))
		return *value;
	out = value_map_new(u->arena);
	sv path = text_at(value, "path");
	sv unit = text_at(value, "name");
	sv name = path.ptr ? path : unit;
	if (name.ptr && find_content(u, value, &key, &bytes))
		add_part(u, ARENA_CONCAT(u->arena, label, folder, name), bytes);
	for (size_t i = 0; i < value_count(value); i++) {
		const struct value_entry *entry = &value->map->entries[i];
		bool is_drop_ins =
		    unit.ptr &&
		    (sv_eq(entry->key, SV("dropins")) || sv_eq(entry->key, SV("drop_ins")) ||
		     sv_eq(entry->key, SV("dropIns")) || sv_eq(entry->key, SV("drop-ins")));

		if (key.ptr && sv_eq(entry->key, key))
			continue;
		value_map_set(u->arena, &out, entry->key,
		              lift(u, &entry->value, label,
		                   is_drop_ins ? ARENA_CONCAT(u->arena, unit, SV(".d/")) : folder));
	}
	return out;
}

/* ---- values of Secrets -------------------------------------------------------------------- */

static bool parse(struct arena *arena, sv text, bool is_json, struct value *ret_root)
{
	struct sink unused = sink_in(arena);
	sv name = SV("user-data");

	if (is_json)
		return json_parse(arena, &unused, source_new(arena, name, text, true), ret_root) ==
		       STATUS_OK;
	const struct value *root = yml_parse_one(arena, name, text, true);
	if (root)
		*ret_root = *root;
	return root != NULL;
}

/*
 * Cuts the first line "NAME DIGEST" off user-data of which a ConfigMap has files, and the mark
 * <NAME> out of it. Returns the line, or an empty string for other text.
 */
static sv take_config_map(struct arena *arena, sv *text)
{
	enum { DIGEST_DIGITS = 64 };
	struct buf out = buf_in(arena);
	sv line;
	sv rest;
	sv name;
	sv digest;

	if (!sv_cut(*text, SV("\n"), &line, &rest) || !sv_cut(line, SV(" "), &name, &digest) ||
	    sv_empty(name) || digest.len != DIGEST_DIGITS)
		return SV("");
	sv mark = ARENA_CONCAT(arena, SV("<"), name, SV(">"));
	size_t at = sv_find(rest, mark);
	if (at == SV_NPOS)
		return SV("");
	size_t after = at + mark.len;
	/* In JSON the other files follow. */
	if (sv_starts_with(sv_from_offset(rest, after), SV(",")))
		after++;
	buf_add(&out, sv_slice(rest, 0, at));
	buf_add(&out, sv_from_offset(rest, after));
	*text = buf_sv(&out);
	return line;
}

static void add_unpacked(struct unpacking *u, sv key, sv bytes)
{
	sv text = unpack_expand(u->arena, bytes, &u->left);
	sv config_map = take_config_map(u->arena, &text);
	bool is_json = sv_starts_with(text, SV("{"));
	bool is_config = sv_starts_with(text, SV("#cloud-config"));
	struct buf out = buf_in(u->arena);
	struct value root;

	if (!(is_json || is_config) || !utf8_valid(text) ||
	    !parse(u->arena, text, is_json, &root) || !value_is_map(&root)) {
		bool is_script = sv_starts_with(text, SV("#!")) ||
		                 sv_starts_with(text, SV("Content-Type:")) ||
		                 sv_starts_with(text, SV("MIME-Version:"));

		add_part(u, key, is_script ? unpack_script(u->arena, text, &u->left) : text);
		return;
	}
	/* The rest comes first, and is known last. */
	size_t at = u->parts->count;
	add_part(u, key, SV(""));
	struct value rest =
	    lift(u, &root, ARENA_CONCAT(u->arena, u->parts->items[at].name, SV(": ")), SV(""));
	if (is_config)
		BUF_ADD_LIT(&out, "#cloud-config\n");
	if (!sv_empty(config_map))
		buf_printf(&out, "# and the files of ConfigMap %.*s\n", SV_ARG(config_map));
	yml_emit(&out, &rest, (struct yml_format){0});
	u->parts->items[at].text = buf_sv(&out);
}

static void add_values(struct unpacking *u, const struct value *values, bool is_encoded)
{
	for (size_t i = 0; value_is_map(values) && i < value_count(values); i++) {
		const struct value_entry *entry = &values->map->entries[i];
		sv bytes = value_is_string(&entry->value) ? value_text(&entry->value) : SV("");

		if (is_encoded && !unpack_base64(u->arena, bytes, &bytes))
			bytes = value_text(&entry->value);
		add_unpacked(u, entry->key, bytes);
	}
}

/* ---- the whole ---------------------------------------------------------------------------- */

void unpack_object(struct arena *arena, const struct value *object, struct unpack_parts *parts)
{
	struct unpacking u = {arena, parts, map_in(arena), MOST_BYTES};
	bool is_secret = sv_eq(text_at(object, "kind"), SV("Secret"));
	struct value rest = value_map_new(arena);
	struct buf out = buf_in(arena);
	size_t at = parts->count;

	add_part(&u, SV(""), SV(""));
	for (size_t i = 0; value_is_map(object) && i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];
		bool is_data = sv_eq(entry->key, SV("data"));

		if (is_secret && (is_data || sv_eq(entry->key, SV("stringData"))))
			add_values(&u, &entry->value, is_data);
		else
			value_map_set(arena, &rest, entry->key,
			              lift(&u, &entry->value, SV(""), SV("")));
	}
	yml_emit(&out, value_is_map(object) ? &rest : object, (struct yml_format){0});
	parts->items[at].text = buf_sv(&out);
}

/* A name is on one line. */
static void add_visible(struct buf *out, sv text, bool is_name)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if ((c < ' ' && (is_name || (c != '\n' && c != '\t'))) || c == 0x7F)
			buf_printf(out, "\\x%02x", (unsigned)c);
		/* U+0080 to U+009F are control characters, too. */
		else if (c == 0xC2 && i + 1 < text.len && (unsigned char)text.ptr[i + 1] < 0xA0)
			buf_printf(out, "\\u%04x", (unsigned)(unsigned char)text.ptr[++i]);
		else
			buf_add_char(out, text.ptr[i]);
	}
}

void unpack_print(struct buf *out, const struct unpack_parts *parts)
{
	VEC_EACH (part, parts) {
		if (!sv_empty(part->name)) {
			BUF_ADD_LIT(out, "==> ");
			add_visible(out, part->name, true);
			BUF_ADD_LIT(out, " <==\n");
		}
		add_visible(out, part->text, false);
		if (!sv_empty(part->text) && !sv_ends_with(part->text, SV("\n")))
			buf_add_char(out, '\n');
	}
}
