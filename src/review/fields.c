/*
 * Finds the fields of a change: old and new values that people know, and the parts of the config
 * that differ in more than these.
 */
#include "review/internal.h"
#include "secrecy/secrecy.h"

/* A longer line of a file is not shown as a value. */
enum { LINE_MAX_SHOWN = 40 };

struct comparison {
	struct arena *scratch;
	const struct review_unit *unit;
	struct review_fields *fields;
	struct review_fields facts; /* those of the fields that are facts, as the files have them */
	struct set secrets;         /* names of secrets whose change is a field */
	struct review_finder *finder;
	bool has_kubelet; /* its version is a fact that differs */
	bool has_profile; /* so is that of the profile */
	bool are_details; /* of all fields that are added now */
};

static void add_field(const struct comparison *c, sv name, sv before, sv after)
{
	VEC_PUSH(c->scratch, c->fields,
	         (struct report_field){
	             .name = review_normal_text(c->scratch, name, c->unit),
	             .before = review_normal_text(c->scratch, before, c->unit),
	             .after = review_normal_text(c->scratch, after, c->unit),
	             .is_detail = c->are_details,
	         });
}

static void add_fact(struct comparison *c, enum dialect_fact_kind kind, sv name, sv before,
                     sv after)
{
	struct report_field fact = {.name = name, .before = before, .after = after};

	c->has_kubelet |= kind == DIALECT_FACT_KUBELET;
	c->has_profile |= kind == DIALECT_FACT_PROFILE;
	review_note_version(c->finder, kind, name, before, after);
	VEC_PUSH(c->scratch, &c->facts, fact);
	fact.before = review_normal_text(c->scratch, before, c->unit);
	fact.after = review_normal_text(c->scratch, after, c->unit);
	VEC_PUSH(c->scratch, c->fields, fact);
}

static void add_part(const struct comparison *c, const char *what, sv name, const char *verb)
{
	add_field(c,
	          ARENA_CONCAT(c->scratch, sv_from_cstr(what), name, SV(" "), sv_from_cstr(verb)),
	          SV(""), SV(""));
}

/* ---- facts ------------------------------------------------------------------------------- */

static struct map facts_of(struct arena *arena, const struct dialect_description *description)
{
	struct map facts = map_in(arena);

	VEC_EACH (fact, &description->facts)
		map_put(&facts, fact->name, fact);
	return facts;
}

static sv fact_value(const struct map *facts, sv name)
{
	const struct dialect_fact *fact = map_get(facts, name);

	return fact ? fact->value : (sv){0};
}

static void compare_facts(struct comparison *c, const struct dialect_description *before,
                          const struct dialect_description *after)
{
	const struct map known_before = facts_of(c->scratch, before);
	const struct map known_after = facts_of(c->scratch, after);

	VEC_EACH (fact, &after->facts) {
		sv was = fact_value(&known_before, fact->name);

		if (!sv_eq(was, fact->value))
			add_fact(c, fact->kind, fact->name, was, fact->value);
	}
	VEC_EACH (fact, &before->facts)
		if (sv_empty(fact_value(&known_after, fact->name)) && !sv_empty(fact->value))
			add_fact(c, fact->kind, fact->name, fact->value, SV(""));
}

static sv without_v(sv version)
{
	return sv_starts_with(version, SV("v")) ? sv_from_offset(version, 1) : version;
}

/*
 * Adds the kubelet's version as the unit has it, unless a file of the config shows another one.
 * Versions are compared without "v": both forms are in use.
 */
static void compare_kubelet(struct comparison *c)
{
	sv before = without_v(c->unit->kubelet_before);
	sv after = without_v(c->unit->kubelet_after);

	if (!c->has_kubelet && !sv_empty(before) && !sv_empty(after) && !sv_eq(before, after))
		add_fact(c, DIALECT_FACT_KUBELET, SV("kubelet"), before, after);
}

/* ---- what facts explain ------------------------------------------------------------------ */

/* A shorter value, such as "2", may occur anywhere with another meaning. */
enum { EXPLAINING_MIN = 5 };

/* So many fields explain lines: each is looked for at each place. */
enum { EXPLAINING_FIELDS = 16 };

static bool is_part_of_version(char c)
{
	return c == '.' || ascii_is_digit((unsigned char)c);
}

/* Finds the value, not as a part of a longer word or version. */
static bool is_value_at(sv text, size_t at, sv value)
{
	size_t end = at + value.len;

	return sv_starts_with(sv_from_offset(text, at), value) &&
	       (at == 0 || !is_part_of_version(text.ptr[at - 1])) &&
	       (end == text.len || !ascii_is_alphanumeric((unsigned char)text.ptr[end]));
}

static const struct report_field *field_at(sv text, size_t at, const struct review_fields *fields)
{
	for (size_t i = 0; i < fields->count && i < EXPLAINING_FIELDS; i++) {
		const struct report_field *field = &fields->items[i];

		if (field->before.len >= EXPLAINING_MIN && !sv_empty(field->after) &&
		    is_value_at(text, at, field->before))
			return field;
	}
	return NULL;
}

sv review_explained(struct arena *arena, sv text, const struct review_fields *fields)
{
	struct buf buf = buf_in(arena);

	for (size_t at = 0; at < text.len;) {
		const struct report_field *field = field_at(text, at, fields);

		if (field) {
			buf_add(&buf, field->after);
			at += field->before.len;
		} else {
			buf_add_char(&buf, text.ptr[at++]);
		}
	}
	return buf_sv(&buf);
}

/* ---- parts ------------------------------------------------------------------------------- */

static struct map files_of(struct arena *arena, const struct dialect_description *description)
{
	struct map files = map_in(arena);

	VEC_EACH (file, &description->files)
		map_put(&files, file->path, file);
	return files;
}

/* Returns the first line of the text, and removes it. */
static sv next_line(sv *text)
{
	size_t end = sv_find_char(*text, '\n');
	sv line = sv_slice(*text, 0, end == SV_NPOS ? text->len : end);

	*text = sv_from_offset(*text, end == SV_NPOS ? text->len : end + 1);
	return line;
}

/* Returns true if the files differ in one line, which is then set. */
static bool differs_in_line(sv before, sv after, sv *ret_before, sv *ret_after)
{
	while (before.len > 0 && after.len > 0) {
		*ret_before = next_line(&before);
		*ret_after = next_line(&after);
		if (!sv_eq(*ret_before, *ret_after))
			return sv_eq(before, after);
	}
	return false;
}

static void compare_texts(const struct comparison *c, sv path, sv before, sv after)
{
	sv line_before;
	sv line_after;

	if (!differs_in_line(before, after, &line_before, &line_after) ||
	    line_before.len > LINE_MAX_SHOWN || line_after.len > LINE_MAX_SHOWN ||
	    sv_empty(sv_trim_space(line_before)) || sv_empty(sv_trim_space(line_after)))
		add_part(c, "", path, "changed");
	else
		add_field(c, path, sv_trim_space(line_before), sv_trim_space(line_after));
}

/* Returns true if facts show all of the file's text. */
static bool is_shown_by_facts(const struct dialect_node_file *file)
{
	return sv_empty(sv_trim_space(file->rest)) && !sv_empty(sv_trim_space(file->text));
}

/*
 * Returns the text before, with each line that facts explain as it is after. Lines are compared in
 * order: from an inserted one on, none is explained.
 */
static sv explained_lines(const struct comparison *c, sv before, sv after)
{
	struct buf lines = buf_in(c->scratch);

	while (before.len > 0) {
		sv line = next_line(&before);
		sv line_after = next_line(&after);
		bool is_explained =
		    !sv_eq(line, line_after) &&
		    sv_eq(review_explained(c->scratch, line, &c->facts), line_after);

		buf_add(&lines, is_explained ? line_after : line);
		buf_add_char(&lines, '\n');
	}
	return buf_sv(&lines);
}

/*
 * Returns the text without the fingerprints of secrets. Adds them to the map, as sv *, by the name
 * of the secret.
 */
static sv without_fingerprints(struct arena *arena, sv text, struct map *fingerprints)
{
	struct buf buf = buf_in(arena);

	for (size_t at = 0; at < text.len;) {
		size_t length = secrecy_fingerprint_at(text, at);

		if (length == 0) {
			buf_add_char(&buf, text.ptr[at++]);
			continue;
		}
		sv *fingerprint = ARENA_NEW(arena, sv);
		*fingerprint = sv_slice(text, at, at + length);
		map_put(fingerprints, sv_after_last(sv_slice(text, 0, at), '<'), fingerprint);
		at += length;
	}
	return buf_sv(&buf);
}

/* Returns "bootstrap token" for the mark "sealed:derived/NAME:token", "secret NAME" for others. */
static sv secret_name(struct arena *arena, sv mark)
{
	sv name = sv_after_last(mark, ':');

	if (sv_contains(mark, SV(":" SECRECY_DERIVED_PREFIX)))
		return sv_starts_with(name, SV("token")) ? SV("bootstrap token") : name;
	sv_cut(mark, SV(":"), &name, &mark);
	return ARENA_CONCAT(arena, SV("secret "), mark);
}

/*
 * Returns true if only secrets differ in a file, and adds each of them as a field: that its value
 * has changed, not what it is.
 */
static bool compare_secrets(struct comparison *c, sv before, sv after)
{
	struct map was = map_in(c->scratch);
	struct map is = map_in(c->scratch);

	if (!secrecy_has_mark(after) || !sv_eq(without_fingerprints(c->scratch, before, &was),
	                                       without_fingerprints(c->scratch, after, &is)))
		return false;
	for (size_t i = 0; i < is.count; i++) {
		const sv *old = map_get(&was, is.entries[i].key);
		sv name = secret_name(c->scratch, is.entries[i].key);

		if ((!old || !sv_eq(*old, *(const sv *)is.entries[i].value)) &&
		    set_add(&c->secrets, name))
			add_part(c, "", name, "changed");
	}
	return true;
}

static void compare_file(struct comparison *c, const struct dialect_node_file *before,
                         const struct dialect_node_file *after)
{
	sv was = c->facts.count == 0 ? before->text : explained_lines(c, before->rest, after->rest);
	sv is = c->facts.count == 0 ? after->text : after->rest;

	if (!sv_eq(was, is) && !compare_secrets(c, was, is))
		compare_texts(c, after->path, was, is);
}

static void compare_files(struct comparison *c, const struct dialect_description *before,
                          const struct dialect_description *after)
{
	const struct map was = files_of(c->scratch, before);
	const struct map is = files_of(c->scratch, after);
	const char *removed = after->keeps_removed ? "stays on running nodes" : "removed";
	struct set kept = set_in(c->scratch);

	VEC_EACH (path, &before->kept)
		set_add(&kept, *path);

	for (size_t i = 0; i < is.count; i++) {
		const struct dialect_node_file *file = is.entries[i].value;
		const struct dialect_node_file *old = map_get(&was, file->path);

		if (!old && !(c->facts.count > 0 && is_shown_by_facts(file)))
			add_part(c, "", file->path,
			         set_has(&kept, file->path) ? "added, where it did not stay"
			                                    : "added");
		if (old && !sv_eq(old->text, file->text))
			compare_file(c, old, file);
		if (old && old->mode != file->mode)
			add_part(c, "mode of ", file->path, "changed");
	}
	for (size_t i = 0; i < was.count; i++) {
		const struct dialect_node_file *file = was.entries[i].value;

		if (!map_get(&is, file->path) && !(c->facts.count > 0 && is_shown_by_facts(file)))
			add_part(c, "", file->path, removed);
	}
}

/* Adds a part for each string that only one of the lists has. */
static void compare_lists(const struct comparison *c, const char *what, const struct set *before,
                          const struct set *after)
{
	for (size_t i = 0; i < set_count(after); i++)
		if (!set_has(before, set_item(after, i)))
			add_part(c, what, set_item(after, i), "added");
	for (size_t i = 0; i < set_count(before); i++)
		if (!set_has(after, set_item(before, i)))
			add_part(c, what, set_item(before, i), "removed");
}

static struct set keys_of(struct arena *arena, const struct dialect_description *description)
{
	struct set keys = set_in(arena);

	VEC_EACH (key, &description->ssh_keys)
		set_add(&keys, review_short_key(arena, *key));
	return keys;
}

static struct set users_of(struct arena *arena, const struct dialect_description *description)
{
	struct set users = set_in(arena);

	VEC_EACH (user, &description->users)
		set_add(&users, *user);
	return users;
}

void review_compare(struct arena *scratch, const struct review_unit *unit,
                    const struct dialect_description *before,
                    const struct dialect_description *after, struct review_finder *finder,
                    struct review_fields *fields)
{
	struct comparison c = {
	    .scratch = scratch,
	    .unit = unit,
	    .fields = fields,
	    .secrets = set_in(scratch),
	    .finder = finder,
	};
	struct set keys_before = keys_of(scratch, before);
	struct set keys_after = keys_of(scratch, after);
	struct set users_before = users_of(scratch, before);
	struct set users_after = users_of(scratch, after);

	compare_facts(&c, before, after);
	compare_kubelet(&c);
	compare_lists(&c, "SSH key ", &keys_before, &keys_after);
	compare_lists(&c, "user ", &users_before, &users_after);
	/* A profile with another version has other files. */
	c.are_details = c.has_profile;
	compare_files(&c, before, after);
}
