/*
 * The headings of groups: what changes, where, and for how many machines.
 */
#include "report/render.h"

enum {
	CLUSTERS_IN_HEADING = 5,
	PROFILES_IN_HEADING = 3,
};

/* ---- changes ----------------------------------------------------------------------------- */

static bool is_long(const struct report_field *field)
{
	return field->before.len > HEADING_VALUE_MAX || field->after.len > HEADING_VALUE_MAX;
}

static void add_field(struct buf *buf, const struct report_field *field)
{
	buf_add(buf, field->name);
	if (sv_empty(field->before) && sv_empty(field->after))
		return;
	if (is_long(field)) {
		BUF_ADD_LIT(buf, " changed");
	} else if (sv_empty(field->before)) {
		BUF_ADD_LIT(buf, " set to ");
		buf_add(buf, field->after);
	} else if (sv_empty(field->after)) {
		BUF_ADD_LIT(buf, " no longer set");
	} else {
		/* A path is followed by lines of the file, a name by values. */
		buf_add(buf, sv_starts_with(field->name, SV("/")) ? SV(": ") : SV(" "));
		buf_add(buf, field->before);
		BUF_ADD_LIT(buf, " -> ");
		buf_add(buf, field->after);
	}
}

bool render_is_in_heading(const struct report_group *group, size_t field)
{
	size_t before = 0;

	for (size_t i = 0; i < field; i++)
		before += !group->fields[i].is_detail;
	return before < HEADING_FIELDS && !group->fields[field].is_detail &&
	       !is_long(&group->fields[field]);
}

/* Appends the first fields. */
static void add_change(struct buf *buf, const struct report_group *group, size_t fields_max)
{
	size_t count = 0;

	for (size_t i = 0; i < group->field_count; i++) {
		if (group->fields[i].is_detail || count++ >= fields_max)
			continue;
		buf_add(buf, count == 1 ? SV("") : SV(", "));
		add_field(buf, &group->fields[i]);
	}
	if (count > fields_max)
		buf_printf(buf, " and %zu more", count - fields_max);
}

/* ---- where ------------------------------------------------------------------------------- */

/* Returns the different values of a member of the group's units, in order, without empty ones. */
static struct set different(struct arena *arena, const struct report_summary *summary,
                            const struct report_group *group, size_t member)
{
	struct set known = set_in(arena);

	for (size_t i = 0; i < group->unit_count; i++) {
		const struct report_unit *row = &summary->units.items[group->units[i]];
		sv value = *(const sv *)((const char *)row + member);

		if (!sv_empty(value))
			set_add(&known, value);
	}
	return known;
}

static sv listed(struct arena *arena, const struct set *known)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < set_count(known); i++)
		buf_add_item(&buf, set_item(known, i));
	return buf_sv(&buf);
}

/* Appends "prod/kube-system/workers", or "3 MachineDeployments of prod, staging". */
static void add_place(struct buf *buf, const struct report_summary *summary,
                      const struct report_group *group)
{
	struct set clusters =
	    different(buf->arena, summary, group, offsetof(struct report_unit, cluster));

	if (group->unit_count == 1) {
		buf_add(buf, report_unit_name(buf->arena, &summary->units.items[group->units[0]]));
		return;
	}
	report_add_units(buf, summary, group->unit_count);
	BUF_ADD_LIT(buf, " of ");
	if (set_count(&clusters) <= CLUSTERS_IN_HEADING) {
		buf_add(buf, listed(buf->arena, &clusters));
		return;
	}
	render_count(buf, set_count(&clusters), "cluster", "clusters");
	BUF_ADD_LIT(buf, " such as ");
	buf_add(buf, set_item(&clusters, 0));
}

/* Returns "30 machines are deleted" of a group whose numbers are known, else an empty string. */
static sv effect_of_scale(struct arena *arena, const struct report_summary *summary,
                          const struct report_group *group)
{
	struct report_scale all = {0};

	for (size_t i = 0; i < group->unit_count; i++) {
		all.fewer += summary->units.items[group->units[i]].scale.fewer;
		all.more += summary->units.items[group->units[i]].scale.more;
	}
	return all.fewer + all.more > 0 ? render_scale_effect(arena, &all) : SV("");
}

/* Appends " (profile osp-ubuntu, 50 machines)". */
static void add_scope(struct buf *buf, const struct report_summary *summary,
                      const struct report_group *group)
{
	struct set profiles =
	    different(buf->arena, summary, group, offsetof(struct report_unit, profile));
	size_t machines;
	bool is_exact = report_count_machines(summary, group->units, group->unit_count, &machines);
	sv scaled = group->class == REPORT_CLASS_SCALE ? effect_of_scale(buf->arena, summary, group)
	                                               : SV("");

	if (set_count(&profiles) == 0 && machines == 0)
		return;
	BUF_ADD_LIT(buf, " (");
	if (set_count(&profiles) > PROFILES_IN_HEADING) {
		buf_printf(buf, "%zu profiles", set_count(&profiles));
	} else if (set_count(&profiles) > 0) {
		buf_add(buf, set_count(&profiles) == 1 ? SV("profile ") : SV("profiles "));
		buf_add(buf, listed(buf->arena, &profiles));
	}
	if (!sv_empty(scaled)) {
		buf_add(buf, set_count(&profiles) > 0 ? SV(", ") : SV(""));
		buf_add(buf, scaled);
	} else if (machines > 0) {
		buf_add(buf, set_count(&profiles) > 0 ? SV(", ") : SV(""));
		buf_add(buf, is_exact ? SV("") : SV("at least "));
		render_count(buf, machines, "machine", "machines");
	}
	buf_add_char(buf, ')');
}

/* ---- the whole --------------------------------------------------------------------------- */

static sv heading_of(struct arena *arena, const struct report_summary *summary,
                     const struct report_group *group)
{
	struct buf buf = buf_in(arena);

	add_change(&buf, group, HEADING_FIELDS);
	buf_add(&buf, buf.len > 0 ? SV(" in ") : SV(""));
	add_place(&buf, summary, group);
	add_scope(&buf, summary, group);
	return buf_sv(&buf);
}

static void add_example(struct arena *arena, const struct report_summary *summary,
                        struct report_group *group)
{
	const struct report_unit *row = &summary->units.items[group->units[0]];

	group->heading =
	    ARENA_CONCAT(arena, group->heading, SV(", such as "), report_unit_name(arena, row));
}

/* The groups with one heading. */
struct same_heading {
	struct report_group *first;
	bool has_example; /* the first group names a unit */
};

/* Groups that differ only in what a heading does not show get the name of their first unit. */
void report_name_groups(struct arena *arena, struct report_summary *summary)
{
	struct map known = map_in(arena);

	VEC_EACH (group, &summary->groups) {
		group->heading = heading_of(arena, summary, group);
		sv key =
		    ARENA_CONCAT(arena, report_class_word(group->class), SV(": "), group->heading);
		struct same_heading *same = map_get(&known, key);

		if (!same) {
			same = ARENA_NEW(arena, struct same_heading);
			*same = (struct same_heading){.first = group};
			map_put(&known, key, same);
			continue;
		}
		if (!same->has_example)
			add_example(arena, summary, same->first);
		same->has_example = true;
		add_example(arena, summary, group);
	}
}
