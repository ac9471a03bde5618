/*
 * OSCs of live clusters, for adopt and compare: the members that adopt copies, the status that git
 * needs, the files that move to a Secret, and files that are equal in another form
 * (docs/spec/gardener.md 10).
 */
#include "codec/codec.h"
#include "gardener/internal.h"

enum { LONGEST_KEY = 200 }; /* Kubernetes allows 253 characters, and a number may follow */

/* ---- members ----------------------------------------------------------------------------- */

static const struct dialect_field metadata[] = {DIALECT_FIELD("name"), DIALECT_FIELD("namespace"),
                                                DIALECT_FIELD("labels"),
                                                DIALECT_FIELD("annotations")};
static const struct dialect_field host[] = {DIALECT_FIELD("url"), DIALECT_FIELD("capabilities"),
                                            DIALECT_FIELD("caCerts"),
                                            DIALECT_FIELD("overridePath")};
static const struct dialect_field registry[] = {DIALECT_FIELD("upstream"), DIALECT_FIELD("server"),
                                                DIALECT_FIELD_OF("hosts", host),
                                                DIALECT_FIELD("readinessProbe")};
static const struct dialect_field plugin[] = {DIALECT_FIELD("op"), DIALECT_FIELD("path"),
                                              DIALECT_FIELD("values")};
static const struct dialect_field containerd[] = {DIALECT_FIELD_OF("registries", registry),
                                                  DIALECT_FIELD("sandboxImage"),
                                                  DIALECT_FIELD_OF("plugins", plugin)};
static const struct dialect_field cri[] = {DIALECT_FIELD("name"), DIALECT_FIELD("cgroupDriver"),
                                           DIALECT_FIELD_OF("containerd", containerd)};
static const struct dialect_field rotation[] = {DIALECT_FIELD("lastInitiationTime")};
static const struct dialect_field rotations[] = {
    DIALECT_FIELD_OF("certificateAuthorities", rotation),
    DIALECT_FIELD_OF("serviceAccountKey", rotation)};
static const struct dialect_field update[] = {DIALECT_FIELD("operatingSystemVersion"),
                                              DIALECT_FIELD("kubelet"),
                                              DIALECT_FIELD_OF("credentialsRotation", rotations)};
static const struct dialect_field drop_in[] = {DIALECT_FIELD("name"), DIALECT_FIELD("content")};
static const struct dialect_field unit[] = {
    DIALECT_FIELD("name"),    DIALECT_FIELD("command"),   DIALECT_FIELD("enable"),
    DIALECT_FIELD("content"), DIALECT_FIELD("filePaths"), DIALECT_FIELD_OF("dropIns", drop_in)};
static const struct dialect_field secret_ref[] = {DIALECT_FIELD("name"), DIALECT_FIELD("dataKey")};
static const struct dialect_field inline_[] = {DIALECT_FIELD("encoding"), DIALECT_FIELD("data")};
static const struct dialect_field image_ref[] = {DIALECT_FIELD("image"),
                                                 DIALECT_FIELD("filePathInImage")};
static const struct dialect_field content[] = {
    DIALECT_FIELD_OF("secretRef", secret_ref), DIALECT_FIELD_OF("inline", inline_),
    DIALECT_FIELD_OF("imageRef", image_ref), DIALECT_FIELD("transmitUnencoded")};
static const struct dialect_field file[] = {DIALECT_FIELD("path"), DIALECT_FIELD("permissions"),
                                            DIALECT_FIELD("hostName"),
                                            DIALECT_FIELD_OF("content", content)};
static const struct dialect_field spec[] = {
    DIALECT_FIELD("type"),
    DIALECT_FIELD("class"),
    DIALECT_FIELD("purpose"),
    DIALECT_FIELD("providerConfig"),
    DIALECT_FIELD("reloadConfigFilePath"),
    DIALECT_FIELD_OF("criConfig", cri),
    DIALECT_FIELD_OF("cri", cri),
    DIALECT_FIELD_OF("units", unit),
    DIALECT_FIELD_OF("files", file),
    DIALECT_FIELD_OF("inPlaceUpdates", update),
};
static const struct dialect_field os_update[] = {DIALECT_FIELD("command"), DIALECT_FIELD("args")};
static const struct dialect_field in_place[] = {DIALECT_FIELD_OF("osUpdate", os_update)};
/* The members that an extension adds: for types without a document (system_status.c). */
static const struct dialect_field status[] = {DIALECT_FIELD_OF("extensionFiles", file),
                                              DIALECT_FIELD_OF("extensionUnits", unit),
                                              DIALECT_FIELD_OF("inPlaceUpdates", in_place)};
static const struct dialect_field fields[] = {
    DIALECT_FIELD("apiVersion"), DIALECT_FIELD("kind"), DIALECT_FIELD_OF("metadata", metadata),
    DIALECT_FIELD_OF("spec", spec), DIALECT_FIELD_OF("status", status)};

/* Strings below it are scripts, units and files. */
static const sv programs[] = {SV_INIT("content")};

const struct dialect_live_kind gardener_live_kinds[GARDENER_LIVE_KIND_COUNT] = {
    {SV_INIT(GARDENER_KIND), SV_INIT(GARDENER_API_GROUP), DIALECT_LIVE_UNIT, fields,
     COUNT_OF(fields), programs, COUNT_OF(programs),
     "move it to a file of spec.files, which can refer to a Secret, or remove it from a copy of "
     "the export, and adopt that"},
    {SV_INIT("Node"), SV_INIT(""), .part = DIALECT_LIVE_NODE},
};

/* ---- the status -------------------------------------------------------------------------- */

struct adopting {
	const struct gardener_settings *settings;
	struct gardener_systems systems;
};

enum status gardener_adopt_begin(struct arena *arena, struct sink *sink,
                                 const struct dialect_cluster *cluster, const void **ret_state)
{
	struct adopting *state = ARENA_NEW(arena, struct adopting);

	*state = (struct adopting){.settings = cluster->settings};
	*ret_state = state;
	if (cluster->units.count == 0)
		return STATUS_OK;
	return gardener_system_embedded(arena, sink, cluster->contract, &state->systems);
}

static bool has_document(const struct adopting *state, sv type)
{
	VEC_EACH (system, &state->systems) {
		size_t count;
		const sv *types = gardener_system_types(*system, &count);

		if (gardener_system_contract(*system) != state->settings->contract)
			continue;
		for (size_t i = 0; i < count; i++)
			if (sv_eq(types[i], type))
				return true;
	}
	return false;
}

static enum secrecy_step copy_without_status(void *context, struct secrecy_place *place,
                                             struct value *ret_copy)
{
	(void)context;
	(void)ret_copy;
	return place->depth == 1 && place->entry && sv_eq(place->entry->key, SV("status"))
	           ? SECRECY_OMIT
	           : SECRECY_INTO;
}

void gardener_adopt_unit(struct arena *arena, const void *state, struct value *manifest,
                         struct dialect_decision *ret_decision)
{
	const struct adopting *adopting = state;
	const struct value *found = value_map_get(manifest, SV("status"));
	sv type = value_text(value_path(manifest, "spec.type"));
	bool is_needed = adopting->settings->contract == GARDENER_CURRENT &&
	                 sv_eq(value_text(value_path(manifest, "spec.purpose")),
	                       gardener_purpose_name(GARDENER_RECONCILE)) &&
	                 value_count(found) > 0 && !has_document(adopting, type);

	if (is_needed)
		ret_decision->why = SV("its status keeps the fields that an extension added, since "
		                       "osm-gen has no document for its type");
	else
		*manifest = secrecy_copy(arena, manifest, copy_without_status, NULL);
}

/* ---- settings ---------------------------------------------------------------------------- */

static bool is_of_2021(const struct kube_object *osc)
{
	return !sv_empty(value_text(value_path(osc->root, "spec.reloadConfigFilePath"))) ||
	       !sv_empty(value_text(value_path(osc->root, "status.command"))) ||
	       value_count(value_path(osc->root, "status.units")) > 0;
}

static void add_setting(struct arena *arena, struct value *settings, const char *name,
                        struct value v)
{
	if (!value_map_find(settings, sv_from_cstr(name)))
		value_map_set(arena, settings, sv_from_cstr(name), v);
}

void gardener_adopt_settings(struct arena *arena, const struct kube_object_list *live,
                             struct value *settings, struct dialect_notes *notes)
{
	struct map secrets = map_in(arena); /* of nodes with gardener-node-agent */
	size_t old = 0;
	size_t current = 0;
	bool has_agent = false;

	VEC_EACH (object, live) {
		if (sv_eq(gardener_node_role(*object), SV(GARDENER_AGENT_ROLE)))
			map_put(&secrets, (*object)->id.name, settings);
	}
	VEC_EACH (object, live) {
		if (!sv_eq((*object)->id.kind, SV(GARDENER_KIND)) ||
		    !sv_starts_with((*object)->id.api_version, SV(GARDENER_API_GROUP "/")))
			continue;
		old += is_of_2021(*object);
		current += !is_of_2021(*object);
		has_agent |= map_get(&secrets, gardener_node_agent_key(*object)) != NULL;
	}
	if (old > 0) {
		add_setting(arena, settings, "gardenerContract", value_string(SV("2021")));
		VEC_PUSH(arena, notes,
		         ((struct dialect_note){
		             SV("gardenerFlow"),
		             SV("gardenlet writes the nodes' Secrets and their tokens: with "
		                "`gardenerFlow: downloader` osm-gen does, which needs the API "
		                "server's address (docs/howto/gardener-mcm.md)")}));
	} else if (has_agent) {
		add_setting(arena, settings, "gardenerNodeAgentSecrets", value_bool(true));
	} else if (current > 0) {
		VEC_PUSH(arena, notes,
		         ((struct dialect_note){
		             SV("gardenerNodeAgentSecrets"),
		             SV("the exports have no Secret of gardener-node-agent: export the "
		                "Secrets in kube-system of the nodes' cluster, too, or set it if "
		                "osm-gen is to write them (docs/howto/gardener-node-agent.md)")}));
	}
}

/* ---- files ------------------------------------------------------------------------------- */

/* Decodes inline content. Returns false for other contents, and for mistakes. */
static bool decode(struct arena *arena, const struct value *holder, sv *ret_bytes)
{
	const struct value *given = value_map_get(holder, SV("inline"));
	const struct value *data = value_map_get(given, SV("data"));
	const struct value *encoding = value_map_get(given, SV("encoding"));
	size_t error_at;

	if (!value_is_string(data))
		return false;
	*ret_bytes = data->string;
	if (sv_empty(value_text(encoding)))
		return true;
	return sv_eq(encoding->string, SV("b64")) &&
	       base64_decode(arena, BASE64_STD, data->string, ret_bytes, &error_at);
}

/* Returns a valid key for a Secret: the path, in allowed characters. */
static sv data_key(struct arena *arena, const struct value *data, sv path)
{
	struct buf key = buf_in(arena);

	for (size_t i = 0; i < path.len && key.len < LONGEST_KEY; i++) {
		char c = path.ptr[i];
		bool is_allowed = ascii_is_alphanumeric((uint8_t)c) ||
		                  (key.len > 0 && (c == '-' || c == '_' || c == '.'));

		if (is_allowed || key.len > 0)
			buf_add_char(&key, is_allowed ? c : '-');
	}
	if (key.len == 0)
		BUF_ADD_LIT(&key, "file");
	sv first = buf_sv(&key);
	for (size_t number = 2; value_map_find(data, buf_sv(&key)); number++) {
		key = buf_in(arena);
		buf_add(&key, first);
		buf_printf(&key, "-%zu", number);
	}
	return buf_sv(&key);
}

struct moving {
	struct arena *arena;
	struct dialect_file_mover *mover;
};

/* Returns the file in spec.files whose member `content` the place is, or null. */
static const struct value *file_of(const struct secrecy_place *place)
{
	const struct secrecy_place *item = place->parent;

	if (place->depth != 4 || !place->entry || !sv_eq(place->entry->key, SV("content")) ||
	    item->entry || !item->parent->entry || !sv_eq(item->parent->entry->key, SV("files")) ||
	    !item->parent->parent->entry || !sv_eq(item->parent->parent->entry->key, SV("spec")))
		return NULL;
	return item->value;
}

static enum secrecy_step move_one(void *context, struct secrecy_place *place,
                                  struct value *ret_copy)
{
	struct moving *m = context;
	const struct value *holder = place->value;
	const struct value *found = file_of(place);
	const struct value *mode = value_map_get(found, SV("permissions"));
	struct dialect_file moved_file = {
	    .path = value_text(value_map_get(found, SV("path"))),
	    .mode = value_is(mode, KIND_INT64) ? mode->integer : -1,
	    .data = value_path(holder, "inline.data"),
	};

	if (!found || !value_is_map(holder) || value_map_find(holder, SV("secretRef")) ||
	    value_map_find(holder, SV("imageRef")) ||
	    !decode(m->arena, holder, &moved_file.content) ||
	    !m->mover->is_secret(m->mover->context, &moved_file))
		return SECRECY_INTO;
	sv key = data_key(m->arena, &m->mover->data, moved_file.path);
	struct value moved = value_map_new(m->arena);
	struct value reference = value_map_new(m->arena);
	const struct value *clear = value_map_get(holder, SV("transmitUnencoded"));

	value_map_set(m->arena, &m->mover->data, key, value_string(moved_file.content));
	value_map_set(m->arena, &reference, SV("name"), value_string(m->mover->secret));
	value_map_set(m->arena, &reference, SV("dataKey"), value_string(key));
	value_map_set(m->arena, &moved, SV("secretRef"), reference);
	if (!value_is_null(clear))
		value_map_set(m->arena, &moved, SV("transmitUnencoded"), *clear);
	*ret_copy = moved;
	return SECRECY_OVER;
}

struct value gardener_move_files(struct arena *arena, const struct value *manifest,
                                 struct dialect_file_mover *mover)
{
	struct moving m = {arena, mover};

	return secrecy_copy(arena, manifest, move_one, &m);
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool find_moved(struct arena *arena, const struct kube_objects *objects, sv namespace,
                       const struct value *ours, struct value *ret_text)
{
	const struct value *reference = value_map_get(ours, SV("secretRef"));
	struct sink ignored = sink_in(arena);
	sv key = value_text(value_map_get(reference, SV("dataKey")));
	const struct kube_object *secret = kube_objects_find(
	    objects, SV("Secret"), namespace, value_text(value_map_get(reference, SV("name"))));

	return secret && kube_secret_has(secret, key) &&
	       kube_secret_value(arena, &ignored, secret, key, NOWHERE, ret_text) == STATUS_OK;
}

static bool is_transparent(const struct value *holder)
{
	const struct value *clear = value_map_get(holder, SV("transmitUnencoded"));

	return value_is(clear, KIND_BOOL) && clear->boolean;
}

/* `ours` and `live` are the contents of a file, or anything else. */
enum dialect_likeness gardener_likeness(struct arena *arena, const struct kube_objects *objects,
                                        sv namespace, const struct value *ours,
                                        const struct value *live)
{
	struct value moved;
	sv here;
	sv there;

	if (!decode(arena, live, &there) || is_transparent(ours) != is_transparent(live))
		return DIALECT_UNLIKE;
	if (decode(arena, ours, &here))
		return sv_eq(here, there) ? DIALECT_ALIKE : DIALECT_UNLIKE;
	return find_moved(arena, objects, namespace, ours, &moved) && sv_eq(moved.string, there)
	           ? DIALECT_MOVED
	           : DIALECT_UNLIKE;
}
