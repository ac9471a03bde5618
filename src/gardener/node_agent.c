/*
 * Makes the Secret that gardener-node-agent reads on the nodes: the OSC as gardenlet writes it,
 * with the bytes of Secrets instead of references (docs/spec/gardener.md 5).
 */
#include "codec/codec.h"
#include "gardener/internal.h"
#include "golang/golang.h"
#include "yaml/yaml.h"

#define ROLE_LABEL   "gardener.cloud/role"
#define AGENT_PREFIX "gardener-node-agent-"

/* ---- members that Go's types have -------------------------------------------------------- */

static struct value take_time(struct arena *arena, const struct value *given)
{
	struct go_time time;
	sv error;

	if (!value_is_string(given) || !go_time_parse(arena, SV("2006-01-02T15:04:05Z07:00"),
	                                              given->string, false, &time, &error))
		return *given;
	time = (struct go_time){.seconds = time.seconds, .zone_name = SV("UTC")};
	return value_string(go_time_format(arena, &time, SV("2006-01-02T15:04:05Z07:00")));
}

/*
 * Returns a copy with only the members of the shape, as Go writes them: without null and empty
 * lists. Recursion is as deep as the shapes.
 */
static struct value take_members(struct arena *arena, const struct value *map,
                                 const struct shape *shape)
{
	struct value taken = value_map_new(arena);

	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];
		const struct value *given = value_map_get(map, sv_from_cstr(member->name));
		struct value v;

		if (value_is_null(given) || (member->form == SHAPE_LIST && value_count(given) == 0))
			continue;
		v = *given;
		if (member->of && member->form == SHAPE_LIST) {
			v = value_list_new(arena);
			for (size_t j = 0; j < value_count(given); j++)
				value_list_add(
				    arena, &v,
				    take_members(arena, value_item(given, j), member->of));
		} else if (member->of) {
			v = take_members(arena, given, member->of);
		} else if (member->type == SHAPE_TIME) {
			v = take_time(arena, given);
		}
		value_map_set(arena, &taken, sv_from_cstr(member->name), v);
	}
	return taken;
}

/* ---- files and units --------------------------------------------------------------------- */

static struct value content_value(struct arena *arena, const struct gardener_file *file)
{
	const struct value *given = value_map_get(file->root, SV("content"));
	const struct value *clear = value_map_get(given, SV("transmitUnencoded"));
	struct value content = value_map_new(arena);

	if (file->inline_) {
		content = gardener_inline(arena, *value_map_get(file->inline_, SV("data")),
		                          value_text(&file->encoding));
	} else if (file->secret) {
		sv base64 = base64_encode(arena, BASE64_STD, file->content.string);
		struct value data = value_string(base64);

		data.taint = taint_whole(arena, base64.len, secrecy_find(&file->content));
		content = gardener_inline(arena, data, SV("b64"));
	} else if (file->image) {
		value_map_set(arena, &content, SV("imageRef"), *file->image);
	}
	if (!value_is_null(clear))
		value_map_set(arena, &content, SV("transmitUnencoded"), *clear);
	return content;
}

static struct value files_value(struct arena *arena, const struct gardener_osc *osc)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < osc->file_count; i++) {
		const struct gardener_file *file = &osc->files[i];
		struct value v = value_map_new(arena);

		value_map_set(arena, &v, SV("content"), content_value(arena, file));
		if (file->host_name.type)
			value_map_set(arena, &v, SV("hostName"), file->host_name);
		value_map_set(arena, &v, SV("path"), file->path);
		if (file->mode != NODE_MODE_ABSENT)
			value_map_set(arena, &v, SV("permissions"), value_int(file->mode));
		value_list_add(arena, &list, v);
	}
	return list;
}

static struct value units_value(struct arena *arena, const struct gardener_osc *osc)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < osc->unit_count; i++)
		value_list_add(arena, &list,
		               take_members(arena, osc->units[i].root, &gardener_unit_shape));
	return list;
}

static struct value config_value(struct arena *arena, const struct gardener_osc *osc,
                                 const struct gardener_stage *stage)
{
	struct value root = value_map_new(arena);
	struct value spec = value_map_new(arena);
	struct value status = value_map_new(arena);

	const struct value *cri = gardener_cri(arena, osc, stage);

	if (cri)
		value_map_set(arena, &spec, SV("criConfig"),
		              take_members(arena, cri, &gardener_cri_shape));
	if (osc->file_count > 0)
		value_map_set(arena, &spec, SV("files"), files_value(arena, osc));
	if (osc->in_place_updates)
		value_map_set(arena, &spec, SV("inPlaceUpdates"),
		              take_members(arena, osc->in_place_updates, &gardener_update_shape));
	value_map_set(arena, &spec, SV("purpose"), value_string(SV("")));
	value_map_set(arena, &spec, SV("type"), value_string(SV("")));
	if (osc->unit_count > 0)
		value_map_set(arena, &spec, SV("units"), units_value(arena, osc));
	gardener_set_extension(arena, stage, &status);
	value_map_set(arena, &root, SV("apiVersion"), value_string(SV(GARDENER_API_VERSION)));
	value_map_set(arena, &root, SV("kind"), value_string(SV(GARDENER_KIND)));
	value_map_set(arena, &root, SV("metadata"), value_map_new(arena));
	value_map_set(arena, &root, SV("spec"), spec);
	value_map_set(arena, &root, SV("status"), status);
	return root;
}

/* ---- the text ---------------------------------------------------------------------------- */

/*
 * Marks the secrets in the text: the base64 of each tainted file, in the order of the files. If one
 * is not found, the whole text is marked as secret.
 */
static struct value mark_secrets(struct arena *arena, sv text, const struct gardener_osc *osc)
{
	struct text marked = text_in(arena);
	sv rest = text;

	for (size_t i = 0; i < osc->file_count; i++) {
		const struct secret *secret =
		    osc->files[i].content.type ? secrecy_find(&osc->files[i].content) : NULL;
		sv base64;
		size_t at;

		if (!secret)
			continue;
		base64 = base64_encode(arena, BASE64_STD, osc->files[i].content.string);
		at = sv_find(rest, base64);
		if (at == SV_NPOS || base64.len == 0) {
			struct value whole = value_string(text);
			whole.taint = taint_whole(arena, text.len, secret);
			return whole;
		}
		text_add(&marked, sv_slice(rest, 0, at));
		text_add_secret(&marked, base64, secret);
		rest = sv_from_offset(rest, at + base64.len);
	}
	text_add(&marked, rest);
	return text_value(arena, &marked);
}

/* ---- names ------------------------------------------------------------------------------- */

static bool is_hash(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_digit(text.ptr[i]) && (text.ptr[i] < 'a' || text.ptr[i] > 'f'))
			return false;
	return text.len == 5 || text.len == 16;
}

/* Returns the name before its ending `-IMAGE`, or an empty string. */
static sv before_image(sv name, sv image)
{
	if (sv_empty(image) || name.len <= image.len + 1 || !sv_ends_with(name, image) ||
	    name.ptr[name.len - image.len - 1] != '-')
		return SV("");
	return sv_slice(name, 0, name.len - image.len - 1);
}

sv gardener_node_agent_key(const struct kube_object *osc)
{
	sv name = osc->id.name;
	sv suffix = SV("-original");

	if (!sv_ends_with(name, suffix))
		return name;
	name = sv_slice(name, 0, name.len - suffix.len);
	/* Names with the old hash, of five digits, have the machine's image, which is the type. */
	sv key = before_image(name, value_text(value_path(osc->root, "spec.type")));
	sv hash = sv_after_last(key, '-');
	bool is_old = sv_starts_with(key, SV(AGENT_PREFIX)) && hash.len == 5 && is_hash(hash);
	return is_old ? key : name;
}

/* The API server refuses longer values of labels. */
enum { LONGEST_LABEL = 63 };

/* Returns the worker pool: of the label, or of the name without Gardener's prefix and hash. */
static sv pool_of(const struct kube_object *osc)
{
	static const sv prefixes[] = {SV_INIT(AGENT_PREFIX), SV_INIT("cloud-config-")};
	const struct value *labels = value_path(osc->root, "metadata.labels");
	sv label = value_text(value_map_get(labels, SV(GARDENER_POOL)));
	sv pool = gardener_node_agent_key(osc);

	if (!sv_empty(label))
		return label;
	for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
		if (!sv_starts_with(pool, prefixes[i]))
			continue;
		pool = sv_from_offset(pool, prefixes[i].len);
		if (is_hash(sv_after_last(pool, '-')) && sv_find_char(pool, '-') != SV_NPOS)
			pool = sv_slice(pool, 0, sv_rfind_char(pool, '-'));
		return pool;
	}
	return pool;
}

void gardener_set_pool(struct arena *arena, const struct kube_object *osc, struct value *labels)
{
	sv pool = pool_of(osc);

	if (pool.len <= LONGEST_LABEL)
		value_map_set(arena, labels, SV(GARDENER_POOL), value_string(pool));
}

sv gardener_node_role(const struct kube_object *object)
{
	const struct value *labels = value_path(object->root, "metadata.labels");

	if (!sv_eq(object->id.kind, SV("Secret")) ||
	    !sv_eq(object->id.namespace, SV("kube-system")))
		return SV("");
	return value_text(value_map_get(labels, SV(ROLE_LABEL)));
}

struct artifact gardener_node_secret(struct arena *arena, const struct kube_secret_request *request,
                                     sv print, const struct value *user_data)
{
	struct artifact artifact = artifact_of(kube_secret_new(arena, request), ARTIFACT_WORKER,
	                                       ARTIFACT_PROVISIONING, ARTIFACT_SEAL_DATA);

	artifact.print = print;
	artifact.has_fixed_keys = true;
	artifact.user_data = *user_data;
	artifact.user_data_bytes = user_data->string.len;
	artifact.user_data_limit = USERDATA_SECRET_BYTES;
	return artifact;
}

struct artifact gardener_node_agent_make(struct arena *arena, const struct gardener_osc *osc,
                                         const struct gardener_stage *stage)
{
	struct value config = config_value(arena, osc, stage);
	struct value annotations = gardener_applier_annotations(arena);
	struct value labels = value_map_new(arena);
	struct value data = value_map_new(arena);
	struct buf buf = buf_in(arena);

	yml_emit_sigs(&buf, &config);
	struct value text = mark_secrets(arena, buf_sv(&buf), osc);
	value_map_set(arena, &annotations, SV(GARDENER_DOWNLOADED),
	              value_string(digest_hex(arena, DIGEST_SHA256, text.string)));
	const struct value *serial = value_map_get(
	    value_path(osc->object->root, "metadata.annotations"), SV(GARDENER_SERIAL));
	if (value_is_string(serial))
		value_map_set(arena, &annotations, SV(GARDENER_SERIAL), *serial);
	value_map_set(arena, &labels, SV(ROLE_LABEL), value_string(SV(GARDENER_AGENT_ROLE)));
	gardener_set_pool(arena, osc->object, &labels);
	value_map_set(arena, &data, SV("osc.yaml"), text);
	const struct kube_secret_request request = {
	    .namespace = SV("kube-system"),
	    .name = gardener_node_agent_key(osc->object),
	    .labels = &labels,
	    .annotations = &annotations,
	    .data = &data,
	};
	return gardener_node_secret(arena, &request, SV("node-agent"), &text);
}
