/*
 * Sets members in YAML or JSON text at their own place. An edit is tried in the ways that the style
 * of the text allows; a way counts only if the result, read again, has the new members and is the
 * same otherwise. So a style that is not foreseen here is refused, never damaged.
 */
#include "yaml/yaml.h"

/* Text that was read, and what it was read as. */
struct edited {
	struct arena *arena;
	sv text;
	struct yml_documents documents;
};

/* Bytes that are replaced. */
struct splice {
	size_t from;
	size_t to;
	sv text;
};

static bool read_edited(struct arena *arena, sv text, struct edited *ret_edited)
{
	struct sink ignored = sink_in(arena);
	const struct source *source = source_new(arena, SV("text"), text, true);

	*ret_edited = (struct edited){.arena = arena, .text = text};
	return yml_parse(arena, &ignored, source, &ret_edited->documents) == STATUS_OK;
}

/* Returns the map that the edit's path begins in, or null. */
static struct value *root_of(const struct edited *e, const struct yml_edit *edit)
{
	struct value *root;

	if (edit->document >= e->documents.count)
		return NULL;
	root = &e->documents.items[edit->document].root;
	if (edit->item == YML_NO_ITEM)
		return root;
	struct value *items = value_is_map(root) ? value_map_get_mutable(root, SV("items")) : NULL;
	if (!items || !value_is_list(items) || edit->item >= value_count(items))
		return NULL;
	return value_item_mutable(items, edit->item);
}

/* ---- lines --------------------------------------------------------------------------------- */

static size_t line_begin(const struct edited *e, size_t at)
{
	while (at > 0 && e->text.ptr[at - 1] != '\n')
		at--;
	return at;
}

/* Returns the begin of the next line. *ret_end is the line ending used here. */
static size_t next_line(const struct edited *e, size_t at, sv *ret_end)
{
	size_t length = sv_find_char(sv_from_offset(e->text, at), '\n');
	/* A last line without a line ending gets that of the first line. */
	size_t end = length == SV_NPOS ? sv_find_char(e->text, '\n') : at + length;
	bool has_cr = end != SV_NPOS && end > 0 && e->text.ptr[end - 1] == '\r';

	*ret_end = has_cr ? SV("\r\n") : SV("\n");
	return length == SV_NPOS ? e->text.len : end + 1;
}

static sv blanks(struct arena *arena, size_t count)
{
	struct buf buf = buf_in(arena);

	buf_add_repeat(&buf, ' ', count);
	return buf_sv(&buf);
}

/* Returns the bytes before a key if they are blank, else as many blanks, as after a list's "- ". */
static sv indentation(const struct edited *e, size_t at)
{
	sv before = sv_slice(e->text, line_begin(e, at), at);

	return sv_empty(sv_trim(before, " \t")) ? before : blanks(e->arena, before.len);
}

/* Inserts lines before the line that begins at `place`. Their LFs become `end`. */
static struct splice lines_at(const struct edited *e, size_t place, sv lines, sv end)
{
	struct buf buf = buf_in(e->arena);

	if (place > 0 && e->text.ptr[place - 1] != '\n')
		buf_add(&buf, end);
	for (size_t i = 0; i < lines.len; i++) {
		if (lines.ptr[i] == '\n')
			buf_add(&buf, end);
		else
			buf_add_char(&buf, lines.ptr[i]);
	}
	return (struct splice){place, place, buf_sv(&buf)};
}

static struct splice lines_after(const struct edited *e, size_t at, sv lines)
{
	sv end;
	size_t place = next_line(e, at, &end);

	return lines_at(e, place, lines, end);
}

static struct splice lines_before(const struct edited *e, size_t at, sv lines)
{
	sv end;

	next_line(e, at, &end);
	return lines_at(e, line_begin(e, at), lines, end);
}

/* ---- missing members ------------------------------------------------------------------------- */

/* The part of an edit's path that the text lacks, and the place to add it. */
struct gap {
	const struct value *map;         /* the last map of the path that is there */
	const struct value_entry *owner; /* the entry whose value that is, or null for the root */
	const struct value_entry *null;  /* the entry with a null in it, or null */
	const sv *rest;                  /* the keys that are missing */
	size_t rest_count;
	sv scalar;
};

/* "a: {b: SCALAR}" */
static sv in_braces(struct arena *arena, const struct gap *gap, bool is_quoted)
{
	const char *quote = is_quoted ? "\"" : "";
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < gap->rest_count; i++)
		buf_printf(&buf, "%s%s%.*s%s: ", i ? "{" : "", quote, SV_ARG(gap->rest[i]), quote);
	buf_add(&buf, gap->scalar);
	buf_add_repeat(&buf, '}', gap->rest_count - 1);
	return buf_sv(&buf);
}

/* A line for each key, indented by `step` more than the one before. */
static sv in_lines(struct arena *arena, const struct gap *gap, sv indent, size_t step)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < gap->rest_count; i++) {
		buf_add(&buf, indent);
		buf_add_repeat(&buf, ' ', i * step);
		buf_printf(&buf, "%.*s:", SV_ARG(gap->rest[i]));
		if (i + 1 < gap->rest_count)
			buf_add_char(&buf, '\n');
	}
	buf_printf(&buf, " %.*s\n", SV_ARG(gap->scalar));
	return buf_sv(&buf);
}

/* Returns how much deeper the members of a map are indented than its own key. */
static size_t step_of(const struct edited *e, const struct gap *gap)
{
	enum { USUAL = 2 };

	if (!gap->owner || value_count(gap->map) == 0)
		return USUAL;
	size_t outer = indentation(e, gap->owner->key_origin.offset).len;
	size_t inner = indentation(e, gap->map->map->entries[0].key_origin.offset).len;
	return inner > outer ? inner - outer : USUAL;
}

static bool is_quoted(const struct edited *e, const struct value_entry *entry)
{
	return entry && entry->key_origin.offset < e->text.len &&
	       e->text.ptr[entry->key_origin.offset] == '"';
}

/* Fills a null with braces where the null is written, else with lines below the key. */
static bool fill_null(const struct edited *e, const struct gap *gap, unsigned way,
                      struct splice *ret_splice)
{
	const struct origin *key = &gap->null->key_origin;
	const struct origin *null = &gap->null->value.origin;
	sv braces = in_braces(e->arena, gap, is_quoted(e, gap->null));
	sv indent =
	    ARENA_CONCAT(e->arena, indentation(e, key->offset), blanks(e->arena, step_of(e, gap)));

	braces = ARENA_CONCAT(e->arena, SV("{"), braces, SV("}"));
	if (way == 0 && null->length > 0)
		*ret_splice =
		    (struct splice){null->offset, (size_t)null->offset + null->length, braces};
	else if (way == 0)
		*ret_splice =
		    lines_after(e, key->offset, in_lines(e->arena, gap, indent, step_of(e, gap)));
	else if (way == 1) {
		size_t after = (size_t)key->offset + key->length + 1;

		*ret_splice =
		    (struct splice){after, after, ARENA_CONCAT(e->arena, SV(" "), braces)};
	} else {
		return false;
	}
	return true;
}

/* Adds to a map in braces that begin at `at`. */
static struct splice add_in_braces(const struct edited *e, const struct gap *gap, size_t at)
{
	const struct value_entry *first =
	    value_count(gap->map) > 0 ? &gap->map->map->entries[0] : NULL;
	sv member = in_braces(e->arena, gap, is_quoted(e, first ? first : gap->owner));
	sv after = sv_from_offset(e->text, at + 1);

	if (!first)
		return (struct splice){at + 1, at + 1, member};
	if (!sv_starts_with(after, SV("\n")) && !sv_starts_with(after, SV("\r\n")))
		return (struct splice){at + 1, at + 1, ARENA_CONCAT(e->arena, member, SV(", "))};
	sv indent = indentation(e, first->key_origin.offset);
	return lines_after(e, at, ARENA_CONCAT(e->arena, indent, member, SV(",\n")));
}

/* Adds to a map of lines: below its own key, else beside one of its first two members. */
static bool add_map_line(const struct edited *e, const struct gap *gap, const struct yml_edit *edit,
                         unsigned way, struct splice *ret_splice)
{
	const struct value_entry *entries = gap->map->map->entries;
	size_t first = entries[0].key_origin.offset;
	sv lines = in_lines(e->arena, gap, indentation(e, first), step_of(e, gap));
	const struct value_entry *beside =
	    gap->owner ? gap->owner : value_map_find(gap->map, edit->beside);

	switch (way) {
	case 0:
		*ret_splice = beside ? lines_after(e, beside->key_origin.offset, lines)
		                     : lines_before(e, first, lines);
		return true;
	case 1:
		*ret_splice = lines_before(e, first, lines);
		return true;
	case 2:
		if (value_count(gap->map) > 1)
			*ret_splice = lines_before(e, entries[1].key_origin.offset, lines);
		else
			*ret_splice = lines_after(e, first, lines);
		return true;
	default:
		return false;
	}
}

static bool fill(const struct edited *e, const struct gap *gap, const struct yml_edit *edit,
                 unsigned way, struct splice *ret_splice)
{
	size_t at = value_position(gap->map).offset;

	if (gap->null)
		return fill_null(e, gap, way, ret_splice);
	if (at < e->text.len && e->text.ptr[at] == '{') {
		*ret_splice = add_in_braces(e, gap, at);
		return way == 0;
	}
	return value_count(gap->map) > 0 && add_map_line(e, gap, edit, way, ret_splice);
}

/* ---- one edit -------------------------------------------------------------------------------- */

/* Replaces a scalar, in its own quotes if those are single. */
static struct splice replace(const struct edited *e, const struct value_entry *entry, sv scalar)
{
	struct origin at = entry->value.origin;
	size_t from = at.offset;
	size_t to = from + at.length;

	if (at.length == 0) {
		from = to = (size_t)entry->key_origin.offset + entry->key_origin.length + 1;
		scalar = ARENA_CONCAT(e->arena, SV(" "), scalar);
	} else if (e->text.ptr[from] == '\'' && scalar.len > 2 && scalar.ptr[0] == '"') {
		scalar =
		    ARENA_CONCAT(e->arena, SV("'"), sv_slice(scalar, 1, scalar.len - 1), SV("'"));
	}
	return (struct splice){from, to, scalar};
}

/* Returns false if the edit has fewer ways, or the text has no map to add the member to. */
static bool splice_of(const struct edited *e, const struct yml_edit *edit, unsigned way,
                      struct splice *ret_splice)
{
	struct gap gap = {.map = root_of(e, edit), .scalar = edit->scalar};

	for (size_t i = 0; i < edit->path_count; i++) {
		const struct value_entry *entry = value_map_find(gap.map, edit->path[i]);

		if (!value_is_map(gap.map) || (entry && !entry->key_origin.source))
			return false;
		gap.rest = &edit->path[i];
		gap.rest_count = edit->path_count - i;
		if (!entry)
			return fill(e, &gap, edit, way, ret_splice);
		if (gap.rest_count == 1) {
			*ret_splice = replace(e, entry, edit->scalar);
			return way == 0 && !value_is_map(&entry->value) &&
			       !value_is_list(&entry->value);
		}
		if (value_is_null(&entry->value)) {
			gap.null = entry;
			gap.rest++;
			gap.rest_count--;
			return fill(e, &gap, edit, way, ret_splice);
		}
		gap.map = &entry->value;
		gap.owner = entry;
	}
	return false;
}

static int compare_splices(const void *a, const void *b, void *context)
{
	const struct splice *left = a;
	const struct splice *right = b;

	(void)context;
	return (left->from > right->from) - (left->from < right->from);
}

static sv spliced(const struct edited *e, struct splice *splices, size_t count)
{
	struct buf buf = buf_in(e->arena);
	size_t at = 0;

	sort_stable(splices, count, sizeof(*splices), compare_splices, NULL);
	for (size_t i = 0; i < count; i++) {
		/* Two edits of one place are refused when the result is read. */
		if (splices[i].from < at || splices[i].to > e->text.len)
			return SV("");
		buf_add(&buf, sv_slice(e->text, at, splices[i].from));
		buf_add(&buf, splices[i].text);
		at = splices[i].to;
	}
	buf_add(&buf, sv_from_offset(e->text, at));
	return buf_sv(&buf);
}

/* ---- the check of the result ------------------------------------------------------------------
 */

static void set_member(const struct edited *e, const struct yml_edit *edit)
{
	struct value *map = root_of(e, edit);

	for (size_t i = 0; i + 1 < edit->path_count; i++) {
		struct value *next = value_map_get_mutable(map, edit->path[i]);

		if (!next || value_is_null(next)) {
			value_map_set(e->arena, map, edit->path[i], value_map_new(e->arena));
			next = value_map_get_mutable(map, edit->path[i]);
		}
		map = next;
	}
	value_map_set(e->arena, map, edit->path[edit->path_count - 1], edit->value);
}

/* Returns true if the text reads as the one before with the edits made, and as nothing else. */
static bool is_as_wanted(const struct edited *before, const struct yml_edit *edits, size_t count,
                         sv text)
{
	struct edited after;
	struct edited wanted = *before;

	if (!read_edited(before->arena, text, &after) ||
	    after.documents.count != before->documents.count)
		return false;
	wanted.documents = (struct yml_documents){0};
	VEC_EACH (document, &before->documents) {
		struct yml_document copy = *document;

		copy.root = value_copy(before->arena, &document->root);
		VEC_PUSH(before->arena, &wanted.documents, copy);
	}
	for (size_t i = 0; i < count; i++)
		set_member(&wanted, &edits[i]);
	for (size_t i = 0; i < after.documents.count; i++)
		if (!value_equal(&wanted.documents.items[i].root, &after.documents.items[i].root))
			return false;
	return true;
}

/* Makes one edit in the first way that works. */
static bool make_edit(struct arena *arena, sv text, const struct yml_edit *edit, sv *ret_text)
{
	struct edited before;
	struct splice splice;

	if (!read_edited(arena, text, &before))
		return false;
	for (unsigned way = 0; splice_of(&before, edit, way, &splice); way++) {
		sv result = spliced(&before, &splice, 1);

		if (is_as_wanted(&before, edit, 1, result)) {
			*ret_text = result;
			return true;
		}
	}
	return false;
}

/* Makes all edits at once, each in its first way. */
static bool make_all(struct arena *arena, sv text, const struct yml_edit *edits, size_t count,
                     sv *ret_text)
{
	struct edited before;
	struct splice *splices = ARENA_ARRAY(arena, struct splice, count);

	if (!read_edited(arena, text, &before))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!splice_of(&before, &edits[i], 0, &splices[i]))
			return false;
	sv result = spliced(&before, splices, count);
	if (!is_as_wanted(&before, edits, count, result))
		return false;
	*ret_text = result;
	return true;
}

bool yml_set_members(struct arena *arena, sv text, const struct yml_edit *edits, size_t count,
                     sv *ret_text, size_t *ret_failed)
{
	sv result = text;

	if (make_all(arena, text, edits, count, ret_text))
		return true;
	for (size_t i = 0; i < count; i++)
		if (!make_edit(arena, result, &edits[i], &result)) {
			*ret_failed = i;
			return false;
		}
	*ret_text = result;
	return true;
}
