/*
 * What reports say of groups and notes, in words.
 */
#include "report/render.h"

static void add_units(struct buf *buf, const struct report_summary *summary, size_t count)
{
	render_number(buf, count);
	buf_add_char(buf, ' ');
	buf_add(buf, summary->unit_kind);
	buf_add(buf, count == 1 ? SV("") : SV("s"));
}

/* The units' machines; false when of one it is not known. */
static bool count_machines(const struct report_summary *summary, const size_t *units, size_t count,
                           size_t *ret_machines)
{
	bool is_exact = true;
	size_t machines = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t replicas = summary->units.items[units[i]].replicas;

		is_exact &= replicas >= 0;
		machines += replicas > 0 ? (size_t)replicas : 0;
	}
	*ret_machines = machines;
	return is_exact;
}

sv render_group_title(struct arena *arena, const struct report_summary *summary,
                      const struct report_group *group)
{
	struct buf buf = buf_in(arena);
	size_t machines;
	bool is_exact = count_machines(summary, group->units, group->unit_count, &machines);

	if (group->unit_count == 1) {
		const struct report_unit *row = &summary->units.items[group->units[0]];

		buf_add(&buf, ARENA_CONCAT(arena, row->cluster, SV("/"), row->namespace, SV("/"),
		                           row->name));
	} else {
		BUF_ADD_LIT(&buf, "the same in ");
		add_units(&buf, summary, group->unit_count);
		BUF_ADD_LIT(&buf, " of ");
		render_count(&buf, group->cluster_count, "cluster", "clusters");
	}
	if (machines > 0) {
		BUF_ADD_LIT(&buf, ", ");
		render_number(&buf, machines);
		buf_add(&buf, is_exact ? SV("") : SV("+"));
		buf_add(&buf, machines == 1 ? SV(" machine") : SV(" machines"));
	}
	return buf_sv(&buf);
}

void render_note_units(struct buf *buf, const struct report_summary *summary,
                       const struct report_note *note)
{
	BUG_ON(note->unit_count == 0);
	const struct report_unit *row = &summary->units.items[note->units[0]];

	if (note->unit_count == 1) {
		report_add_visible(buf, ARENA_CONCAT(buf->arena, row->cluster, SV("/"),
		                                     row->namespace, SV("/"), row->name));
		return;
	}
	BUF_ADD_LIT(buf, "in ");
	add_units(buf, summary, note->unit_count);
}
