/*
 * Looks at the lines that a normal form removes and adds.
 */
#include "review/internal.h"

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
	struct report_field field = {.name = SV("line"), .before = removed, .after = added};
	sv value_before = {0};
	sv value_after = {0};
	bool was_member = cut_member(removed, &key_before, &value_before);
	bool is_member = cut_member(added, &key_after, &value_after);
	if (was_member && is_member && sv_eq(key_before, key_after))
		field = (struct report_field){
		    .name = key_before, .before = value_before, .after = value_after};
	else if (sv_empty(added) && was_member)
		field = (struct report_field){.name = key_before, .before = value_before};
	else if (sv_empty(removed) && is_member)
		field = (struct report_field){.name = key_after, .after = value_after};
	*ret_field = field;
	return true;
}

VEC_TYPE(lines, sv);

/* Returns the lines with that sign, without it and the space around them. */
static struct lines lines_of(struct arena *arena, sv form, sv sign)
{
	struct sv_splitter splitter = sv_split(form, '\n');
	struct lines found = {0};
	sv line;

	while (sv_split_next(&splitter, &line))
		if (sv_starts_with(line, sign))
			VEC_PUSH(arena, &found, sv_trim_space(sv_from_offset(line, 1)));
	return found;
}

static bool has_mark_of_values(sv line)
{
	return sv_find_char(line, (char)REVIEW_MARK_OWN) != SV_NPOS ||
	       sv_find_char(line, (char)REVIEW_MARK_FINGERPRINT) != SV_NPOS;
}

static int compare_lines(const void *a, const void *b, void *context UNUSED)
{
	return sv_cmp(*(const sv *)a, *(const sv *)b);
}

sv review_rest(struct arena *arena, sv form, const struct review_fields *fields)
{
	const struct lines before = lines_of(arena, form, SV("-"));
	const struct lines after = lines_of(arena, form, SV("+"));
	struct set added = set_in(arena);
	struct set told = set_in(arena);
	struct lines rest = {0};
	struct buf buf = buf_in(arena);

	VEC_EACH (line, &after)
		set_add(&added, *line);
	VEC_EACH (line, &before) {
		sv now = review_explained(arena, *line, fields);

		if (set_has(&added, now) && (!sv_eq(now, *line) || has_mark_of_values(now)))
			set_add(&told, now);
		else
			VEC_PUSH(arena, &rest, ARENA_CONCAT(arena, SV("-"), *line));
	}
	VEC_EACH (line, &after)
		if (!set_has(&told, *line))
			VEC_PUSH(arena, &rest, ARENA_CONCAT(arena, SV("+"), *line));
	if (rest.count > 0)
		sort_stable(rest.items, rest.count, sizeof(*rest.items), compare_lines, NULL);
	VEC_EACH (line, &rest) {
		buf_add(&buf, *line);
		buf_add_char(&buf, '\n');
	}
	return buf_sv(&buf);
}

sv review_changed_lines(struct arena *arena, sv form)
{
	struct sv_splitter lines = sv_split(form, '\n');
	struct buf buf = buf_in(arena);
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (!sv_starts_with(line, SV("-")) && !sv_starts_with(line, SV("+")))
			continue;
		buf_add(&buf, sv_trim_space(line));
		buf_add_char(&buf, '\n');
	}
	return buf_sv(&buf);
}
