/*
 * MachineDeployments beside those that are live: those of the output (the setting
 * machineDeployments), and those that somebody else applies. Nothing is rendered: the template is
 * the manifest's, in the output with the roll annotation of the last commit. `osm-gen plan` shows
 * what the next run would roll.
 */
#include "internal.h"

static bool is_in_output(const struct fleet_cluster *cluster, const struct dialect_unit *unit)
{
	const struct dialect *dialect = unit->dialect;

	return dialect->roll && dialect->adoption &&
	       dialect->roll(fleet_view(cluster, dialect)->settings).is_possible;
}

/* Returns the value of the unit's roll annotation in the last commit, or an empty string. */
static sv roll_of(const struct tree_index *index, const struct dialect_unit *unit)
{
	const struct kube_id *id = &unit->object->id;

	for (size_t i = 0; i < index->roll_count; i++) {
		const struct tree_unit *of = index->rolls[i].unit;

		if (sv_eq(of->kind, id->kind) && sv_eq(of->namespace, id->namespace) &&
		    sv_eq(of->name, id->name))
			return index->rolls[i].value;
	}
	return SV("");
}

static bool has_machines(const struct tree_index *index)
{
	for (size_t i = 0; i < index->file_count; i++)
		if (index->files[i].role == ARTIFACT_MACHINES)
			return true;
	return false;
}

/* Adds the text without its line end. */
static void add_machines_text(struct doctor *doctor, const struct fleet_cluster *cluster,
                              enum doctor_level level, sv text)
{
	doctor_add(doctor, "machines", level, NULL, "cluster %.*s: %.*s", SV_ARG(cluster->name),
	           SV_ARG(sv_trim_space(text)));
}

/* MachineDeployments that the output does not have. */
struct applied_elsewhere {
	size_t count;
	size_t other;   /* with another template than the live one */
	size_t unknown; /* not in the export */
	sv kind;
};

static void add_elsewhere(struct doctor *doctor, const struct fleet_cluster *cluster,
                          const struct applied_elsewhere *elsewhere)
{
	size_t same = elsewhere->count - elsewhere->other - elsewhere->unknown;
	struct buf buf = buf_in(doctor->arena);

	if (elsewhere->count == 0)
		return;
	buf_printf(&buf, "the output does not have %zu %.*s%s; with the live template: %zu",
	           elsewhere->count, SV_ARG(elsewhere->kind), elsewhere->count == 1 ? "" : "s",
	           same);
	if (elsewhere->unknown > 0)
		buf_printf(&buf, "; not in the export: %zu", elsewhere->unknown);
	add_machines_text(doctor, cluster,
	                  elsewhere->other + elsewhere->unknown > 0 ? DOCTOR_NOTE : DOCTOR_OK,
	                  buf_sv(&buf));
}

static void compare_machines(struct doctor *doctor, const struct fleet_cluster *cluster,
                             const struct tree_index *index, const struct adopt_live *live)
{
	struct adopt_comparing *comparing =
	    adopt_comparing_new(doctor->secret_arena, live, cluster, NULL);
	const struct report_form *form = report_form_new(doctor->arena, "compare", REPORT_TERMINAL);
	struct adopt_units units = {0};
	bool moves = false;
	struct applied_elsewhere elsewhere = {0};

	for (size_t i = 0; i < cluster->unit_count; i++) {
		const struct dialect_unit *unit = &cluster->units[i];

		if (!unit->dialect->adoption || !unit->dialect->template_text)
			continue;
		bool is_applied = is_in_output(cluster, unit);
		struct adopt_unit found = adopt_compare_template(
		    comparing, unit, is_applied, is_applied ? roll_of(index, unit) : SV(""));
		VEC_PUSH(doctor->arena, &units, found);
		if (!is_applied) {
			elsewhere.count++;
			elsewhere.other += found.template == ADOPT_TEMPLATE_OTHER;
			elsewhere.unknown += found.template == ADOPT_TEMPLATE_UNKNOWN;
			elsewhere.kind = found.id.kind;
		}
		if (!adopt_moves_machines(&found) &&
		    (is_applied || found.template != ADOPT_TEMPLATE_OTHER))
			continue;
		moves |= is_applied;
		ARENA_AUTO scratch = arena_new(ARENA_SECRET);
		struct buf buf = buf_in(scratch);
		adopt_add_unit(&buf, form, &found);
		add_machines_text(doctor, cluster, DOCTOR_LOOK, buf_sv(&buf));
	}
	struct buf all = buf_in(doctor->secret_arena);
	adopt_add_machines(&all, form, &units);
	if (buf_sv(&all).len > 0)
		add_machines_text(doctor, cluster, moves ? DOCTOR_NOTE : DOCTOR_OK, buf_sv(&all));
	add_elsewhere(doctor, cluster, &elsewhere);
}

static void note_machines(struct doctor *doctor, const struct fleet_cluster *cluster)
{
	size_t count = 0;

	for (size_t i = 0; i < cluster->unit_count; i++)
		count += is_in_output(cluster, &cluster->units[i]);
	if (count > 0)
		doctor_add(
		    doctor, "machines", DOCTOR_NOTE,
		    "kubectl get machinedeployments -A -o yaml > FILE, and `osm-gen doctor "
		    "--live FILE` lists the machines that applying it would replace",
		    "cluster %.*s: the next run puts %zu MachineDeployment%s into the output "
		    "for the first time",
		    SV_ARG(cluster->name), count, count == 1 ? "" : "s");
}

/* Returns the cluster of that name, or the only one if the name is empty; else null. */
static const struct fleet_cluster *find_cluster(const struct fleet *fleet, sv name)
{
	if (sv_empty(name))
		return fleet->cluster_count == 1 ? &fleet->clusters[0] : NULL;
	for (size_t i = 0; i < fleet->cluster_count; i++)
		if (sv_eq(fleet->clusters[i].name, name))
			return &fleet->clusters[i];
	return NULL;
}

void doctor_check_machines(struct doctor *doctor, const struct adopt_live *live, sv name)
{
	if (!doctor->fleet)
		return;
	const struct fleet_cluster *one = live ? find_cluster(doctor->fleet, name) : NULL;
	if (live && !one)
		doctor_add(doctor, "machines", DOCTOR_LOOK, "give --cluster with its name",
		           "no cluster is known to be the one of --live");
	for (size_t i = 0; i < doctor->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &doctor->fleet->clusters[i];
		struct tree_index index;

		if (!doctor_find_index(doctor, cluster, &index))
			index = (struct tree_index){0};
		if (one && cluster == one)
			compare_machines(doctor, cluster, &index, live);
		else if (!has_machines(&index))
			note_machines(doctor, cluster);
	}
}
