/*
 * Expands a KubeOneCluster in the order of KubeOne's own steps: decode, Terraform's output,
 * validation, MachineDeployments.
 */
#include "osm/kubeone/internal.h"

static void warn_of_version(const struct kubeone *k)
{
	const struct value *at = value_map_get(k->expansion->root, SV("apiVersion"));
	struct diag *diag;

	if (!k->is_v1beta3)
		return;
	diag = diag_report(k->sink, DIAG_KUBEONE_VERSION, value_position(at),
	                   "KubeOne 1.14 does not accept %.*s", SV_ARG(at->string));
	diag_set_help(k->sink, diag,
	              "write apiVersion: " OSM_KUBEONE_GROUP
	              "/v1beta2 until your KubeOne reads v1beta3; osm-gen renders the worker "
	              "sets as KubeOne's code for v1beta3 would");
}

static void set_version(struct kubeone *k)
{
	const struct value *written = kubeone_at(k, "versions.kubernetes");
	sv text = value_text(written);

	/* COMPAT: KubeOne sets its defaults twice, and each time drops one v. */
	for (int i = 0; i < 2; i++)
		if (sv_starts_with(text, SV("v")))
			text = sv_from_offset(text, 1);
	k->version = value_string(text);
	k->version.origin = written ? written->origin : k->start;
}

void osm_kubeone_expand(struct arena *arena, struct sink *sink,
                        const struct dialect_expansion *expansion,
                        struct dialect_expanded *ret_expanded)
{
	const struct value *kind = value_map_get(expansion->root, SV("kind"));
	const struct value *version = value_map_get(expansion->root, SV("apiVersion"));
	struct kubeone k = {
	    .arena = arena,
	    .sink = sink,
	    .expansion = expansion,
	    .is_v1beta3 = sv_ends_with(value_text(version), SV("/v1beta3")),
	    .start = kind->origin,
	};
	const struct kubeone_decoder decoder = {
	    .arena = arena,
	    .sink = sink,
	    .code = DIAG_KUBEONE_FIELD,
	    .what = "a KubeOneCluster",
	    .is_v1beta3 = k.is_v1beta3,
	};
	size_t errors = sink->error_count;

	*ret_expanded = (struct dialect_expanded){0};
	warn_of_version(&k);
	k.root = kubeone_decode(&decoder, &kubeone_cluster, expansion->root, SV(""));
	if (sink->error_count > errors)
		return;
	bool is_read = kubeone_read_terraform(&k) == STATUS_OK;

	if (kubeone_check_secrets(&k) != STATUS_OK)
		return;
	kubeone_check_credentials(&k);
	set_version(&k);
	if (is_read && kubeone_apply_terraform(&k) == STATUS_OK) {
		kubeone_check(&k);
		bool is_right = sink->error_count == errors;

		VEC_EACH (worker, &k.workers) {
			struct value *root = ARENA_NEW(arena, struct value);

			if (is_right && kubeone_machine_deployment(&k, worker, root) == STATUS_OK)
				VEC_PUSH(arena, &ret_expanded->units, root);
		}
	}
	ret_expanded->kubernetes_version = k.version;
	if (k.refused)
		return;
	/* Last, since the provider decides one of them, and Terraform's output may have set it. */
	ret_expanded->settings = kubeone_settings(&k);
	ret_expanded->server = kubeone_server(&k);
}
