/*
 * The pictures of the HTML report: bars as inline SVG, each beside its label and its numbers, which
 * hold all that a bar shows. So they are read without colour, on a phone and aloud.
 */
#include "report/html.h"

enum {
	BARS_SHOWN = 12,
	BAR_WIDTH = 1000, /* in units of the picture; the page scales it */
	BAR_HEIGHT = 10,
	TENTHS = 11, /* the last one is for user-data above its limit */
};

/* A bar: its parts, by class where they have one. */
struct bar {
	sv label;
	size_t parts[RENDER_CLASSES]; /* by class; the first is for bars of one part */
	size_t total;
};
VEC_TYPE(bars, struct bar);

/* Appends "12 ROLL, 30 NONE", or the number of a bar without classes. */
static void add_numbers(struct buf *buf, const struct bar *bar, bool has_classes, const char *what)
{
	bool any = false;

	if (!has_classes) {
		render_number(buf, bar->total);
		buf_printf(buf, " %s%s", what, bar->total == 1 ? "" : "s");
		return;
	}
	for (size_t i = 0; i < RENDER_CLASSES; i++) {
		enum report_class class = render_by_weight[i];

		if (bar->parts[class] == 0)
			continue;
		buf_add(buf, any ? SV(", ") : SV(""));
		render_number(buf, bar->parts[class]);
		buf_add_char(buf, ' ');
		buf_add(buf, report_class_word(class));
		any = true;
	}
}

/* Appends a part of a bar, at least as wide as can be seen. */
static size_t add_part(struct buf *buf, size_t at, size_t size, size_t longest, sv class)
{
	enum { NARROWEST = 6, GAP = 2 };
	size_t width = size * BAR_WIDTH / longest;

	if (width < NARROWEST)
		width = NARROWEST;
	buf_printf(buf, "<rect class=\"bar-%.*s\" x=\"%zu\" width=\"%zu\" height=\"%d\"/>",
	           SV_ARG(class), at, width - GAP, BAR_HEIGHT);
	return at + width;
}

static void add_bar(struct buf *buf, const struct bar *bar, size_t longest, bool has_classes,
                    const char *what, const struct report_style *style)
{
	size_t at = 0;

	BUF_ADD_LIT(buf, "<tr><th scope=\"row\">");
	markup_text(buf, style, bar->label);
	/* Parts that are made wider can make the bar longer than the longest one. */
	buf_printf(buf,
	           "</th><td><svg class=\"bar\" viewBox=\"0 0 %d %d\" "
	           "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
	           BAR_WIDTH + 6 * RENDER_CLASSES, BAR_HEIGHT);
	for (size_t i = 0; has_classes && i < RENDER_CLASSES; i++) {
		enum report_class class = render_by_weight[i];

		if (bar->parts[class] > 0)
			at = add_part(buf, at, bar->parts[class], longest,
			              arena_lower_ascii(buf->arena, report_class_word(class)));
	}
	if (!has_classes && bar->total > 0)
		add_part(buf, at, bar->total, longest, SV("plain"));
	BUF_ADD_LIT(buf, "</svg><span class=\"soft\">");
	add_numbers(buf, bar, has_classes, what);
	BUF_ADD_LIT(buf, "</span></td></tr>\n");
}

static void add_picture(struct buf *buf, const char *title, const struct bars *bars,
                        bool has_classes, const char *what, const struct report_style *style)
{
	size_t longest = 1;

	if (bars->count == 0)
		return;
	VEC_EACH (bar, bars)
		longest = bar->total > longest ? bar->total : longest;
	buf_printf(buf, "<figure>\n<figcaption>%s</figcaption>\n<table>\n", title);
	for (size_t i = 0; i < bars->count && i < BARS_SHOWN; i++)
		add_bar(buf, &bars->items[i], longest, has_classes, what, style);
	BUF_ADD_LIT(buf, "</table>\n");
	if (bars->count > BARS_SHOWN)
		buf_printf(buf, "<p class=\"soft\">and %zu more</p>\n", bars->count - BARS_SHOWN);
	BUF_ADD_LIT(buf, "</figure>\n");
}

/* ---- the three pictures ------------------------------------------------------------------ */

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

void html_pictures(struct buf *buf, const struct report_summary *summary,
                   const struct report_style *style)
{
	bool has_classes = render_has_classes(summary) && !summary->is_first;
	struct bars clusters = {0};
	struct bars budgets = budgets_of(buf->arena, summary);
	struct bars versions = versions_of(buf->arena, summary);

	if (has_classes)
		clusters = clusters_of(buf->arena, summary);
	if (clusters.count + budgets.count + versions.count == 0)
		return;
	BUF_ADD_LIT(buf, "<section class=\"pictures\">\n<h2>The fleet</h2>\n");
	add_picture(buf, "Machines by cluster and class", &clusters, true, "machine", style);
	add_picture(buf, "Machines by version of the kubelet", &versions, false, "machine", style);
	add_picture(buf, "User-data, in parts of its limit", &budgets, false,
	            arena_cstr(buf->arena, summary->unit_kind), style);
	BUF_ADD_LIT(buf, "</section>\n");
}
