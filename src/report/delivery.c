/*
 * Clusters whose delivery changes: another management cluster, another applier, or other objects of
 * it. No unit changes then, and yet machines may get another machine-controller.
 */
#include "report/render.h"

static const struct {
	enum report_delivery_kind kind;
	const char *one;
	const char *many;
} verbs[] = {
    {REPORT_DELIVERY_MOVED, "moves to another management cluster",
     "move to another management cluster"},
    {REPORT_DELIVERY_APPLIER, "gets another applier", "get another applier"},
    {REPORT_DELIVERY_BEGINS, "gets an applier", "get an applier"},
    {REPORT_DELIVERY_ENDS, "loses its applier", "lose their applier"},
    {REPORT_DELIVERY_CHANGED, "is applied in another way", "are applied in another way"},
};

/*
 * Returns the set of clusters with a change of that kind. A move changes the content of objects,
 * too, and is named alone.
 */
static struct map clusters_of(struct arena *arena, const struct report_summary *summary,
                              enum report_delivery_kind kind)
{
	struct map clusters = map_in(arena);
	struct map moved = map_in(arena);

	VEC_EACH (delivery, &summary->deliveries)
		if (delivery->kind != REPORT_DELIVERY_CHANGED)
			map_put(&moved, delivery->cluster, delivery);
	VEC_EACH (delivery, &summary->deliveries)
		if (delivery->kind == kind &&
		    (kind != REPORT_DELIVERY_CHANGED || !map_get(&moved, delivery->cluster)))
			map_put(&clusters, delivery->cluster, delivery);
	return clusters;
}

void render_add_deliveries(struct arena *arena, const struct report_summary *summary,
                           struct value *effects)
{
	for (size_t i = 0; summary->deliveries.count > 0 && i < COUNT_OF(verbs); i++) {
		const struct map clusters = clusters_of(arena, summary, verbs[i].kind);
		bool is_exact = true;
		size_t machines = 0;

		if (clusters.count == 0)
			continue;
		VEC_EACH (row, &summary->units) {
			if (row->change == REPORT_REMOVED || !map_get(&clusters, row->cluster))
				continue;
			is_exact &= row->replicas >= 0;
			machines += row->replicas > 0 ? (size_t)row->replicas : 0;
		}
		sv verb = sv_from_cstr(clusters.count == 1 ? verbs[i].one : verbs[i].many);
		value_list_add(arena, effects,
		               VALUE_MAP(arena, {"clusters", value_size(clusters.count)},
		                         {"machines", value_size(machines)},
		                         {"isLeast", value_bool(!is_exact)},
		                         {"verb", value_string(verb)}));
	}
}

bool report_add_moves(struct buf *buf, const struct report_summary *summary)
{
	for (size_t i = 0; i < COUNT_OF(verbs); i++) {
		const struct map clusters = clusters_of(buf->arena, summary, verbs[i].kind);

		if (clusters.count == 0)
			continue;
		if (clusters.count == 1)
			buf_printf(buf, "cluster %.*s %s", SV_ARG(clusters.entries[0].key),
			           verbs[i].one);
		else
			buf_printf(buf, "%zu clusters %s", clusters.count, verbs[i].many);
		return true;
	}
	return false;
}
