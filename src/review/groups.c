/*
 * Makes groups and notes of the changes that were collected.
 */
#include "review/internal.h"

#include <inttypes.h>

/* ---- groups ------------------------------------------------------------------------------ */

struct finishing {
	struct arena *arena;
	struct report_summary *summary;
	struct map notes; /* struct note by title and text */
	VEC(struct note *) note_list;
};

struct note {
	sv title;
	sv text;
	struct review_places units;
};

static int compare_numbers(const void *a, const void *b, void *context)
{
	const size_t *left = a;
	const size_t *right = b;

	(void)context;
	return (*left > *right) - (*left < *right);
}

/* Returns the fields that all units of the group have in common. */
static struct review_names common_names(const struct report_summary *summary,
                                        const struct review_places *units)
{
	const struct report_unit *first = &summary->units.items[units->items[0]];
	struct review_names names = {first->name, first->cluster, first->namespace};

	VEC_EACH (place, units) {
		const struct report_unit *row = &summary->units.items[*place];

		if (!sv_eq(row->name, names.name))
			names.name = (sv){0};
		if (!sv_eq(row->cluster, names.cluster))
			names.cluster = (sv){0};
		if (!sv_eq(row->namespace, names.namespace))
			names.namespace = (sv){0};
	}
	return names;
}

static sv shown(struct arena *arena, sv normal, const struct review_names *names)
{
	struct buf buf = buf_in(arena);

	review_add_shown(&buf, normal, names);
	return buf_sv(&buf);
}

static size_t count_clusters(struct arena *arena, const struct report_summary *summary,
                             const struct review_places *units)
{
	struct map known = map_in(arena);

	VEC_EACH (place, units)
		map_put(&known, summary->units.items[*place].cluster, &known);
	return known.count;
}

/* Returns a description for a change without fields: only a unit's own annotations differ. */
static struct report_field describe(enum report_class class)
{
	return (struct report_field){.name = class == REPORT_CLASS_ROLL
	                                         ? SV("spec.template changed")
	                                         : SV("annotations changed")};
}

/* Appends "restarts a.service, b.service" and "stops c.service", after other words if any. */
static void add_names(struct buf *buf, const char *verb, const struct report_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		buf_printf(buf, "%s%s%.*s", buf->len > 0 ? ", " : "", i == 0 ? verb : "",
		           SV_ARG(names->items[i]));
	}
}

static sv describe_unknown(const struct report_unit *row)
{
	return sv_empty(row->reason) ? SV("secrets are not compared without the seed")
	                             : row->reason;
}

/* Returns why the class of these units is unknown, if all have the same reason. */
static sv common_reason(const struct report_summary *summary, const struct review_places *units)
{
	sv reason = describe_unknown(&summary->units.items[units->items[0]]);

	VEC_EACH (place, units)
		if (!sv_eq(describe_unknown(&summary->units.items[*place]), reason))
			return SV("secrets are not compared without the seed");
	return reason;
}

/*
 * Returns what running machines do as they apply a change, or why they roll if the unit's own
 * template is not the reason; else an empty string.
 */
static sv effect_of(struct arena *arena, const struct report_unit *row)
{
	struct buf buf = buf_in(arena);

	if (row->class != REPORT_CLASS_IN_PLACE && row->class != REPORT_CLASS_ROLL)
		return (sv){0};
	if (row->class == REPORT_CLASS_ROLL)
		buf_add(&buf, row->reason);
	add_names(&buf, "restarts ", &row->restarts);
	add_names(&buf, "stops ", &row->stops);
	return buf.len > 0 || row->class == REPORT_CLASS_ROLL ? buf_sv(&buf)
	                                                      : SV("restarts no unit");
}

/* Returns "10", or an empty string for no number. */
static sv number_text(struct arena *arena, int64_t number)
{
	return number < 0 ? SV("") : arena_printf(arena, "%" PRId64, number);
}

/*
 * Sets the field "replicas: 3 -> 5" if all units have these two numbers. Returns false if the
 * numbers differ or another field shows them.
 */
static bool find_scale(struct finishing *f, const struct review_fields *fields,
                       const struct review_places *units, struct report_field *ret_field)
{
	const struct report_unit *rows = f->summary->units.items;
	const struct report_scale *scale = &rows[units->items[0]].scale;

	VEC_EACH (field, fields)
		if (sv_eq(field->name, SV("replicas")))
			return false;
	VEC_EACH (place, units)
		if (!rows[*place].scale.changes || rows[*place].scale.before != scale->before ||
		    rows[*place].scale.after != scale->after)
			return false;
	*ret_field = (struct report_field){SV("replicas"), number_text(f->arena, scale->before),
	                                   number_text(f->arena, scale->after)};
	return true;
}

static void add_group(struct finishing *f, const struct review_entry *change,
                      enum report_class class, const struct review_places *units)
{
	struct review_names names = common_names(f->summary, units);
	size_t count = change->fields.count;
	struct report_field *fields = ARENA_ARRAY(f->arena, struct report_field, count + 3);
	sv effect = class == REPORT_CLASS_UNKNOWN
	                ? common_reason(f->summary, units)
	                : effect_of(f->arena, &f->summary->units.items[units->items[0]]);
	struct report_field scale;

	for (size_t i = 0; i < count; i++)
		fields[i] = change->fields.items[i];
	if (count == 0 && (class != REPORT_CLASS_ROLL || sv_empty(effect)))
		fields[count++] = describe(class);
	if (!sv_empty(effect)) {
		memmove(fields + 1, fields, count++ * sizeof(*fields));
		fields[0] = (struct report_field){.name = effect};
	}
	if (find_scale(f, &change->fields, units, &scale)) {
		memmove(fields + 1, fields, count++ * sizeof(*fields));
		fields[0] = scale;
	}
	for (size_t i = 0; i < count; i++)
		fields[i] = (struct report_field){shown(f->arena, fields[i].name, &names),
		                                  shown(f->arena, fields[i].before, &names),
		                                  shown(f->arena, fields[i].after, &names)};
	VEC_PUSH(f->arena, &f->summary->groups,
	         (struct report_group){
	             .class = class,
	             .fields = fields,
	             .field_count = count,
	             .diff = shown(f->arena, change->form, &names),
	             .diff_leaves_out = review_leaves_out(change->form),
	             .units = units->items,
	             .unit_count = units->count,
	             .cluster_count = count_clusters(f->arena, f->summary, units),
	         });
}

/* ---- units whose clear files stay ---------------------------------------------------------- */

/* Returns what changes in units of which no clear file changes. */
static sv describe_sealed(const struct report_unit *row)
{
	enum report_class class = row->class;
	unsigned sealed = row->sealed;

	if (class == REPORT_CLASS_ROLL)
		return SV("spec.template changed");
	if (class == REPORT_CLASS_UNKNOWN)
		return describe_unknown(row);
	if (sealed & REPORT_SEALED_VALUE)
		return SV("sealed values changed");
	if (sealed & REPORT_SEALED_RECIPIENTS)
		return SV("recipients changed");
	if (sealed & REPORT_SEALED_SEED)
		return SV("sealing seed changed");
	return sealed & REPORT_SEALED_UNKNOWN ? SV("sealed files changed")
	                                      : SV("only the form of files changed");
}

struct rest {
	enum report_class class;
	sv name;
	struct review_places units;
};

static sv shown_number(struct arena *arena, int64_t number)
{
	return number < 0 ? SV("none") : number_text(arena, number);
}

static struct rest *rest_of(struct finishing *f, struct map *rests, const struct report_unit *row)
{
	sv name = describe_sealed(row);
	sv effect = effect_of(f->arena, row);
	if (!sv_empty(effect))
		name = row->class == REPORT_CLASS_ROLL
		           ? effect
		           : ARENA_CONCAT(f->arena, effect, SV(", "), name);
	if (row->scale.changes)
		name = ARENA_CONCAT(f->arena, SV("replicas "),
		                    shown_number(f->arena, row->scale.before), SV(" -> "),
		                    shown_number(f->arena, row->scale.after),
		                    row->class == REPORT_CLASS_SCALE ? SV("") : SV(", "),
		                    row->class == REPORT_CLASS_SCALE ? SV("") : name);
	sv key = ARENA_CONCAT(f->arena, report_class_word(row->class), SV("\n"), name);
	struct rest *rest = map_get(rests, key);

	if (!rest) {
		rest = ARENA_NEW(f->arena, struct rest);
		*rest = (struct rest){row->class, name, {0}};
		map_put(rests, key, rest);
	}
	return rest;
}

/* Adds groups of the units that change and are in no group. */
static void add_rest(struct finishing *f)
{
	const struct report_summary *summary = f->summary;
	bool *grouped = ARENA_ARRAY(f->arena, bool, summary->units.count + 1);
	struct map rests = map_in(f->arena);

	VEC_EACH (group, &summary->groups)
		for (size_t i = 0; i < group->unit_count; i++)
			grouped[group->units[i]] = true;
	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_unit *row = &summary->units.items[i];

		if (grouped[i] ||
		    (row->change == REPORT_UNCHANGED && row->class != REPORT_CLASS_UNKNOWN) ||
		    row->class == REPORT_CLASS_ADD || row->class == REPORT_CLASS_REMOVE)
			continue;
		struct rest *rest = rest_of(f, &rests, row);
		VEC_PUSH(f->arena, &rest->units, i);
	}
	for (size_t i = 0; i < rests.count; i++) {
		const struct rest *rest = rests.entries[i].value;
		struct report_field *field = ARENA_NEW(f->arena, struct report_field);

		*field = (struct report_field){.name = rest->name};
		VEC_PUSH(f->arena, &f->summary->groups,
		         (struct report_group){
		             .class = rest->class,
		             .fields = field,
		             .field_count = 1,
		             .units = rest->units.items,
		             .unit_count = rest->units.count,
		             .cluster_count = count_clusters(f->arena, summary, &rest->units),
		         });
	}
}

static void collect_findings(struct finishing *f, const struct review_entry *change,
                             const struct review_places *units)
{
	VEC_EACH (finding, &change->findings) {
		sv key = ARENA_CONCAT(f->arena, finding->title, SV("\n"), finding->text);
		struct note *note = map_get(&f->notes, key);

		if (!note) {
			note = ARENA_NEW(f->arena, struct note);
			*note = (struct note){.title = finding->title, .text = finding->text};
			map_put(&f->notes, key, note);
			VEC_PUSH(f->arena, &f->note_list, note);
		}
		VEC_EACH (place, units)
			VEC_PUSH(f->arena, &note->units, *place);
	}
}

static void add_change(struct finishing *f, const struct review_entry *change, const size_t *places)
{
	struct review_places all = {0};

	VEC_EACH (place, &change->places)
		VEC_PUSH(f->arena, &all, places[*place]);
	sort_stable(all.items, all.count, sizeof(*all.items), compare_numbers, NULL);
	collect_findings(f, change, &all);
	if (change->is_new)
		return;
	for (int class = REPORT_CLASS_NONE; class <= REPORT_CLASS_REMOVE; class ++) {
		struct review_places units = {0};

		VEC_EACH (place, &all)
			if (f->summary->units.items[*place].class == (enum report_class) class)
				VEC_PUSH(f->arena, &units, *place);
		if (units.count > 0)
			add_group(f, change, (enum report_class) class, &units);
	}
}

/* Sorts by the worst class, then by the most units, then by the first unit. */
static int compare_groups(const void *a, const void *b, void *context)
{
	const struct report_group *left = a;
	const struct report_group *right = b;

	(void)context;
	if (left->class != right->class)
		return left->class < right->class ? 1 : -1;
	if (left->unit_count != right->unit_count)
		return left->unit_count < right->unit_count ? 1 : -1;
	return left->units[0] < right->units[0] ? -1 : 1;
}

/* ---- notes ------------------------------------------------------------------------------- */

static int compare_notes(const void *a, const void *b, void *context)
{
	const struct note *left = *(struct note *const *)a;
	const struct note *right = *(struct note *const *)b;
	int order = sv_cmp(left->title, right->title);

	(void)context;
	return order != 0 ? order : sv_cmp(left->text, right->text);
}

static void add_notes(struct finishing *f)
{
	if (f->note_list.count > 0)
		sort_stable(f->note_list.items, f->note_list.count, sizeof(*f->note_list.items),
		            compare_notes, NULL);
	VEC_EACH (item, &f->note_list) {
		struct note *note = *item;

		sort_stable(note->units.items, note->units.count, sizeof(*note->units.items),
		            compare_numbers, NULL);
		struct review_names names = common_names(f->summary, &note->units);
		VEC_PUSH(f->arena, &f->summary->notes,
		         (struct report_note){
		             .title = note->title,
		             .text = shown(f->arena, note->text, &names),
		             .units = note->units.items,
		             .unit_count = note->units.count,
		         });
	}
}

void review_finish(struct arena *arena, struct review *review, const size_t *places,
                   struct report_summary *summary)
{
	struct finishing f = {.arena = arena, .summary = summary, .notes = map_in(arena)};

	review_drop_forms(review, true);
	for (size_t i = 0; i < review->changes.count; i++)
		add_change(&f, review->changes.entries[i].value, places);
	add_rest(&f);
	if (summary->groups.count > 0)
		sort_stable(summary->groups.items, summary->groups.count,
		            sizeof(*summary->groups.items), compare_groups, NULL);
	report_name_groups(arena, summary);
	review_note_removals(arena, summary);
	review_note_replicas(arena, summary);
	review_note_deliveries(arena, summary);
	review_note_recipients(arena, summary);
	add_notes(&f);
	review_note_budgets(arena, summary);
}
