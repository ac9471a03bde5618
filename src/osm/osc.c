/*
 * Builds the OperatingSystemConfig (docs/spec/controller.md 2.3), with keys in the order of
 * sigs.k8s.io/yaml, and the same content as a node configuration.
 */
#include "dialect/dialect.h"
#include "node/node.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm/objects.h"
#include "osm/osm.h"
#include "osm/sorted.h"

sv osm_mode_text(struct arena *arena, int32_t permissions)
{
	sv digits = arena_printf(arena, "%d", (int)permissions);

	return digits.len == 3 ? ARENA_CONCAT(arena, SV("0"), digits) : digits;
}

struct value osm_controller_annotations(struct arena *arena, const struct dialect_job *job,
                                        const struct osm_machine *machine)
{
	/* The controller digests the live annotations, which are the output's if it has them. */
	const struct osm_settings *settings = osm_job_cluster(job)->settings;
	struct value applied = settings->writes_machines
	                           ? osm_output_annotations(arena, settings, &machine->annotations)
	                           : machine->annotations;
	struct value annotations = value_map_new(arena);

	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_REVISION),
	              value_string(job->revision));
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_HASH),
	              value_string(osm_annotations_hash(arena, &applied)));
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_OSP_VERSION),
	              osm_job_profile(job)->version);
	return annotations;
}

static struct value file_value(struct arena *arena, const struct osm_rendered_file *file)
{
	struct value text = value_map_new(arena);
	struct value content = value_map_new(arena);
	struct value item = value_map_new(arena);

	value_map_set(arena, &text, SV("data"), file->data);
	if (!sv_empty(value_text(&file->encoding)))
		value_map_set(arena, &text, SV("encoding"), file->encoding);
	value_map_set(arena, &content, SV("inline"), text);
	value_map_set(arena, &item, SV("content"), content);
	value_map_set(arena, &item, SV("path"), file->path);
	value_map_set(arena, &item, SV("permissions"), value_int(file->permissions));
	return item;
}

static struct value config_value(struct arena *arena, const struct osm_rendered_config *config,
                                 const struct value *ssh_keys)
{
	struct value v = value_map_new(arena);
	struct value files = value_list_new(arena);

	for (size_t i = 0; i < config->file_count; i++)
		value_list_add(arena, &files, file_value(arena, &config->files[i]));
	if (config->file_count > 0)
		value_map_set(arena, &v, SV("files"), files);
	if (config->modules)
		value_map_set(arena, &v, SV("modules"), *config->modules);
	if (value_count(config->units) > 0)
		value_map_set(arena, &v, SV("units"), *config->units);
	if (value_count(ssh_keys) > 0)
		value_map_set(arena, &v, SV("userSSHKeys"), *ssh_keys);
	return v;
}

static struct value osc_annotations(struct arena *arena, const struct dialect_job *job,
                                    const struct osm_machine *machine)
{
	struct value annotations = osm_controller_annotations(arena, job, machine);

	/*
	 * The controller's webhook rejects changes of a spec, so Flux must delete and recreate it.
	 */
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_FORCE),
	              value_string(SV("Enabled")));
	value_map_set(arena, &annotations, SV(OSM_ANNOTATION_FLUX_SUBSTITUTE),
	              value_string(SV("disabled")));
	if (!sv_empty(job->template_digest))
		value_map_set(arena, &annotations, SV(OSM_ANNOTATION_TEMPLATE_DIGEST),
		              value_string(job->template_digest));
	SORT_BY(annotations.map->entries, annotations.map->count, key);
	return annotations;
}

struct value osm_osc_new(struct arena *arena, const struct dialect_job *job,
                         const struct osm_machine *machine,
                         const struct osm_rendered_config *bootstrap,
                         const struct osm_rendered_config *provisioning)
{
	const struct osm_profile *profile = osm_job_profile(job);
	const struct kube_id *md = &job->unit->object->id;
	struct osm_names names = osm_names_of(arena, md->namespace, md->name);
	struct value annotations = osc_annotations(arena, job, machine);
	struct value object =
	    kube_object_new(arena,
	                    &(struct kube_id){SV(OSM_API_VERSION), SV("OperatingSystemConfig"),
	                                      osm_job_cluster(job)->settings->namespace, names.osc},
	                    NULL, &annotations);
	struct value provider = value_map_new(arena);
	struct value spec = value_map_new(arena);
	const struct value *ssh_keys = &machine->config.ssh_public_keys;

	value_map_set(arena, &provider, SV("name"), machine->config.cloud_provider);
	value_map_set(arena, &provider, SV("spec"), osm_sorted(arena, &machine->provider_spec));
	value_map_set(arena, &spec, SV("bootstrapConfig"),
	              config_value(arena, bootstrap, ssh_keys));
	value_map_set(arena, &spec, SV("cloudProvider"), provider);
	value_map_set(arena, &spec, SV("osName"), profile->os_name);
	value_map_set(arena, &spec, SV("osVersion"), profile->os_version);
	value_map_set(arena, &spec, SV("provisioningConfig"),
	              config_value(arena, provisioning, ssh_keys));
	value_map_set(arena, &spec, SV("provisioningUtility"), profile->provisioning_utility);
	value_map_set(arena, &object, SV("spec"), spec);
	return object;
}

/* ---- the node configuration -------------------------------------------------------------- */

static void set_files(struct arena *arena, const struct osm_rendered_config *config,
                      struct node_config *node)
{
	node->files = ARENA_ARRAY(arena, struct node_file, config->file_count + 1);
	node->file_count = config->file_count;
	for (size_t i = 0; i < config->file_count; i++)
		node->files[i] = (struct node_file){
		    .path = config->files[i].path,
		    .mode_text = osm_mode_text(arena, config->files[i].permissions),
		    .encoding = config->files[i].encoding,
		    .content = config->files[i].data,
		};
}

static bool read_bool(const struct value *map, sv key)
{
	const struct value *v = value_map_get(map, key);

	return value_is(v, KIND_BOOL) && v->boolean;
}

/* Returns the member's string, or an empty one if it is absent. */
static struct value text_member(const struct value *map, sv key)
{
	const struct value *v = value_map_get(map, key);

	return value_is_string(v) ? *v : value_string(SV(""));
}

static void set_units(struct arena *arena, const struct value *units, struct node_config *node)
{
	node->unit_count = value_count(units);
	node->units = ARENA_ARRAY(arena, struct node_unit, node->unit_count + 1);
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct value *given = value_item(units, i);
		const struct value *drop_ins = value_map_get(given, SV("dropIns"));
		struct node_unit *unit = &node->units[i];

		unit->name = text_member(given, SV("name"));
		unit->enable = read_bool(given, SV("enable")) ? NODE_ENABLE_YES : NODE_ENABLE_NO;
		unit->mask = read_bool(given, SV("mask"));
		unit->content = text_member(given, SV("content"));
		unit->drop_in_count = value_count(drop_ins);
		unit->drop_ins = ARENA_ARRAY(arena, struct node_drop_in, unit->drop_in_count + 1);
		for (size_t k = 0; k < unit->drop_in_count; k++)
			unit->drop_ins[k] = (struct node_drop_in){
			    .name = text_member(value_item(drop_ins, k), SV("name")),
			    .content = text_member(value_item(drop_ins, k), SV("content")),
			};
	}
}

static const struct value *list_items(const struct value *list, size_t *ret_count)
{
	*ret_count = value_count(list);
	return *ret_count > 0 ? value_item(list, 0) : NULL;
}

static const struct node_modules *make_modules(struct arena *arena, const struct value *given)
{
	if (!given)
		return NULL;
	struct node_modules *modules = ARENA_NEW(arena, struct node_modules);
	size_t count;
	struct node_pair *repositories =
	    node_sorted_pairs(arena, value_map_get(given, SV("yum_repos")), &count);

	modules->bootcmd = list_items(value_map_get(given, SV("bootcmd")), &modules->bootcmd_count);
	modules->runcmd = list_items(value_map_get(given, SV("runcmd")), &modules->runcmd_count);
	modules->rh_subscription = node_sorted_pairs(
	    arena, value_map_get(given, SV("rh_subscription")), &modules->rh_subscription_count);
	modules->yum_repos = ARENA_ARRAY(arena, struct node_repository, count + 1);
	modules->yum_repo_count = count;
	for (size_t i = 0; i < count; i++) {
		modules->yum_repos[i].name = repositories[i].key;
		modules->yum_repos[i].pairs = node_sorted_pairs(arena, &repositories[i].text,
		                                                &modules->yum_repos[i].pair_count);
	}
	modules->yum_repo_dir = text_member(given, SV("yum_repo_dir"));
	return modules;
}

void osm_node_config(struct arena *arena, const struct osm_rendered_config *config,
                     const struct osm_machine *machine, struct node_config *node)
{
	*node = (struct node_config){.upgrade_packages = machine->system.dist_upgrade_on_boot};
	node_set_ssh_keys(arena, node, &machine->config.ssh_public_keys);
	set_files(arena, config, node);
	set_units(arena, config->units, node);
	node->modules = make_modules(arena, config->modules);
}
