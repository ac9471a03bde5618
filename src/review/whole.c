/*
 * Notes of the run as a whole: removed units, replicas in manifests, changed recipients, user-data
 * near its limit.
 */
#include "review/internal.h"

#include <inttypes.h>

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
		sv kind = summary->units.items[removed.units.items[0]].kind;
		VEC_PUSH(arena, &summary->notes,
		         (struct report_note){
		             .title = ARENA_CONCAT(arena, kind, SV(" removed")),
		             .text = departure_text(arena, departure, &removed),
		             .units = removed.units.items,
		             .unit_count = removed.units.count,
		             .is_removal = true,
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
		struct review_places *units = map_get(&by_numbers, numbers);
		if (!units) {
			units = ARENA_NEW(arena, struct review_places);
			*units = (struct review_places){0};
			map_put(&by_numbers, numbers, units);
		}
		VEC_PUSH(arena, units, i);
	}
	for (size_t i = 0; i < by_numbers.count; i++) {
		const struct review_places *units = by_numbers.entries[i].value;
		const struct report_scale *scale =
		    &summary->units.items[units->items[0]].in_manifest;

		VEC_PUSH(arena, &summary->notes,
		         (struct report_note){
		             .title = SV("Another number of machines in manifests"),
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
	         (struct report_note){.title = SV("Recipients changed"), .text = text});
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
		             .title = SV("User-data above 90 % of its limit"),
		             .text = arena_printf(arena, "up to %zu %%", most),
		             .units = units.items,
		             .unit_count = units.count,
		         });
}
