/*
 * Units with another number of machines: the output's applier deletes or adds some. A deleted
 * machine is as lost as those of a removed unit, so these units are named beside the removed ones,
 * whatever else happens to them.
 */
#include "report/render.h"

#include "tmpl/tmpl.h"

#include <inttypes.h>

/* ---- one unit ------------------------------------------------------------------------------ */

int64_t render_row_machines(const struct report_unit *row)
{
	const struct report_scale *scale = &row->scale;

	if (row->class == REPORT_CLASS_SCALE)
		return scale->before < 0 || scale->after < 0 ? REPORT_REPLICAS_UNKNOWN
		                                             : scale->fewer + scale->more;
	return scale->changes && row->replicas >= 0 && scale->before > row->replicas
	           ? scale->before
	           : row->replicas;
}

static void add_number(struct buf *buf, int64_t number)
{
	if (number < 0)
		BUF_ADD_LIT(buf, "none");
	else
		buf_printf(buf, "%" PRId64, number);
}

/* Appends "replicas 10 -> 0". */
static void add_numbers(struct buf *buf, const struct report_scale *scale)
{
	BUF_ADD_LIT(buf, "replicas ");
	add_number(buf, scale->before);
	BUF_ADD_LIT(buf, " -> ");
	add_number(buf, scale->after);
}

sv render_scale_effect(struct arena *arena, const struct report_scale *scale)
{
	struct buf buf = buf_in(arena);

	if (scale->fewer > 0) {
		render_count(&buf, (size_t)scale->fewer, "machine is", "machines are");
		BUF_ADD_LIT(&buf, " deleted");
	}
	if (scale->more > 0) {
		buf_add_item(&buf, SV(""));
		render_count(&buf, (size_t)scale->more, "machine is", "machines are");
		BUF_ADD_LIT(&buf, " added");
	}
	if (buf.len == 0 && scale->before < 0)
		return SV("the cluster's own number is replaced, and machines may be deleted");
	if (buf.len == 0)
		return SV("the cluster sets 1 unless another manager has the number, and machines "
		          "may be deleted");
	return buf_sv(&buf);
}

sv report_scale_text(struct arena *arena, const struct report_scale *scale)
{
	struct buf buf = buf_in(arena);

	add_numbers(&buf, scale);
	BUF_ADD_LIT(&buf, ": ");
	buf_add(&buf, render_scale_effect(arena, scale));
	return buf_sv(&buf);
}

/* ---- all units ----------------------------------------------------------------------------- */

/* The units with fewer machines, with more, or with a number that is not known. */
struct scaled {
	size_t units;
	int64_t machines;
	struct report_scale numbers; /* their sums */
};

/* Returns the sum, or REPORT_REPLICAS_UNKNOWN if one of the numbers is. */
static int64_t sum_of(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? REPORT_REPLICAS_UNKNOWN : a + b;
}

static void count_scaled(struct scaled *scaled, const struct report_scale *scale, int64_t machines)
{
	scaled->units++;
	scaled->machines += machines;
	scaled->numbers.before = sum_of(scaled->numbers.before, scale->before);
	scaled->numbers.after = sum_of(scaled->numbers.after, scale->after);
}

static void add_scaled(struct arena *arena, struct value *effects, const char *kind,
                       const struct scaled *scaled)
{
	if (scaled->units > 0)
		value_list_add(arena, effects,
		               VALUE_MAP(arena, {"scale", tmpl_word(sv_from_cstr(kind))},
		                         {"units", value_size(scaled->units)},
		                         {"machines", value_int(scaled->machines)},
		                         {"before", value_int_or_null(scaled->numbers.before)},
		                         {"after", value_int_or_null(scaled->numbers.after)}));
}

void render_add_scales(struct arena *arena, const struct report_summary *summary,
                       struct value *effects)
{
	struct scaled fewer = {0};
	struct scaled more = {0};
	struct scaled open = {0};

	VEC_EACH (row, &summary->units) {
		const struct report_scale *scale = &row->scale;

		if (scale->fewer > 0)
			count_scaled(&fewer, scale, scale->fewer);
		if (scale->more > 0)
			count_scaled(&more, scale, scale->more);
		if (scale->changes && scale->fewer == 0 && scale->more == 0)
			count_scaled(&open, scale, 0);
	}
	add_scaled(arena, effects, "fewer", &fewer);
	add_scaled(arena, effects, "more", &more);
	add_scaled(arena, effects, "open", &open);
}

void render_add_manifest_scale(struct arena *arena, const struct report_summary *summary,
                               struct value *effects)
{
	struct scaled all = {0};

	VEC_EACH (row, &summary->units)
		if (row->in_manifest.changes)
			count_scaled(&all, &row->in_manifest, 0);
	add_scaled(arena, effects, "manifest", &all);
}
