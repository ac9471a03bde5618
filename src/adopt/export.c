/*
 * Reads exports: the output of `kubectl get -A -o yaml` and `-o json`.
 */
#include "adopt/internal.h"

struct reading {
	struct adopt_live *live;
	struct sink *sink;
	const struct source *source;
	size_t found; /* objects, of any kind */
	bool failed;
};

struct adopt_live *adopt_live_new(struct arena *secret_arena)
{
	struct adopt_live *live = ARENA_NEW(secret_arena, struct adopt_live);

	*live = (struct adopt_live){
	    .arena = secret_arena, .by_id = map_in(secret_arena), .owned = map_in(secret_arena)};
	return live;
}

bool adopt_live_is_empty(const struct adopt_live *live)
{
	return live->objects.count == 0;
}

sv adopt_key(struct arena *arena, const struct kube_id *id)
{
	return ARENA_CONCAT(arena, id->kind, SV(" "), id->namespace, SV("/"), id->name);
}

const struct kube_object *adopt_live_find(const struct adopt_live *live, sv kind, sv namespace,
                                          sv name)
{
	const struct kube_id id = {.kind = kind, .namespace = namespace, .name = name};

	return map_get(&live->by_id, adopt_key(live->arena, &id));
}

const struct kube_object_list *adopt_live_owned(const struct adopt_live *live, sv kind,
                                                sv namespace, sv owner)
{
	static const struct kube_object_list none;
	const struct kube_id id = {.kind = kind, .namespace = namespace, .name = owner};
	const struct kube_object_list *owned = map_get(&live->owned, adopt_key(live->arena, &id));

	return owned ? owned : &none;
}

/* Adds the object to each of its owners, once for an owner that it names twice. */
static void add_owned(struct adopt_live *live, const struct kube_object *object)
{
	const struct value *owners = value_path(object->root, "metadata.ownerReferences");

	for (size_t i = 0; value_is_list(owners) && i < value_count(owners); i++) {
		const struct kube_id id = {
		    .kind = object->id.kind,
		    .namespace = object->id.namespace,
		    .name = value_text(value_map_get(value_item(owners, i), SV("name")))};
		sv key = adopt_key(live->arena, &id);
		struct kube_object_list *owned = map_get(&live->owned, key);

		if (!owned) {
			owned = ARENA_NEW(live->arena, struct kube_object_list);
			map_put(&live->owned, key, owned);
		}
		if (owned->count == 0 || owned->items[owned->count - 1] != object)
			VEC_PUSH(live->arena, owned, object);
	}
}

sv adopt_annotation(const struct kube_object *object, sv name)
{
	const struct value *annotations = value_path(object->root, "metadata.annotations");

	return value_text(value_map_get(annotations, name));
}

/* ---- mistakes ---------------------------------------------------------------------------- */

static struct diag *report_format(struct reading *r, struct position at, const char *problem)
{
	struct diag *diag = diag_report(r->sink, DIAG_EXPORT_FORMAT, at, "%s", problem);

	r->failed = true;
	diag_set_help(r->sink, diag,
	              "export again, and let kubectl end before osm-gen reads the file: kubectl "
	              "get machinedeployments,secrets -A -o yaml > FILE");
	return diag;
}

static struct position end_of(const struct source *source)
{
	return (struct position){source, source->text.len ? source->text.len - 1 : 0, 1};
}

/* ---- objects ----------------------------------------------------------------------------- */

static void count_other(struct reading *r, sv kind)
{
	struct adopt_live *live = r->live;

	VEC_EACH (other, &live->others) {
		if (sv_eq(other->kind, kind)) {
			other->count++;
			return;
		}
	}
	VEC_PUSH(live->arena, &live->others, (struct adopt_other){kind, 1});
}

/* Two exports may overlap. An object that changed in between has the same uid. */
static bool is_the_same(const struct kube_object *a, const struct kube_object *b)
{
	sv left = value_text(value_path(a->root, "metadata.uid"));
	sv right = value_text(value_path(b->root, "metadata.uid"));

	if (sv_empty(left) && sv_empty(right))
		return value_equal(a->root, b->root);
	return sv_eq(left, right);
}

static void report_two(struct reading *r, const struct kube_object *first,
                       const struct kube_object *second)
{
	sv what = kube_object_describe(r->live->arena, second);
	struct diag *diag =
	    diag_report(r->sink, DIAG_EXPORT_CLUSTERS, kube_object_position(second),
	                "%.*s is in the exports twice, as two different objects", SV_ARG(what));

	r->failed = true;
	diag_add_note(r->sink, diag, kube_object_position(first), "the other one");
	diag_set_help(r->sink, diag, "give the exports of one cluster at a time");
}

static void add_exported_object(struct reading *r, struct value *root)
{
	struct adopt_live *live = r->live;
	struct kube_object *object = ARENA_NEW(live->arena, struct kube_object);

	if (kube_object_read(live->arena, r->sink, r->source, root, object) != STATUS_OK) {
		r->failed = true;
		return;
	}
	sv key = adopt_key(live->arena, &object->id);
	const struct kube_object *before = map_get(&live->by_id, key);
	if (before && !is_the_same(before, object))
		report_two(r, before, object);
	if (before)
		return;
	map_put(&live->by_id, key, object);
	VEC_PUSH(live->arena, &live->objects, object);
	add_owned(live, object);
}

/* ---- Lists ------------------------------------------------------------------------------- */

static bool is_exported_list(void *context, const struct value *root, unsigned depth,
                             struct kube_id *ret_item)
{
	struct reading *r = context;

	(void)depth;
	if (!kube_is_list(root, ret_item))
		return false;
	r->found++;
	return true;
}

static void report_list(void *context, enum kube_list_mistake mistake, const struct value *at)
{
	switch (mistake) {
	case KUBE_LIST_TOO_DEEP:
		report_format(context, value_position(at), "Lists are nested too deep");
		break;
	case KUBE_LIST_ITEMS:
		break;
	}
}

static void take_document(void *context, struct value *root, unsigned depth)
{
	struct reading *r = context;
	sv kind = value_text(value_map_get(root, SV("kind")));
	sv api_version = value_text(value_map_get(root, SV("apiVersion")));

	if (!value_is_map(root)) {
		report_format(r, value_position(root), "this is not an object of a cluster");
	} else if (sv_empty(kind) || sv_empty(api_version)) {
		/* kubectl writes a List's kind after its items. */
		bool is_cut = depth == 0 && value_map_find(root, SV("items"));

		report_format(r, is_cut ? end_of(r->source) : value_position(root),
		              is_cut ? "the export is cut short: its List ends without a kind"
		                     : "an object has no apiVersion or no kind");
	} else {
		r->found++;
		if (adopt_reads(kind, api_version))
			add_exported_object(r, root);
		else
			count_other(r, kind);
	}
}

enum status adopt_live_read(struct sink *sink, struct adopt_live *live, sv name, sv text)
{
	struct reading r = {
	    .live = live, .sink = sink, .source = source_new(live->arena, name, text, true)};
	const struct kube_list_reader lists = {live->arena, &r, is_exported_list, take_document,
	                                       report_list};

	if (kube_list_read_printed(sink, &lists, r.source) != STATUS_OK)
		r.failed = true;
	if (!r.failed && r.found == 0)
		report_format(&r, position_of_source(r.source), "the export is empty");
	return r.failed ? STATUS_FAILED : STATUS_OK;
}

/* ---- revisions --------------------------------------------------------------------------- */

sv adopt_live_revision(const struct adopt_live *live, const struct dialect *dialect,
                       const struct kube_object *unit)
{
	const struct dialect_live_kind *set = adopt_part(dialect, DIALECT_LIVE_SET);
	int64_t highest = 0;
	sv found = adopt_annotation(unit, dialect->revision_annotation);

	if (!set)
		return found;
	VEC_EACH (object, adopt_live_owned(live, set->kind, unit->id.namespace, unit->id.name)) {
		sv text = adopt_annotation(*object, dialect->revision_annotation);
		int64_t number;

		if (!sv_parse_int64(text, &number) || number <= highest)
			continue;
		highest = number;
		found = text;
	}
	return found;
}
