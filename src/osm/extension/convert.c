/*
 * Writes an extension of KKP's draft as one of osm-gen's (docs/extensions.md, "From KKP's draft").
 * All values keep their positions, so the checks of read.c report mistakes in the draft's file.
 */
#include "osm/extension/internal.h"
#include "shape/shape.h"

struct conversion {
	struct arena *arena;
	struct sink *sink;
	const struct kube_object *object;
	struct value spec; /* of the result */
};

/* Reports a member that the result lacks. `help` is the remedy. */
static void report_lost(struct conversion *c, struct position at, sv name, const char *help)
{
	struct diag *diag = diag_report(c->sink, DIAG_CONVERT_LOST, at,
	                                "%.*s has no counterpart: it is left out", SV_ARG(name));

	diag_set_help(c->sink, diag, "%s", help);
}

static void report_lost_member(struct conversion *c, const struct value_entry *entry)
{
	if (!value_is_null(&entry->value))
		report_lost(c, origin_position(entry->key_origin), entry->key,
		            "add its effect to the result by hand, and remove it here");
}

/* ---- files and units --------------------------------------------------------------------- */

/*
 * Returns a copy of a map, or of a list of maps, with the members that the shape has in osm-gen's
 * extensions. Their form is the same in both.
 */
static struct value keep_members(struct conversion *c, const struct value *from,
                                 const struct shape *shape)
{
	struct value kept = *from;

	if (value_is_list(from)) {
		kept = value_list_new(c->arena);
		for (size_t i = 0; i < value_count(from); i++)
			value_list_add(c->arena, &kept,
			               keep_members(c, value_item(from, i), shape));
	} else if (value_is_map(from)) {
		kept = value_map_new(c->arena);
		for (size_t i = 0; i < value_count(from); i++) {
			const struct value_entry *entry = &from->map->entries[i];
			const struct shape_member *member = shape_find(shape, entry->key, 0);

			if (!member) {
				report_lost_member(c, entry);
				continue;
			}
			value_map_set_at(c->arena, &kept, entry->key, entry->key_origin,
			                 member->of ? keep_members(c, &entry->value, member->of)
			                            : entry->value);
		}
	}
	kept.origin = from->origin;
	return kept;
}

/* ---- members of spec --------------------------------------------------------------------- */

static bool is_empty(const struct value *v)
{
	return value_is_null(v) || (value_is_string(v) && sv_empty(v->string)) ||
	       ((value_is_list(v) || value_is_map(v)) && value_count(v) == 0);
}

/* Returns true for a selector that selects every datacenter. */
static bool selects_all(const struct value *selector)
{
	bool all = value_is_map(selector);

	for (size_t i = 0; all && i < value_count(selector); i++)
		all = is_empty(&selector->map->entries[i].value);
	return all;
}

static void add_target(struct conversion *c, const struct value *target)
{
	struct value selector = value_map_new(c->arena);
	bool is_map = value_is_map(target);

	for (size_t i = 0; is_map && i < value_count(target); i++) {
		const struct value_entry *entry = &target->map->entries[i];
		struct value names = value_list_new(c->arena);

		if (is_empty(&entry->value))
			continue;
		names.origin = entry->value.origin;
		value_list_add(c->arena, &names, entry->value);
		if (sv_eq(entry->key, SV("profileName")))
			value_map_set_at(c->arena, &selector, SV("profiles"), entry->key_origin,
			                 names);
		else if (sv_eq(entry->key, SV("os")))
			value_map_set_at(c->arena, &selector, SV("operatingSystems"),
			                 entry->key_origin, names);
		else
			report_lost_member(c, entry);
	}
	if (value_count(&selector) > 0) {
		value_map_set(c->arena, &c->spec, SV("selector"), selector);
		return;
	}
	struct diag *diag = diag_report(
	    c->sink, DIAG_CONVERT_LOST,
	    value_position_near(target, kube_object_position(c->object)),
	    "the extension has no ospTarget with profileName or os: the result would be for "
	    "every MachineDeployment");
	diag_set_help(c->sink, diag,
	              "write ospTarget: {profileName: osp-ubuntu} or ospTarget: {os: ubuntu}");
}

static void add_commands(struct conversion *c, const struct value *spec)
{
	static const struct {
		sv from;
		sv to;
	} moments[] = {{SV_INIT("beforeCommands"), SV_INIT("beforeSetup")},
	               {SV_INIT("afterCommands"), SV_INIT("afterSetup")}};
	struct value commands = value_map_new(c->arena);

	for (size_t i = 0; i < COUNT_OF(moments); i++) {
		const struct value_entry *entry = value_map_find(spec, moments[i].from);

		if (entry && !is_empty(&entry->value))
			value_map_set_at(c->arena, &commands, moments[i].to, entry->key_origin,
			                 entry->value);
	}
	if (value_count(&commands) > 0)
		value_map_set(c->arena, &c->spec, SV("commands"), commands);
}

/* Warns of members whose meaning the place of the result's file takes over. */
static void report_scope(struct conversion *c, const struct value *spec)
{
	static const sv scopes[] = {SV_INIT("enforced"), SV_INIT("default")};
	const struct value_entry *given = NULL;
	struct diag *diag;

	for (size_t i = 0; i < COUNT_OF(scopes); i++) {
		const struct value_entry *entry = value_map_find(spec, scopes[i]);

		if (!entry || (value_is(&entry->value, KIND_BOOL) && !entry->value.boolean) ||
		    value_is_null(&entry->value))
			continue;
		given = entry;
		diag = diag_report(c->sink, DIAG_CONVERT_PLACE, origin_position(entry->key_origin),
		                   "%.*s has no counterpart: the folder of the file decides which "
		                   "clusters get the extension",
		                   SV_ARG(entry->key));
		diag_set_help(c->sink, diag,
		              "put the result outside of all clusters' folders for all clusters, "
		              "or into the folder of each cluster that should have it");
	}
	if (given)
		return;
	diag = diag_report(c->sink, DIAG_CONVERT_PLACE,
	                   value_position_near(spec, kube_object_position(c->object)),
	                   "the extension is neither enforced nor default: KKP would not add it to "
	                   "a cluster by itself, but osm-gen adds it wherever its file is");
	diag_set_help(c->sink, diag,
	              "put the result into the folder of each cluster that should have it");
}

static void report_others(struct conversion *c, const struct value *spec)
{
	static const sv known[] = {SV_INIT("ospTarget"),    SV_INIT("enforced"),
	                           SV_INIT("default"),      SV_INIT("files"),
	                           SV_INIT("units"),        SV_INIT("beforeCommands"),
	                           SV_INIT("afterCommands")};

	for (size_t i = 0; spec && i < value_count(spec); i++) {
		const struct value_entry *entry = &spec->map->entries[i];
		bool is_known = is_empty(&entry->value);

		for (size_t k = 0; k < COUNT_OF(known) && !is_known; k++)
			is_known = sv_eq(entry->key, known[k]);
		bool is_selector = sv_eq(entry->key, SV("selector"));
		if (is_known || (is_selector && selects_all(&entry->value)))
			continue;
		if (is_selector)
			report_lost(c, origin_position(entry->key_origin), entry->key,
			            "put the result into the folder of each cluster of these "
			            "datacenters, and remove the selector here");
		else
			report_lost_member(c, entry);
	}
}

static void convert_spec(struct conversion *c, const struct value *spec)
{
	const struct value_entry *files = value_map_find(spec, SV("files"));
	const struct value_entry *units = value_map_find(spec, SV("units"));

	report_scope(c, spec);
	add_target(c, value_map_get(spec, SV("ospTarget")));
	if (files && !is_empty(&files->value)) {
		struct value config = value_map_new(c->arena);

		value_map_set_at(c->arena, &config, files->key, files->key_origin,
		                 keep_members(c, &files->value, &extension_file_shape));
		value_map_set(c->arena, &c->spec, SV("bootstrapConfig"), config);
	}
	if (units && !is_empty(&units->value))
		value_map_set_at(c->arena, &c->spec, units->key, units->key_origin,
		                 keep_members(c, &units->value, &extension_unit_shape));
	add_commands(c, spec);
	report_others(c, spec);
}

/* ---- the object -------------------------------------------------------------------------- */

/* Copies labels and annotations that people wrote. kubectl's copy of the object is not among them.
 */
static void add_texts(struct conversion *c, struct value *metadata, sv key)
{
	const struct value *from =
	    value_map_get(value_map_get(c->object->root, SV("metadata")), key);
	struct value texts = value_map_new(c->arena);

	for (size_t i = 0; value_is_map(from) && i < value_count(from); i++) {
		const struct value_entry *entry = &from->map->entries[i];

		if (!sv_eq(entry->key, SV("kubectl.kubernetes.io/last-applied-configuration")))
			value_map_set(c->arena, &texts, entry->key, entry->value);
	}
	if (value_count(&texts) > 0)
		value_map_set(c->arena, metadata, key, texts);
}

/* Reports members beside spec, such as those of an encrypted file. */
static void report_beside(struct conversion *c)
{
	static const sv known[] = {SV_INIT("apiVersion"), SV_INIT("kind"), SV_INIT("metadata"),
	                           SV_INIT("spec"), SV_INIT("status")};
	const struct value *root = c->object->root;

	for (size_t i = 0; i < value_count(root); i++) {
		const struct value_entry *entry = &root->map->entries[i];
		bool is_known = false;

		for (size_t k = 0; k < COUNT_OF(known) && !is_known; k++)
			is_known = sv_eq(entry->key, known[k]);
		if (!is_known)
			report_lost_member(c, entry);
	}
}

struct value osm_extension_convert(struct arena *arena, struct sink *sink,
                                   const struct kube_object *object)
{
	struct conversion c = {arena, sink, object, value_map_new(arena)};
	struct value *result = ARENA_NEW(arena, struct value);
	struct value metadata = value_map_new(arena);
	const struct value *spec = value_map_get(object->root, SV("spec"));
	const struct value *name = value_path(object->root, "metadata.name");
	DIAG_SCOPE(sink, kube_object_describe(arena, object), sink->cluster);

	report_beside(&c);
	convert_spec(&c, value_is_map(spec) ? spec : NULL);

	*result = value_map_new(arena);
	result->origin = object->root->origin;
	value_map_set(arena, result, SV("apiVersion"), value_string(SV("osm-gen.dev/v1alpha1")));
	value_map_set(arena, result, SV("kind"), value_string(SV(OSM_EXTENSION_KIND)));
	value_map_set(arena, &metadata, SV("name"), *name);
	add_texts(&c, &metadata, SV("labels"));
	add_texts(&c, &metadata, SV("annotations"));
	value_map_set(arena, result, SV("metadata"), metadata);
	c.spec.origin = value_is_map(spec) ? spec->origin : object->root->origin;
	value_map_set(arena, result, SV("spec"), c.spec);

	struct kube_object *made = ARENA_NEW(arena, struct kube_object);
	*made = *object;
	made->root = result;
	osm_extension_read(arena, sink, made);
	return *result;
}
