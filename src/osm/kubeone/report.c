/*
 * Positions, help and errors that the steps of an expansion share.
 */
#include "osm/kubeone/internal.h"

struct position kubeone_place(const struct kubeone *k, const struct value *v)
{
	struct position at = v ? value_position(v) : NOWHERE;

	return at.source ? at : origin_position(k->start);
}

void kubeone_help(const struct kubeone *k, struct diag *diag, const char *help)
{
	if (k->expansion->terraform)
		diag_set_help(k->sink, diag, "%s", help);
	else
		diag_set_help(k->sink, diag,
		              "%s; if Terraform gives it, commit what `terraform output -json > "
		              "tf.json` writes, and set terraformOutput: tf.json in the Cluster's "
		              "spec (osm-gen.yaml)",
		              help);
}

void kubeone_refuse(const struct kubeone *k, const struct value *at, const char *text,
                    const char *help)
{
	struct diag *diag =
	    diag_report(k->sink, DIAG_KUBEONE_CLUSTER, kubeone_place(k, at), "%s", text);

	diag_set_help(k->sink, diag, "%s", help);
}
