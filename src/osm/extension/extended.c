/*
 * The extensions of a fleet: selects those of each MachineDeployment, and makes the resulting
 * profiles, each once.
 *
 * Extensions are in two layers: the cluster's folder, and shared files outside of all clusters'
 * folders. One in a cluster's folder overrides a shared one of the same name.
 */
#include "osm/extension/internal.h"

struct osm_extended {
	const struct dialect_input *input;
	struct osm_extensions *own; /* for each cluster, its own and shared ones, sorted */
	struct osm_extensions all;
	struct map made;  /* profile and extensions to struct osm_definition */
	struct map named; /* "CLUSTER NAMESPACE/NAME" to struct osm_definition */
};

/* The kubelet of 1.30 and later reads --config-dir. */
enum { OLDEST_CONFIG_DIR = 30 };

/* ---- layers ------------------------------------------------------------------------------ */

static void read_layer(struct arena *arena, struct sink *sink,
                       const struct kube_object_list *objects, struct osm_extended *extended,
                       struct osm_extensions *layer)
{
	struct map seen = map_in(arena);

	VEC_EACH (object, objects) {
		sv name = (*object)->id.name;

		if (!sv_eq((*object)->id.kind, SV(OSM_EXTENSION_KIND)))
			continue;
		struct osm_extension *extension = osm_extension_read(arena, sink, *object);
		const struct osm_extension *other = map_get(&seen, name);
		VEC_PUSH(arena, layer, extension);
		VEC_PUSH(arena, &extended->all, extension);
		if (!other) {
			map_put(&seen, name, extension);
			continue;
		}
		struct diag *diag =
		    diag_report(sink, DIAG_FLEET_TWICE, kube_object_position(*object),
		                "two extensions of one scope are named \"%.*s\"", SV_ARG(name));
		diag_add_note(sink, diag, kube_object_position(other->object), "the other one");
		diag_set_help(sink, diag,
		              "rename or remove one of them, or name its file in .osm-gen-ignore");
		extension->is_wrong = true;
	}
}

static void see_shared(struct arena *arena, struct osm_extensions *own,
                       const struct osm_extensions *shared)
{
	struct set names = set_in(arena);

	VEC_EACH (extension, own)
		set_add(&names, (*extension)->name);
	VEC_EACH (extension, shared)
		if (!set_has(&names, (*extension)->name))
			VEC_PUSH(arena, own, *extension);
}

struct osm_extended *osm_extended_new(struct arena *arena, struct sink *sink,
                                      const struct dialect_input *input)
{
	struct osm_extended *extended = ARENA_NEW(arena, struct osm_extended);
	struct osm_extensions shared = {0};

	*extended = (struct osm_extended){
	    .input = input,
	    .own = ARENA_ARRAY(arena, struct osm_extensions, input->cluster_count),
	    .made = map_in(arena),
	    .named = map_in(arena),
	};
	read_layer(arena, sink, &input->shared, extended, &shared);
	for (size_t i = 0; i < input->cluster_count; i++) {
		DIAG_SCOPE(sink, sink->object, input->clusters[i].name);
		read_layer(arena, sink, &input->clusters[i].definitions, extended,
		           &extended->own[i]);
		if (!quota_take(input->steps, shared.count))
			break;
		see_shared(arena, &extended->own[i], &shared);
		extension_sort(&extended->own[i]);
	}
	return extended;
}

/* ---- selection --------------------------------------------------------------------------- */

static struct osm_extensions matching(struct arena *arena, const struct osm_extended *extended,
                                      size_t cluster, sv profile,
                                      const struct kube_object *machine_deployment)
{
	struct osm_extensions found = {0};

	if (extended->own[cluster].count == 0)
		return found;
	const struct extension_target target =
	    extension_target_of(arena, profile, machine_deployment);
	VEC_EACH (extension, &extended->own[cluster])
		if (quota_take(extended->input->steps, extension_weight(*extension)) &&
		    extension_matches(*extension, &target))
			VEC_PUSH(arena, &found, *extension);
	return found;
}

/*
 * Returns true if a profile contains the extension already: osm-gen made it, with an annotation
 * that lists its extensions, and somebody committed it as an input.
 */
static bool is_in_profile(const struct osm_extension *extension, const struct value *names)
{
	struct sv_splitter it = sv_split(value_text(names), ',');
	sv name;

	while (sv_split_next(&it, &name))
		if (sv_eq(name, extension->name))
			return true;
	return false;
}

/* Removes extensions that add nothing to the profile. */
static void leave_out_idle(struct osm_extensions *extensions, const struct osm_definition *base)
{
	const struct value *annotations =
	    value_path(base->shown.object->root, "metadata.annotations");
	const struct value *names = value_map_get(annotations, SV(OSM_ANNOTATION_EXTENSIONS));
	size_t kept = 0;

	for (size_t i = 0; i < extensions->count; i++) {
		struct osm_extension *extension = extensions->items[i];

		if (extension->is_wrong ||
		    (!extension->adds_nothing && !is_in_profile(extension, names)))
			extensions->items[kept++] = extension;
	}
	extensions->count = kept;
}

static void report_unknown_profiles(struct sink *sink, const struct osm_extension *extension,
                                    const struct set *known)
{
	enum { MOST = 256 };
	sv words[MOST];
	size_t count = 0;

	for (; count < set_count(known) && count < MOST; count++)
		words[count] = set_item(known, count);
	for (size_t i = 0; i < value_count(extension->profiles); i++) {
		const struct value *name = value_item(extension->profiles, i);

		if (set_has(known, name->string))
			continue;
		sv nearest = diag_nearest(name->string, words, count);
		struct diag *diag =
		    diag_report(sink, DIAG_EXTENSION_PROFILE, value_position(name),
		                "the extension selects a profile \"%.*s\", which does not exist",
		                SV_ARG(name->string));
		diag_help_quoted(sink, diag, nearest, "`osm-gen profiles` lists those of osm-gen");
	}
}

bool osm_extended_any(const struct osm_extended *extended, size_t cluster)
{
	return extended->own[cluster].count > 0;
}

void osm_extended_mark(struct arena *arena, struct osm_extended *extended, size_t cluster,
                       sv profile, const struct kube_object *machine_deployment)
{
	struct osm_extensions found =
	    matching(arena, extended, cluster, profile, machine_deployment);

	VEC_EACH (extension, &found)
		(*extension)->is_used = true;
}

void osm_extended_check(struct sink *sink, const struct osm_extended *extended,
                        const struct set *known_profiles)
{
	VEC_EACH (item, &extended->all) {
		const struct osm_extension *extension = *item;
		size_t errors = sink->error_count;

		if (extension->is_wrong)
			continue;
		report_unknown_profiles(sink, extension, known_profiles);
		if (extension->is_used || sink->error_count > errors)
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_EXTENSION_UNUSED, kube_object_position(extension->object),
		    "the extension \"%.*s\" is for no MachineDeployment", SV_ARG(extension->name));
		diag_set_help(
		    sink, diag,
		    "correct spec.selector, or remove the extension: all its fields must match, "
		    "and an extension in a cluster's folder is for that cluster alone");
	}
}

/* ---- the resulting profiles -------------------------------------------------------------- */

static void check_extension_kubelet(struct arena *arena, struct sink *sink,
                                    const struct osm_extension *extension,
                                    const struct kube_object *machine_deployment)
{
	const struct value *text =
	    value_path(machine_deployment->root, "spec.template.spec.versions.kubelet");
	struct semver version;
	sv error;

	if (!extension->kubelet.type || !value_is_string(text) ||
	    !go_semver_parse(arena, text->string, &version, &error) || version.major != 1 ||
	    version.minor >= OLDEST_CONFIG_DIR)
		return;
	struct diag *diag = diag_report(sink, DIAG_EXTENSION_PLACE, value_position(text),
	                                "kubelet %.*s cannot use the configuration of an extension",
	                                SV_ARG(text->string));
	diag_add_note(sink, diag, value_position(&extension->kubelet),
	              "the extension \"%.*s\" configures it", SV_ARG(extension->name));
	diag_set_help(sink, diag,
	              "use a kubelet from 1.30 on, or have the extension's selector leave this "
	              "MachineDeployment out");
}

/* Adds the extensions' inventories, unless the profile has none: the list would be incomplete. */
static void add_inventories(struct arena *arena, const struct osm_extensions *extensions,
                            struct osm_profile *profile)
{
	if (profile->inventories.count == 0)
		return;
	VEC_EACH (extension, extensions) {
		const struct value *inventory = osm_inventory_of((*extension)->object);

		if (!value_is_null(inventory))
			VEC_PUSH(arena, &profile->inventories, inventory);
		else if (osm_extension_runs(*extension))
			VEC_PUSH(arena, &profile->not_inventoried, (*extension)->object);
	}
}

static struct osm_definition *make(struct arena *arena, struct sink *sink,
                                   const struct osm_definition *base,
                                   const struct osm_extensions *extensions, unsigned contract)
{
	struct osm_definition *made = ARENA_NEW(arena, struct osm_definition);
	struct osm_additions *additions = ARENA_NEW(arena, struct osm_additions);
	struct kube_object *object;
	struct osm_profile *profile;

	*made = *base;
	made->profile = NULL;
	if (osm_extension_make(arena, sink, base->profile, extensions, contract, &object,
	                       additions) != STATUS_OK)
		return made;
	/* An empty namespace means the controller's, which differs between clusters. */
	if (base->shown.is_embedded ||
	    sv_eq_cstr(base->shown.object->id.kind, "CustomOperatingSystemProfile"))
		object->id.namespace = SV("");
	if (osm_profile_load(arena, sink, object, &profile) != STATUS_OK)
		return made;
	profile->additions = additions;
	add_inventories(arena, extensions, profile);
	*made = (struct osm_definition){
	    .shown = {.object = object, .name = object->id.name, .version = profile->version},
	    .profile = profile,
	};
	return made;
}

static const struct value *spec_of(const struct osm_definition *definition)
{
	return value_map_get(definition->shown.object->root, SV("spec"));
}

/* Reports two profiles with the same digest (32 bits) in their names. */
static void report_collision(struct sink *sink, const struct osm_definition *made)
{
	const struct kube_object *object = made->shown.object;
	struct diag *diag =
	    diag_report(sink, DIAG_EXTENSION_NAME, position_of_source(object->source),
	                "two profiles of different content are both named "
	                "\"%.*s\"",
	                SV_ARG(object->id.name));

	diag_set_help(sink, diag,
	              "change anything in the extension: a comment in a file is enough");
}

/*
 * Returns the first of several equal profiles, since a cluster has each once: different extensions
 * may give the same result.
 */
static const struct osm_definition *only_one(struct arena *arena, struct sink *sink,
                                             struct osm_extended *extended, size_t cluster,
                                             struct osm_definition *made)
{
	if (!made->profile)
		return made;
	const struct kube_id *id = &made->shown.object->id;
	sv key =
	    arena_printf(arena, "%zu %.*s/%.*s", cluster, SV_ARG(id->namespace), SV_ARG(id->name));
	const struct osm_definition *other = map_get(&extended->named, key);

	if (!other) {
		map_put(&extended->named, key, made);
		return made;
	}
	if (!value_equal(spec_of(other), spec_of(made)))
		report_collision(sink, made);
	return other;
}

const struct osm_definition *osm_extended_find(struct arena *arena, struct sink *sink,
                                               struct osm_extended *extended, size_t cluster,
                                               const struct osm_definition *base,
                                               const struct kube_object *machine_deployment)
{
	struct osm_extensions found =
	    matching(arena, extended, cluster, base->shown.name, machine_deployment);
	struct buf key = buf_in(arena);
	bool is_wrong = !base->profile;

	leave_out_idle(&found, base);
	if (found.count == 0)
		return base;
	buf_printf(&key, "%p", (const void *)base);
	VEC_EACH (extension, &found) {
		buf_printf(&key, " %p", (const void *)*extension);
		check_extension_kubelet(arena, sink, *extension, machine_deployment);
		is_wrong |= (*extension)->is_wrong;
	}
	struct osm_definition *made = map_get(&extended->made, buf_sv(&key));
	if (made)
		return only_one(arena, sink, extended, cluster, made);
	if (is_wrong) {
		made = ARENA_NEW(arena, struct osm_definition);
		*made = *base;
		made->profile = NULL;
	} else {
		made = make(arena, sink, base, &found, extended->input->contract);
	}
	map_put(&extended->made, buf_sv(&key), made);
	return only_one(arena, sink, extended, cluster, made);
}
