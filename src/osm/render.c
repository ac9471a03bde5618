/*
 * Renders one MachineDeployment, in the order of the controller's steps (docs/spec/controller.md
 * 1).
 */
#include "osm/cloud.h"
#include "osm/data.h"
#include "osm/extension/extension.h"
#include "osm/inventory/inventory.h"
#include "osm/read_back.h"
#include "osm/split.h"
#include "osm/unfilled.h"
#include "userdata/userdata.h"

#define HOSTS_PERMISSIONS 600

struct renderer {
	struct arena *arena;
	struct sink *sink;
	const struct dialect_job *job;
	const struct osm_cluster *cluster;
	const struct osm_profile *profile;
	struct osm_machine machine;
	struct osm_names names;
	struct osm_contents contents;
	const struct value *data; /* of the templates */
	bool over_limit;          /* a template used up its budget, so skip the others */
	bool has_stand_ins;       /* see osm_render_stand_ins */
};

/* Adds remedies to errors of the template engine, which does not know about profiles. */
static void advise(struct sink *sink, size_t from)
{
	for (size_t i = from; i < sink->diags.count; i++) {
		struct diag *diag = sink->diags.items[i];

		if (!sv_empty(diag->help))
			continue;
		if (diag->code == DIAG_TEMPLATE_SECRET) {
			diag_set_help(sink, diag,
			              "look at what the profiles make of secrets: `osm-gen explain "
			              "OSG3006`");
			continue;
		}
		if (diag->code == DIAG_TEMPLATE_LIMIT)
			diag_set_help(sink, diag,
			              "make the template do less: `osm-gen explain OSG3004`");
		else
			diag_set_help(
			    sink, diag,
			    "correct the profile's template; what a MachineDeployment may "
			    "lack is tested first: {{ if .NetworkConfig }}...{{ end }}");
	}
}

/*
 * COMPAT: the controller makes user-data of the OperatingSystemConfig as the API server returns it,
 * which stores JSON. Only files and their paths may hold bytes that are not UTF-8, from flags,
 * Secrets and templates; everything else comes from manifests, which are UTF-8.
 */
static struct value as_stored(const struct renderer *r, const struct value *string)
{
	return text_valid_utf8(r->arena, string);
}

/* Fills in files of extensions with a Secret's value, which is not a template. */
static enum status fill_secrets(struct renderer *r, size_t index,
                                const struct osm_rendered_config *config)
{
	const struct osm_additions *additions = r->profile->additions;
	enum status status = STATUS_OK;

	for (size_t i = 0; additions && i < additions->secrets.count; i++) {
		const struct osm_secret_file *secret = &additions->secrets.items[i];
		const struct osm_config_var var = {
		    .name = secret->path,
		    .at = secret->at,
		    .secret = {secret->namespace, secret->name, secret->key},
		};
		struct value text;

		for (size_t k = 0; secret->config == index && k < config->file_count; k++) {
			if (!sv_eq(config->files[k].path.string, secret->path))
				continue;
			if (osm_config_var_string(r->arena, r->sink, r->cluster, &var, &text) !=
			    STATUS_OK)
				status = STATUS_FAILED;
			else
				config->files[k].data = as_stored(r, &text);
		}
	}
	return status;
}

static struct tmpl_options template_options(const struct renderer *r)
{
	struct tmpl_options options = tmpl_options_default();

	if (!r->has_stand_ins) {
		options.now = r->job->now;
		options.asks_now = r->job->asks_now;
	}
	options.total_steps = r->job->steps;
	return options;
}

static bool is_split(const struct renderer *r)
{
	return r->cluster->settings->provisioning == OSM_PROVISIONING_SPLIT;
}

static const struct tmpl_profile *templates_of(const struct renderer *r,
                                               const struct osm_profile_config *config)
{
	return is_split(r) && config->split_templates ? config->split_templates : config->templates;
}

/*
 * Renders bootstrapConfig (index 0) or provisioningConfig (1). The result has space for `room` more
 * files.
 */
static enum status render_config(struct renderer *r, size_t index, const struct value *data,
                                 size_t room, struct osm_rendered_config *ret_config)
{
	const struct osm_profile_config *profile =
	    index == 0 ? r->profile->bootstrap : r->profile->provisioning;
	const struct tmpl_options options = template_options(r);
	struct tmpl_rendered *rendered;
	struct tmpl_error error;
	size_t reported = r->sink->diags.count;

	if (r->over_limit)
		return STATUS_FAILED;
	if (tmpl_profile_render(r->arena, r->sink, templates_of(r, profile), data, &options,
	                        &rendered, &error) != STATUS_OK) {
		r->over_limit = error.failure == TMPL_LIMIT;
		advise(r->sink, reported);
		return STATUS_FAILED;
	}
	struct osm_rendered_config config = {
	    .files =
	        ARENA_ARRAY(r->arena, struct osm_rendered_file, profile->file_count + room + 1),
	    .file_count = profile->file_count,
	    .units = &profile->units,
	    .modules = osm_system_modules(
	        r->arena, r->machine.config.operating_system.string, &r->machine.system,
	        r->cluster->settings->empty_subscription, profile->modules),
	};
	for (size_t i = 0; i < profile->file_count; i++)
		config.files[i] = (struct osm_rendered_file){
		    .path = profile->files[i].path,
		    .permissions = profile->files[i].permissions,
		    .encoding = profile->files[i].encoding,
		    .data = as_stored(r, &rendered[i].content),
		};
	osm_check_unfilled(&(struct osm_unfilled_check){r->arena, r->sink, templates_of(r, profile),
	                                                data, &options},
	                   &config);
	*ret_config = config;
	return fill_secrets(r, index, &config);
}

/* Checks the configuration of containerd and the kubelet that extensions changed. */
static enum status check_additions(const struct renderer *r,
                                   const struct osm_rendered_config *provisioning)
{
	const struct osm_additions *additions = r->profile->additions;

	if (!additions)
		return STATUS_OK;
	enum status tomls =
	    osm_extension_check_tomls(r->arena, r->sink, &additions->tomls, provisioning);
	enum status kubelet =
	    osm_extension_check_kubelet(r->sink, &additions->kubelet, provisioning);
	return tomls == STATUS_OK ? kubelet : tomls;
}

/* Finds the machine's downloads by the inventories of its profile and extensions. */
static enum status find_fetches(const struct renderer *r, const struct value *data,
                                const struct osm_rendered_config *bootstrap,
                                const struct osm_rendered_config *provisioning,
                                struct dialect_rendered *rendered)
{
	const struct osm_profile *profile = r->profile;
	const struct osm_fetches_request request = {
	    .annotations = &profile->inventories,
	    .data = data,
	    .bootstrap = bootstrap,
	    .provisioning = provisioning,
	    .settings = r->cluster->settings,
	    .now = r->job->now,
	    .steps = r->job->steps,
	};
	size_t reported = r->sink->diags.count;

	rendered->is_inventoried = profile->inventories.count > 0;
	if (!rendered->is_inventoried) {
		osm_report_not_inventoried(r->sink, profile);
		return STATUS_OK;
	}
	VEC_EACH (extension, &profile->not_inventoried) {
		osm_report_extension_not_inventoried(r->sink, *extension);
		rendered->is_inventoried = false;
	}
	if (osm_fetches(r->arena, r->sink, &request, &rendered->fetches) == STATUS_OK)
		return STATUS_OK;
	advise(r->sink, reported);
	return STATUS_FAILED;
}

/* Appends the hosts.toml files to the files of the provisioning configuration. */
static void append_hosts(const struct renderer *r, const struct osm_hosts_files *hosts,
                         struct osm_rendered_config *config)
{
	VEC_EACH (file, hosts) {
		struct value path = value_string(file->path);

		config->files[config->file_count++] = (struct osm_rendered_file){
		    .path = as_stored(r, &path),
		    .permissions = HOSTS_PERMISSIONS,
		    .encoding = value_string(SV("")),
		    .data = as_stored(r, &file->text),
		};
	}
}

static bool uses_ignition(const struct renderer *r)
{
	return sv_eq_cstr(value_text(&r->profile->provisioning_utility), "ignition");
}

/* Returns the machine's name in the bootstrap user-data, which is empty on aws. */
static struct value hostname_of(const struct renderer *r)
{
	sv provider = r->machine.config.cloud_provider.string;

	if (sv_eq_cstr(provider, "aws"))
		return value_string(SV(""));
	/* On edge machines, nothing replaces the placeholder. COMPAT: in Ignition it stays. */
	if (sv_eq_cstr(provider, "edge") && !uses_ignition(r))
		return value_string(r->job->unit->object->id.name);
	return value_string(SV(NODE_MACHINE_NAME));
}

/* Writes the node as user-data: all of it, or the Secret's part, and sets the ConfigMap. */
static enum status write_node(struct renderer *r, struct node_config *node, bool splits,
                              struct value *ret_text)
{
	struct userdata_apart files = {0};
	struct userdata_apart *apart = splits ? &files : NULL;

	if (splits)
		osm_split_choose(r->arena, &r->machine, uses_ignition(r), node);
	if (!uses_ignition(r))
		*ret_text = userdata_cloud_init(r->arena, node, apart);
	else if (userdata_ignition(r->arena, r->sink, node, apart, ret_text) != STATUS_OK)
		return STATUS_FAILED;
	if (!splits)
		return STATUS_OK;
	r->contents.split = osm_split_make(r->arena, &files, ret_text);
	*ret_text = r->contents.split.secret;
	return STATUS_OK;
}

static enum status make_user_data(struct renderer *r, const struct osm_rendered_config *config,
                                  bool is_bootstrap, struct value *ret_text)
{
	const struct osm_profile_config *profile =
	    is_bootstrap ? r->profile->bootstrap : r->profile->provisioning;
	const struct tmpl_options options = template_options(r);
	struct node_config node;

	osm_node_config(r->arena, config, &r->machine, &node);
	node.hostname = is_bootstrap ? hostname_of(r) : value_string(SV(""));
	if (write_node(r, &node, !is_bootstrap && is_split(r), ret_text) != STATUS_OK)
		return STATUS_FAILED;
	osm_read_back(
	    &(struct osm_read_back){
	        .arena = r->arena,
	        .sink = r->sink,
	        .machine = r->job->unit->object,
	        .templates = templates_of(r, profile),
	        .template_count = profile->file_count,
	        .data = r->data,
	        .options = &options,
	        .steps = r->job->steps,
	        .known = r->cluster->read_texts,
	        .is_cloud_init = !uses_ignition(r),
	        .is_bootstrap = is_bootstrap,
	        .warns = r->cluster->settings->unreadable_warns,
	    },
	    &node);
	return STATUS_OK;
}

static struct value make_data(struct renderer *r, const struct value *cloud_config,
                              const struct value *kubeconfig)
{
	const struct osm_cluster *cluster = r->cluster;
	const struct osm_provider_config *config = &r->machine.config;
	const struct osm_provider *provider = osm_provider_find(config->cloud_provider.string);
	bool external = cluster->settings->external_cloud_provider;
	const struct osm_data data = {
	    .kube_version = r->machine.kube_version,
	    .bootstrap_kubeconfig = *kubeconfig,
	    .in_tree_ccm = !external && provider && provider->in_tree,
	    .cloud_config = *cloud_config,
	    .provider_name = config->cloud_provider,
	    .network = config->network,
	    .external_cloud_provider = external,
	    .kubelet = &r->machine.kubelet,
	    .system = &r->machine.system,
	    .os_name = config->operating_system.string,
	    .token = cluster->getter_token.type && !r->has_stand_ins ? cluster->getter_token
	                                                             : r->contents.token,
	    .secret_name = r->names.provisioning_secret,
	    .kubeconfig_secret_name = r->names.kubeconfig_secret,
	};

	return osm_data_value(r->arena, cluster, &data);
}

/* Finds the limit of user-data: the setting's, or the provider's. Returns false without one. */
static bool find_budget(const struct renderer *r, sv os_name, struct userdata_budget *ret_budget)
{
	sv provider = r->machine.config.cloud_provider.string;
	const struct userdata_budget *known = userdata_budget_find(provider, os_name);
	const struct value *own = value_map_get(&r->cluster->settings->user_data_limits, provider);

	*ret_budget = known ? *known : (struct userdata_budget){.provider = provider};
	if (!own)
		return known;
	ret_budget->limit = (size_t)own->integer;
	ret_budget->careful = 0;
	ret_budget->assumed = false;
	ret_budget->source = "the setting userDataLimits";
	return own->integer > 0;
}

static enum status check_bootstrap(struct renderer *r)
{
	struct position at = kube_object_position(r->job->unit->object);
	struct userdata_budget budget;
	bool limited = find_budget(r, r->machine.config.operating_system.string, &budget);

	budget.multiple = r->job->round_lengths;
	/* User-data must always fit into a Secret. */
	r->contents.budget_bytes = limited ? budget.limit : USERDATA_SECRET_BYTES;
	enum status status = userdata_check_secret(
	    r->sink, "bootstrap configuration", r->contents.bootstrap.string, budget.multiple, at);
	status |=
	    userdata_check_budget(r->arena, r->sink, limited ? &budget : NULL,
	                          r->contents.bootstrap.string, at, &r->contents.bootstrap_bytes);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static enum status check_provisioning(struct renderer *r)
{
	struct position at = kube_object_position(r->job->unit->object);

	r->contents.provisioning_bytes = r->contents.provisioning.string.len;
	enum status status =
	    userdata_check_secret(r->sink, "provisioning configuration",
	                          r->contents.provisioning.string, r->job->round_lengths, at);
	if (is_split(r))
		status |=
		    userdata_check_secret(r->sink, "ConfigMap of the provisioning configuration",
		                          r->contents.split.text, 0, at);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* Makes the user-data of one of the two configurations, and checks its size. */
static enum status make_checked(struct renderer *r, const struct osm_rendered_config *config,
                                bool is_bootstrap)
{
	if (make_user_data(r, config, is_bootstrap,
	                   is_bootstrap ? &r->contents.bootstrap : &r->contents.provisioning) !=
	    STATUS_OK)
		return STATUS_FAILED;
	return is_bootstrap ? check_bootstrap(r) : check_provisioning(r);
}

/*
 * Copies the configuration without files that templates derived from secrets, other than by
 * encoding them. Returns true if it left a file out.
 */
static bool without_derived(struct arena *arena, const struct osm_rendered_config *config,
                            struct osm_rendered_config *ret_rest)
{
	bool found = false;

	*ret_rest = *config;
	ret_rest->files = ARENA_ARRAY(arena, struct osm_rendered_file, config->file_count);
	for (size_t i = 0; i < config->file_count; i++) {
		ret_rest->files[i] = config->files[i];
		if (!taint_derived_from(config->files[i].data.taint))
			continue;
		ret_rest->files[i].data = value_string(SV(""));
		found = true;
	}
	return found;
}

/*
 * The size of a string that templates derive from a secret, and mistakes in it, would reveal
 * something of the secret. So the size is checked without these strings first, which gives an
 * ordinary error. If only the whole is too large, the message names the limit as its size.
 */
static enum status make_hidden(struct renderer *r, const struct osm_rendered_config *config,
                               const struct osm_rendered_config *rest, bool is_bootstrap)
{
	size_t reported = r->sink->diags.count;
	enum status status = make_checked(r, rest, is_bootstrap);

	for (size_t i = reported; i < r->sink->diags.count; i++)
		diag_add_note(r->sink, r->sink->diags.items[i], NOWHERE,
		              "without the files that templates make of secrets, whose size is "
		              "not shown");
	if (status != STATUS_OK)
		return STATUS_FAILED;
	reported = r->sink->diags.count;
	status = make_checked(r, config, is_bootstrap);
	sink_forget(r->sink, reported);
	if (is_bootstrap)
		r->contents.bootstrap_bytes = r->contents.budget_bytes;
	else
		r->contents.provisioning_bytes = USERDATA_SECRET_BYTES;
	if (status != STATUS_OK) {
		diag_report(r->sink, DIAG_TEMPLATE_SECRET, NOWHERE,
		            "user-data cannot be made because of a secret's value");
		advise(r->sink, reported);
	}
	return status;
}

static enum status make_configuration(struct renderer *r, const struct osm_rendered_config *config,
                                      bool is_bootstrap)
{
	struct osm_rendered_config rest;

	return without_derived(r->arena, config, &rest)
	           ? make_hidden(r, config, &rest, is_bootstrap)
	           : make_checked(r, config, is_bootstrap);
}

/*
 * Returns the names with `now` in front. The one before stays until the next change: machines may
 * start with an older Secret, and a run without changes must change nothing. Leaves other names
 * out: the index may have been edited, and the Role has these names.
 */
static struct dialect_config_maps config_maps_after(const struct dialect_config_maps *previous,
                                                    sv now)
{
	struct dialect_config_maps names = {.now = now};
	sv before = sv_eq(previous->now, now) ? previous->before : previous->now;

	if (!sv_empty(now) && !sv_eq(before, now) && osm_split_is_name(before))
		names.before = before;
	return names;
}

/* Fails (DIAG_PROVISIONING_SPLIT) if stage 1 of the profile does not read ConfigMaps. */
static enum status check_split(const struct renderer *r)
{
	/* No profile of an older contract does, which is reported for the cluster. */
	if (!is_split(r) || r->profile->bootstrap->split_templates || r->job->cluster->contract < 2)
		return STATUS_OK;
	struct diag *diag = diag_report(
	    r->sink, DIAG_PROVISIONING_SPLIT, kube_object_position(r->profile->object),
	    "the cluster has provisioning: split, and stage 1 of OperatingSystemProfile %.*s reads "
	    "no ConfigMap",
	    SV_ARG(r->profile->object->id.name));
	diag_add_note(r->sink, diag, r->cluster->settings->provisioning_given.at,
	              "the setting is here");
	diag_set_help(r->sink, diag,
	              "copy the profile anew from one of `osm-gen profiles`, whose bootstrapConfig "
	              "has the templates provisioningSplit and joinConfigMap, and a script that "
	              "calls the first (an extension that replaces the script has to do so, too); "
	              "or set provisioning: whole");
	return STATUS_FAILED;
}

static enum status render(struct renderer *r, struct dialect_rendered *rendered)
{
	const struct osm_cluster *cluster = r->cluster;
	struct osm_rendered_config bootstrap;
	struct osm_rendered_config provisioning;
	struct value cloud_config;

	enum status status = check_split(r);
	status |= osm_cloud_config_text(r->arena, r->sink, cluster, &r->machine, &cloud_config);
	status |= osm_bootstrap_token(r->arena, r->sink, r->job, r->names.key, &r->contents.token,
	                              &r->contents.token_from);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (kube_config_bootstrap(r->arena, r->sink, &cluster->cluster_info, &r->contents.token,
	                          &r->contents.kubelet_kubeconfig) != STATUS_OK)
		return STATUS_FAILED;
	struct value *data = ARENA_NEW(r->arena, struct value);
	*data = make_data(r, &cloud_config, &r->contents.kubelet_kubeconfig);
	r->data = data;
	status = render_config(r, 0, data, 0, &bootstrap);
	status |= render_config(r, 1, data, cluster->hosts_files.count, &provisioning);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (check_additions(r, &provisioning) != STATUS_OK)
		return STATUS_FAILED;
	append_hosts(r, &cluster->hosts_files, &provisioning);
	if (r->job->wants_fetches &&
	    find_fetches(r, data, &bootstrap, &provisioning, rendered) != STATUS_OK)
		return STATUS_FAILED;
	r->contents.osc = osm_osc_new(r->arena, r->job, &r->machine, &bootstrap, &provisioning);
	rendered->operating_system = r->machine.config.operating_system.string;
	rendered->provider = r->machine.config.cloud_provider.string;
	rendered->kubelet_version = value_text(&r->machine.kubelet_text);
	status = make_configuration(r, &bootstrap, true);
	status |= make_configuration(r, &provisioning, false);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	rendered->config_maps = config_maps_after(&r->job->config_maps, r->contents.split.name);
	r->contents.config_maps = rendered->config_maps;
	osm_add_artifacts(r->arena, r->job, &r->machine, &r->names, &r->contents,
	                  &rendered->artifacts);
	return STATUS_OK;
}

enum status osm_render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                       struct dialect_rendered *ret_rendered)
{
	const struct kube_id *id = &job->unit->object->id;
	struct renderer r = {
	    .arena = arena,
	    .sink = sink,
	    .job = job,
	    .cluster = osm_job_cluster(job),
	    .profile = osm_job_profile(job),
	};
	struct dialect_rendered rendered = {0};
	DIAG_SCOPE(sink, kube_id_describe(arena, id), r.cluster->name);

	r.names = osm_names_of(arena, id->namespace, id->name);
	enum status status =
	    osm_machine_read(arena, sink, job->unit->object, r.profile, &r.machine);
	if (status == STATUS_OK)
		r.machine.provider_spec =
		    osm_hide_names(arena, r.cluster->objects, &r.machine.provider_spec);
	if (status == STATUS_OK && r.cluster->settings->empty_subscription)
		osm_system_check_subscription(sink, &r.machine.config, &r.machine.system);
	if (status == STATUS_OK)
		osm_system_check_support(sink, &r.machine.config, r.profile);
	if (status == STATUS_OK)
		status = render(&r, &rendered);
	if (status == STATUS_OK)
		*ret_rendered = rendered;
	return status;
}

enum status osm_render_stand_ins(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job, struct value *ret_spec)
{
	struct renderer r = {
	    .arena = arena,
	    .sink = sink,
	    .job = job,
	    .cluster = osm_job_cluster(job),
	    .profile = osm_job_profile(job),
	    .names =
	        osm_names_of(arena, job->unit->object->id.namespace, job->unit->object->id.name),
	    /* Templates may take a token apart at its dot. */
	    .contents = {.token = value_string(SV("abcdef.0123456789abcdef"))},
	    .has_stand_ins = true,
	};
	const struct value kubeconfig = value_string(SV("apiVersion: v1\nkind: Config\n"));
	struct osm_rendered_config bootstrap;
	struct osm_rendered_config provisioning;
	struct value cloud_config;

	if (osm_machine_read(arena, sink, job->unit->object, r.profile, &r.machine) != STATUS_OK ||
	    osm_cloud_config_text(arena, sink, r.cluster, &r.machine, &cloud_config) != STATUS_OK)
		return STATUS_FAILED;
	struct value data = make_data(&r, &cloud_config, &kubeconfig);
	if (render_config(&r, 0, &data, 0, &bootstrap) != STATUS_OK ||
	    render_config(&r, 1, &data, r.cluster->hosts_files.count, &provisioning) != STATUS_OK)
		return STATUS_FAILED;
	append_hosts(&r, &r.cluster->hosts_files, &provisioning);
	struct value osc = osm_osc_new(arena, job, &r.machine, &bootstrap, &provisioning);
	*ret_spec = *value_map_get(&osc, SV("spec"));
	return STATUS_OK;
}
