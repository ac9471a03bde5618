/*
 * Finds the fields of a change: old and new values that people know, or else the parts of the
 * config that differ.
 */
#include "review/internal.h"

/* A longer line of a file is not shown as a value. */
enum { LINE_MAX_SHOWN = 40 };

struct comparison {
	struct arena *scratch;
	const struct review_unit *unit;
	struct review_fields *fields;
};

static void add_field(const struct comparison *c, sv name, sv before, sv after)
{
	VEC_PUSH(c->scratch, c->fields,
	         (struct report_field){
	             .name = review_normal_text(c->scratch, name, c->unit),
	             .before = review_normal_text(c->scratch, before, c->unit),
	             .after = review_normal_text(c->scratch, after, c->unit),
	         });
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

static void compare_facts(const struct comparison *c, const struct dialect_description *before,
                          const struct dialect_description *after)
{
	const struct map known_before = facts_of(c->scratch, before);
	const struct map known_after = facts_of(c->scratch, after);

	VEC_EACH (fact, &after->facts) {
		sv was = fact_value(&known_before, fact->name);

		if (!sv_eq(was, fact->value))
			add_field(c, fact->name, was, fact->value);
	}
	VEC_EACH (fact, &before->facts)
		if (sv_empty(fact_value(&known_after, fact->name)) && !sv_empty(fact->value))
			add_field(c, fact->name, fact->value, SV(""));
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

static void compare_files(const struct comparison *c, const struct dialect_description *before,
                          const struct dialect_description *after)
{
	const struct map was = files_of(c->scratch, before);
	const struct map is = files_of(c->scratch, after);

	for (size_t i = 0; i < is.count; i++) {
		const struct dialect_node_file *file = is.entries[i].value;
		const struct dialect_node_file *old = map_get(&was, file->path);

		if (!old)
			add_part(c, "", file->path, "added");
		else if (!sv_eq(old->text, file->text))
			compare_texts(c, file->path, old->text, file->text);
		else if (old->mode != file->mode)
			add_part(c, "mode of ", file->path, "changed");
	}
	for (size_t i = 0; i < was.count; i++)
		if (!map_get(&is, was.entries[i].key))
			add_part(c, "", was.entries[i].key, "removed");
}

/* Adds a part for each string that only one of the lists has. */
static void compare_lists(const struct comparison *c, const char *what, const struct map *before,
                          const struct map *after)
{
	for (size_t i = 0; i < after->count; i++)
		if (!map_get(before, after->entries[i].key))
			add_part(c, what, after->entries[i].key, "added");
	for (size_t i = 0; i < before->count; i++)
		if (!map_get(after, before->entries[i].key))
			add_part(c, what, before->entries[i].key, "removed");
}

static struct map keys_of(struct arena *arena, const struct dialect_description *description)
{
	struct map keys = map_in(arena);

	VEC_EACH (key, &description->ssh_keys)
		map_put(&keys, review_short_key(arena, *key), &keys);
	return keys;
}

static struct map users_of(struct arena *arena, const struct dialect_description *description)
{
	struct map users = map_in(arena);

	VEC_EACH (user, &description->users)
		map_put(&users, *user, &users);
	return users;
}

void review_compare(struct arena *scratch, const struct review_unit *unit,
                    const struct dialect_description *before,
                    const struct dialect_description *after, struct review_fields *fields)
{
	const struct comparison c = {scratch, unit, fields};
	struct map keys_before = keys_of(scratch, before);
	struct map keys_after = keys_of(scratch, after);
	struct map users_before = users_of(scratch, before);
	struct map users_after = users_of(scratch, after);

	compare_facts(&c, before, after);
	compare_lists(&c, "SSH key ", &keys_before, &keys_after);
	compare_lists(&c, "user ", &users_before, &users_after);
	if (fields->count == 0)
		compare_files(&c, before, after);
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Cuts "key: value" at the colon; returns false if the line has another form. */
static bool cut_member(sv line, sv *ret_key, sv *ret_value)
{
	return sv_cut(line, SV(": "), ret_key, ret_value) && !sv_empty(*ret_key) &&
	       sv_find_char(*ret_key, ' ') == SV_NPOS;
}

/* Returns true for a line that changes with every change of the unit, or whose file is named. */
static bool is_skipped(sv line)
{
	return sv_find_char(line, (char)REVIEW_MARK_OWN) != SV_NPOS ||
	       sv_starts_with(line, SV("--- ")) || sv_starts_with(line, SV("+++ "));
}

bool review_first_line(sv form, struct report_field *ret_field)
{
	struct sv_splitter lines = sv_split(form, '\n');
	sv removed = {0};
	sv added = {0};
	sv key_before;
	sv key_after;
	sv line;

	while (sv_split_next(&lines, &line) && (sv_empty(removed) || sv_empty(added))) {
		if (is_skipped(line))
			continue;
		if (sv_empty(removed) && sv_starts_with(line, SV("-")))
			removed = sv_trim_space(sv_from_offset(line, 1));
		else if (sv_empty(added) && sv_starts_with(line, SV("+")))
			added = sv_trim_space(sv_from_offset(line, 1));
	}
	if (sv_empty(removed) && sv_empty(added))
		return false;
	*ret_field = (struct report_field){SV("line"), removed, added};
	sv value_before;
	sv value_after;
	if (cut_member(removed, &key_before, &value_before) &&
	    cut_member(added, &key_after, &value_after) && sv_eq(key_before, key_after))
		*ret_field = (struct report_field){key_before, value_before, value_after};
	else if (sv_empty(added) && cut_member(removed, &key_before, &value_before))
		*ret_field = (struct report_field){key_before, value_before, SV("")};
	else if (sv_empty(removed) && cut_member(added, &key_after, &value_after))
		*ret_field = (struct report_field){key_after, SV(""), value_after};
	return true;
}
