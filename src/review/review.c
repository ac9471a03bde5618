/*
 * Collects units on any thread, and makes groups and notes of them.
 */
#include "codec/codec.h"
#include "os/os.h"
#include "yaml/yaml.h"

#include "review/internal.h"

#include <inttypes.h>

/* Size limits of one change that is shown, and of all together. People do not read more. */
#define FORM_MAX  ((size_t)16 * 1024)
#define FORMS_MAX ((size_t)32 * 1024 * 1024)

VEC_TYPE(place_list, size_t);

/* One change, shared by all units with the same normal form. */
struct change {
	sv form;      /* empty if it was dropped, as there are too many */
	size_t first; /* the smallest place; fields and findings are of that unit */
	struct place_list places;
	struct review_fields fields;
	struct review_findings findings;
};

struct review {
	struct arena *arena;
	struct os_mutex *lock;
	struct map changes; /* by the digest of the form */
	size_t form_bytes;
	size_t forms_end; /* no form of a change that begins after this place is shown */
};

struct review *review_new(struct arena *arena)
{
	struct review *review = ARENA_NEW(arena, struct review);

	*review = (struct review){
	    .arena = arena,
	    .lock = os_mutex_new(),
	    .changes = map_in(arena),
	    .forms_end = SIZE_MAX,
	};
	return review;
}

void review_free(struct review *review)
{
	if (review)
		os_mutex_free(review->lock);
}

/* ---- one unit's change ------------------------------------------------------------------- */

static void look_into(struct arena *scratch, const struct review_unit *unit, struct change *change)
{
	struct review_finder finder = review_finder_in(scratch);

	for (size_t i = 0; i < unit->file_count; i++) {
		const struct review_file *file = &unit->files[i];
		const struct value *before =
		    yml_parse_one(scratch, SV("output"), file->before, false);
		const struct value *after =
		    yml_parse_one(scratch, SV("output"), file->after, false);

		review_find_rbac(&finder, before, after);
		if (!file->is_config || !before || !after || !unit->dialect->describe)
			continue;
		struct dialect_description was = {0};
		struct dialect_description is = {0};

		unit->dialect->describe(scratch, before, &was);
		unit->dialect->describe(scratch, after, &is);
		review_compare(scratch, unit, &was, &is, &change->fields);
		review_find(&finder, &was, &is);
	}
	VEC_EACH (finding, &finder.findings)
		VEC_PUSH(scratch, &change->findings,
		         (struct review_finding){finding->title,
		                                 review_normal_text(scratch, finding->text, unit)});
}

/* Adds the first line that differs as a field, unless only annotations of the unit's own do. */
static void add_first_line(struct arena *scratch, sv form, struct change *change)
{
	struct report_field field;

	if (review_first_line(form, &field))
		VEC_PUSH(scratch, &change->fields, field);
}

/* ---- collecting -------------------------------------------------------------------------- */

/* The caller holds the lock. */
static void keep(struct review *review, struct change *change, const struct change *found)
{
	struct arena *arena = review->arena;

	change->fields.count = 0;
	change->findings.count = 0;
	change->first = found->first;
	VEC_EACH (field, &found->fields)
		VEC_PUSH(arena, &change->fields,
		         (struct report_field){arena_dup(arena, field->name),
		                               arena_dup(arena, field->before),
		                               arena_dup(arena, field->after)});
	VEC_EACH (finding, &found->findings)
		VEC_PUSH(arena, &change->findings,
		         (struct review_finding){finding->title, arena_dup(arena, finding->text)});
}

/* Returns the beginning of the text, up to the end of a line. */
static sv shortened(struct arena *arena, sv form)
{
	if (form.len <= FORM_MAX)
		return form;
	sv head = sv_slice(form, 0, FORM_MAX);
	size_t end = sv_rfind_char(head, '\n');
	return ARENA_CONCAT(arena, sv_slice(head, 0, end == SV_NPOS ? 0 : end + 1),
	                    SV("... and more\n"));
}

/* Returns true if the change is known from a unit before this one. */
static bool count_in(struct review *review, sv key, size_t place)
{
	os_mutex_lock(review->lock);
	struct change *change = map_get(&review->changes, key);
	bool known = change && change->first < place;

	if (known)
		VEC_PUSH(review->arena, &change->places, place);
	os_mutex_unlock(review->lock);
	return known;
}

/* Returns the change with that key, a new one if need be. The caller holds the lock. */
static struct change *change_of(struct review *review, sv key)
{
	struct change *change = map_get(&review->changes, key);

	if (change)
		return change;
	change = ARENA_NEW(review->arena, struct change);
	*change = (struct change){.first = SIZE_MAX};
	map_put(&review->changes, arena_dup(review->arena, key), change);
	return change;
}

static int compare_firsts(const void *a, const void *b, void *context UNUSED)
{
	const struct change *left = *(struct change *const *)a;
	const struct change *right = *(struct change *const *)b;

	return (left->first > right->first) - (left->first < right->first);
}

/*
 * Leaves the forms of the first changes, as many as fit: drops one that does not fit, and all after
 * it. If all units are there, a change without a form ends them, too.
 */
static void drop_forms(struct review *review, bool are_all_there)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	size_t count = review->changes.count;
	struct change **sorted = ARENA_ARRAY(scratch, struct change *, count);
	bool is_over = false;

	review->form_bytes = 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = review->changes.entries[i].value;
	if (count > 0)
		sort_stable(sorted, count, sizeof(*sorted), compare_firsts, NULL);
	for (size_t i = 0; i < count; i++) {
		struct change *change = sorted[i];

		if (sv_empty(change->form)) {
			is_over |= are_all_there;
			continue;
		}
		is_over |= review->form_bytes + change->form.len > FORMS_MAX;
		if (!is_over) {
			review->form_bytes += change->form.len;
			continue;
		}
		if (change->first < review->forms_end)
			review->forms_end = change->first;
		change->form = (sv){0};
	}
}

/*
 * Keeps the form of a change whose first unit is set. The changes of the first units are shown, as
 * many as fit, no matter which thread came first. A dropped form comes back if a unit before
 * `forms_end` has it. Twice as many bytes are kept until some are dropped, so that this is rare.
 * The caller holds the lock.
 */
static void keep_form(struct review *review, struct change *change, sv form)
{
	if (!sv_empty(change->form) || change->first >= review->forms_end)
		return;
	change->form = arena_dup(review->arena, form);
	review->form_bytes += form.len;
	if (review->form_bytes > 2 * FORMS_MAX)
		drop_forms(review, false);
}

void review_add(struct arena *scratch, struct review *review, const struct review_unit *unit)
{
	uint8_t digest[DIGEST_MAX_SIZE];
	struct buf form = buf_in(scratch);
	struct change found = {.first = unit->place};

	review_add_normal(scratch, &form, unit);
	if (form.len == 0)
		return;
	digest_of(DIGEST_SHA256, buf_sv(&form), digest);
	sv key = sv_from((const char *)digest, 32);
	if (count_in(review, key, unit->place))
		return;
	look_into(scratch, unit, &found);
	if (found.fields.count == 0)
		add_first_line(scratch, buf_sv(&form), &found);
	sv kept = shortened(scratch, buf_sv(&form));
	os_mutex_lock(review->lock);
	struct change *change = change_of(review, key);
	/* The first unit is examined, no matter which thread came first. */
	if (unit->place < change->first)
		keep(review, change, &found);
	keep_form(review, change, kept);
	VEC_PUSH(review->arena, &change->places, unit->place);
	os_mutex_unlock(review->lock);
}

/* ---- changes of other runs --------------------------------------------------------------- */

struct review_change *review_list(struct arena *arena, struct review *review, size_t *ret_count)
{
	size_t count = review->changes.count;
	struct review_change *changes = ARENA_ARRAY(arena, struct review_change, count);

	drop_forms(review, true);
	for (size_t i = 0; i < count; i++) {
		const struct change *change = review->changes.entries[i].value;
		size_t findings = change->findings.count;
		struct report_note *notes = ARENA_ARRAY(arena, struct report_note, findings);

		for (size_t j = 0; j < findings; j++)
			notes[j] = (struct report_note){.title = change->findings.items[j].title,
			                                .text = change->findings.items[j].text};
		changes[i] = (struct review_change){
		    .key = review->changes.entries[i].key,
		    .form = change->form,
		    .first = change->first,
		    .places = change->places.items,
		    .place_count = change->places.count,
		    .fields = change->fields.items,
		    .field_count = change->fields.count,
		    .findings = notes,
		    .finding_count = findings,
		};
	}
	*ret_count = count;
	return changes;
}

void review_join(struct review *review, const struct review_change *from)
{
	struct arena *arena = review->arena;
	struct change *change = change_of(review, from->key);
	struct change found = {.first = from->first};

	for (size_t i = 0; i < from->field_count; i++)
		VEC_PUSH(arena, &found.fields, from->fields[i]);
	for (size_t i = 0; i < from->finding_count; i++)
		VEC_PUSH(arena, &found.findings,
		         ((struct review_finding){arena_dup(arena, from->findings[i].title),
		                                  from->findings[i].text}));
	if (from->first < change->first)
		keep(review, change, &found);
	if (!sv_empty(from->form))
		keep_form(review, change, from->form);
	for (size_t i = 0; i < from->place_count; i++)
		VEC_PUSH(arena, &change->places, from->places[i]);
}

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
	struct place_list units;
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
                                        const struct place_list *units)
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
                             const struct place_list *units)
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

static void add_group(struct finishing *f, const struct change *change, enum report_class class,
                      const struct place_list *units)
{
	struct review_names names = common_names(f->summary, units);
	size_t count = change->fields.count;
	struct report_field *fields = ARENA_ARRAY(f->arena, struct report_field, count + 2);
	sv effect = effect_of(f->arena, &f->summary->units.items[units->items[0]]);

	for (size_t i = 0; i < count; i++)
		fields[i] = change->fields.items[i];
	if (count == 0 && (class != REPORT_CLASS_ROLL || sv_empty(effect)))
		fields[count++] = describe(class);
	if (!sv_empty(effect)) {
		memmove(fields + 1, fields, count++ * sizeof(*fields));
		fields[0] = (struct report_field){.name = effect};
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
	             .units = units->items,
	             .unit_count = units->count,
	             .cluster_count = count_clusters(f->arena, f->summary, units),
	         });
}

/* ---- units whose clear files stay ---------------------------------------------------------- */

/* Returns what changes in units of which no clear file changes. */
static sv describe_sealed(enum report_class class, unsigned sealed)
{
	if (class == REPORT_CLASS_ROLL)
		return SV("spec.template changed");
	if (class == REPORT_CLASS_UNKNOWN)
		return SV("secrets are not compared without the seed");
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
	struct place_list units;
};

static struct rest *rest_of(struct finishing *f, struct map *rests, const struct report_unit *row)
{
	sv name = describe_sealed(row->class, row->sealed);
	sv effect = effect_of(f->arena, row);
	if (!sv_empty(effect))
		name = row->class == REPORT_CLASS_ROLL
		           ? effect
		           : ARENA_CONCAT(f->arena, effect, SV(", "), name);
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

static void collect_findings(struct finishing *f, const struct change *change,
                             const struct place_list *units)
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

static void add_change(struct finishing *f, const struct change *change, const size_t *places)
{
	struct place_list all = {0};

	VEC_EACH (place, &change->places)
		VEC_PUSH(f->arena, &all, places[*place]);
	sort_stable(all.items, all.count, sizeof(*all.items), compare_numbers, NULL);
	collect_findings(f, change, &all);
	for (int class = REPORT_CLASS_NONE; class <= REPORT_CLASS_REMOVE; class ++) {
		struct place_list units = {0};

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
		         (struct report_note){note->title, shown(f->arena, note->text, &names),
		                              note->units.items, note->units.count});
	}
}

/* Notes the removed units that appliers leave in the cluster, or those that they may delete. */
static void note_removals(struct finishing *f, bool stays)
{
	struct report_summary *summary = f->summary;
	struct place_list units = {0};
	bool is_unknown = false;
	uint64_t count = 0;

	for (size_t i = 0; i < summary->units.count; i++) {
		const struct report_unit *row = &summary->units.items[i];

		if (row->class != REPORT_CLASS_REMOVE || row->stays != stays)
			continue;
		VEC_PUSH(f->arena, &units, i);
		is_unknown |= row->replicas == REPORT_REPLICAS_UNKNOWN;
		count += is_unknown ? 0 : (uint64_t)row->replicas;
	}
	if (units.count == 0)
		return;
	sv kind = summary->units.items[units.items[0]].kind;
	sv machines = is_unknown || count == 0 ? SV("machines")
	                                       : arena_printf(f->arena, "%" PRIu64 " machine%s",
	                                                      count, count == 1 ? "" : "s");
	sv which = units.count == 1 ? SV("it and its ") : SV("them and their ");
	VEC_PUSH(f->arena, &summary->notes,
	         (struct report_note){
	             .title = ARENA_CONCAT(f->arena, kind, SV(" removed")),
	             .text = stays ? ARENA_CONCAT(f->arena, SV("appliers leave "), which, machines,
	                                          SV(" in the cluster, without their Secrets: "
	                                             "delete what is not wanted there"))
	                           : ARENA_CONCAT(f->arena, SV("an applier that prunes deletes "),
	                                          which, machines),
	             .units = units.items,
	             .unit_count = units.count,
	         });
}

static void note_recipients(struct finishing *f)
{
	struct report_summary *summary = f->summary;
	size_t count = summary->recipients.count;

	if (count == 0)
		return;
	sv text =
	    count == 1
	        ? ARENA_CONCAT(f->arena, SV("cluster "), summary->recipients.items[0].cluster,
	                       SV(" is sealed to others than before"))
	        : arena_printf(f->arena, "%zu clusters are sealed to others than before", count);
	VEC_PUSH(f->arena, &summary->notes,
	         (struct report_note){.title = SV("Recipients changed"), .text = text});
}

static bool is_nearly_full(size_t bytes, size_t limit)
{
	return limit > 0 && bytes > limit / 10 * 9;
}

static void note_budgets(struct finishing *f)
{
	struct report_summary *summary = f->summary;
	struct place_list units = {0};
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
		VEC_PUSH(f->arena, &units, i);
	}
	if (units.count > 0)
		VEC_PUSH(f->arena, &summary->notes,
		         (struct report_note){
		             .title = SV("User-data above 90 % of its limit"),
		             .text = arena_printf(f->arena, "up to %zu %%", most),
		             .units = units.items,
		             .unit_count = units.count,
		         });
}

void review_finish(struct arena *arena, struct review *review, const size_t *places,
                   struct report_summary *summary)
{
	struct finishing f = {.arena = arena, .summary = summary, .notes = map_in(arena)};

	drop_forms(review, true);
	for (size_t i = 0; i < review->changes.count; i++)
		add_change(&f, review->changes.entries[i].value, places);
	add_rest(&f);
	if (summary->groups.count > 0)
		sort_stable(summary->groups.items, summary->groups.count,
		            sizeof(*summary->groups.items), compare_groups, NULL);
	report_name_groups(arena, summary);
	note_removals(&f, false);
	note_removals(&f, true);
	note_recipients(&f);
	add_notes(&f);
	note_budgets(&f);
}
