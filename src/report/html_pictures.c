/*
 * The pictures of the HTML report: bars, each with its label and its numbers, which hold all that a
 * bar shows. So they are read without colour, on a phone and aloud.
 */
#include "report/tree.h"

#include "tmpl/tmpl.h"

#include <inttypes.h>

enum {
	BARS_SHOWN = 12,
	TENTHS = 11, /* the last one is for user-data above its limit */
};

/* A bar: its parts, by class where they have one. */
struct bar {
	sv label;
	size_t parts[RENDER_CLASSES];
	size_t total;
};
VEC_TYPE(bars, struct bar);

static int compare_bars(const void *a, const void *b, void *context)
{
	const struct bar *first = a;
	const struct bar *second = b;

	(void)context;
	if (first->total != second->total)
		return first->total < second->total ? 1 : -1;
	return sv_cmp(first->label, second->label);
}

/* Machines of each cluster by class. Clusters that change come first. */
static struct bars clusters_of(struct arena *arena, const struct report_summary *summary)
{
	struct render_matrix matrix = render_matrix_of(arena, summary);
	struct bars bars = {0};

	for (int changes = 1; changes >= 0; changes--) {
		size_t from = bars.count;

		VEC_EACH (cluster, &matrix.clusters) {
			struct bar bar = {.label = (*cluster)->name};

			if ((*cluster)->changes != (changes == 1))
				continue;
			for (size_t i = 0; i < RENDER_CLASSES; i++) {
				bar.parts[i] = (*cluster)->classes[i].machines;
				bar.total += bar.parts[i];
			}
			if (bar.total > 0)
				VEC_PUSH(arena, &bars, bar);
		}
		if (bars.count > from)
			sort_stable(bars.items + from, bars.count - from, sizeof(*bars.items),
			            compare_bars, NULL);
	}
	return bars;
}

/* Units by the tenth of the limit that their user-data takes. */
static struct bars budgets_of(struct arena *arena, const struct report_summary *summary)
{
	size_t counts[TENTHS] = {0};
	size_t first = TENTHS;
	size_t last = 0;
	struct bars bars = {0};

	VEC_EACH (row, &summary->units) {
		if (row->bootstrap_limit == 0)
			continue;
		size_t tenth = row->bootstrap_bytes * 10 / row->bootstrap_limit;

		/* A full one is not above its limit. */
		if (row->bootstrap_bytes == row->bootstrap_limit)
			tenth--;
		tenth = tenth < TENTHS ? tenth : TENTHS - 1;
		counts[tenth]++;
		first = tenth < first ? tenth : first;
		last = tenth > last ? tenth : last;
	}
	for (size_t i = first; i < TENTHS && i <= last; i++) {
		sv label = i == TENTHS - 1 ? SV("above the limit")
		                           : arena_printf(arena, "%zu-%zu %%", i * 10, i * 10 + 10);

		VEC_PUSH(arena, &bars, (struct bar){.label = label, .total = counts[i]});
	}
	return bars;
}

/* Machines by the version of their kubelet. */
static struct bars versions_of(struct arena *arena, const struct report_summary *summary)
{
	struct map known = map_in(arena);
	struct bars bars = {0};

	VEC_EACH (row, &summary->units) {
		size_t *total = map_get(&known, row->kubelet_version);

		if (sv_empty(row->kubelet_version) || row->class == REPORT_CLASS_REMOVE ||
		    row->replicas == REPORT_REPLICAS_UNKNOWN)
			continue;
		if (!total) {
			total = ARENA_NEW(arena, size_t);
			*total = 0;
			map_put(&known, row->kubelet_version, total);
		}
		*total += (size_t)row->replicas;
	}
	for (size_t i = 0; i < known.count; i++)
		VEC_PUSH(arena, &bars,
		         (struct bar){.label = known.entries[i].key,
		                      .total = *(const size_t *)known.entries[i].value});
	if (bars.count > 0)
		sort_stable(bars.items, bars.count, sizeof(*bars.items), compare_bars, NULL);
	return bars;
}

/* Machines by the steps of the roll-out in which they are replaced, if it has several. */
static struct bars steps_of(struct arena *arena, const struct report_summary *summary)
{
	const struct value steps = render_steps_value(arena, summary);
	struct bars bars = {0};

	for (size_t i = 0; value_count(&steps) > 1 && i < value_count(&steps); i++) {
		const struct value *step = value_item(&steps, i);
		int64_t from = value_map_get(step, SV("from"))->integer;
		int64_t to = value_map_get(step, SV("to"))->integer;
		sv label = from == to ? arena_printf(arena, "step %" PRId64, from)
		                      : arena_printf(arena, "steps %" PRId64 "-%" PRId64, from, to);

		VEC_PUSH(
		    arena, &bars,
		    (struct bar){.label = label,
		                 .total = (size_t)value_map_get(step, SV("machines"))->integer});
	}
	return bars;
}

/* ---- as values --------------------------------------------------------------------------- */

static struct value bar_value(struct tree *t, const struct bar *bar)
{
	struct value parts = value_list_new(t->arena);

	for (size_t i = 0; i < RENDER_CLASSES; i++) {
		size_t size = bar->parts[render_by_weight[i]];

		if (size > 0)
			value_list_add(
			    t->arena, &parts,
			    VALUE_MAP(t->arena,
			              {"class", tmpl_word(report_class_word(render_by_weight[i]))},
			              {"size", value_size(size)}));
	}
	return VALUE_MAP(t->arena, {"label", tree_masked(t, bar->label)}, {"parts", parts},
	                 {"total", value_size(bar->total)});
}

static struct value picture_value(struct tree *t, const struct bars *bars)
{
	struct value list = value_list_new(t->arena);
	size_t longest = 1;

	if (bars->count == 0)
		return VALUE_INVALID;
	VEC_EACH (bar, bars) {
		longest = bar->total > longest ? bar->total : longest;
		if (value_count(&list) < BARS_SHOWN)
			value_list_add(t->arena, &list, bar_value(t, bar));
	}
	return VALUE_MAP(t->arena, {"bars", list}, {"longest", value_size(longest)},
	                 {"more", value_size((bars->count - value_count(&list)))});
}

struct value html_pictures(struct tree *t)
{
	const struct report_summary *summary = t->summary;
	struct bars clusters = {0};
	struct bars versions = versions_of(t->arena, summary);
	struct bars budgets = budgets_of(t->arena, summary);
	struct bars steps = steps_of(t->arena, summary);

	if (render_has_classes(summary) && !summary->is_first)
		clusters = clusters_of(t->arena, summary);
	return VALUE_MAP(t->arena, {"steps", picture_value(t, &steps)},
	                 {"clusters", picture_value(t, &clusters)},
	                 {"versions", picture_value(t, &versions)},
	                 {"budgets", picture_value(t, &budgets)});
}
