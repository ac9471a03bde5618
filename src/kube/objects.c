/*
 * A set of objects, looked up by kind, namespace and name.
 */
#include "kube/kube.h"

/* A key is kind, namespace and name, each with a NUL; no object has a longer one. */
#define KEY_MAX_BYTES 1024

static sv make_key(char *out, sv kind, sv namespace, sv name)
{
	size_t len = 0;
	const sv parts[] = {kind, namespace, name};

	if (kind.len + namespace.len + name.len + COUNT_OF(parts) > KEY_MAX_BYTES)
		return (sv){0};
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (parts[i].len > 0)
			memcpy(out + len, parts[i].ptr, parts[i].len);
		len += parts[i].len;
		out[len++] = '\0';
	}
	return (sv){out, len};
}

void kube_objects_init(struct arena *arena, struct kube_objects *objects,
                       const struct kube_objects *farther)
{
	*objects = (struct kube_objects){
	    .arena = arena,
	    .farther = farther,
	    .by_id = map_in(arena),
	    .by_kind = map_in(arena),
	    .failed = set_in(arena),
	};
}

const struct kube_object *kube_objects_add(struct kube_objects *objects,
                                           const struct kube_object *object)
{
	char buffer[KEY_MAX_BYTES];
	sv key = make_key(buffer, object->id.kind, object->id.namespace, object->id.name);
	const struct kube_object *there = map_get(&objects->by_id, key);

	/* The cast is safe: the map never writes through its values. */
	if (!there)
		map_put(&objects->by_id, arena_dup(objects->arena, key), (void *)object);
	else if (object->external && !there->external)
		map_put(&objects->by_id, key, (void *)object);
	return there;
}

const struct kube_object *kube_objects_cluster_info(const struct kube_objects *objects)
{
	return kube_objects_find(objects, SV("ConfigMap"), SV("kube-public"), SV("cluster-info"));
}

void kube_objects_add_name(struct kube_objects *objects, const struct kube_id *id)
{
	VEC_PUSH(objects->arena, &objects->names, *id);
}

void kube_objects_add_failed(struct kube_objects *objects, const struct kube_id *id)
{
	char buffer[KEY_MAX_BYTES];
	sv key = make_key(buffer, id->kind, id->namespace, id->name);

	kube_objects_add_name(objects, id);
	set_add(&objects->failed, arena_dup(objects->arena, key));
}

bool kube_objects_is_failed(const struct kube_objects *objects, sv kind, sv namespace, sv name)
{
	char buffer[KEY_MAX_BYTES];
	sv key = make_key(buffer, kind, namespace, name);

	for (const struct kube_objects *scope = objects; scope; scope = scope->farther)
		if (scope->hides || set_has(&scope->failed, key))
			return true;
	return false;
}

bool kube_objects_any_failed(const struct kube_objects *objects)
{
	for (const struct kube_objects *scope = objects; scope; scope = scope->farther)
		if (scope->hides || set_count(&scope->failed) > 0)
			return true;
	return false;
}

bool kube_objects_has_unread(const struct kube_objects *objects, sv kind, sv namespace, sv name)
{
	for (const struct kube_objects *scope = objects; scope; scope = scope->farther)
		VEC_EACH (id, &scope->names)
			if (sv_eq(id->kind, kind) && sv_eq(id->namespace, namespace) &&
			    sv_eq(id->name, name))
				return true;
	return false;
}

static const struct kube_id *id_at(const struct kube_objects *scope, size_t i)
{
	const struct kube_object *object;

	if (i >= scope->by_id.count)
		return &scope->names.items[i - scope->by_id.count];
	object = scope->by_id.entries[i].value;
	return &object->id;
}

sv kube_objects_nearest(struct arena *arena, const struct kube_objects *objects, sv kind,
                        sv namespace, sv name)
{
	/* Looks at the first objects only, since this runs for each missing object. */
	enum { MOST = 256, MOST_LOOKED_AT = 4096 };
	sv names[MOST];
	size_t count = 0;
	size_t looked_at = 0;

	for (const struct kube_objects *scope = objects; scope; scope = scope->farther) {
		for (size_t i = 0;
		     i < scope->by_id.count + scope->names.count && looked_at < MOST_LOOKED_AT;
		     i++, looked_at++) {
			const struct kube_id *id = id_at(scope, i);

			if (!sv_eq(id->kind, kind))
				continue;
			if (sv_eq(id->name, name))
				return ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);
			if (sv_eq(id->namespace, namespace) && count < MOST)
				names[count++] = id->name;
		}
	}
	sv nearest = diag_nearest(name, names, count);
	return sv_empty(nearest) ? nearest : ARENA_CONCAT(arena, namespace, SV("/"), nearest);
}

/* Returns the object that makes the Secret in the cluster, or null. */
static const struct kube_maker *find_maker(const struct kube_objects *objects,
                                           const struct kube_id *id)
{
	for (; objects && sv_eq(id->kind, SV("Secret")); objects = objects->farther)
		VEC_EACH (maker, &objects->makers)
			if (sv_eq(maker->id.namespace, id->namespace) &&
			    sv_eq(maker->id.name, id->name))
				return maker;
	return NULL;
}

void kube_objects_help_missing(struct arena *arena, struct sink *sink, struct diag *diag,
                               const struct kube_objects *objects, const struct kube_id *id)
{
	sv nearest = kube_objects_nearest(arena, objects, id->kind, id->namespace, id->name);
	const char *commit = sv_eq(id->kind, SV("Secret"))
	                         ? "commit it sealed with sops, or put it into the --secrets folder"
	                         : "commit it in the cluster's folder";

	const struct kube_maker *maker = find_maker(objects, id);
	if (maker) {
		diag_add_note(sink, diag, maker->at,
		              "this %.*s creates it, but only in the cluster", SV_ARG(maker->kind));
		diag_set_help(sink, diag,
		              "osm-gen does not read clusters: give the Secret itself with "
		              "--secrets DIR, or commit it encrypted with sops");
	} else if (sv_empty(nearest))
		diag_set_help(sink, diag, "%s", commit);
	else
		diag_set_help(sink, diag, "did you mean %.*s? Otherwise %s", SV_ARG(nearest),
		              commit);
}

bool kube_secrets_may_come(const struct kube_objects *objects, bool *ret_is_reported)
{
	bool is_complete = false;
	bool has_unopened = false;

	for (; objects; objects = objects->farther) {
		is_complete |= objects->is_complete;
		has_unopened |= objects->has_unopened;
	}
	*ret_is_reported = has_unopened;
	return has_unopened || !is_complete;
}

bool kube_secret_may_come(struct arena *arena, struct sink *sink,
                          const struct kube_objects *objects, sv namespace, sv name,
                          struct position at)
{
	const struct kube_id id = {.kind = SV("Secret"), .namespace = namespace, .name = name};

	bool is_reported;

	if (kube_objects_is_failed(objects, id.kind, namespace, name) ||
	    kube_objects_has_unread(objects, id.kind, namespace, name))
		return true;
	if (!kube_secrets_may_come(objects, &is_reported))
		return false;
	if (is_reported)
		return true;
	struct diag *diag =
	    diag_report(sink, DIAG_SECRET_OUTSIDE, at,
	                "Secret %.*s/%.*s is not among the manifests: generate fails without it",
	                SV_ARG(namespace), SV_ARG(name));
	kube_objects_help_missing(arena, sink, diag, objects, &id);
	return true;
}

const struct kube_object *kube_objects_find(const struct kube_objects *objects, sv kind,
                                            sv namespace, sv name)
{
	char buffer[KEY_MAX_BYTES];
	sv key = make_key(buffer, kind, namespace, name);

	for (; objects && key.len > 0; objects = objects->farther) {
		const struct kube_object *found = map_get(&objects->by_id, key);

		if (found)
			return found;
	}
	return NULL;
}

static int compare_objects(const void *a, const void *b, void *context)
{
	const struct kube_object *const *left = a;
	const struct kube_object *const *right = b;
	(void)context;

	return kube_id_compare(&(*left)->id, &(*right)->id);
}

void kube_objects_complete(struct kube_objects *objects)
{
	objects->by_kind = map_in(objects->arena);
	for (size_t i = 0; i < objects->by_id.count; i++) {
		const struct kube_object *object = objects->by_id.entries[i].value;
		struct kube_object_list *list = map_get(&objects->by_kind, object->id.kind);

		if (!list) {
			list = ARENA_NEW(objects->arena, struct kube_object_list);
			*list = (struct kube_object_list){0};
			map_put(&objects->by_kind, object->id.kind, list);
		}
		VEC_PUSH(objects->arena, list, object);
	}
	for (size_t i = 0; i < objects->by_kind.count; i++) {
		struct kube_object_list *list = objects->by_kind.entries[i].value;

		sort_stable(list->items, list->count, sizeof(*list->items), compare_objects, NULL);
	}
}

const struct kube_object_list *kube_objects_own_of_kind(const struct kube_objects *objects, sv kind)
{
	static const struct kube_object_list none = {0};
	const struct kube_object_list *list = map_get(&objects->by_kind, kind);

	return list ? list : &none;
}

/* Merges two sorted lists. Of two objects of one name, the near one hides the other. */
static struct kube_object_list merge(struct arena *arena, const struct kube_object_list *near,
                                     const struct kube_object_list *far)
{
	struct kube_object_list list = {0};
	size_t i = 0;
	size_t j = 0;

	while (i < near->count || j < far->count) {
		int order = i == near->count ? 1
		            : j == far->count
		                ? -1
		                : compare_objects(&near->items[i], &far->items[j], NULL);

		VEC_PUSH(arena, &list, order > 0 ? far->items[j] : near->items[i]);
		i += order <= 0;
		j += order >= 0;
	}
	return list;
}

struct kube_object_list kube_objects_of_kind(struct arena *arena,
                                             const struct kube_objects *objects, sv kind)
{
	struct kube_object_list list = *kube_objects_own_of_kind(objects, kind);

	for (const struct kube_objects *far = objects->farther; far; far = far->farther) {
		const struct kube_object_list *more = kube_objects_own_of_kind(far, kind);

		if (list.count == 0)
			list = *more;
		else if (more->count > 0)
			list = merge(arena, &list, more);
	}
	return list;
}
