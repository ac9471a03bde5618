/*
 * Manifests that osm-gen does not read although a person may expect that: a kind that has the name
 * of an input but a foreign API group, a MachineDeployment of machine-controller with the
 * apiVersion of another system, an object from which another program makes units. Warns of each at
 * its position.
 */
#include "fleet/internal.h"
#include "json/json.h"

#define APPLIER_GROUP "kustomize.toolkit.fluxcd.io"
#define ARGOCD_GROUP  "argoproj.io"

static sv group_of(const struct value *root)
{
	sv api_version = value_text(value_map_get(root, SV("apiVersion")));
	sv group;
	sv version;

	return sv_cut(api_version, SV("/"), &group, &version) ? group : SV("");
}

/* ---- noticing them ----------------------------------------------------------------------- */

bool fleet_words_are_application(sv text)
{
	return sv_contains(text, SV(ARGOCD_GROUP "/")) && sv_contains(text, SV("Application")) &&
	       !sv_contains(text, SV(APPLIER_GROUP));
}

bool fleet_words_are_beside(sv text)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	if (sv_contains(text, SV(APPLIER_GROUP)) || fleet_words_are_application(text))
		return true;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < all[i]->maker_count; j++)
			if (sv_contains(text, all[i]->makers[j].member))
				return true;
		for (size_t j = 0; j < all[i]->stray_count; j++)
			if (sv_contains(text,
			                sv_after_last(sv_from_cstr(all[i]->strays[j].mark), '.')) &&
			    sv_contains(text, all[i]->strays[j].kind))
				return true;
	}
	return false;
}

static const struct dialect_kind *unit_kind_of(const struct dialect *dialect)
{
	for (size_t i = 0; i < dialect->kind_count; i++)
		if (dialect->kinds[i].part == DIALECT_UNIT)
			return &dialect->kinds[i];
	BUG("a dialect without units");
}

static const struct value *asked_of(const struct dialect_maker *maker, const struct value *root)
{
	const struct value *map = *maker->path ? value_path(root, maker->path) : root;

	return value_map_get(map, maker->member);
}

static void note_of_dialect(struct arena *arena, struct fleet_file *file,
                            const struct dialect *dialect, const struct value *root)
{
	const struct dialect_kind *unit = unit_kind_of(dialect);
	sv kind = value_text(value_map_get(root, SV("kind")));
	sv group = group_of(root);

	for (size_t i = 0; i < dialect->maker_count; i++) {
		const struct dialect_maker *maker = &dialect->makers[i];

		if (sv_eq(kind, maker->kind) && sv_eq(group, maker->group) && asked_of(maker, root))
			VEC_PUSH(
			    arena, &file->bystanders,
			    (struct fleet_bystander){FLEET_BESIDE_MAKER, root, .maker = maker});
	}
	for (size_t i = 0; i < dialect->stray_count; i++) {
		const struct dialect_stray *stray = &dialect->strays[i];

		if (sv_eq(kind, stray->kind) && !sv_eq(group, unit->group) &&
		    !value_is_null(value_path(root, stray->mark)))
			VEC_PUSH(arena, &file->bystanders,
			         (struct fleet_bystander){FLEET_BESIDE_STRAY, root, unit, NULL});
	}
}

/* Remembers an object from which a controller makes a Secret. */
static void note_maker(struct arena *arena, struct fleet_file *file, const struct value *root)
{
	static const struct {
		sv group;
		sv kind;
		const char *name; /* where the Secret's name is, if not in the object's own */
	} kinds[] = {
	    {SV_INIT("external-secrets.io"), SV_INIT("ExternalSecret"), "spec.target.name"},
	    {SV_INIT("bitnami.com"), SV_INIT("SealedSecret"), "spec.template.metadata.name"},
	};
	const struct value *metadata = value_map_get(root, SV("metadata"));
	sv kind = value_text(value_map_get(root, SV("kind")));

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		sv name = value_text(value_path(root, kinds[i].name));
		sv namespace = value_text(value_map_get(metadata, SV("namespace")));

		if (!sv_eq(kind, kinds[i].kind) || !sv_eq(group_of(root), kinds[i].group))
			continue;
		if (sv_empty(name))
			name = value_text(value_map_get(metadata, SV("name")));
		struct kube_maker maker = {.kind = kind, .at = value_position(root)};
		maker.id.namespace = sv_empty(namespace) ? SV("default") : namespace;
		maker.id.name = name;
		VEC_PUSH(arena, &file->makers, maker);
	}
}

void fleet_note_beside(struct arena *arena, struct fleet_file *file, const struct value *root)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	if (!value_is_map(root) || fleet_file_is_external(file))
		return;
	if (sv_eq(group_of(root), SV(APPLIER_GROUP)) &&
	    sv_eq(value_text(value_map_get(root, SV("kind"))), SV("Kustomization")))
		VEC_PUSH(arena, &file->appliers, root);
	if (sv_eq(group_of(root), SV(ARGOCD_GROUP)) &&
	    (sv_eq(value_text(value_map_get(root, SV("kind"))), SV("Application")) ||
	     sv_eq(value_text(value_map_get(root, SV("kind"))), SV("ApplicationSet"))))
		VEC_PUSH(arena, &file->applications, root);
	note_maker(arena, file, root);
	for (size_t i = 0; i < count; i++)
		note_of_dialect(arena, file, all[i], root);
}

void fleet_note_other_group(struct arena *arena, struct fleet_file *file, const struct value *root,
                            const struct dialect_kind *kind)
{
	VEC_PUSH(arena, &file->bystanders,
	         (struct fleet_bystander){FLEET_BESIDE_GROUP, root, kind, NULL});
}

/* ---- reporting them ---------------------------------------------------------------------- */

struct beside {
	struct arena *arena;
	struct sink *sink;
	const struct fleet *fleet;
	struct map groups; /* "KIND APIVERSION" to struct reported_group */
	struct set *units; /* one for each cluster: see units_of */
	struct set none;
};

/* The diagnostic that is shared by all manifests of a kind and an apiVersion. */
struct reported_group {
	struct diag *diag;
	size_t count;
};

static const struct value *stranger_name(const struct value *root)
{
	const struct value *name = value_path(root, "metadata.name");

	return value_is_null(name) ? root : name;
}

static void report_group(struct beside *b, const struct fleet_bystander *found)
{
	enum { SHOWN = 4 };
	const struct value *version = value_map_get(found->root, SV("apiVersion"));
	sv kind = found->kind->kind;
	sv key = ARENA_CONCAT(b->arena, kind, SV(" "), value_text(version));
	struct reported_group *group = map_get(&b->groups, key);
	sv group_name;
	sv unused;

	if (group) {
		if (++group->count <= SHOWN)
			diag_add_note(b->sink, group->diag,
			              value_position(stranger_name(found->root)), "so is this one");
		return;
	}
	group = ARENA_NEW(b->arena, struct reported_group);
	map_put(&b->groups, key, group);
	group->diag =
	    diag_report(b->sink, DIAG_FLEET_OTHER_GROUP, value_position(version),
	                "the kind %.*s of %.*s belongs to another system: osm-gen skips it",
	                SV_ARG(kind), SV_ARG(value_text(version)));
	sv_cut(value_text(version), SV("/"), &group_name, &unused);
	if (!sv_empty(group_name) && sv_eq(group_name, found->kind->converted_group)) {
		diag_set_help(b->sink, group->diag,
		              "`osm-gen convert %.*s` prints it as %.*s of %.*s; commit that, and "
		              "name this file in " FLEET_IGNORE_FILE,
		              SV_ARG(value_position(version).source->path), SV_ARG(kind),
		              SV_ARG(found->kind->group));
		return;
	}
	diag_set_help(b->sink, group->diag,
	              "if it is meant for osm-gen, write it as %.*s of %.*s/%.*s, with the fields "
	              "of that kind; if not, name the file in " FLEET_IGNORE_FILE,
	              SV_ARG(kind), SV_ARG(found->kind->group), SV_ARG(found->kind->version));
}

static void report_stray(struct beside *b, const struct fleet_bystander *found)
{
	const struct value *version = value_map_get(found->root, SV("apiVersion"));
	sv kind = value_text(value_map_get(found->root, SV("kind")));
	const struct dialect_kind *unit = found->kind;
	struct diag *diag = diag_report(b->sink, DIAG_FLEET_STRAY, value_position(version),
	                                "this %.*s has a providerSpec of machine-controller, but "
	                                "apiVersion %.*s: it is not read",
	                                SV_ARG(kind), SV_ARG(value_text(version)));

	if (sv_eq(kind, unit->kind))
		diag_set_help(
		    b->sink, diag,
		    "write apiVersion: %.*s/%.*s, or, if it is not meant for osm-gen, name "
		    "the file in " FLEET_IGNORE_FILE,
		    SV_ARG(unit->group), SV_ARG(unit->version));
	else
		diag_set_help(b->sink, diag,
		              "commit a %.*s of %.*s/%.*s in its place, or, if it is not meant for "
		              "osm-gen, name the file in " FLEET_IGNORE_FILE,
		              SV_ARG(unit->kind), SV_ARG(unit->group), SV_ARG(unit->version));
}

/* Returns the cluster's units by name, in whatever namespace; made at the first call. */
static const struct set *units_of(struct beside *b, size_t scope)
{
	struct set *units = scope == FLEET_NO_CLUSTER ? &b->none : &b->units[scope];

	if (units == &b->none || set_count(units) > 0)
		return units;
	for (size_t i = 0; i < b->fleet->clusters[scope].unit_count; i++)
		set_add(units, b->fleet->clusters[scope].units[i].object->id.name);
	return units;
}

/* Returns the name in an annotation's JSON, or an empty string if a controller will choose it. */
static sv name_in_json(struct arena *arena, const struct value *text)
{
	struct sink ignored = sink_in(arena);
	struct value root;

	if (json_parse(arena, &ignored, source_new(arena, SV("annotation"), text->string, true),
	               &root) != STATUS_OK)
		return SV("");
	return value_text(value_path(&root, "metadata.name"));
}

/*
 * Returns the value that asks for the first missing unit, or null if all units are among the
 * inputs. *ret_more is the number of further missing ones.
 */
static const struct value *first_missing(struct beside *b, const struct value *asked,
                                         const struct set *units, sv *ret_name, size_t *ret_more)
{
	const struct value *first = NULL;
	size_t missing = 0;

	*ret_name = SV("");
	*ret_more = 0;
	if (value_is_string(asked)) {
		*ret_name = name_in_json(b->arena, asked);
		/* Without a name in the JSON, any unit may be the one that was made of it. */
		bool is_there =
		    sv_empty(*ret_name) ? set_count(units) > 0 : set_has(units, *ret_name);
		return is_there ? NULL : asked;
	}
	for (size_t i = 0; value_is_list(asked) && i < value_count(asked); i++) {
		const struct value *name = value_map_get(value_item(asked, i), SV("name"));

		if (sv_empty(value_text(name)) || set_has(units, name->string))
			continue;
		first = first ? first : name;
		missing++;
	}
	if (first) {
		*ret_name = first->string;
		*ret_more = missing - 1;
	}
	return first;
}

static void report_maker(struct beside *b, const struct fleet_file *file,
                         const struct fleet_bystander *found, size_t scope)
{
	const struct dialect_maker *maker = found->maker;
	sv name;
	size_t more;
	const struct value *at =
	    first_missing(b, asked_of(maker, found->root), units_of(b, scope), &name, &more);
	if (!at)
		return;
	struct diag *diag = diag_report(
	    b->sink, DIAG_FLEET_MAKER, value_position(at),
	    "%.*s%s%.*s, which this %.*s asks for in %s, is not among the manifests: nothing is "
	    "rendered for it",
	    SV_ARG(maker->unit), sv_empty(name) ? "" : " ", SV_ARG(name), SV_ARG(maker->kind),
	    maker->what);
	if (more > 0)
		diag_add_note(b->sink, diag, NOWHERE, "%zu more that it asks for %s missing, too",
		              more, more == 1 ? "is" : "are");
	diag_set_help(b->sink, diag, "%s%.*s%s", maker->how_before, SV_ARG(file->path),
	              maker->how_after);
}

void fleet_report_beside(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                         const struct fleet_scopes *scopes, const struct fleet *fleet)
{
	struct beside b = {arena,
	                   sink,
	                   fleet,
	                   map_in(arena),
	                   ARENA_ARRAY(arena, struct set, fleet->cluster_count),
	                   set_in(arena)};

	for (size_t i = 0; i < fleet->cluster_count; i++)
		b.units[i] = set_in(arena);
	for (size_t i = 0; i < files->count; i++) {
		const struct fleet_file *file = files->items[i];

		VEC_EACH (found, &file->bystanders) {
			size_t scope = fleet_scope_of(scopes, file);

			if (found->why == FLEET_BESIDE_GROUP)
				report_group(&b, found);
			else if (found->why == FLEET_BESIDE_STRAY)
				report_stray(&b, found);
			else
				report_maker(&b, file, found, scope);
		}
	}
}
