/*
 * Finds the first difference of a rendered object and a live one, and all differences of two
 * templates. Ignores differences that are expected (adopt_ignored).
 */
#include "adopt/internal.h"

#include "golang/golang.h"
#include "json/json.h"

struct differing {
	struct arena *arena;
	const struct adopt_sides *sides;
	const struct dialect *dialect; /* null for objects that no dialect lists */
	sv namespace;
	struct adopt_difference *difference;
	struct adopt_changes *changes; /* if it is not null, all differences go there */
	bool is_hidden;                /* no line of what is compared may be shown */
	bool is_item;                  /* what is compared is an item of a list, not a member */
};

struct adopt_sentences adopt_ignored(struct arena *arena)
{
	struct adopt_sentences sentences = {0};
	size_t count;
	const struct dialect *const *all = dialects(&count);

	VEC_PUSH(arena, &sentences,
	         "fields that the API server adds: uid, resourceVersion, generation, managedFields "
	         "and similar ones");
	VEC_PUSH(arena, &sentences,
	         "annotations and labels of other programs, and those of osm-gen.dev and of Flux");
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; all[i]->adoption && k < all[i]->adoption->ignored_count; k++)
			VEC_PUSH(arena, &sentences, all[i]->adoption->ignored[k]);
	VEC_PUSH(arena, &sentences, "null beside an absent member");
	return sentences;
}

static bool is_annotation_of_ours(sv name)
{
	return sv_starts_with(name, SV("osm-gen.dev/")) ||
	       sv_starts_with(name, SV("kustomize.toolkit.fluxcd.io/"));
}

bool adopt_is_ours(const struct kube_object *live)
{
	const struct value *annotations = value_path(live->root, "metadata.annotations");

	for (size_t i = 0; value_is_map(annotations) && i < value_count(annotations); i++)
		if (is_annotation_of_ours(annotations->map->entries[i].key))
			return true;
	return false;
}

/* ---- leaves ------------------------------------------------------------------------------ */

static struct value line_of(struct arena *arena, const struct value *text, size_t from)
{
	size_t end = from + sv_find_char(sv_from_offset(text->string, from), '\n');
	struct value line;

	if (end < from || end > text->string.len)
		end = text->string.len;
	line = value_string(sv_slice(text->string, from, end));
	line.taint = taint_slice(arena, text->taint, from, end);
	return line;
}

static void differ_in_text(struct differing *d, const struct value *ours, const struct value *live)
{
	size_t start = 0;
	size_t line = 1;
	size_t shared = ours->string.len < live->string.len ? ours->string.len : live->string.len;

	for (size_t i = 0; i < shared && ours->string.ptr[i] == live->string.ptr[i]; i++) {
		if (ours->string.ptr[i] != '\n')
			continue;
		start = i + 1;
		line++;
	}
	struct value here = line_of(d->arena, ours, start);
	struct value there = line_of(d->arena, live, start);
	bool is_long = sv_find_char(ours->string, '\n') != SV_NPOS ||
	               sv_find_char(live->string, '\n') != SV_NPOS;
	d->difference->line = is_long ? line : 0;
	d->difference->here = adopt_show_line(d->sides->masks, &here, &there);
	d->difference->there = adopt_show_line(d->sides->masks, &there, &here);
}

/* Returns a value as a string: numbers and lists as JSON, "(absent)" for a missing one. */
static struct value as_text(struct arena *arena, const struct value *v)
{
	struct buf buf = buf_in(arena);
	const struct secret *secret = secrecy_find(v);

	if (!v || value_is_null(v))
		return value_string(SV("(absent)"));
	if (value_is_string(v))
		return *v;
	json_emit(&buf, v, 0);
	struct value text = value_string(buf_sv(&buf));
	if (secret)
		text.taint = taint_derived(arena, text.string.len, secret);
	return text;
}

static bool is_tree(const struct value *v)
{
	return value_is_map(v) || value_is_list(v);
}

static bool hides_lines(const struct differing *d)
{
	return d->dialect && d->dialect->adoption && d->dialect->adoption->hides_lines;
}

static bool is_empty(const struct value *v)
{
	return value_is_null(v) || (value_is_string(v) && v->string.len == 0) ||
	       ((value_is_map(v) || value_is_list(v)) && value_count(v) == 0);
}

static bool differ_here(struct differing *d, sv place, const struct value *ours,
                        const struct value *live)
{
	struct value here = as_text(d->arena, ours);
	struct value there = as_text(d->arena, live);
	/* Everything below the name of a credential is a secret. */
	bool is_credential = d->is_hidden || secrecy_names_credential(sv_after_last(place, '.')) ||
	                     (hides_lines(d) && (is_tree(ours) || is_tree(live)));

	d->difference->place = place;
	differ_in_text(d, &here, &there);
	if (is_credential) {
		d->difference->here = SECRET_MASKED;
		d->difference->there = SECRET_MASKED;
	}
	if (!d->changes)
		return true;
	bool is_extra = value_is_null(ours) && !d->is_item;
	VEC_PUSH(d->arena, d->changes,
	         (struct adopt_change){
	             .place = place,
	             .here = d->difference->here,
	             .there = d->difference->there,
	             .is_extra = is_extra,
	             .is_empty = is_extra && is_empty(live),
	         });
	return false;
}

/* ---- credentials that were moved --------------------------------------------------------- */

/* Returns the string in {value: STRING} or STRING, or null. */
static const struct value *plain_text(const struct value *v)
{
	const struct value *inner = value_is_map(v) ? go_json_member(v, SV("value")) : v;

	return value_is_string(inner) ? inner : NULL;
}

static bool is_moved(const struct differing *d, const struct value *ours, const struct value *live)
{
	const struct value *reference = go_json_member(ours, SV("secretKeyRef"));
	const struct value *text = plain_text(live);
	struct sink ignored = sink_in(d->arena);
	struct value resolved;

	if (!value_is_map(ours) || !reference || !text)
		return false;
	const struct kube_object *secret = kube_objects_find(
	    d->sides->objects, SV("Secret"), value_text(go_json_member(reference, SV("namespace"))),
	    value_text(go_json_member(reference, SV("name"))));
	sv key = value_text(go_json_member(reference, SV("key")));
	return secret && kube_secret_has(secret, key) &&
	       kube_secret_value(d->arena, &ignored, secret, key, NOWHERE, &resolved) ==
	           STATUS_OK &&
	       sv_eq(resolved.string, text->string);
}

/* ---- trees ------------------------------------------------------------------------------- */

static sv place_below(struct arena *arena, sv place, sv key)
{
	return sv_empty(place) ? key : ARENA_CONCAT(arena, place, SV("."), key);
}

static bool differ_in(struct differing *d, sv place, const struct value *ours,
                      const struct value *live);

static bool differ_in_member(struct differing *d, sv place, sv key, const struct value *ours,
                             const struct value *live)
{
	bool was_hidden = d->is_hidden;

	d->is_item = false;
	d->is_hidden |= hides_lines(d) && sv_eq(key, d->dialect->adoption->hidden_member);
	bool differs = differ_in(d, place_below(d->arena, place, key), ours, live);
	d->is_hidden = was_hidden;
	return differs;
}

static bool differ_in_maps(struct differing *d, sv place, const struct value *ours,
                           const struct value *live)
{
	for (size_t i = 0; i < value_count(ours); i++) {
		const struct value_entry *entry = &ours->map->entries[i];

		if (differ_in_member(d, place, entry->key, &entry->value,
		                     value_map_get(live, entry->key)))
			return true;
	}
	for (size_t i = 0; i < value_count(live); i++) {
		const struct value_entry *entry = &live->map->entries[i];

		if (!value_map_find(ours, entry->key) &&
		    differ_in_member(d, place, entry->key, NULL, &entry->value))
			return true;
	}
	return false;
}

static bool differ_in_lists(struct differing *d, sv place, const struct value *ours,
                            const struct value *live)
{
	size_t count =
	    value_count(ours) > value_count(live) ? value_count(ours) : value_count(live);

	for (size_t i = 0; i < count; i++) {
		sv item = arena_printf(d->arena, "%.*s[%zu]", SV_ARG(place), i);

		d->is_item = true;
		if (differ_in(d, item, i < value_count(ours) ? value_item(ours, i) : NULL,
		              i < value_count(live) ? value_item(live, i) : NULL))
			return true;
	}
	return false;
}

/* Returns true if the dialect finds them equal: in another form, or moved to a Secret. */
static bool is_alike(struct differing *d, const struct value *ours, const struct value *live)
{
	const struct dialect_adoption *adoption = d->dialect ? d->dialect->adoption : NULL;

	if (!adoption || !adoption->likeness)
		return false;
	switch (adoption->likeness(d->arena, d->sides->objects, d->namespace, ours, live)) {
	case DIALECT_UNLIKE:
		return false;
	case DIALECT_ALIKE:
		return true;
	case DIALECT_MOVED:
		d->difference->moved = true;
		return true;
	}
	return false;
}

/* Decoders and templates bound the depth. */
static bool differ_in(struct differing *d, sv place, const struct value *ours,
                      const struct value *live)
{
	if (value_is_null(ours) && value_is_null(live))
		return false;
	if (!d->changes && value_is_map(ours) && is_moved(d, ours, live)) {
		d->difference->moved = true;
		return false;
	}
	if (value_is_map(ours) && value_is_map(live))
		return !is_alike(d, ours, live) && differ_in_maps(d, place, ours, live);
	if (value_is_list(ours) && value_is_list(live))
		return differ_in_lists(d, place, ours, live);
	if (!value_is_null(ours) && !value_is_null(live) && value_equal(ours, live))
		return false;
	return differ_here(d, place, ours, live);
}

/* ---- objects ----------------------------------------------------------------------------- */

static bool differ_in_annotations(struct differing *d, const sv *names, size_t count,
                                  const struct value *ours, const struct kube_object *live)
{
	const struct value *here = value_path(ours, "metadata.annotations");
	const struct value *there = value_path(live->root, "metadata.annotations");

	for (size_t i = 0; i < count; i++)
		if (differ_in(d, place_below(d->arena, SV("metadata.annotations"), names[i]),
		              value_map_get(here, names[i]), value_map_get(there, names[i])))
			return true;
	return false;
}

/* Compares annotations that both sides can have. Our labels must be live. */
static bool differ_in_metadata(struct differing *d, const struct value *ours,
                               const struct kube_object *live)
{
	const struct value *labels = value_path(ours, "metadata.labels");
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		const struct dialect_adoption *adoption = all[i]->adoption;

		if (!adoption || (d->dialect && d->dialect != all[i]))
			continue;
		if (differ_in_annotations(d, adoption->compared_annotations,
		                          adoption->compared_annotation_count, ours, live) ||
		    (d->sides->live_is_ours &&
		     differ_in_annotations(d, adoption->own_annotations,
		                           adoption->own_annotation_count, ours, live)))
			return true;
	}
	for (size_t i = 0; value_is_map(labels) && i < value_count(labels); i++) {
		const struct value_entry *entry = &labels->map->entries[i];

		if (differ_in(d, place_below(d->arena, SV("metadata.labels"), entry->key),
		              &entry->value,
		              value_map_get(value_path(live->root, "metadata.labels"), entry->key)))
			return true;
	}
	return false;
}

/* Returns the value of a key, or the invalid value if the Secret does not have it. */
static struct value secret_text(struct differing *d, const struct kube_object *secret, sv key)
{
	struct sink ignored = sink_in(d->arena);
	struct value text = VALUE_INVALID;

	if (kube_secret_has(secret, key) &&
	    kube_secret_value(d->arena, &ignored, secret, key, NOWHERE, &text) != STATUS_OK)
		text = value_string(SV("(no base64)"));
	return text;
}

/* Rendered user-data is tainted byte by byte, the Secret made of it as a whole: takes the former.
 */
static struct value with_taint_of(struct value text, const struct value *rendered)
{
	text.taint = value_is_string(rendered) && sv_eq(text.string, rendered->string)
	                 ? rendered->taint
	                 : text.taint;
	return text;
}

static bool differ_in_keys(struct differing *d, const struct kube_object *ours,
                           const struct kube_object *live, const struct value *user_data)
{
	struct kube_keys lists[] = {kube_secret_keys(d->arena, ours),
	                            kube_secret_keys(d->arena, live)};

	d->is_hidden = hides_lines(d);
	for (size_t side = 0; side < COUNT_OF(lists); side++) {
		for (size_t i = 0; i < lists[side].count; i++) {
			sv key = lists[side].items[i];
			struct value here = secret_text(d, ours, key);
			struct value there = secret_text(d, live, key);

			here = with_taint_of(here, user_data);
			if (value_is_string(&there))
				there.taint = NULL;
			if (differ_in(d, place_below(d->arena, SV("data"), key), &here, &there))
				return true;
		}
	}
	d->is_hidden = false;
	return false;
}

static bool differ_in_secret(struct differing *d, const struct value *ours,
                             const struct kube_object *live, const struct value *user_data)
{
	struct value root = *ours;
	struct kube_object here = {.id = live->id, .root = &root};
	const struct value no = value_bool(false);
	const struct value *is_immutable = value_map_get(ours, SV("immutable"));
	const struct value *live_is = value_map_get(live->root, SV("immutable"));
	struct value type = value_string(kube_secret_type(&here));
	struct value live_type = value_string(kube_secret_type(live));

	return differ_in(d, SV("type"), &type, &live_type) ||
	       differ_in(d, SV("immutable"), is_immutable ? is_immutable : &no,
	                 live_is ? live_is : &no) ||
	       differ_in_keys(d, &here, live, user_data);
}

static bool differ_in_content(struct differing *d, const struct artifact *ours,
                              const struct kube_object *live)
{
	const struct dialect_adoption *adoption = d->dialect ? d->dialect->adoption : NULL;
	enum dialect_match match = DIALECT_MATCH_MEMBERS;

	if (adopt_is_kind(live, "Secret"))
		return differ_in_secret(d, &ours->object, live, &ours->user_data);
	if (adoption && adoption->compare)
		match = adoption->compare(d->arena, &ours->object, live, &d->difference->place);
	switch (match) {
	case DIALECT_MATCH_EQUAL:
		return false;
	case DIALECT_MATCH_DIFFERS:
		return true;
	case DIALECT_MATCH_MEMBERS:
		break;
	}
	sv member = adopt_is_kind(live, "ConfigMap") ? SV("data") : SV("spec");
	return differ_in(d, member, value_map_get(&ours->object, member),
	                 value_map_get(live->root, member));
}

bool adopt_differ_in_status(const struct adopt_sides *sides, const struct value *ours,
                            const struct kube_object *live, struct adopt_difference *ret_difference)
{
	const struct dialect_adoption *adoption = sides->dialect->adoption;
	struct differing d = {
	    .arena = sides->masks->arena,
	    .sides = sides,
	    .dialect = sides->dialect,
	    .namespace = live->id.namespace,
	    .difference = ret_difference,
	};
	const struct value *here = value_map_get(ours, SV("status"));
	const struct value *there = value_map_get(live->root, SV("status"));

	for (size_t i = 0; i < adoption->compared_status_count; i++) {
		sv name = adoption->compared_status[i];

		if (differ_in(&d, place_below(d.arena, SV("status"), name),
		              value_map_get(here, name), value_map_get(there, name)))
			return true;
	}
	return false;
}

bool adopt_differ(const struct adopt_sides *sides, const struct artifact *ours,
                  const struct kube_object *live, struct adopt_difference *ret_difference)
{
	struct differing d = {
	    .arena = sides->masks->arena,
	    .sides = sides,
	    .dialect = sides->dialect ? sides->dialect : adopt_kind_of(&live->id).dialect,
	    .namespace = live->id.namespace,
	    .difference = ret_difference,
	};

	*ret_difference = (struct adopt_difference){0};
	/* The content first: annotations only follow from it. */
	return differ_in_content(&d, ours, live) || differ_in_metadata(&d, &ours->object, live);
}

struct adopt_changes adopt_template_changes(const struct adopt_sides *sides,
                                            const struct value *ours, const struct value *live)
{
	struct adopt_difference difference = {0};
	struct adopt_changes changes = {0};
	struct differing d = {
	    .arena = sides->masks->arena,
	    .sides = sides,
	    .dialect = sides->dialect,
	    .difference = &difference,
	    .changes = &changes,
	};

	(void)differ_in(&d, SV("spec.template"), ours, live);
	return changes;
}
