/*
 * The way of the fleet through a change: how many machines are replaced at once, and how much
 * older the kubelets of new machines are than their control plane.
 */
#include "golang/golang.h"
#include "report/render.h"

/* Units whose machines are replaced in the same way. */
struct pace {
	const struct report_unit *first;
	struct report_count count;
	size_t more; /* machines at once, of all units */
	size_t fewer;
};

/* Units with the same kubelet and control plane. */
struct skew {
	const struct report_unit *first;
	VEC(size_t) units; /* indexes into the summary's units */
	uint64_t behind;   /* minor versions that the kubelet is older */
	uint64_t ahead;    /* minor versions that it is newer */
};

struct passage {
	struct arena *arena;
	struct map paces; /* struct pace, in the order of the units */
	struct map skews; /* struct skew */
	struct pace all;
};

static void count_unit(struct pace *pace, const struct report_unit *row)
{
	pace->count.units++;
	if (row->replicas == REPORT_REPLICAS_UNKNOWN)
		pace->count.unknown = true;
	else
		pace->count.machines += (size_t)row->replicas;
	pace->more += row->surge;
	pace->fewer += row->unavailable;
}

static void add_pace(struct passage *p, const struct report_unit *row)
{
	sv key = ARENA_CONCAT(p->arena, row->max_surge, SV("\n"), row->max_unavailable);
	struct pace *pace = map_get(&p->paces, key);

	if (!pace) {
		pace = ARENA_NEW(p->arena, struct pace);
		*pace = (struct pace){.first = row};
		map_put(&p->paces, key, pace);
	}
	count_unit(pace, row);
	count_unit(&p->all, row);
}

static void add_skew(struct passage *p, const struct report_unit *row, size_t index)
{
	sv key = ARENA_CONCAT(p->arena, row->kubelet_version, SV("\n"), row->control_plane);
	struct skew *skew = map_get(&p->skews, key);
	struct semver kubelet;
	struct semver control_plane;
	sv ignored;

	if (!skew) {
		if (!go_semver_parse(p->arena, row->kubelet_version, &kubelet, &ignored) ||
		    !go_semver_parse(p->arena, row->control_plane, &control_plane, &ignored))
			return;
		skew = ARENA_NEW(p->arena, struct skew);
		*skew = (struct skew){.first = row};
		if (kubelet.major == control_plane.major && kubelet.minor < control_plane.minor)
			skew->behind = control_plane.minor - kubelet.minor;
		if (kubelet.major == control_plane.major && kubelet.minor > control_plane.minor)
			skew->ahead = kubelet.minor - control_plane.minor;
		map_put(&p->skews, key, skew);
	}
	VEC_PUSH(p->arena, &skew->units, index);
}

static struct passage passage_of(struct arena *arena, const struct report_summary *summary)
{
	struct passage p = {.arena = arena, .paces = map_in(arena), .skews = map_in(arena)};

	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_unit *row = &summary->units.items[i];
		bool rolls = row->class == REPORT_CLASS_ROLL;

		if (rolls && !sv_empty(row->max_surge))
			add_pace(&p, row);
		if ((rolls || (row->class == REPORT_CLASS_ADD && !summary->is_first)) &&
		    !sv_empty(row->control_plane) && !sv_empty(row->kubelet_version))
			add_skew(&p, row, i);
	}
	return p;
}

struct report_skew *report_skews(struct arena *arena, const struct report_summary *summary,
                                 size_t *ret_count)
{
	struct passage p = passage_of(arena, summary);
	struct report_skew *skews = ARENA_ARRAY(arena, struct report_skew, p.skews.count);

	for (size_t i = 0; i < p.skews.count; i++) {
		const struct skew *skew = p.skews.entries[i].value;

		skews[i] = (struct report_skew){
		    .kubelet = skew->first->kubelet_version,
		    .control_plane = skew->first->control_plane,
		    .behind = skew->behind,
		    .ahead = skew->ahead,
		    .units = skew->units.items,
		    .unit_count = skew->units.count,
		};
	}
	*ret_count = p.skews.count;
	return skews;
}

/* ---- as a value ---------------------------------------------------------------------------- */

struct value render_pace_value(struct arena *arena, const struct report_summary *summary)
{
	struct passage p = passage_of(arena, summary);
	struct value paces = value_list_new(arena);
	struct value kubelets = value_list_new(arena);

	for (size_t i = 0; i < p.paces.count; i++) {
		const struct pace *pace = p.paces.entries[i].value;

		value_list_add(
		    arena, &paces,
		    VALUE_MAP(arena, {"maxSurge", value_string(pace->first->max_surge)},
		              {"maxUnavailable", value_string(pace->first->max_unavailable)},
		              {"units", value_size(pace->count.units)},
		              {"replicas", value_size(pace->count.machines)},
		              {"more", value_size(pace->more)},
		              {"fewer", value_size(pace->fewer)}));
	}
	for (size_t i = 0; i < p.skews.count; i++) {
		const struct skew *skew = p.skews.entries[i].value;

		value_list_add(arena, &kubelets,
		               VALUE_MAP(arena,
		                         {"kubelet", value_string(skew->first->kubelet_version)},
		                         {"controlPlane", value_string(skew->first->control_plane)},
		                         {"minorsBehind", value_size(skew->behind)},
		                         {"minorsAhead", value_size(skew->ahead)},
		                         {"units", value_size(skew->units.count)}));
	}
	return VALUE_MAP(arena, {"more", value_size(p.all.more)},
	                 {"fewer", value_size(p.all.fewer)}, {"paces", paces},
	                 {"kubelets", kubelets}, {"steps", render_steps_value(arena, summary)});
}
