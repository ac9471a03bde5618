/*
 * The profile that a MachineDeployment gets, extensions included.
 */
#include "internal.h"

#include "secrecy/secrecy.h"
#include "yaml/yaml.h"

struct target {
	const struct fleet_cluster *cluster;
	const struct dialect_unit *unit;
	size_t count;
};

static bool is_named(struct arena *arena, sv wanted, sv cluster, const struct kube_id *id)
{
	sv name = ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);

	return sv_eq(wanted, name) || sv_eq(wanted, ARENA_CONCAT(arena, cluster, SV("/"), name));
}

static struct target find_target(struct arena *arena, const struct fleet *fleet, sv wanted)
{
	struct target found = {0};

	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &fleet->clusters[i];

		for (size_t k = 0; k < cluster->unit_count; k++) {
			const struct dialect_unit *unit = &cluster->units[k];

			if (!unit->definition || !unit->dialect->definition_artifact ||
			    !is_named(arena, wanted, cluster->name, &unit->object->id))
				continue;
			found = (struct target){cluster, unit, found.count + 1};
		}
	}
	return found;
}

static void report_target(struct arena *arena, struct sink *sink, const struct fleet *fleet,
                          sv wanted, const struct target *found)
{
	VEC(sv) names = {0};
	struct diag *diag;

	if (found->count > 1) {
		diag = diag_report(sink, DIAG_RENDER_TARGET, NOWHERE,
		                   "several clusters have a MachineDeployment \"%.*s\"",
		                   SV_ARG(wanted));
		diag_set_help(sink, diag, "put the cluster in front: %.*s/%.*s, ...",
		              SV_ARG(found->cluster->name), SV_ARG(wanted));
		return;
	}
	for (size_t i = 0; i < fleet->cluster_count; i++)
		for (size_t k = 0; k < fleet->clusters[i].unit_count; k++) {
			const struct kube_id *id = &fleet->clusters[i].units[k].object->id;
			sv name = ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);

			VEC_PUSH(arena, &names, name);
			VEC_PUSH(arena, &names,
			         ARENA_CONCAT(arena, fleet->clusters[i].name, SV("/"), name));
		}
	diag = diag_report(sink, DIAG_RENDER_TARGET, NOWHERE,
	                   "no MachineDeployment with a profile is named \"%.*s\"", SV_ARG(wanted));
	diag_help_nearest(sink, diag, wanted, (struct diag_names){names.items, names.count},
	                  "name it [CLUSTER/]NAMESPACE/NAME");
}

enum status effective_add_profile(struct arena *arena, struct sink *sink, const struct fleet *fleet,
                                  sv wanted, bool has_origins, struct buf *buf)
{
	struct target found = find_target(arena, fleet, wanted);

	if (found.count != 1) {
		report_target(arena, sink, fleet, wanted, &found);
		return STATUS_FAILED;
	}
	struct artifact artifact = found.unit->dialect->definition_artifact(
	    arena, fleet_view(found.cluster, found.unit->dialect), found.unit->definition);
	if (has_origins)
		return effective_add_origins(arena, sink, &artifact.object, buf);
	struct value shown = secrecy_redact_all(arena, &(struct redaction){0}, &artifact.object);
	yml_emit(buf, &shown, (struct yml_format){0});
	return STATUS_OK;
}
