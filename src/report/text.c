/*
 * Makes strings safe to show: escapes, masks, columns, colour.
 */
#include "report/render.h"

#include "tmpl/tmpl.h"

/* ---- colour ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *code;
} codes[] = {
    [RENDER_BOLD] = {"bold", "\x1b[1m"},          [RENDER_ERROR] = {"error", "\x1b[1;31m"},
    [RENDER_WARNING] = {"warning", "\x1b[1;35m"}, [RENDER_NOTE] = {"note", "\x1b[1;36m"},
    [RENDER_GUTTER] = {"gutter", "\x1b[34m"},     [RENDER_ADDED] = {"added", "\x1b[32m"},
    [RENDER_REMOVED] = {"removed", "\x1b[31m"},
};
static const char off[] = "\x1b[0m";

void render_color_on(struct buf *buf, const struct report_style *style, enum render_color color)
{
	if (style->color)
		buf_add_cstr(buf, codes[color].code);
}

void render_color_off(struct buf *buf, const struct report_style *style)
{
	if (style->color)
		buf_add_cstr(buf, off);
}

struct value report_colors(struct arena *arena, const struct report_style *style)
{
	struct value map = value_map_new(arena);

	for (size_t i = 0; i < COUNT_OF(codes); i++)
		value_map_set(arena, &map, sv_from_cstr(codes[i].name),
		              tmpl_word(sv_from_cstr(style->color ? codes[i].code : "")));
	value_map_set(arena, &map, SV("off"), tmpl_word(sv_from_cstr(style->color ? off : "")));
	return map;
}

/* ---- text -------------------------------------------------------------------------------- */

struct range {
	uint32_t first;
	uint32_t last;
};

static bool in_ranges(uint32_t rune, const struct range *ranges, size_t count)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (rune > ranges[middle].last)
			low = middle + 1;
		else if (rune < ranges[middle].first)
			count = middle;
		else
			return true;
	}
	return false;
}

bool render_is_hidden(uint32_t rune)
{
	/*
	 * C0, DEL, C1; line separators; notes between lines; and Unicode's property
	 * Default_Ignorable_Code_Point: marks and overrides of direction, fillers, variation
	 * selectors, tags, the byte order mark. A terminal or a browser shows nothing for them.
	 */
	static const struct range hidden[] = {
	    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x034F, 0x034F},
	    {0x061C, 0x061C},   {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
	    {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
	    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
	    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
	};

	return in_ranges(rune, hidden, COUNT_OF(hidden));
}

size_t render_columns(uint32_t rune)
{
	/* Marks combined with the letter before them (blocks with Unicode's Mn and Me). */
	static const struct range joined[] = {
	    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A},
	    {0x064B, 0x065F}, {0x0900, 0x0902}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},
	    {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x20D0, 0x20FF},
	    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
	};
	/* East Asian Width W and F (Unicode's annex 11), by blocks. */
	static const struct range wide[] = {
	    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
	    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
	    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
	    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF},
	    {0x1B000, 0x1B2FF}, {0x1F200, 0x1F251}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
	    {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
	};

	if (rune < 0x300)
		return 1;
	if (in_ranges(rune, joined, COUNT_OF(joined)))
		return 0;
	return in_ranges(rune, wide, COUNT_OF(wide)) ? 2 : 1;
}

/* \t, \x1b, \u202e */
static void add_escape(struct buf *buf, uint32_t rune)
{
	if (rune == '\n')
		BUF_ADD_LIT(buf, "\\n");
	else if (rune == '\r')
		BUF_ADD_LIT(buf, "\\r");
	else if (rune == '\t')
		BUF_ADD_LIT(buf, "\\t");
	else if (rune < 0x80)
		buf_printf(buf, "\\x%02x", (unsigned)rune);
	else if (rune < 0x10000)
		buf_printf(buf, "\\u%04x", (unsigned)rune);
	else
		buf_printf(buf, "\\U%08x", (unsigned)rune);
}

void report_add_visible(struct buf *buf, sv text)
{
	while (text.len > 0) {
		size_t width;
		uint32_t rune = utf8_decode(text, &width);

		if (rune == UTF8_REPLACEMENT && width == 1)
			buf_printf(buf, "\\x%02x", (unsigned)(unsigned char)text.ptr[0]);
		else if (render_is_hidden(rune))
			add_escape(buf, rune);
		else
			buf_add(buf, sv_slice(text, 0, width));
		text = sv_from_offset(text, width);
	}
}

/* ---- what CI systems take for commands ------------------------------------------------------ */

/* Commands of GitHub ("##["), Azure ("##vso[") and TeamCity count anywhere in a line. */
bool render_is_command(sv text, size_t at)
{
	size_t end = at + 2;

	if (text.len - at < 3 || text.ptr[at] != '#' || text.ptr[at + 1] != '#')
		return false;
	while (end < text.len && ascii_is_alphanumeric(text.ptr[end]))
		end++;
	return end < text.len && text.ptr[end] == '[';
}

/* Returns the length of what CI systems skip before a command: white space and colour. */
static size_t skip_blank(sv line)
{
	static const struct range blank[] = {{0x09, 0x0D},     {0x20, 0x20},     {0x85, 0x85},
	                                     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
	                                     {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
	                                     {0x3000, 0x3000}};
	size_t at = 0;

	while (at < line.len) {
		size_t width;
		sv rest = sv_from_offset(line, at);

		if (sv_starts_with(rest, SV("\x1b["))) {
			size_t end = sv_find_char(rest, 'm');

			width = end == SV_NPOS ? rest.len : end + 1;
		} else if (!in_ranges(utf8_decode(rest, &width), blank, COUNT_OF(blank))) {
			break;
		}
		at += width;
	}
	return at;
}

void report_defuse(struct buf *buf, size_t from)
{
	sv text = arena_dup(buf->arena, sv_from_offset(buf_sv(buf), from));
	size_t kept = 0;
	bool at_start = from == 0 || buf->ptr[from - 1] == '\n';

	buf->len = from;
	for (size_t at = 0; at < text.len; at++) {
		if (at_start) {
			sv line = sv_from_offset(text, at);
			size_t blank = skip_blank(sv_slice(line, 0, sv_find_char(line, '\n')));

			at_start = false;
			if (sv_starts_with(sv_from_offset(line, blank), SV("::"))) {
				buf_add(buf, sv_slice(text, kept, at + blank));
				BUF_ADD_LIT(buf, "\\x3a");
				at += blank;
				kept = at + 1;
				continue;
			}
		}
		if (render_is_command(text, at)) {
			buf_add(buf, sv_slice(text, kept, at + 1));
			BUF_ADD_LIT(buf, "\\x23");
			kept = ++at + 1;
		} else if (text.ptr[at] == '\n') {
			at_start = true;
		}
	}
	buf_add(buf, sv_from_offset(text, kept));
}

void render_text(struct buf *buf, const struct report_style *style, sv text)
{
	report_add_visible(buf, secret_mask_apply(buf->arena, style->mask, text));
}

sv render_joined(struct arena *arena, const struct report_style *style, sv text, sv between)
{
	struct sv_splitter lines = sv_split(text, '\n');
	struct buf buf = buf_in(arena);
	bool is_first = true;
	sv line;

	while (sv_split_next(&lines, &line)) {
		buf_add(&buf, is_first ? SV("") : between);
		is_first = false;
		render_text(&buf, style, line);
	}
	return buf_sv(&buf);
}

void render_count(struct buf *buf, size_t count, const char *one, const char *many)
{
	render_number(buf, count);
	buf_add_char(buf, ' ');
	buf_add_cstr(buf, count == 1 ? one : many);
}

void render_number(struct buf *buf, size_t number)
{
	if (number >= 1000) {
		render_number(buf, number / 1000);
		buf_printf(buf, ",%03zu", number % 1000);
	} else {
		buf_printf(buf, "%zu", number);
	}
}

void report_add_units(struct buf *buf, const struct report_summary *summary, size_t count)
{
	render_number(buf, count);
	buf_add_char(buf, ' ');
	report_add_visible(buf, summary->unit_kind);
	if (count != 1)
		buf_add_char(buf, 's');
}

struct map render_kinds(struct arena *arena, const struct report_summary *summary)
{
	struct map kinds = map_in(arena);

	VEC_EACH (row, &summary->units) {
		size_t *count = map_get(&kinds, row->kind);

		if (row->change == REPORT_REMOVED)
			continue;
		if (!count) {
			count = ARENA_NEW(arena, size_t);
			*count = 0;
			map_put(&kinds, row->kind, count);
		}
		(*count)++;
	}
	return kinds;
}

void report_add_kinds(struct buf *buf, const struct report_summary *summary)
{
	struct map kinds = render_kinds(buf->arena, summary);
	struct buf parts = buf_in(buf->arena);

	if (kinds.count < 2)
		return;
	for (size_t i = 0; i < kinds.count; i++) {
		const size_t *count = kinds.entries[i].value;

		buf_add_item(&parts, SV(""));
		render_number(&parts, *count);
		buf_add_char(&parts, ' ');
		report_add_visible(&parts, kinds.entries[i].key);
		if (*count != 1)
			buf_add_char(&parts, 's');
	}
	buf_printf(buf, " (%.*s)", SV_ARG(buf_sv(&parts)));
}

sv report_unit_name(struct arena *arena, const struct report_unit *unit)
{
	return ARENA_CONCAT(arena, unit->cluster, SV("/"), unit->namespace, SV("/"), unit->name);
}

sv report_place(struct arena *arena, struct position at)
{
	struct buf out = buf_in(arena);

	if (!at.source)
		return (sv){0};
	report_add_visible(&out, at.source->path);
	if (at.offset != SV_NPOS) {
		struct line_column place = position_line_column(at);

		buf_printf(&out, ":%zu:%zu", place.line, place.column);
	}
	return buf_sv(&out);
}

bool render_has_file(struct position at)
{
	return at.source && !sv_empty(at.source->path) &&
	       !sv_starts_with(at.source->path, SV("-")) &&
	       (sv_find_char(at.source->path, '/') != SV_NPOS ||
	        sv_find_char(at.source->path, '.') != SV_NPOS);
}

/* ---- words ------------------------------------------------------------------------------- */

sv report_class_word(enum report_class class)
{
	switch (class) {
	case REPORT_CLASS_NONE:
		return SV("NONE");
	case REPORT_CLASS_METADATA:
		return SV("METADATA");
	case REPORT_CLASS_NEW_NODES:
		return SV("NEW-NODES-ONLY");
	case REPORT_CLASS_UNKNOWN:
		return SV("UNKNOWN");
	case REPORT_CLASS_IN_PLACE:
		return SV("IN-PLACE");
	case REPORT_CLASS_ADD:
		return SV("ADD");
	case REPORT_CLASS_ROLL:
		return SV("ROLL");
	case REPORT_CLASS_SCALE:
		return SV("SCALE");
	case REPORT_CLASS_REMOVE:
		return SV("REMOVE");
	}
	BUG("class");
}

void report_add_shell_word(struct buf *buf, sv word)
{
	bool is_plain = !sv_empty(word);

	for (size_t i = 0; i < word.len; i++)
		is_plain &= ascii_is_alphanumeric((uint8_t)word.ptr[i]) ||
		            (word.ptr[i] && strchr("-_./+,:@%", word.ptr[i]));
	if (is_plain) {
		buf_add(buf, word);
		return;
	}
	buf_add_char(buf, '\'');
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] == '\'')
			BUF_ADD_LIT(buf, "'\\''");
		else if ((uint8_t)word.ptr[i] >= ' ' && word.ptr[i] != 0x7f)
			buf_add_char(buf, word.ptr[i]);
	}
	buf_add_char(buf, '\'');
}
