/*
 * Cuts the provisioning configuration in two (setting provisioning: split; docs/spec/userdata.md
 * 8): a ConfigMap with files that hold no secret, and the Secret with the rest, which names it.
 */
#include "osm/split.h"
#include "codec/codec.h"
#include "userdata/userdata.h"
#include "value/text.h"
#include "yaml/yaml.h"

/* The key of the list of files. */
#define LIST_KEY SV("config")
/* A ConfigMap's name ends in the first digits of its digest. */
#define NAME_DIGITS   32
#define KEY_MAX_BYTES 253

/* ---- which files ------------------------------------------------------------------------- */

/*
 * Returns true for text that kustomize, the API server, jq and bash carry unchanged. kustomize
 * refuses U+FFFE and the controls from U+0080 on, and loses U+0085.
 */
static bool is_plain_text(sv text)
{
	size_t width;

	for (sv rest = text; !sv_empty(rest); rest = sv_from_offset(rest, width)) {
		uint32_t c = utf8_decode(rest, &width);

		if ((c < ' ' && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0xFFFE ||
		    c == 0xFFFF)
			return false;
	}
	return !sv_empty(text) && utf8_valid(text);
}

/*
 * Returns true for the kubelet's configuration if the MachineDeployment has settings of its own in
 * there. In the ConfigMap, it would give each such MachineDeployment another one.
 */
static bool is_own(const struct osm_machine *machine, sv path)
{
	const struct osm_kubelet *k = &machine->kubelet;

	return sv_eq(path, SV("/etc/kubernetes/kubelet.conf")) &&
	       (k->kube_reserved || k->system_reserved || k->eviction_hard || k->max_pods ||
	        k->container_log_max_size || k->container_log_max_files || k->image_gc_high ||
	        k->image_gc_low || k->image_minimum_gc_age || k->image_maximum_gc_age);
}

/* "<" marks keys, in the list of files. */
static bool has_mark(const struct value *string)
{
	return sv_find_char(value_text(string), '<') != SV_NPOS;
}

static bool may_be_apart(const struct osm_machine *machine, const struct node_file *file)
{
	return !file->content.taint && !file->path.taint && !file->encoding.taint &&
	       is_plain_text(value_text(&file->content)) &&
	       is_plain_text(value_text(&file->path)) && !has_mark(&file->path) &&
	       !has_mark(&file->encoding) && !is_own(machine, value_text(&file->path));
}

/* Returns the path as the key of a ConfigMap: letters, digits, "-", "_" and ".". */
static sv key_of(struct arena *arena, sv path)
{
	struct buf key = buf_in(arena);

	if (sv_starts_with(path, SV("/")))
		path = sv_from_offset(path, 1);
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		buf_add_char(&key, ascii_is_alphanumeric((unsigned char)c) || c == '-' || c == '.'
		                       ? c
		                       : '_');
	}
	return buf_sv(&key);
}

/* Returns true if the content has one of the keys in angle brackets, which stage 1 would replace.
 */
static bool has_marked_key(const struct set *keys, sv content)
{
	size_t at;

	while ((at = sv_find_char(content, '<')) != SV_NPOS) {
		content = sv_from_offset(content, at + 1);
		sv inner = sv_slice(content, 0, KEY_MAX_BYTES + 1);
		size_t end = sv_find_char(inner, '>');

		sv key = sv_slice(inner, 0, end);

		if (end != SV_NPOS && !sv_eq(key, LIST_KEY) && set_has(keys, key))
			return true;
	}
	return false;
}

void osm_split_choose(struct arena *arena, const struct osm_machine *machine, bool is_ignition,
                      struct node_config *node)
{
	struct map paths = map_in(arena);
	struct set keys = set_in(arena);

	set_add(&keys, LIST_KEY);
	for (size_t i = 0; i < node->file_count; i++) {
		struct node_file *file = &node->files[i];
		struct node_file *other = map_get(&paths, value_text(&file->path));
		bool has_key = is_ignition || sv_eq_cstr(value_text(&file->encoding), "b64");

		/* The last one of two with one path wins: they keep their order. */
		if (other) {
			other->is_apart = false;
			other->key = SV("");
			continue;
		}
		map_put(&paths, value_text(&file->path), file);
		if (!may_be_apart(machine, file))
			continue;
		if (has_key) {
			file->key = key_of(arena, value_text(&file->path));
			if (sv_empty(file->key) || file->key.len > KEY_MAX_BYTES ||
			    !set_add(&keys, file->key)) {
				file->key = SV("");
				continue;
			}
		}
		file->is_apart = true;
	}
	for (size_t i = 0; i < node->file_count; i++) {
		struct node_file *file = &node->files[i];

		if (file->is_apart && sv_empty(file->key) &&
		    has_marked_key(&keys, value_text(&file->content)))
			file->is_apart = false;
	}
}

/* ---- the ConfigMap ----------------------------------------------------------------------- */

/* Adds what stage 1 takes the digest of: the key, then each line of the text after a blank. */
static void add_lines(struct buf *buf, sv key, sv text)
{
	buf_add(buf, key);
	buf_add_char(buf, '\n');
	while (!sv_empty(text)) {
		size_t feed = sv_find_char(text, '\n');

		buf_add_char(buf, ' ');
		buf_add(buf, sv_slice(text, 0, feed));
		buf_add_char(buf, '\n');
		if (feed == SV_NPOS)
			return;
		text = sv_from_offset(text, feed + 1);
		if (sv_empty(text))
			BUF_ADD_LIT(buf, " \n");
	}
}

static struct value sorted_data(struct arena *arena, const struct userdata_apart *apart)
{
	struct value data = value_map_new(arena);

	value_map_set(arena, &data, LIST_KEY, apart->list);
	VEC_EACH (file, &apart->files)
		value_map_set(arena, &data, file->key, file->content);
	SORT_BY(data.map->entries, data.map->count, key);
	return data;
}

/* Returns the text whose digest the ConfigMap's name has. */
static sv text_of_data(struct arena *arena, const struct value *data)
{
	struct buf lines = buf_in(arena);

	for (size_t i = 0; i < value_count(data); i++)
		add_lines(&lines, data->map->entries[i].key,
		          value_text(&data->map->entries[i].value));
	return buf_sv(&lines);
}

static sv name_of(struct arena *arena, sv digest)
{
	return ARENA_CONCAT(arena, SV(OSM_CONFIG_MAP_PREFIX "-"), sv_slice(digest, 0, NAME_DIGITS));
}

bool osm_split_is_name(sv name)
{
	const sv prefix = SV(OSM_CONFIG_MAP_PREFIX "-");

	if (!sv_starts_with(name, prefix) || name.len != prefix.len + NAME_DIGITS)
		return false;
	for (size_t i = prefix.len; i < name.len; i++)
		if (!ascii_is_lower_hex((unsigned char)name.ptr[i]))
			return false;
	return true;
}

static struct value config_map_object(struct arena *arena, sv name, const struct value *data)
{
	const struct kube_id id = {SV("v1"), SV("ConfigMap"), SV(OSM_SECRETS_NAMESPACE), name};
	struct value annotations = value_map_new(arena);

	/* A machine may start with an older Secret, which names an older ConfigMap. */
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_PRUNE),
	              value_string(SV("disabled")));
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_SUBSTITUTE),
	              value_string(SV("disabled")));
	struct value object = kube_object_new(arena, &id, NULL, &annotations);
	value_map_set(arena, &object, SV("immutable"), value_bool(true));
	value_map_set(arena, &object, SV("data"), *data);
	return object;
}

static void add_part(struct text *text, const struct value *whole, size_t from, size_t to)
{
	text_add_tainted(text, sv_slice(value_text(whole), from, to),
	                 taint_slice(text->buf.arena, whole->taint, from, to));
}

struct osm_split osm_split_make(struct arena *arena, const struct userdata_apart *apart,
                                const struct value *rest)
{
	struct value data = sorted_data(arena, apart);
	sv lines = text_of_data(arena, &data);
	struct text text = text_in(arena);

	sv digest = digest_hex(arena, DIGEST_SHA256, lines);
	sv name = name_of(arena, digest);
	text_add(&text, ARENA_CONCAT(arena, name, SV(" "), digest, SV("\n")));
	add_part(&text, rest, 0, apart->at);
	text_add(&text, ARENA_CONCAT(arena, SV("<"), name, SV(">")));
	add_part(&text, rest, apart->at, value_text(rest).len);
	return (struct osm_split){
	    .name = name,
	    .config_map = config_map_object(arena, name, &data),
	    .text = lines,
	    .secret = text_value(arena, &text),
	};
}

bool osm_split_read(struct arena *arena, sv name, sv text, struct value *ret_object)
{
	const struct value *root = yml_parse_one(arena, name, text, false);
	const struct value *given = root ? value_map_get(root, SV("data")) : NULL;
	struct value data = value_map_new(arena);

	if (!value_is_map(given))
		return false;
	for (size_t i = 0; i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];

		if (!value_is_string(&entry->value))
			return false;
		value_map_set(arena, &data, entry->key, entry->value);
	}
	SORT_BY(data.map->entries, data.map->count, key);
	sv digest = digest_hex(arena, DIGEST_SHA256, text_of_data(arena, &data));
	if (!sv_eq(name_of(arena, digest), name))
		return false;
	*ret_object = config_map_object(arena, name, &data);
	return true;
}
