/*
 * Makes groups, notes and facts of the changes that were collected.
 */
#include "review/internal.h"

/* ---- notes ------------------------------------------------------------------------------- */

struct note {
	enum report_note_kind kind;
	sv text;
	struct review_places units;
};

struct notes {
	struct arena *arena;
	struct map by_text; /* struct note by kind and text */
	VEC(struct note *) list;
};

/* Adds the findings of a change as notes of its units. */
static void add_findings(struct notes *notes, const struct review_entry *change,
                         const size_t *places)
{
	VEC_EACH (finding, &change->findings) {
		sv key = arena_printf(notes->arena, "%d\n%.*s", (int)finding->kind,
		                      SV_ARG(finding->text));
		struct note *note = map_get(&notes->by_text, key);

		if (!note) {
			note = ARENA_NEW(notes->arena, struct note);
			*note = (struct note){.kind = finding->kind, .text = finding->text};
			map_put(&notes->by_text, key, note);
			VEC_PUSH(notes->arena, &notes->list, note);
		}
		VEC_EACH (place, &change->places)
			VEC_PUSH(notes->arena, &note->units, places[*place]);
	}
}

static int compare_notes(const void *a, const void *b, void *context)
{
	const struct note *left = *(struct note *const *)a;
	const struct note *right = *(struct note *const *)b;

	(void)context;
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return sv_cmp(left->text, right->text);
}

static void add_notes(struct notes *notes, struct report_summary *summary)
{
	if (notes->list.count > 0)
		sort_stable(notes->list.items, notes->list.count, sizeof(*notes->list.items),
		            compare_notes, NULL);
	VEC_EACH (item, &notes->list) {
		struct note *note = *item;

		review_sort_places(&note->units);
		struct review_names names = review_common_names(summary, &note->units);
		VEC_PUSH(notes->arena, &summary->notes,
		         (struct report_note){
		             .kind = note->kind,
		             .text = review_shown(notes->arena, note->text, &names),
		             .units = note->units.items,
		             .unit_count = note->units.count,
		         });
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Makes the groups that a shallow clone finds, if they differ. */
static void make_groups_of_shallow(struct arena *arena, struct review_entry *const *changes,
                                   size_t count, const size_t *places,
                                   struct report_summary *summary)
{
	struct report_summary copy = *summary;
	bool has_fields = false;

	VEC_EACH (row, &summary->units)
		has_fields |= row->input_field_count > 0;
	if (!has_fields)
		return;
	review_make_groups(arena, changes, count, places, &copy, true);
	summary->groups_of_shallow.items = copy.groups.items;
	summary->groups_of_shallow.count = copy.groups.count;
}

void review_finish(struct arena *arena, struct review *review, const size_t *places,
                   struct report_summary *summary)
{
	struct notes notes = {.arena = arena, .by_text = map_in(arena)};
	struct review_entry **changes = review_sorted(arena, review);
	size_t count = review->changes.count;

	review_drop_forms(review, true);
	for (size_t i = 0; i < count; i++)
		add_findings(&notes, changes[i], places);
	make_groups_of_shallow(arena, changes, count, places, summary);
	review_make_groups(arena, changes, count, places, summary, false);
	review_note_refusals(arena, summary);
	review_note_removals(arena, summary);
	review_note_replicas(arena, summary);
	review_note_deliveries(arena, summary);
	review_note_recipients(arena, summary);
	review_note_skews(arena, summary);
	add_notes(&notes, summary);
	review_note_budgets(arena, summary);
	review_list_facts(arena, summary);
}
