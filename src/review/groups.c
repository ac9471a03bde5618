/*
 * Makes groups of the changes that were collected. Changes with the same fields are one group,
 * whatever the text around the lines that differ, if these fields show all of the lines or what is
 * left of them is equal, too.
 */
#include "review/internal.h"

#include <inttypes.h>

/* ---- groups ------------------------------------------------------------------------------ */

struct finishing {
	struct arena *arena;
	struct report_summary *summary;
	struct map merged; /* struct merged by each of its keys */
	VEC(struct merged *) merged_list;
	bool ignores_inputs; /* as a shallow clone does, which has no manifests before */
};

/* Changes that are one group. */
struct merged {
	enum report_class class;
	struct review_fields fields;
	struct review_places units;
	struct set shown; /* the lines that the diff changes, as they are in each form */
	struct buf diff;
	bool diff_leaves_out;
};

/* Returns a string of an input as the normal form has it. */
static sv visible(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	report_add_visible(&buf, text);
	return buf_sv(&buf);
}

static size_t count_clusters(struct arena *arena, const struct report_summary *summary,
                             const struct review_places *units)
{
	struct set known = set_in(arena);

	VEC_EACH (place, units)
		set_add(&known, summary->units.items[*place].cluster);
	return set_count(&known);
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
		buf_add_item(buf, i == 0 ? sv_from_cstr(verb) : SV(""));
		buf_add(buf, names->items[i]);
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
	*ret_field = (struct report_field){.name = SV("replicas"),
	                                   .before = number_text(f->arena, scale->before),
	                                   .after = number_text(f->arena, scale->after)};
	return true;
}

static void add_group(struct finishing *f, const struct merged *merged)
{
	const struct review_fields *known = &merged->fields;
	const struct review_places *units = &merged->units;
	struct review_names names = review_common_names(f->summary, units);
	size_t count = known->count;
	struct report_field *fields = ARENA_ARRAY(f->arena, struct report_field, count + 3);
	sv effect = merged->class == REPORT_CLASS_UNKNOWN
	                ? common_reason(f->summary, units)
	                : effect_of(f->arena, &f->summary->units.items[units->items[0]]);
	struct report_field scale;

	for (size_t i = 0; i < count; i++)
		fields[i] = known->items[i];
	if (count == 0 && (merged->class != REPORT_CLASS_ROLL || sv_empty(effect)))
		fields[count++] = describe(merged->class);
	if (!sv_empty(effect)) {
		memmove(fields + 1, fields, count++ * sizeof(*fields));
		fields[0] = (struct report_field){.name = effect};
	}
	if (find_scale(f, known, units, &scale)) {
		memmove(fields + 1, fields, count++ * sizeof(*fields));
		fields[0] = scale;
	}
	for (size_t i = 0; i < count; i++)
		fields[i] = (struct report_field){
		    .name = review_shown(f->arena, fields[i].name, &names),
		    .before = review_shown(f->arena, fields[i].before, &names),
		    .after = review_shown(f->arena, fields[i].after, &names),
		    .is_detail = fields[i].is_detail,
		};
	VEC_PUSH(f->arena, &f->summary->groups,
	         (struct report_group){
	             .class = merged->class,
	             .fields = fields,
	             .field_count = count,
	             .diff = buf_sv(&merged->diff),
	             .diff_leaves_out = merged->diff_leaves_out,
	             .units = units->items,
	             .unit_count = units->count,
	             .cluster_count = count_clusters(f->arena, f->summary, units),
	         });
}

/* ---- changes that are one ------------------------------------------------------------------ */

static bool has_values(const struct report_field *field)
{
	return !sv_empty(field->before) || !sv_empty(field->after);
}

static bool has_inputs(const struct finishing *f, const struct report_unit *row)
{
	/* Without the effect of a change its causes are unknown, too: none is named. */
	return row->input_field_count > 0 && !f->ignores_inputs &&
	       row->class != REPORT_CLASS_UNKNOWN;
}

/* Returns true if a field has the name, or the values of the setting that becomes a fact. */
static bool is_shown(const struct review_fields *fields, size_t count,
                     const struct report_field *field, bool is_setting)
{
	for (size_t i = 0; i < count; i++) {
		const struct report_field *other = &fields->items[i];
		bool is_same =
		    sv_eq(other->before, field->before) && sv_eq(other->after, field->after);

		if (sv_eq(other->name, field->name) || (is_setting && is_same && has_values(field)))
			return true;
	}
	return false;
}

/* Adds what differs in the row's inputs, unless the fields show it. */
static void add_input_fields(struct finishing *f, const struct report_unit *row,
                             struct review_fields *fields)
{
	size_t count = fields->count;

	for (size_t i = 0; has_inputs(f, row) && i < row->input_field_count; i++) {
		const struct report_field field = {
		    .name = visible(f->arena, row->input_fields[i].name),
		    .before = visible(f->arena, row->input_fields[i].before),
		    .after = visible(f->arena, row->input_fields[i].after),
		};

		if (!is_shown(fields, count, &field, i < row->setting_count))
			VEC_PUSH(f->arena, fields, field);
	}
}

/*
 * Returns the fields of a unit's change: those of the change that have values, what differs in the
 * unit's inputs, then the others. A field that is only the first line that differs gives way.
 */
static struct review_fields fields_of(struct finishing *f, const struct review_entry *change,
                                      const struct report_unit *row)
{
	struct review_fields fields = {0};
	bool is_better = !change->is_line || !has_inputs(f, row);

	VEC_EACH (field, &change->fields)
		if (is_better && has_values(field))
			VEC_PUSH(f->arena, &fields, *field);
	add_input_fields(f, row, &fields);
	VEC_EACH (field, &change->fields)
		if (is_better && !has_values(field))
			VEC_PUSH(f->arena, &fields, *field);
	return fields;
}

static void add_fields_key(struct buf *key, const struct review_fields *fields)
{
	VEC_EACH (field, fields)
		buf_printf(key, "\n%.*s: %.*s -> %.*s", SV_ARG(field->name), SV_ARG(field->before),
		           SV_ARG(field->after));
	buf_add_char(key, '\n');
}

/* Returns what two units must have in common to be of one group, in normal form. */
static sv merge_key(struct finishing *f, const struct review_fields *fields,
                    enum report_class class, const struct report_unit *row)
{
	struct buf key = buf_in(f->arena);

	buf_printf(&key, "%d %d %" PRId64 " %" PRId64 "\n", class, row->scale.changes,
	           row->scale.before, row->scale.after);
	buf_add(&key, class == REPORT_CLASS_UNKNOWN ? SV("") : effect_of(f->arena, row));
	add_fields_key(&key, fields);
	return buf_sv(&key);
}

/* Appends the diff of a change, unless another one of the group changes the same lines. */
static void add_form(struct finishing *f, struct merged *merged, const struct review_entry *change,
                     const struct review_names *own, const struct review_places *units)
{
	struct review_names names = review_common_names(f->summary, units);
	sv lines = review_changed_lines(f->arena, change->form);
	sv plain = review_shown(f->arena, lines, own);
	bool is_known = set_has(&merged->shown, lines) || set_has(&merged->shown, plain);

	set_add(&merged->shown, lines);
	set_add(&merged->shown, plain);
	if (is_known)
		return;
	buf_add(&merged->diff, review_shown(f->arena, change->form, &names));
	merged->diff_leaves_out |= review_leaves_out(change->form);
}

/* One change, or the part of its units that have the same class and template. */
struct part {
	const struct review_entry *change;
	const struct report_unit *first; /* the unit of the change's fields */
	enum report_class class;
	struct review_places units;
};

/*
 * Adds units to the group that they are a part of. A name that happens to be a word of a file has a
 * mark there: changes are one, too, if they are equal with the names of their first units.
 */
static void merge(struct finishing *f, const struct part *part)
{
	const struct review_names own = {part->first->name, part->first->cluster,
	                                 part->first->namespace};
	const struct report_unit *row = &f->summary->units.items[part->units.items[0]];
	struct review_fields fields = fields_of(f, part->change, row);
	sv key = merge_key(f, &fields, part->class, row);
	sv normal = ARENA_CONCAT(f->arena, key, part->change->rest.normal);
	sv plain =
	    ARENA_CONCAT(f->arena, review_shown(f->arena, key, &own), part->change->rest.plain);
	struct merged *merged = map_get(&f->merged, normal);

	if (!merged)
		merged = map_get(&f->merged, plain);
	if (!merged) {
		merged = ARENA_NEW(f->arena, struct merged);
		*merged = (struct merged){.class = part->class,
		                          .fields = fields,
		                          .shown = set_in(f->arena),
		                          .diff = buf_in(f->arena)};
		VEC_PUSH(f->arena, &f->merged_list, merged);
	}
	map_put(&f->merged, normal, merged);
	map_put(&f->merged, plain, merged);
	VEC_EACH (place, &part->units)
		VEC_PUSH(f->arena, &merged->units, *place);
	add_form(f, merged, part->change, &own, &part->units);
}

/* Adds the units of a change, parted by what the change's form does not have. */
static void add_change(struct finishing *f, const struct review_entry *change, const size_t *places)
{
	struct map parts = map_in(f->arena);
	struct review_places all = {0};

	VEC_EACH (place, &change->places)
		VEC_PUSH(f->arena, &all, places[*place]);
	review_sort_places(&all);
	VEC_EACH (place, &all) {
		const struct report_unit *row = &f->summary->units.items[*place];
		struct review_fields fields = {0};
		struct buf key = buf_in(f->arena);

		buf_printf(&key, "%d", row->class);
		add_input_fields(f, row, &fields);
		add_fields_key(&key, &fields);
		struct part *part = map_get(&parts, buf_sv(&key));
		if (!part) {
			part = ARENA_NEW(f->arena, struct part);
			*part = (struct part){change,
			                      &f->summary->units.items[places[change->first]],
			                      row->class,
			                      {0}};
			map_put(&parts, buf_sv(&key), part);
		}
		VEC_PUSH(f->arena, &part->units, *place);
	}
	for (size_t i = 0; i < parts.count; i++)
		merge(f, parts.entries[i].value);
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
	struct review_fields fields;
	struct review_places units;
};

static sv shown_number(struct arena *arena, int64_t number)
{
	return number < 0 ? SV("none") : number_text(arena, number);
}

/* Returns the words for a unit of which no clear file changes. */
static sv describe_rest(struct finishing *f, const struct report_unit *row)
{
	sv effect = effect_of(f->arena, row);
	sv name = describe_sealed(row);

	if (row->class == REPORT_CLASS_ROLL && row->input_field_count > row->setting_count &&
	    !f->ignores_inputs)
		name = SV("");
	if (!sv_empty(effect))
		name = row->class == REPORT_CLASS_ROLL
		           ? effect
		           : ARENA_CONCAT(f->arena, effect, SV(", "), name);
	if (!row->scale.changes)
		return name;
	bool is_all = row->class == REPORT_CLASS_SCALE || sv_empty(name);
	return ARENA_CONCAT(f->arena, SV("replicas "), shown_number(f->arena, row->scale.before),
	                    SV(" -> "), shown_number(f->arena, row->scale.after),
	                    is_all ? SV("") : SV(", "), is_all ? SV("") : name);
}

static struct rest *rest_of(struct finishing *f, struct map *rests, const struct report_unit *row)
{
	sv name = describe_rest(f, row);
	struct review_fields fields = {0};
	struct buf key = buf_in(f->arena);

	if (!sv_empty(name))
		VEC_PUSH(f->arena, &fields, (struct report_field){.name = name});
	add_input_fields(f, row, &fields);
	buf_add(&key, report_class_word(row->class));
	add_fields_key(&key, &fields);
	struct rest *rest = map_get(rests, buf_sv(&key));
	if (!rest) {
		rest = ARENA_NEW(f->arena, struct rest);
		*rest = (struct rest){row->class, fields, {0}};
		map_put(rests, buf_sv(&key), rest);
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

		VEC_PUSH(f->arena, &f->summary->groups,
		         (struct report_group){
		             .class = rest->class,
		             .fields = rest->fields.items,
		             .field_count = rest->fields.count,
		             .units = rest->units.items,
		             .unit_count = rest->units.count,
		             .cluster_count = count_clusters(f->arena, summary, &rest->units),
		         });
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

void review_make_groups(struct arena *arena, struct review_entry *const *changes, size_t count,
                        const size_t *places, struct report_summary *summary, bool ignores_inputs)
{
	struct finishing f = {.arena = arena,
	                      .summary = summary,
	                      .merged = map_in(arena),
	                      .ignores_inputs = ignores_inputs};

	for (size_t i = 0; i < count; i++)
		if (!changes[i]->is_new)
			add_change(&f, changes[i], places);
	VEC_EACH (merged, &f.merged_list) {
		struct review_places *units = &(*merged)->units;

		review_sort_places(units);
		add_group(&f, *merged);
	}
	add_rest(&f);
	if (summary->groups.count > 0)
		sort_stable(summary->groups.items, summary->groups.count,
		            sizeof(*summary->groups.items), compare_groups, NULL);
	report_name_groups(arena, summary);
}
