/*
 * TOML's tokens to tables, arrays and values.
 */
#include "golang/golang.h"
#include "toml/lex.h"
#include "toml/tables.h"
#include "toml/toml.h"

struct parser {
	struct arena *arena;
	struct toml_lexer lx;
	struct toml_tables tables;
	sv key; /* in the table at hand; empty between entries */
	unsigned depth;
};

/* ---- keys -------------------------------------------------------------------------------- */

/* A part's text; the first part of a key is what later mistakes are placed at. */
static bool read_part(struct parser *p, struct toml_path *path)
{
	uint32_t quote = toml_peek(&p->lx);
	struct toml_item item;
	struct value part;
	sv error;

	if (p->lx.failed)
		return false;
	if (!(quote == '"' || quote == '\'' ? toml_lex_quoted(&p->lx, &item)
	                                    : toml_lex_bare(&p->lx, &item)))
		return false;
	if (path->count == 0)
		p->tables.line = item.line;
	if (!toml_scalar(p->arena, &item, &part, &error))
		return toml_fail_at(&p->lx, item.line, "%.*s", SV_ARG(error));
	if (path->count >= TOML_MAX_DEPTH)
		return toml_fail_depth(&p->lx);
	*path = toml_path_add(p->arena, *path, part.string);
	return true;
}

/* Reads a dotted key and the = after it. */
static bool read_key(struct parser *p, struct toml_path *ret)
{
	struct toml_lexer *lx = &p->lx;

	*ret = (struct toml_path){0};
	for (;;) {
		toml_skip_blanks(lx);
		uint32_t rune = toml_peek(lx);
		bool is_first = ret->count == 0;
		if (rune == '=' || rune == TOML_EOF)
			return toml_fail(lx, is_first ? "unexpected '=': key name appears blank"
			                              : "unexpected '='");
		if (rune == '.')
			return toml_fail(lx, is_first
			                         ? "unexpected '.': keys cannot start with a '.'"
			                         : "unexpected '.'");
		if (!read_part(p, ret))
			return false;
		toml_skip_blanks(lx);
		rune = toml_next(lx);
		if (lx->failed)
			return false;
		if (rune == TOML_EOF)
			return toml_fail(lx, "unexpected EOF; expected key separator '='");
		if (rune == '=')
			break;
		sv found = toml_quote_rune(p->arena, rune);
		if (rune == '\n')
			return toml_fail_before(lx, "expected '.' or '=', but got %.*s instead",
			                        SV_ARG(found));
		if (rune != '.')
			return toml_fail(lx, "expected '.' or '=', but got %.*s instead",
			                 SV_ARG(found));
		toml_drop(lx);
	}
	toml_drop(lx);
	return true;
}

/* The tables that the parts before the last imply are at hand afterwards. */
static bool enter_key(struct parser *p, struct toml_path key)
{
	BUG_ON(key.count == 0);
	p->key = key.parts[key.count - 1];
	for (size_t i = 0; i + 1 < key.count; i++) {
		struct toml_path table = toml_path_add(p->arena, p->tables.context, key.parts[i]);

		toml_tables_info(&p->tables, table)->is_implicit = true;
		if (!toml_tables_open(&p->tables, table, false))
			return false;
	}
	return true;
}

/*
 * Notes what kind of value the key at hand has. COMPAT: with an empty key the library notes it for
 * the table that holds it.
 */
static void set_kind(struct parser *p, bool is_array)
{
	static const sv empty = SV_INIT("");
	struct toml_path path =
	    p->key.len > 0 ? toml_path_add(p->arena, p->tables.context, p->key) : p->tables.context;

	if (path.count == 0)
		path = (struct toml_path){&empty, 1};
	toml_tables_info(&p->tables, path)->is_array = is_array;
}

/* ---- values ------------------------------------------------------------------------------ */

static bool read_value(struct parser *p, bool is_in_array, struct value *ret);

static sv rune_or_end(struct arena *arena, uint32_t rune)
{
	struct buf buf = buf_in(arena);

	if (rune == TOML_EOF)
		return SV("end of file");
	buf_add_char(&buf, '\'');
	buf_add_rune(&buf, rune);
	buf_add_char(&buf, '\'');
	return buf_sv(&buf);
}

/* Returns the next rune after white space, line breaks and comments. */
static uint32_t next_in_brackets(struct toml_lexer *lx)
{
	for (;;) {
		uint32_t rune = toml_next(lx);

		if (lx->failed)
			return rune;
		if (rune == '#')
			toml_skip_comment(lx);
		else if (toml_is_blank(rune) || toml_is_break(rune))
			toml_drop(lx);
		else
			return rune;
	}
}

static bool read_array(struct parser *p, struct value *ret)
{
	struct toml_lexer *lx = &p->lx;
	struct value list = value_list_new(p->arena);
	struct value item = VALUE_INVALID;

	set_kind(p, true);
	for (;;) {
		uint32_t rune = next_in_brackets(lx);

		if (lx->failed)
			return false;
		if (rune == ',')
			return toml_fail(lx, "unexpected comma");
		if (rune == ']')
			break;
		toml_back(lx);
		if (!read_value(p, true, &item))
			return false;
		value_list_add(p->arena, &list, item);
		rune = next_in_brackets(lx);
		if (lx->failed)
			return false;
		if (rune == ']')
			break;
		if (rune != ',')
			return toml_fail(lx,
			                 "expected a comma (',') or array terminator (']'), but "
			                 "got %.*s",
			                 SV_ARG(rune_or_end(p->arena, rune)));
		toml_drop(lx);
	}
	toml_drop(lx);
	*ret = list;
	return true;
}

/* One entry of an inline table, into its own tree, too. */
static bool read_inline_entry(struct parser *p, struct value *table)
{
	struct toml_path outer = p->tables.context;
	struct value value = VALUE_INVALID;
	struct toml_path key;

	if (!read_key(p, &key) || !enter_key(p, key) || !read_value(p, false, &value) ||
	    !toml_tables_set(&p->tables, p->key, value))
		return false;
	set_kind(p, value.type == &type_any_list);
	struct value at = *table;
	for (size_t i = 0; i + 1 < key.count; i++) {
		if (!value_map_get(&at, key.parts[i]))
			value_map_set(p->arena, &at, key.parts[i], value_map_new(p->arena));
		const struct value *next = value_map_get(&at, key.parts[i]);
		if (!value_is_map(next))
			return toml_fail_at(
			    &p->lx, p->tables.line, "%.*s is not a table",
			    SV_ARG(go_strconv_quote(p->arena,
			                            toml_path_text(p->arena, p->tables.context))));
		at = *next;
	}
	value_map_set(p->arena, &at, p->key, value);
	p->tables.context = outer;
	return true;
}

/* Reads the separator after an entry. *ret_ends is true at the }. */
static bool read_inline_separator(struct parser *p, bool *ret_ends)
{
	struct toml_lexer *lx = &p->lx;

	*ret_ends = false;
	for (;;) {
		uint32_t rune = next_in_brackets(lx);

		if (lx->failed)
			return false;
		*ret_ends = rune == '}';
		if (*ret_ends)
			return true;
		if (rune != ',')
			return toml_fail(lx,
			                 "expected a comma or an inline table terminator '}', but "
			                 "got %.*s instead",
			                 SV_ARG(rune_or_end(p->arena, rune)));
		toml_drop(lx);
		toml_skip_blanks(lx);
		if (toml_peek(lx) != '}')
			return !lx->failed;
	}
}

static bool read_inline_table(struct parser *p, bool is_in_array, struct value *ret)
{
	struct toml_lexer *lx = &p->lx;
	struct toml_path outer_context = p->tables.context;
	sv outer_key = p->key;
	struct value table = value_map_new(p->arena);
	bool ends = false;

	struct toml_path path = toml_path_add(p->arena, p->tables.context, p->key);
	p->key = SV("");
	toml_tables_info(&p->tables, path)->is_implicit = true;
	p->tables.context = path;
	if (!toml_tables_open(&p->tables, path, is_in_array))
		return false;
	while (!ends) {
		uint32_t rune = next_in_brackets(lx);

		if (lx->failed)
			return false;
		if (rune == ',')
			return toml_fail(lx, "unexpected comma");
		if (rune == '}')
			break;
		toml_back(lx);
		if (!read_inline_entry(p, &table) || !read_inline_separator(p, &ends))
			return false;
	}
	toml_drop(lx);
	p->tables.context = outer_context;
	p->key = outer_key;
	*ret = table;
	return true;
}

static bool read_nested(struct parser *p, bool is_array, bool is_in_array, struct value *ret)
{
	if (p->depth >= TOML_MAX_DEPTH)
		return toml_fail_depth(&p->lx);
	p->depth++;
	bool ok = is_array ? read_array(p, ret) : read_inline_table(p, is_in_array, ret);
	p->depth--;
	return ok;
}

static bool read_value(struct parser *p, bool is_in_array, struct value *ret)
{
	struct toml_item item;
	sv error;

	if (!toml_lex_value(&p->lx, &item))
		return false;
	if (item.kind == TOML_ARRAY || item.kind == TOML_INLINE_TABLE)
		return read_nested(p, item.kind == TOML_ARRAY, is_in_array, ret);
	if (!toml_scalar(p->arena, &item, ret, &error))
		return toml_fail_at(&p->lx, item.line, "%.*s", SV_ARG(error));
	return true;
}

/* ---- the document ------------------------------------------------------------------------ */

/* Reads a table's header, [name] or [[name]], after its first [. */
static bool read_header(struct parser *p)
{
	struct toml_lexer *lx = &p->lx;
	bool is_array = toml_peek(lx) == '[';
	struct toml_path path = {0};

	if (is_array)
		toml_next(lx);
	toml_drop(lx);
	for (;;) {
		toml_skip_blanks(lx);
		uint32_t rune = toml_peek(lx);
		if (lx->failed)
			return false;
		if (rune == ']' || rune == TOML_EOF)
			return toml_fail(lx, "unexpected end of table name (table names cannot be "
			                     "empty)");
		if (rune == '.')
			return toml_fail(lx, "unexpected table separator (table names cannot be "
			                     "empty)");
		if (!read_part(p, &path))
			return false;
		toml_skip_blanks(lx);
		rune = toml_next(lx);
		if (lx->failed)
			return false;
		if (rune == ']')
			break;
		if (rune != '.')
			return toml_fail(
			    lx, "expected '.' or ']' to end table name, but got %.*s instead",
			    SV_ARG(toml_quote_rune(p->arena, rune)));
		toml_drop(lx);
	}
	if (is_array) {
		uint32_t rune = toml_next(lx);

		if (!lx->failed && rune != ']')
			return toml_fail(lx,
			                 "expected end of table array name delimiter ']', but got "
			                 "%.*s instead",
			                 SV_ARG(toml_quote_rune(p->arena, rune)));
	}
	toml_drop(lx);
	if (lx->failed || !toml_tables_open(&p->tables, path, is_array))
		return false;
	/* The name holds a table, or an array of them, from now on. */
	toml_tables_info(&p->tables, path)->is_array = false;
	return true;
}

static bool read_entry(struct parser *p)
{
	struct toml_path outer = p->tables.context;
	struct value value = VALUE_INVALID;
	struct toml_path key;

	if (!read_key(p, &key) || !enter_key(p, key) || !read_value(p, false, &value) ||
	    !toml_tables_set(&p->tables, p->key, value))
		return false;
	set_kind(p, value.type == &type_any_list);
	p->tables.context = outer;
	p->key = SV("");
	return true;
}

/* Checks that nothing follows on the line. *ret_ends is true at the end of the document. */
static bool read_line_end(struct parser *p, bool *ret_ends)
{
	struct toml_lexer *lx = &p->lx;
	uint32_t rune;

	do
		rune = toml_next(lx);
	while (toml_is_blank(rune));
	if (lx->failed)
		return false;
	*ret_ends = rune == TOML_EOF;
	if (rune == '#')
		toml_skip_comment(lx);
	else if (!toml_is_break(rune) && rune != TOML_EOF)
		return toml_fail(
		    lx,
		    "expected a top-level item to end with a newline, comment, or EOF, "
		    "but got %.*s instead",
		    SV_ARG(toml_quote_rune(p->arena, rune)));
	toml_drop(lx);
	return !lx->failed;
}

static bool parse_text(struct parser *p)
{
	bool ends = false;

	while (!ends) {
		uint32_t rune = next_in_brackets(&p->lx);

		if (p->lx.failed)
			return false;
		if (rune == TOML_EOF)
			return true;
		if (rune != '[')
			toml_back(&p->lx);
		if (!(rune == '[' ? read_header(p) : read_entry(p)) || !read_line_end(p, &ends))
			return false;
	}
	return true;
}

/* "last key" of a message. */
static sv last_key(const struct parser *p)
{
	if (p->key.len == 0)
		return toml_path_text(p->arena, p->tables.context);
	if (p->tables.context.count == 0)
		return p->key;
	return ARENA_CONCAT(p->arena, toml_path_text(p->arena, p->tables.context), SV("."), p->key);
}

/* Sets *ret_line to that of the mistake, with *ret_error. */
static bool decode_toml(struct arena *arena, sv text, struct value *ret_value, sv *ret_error,
                        size_t *ret_line)
{
	struct parser p = {.arena = arena};

	*ret_line = 1;
	if (text.len > TOML_MAX_SIZE) {
		*ret_error = SV("toml: the text is too long");
		return false;
	}
	if (sv_starts_with(text, SV("\xFF\xFE")) || sv_starts_with(text, SV("\xFE\xFF")))
		text = sv_from_offset(text, 2);
	else if (sv_starts_with(text, SV("\xEF\xBB\xBF")))
		text = sv_from_offset(text, 3);
	if (text.len > 0 && memchr(text.ptr, 0, text.len < 6 ? text.len : 6)) {
		*ret_error = SV("toml: line 1: files cannot contain NULL bytes; probably using "
		                "UTF-16; TOML files must be UTF-8");
		return false;
	}
	p.lx = (struct toml_lexer){.arena = arena, .text = text, .line = 1};
	p.tables = (struct toml_tables){
	    .arena = arena, .lx = &p.lx, .root = value_map_new(arena), .infos = map_in(arena)};
	if (parse_text(&p)) {
		*ret_value = p.tables.root;
		return true;
	}
	/* Concatenate without printf: a message may hold a NUL. */
	sv key = last_key(&p);
	sv place = key.len == 0 ? SV("")
	                        : arena_printf(arena, " (last key %.*s)",
	                                       SV_ARG(go_strconv_quote(arena, key)));
	*ret_error = ARENA_CONCAT(arena, arena_printf(arena, "toml: line %d", p.lx.error_line),
	                          place, SV(": "), p.lx.message);
	*ret_line = (size_t)p.lx.error_line;
	return false;
}

bool toml_decode(struct arena *arena, sv text, struct value *ret_value, sv *ret_error)
{
	size_t line;

	return decode_toml(arena, text, ret_value, ret_error, &line);
}

size_t toml_mistake_line(struct arena *arena, sv text, sv *ret_error)
{
	struct value unused;
	size_t line;

	return decode_toml(arena, text, &unused, ret_error, &line) ? 0 : line;
}
