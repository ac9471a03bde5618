/*
 * JSON between programs, read and written by jansson.
 */
#include "json/json.h"

#include <jansson.h>

void json_doc_free(struct json_t *root)
{
	json_decref(root);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Returns the place of a key; `end` is just after its closing quote. Inner quotes are escaped. */
static struct position key_position(const struct source *source, size_t end)
{
	const char *text = source->text.ptr;
	size_t start = end - 1;

	do
		start--;
	while (text[start] != '"' || text[start - 1] == '\\');
	return (struct position){source, start, end - start};
}

/* Cuts jansson's message before " near '}'": the diagnostic shows the line instead. */
static void report_syntax(struct sink *sink, struct position at, sv words)
{
	size_t near = sv_find(words, SV(" near "));
	struct diag *diag = diag_report_conflict(sink, at);

	if (diag)
		return;
	diag = diag_report(sink, DIAG_JSON_SYNTAX, at, "%.*s", SV_ARG(sv_slice(words, 0, near)));
	diag_set_help(sink, diag, "a program wrote this file: have it written anew, or restore it");
}

/* read: how many bytes of the source were, up to the end of what could not be. */
static void report_mistake(struct sink *sink, const struct source *source, size_t read,
                           const json_error_t *error)
{
	enum json_error_code code = json_error_code(error);
	struct position at = {source, read > 0 ? read - 1 : 0, source->text.len > 0};
	struct diag *diag;

	if (code == json_error_out_of_memory)
		base_out_of_memory();
	if (code == json_error_duplicate_key) {
		struct position key = key_position(source, read);

		diag = diag_report(
		    sink, DIAG_JSON_DUPLICATE_KEY, key, "key %.*s is given twice",
		    SV_ARG(sv_slice(source->text, key.offset, key.offset + key.length)));
		diag_set_help(sink, diag, "remove one of the two");
	} else if (code == json_error_numeric_overflow) {
		diag = diag_report(sink, DIAG_JSON_LIMIT, at, "the number is too large");
		diag_set_help(sink, diag, "integers have 64 bits, other numbers are below 1.8e308");
	} else if (code == json_error_stack_overflow) {
		diag = diag_report(sink, DIAG_JSON_LIMIT, at,
		                   "lists and objects are nested too deeply");
		diag_set_help(sink, diag, "at most %d levels are read", JSON_PARSER_MAX_DEPTH);
	} else if (code == json_error_premature_end_of_input) {
		report_syntax(sink, (struct position){source, source->text.len, 0},
		              SV("the text ends too early"));
	} else if (code == json_error_invalid_utf8) {
		report_syntax(sink, (struct position){source, read, 1}, SV("this is not UTF-8"));
	} else {
		report_syntax(sink, at, sv_from_cstr(error->text));
	}
}

enum status json_doc_read(struct sink *sink, const struct source *source, struct json_t **ret_root)
{
	const sv mark = SV("\xEF\xBB\xBF");
	size_t from = sv_starts_with(source->text, mark) ? mark.len : 0;
	sv text = sv_from_offset(source->text, from);
	json_error_t error;
	json_t *root = json_loadb(text.len > 0 ? text.ptr : "", text.len,
	                          JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

	if (!root) {
		report_mistake(sink, source, from + (size_t)error.position, &error);
		return STATUS_FAILED;
	}
	*ret_root = root;
	return STATUS_OK;
}

const struct json_t *json_doc_get(const struct json_t *v, const char *key)
{
	return json_object_get(v, key);
}

bool json_doc_is_list(const struct json_t *v)
{
	return json_is_array(v);
}

bool json_doc_is_true(const struct json_t *v)
{
	return json_is_true(v);
}

size_t json_doc_count(const struct json_t *v)
{
	return json_array_size(v);
}

const struct json_t *json_doc_item(const struct json_t *list, size_t i)
{
	return json_array_get(list, i);
}

sv json_doc_text(const struct json_t *v)
{
	if (!json_is_string(v))
		return (sv){0};
	return sv_from(json_string_value(v), json_string_length(v));
}

int64_t json_doc_integer(const struct json_t *v)
{
	return json_integer_value(v);
}

/* ---- writing ----------------------------------------------------------------------------- */

void json_start(void)
{
	json_set_alloc_funcs(memory_take, free);
}

/* Checks a new value: jansson returns null if memory runs out. */
static json_t *made(json_t *v)
{
	if (!v)
		base_out_of_memory();
	return v;
}

struct json_t *json_doc_map(void)
{
	return made(json_object());
}

struct json_t *json_doc_list(void)
{
	return made(json_array());
}

static json_t *replace_bad_bytes(sv text)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	buf_add_valid(&buf, text);
	return json_stringn_nocheck(buf.ptr, buf.len);
}

static json_t *text_value(sv text)
{
	json_t *value = json_stringn(text.len > 0 ? text.ptr : "", text.len);

	if (!value && !utf8_valid(text))
		value = replace_bad_bytes(text);
	return made(value);
}

void json_doc_set(struct json_t *map, const char *key, struct json_t *value)
{
	BUG_ON(!json_is_object(map) || !value);
	if (json_object_set_new_nocheck(map, key, value) != 0)
		base_out_of_memory();
}

void json_doc_set_text(struct json_t *map, const char *key, sv text)
{
	json_doc_set(map, key, text_value(text));
}

void json_doc_set_text_if(struct json_t *map, const char *key, sv text)
{
	if (!sv_empty(text))
		json_doc_set_text(map, key, text);
}

void json_doc_set_size(struct json_t *map, const char *key, size_t size)
{
	json_doc_set(map, key, made(json_integer((json_int_t)size)));
}

void json_doc_add(struct json_t *list, struct json_t *value)
{
	BUG_ON(!json_is_array(list) || !value);
	if (json_array_append_new(list, value) != 0)
		base_out_of_memory();
}

void json_doc_add_text(struct json_t *list, sv text)
{
	json_doc_add(list, text_value(text));
}

static int add_chunk(const char *bytes, size_t size, void *context)
{
	struct buf *buf = context;
	sv chunk = sv_from(bytes, size);

	/* COMPAT: \u001b, as it has always been; jansson gives each escape by itself, as \u001B. */
	if (sv_starts_with(chunk, SV("\\u")))
		chunk = arena_lower_ascii(buf->arena, chunk);
	buf_add(buf, chunk);
	return 0;
}

void json_doc_write(struct buf *buf, const struct json_t *root)
{
	if (json_dump_callback(root, add_chunk, buf, JSON_INDENT(2)) != 0)
		base_out_of_memory();
	buf_add_char(buf, '\n');
}

const char *json_library_version(void)
{
	return JANSSON_VERSION;
}
