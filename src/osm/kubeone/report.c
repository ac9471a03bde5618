/*
 * Positions, help and copies that the steps of an expansion share.
 */
#include "osm/kubeone/internal.h"

struct position kubeone_place(const struct kubeone *k, const struct value *v)
{
	struct position at = v ? value_position(v) : NOWHERE;

	return at.source ? at : origin_position(k->start);
}

void kubeone_help(const struct kubeone *k, struct diag *diag, const char *help)
{
	if (!k->expansion->has_units)
		diag_add_note(
		    k->sink, diag, NOWHERE,
		    "the cluster has no MachineDeployment (cluster.k8s.io/v1alpha1) among its "
		    "manifests, so those of its KubeOneCluster are made");
	if (k->expansion->terraform)
		diag_set_help(k->sink, diag, "%s", help);
	else
		diag_set_help(
		    k->sink, diag,
		    "%s; if Terraform gives it, commit what `terraform output -json > "
		    "tf.json` writes, and set terraformOutput: tf.json in the Cluster's "
		    "spec (osm-gen.yaml); or commit the cluster's MachineDeployments, and "
		    "name this file in .osm-gen-ignore",
		    help);
}

void kubeone_refuse(const struct kubeone *k, const struct value *at, const char *text,
                    const char *help)
{
	struct diag *diag =
	    diag_report(k->sink, DIAG_KUBEONE_CLUSTER, kubeone_place(k, at), "%s", text);

	diag_set_help(k->sink, diag, "%s", help);
}

void kubeone_add_members(struct arena *arena, struct value *into, const struct value *from)
{
	for (size_t i = 0; i < value_count(from); i++) {
		const struct value_entry *entry = &from->map->entries[i];

		value_map_set_at(arena, into, entry->key, entry->key_origin, entry->value);
	}
}

struct kubeone_decoder kubeone_terraform_decoder(const struct kubeone *k)
{
	return (struct kubeone_decoder){
	    .arena = k->arena,
	    .sink = k->sink,
	    .code = DIAG_KUBEONE_TERRAFORM,
	    .what = "Terraform's output",
	    .folds_case = true,
	    .is_v1beta3 = k->is_v1beta3,
	    .help = SV("then " KUBEONE_TERRAFORM_HELP),
	};
}
