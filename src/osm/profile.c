/*
 * Reads OperatingSystemProfiles (docs/spec/controller.md 2.2, 7.1).
 */
#include "osm/profile.h"
#include "golang/golang.h"
#include "osm/cloud.h"
#include "osm/embedded.h"
#include "osm/osm.h"
#include "yaml/yaml.h"

static const struct schema_terms terms = {DIAG_OSP_SCHEMA, DIAG_OSP_UNKNOWN_FIELD, "the profile"};

/* The schema's pattern is anchored at the end only: anything may precede the v. */
static bool version_matches(struct arena *arena, sv version)
{
	enum { MOST_TRIES = 64 };
	size_t tries = 0;
	struct semver parsed;
	sv error;

	for (size_t i = 0; i < version.len && tries < MOST_TRIES; i++) {
		if (version.ptr[i] != 'v')
			continue;
		tries++;
		if (go_semver_parse_strict(arena, sv_from_offset(version, i + 1), &parsed, &error))
			return true;
	}
	return false;
}

static void check_version(struct schema *schema, const struct value *version)
{
	if (!version || version_matches(schema->arena, version->string))
		return;
	struct diag *diag = diag_report(
	    schema->sink, DIAG_OSP_SCHEMA, value_position(version),
	    "version \"%.*s\" is not a semantic version with a leading v", SV_ARG(version->string));
	diag_set_help(schema->sink, diag, "write it as v1.0.0");
	schema->failed = true;
}

/*
 * Returns why the schema no longer has a provider, or null. A profile that names one stays valid in
 * clusters that already have it, and is rejected by a new cluster's API server.
 */
static const char *fate_of_provider(sv name)
{
	static const struct {
		sv name;
		const char *fate;
	} gone[] = {
	    {SV_INIT("equinixmetal"), "left the controller's schema with v1.11.0"},
	    {SV_INIT("packet"), "was renamed to equinixmetal in v0.3.3 of the controller, and left "
	                        "its schema with v1.11.0"},
	};

	for (size_t i = 0; i < COUNT_OF(gone); i++)
		if (sv_eq(name, gone[i].name))
			return gone[i].fate;
	return NULL;
}

static bool report_gone_provider(struct schema *schema, const struct value *name)
{
	const char *fate = fate_of_provider(value_text(name));

	if (!fate)
		return false;
	struct diag *diag =
	    diag_report(schema->sink, DIAG_OSP_SCHEMA, value_position(name),
	                "the cloud provider %.*s %s", SV_ARG(value_text(name)), fate);
	diag_set_help(schema->sink, diag,
	              "remove this item of supportedCloudProviders, and raise version: the "
	              "spec of a profile may not change under the same one");
	schema->failed = true;
	return true;
}

bool osm_profile_drop_gone(struct arena *arena, struct value *profile, sv *ret_dropped)
{
	struct value *spec = value_map_get_mutable(profile, SV("spec"));
	struct value *providers = value_map_get_mutable(spec, SV("supportedCloudProviders"));
	struct buf dropped = buf_in(arena);

	if (!value_is_list(providers))
		return false;
	struct value kept = value_list_new(arena);
	for (size_t i = 0; i < value_count(providers); i++) {
		const struct value *item = value_item(providers, i);
		sv name = value_text(value_map_get(item, SV("name")));

		if (!fate_of_provider(name))
			value_list_add(arena, &kept, *item);
		else
			buf_add_item(&dropped, name);
	}
	if (dropped.len == 0)
		return false;
	kept.origin = providers->origin;
	*providers = kept;
	*ret_dropped = buf_sv(&dropped);
	return true;
}

/* ---- reading ----------------------------------------------------------------------------- */

static void report_profile_problem(struct shape_reader *reader, const struct shape_problem *problem)
{
	struct schema *schema = reader->context;
	struct shape_problem shown = *problem;
	const struct shape_member *member = problem->member;
	const struct shape_place *place = problem->place;
	bool is_text = problem->is_item && problem->form == SHAPE_ONE && member->type == SHAPE_TEXT;
	struct diag *diag;

	if (problem->shape == &osm_profile_provider_shape && place->is_item &&
	    problem->kind == SHAPE_UNKNOWN)
		shown.place = place->outer;
	if (problem->shape == &osm_profile_provider_shape && problem->kind == SHAPE_NO_CHOICE &&
	    report_gone_provider(schema, problem->value))
		return;
	if (problem->kind != SHAPE_MISSING && member && member->type == SHAPE_INT32) {
		diag = diag_report(schema->sink, DIAG_OSP_SCHEMA, value_position(problem->value),
		                   "permissions must be a number of 32 bits");
		diag_set_help(schema->sink, diag, "write 644, without quotes and leading zero");
	} else if (is_text && !place->is_item) {
		diag = diag_report(schema->sink, DIAG_OSP_SCHEMA, value_position(problem->value),
		                   "\"%.*s\" in %.*s must be a string", SV_ARG(place->name),
		                   SV_ARG(place->outer->name));
		diag_set_help(schema->sink, diag, "put it in quotes");
	} else if (is_text) {
		diag = diag_report(schema->sink, DIAG_OSP_SCHEMA, value_position(problem->value),
		                   "a command of %s must be a string", member->name);
		diag_set_help(schema->sink, diag,
		              "write the command as one line; the list form of cloud-init is not "
		              "in the profile's schema");
	} else {
		schema_report_named(schema, &shown);
		return;
	}
	schema->failed = true;
}

/* The configs are read by themselves, to find mistakes in templates after mistakes elsewhere. */
static bool is_config(struct shape_reader *reader UNUSED, const struct shape_place *place,
                      const struct value *value UNUSED)
{
	return place && place->outer && !place->outer->outer &&
	       (sv_eq_cstr(place->name, "bootstrapConfig") ||
	        sv_eq_cstr(place->name, "provisioningConfig"));
}

static struct value member_of(const struct value *map, const char *name)
{
	const struct value *v = value_map_get(map, sv_from_cstr(name));

	return v ? *v : VALUE_INVALID;
}

static enum status load_spec(struct schema *schema, const struct value *root,
                             struct osm_profile *profile)
{
	struct shape_reader reader = {.arena = schema->arena,
	                              .options = SHAPE_PRUNES_NULLS,
	                              .report = report_profile_problem,
	                              .skips = is_config,
	                              .context = schema};
	struct value *taken = ARENA_NEW(schema->arena, struct value);
	const struct value *given = value_map_get(root, SV("spec"));

	*taken = shape_take(&reader, &osm_profile_shape, NULL, root);
	const struct value *spec = value_map_get(taken, SV("spec"));
	if (!spec)
		return STATUS_FAILED;
	check_version(schema, value_map_get(spec, SV("version")));
	profile->os_name = member_of(spec, "osName");
	profile->os_version = member_of(spec, "osVersion");
	profile->version = member_of(spec, "version");
	profile->provisioning_utility = member_of(spec, "provisioningUtility");
	/* The controller reads the schema's default. */
	if (!profile->provisioning_utility.type)
		profile->provisioning_utility = value_string(SV("cloud-init"));
	profile->supported_providers = value_map_get(spec, SV("supportedCloudProviders"));
	reader.skips = NULL;
	enum status status =
	    osm_profile_config_load(&reader, given, "bootstrapConfig", &profile->bootstrap);
	status |=
	    osm_profile_config_load(&reader, given, "provisioningConfig", &profile->provisioning);
	return status == STATUS_OK && !schema->failed ? STATUS_OK : STATUS_FAILED;
}

const struct value *osm_inventory_of(const struct kube_object *object)
{
	return value_map_get(value_path(object->root, "metadata.annotations"),
	                     SV(OSM_ANNOTATION_INVENTORY));
}

enum status osm_profile_load(struct arena *arena, struct sink *sink,
                             const struct kube_object *object, struct osm_profile **ret_profile)
{
	struct schema schema = {arena, sink, &terms, false};
	struct osm_profile *profile = ARENA_NEW(arena, struct osm_profile);
	DIAG_SCOPE(sink, kube_object_describe(arena, object), sink->cluster);

	profile->object = object;
	profile->name = object->id.name;
	const struct value *inventory = osm_inventory_of(object);
	if (!value_is_null(inventory))
		VEC_PUSH(arena, &profile->inventories, inventory);
	enum status status = load_spec(&schema, object->root, profile);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_profile = profile;
	return STATUS_OK;
}

struct value osm_profile_tainted_spec(struct arena *arena, const struct value *spec)
{
	static const sv configs[] = {SV_INIT("bootstrapConfig"), SV_INIT("provisioningConfig")};
	struct value copy = value_copy(arena, spec);

	for (size_t i = 0; i < COUNT_OF(configs); i++) {
		struct value *config = value_map_get_mutable(&copy, configs[i]);
		struct value *modules = value_map_get_mutable(config, SV("modules"));
		struct value *subscription = value_map_get_mutable(modules, SV("rh_subscription"));

		if (value_is_map(subscription))
			*subscription = osm_taint_subscription(arena, subscription);
	}
	return copy;
}

struct value osm_profile_object(struct arena *arena, const struct osm_profile *profile,
                                sv namespace)
{
	const struct value *root = profile->object->root;
	const struct value *given = value_path(root, "metadata.annotations");
	struct value annotations = value_map_new(arena);

	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		/*
		 * Leave out kubectl's copy of the whole manifest, which would become stale, and the
		 * inventory, which only osm-gen reads.
		 */
		if (!sv_eq_cstr(given->map->entries[i].key,
		                "kubectl.kubernetes.io/last-applied-configuration") &&
		    !sv_eq_cstr(given->map->entries[i].key, OSM_ANNOTATION_INVENTORY))
			value_map_set(arena, &annotations, given->map->entries[i].key,
			              given->map->entries[i].value);
	}
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_SUBSTITUTE),
	              value_string(SV("disabled")));
	struct value object =
	    kube_object_new(arena,
	                    &(struct kube_id){SV(OSM_API_VERSION), SV("OperatingSystemProfile"),
	                                      namespace, profile->name},
	                    value_path(root, "metadata.labels"), &annotations);
	value_map_set(arena, &object, SV("spec"),
	              osm_profile_tainted_spec(arena, value_map_get(root, SV("spec"))));
	return object;
}

/* ---- embedded ones ----------------------------------------------------------------------- */

/* Parses the text, which has one document. */
static struct value *parse_embedded(struct arena *arena, struct sink *sink, struct source *source)
{
	struct yml_documents documents = {0};

	if (yml_parse(arena, sink, source, &documents) != STATUS_OK)
		return NULL;
	BUG_ON(documents.count != 1);
	return &documents.items[0].root;
}

enum status osm_profile_load_embedded(struct arena *arena, struct sink *sink,
                                      const struct dialect_text *file,
                                      struct osm_profile **ret_profile)
{
	struct source *source =
	    source_new(arena, sv_from_cstr(file->path), dialect_text_open(arena, file), false);
	struct kube_object *object = ARENA_NEW(arena, struct kube_object);
	struct value *root = parse_embedded(arena, sink, source);

	if (!root || kube_object_read(arena, sink, source, root, object) != STATUS_OK)
		return STATUS_FAILED;
	return osm_profile_load(arena, sink, object, ret_profile);
}

/* Returns the name that is in the part of the file before `spec`, which is most of it. */
static sv embedded_name(struct arena *arena, struct sink *sink, const struct dialect_text *file)
{
	sv text = dialect_text_open(arena, file);
	sv head = sv_slice(text, 0, yml_member_offset(text, SV("spec")));
	struct source *source = source_new(arena, sv_from_cstr(file->path), head, false);
	const struct value *root = parse_embedded(arena, sink, source);

	return root ? value_text(value_path(root, "metadata.name")) : SV("");
}

void osm_profile_list_embedded(struct arena *arena, unsigned contract,
                               struct osm_embedded_names *ret_names)
{
	struct osm_embedded_names names = {0};
	struct sink ignored = sink_in(arena);

	for (size_t i = 0; i < osm_embedded_file_count; i++) {
		const struct dialect_text *file = &osm_embedded_files[i];

		if (dialect_text_holds(file, contract))
			VEC_PUSH(arena, &names,
			         ((struct osm_embedded_name){embedded_name(arena, &ignored, file),
			                                     file}));
	}
	sort_stable(names.items, names.count, sizeof(*names.items), sort_compare_sv, NULL);
	*ret_names = names;
}

enum status osm_profile_embedded(struct arena *arena, struct sink *sink, unsigned contract,
                                 struct osm_profiles *ret_profiles)
{
	struct osm_profiles profiles = {0};
	struct osm_embedded_names names;
	enum status status = STATUS_OK;

	osm_profile_list_embedded(arena, contract, &names);
	VEC_EACH (each, &names) {
		struct osm_profile *profile = NULL;

		status |= osm_profile_load_embedded(arena, sink, each->file, &profile);
		VEC_PUSH(arena, &profiles, profile);
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_profiles = profiles;
	return STATUS_OK;
}
