/*
 * Notes of the run as a whole: changes that a live object refuses, removed units, replicas in
 * manifests, another delivery, changed recipients, user-data near its limit.
 */
#include "review/internal.h"

#include <inttypes.h>

/* Returns the units of the key, and adds the key if it is new. */
static struct review_places *places_of(struct arena *arena, struct map *by_key, sv key)
{
	struct review_places *units = map_get(by_key, key);

	if (!units) {
		units = ARENA_NEW(arena, struct review_places);
		*units = (struct review_places){0};
		map_put(by_key, key, units);
	}
	return units;
}

/* ---- what a live object must not change in ------------------------------------------------ */

void review_note_refusals(struct arena *arena, struct report_summary *summary)
{
	struct map by_text = map_in(arena); /* struct review_places * */

	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_unit *row = &summary->units.items[i];

		for (size_t j = 0; j < row->input_field_count; j++) {
			const struct report_field *field = &row->input_fields[j];

			if (sv_empty(field->refusal))
				continue;
			sv text = ARENA_CONCAT(arena, field->name, SV(" "), field->before,
			                       SV(" -> "), field->after, SV(": "), field->refusal);
			struct review_places *units = places_of(arena, &by_text, text);
			VEC_PUSH(arena, units, i);
		}
	}
	for (size_t i = 0; i < by_text.count; i++) {
		const struct review_places *units = by_text.entries[i].value;

		VEC_PUSH(arena, &summary->notes,
		         ((struct report_note){.kind = REPORT_NOTE_IMMUTABLE,
		                               .text = by_text.entries[i].key,
		                               .units = units->items,
		                               .unit_count = units->count,
		                               .is_of_history = true}));
	}
}

/* ---- removed units ----------------------------------------------------------------------- */

struct removed {
	struct review_places units;
	bool is_unknown; /* the number of machines */
	uint64_t machines;
};

static struct removed removed_of(struct arena *arena, const struct report_summary *summary,
                                 enum report_departure departure)
{
	struct removed removed = {0};

	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_unit *row = &summary->units.items[i];

		if (row->class != REPORT_CLASS_REMOVE || row->departure != departure)
			continue;
		VEC_PUSH(arena, &removed.units, i);
		removed.is_unknown |= row->replicas == REPORT_REPLICAS_UNKNOWN;
		removed.machines += removed.is_unknown ? 0 : (uint64_t)row->replicas;
	}
	return removed;
}

static sv departure_text(struct arena *arena, enum report_departure departure,
                         const struct removed *removed)
{
	bool is_one = removed->units.count == 1;
	sv which = is_one ? SV("it and its ") : SV("them and their ");
	sv machines = removed->is_unknown || removed->machines == 0
	                  ? SV("machines")
	                  : arena_printf(arena, "%" PRIu64 " machine%s", removed->machines,
	                                 removed->machines == 1 ? "" : "s");

	switch (departure) {
	case REPORT_PRUNED:
		return ARENA_CONCAT(arena, SV("an applier that prunes deletes "), which, machines);
	case REPORT_STAYS:
		return ARENA_CONCAT(arena, SV("appliers leave "), which, machines,
		                    SV(" in the cluster, without their Secrets: delete those that "
		                       "are not wanted there"));
	case REPORT_CONFIG:
		return ARENA_CONCAT(arena, is_one ? SV("its ") : SV("their "),
		                    SV("Secrets are removed: new machines cannot start with them, "
		                       "and running ones get no more changes"));
	}
	BUG("departure");
}

void review_note_removals(struct arena *arena, struct report_summary *summary)
{
	for (int i = REPORT_PRUNED; i <= REPORT_CONFIG; i++) {
		enum report_departure departure = (enum report_departure)i;
		struct removed removed = removed_of(arena, summary, departure);

		if (removed.units.count == 0)
			continue;
		VEC_PUSH(arena, &summary->notes,
		         (struct report_note){
		             .kind = REPORT_NOTE_REMOVED,
		             .text = departure_text(arena, departure, &removed),
		             .units = removed.units.items,
		             .unit_count = removed.units.count,
		         });
	}
}

/* ---- replicas in manifests ---------------------------------------------------------------- */

void review_note_replicas(struct arena *arena, struct report_summary *summary)
{
	struct map by_numbers = map_in(arena); /* struct review_places * */

	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_scale *scale = &summary->units.items[i].in_manifest;

		if (!scale->changes)
			continue;
		sv numbers = arena_printf(arena, "replicas %" PRId64 " -> %" PRId64, scale->before,
		                          scale->after);
		struct review_places *units = places_of(arena, &by_numbers, numbers);
		VEC_PUSH(arena, units, i);
	}
	for (size_t i = 0; i < by_numbers.count; i++) {
		const struct review_places *units = by_numbers.entries[i].value;
		const struct report_scale *scale =
		    &summary->units.items[units->items[0]].in_manifest;

		VEC_PUSH(arena, &summary->notes,
		         (struct report_note){
		             .kind = REPORT_NOTE_MANIFEST_SCALE,
		             .text = ARENA_CONCAT(
		                 arena, by_numbers.entries[i].key,
		                 scale->fewer > 0
		                     ? SV(" since the output was made: the applier of the manifest "
		                          "deletes machines, not that of the output")
		                     : SV(" since the output was made: the applier of the manifest "
		                          "adds machines, not that of the output")),
		             .units = units->items,
		             .unit_count = units->count,
		             .is_of_history = true,
		         });
	}
}

/* ---- delivery ----------------------------------------------------------------------------- */

enum { CLUSTERS_NAMED = 20 };

/* Clusters with the same change of their delivery, and their units. */
struct delivered {
	const struct report_delivery *first;
	struct set clusters;
	struct review_places units;
	bool is_unknown; /* the number of machines */
	uint64_t machines;
};

static const enum report_note_kind delivery_kinds[] = {
    [REPORT_DELIVERY_MOVED] = REPORT_NOTE_MOVED,
    [REPORT_DELIVERY_APPLIER] = REPORT_NOTE_APPLIER,
    [REPORT_DELIVERY_BEGINS] = REPORT_NOTE_DELIVERY_BEGINS,
    [REPORT_DELIVERY_ENDS] = REPORT_NOTE_DELIVERY_ENDS,
    [REPORT_DELIVERY_CHANGED] = REPORT_NOTE_DELIVERY,
};

/* Returns "clusters beta, gamma (12 machines)". */
static sv delivered_clusters(struct arena *arena, const struct delivered *delivered)
{
	const struct set *clusters = &delivered->clusters;
	struct buf names = buf_in(arena);

	for (size_t i = 0; i < set_count(clusters) && i < CLUSTERS_NAMED; i++)
		buf_add_item(&names, set_item(clusters, i));
	if (set_count(clusters) > CLUSTERS_NAMED)
		buf_printf(&names, " and %zu more", set_count(clusters) - CLUSTERS_NAMED);
	return arena_printf(arena, "cluster%s %.*s (%s%" PRIu64 " machine%s)",
	                    set_count(clusters) == 1 ? "" : "s", SV_ARG(buf_sv(&names)),
	                    delivered->is_unknown ? "at least " : "", delivered->machines,
	                    delivered->machines == 1 ? "" : "s");
}

static sv delivery_text(struct arena *arena, const struct delivered *delivered)
{
	const struct report_delivery *delivery = delivered->first;
	sv clusters = delivered_clusters(arena, delivered);
	sv change =
	    ARENA_CONCAT(arena, clusters, SV(": "), delivery->before, SV(" -> "), delivery->after);

	switch (delivery->kind) {
	case REPORT_DELIVERY_MOVED:
		return ARENA_CONCAT(
		    arena, change,
		    SV(". The applier of the first one removes or orphans its objects, while that "
		       "of the second makes them: for a time two machine-controllers may own the "
		       "machines, or none. Secrets that are left at the first one have to be "
		       "deleted there"));
	case REPORT_DELIVERY_APPLIER:
		return ARENA_CONCAT(
		    arena, change,
		    SV(". The first one removes or orphans its objects, while the second makes "
		       "them: for a time both may write the same objects, or none of them is "
		       "there"));
	case REPORT_DELIVERY_BEGINS:
		return ARENA_CONCAT(arena, clusters, SV(": "), delivery->after,
		                    SV(" applies the output from now on. Another applier of it has "
		                       "to stop, or both write the same objects"));
	case REPORT_DELIVERY_ENDS:
		return ARENA_CONCAT(arena, clusters, SV(": "), delivery->before,
		                    SV(" no longer has its objects, and removes or orphans what it "
		                       "has applied"));
	case REPORT_DELIVERY_CHANGED:
		return ARENA_CONCAT(arena, clusters, SV(": "), delivery->change);
	}
	BUG("delivery");
}

static void count_delivered(struct arena *arena, const struct report_summary *summary,
                            struct delivered *delivered)
{
	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_unit *row = &summary->units.items[i];

		if (row->change == REPORT_REMOVED || !set_has(&delivered->clusters, row->cluster))
			continue;
		VEC_PUSH(arena, &delivered->units, i);
		delivered->is_unknown |= row->replicas < 0;
		delivered->machines += row->replicas > 0 ? (uint64_t)row->replicas : 0;
	}
}

void review_note_deliveries(struct arena *arena, struct report_summary *summary)
{
	struct map changes = map_in(arena); /* struct delivered * */

	VEC_EACH (delivery, &summary->deliveries) {
		sv key = arena_printf(arena, "%d\n%.*s\n%.*s\n%.*s", (int)delivery->kind,
		                      SV_ARG(delivery->before), SV_ARG(delivery->after),
		                      SV_ARG(delivery->change));
		struct delivered *delivered = map_get(&changes, key);

		if (!delivered) {
			delivered = ARENA_NEW(arena, struct delivered);
			*delivered = (struct delivered){delivery, set_in(arena), {0}, false, 0};
			map_put(&changes, key, delivered);
		}
		set_add(&delivered->clusters, delivery->cluster);
	}
	for (size_t i = 0; i < changes.count; i++) {
		struct delivered *delivered = changes.entries[i].value;

		count_delivered(arena, summary, delivered);
		VEC_PUSH(arena, &summary->notes,
		         (struct report_note){
		             .kind = delivery_kinds[delivered->first->kind],
		             .text = delivery_text(arena, delivered),
		             .units = delivered->units.items,
		             .unit_count = delivered->units.count,
		             .is_of_history = delivered->first->is_of_history,
		         });
	}
}

/* ---- kubelets and control planes ----------------------------------------------------------- */

/* Kubernetes supports kubelets that are so many minor versions older, and none that is newer. */
enum { MINORS_BEHIND_MAX = 3 };

void review_note_skews(struct arena *arena, struct report_summary *summary)
{
	size_t count;
	const struct report_skew *skews = report_skews(arena, summary, &count);

	for (size_t i = 0; i < count; i++) {
		const struct report_skew *skew = &skews[i];

		if (skew->ahead > 0 || skew->behind > MINORS_BEHIND_MAX)
			VEC_PUSH(arena, &summary->notes,
			         ((struct report_note){
			             .kind = skew->ahead > 0 ? REPORT_NOTE_KUBELET_NEWER
			                                     : REPORT_NOTE_KUBELET_OLD,
			             .text = ARENA_CONCAT(arena, skew->kubelet, SV(" with "),
			                                  skew->control_plane,
			                                  SV(": Kubernetes does not support it")),
			             .units = skew->units,
			             .unit_count = skew->unit_count,
			         }));
	}
}

/* ---- recipients -------------------------------------------------------------------------- */

void review_note_recipients(struct arena *arena, struct report_summary *summary)
{
	size_t count = summary->recipients.count;

	if (count == 0)
		return;
	sv text = count == 1
	              ? ARENA_CONCAT(arena, SV("cluster "), summary->recipients.items[0].cluster,
	                             SV(" is sealed to others than before"))
	              : arena_printf(arena, "%zu clusters are sealed to others than before", count);
	VEC_PUSH(arena, &summary->notes,
	         (struct report_note){.kind = REPORT_NOTE_RECIPIENTS, .text = text});
}

/* ---- sizes ------------------------------------------------------------------------------- */

static bool is_nearly_full(size_t bytes, size_t limit)
{
	return limit > 0 && bytes > limit / 10 * 9;
}

void review_note_budgets(struct arena *arena, struct report_summary *summary)
{
	struct review_places units = {0};
	size_t most = 0;

	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_unit *row = &summary->units.items[i];
		bool boot = is_nearly_full(row->bootstrap_bytes, row->bootstrap_limit);
		bool rest = is_nearly_full(row->provisioning_bytes, row->provisioning_limit);

		if (row->change == REPORT_UNCHANGED || row->change == REPORT_REMOVED ||
		    (!boot && !rest))
			continue;
		size_t percent = boot ? row->bootstrap_bytes * 100 / row->bootstrap_limit
		                      : row->provisioning_bytes * 100 / row->provisioning_limit;
		most = percent > most ? percent : most;
		VEC_PUSH(arena, &units, i);
	}
	if (units.count > 0)
		VEC_PUSH(arena, &summary->notes,
		         (struct report_note){
		             .kind = REPORT_NOTE_SIZE,
		             .text = arena_printf(arena, "up to %zu %%", most),
		             .units = units.items,
		             .unit_count = units.count,
		         });
}
