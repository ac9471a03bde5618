/*
 * Objects that osm-gen makes: Secrets, namespaces, Roles, bindings, bootstrap tokens.
 */
#include "codec/codec.h"
#include "kube/kube.h"
#include "secrecy/secrecy.h"

static void set_text(struct arena *arena, struct value *map, sv key, sv text)
{
	value_map_set(arena, map, key, value_string(text));
}

static void set_map_unless_empty(struct arena *arena, struct value *map, sv key,
                                 const struct value *entries)
{
	if (value_is_map(entries) && value_count(entries) > 0)
		value_map_set(arena, map, key, *entries);
}

struct value kube_object_new(struct arena *arena, const struct kube_id *id,
                             const struct value *labels, const struct value *annotations)
{
	struct value object = value_map_new(arena);
	struct value metadata = value_map_new(arena);

	set_text(arena, &metadata, SV("name"), id->name);
	if (!sv_empty(id->namespace))
		set_text(arena, &metadata, SV("namespace"), id->namespace);
	set_map_unless_empty(arena, &metadata, SV("labels"), labels);
	set_map_unless_empty(arena, &metadata, SV("annotations"), annotations);
	set_text(arena, &object, SV("apiVersion"), id->api_version);
	set_text(arena, &object, SV("kind"), id->kind);
	value_map_set(arena, &object, SV("metadata"), metadata);
	return object;
}

static struct value encode_data(struct arena *arena, const struct value *data)
{
	struct value encoded = value_map_new(arena);
	size_t count = value_count(data);
	const struct value_entry **entries =
	    ARENA_ARRAY(arena, const struct value_entry *, count + 1);

	for (size_t i = 0; i < count; i++)
		entries[i] = &data->map->entries[i];
	SORT_POINTERS_BY(entries, count, key);
	for (size_t i = 0; i < count; i++) {
		struct value text =
		    value_string(base64_encode(arena, BASE64_STD, value_text(&entries[i]->value)));

		/* Base64 mixes neighbouring bytes: all of it is as secret as any of them. */
		text.taint = taint_whole(arena, text.string.len, secrecy_find(&entries[i]->value));
		value_map_set(arena, &encoded, entries[i]->key, text);
	}
	return encoded;
}

struct value kube_secret_new(struct arena *arena, const struct kube_secret_request *request)
{
	const struct kube_id id = {SV("v1"), SV("Secret"), request->namespace, request->name};
	struct value object = kube_object_new(arena, &id, request->labels, request->annotations);

	if (!sv_empty(request->type))
		set_text(arena, &object, SV("type"), request->type);
	if (request->is_immutable)
		value_map_set(arena, &object, SV("immutable"), value_bool(true));
	value_map_set(arena, &object, SV("data"), encode_data(arena, request->data));
	return object;
}

struct value kube_namespace_new(struct arena *arena, sv name, const struct value *annotations)
{
	return kube_object_new(arena, &(struct kube_id){SV("v1"), SV("Namespace"), SV(""), name},
	                       NULL, annotations);
}

#define RBAC_GROUP "rbac.authorization.k8s.io"

static void set_words(struct arena *arena, struct value *rule, sv key, const char *words)
{
	struct sv_splitter it = sv_split(sv_from_cstr(words), ',');
	struct value list = value_list_new(arena);
	sv word;

	while (sv_split_next(&it, &word))
		value_list_add(arena, &list, value_string(word));
	value_map_set(arena, rule, key, list);
}

static struct value rule_value(struct arena *arena, const struct kube_rule *from)
{
	struct value rule = value_map_new(arena);

	set_words(arena, &rule, SV("apiGroups"), from->groups);
	set_words(arena, &rule, SV("resources"), from->resources);
	if (from->names)
		value_map_set(arena, &rule, SV("resourceNames"),
		              value_strings(arena, from->names, from->name_count));
	set_words(arena, &rule, SV("verbs"), from->verbs);
	return rule;
}

struct value kube_role_new(struct arena *arena, const struct kube_role_request *request)
{
	sv kind = sv_empty(request->namespace) ? SV("ClusterRole") : SV("Role");
	const struct kube_id id = {SV(RBAC_GROUP "/v1"), kind, request->namespace, request->name};
	struct value object = kube_object_new(arena, &id, NULL, request->annotations);
	struct value rules = value_list_new(arena);

	for (size_t i = 0; i < request->rule_count; i++)
		value_list_add(arena, &rules, rule_value(arena, &request->rules[i]));
	value_map_set(arena, &object, SV("rules"), rules);
	return object;
}

struct value kube_secret_reader_role_new(struct arena *arena, sv namespace, sv name,
                                         const struct value *annotations, const sv *secret_names,
                                         size_t secret_count)
{
	const struct kube_rule rule = {"", "secrets", "get", secret_names, secret_count};

	return kube_role_new(arena, &(struct kube_role_request){.namespace = namespace,
	                                                        .name = name,
	                                                        .annotations = annotations,
	                                                        .rules = &rule,
	                                                        .rule_count = 1});
}

struct value kube_binding_new(struct arena *arena, const struct kube_binding_request *request)
{
	bool is_namespaced = !sv_empty(request->namespace);
	struct value object = kube_object_new(
	    arena,
	    &(struct kube_id){SV(RBAC_GROUP "/v1"),
	                      is_namespaced ? SV("RoleBinding") : SV("ClusterRoleBinding"),
	                      request->namespace, request->name},
	    NULL, request->annotations);
	struct value role = value_map_new(arena);
	struct value subjects = value_list_new(arena);

	set_text(arena, &role, SV("apiGroup"), SV(RBAC_GROUP));
	set_text(arena, &role, SV("kind"), is_namespaced ? SV("Role") : SV("ClusterRole"));
	set_text(arena, &role, SV("name"), request->role);
	for (size_t i = 0; i < request->subject_count; i++) {
		struct value subject = value_map_new(arena);

		set_text(arena, &subject, SV("apiGroup"), SV(RBAC_GROUP));
		set_text(arena, &subject, SV("kind"),
		         request->subjects[i].is_group ? SV("Group") : SV("User"));
		set_text(arena, &subject, SV("name"), request->subjects[i].name);
		value_list_add(arena, &subjects, subject);
	}
	value_map_set(arena, &object, SV("roleRef"), role);
	value_map_set(arena, &object, SV("subjects"), subjects);
	return object;
}

/* ---- bootstrap tokens -------------------------------------------------------------------- */

sv kube_token_id(const struct value *token)
{
	return sv_slice(token->string, 0, sv_find_char(token->string, '.'));
}

static void set_part(struct arena *arena, struct value *data, sv key, sv text,
                     const struct secret *secret)
{
	struct value v = value_string(text);

	v.taint = taint_whole(arena, text.len, secret);
	value_map_set(arena, data, key, v);
}

struct value kube_token_secret_new(struct arena *arena, const struct kube_token_request *request)
{
	const struct value *token = request->token;
	struct value data = value_map_new(arena);
	sv id = kube_token_id(token);

	set_part(arena, &data, SV("description"),
	         ARENA_CONCAT(arena, SV("bootstrap token for "), request->owner), NULL);
	set_part(arena, &data, SV("token-id"), id, NULL);
	set_part(arena, &data, SV("token-secret"), sv_from_offset(token->string, id.len + 1),
	         secrecy_find(token));
	set_part(arena, &data, SV("usage-bootstrap-authentication"), SV("true"), NULL);
	set_part(arena, &data, SV("usage-bootstrap-signing"), SV("true"), NULL);
	if (!sv_empty(request->groups))
		set_part(arena, &data, SV("auth-extra-groups"), request->groups, NULL);
	if (!sv_empty(request->expiration))
		set_part(arena, &data, SV("expiration"), request->expiration, NULL);
	const struct kube_secret_request secret = {
	    .namespace = SV(KUBE_TOKEN_NAMESPACE),
	    .name = ARENA_CONCAT(arena, SV(KUBE_TOKEN_PREFIX), id),
	    .type = SV("bootstrap.kubernetes.io/token"),
	    .labels = request->labels,
	    .annotations = request->annotations,
	    .data = &data,
	};
	return kube_secret_new(arena, &secret);
}

struct kube_id kube_id_of(const struct value *object)
{
	return (struct kube_id){
	    .api_version = value_text(value_map_get(object, SV("apiVersion"))),
	    .kind = value_text(value_map_get(object, SV("kind"))),
	    .namespace = value_text(value_path(object, "metadata.namespace")),
	    .name = value_text(value_path(object, "metadata.name")),
	};
}
