/*
 * The list of facts: what a reviewer must know, the worst first. What stops a hand comes before
 * what is worth a look, and that before what is routine. Within these, notes come before groups
 * where the reader has to stop, and after them elsewhere. Notes and groups are sorted alike, since
 * forms that show these lists cut them from the bottom.
 */
#include "review/internal.h"

enum { NAMES_MAX = 5 };

/* Fills in where a fact is: the names of its units, if they are few, else of the first one. */
static void set_place(struct arena *arena, const struct report_summary *summary,
                      struct report_fact *fact)
{
	size_t named = fact->unit_count <= NAMES_MAX ? fact->unit_count : 1;
	sv *names = ARENA_ARRAY(arena, sv, named);
	struct set clusters = set_in(arena);

	for (size_t i = 0; i < fact->unit_count; i++) {
		const struct report_unit *row = &summary->units.items[fact->units[i]];

		if (i < named)
			names[i] = report_unit_name(arena, row);
		set_add(&clusters, row->cluster);
	}
	fact->where = names;
	fact->where_count = named;
	fact->cluster_count = set_count(&clusters);
}

static void add_fact(struct arena *arena, struct report_summary *summary, struct report_fact fact)
{
	if (fact.unit_count > 0)
		set_place(arena, summary, &fact);
	VEC_PUSH(arena, &summary->facts, fact);
}

static void set_manifest(const struct report_summary *summary, struct report_fact *fact)
{
	const struct report_unit *first = &summary->units.items[fact->units[0]];

	fact->path = first->source;
	fact->at = first->at;
}

static void add_note(struct arena *arena, struct report_summary *summary,
                     const struct report_note *note)
{
	const struct report_note_info *info = report_note_info(note->kind);
	struct report_fact fact = {
	    .kind = info->word,
	    .note = note,
	    .severity = info->severity,
	    .headline =
	        ARENA_CONCAT(arena, report_note_title(arena, summary, note), SV(": "), note->text),
	    .units = note->units,
	    .unit_count = note->unit_count,
	    .at = NOWHERE,
	};

	if (note->unit_count > 0 &&
	    (note->kind == REPORT_NOTE_IMMUTABLE || note->kind == REPORT_NOTE_REMOVED ||
	     note->kind == REPORT_NOTE_MANIFEST_SCALE || note->kind == REPORT_NOTE_KUBELET_NEWER ||
	     note->kind == REPORT_NOTE_KUBELET_OLD))
		set_manifest(summary, &fact);
	if (note->kind == REPORT_NOTE_RECIPIENTS) {
		size_t count = summary->recipients.count;
		size_t named = count <= NAMES_MAX ? count : 1;
		sv *names = ARENA_ARRAY(arena, sv, named);

		for (size_t i = 0; i < named; i++)
			names[i] = summary->recipients.items[i].cluster;
		fact.where = names;
		fact.where_count = named;
		fact.cluster_count = count;
	}
	add_fact(arena, summary, fact);
}

static const char *class_kind(enum report_class class)
{
	switch (class) {
	case REPORT_CLASS_NONE:
		return "files";
	case REPORT_CLASS_METADATA:
		return "metadata";
	case REPORT_CLASS_NEW_NODES:
		return "new-nodes-only";
	case REPORT_CLASS_UNKNOWN:
		return "unknown";
	case REPORT_CLASS_ADD:
		return "added";
	case REPORT_CLASS_IN_PLACE:
		return "in-place";
	case REPORT_CLASS_ROLL:
		return "roll";
	case REPORT_CLASS_SCALE:
		return "scale";
	case REPORT_CLASS_REMOVE:
		return "removed";
	}
	BUG("class");
}

static enum report_severity severity_of(const struct report_summary *summary,
                                        const struct report_group *group)
{
	for (size_t i = 0; i < group->unit_count; i++)
		if (report_loses_machines(&summary->units.items[group->units[i]],
		                          REPORT_CLASS_SCALE))
			return REPORT_FACT_STOP;
	return group->class == REPORT_CLASS_UNKNOWN || group->class == REPORT_CLASS_IN_PLACE ||
	               group->class == REPORT_CLASS_ROLL || group->class == REPORT_CLASS_SCALE
	           ? REPORT_FACT_LOOK
	           : REPORT_FACT_ROUTINE;
}

static void add_group(struct arena *arena, struct report_summary *summary,
                      const struct report_group *group, enum report_severity severity)
{
	struct report_fact fact = {
	    .kind = class_kind(group->class),
	    .group = group,
	    .severity = severity,
	    .headline = group->heading,
	    .units = group->units,
	    .unit_count = group->unit_count,
	};

	set_manifest(summary, &fact);
	add_fact(arena, summary, fact);
}

static void add_new_units(struct arena *arena, struct report_summary *summary)
{
	struct review_places units = {0};
	struct buf headline = buf_in(arena);

	for (size_t i = 0; i < summary->units.count; i++)
		if (summary->units.items[i].class == REPORT_CLASS_ADD)
			VEC_PUSH(arena, &units, i);
	if (units.count == 0)
		return;
	report_add_class(&headline, summary, REPORT_CLASS_ADD);
	struct report_fact fact = {
	    .kind = class_kind(REPORT_CLASS_ADD),
	    .severity = REPORT_FACT_ROUTINE,
	    .headline = buf_sv(&headline),
	    .units = units.items,
	    .unit_count = units.count,
	};
	set_manifest(summary, &fact);
	add_fact(arena, summary, fact);
}

static int compare_notes(const void *a, const void *b, void *context UNUSED)
{
	const struct report_note *left = a;
	const struct report_note *right = b;

	return (int)report_note_info(left->kind)->severity -
	       (int)report_note_info(right->kind)->severity;
}

static int compare_groups(const void *a, const void *b, void *context)
{
	return (int)severity_of(context, a) - (int)severity_of(context, b);
}

static void add_notes(struct arena *arena, struct report_summary *summary,
                      enum report_severity severity)
{
	VEC_EACH (note, &summary->notes)
		if (report_note_info(note->kind)->severity == severity)
			add_note(arena, summary, note);
}

static void add_groups(struct arena *arena, struct report_summary *summary,
                       enum report_severity severity)
{
	VEC_EACH (group, &summary->groups)
		if (severity_of(summary, group) == severity)
			add_group(arena, summary, group, severity);
}

void review_list_facts(struct arena *arena, struct report_summary *summary)
{
	if (summary->notes.count > 0)
		sort_stable(summary->notes.items, summary->notes.count,
		            sizeof(*summary->notes.items), compare_notes, NULL);
	if (summary->groups.count > 0)
		sort_stable(summary->groups.items, summary->groups.count,
		            sizeof(*summary->groups.items), compare_groups, summary);
	if (summary->groups_of_shallow.count > 0)
		sort_stable(summary->groups_of_shallow.items, summary->groups_of_shallow.count,
		            sizeof(*summary->groups_of_shallow.items), compare_groups, summary);
	add_notes(arena, summary, REPORT_FACT_STOP);
	add_groups(arena, summary, REPORT_FACT_STOP);
	add_groups(arena, summary, REPORT_FACT_LOOK);
	add_notes(arena, summary, REPORT_FACT_LOOK);
	add_new_units(arena, summary);
	add_groups(arena, summary, REPORT_FACT_ROUTINE);
	add_notes(arena, summary, REPORT_FACT_ROUTINE);
}
