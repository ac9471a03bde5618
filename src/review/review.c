/*
 * Collects the changes of units on any thread.
 */
#include "codec/codec.h"
#include "os/os.h"
#include "yaml/yaml.h"

#include "review/internal.h"

/* Size limits of one change that is shown, and of all together. People do not read more. */
#define FORM_MAX  ((size_t)16 * 1024)
#define FORMS_MAX ((size_t)32 * 1024 * 1024)
enum { REVIEW_KEY_BYTES = 32 };

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

static void look_into(struct arena *scratch, const struct review_unit *unit,
                      struct review_entry *change)
{
	struct review_finder finder = review_finder_in(scratch);
	const struct dialect_description none = {0};
	bool is_described = false;

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
		review_compare(scratch, unit, &was, &is, &finder, &change->fields);
		review_find(&finder, &was, &is);
		is_described = true;
	}
	if (!is_described)
		review_compare(scratch, unit, &none, &none, &finder, &change->fields);
	VEC_EACH (finding, &finder.findings)
		VEC_PUSH(scratch, &change->findings,
		         (struct review_finding){finding->kind,
		                                 review_normal_text(scratch, finding->text, unit)});
}

/*
 * Adds the first line that differs as a field, unless only annotations of the unit's own do. A line
 * of the status is the last choice: it has the time of the change, and no reason.
 */
static void add_first_line(struct arena *scratch, const struct review_unit *unit, sv form,
                           struct review_entry *change)
{
	struct review_file *files = ARENA_ARRAY(scratch, struct review_file, unit->file_count + 1);
	struct review_unit reasons = *unit;
	struct buf buf = buf_in(scratch);
	struct report_field field;

	reasons.files = files;
	reasons.file_count = 0;
	for (size_t i = 0; i < unit->file_count; i++)
		if (!unit->files[i].is_status)
			files[reasons.file_count++] = unit->files[i];
	review_add_normal(scratch, &buf, &reasons);
	if (buf.len > 0)
		form = buf_sv(&buf);

	change->is_line = review_first_line(form, &field);
	if (change->is_line)
		VEC_PUSH(scratch, &change->fields, field);
}

static sv digest_in(struct arena *arena, sv text)
{
	uint8_t digest[DIGEST_MAX_SIZE];

	digest_of(DIGEST_SHA256, text, digest);
	return arena_dup(arena, sv_from((const char *)digest, REVIEW_KEY_BYTES));
}

/* Sets the digests of what the fields do not show. */
static void set_rest(struct arena *scratch, const struct review_unit *unit, sv form,
                     struct review_entry *change)
{
	const struct review_names own = {unit->name, unit->cluster, unit->namespace};
	sv rest = review_rest(scratch, form, &change->fields);
	struct buf plain = buf_in(scratch);

	review_add_shown(&plain, rest, &own);
	change->rest.normal = digest_in(scratch, rest);
	change->rest.plain = digest_in(scratch, buf_sv(&plain));
}

/* ---- collecting -------------------------------------------------------------------------- */

/* The caller holds the lock. */
static void keep(struct review *review, struct review_entry *change,
                 const struct review_entry *found)
{
	struct arena *arena = review->arena;

	change->fields.count = 0;
	change->findings.count = 0;
	change->first = found->first;
	change->is_line = found->is_line;
	change->rest.normal = arena_dup(arena, found->rest.normal);
	change->rest.plain = arena_dup(arena, found->rest.plain);
	VEC_EACH (field, &found->fields)
		VEC_PUSH(arena, &change->fields,
		         ((struct report_field){
		             .name = arena_dup(arena, field->name),
		             .before = arena_dup(arena, field->before),
		             .after = arena_dup(arena, field->after),
		             .is_detail = field->is_detail,
		         }));
	VEC_EACH (finding, &found->findings)
		VEC_PUSH(arena, &change->findings,
		         (struct review_finding){finding->kind, arena_dup(arena, finding->text)});
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
	struct review_entry *change = map_get(&review->changes, key);
	bool known = change && change->first < place;

	if (known)
		VEC_PUSH(review->arena, &change->places, place);
	os_mutex_unlock(review->lock);
	return known;
}

/* Returns the change with that key, a new one if need be. The caller holds the lock. */
static struct review_entry *change_of(struct review *review, sv key)
{
	struct review_entry *change = map_get(&review->changes, key);

	if (change)
		return change;
	change = ARENA_NEW(review->arena, struct review_entry);
	*change = (struct review_entry){.first = SIZE_MAX};
	map_put(&review->changes, arena_dup(review->arena, key), change);
	return change;
}

static int compare_firsts(const void *a, const void *b, void *context UNUSED)
{
	const struct review_entry *left = *(struct review_entry *const *)a;
	const struct review_entry *right = *(struct review_entry *const *)b;

	return (left->first > right->first) - (left->first < right->first);
}

struct review_entry **review_sorted(struct arena *arena, const struct review *review)
{
	size_t count = review->changes.count;
	struct review_entry **sorted = ARENA_ARRAY(arena, struct review_entry *, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = review->changes.entries[i].value;
	if (count > 0)
		sort_stable(sorted, count, sizeof(*sorted), compare_firsts, NULL);
	return sorted;
}

void review_drop_forms(struct review *review, bool are_all_there)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	size_t count = review->changes.count;
	struct review_entry **sorted = review_sorted(scratch, review);
	bool is_over = false;

	review->form_bytes = 0;
	for (size_t i = 0; i < count; i++) {
		struct review_entry *change = sorted[i];

		if (change->is_new)
			continue;
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
static void keep_form(struct review *review, struct review_entry *change, sv form)
{
	if (!sv_empty(change->form) || change->first >= review->forms_end)
		return;
	change->form = arena_dup(review->arena, form);
	review->form_bytes += form.len;
	if (review->form_bytes > 2 * FORMS_MAX)
		review_drop_forms(review, false);
}

void review_add(struct arena *scratch, struct review *review, const struct review_unit *unit)
{
	uint8_t digest[DIGEST_MAX_SIZE];
	struct buf form = buf_in(scratch);
	struct review_entry found = {.first = unit->place};

	review_add_normal(scratch, &form, unit);
	if (form.len == 0)
		return;
	digest_of(DIGEST_SHA256, buf_sv(&form), digest);
	sv key = sv_from((const char *)digest, REVIEW_KEY_BYTES);
	if (count_in(review, key, unit->place))
		return;
	look_into(scratch, unit, &found);
	if (found.fields.count == 0)
		add_first_line(scratch, unit, buf_sv(&form), &found);
	set_rest(scratch, unit, buf_sv(&form), &found);
	sv kept = shortened(scratch, buf_sv(&form));
	os_mutex_lock(review->lock);
	struct review_entry *change = change_of(review, key);
	/* The first unit is examined, no matter which thread came first. */
	if (unit->place < change->first)
		keep(review, change, &found);
	keep_form(review, change, kept);
	VEC_PUSH(review->arena, &change->places, unit->place);
	os_mutex_unlock(review->lock);
}

void review_add_new(struct arena *scratch, struct review *review, const struct review_unit *unit,
                    sv config, const struct review_hosts *known)
{
	struct review_finder finder = review_finder_in(scratch);
	const struct value *root = yml_parse_one(scratch, SV("output"), config, false);
	struct review_entry found = {.first = unit->place};
	struct dialect_description described = {0};
	uint8_t digest[DIGEST_MAX_SIZE];
	struct buf text = buf_in(scratch);

	if (!root || !unit->dialect->describe)
		return;
	unit->dialect->describe(scratch, root, &described);
	review_find_new(&finder, known, &described);
	if (finder.findings.count == 0)
		return;
	/* No form of a change begins like this. */
	BUF_ADD_LIT(&text, "new\n");
	VEC_EACH (finding, &finder.findings) {
		sv normal = review_normal_text(scratch, finding->text, unit);

		VEC_PUSH(scratch, &found.findings,
		         ((struct review_finding){finding->kind, normal}));
		buf_printf(&text, "%d\n%.*s\n", (int)finding->kind, SV_ARG(normal));
	}
	digest_of(DIGEST_SHA256, buf_sv(&text), digest);
	os_mutex_lock(review->lock);
	struct review_entry *change =
	    change_of(review, sv_from((const char *)digest, REVIEW_KEY_BYTES));
	change->is_new = true;
	if (unit->place < change->first)
		keep(review, change, &found);
	VEC_PUSH(review->arena, &change->places, unit->place);
	os_mutex_unlock(review->lock);
}

/* ---- changes of other runs --------------------------------------------------------------- */

struct review_change *review_list(struct arena *arena, struct review *review, size_t *ret_count)
{
	size_t count = review->changes.count;
	struct review_change *changes = ARENA_ARRAY(arena, struct review_change, count);

	review_drop_forms(review, true);
	for (size_t i = 0; i < count; i++) {
		const struct review_entry *change = review->changes.entries[i].value;
		size_t findings = change->findings.count;
		struct report_note *notes = ARENA_ARRAY(arena, struct report_note, findings);

		for (size_t j = 0; j < findings; j++)
			notes[j] = (struct report_note){.kind = change->findings.items[j].kind,
			                                .text = change->findings.items[j].text};
		changes[i] = (struct review_change){
		    .key = review->changes.entries[i].key,
		    .form = change->form,
		    .rest = change->rest,
		    .first = change->first,
		    .places = change->places.items,
		    .place_count = change->places.count,
		    .fields = change->fields.items,
		    .field_count = change->fields.count,
		    .is_line = change->is_line,
		    .findings = notes,
		    .finding_count = findings,
		    .is_new = change->is_new,
		};
	}
	*ret_count = count;
	return changes;
}

void review_join(struct review *review, const struct review_change *from)
{
	struct arena *arena = review->arena;
	struct review_entry *change = change_of(review, from->key);
	struct review_entry found = {
	    .first = from->first, .rest = from->rest, .is_line = from->is_line};

	for (size_t i = 0; i < from->field_count; i++)
		VEC_PUSH(arena, &found.fields, from->fields[i]);
	for (size_t i = 0; i < from->finding_count; i++)
		VEC_PUSH(arena, &found.findings,
		         ((struct review_finding){from->findings[i].kind, from->findings[i].text}));
	change->is_new = from->is_new;
	if (from->first < change->first)
		keep(review, change, &found);
	if (!sv_empty(from->form))
		keep_form(review, change, from->form);
	for (size_t i = 0; i < from->place_count; i++)
		VEC_PUSH(arena, &change->places, from->places[i]);
}

/* ---- places of units ------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b, void *context)
{
	const size_t *left = a;
	const size_t *right = b;

	(void)context;
	return (*left > *right) - (*left < *right);
}

void review_sort_places(struct review_places *places)
{
	sort_stable(places->items, places->count, sizeof(*places->items), compare_numbers, NULL);
}

struct review_names review_common_names(const struct report_summary *summary,
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
