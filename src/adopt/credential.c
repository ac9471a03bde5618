/*
 * Moves credentials out of the manifest of a unit. In git they would be in clear text, since only
 * Secrets are encrypted. They move to a new Secret, and the manifest refers to it with
 * secretKeyRef, which the system's controllers read.
 */
#include "adopt/internal.h"

#include "golang/golang.h"

struct moving {
	struct arena *arena;
	struct sink *sink;
	const struct adopt_scan *scan;
	const struct dialect_adoption *adoption;
	const struct kube_object *object;
	sv secret_name;
	struct value data;
	bool failed;
};

/* Returns a valid key for the Secret: the path of the credential, in allowed letters. */
static sv data_key(struct moving *m, const struct secrecy_place *place)
{
	struct buf buf = buf_in(m->arena);
	sv path = secrecy_path(m->arena, place);
	sv prefix = m->adoption->credentials_prefix;

	if (path.len > prefix.len && sv_eq_fold_ascii(sv_slice(path, 0, prefix.len), prefix))
		path = sv_from_offset(path, prefix.len);
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];
		bool is_allowed = ascii_is_alphanumeric((uint8_t)c) || strchr("-_.", c) != NULL;

		buf_add_char(&buf, is_allowed && c ? c : '-');
	}
	while (value_map_find(&m->data, buf_sv(&buf)))
		BUF_ADD_LIT(&buf, "-2");
	return buf_sv(&buf);
}

static struct value reference_to(struct moving *m, const struct secrecy_place *place,
                                 const struct value *credential)
{
	struct value reference = value_map_new(m->arena);
	struct value holder = value_map_new(m->arena);
	sv key = data_key(m, place);

	value_map_set(m->arena, &m->data, key, *credential);
	value_map_set(m->arena, &reference, SV("namespace"), value_string(m->object->id.namespace));
	value_map_set(m->arena, &reference, SV("name"), value_string(m->secret_name));
	value_map_set(m->arena, &reference, SV("key"), value_string(key));
	value_map_set(m->arena, &holder, SV("secretKeyRef"), reference);
	return holder;
}

/* Returns true for a string that looks like a secret although its name does not mean one. */
static bool looks_secret(struct moving *m, const struct secrecy_place *place, const struct value *v)
{
	sv path = ARENA_CONCAT(m->arena, sv_from_cstr(m->adoption->credentials_path), SV("."),
	                       secrecy_path(m->arena, place));

	return m->adoption->may_refer(place) &&
	       !adopt_is_allowed(m->scan->request,
	                         adopt_field_name(m->arena, &m->object->id, path)) &&
	       secrecy_look_at(v->string, adopt_text_kind(secrecy_key(place))).look !=
	           SECRECY_LOOKS_PLAIN;
}

static struct value taint(struct moving *m, const struct secrecy_place *place,
                          const struct value *v)
{
	const struct kube_id *id = &m->object->id;
	sv name =
	    kube_secret_name(m->arena, id->namespace, id->name, secrecy_path(m->arena, place));

	return secrecy_taint_string(m->arena, *v, name);
}

static void refuse_credential(struct moving *m, const struct secrecy_place *place)
{
	struct position at = secrecy_position(place, kube_object_position(m->object));
	struct diag *diag =
	    diag_report(m->sink, DIAG_ADOPT_CREDENTIAL, at,
	                "%.*s of a %.*s holds a credential and cannot refer to a Secret",
	                SV_ARG(secrecy_path(m->arena, place)), SV_ARG(m->object->id.kind));

	diag_set_help(m->sink, diag,
	              "remove it from the %.*s in the cluster (which replaces its machines), and "
	              "export again: `osm-gen explain OSG2043`",
	              SV_ARG(m->object->id.kind));
	m->failed = true;
}

/* Returns true if {value: ...} is never read, because a complete reference is beside it. */
static bool is_overruled(const struct value *holder)
{
	const struct value *reference = go_json_member(holder, SV("secretKeyRef"));

	if (!reference)
		reference = go_json_member(holder, SV("configMapKeyRef"));
	return !sv_empty(value_text(go_json_member(reference, SV("namespace")))) &&
	       !sv_empty(value_text(go_json_member(reference, SV("name")))) &&
	       !sv_empty(value_text(go_json_member(reference, SV("key"))));
}

static struct value without_value(struct arena *arena, const struct value *holder)
{
	struct value copy = value_map_new(arena);

	for (size_t i = 0; i < value_count(holder); i++)
		if (!go_json_key_is(holder->map->entries[i].key, SV("value")))
			value_map_set(arena, &copy, holder->map->entries[i].key,
			              holder->map->entries[i].value);
	return copy;
}

static enum secrecy_step move_one(void *context, struct secrecy_place *place,
                                  struct value *ret_copy)
{
	struct moving *m = context;
	const struct value *v = place->value;
	const struct value *inner = NULL;

	if (place->entry && secrecy_names_reference(place->entry->key)) {
		if (secrecy_find(v))
			refuse_credential(m, place);
		return SECRECY_OVER;
	}
	if (value_is_map(v) && place->depth > 1)
		inner = go_json_member(v, SV("value"));
	if (inner && value_is_string(inner) && m->adoption->may_refer(place) &&
	    (secrecy_find(inner) || looks_secret(m, place, inner))) {
		struct value tainted = taint(m, place, inner);

		*ret_copy =
		    is_overruled(v) ? without_value(m->arena, v) : reference_to(m, place, &tainted);
		return SECRECY_OVER;
	}
	if (!value_is_string(v) || sv_empty(v->string))
		return SECRECY_INTO;
	if (m->adoption->may_refer(place) && (secrecy_find(v) || looks_secret(m, place, v))) {
		struct value tainted = taint(m, place, v);

		*ret_copy = reference_to(m, place, &tainted);
	} else if (secrecy_find(v))
		refuse_credential(m, place);
	return SECRECY_OVER;
}

sv adopt_new_secret_name(const struct adopt_scan *scan, const struct kube_object *object)
{
	const struct adopt_live *live = scan->request->live;
	sv first = ARENA_CONCAT(scan->arena, sv_slice(object->id.name, 0, 230), SV("-credentials"));
	sv name = first;

	for (size_t number = 2;
	     adopt_live_find(live, SV("Secret"), object->id.namespace, name) != NULL; number++)
		name = arena_printf(scan->arena, "%.*s-%zu", SV_ARG(first), number);
	return name;
}

static struct value *find_mutable(struct value *v, const char *path)
{
	struct sv_splitter it = sv_split(sv_from_cstr(path), '.');
	sv part;

	while (v && sv_split_next(&it, &part))
		v = value_map_get_mutable(v, part);
	return v;
}

enum status adopt_move_credentials(const struct adopt_scan *scan, const struct dialect *dialect,
                                   const struct kube_object *object, struct value *manifest,
                                   struct value *ret_secret)
{
	struct arena *secret_arena = scan->arena;
	struct kube_object cleaned = *object;
	const char *path = dialect->adoption->credentials_path;
	struct value *config = path ? find_mutable(manifest, path) : NULL;
	struct moving m = {
	    .arena = secret_arena,
	    .sink = scan->sink,
	    .scan = scan,
	    .adoption = dialect->adoption,
	    .object = object,
	    .secret_name = adopt_new_secret_name(scan, object),
	    .data = value_map_new(secret_arena),
	};

	*ret_secret = VALUE_INVALID;
	cleaned.root = manifest;
	struct value tainted = dialect->credentials(secret_arena, &cleaned);
	if (!config || !value_is_map(&tainted))
		return STATUS_OK;
	*config = secrecy_copy(secret_arena, &tainted, move_one, &m);
	if (m.failed)
		return STATUS_FAILED;
	if (value_count(&m.data) > 0)
		*ret_secret = kube_secret_new(secret_arena, &(struct kube_secret_request){
		                                                .namespace = object->id.namespace,
		                                                .name = m.secret_name,
		                                                .type = SV("Opaque"),
		                                                .data = &m.data,
		                                            });
	return STATUS_OK;
}
