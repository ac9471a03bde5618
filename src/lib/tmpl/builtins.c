/*
 * Go's own functions (docs/spec/templates.md 3.6).
 */
#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"

/* ---- logic ------------------------------------------------------------------------------- */

static enum status fn_not(struct tmpl_call *call)
{
	return tmpl_return_bool(call, !go_ref_truth(call->args[0]));
}

/* The executor answers these itself. */
static enum status fn_special(struct tmpl_call *call)
{
	return tmpl_fail(call, "unreachable");
}

/* ---- len, index -------------------------------------------------------------------------- */

static enum status fn_len(struct tmpl_call *call)
{
	bool is_nil;
	size_t len;
	struct ref item = go_ref_indirect(call->args[0], &is_nil);

	if (is_nil)
		return tmpl_fail(call, "len of nil pointer");
	if (!go_ref_valid(item))
		return tmpl_fail(call, "reflect: call of reflect.Value.Type on zero Value");
	if (!go_value_len(item.v, &len))
		return tmpl_fail_advised(call, exec_advice_on_type(item.v->type, RUN_ADVICE_NONE),
		                         "len of type %.*s", SV_ARG(item.v->type->name));
	return tmpl_return_int(call, (int64_t)len);
}

static enum status index_number(struct tmpl_call *call, struct ref index, size_t cap,
                                size_t *ret_index)
{
	enum type_kind kind = go_ref_kind(index);
	int64_t x;

	if (go_kind_is_int(kind))
		x = index.v->integer;
	else if (go_kind_is_uint(kind))
		x = (int64_t)index.v->unsigned_integer;
	else if (kind == KIND_INVALID)
		return tmpl_fail(call, "cannot index slice/array with nil");
	else
		return tmpl_fail(call, "cannot index slice/array with type %.*s",
		                 SV_ARG(go_ref_type(index)->name));
	if (x < 0 || (uint64_t)x > cap)
		return tmpl_fail(call, "index out of range: %lld", (long long)x);
	*ret_index = (size_t)x;
	return STATUS_OK;
}

static enum status index_list(struct tmpl_call *call, struct ref item, struct ref index,
                              struct ref *ret_item)
{
	size_t len = 0;
	size_t at = 0;

	(void)go_value_len(item.v, &len);
	TRY(index_number(call, index, len, &at));
	if (at == len)
		return tmpl_fail(call, "reflect: %s index out of range",
		                 item.v->type->kind == KIND_STRING ? "string" : "slice");
	*ret_item = go_value_element(call->arena, item.v, at);
	return STATUS_OK;
}

/* The key in the map's own type; integers convert among themselves. */
static enum status find_key(struct tmpl_run *run, const struct value *map, const struct value *key,
                            const struct value **ret_found)
{
	const struct type *type = map->type->key;
	bool equal = false;

	*ret_found = NULL;
	if (key && key->type->kind == KIND_STRING && (!type || type->kind == KIND_STRING)) {
		*ret_found = value_map_get(map, key->string);
		return STATUS_OK;
	}
	exec_count(run, value_count(map) / EXEC_NAMES_PER_STEP);
	for (size_t i = 0; i < value_count(map) && !equal; i++) {
		const struct value_entry *entry = &map->map->entries[i];
		const struct value *other = entry->typed_key;
		if (!other)
			equal = key && key->type == &type_string && sv_eq(entry->key, key->string);
		else if (key && type && type->kind != KIND_INTERFACE &&
		         (go_kind_is_int(type->kind) || go_kind_is_uint(type->kind)))
			equal = other->integer == key->integer;
		else
			TRY(exec_deep_equal(run, other, key, &equal));
		if (equal)
			*ret_found = &entry->value;
	}
	return STATUS_OK;
}

static bool is_integer(const struct type *type)
{
	return go_kind_is_int(type->kind) || go_kind_is_uint(type->kind);
}

static enum status index_map(struct tmpl_call *call, struct ref item, struct ref index,
                             struct ref *ret_item)
{
	const struct type *type = item.v->type->key ? item.v->type->key : &type_string;
	const struct value *key = go_ref_unboxed(index).v;

	if (!key && !go_type_can_be_nil(type))
		return tmpl_fail(call, "value is nil; should be of type %.*s", SV_ARG(type->name));
	if (key && type->kind != KIND_INTERFACE && !go_type_same(key->type, type) &&
	    !(is_integer(key->type) && is_integer(type)))
		return tmpl_fail_advised(
		    call,
		    exec_advice_on_type(key->type, exec_advice_on_type(type, RUN_ADVICE_NONE)),
		    "value has type %.*s; should be %.*s", SV_ARG(key->type->name),
		    SV_ARG(type->name));
	const struct value *found;
	TRY(find_key(call->run, item.v, key, &found));
	if (found)
		*ret_item = (struct ref){.v = found, .boxed = item.v->type->elem == &type_any};
	else
		*ret_item = go_ref_zero(call->arena, item.v->type->elem);
	return STATUS_OK;
}

static enum status fn_index(struct tmpl_call *call)
{
	struct ref item = go_ref_unboxed(call->args[0]);
	bool is_nil;

	if (!go_ref_valid(item))
		return tmpl_fail(call, "index of untyped nil");
	for (size_t i = 1; i < call->arg_count; i++) {
		struct ref index = go_ref_unboxed(call->args[i]);
		item = go_ref_indirect(item, &is_nil);
		if (is_nil)
			return tmpl_fail(call, "index of nil pointer");
		enum type_kind kind = go_ref_kind(item);
		if (kind == KIND_SLICE || kind == KIND_ARRAY || kind == KIND_STRING)
			TRY(index_list(call, item, index, &item));
		else if (kind == KIND_MAP)
			TRY(index_map(call, item, index, &item));
		else
			return tmpl_fail_advised(
			    call, exec_advice_on_type(item.v->type, RUN_ADVICE_NONE),
			    "can't index item of type %.*s", SV_ARG(item.v->type->name));
	}
	return tmpl_return_ref(call, item);
}

/* Go's slice, where sprig's is not. COMPAT: it takes no index out of an interface. */
static enum status fn_slice(struct tmpl_call *call)
{
	struct ref item = go_ref_unboxed(call->args[0]);
	size_t at[3] = {0, 0, 0};
	bool is_nil;
	size_t len;

	if (!go_ref_valid(item))
		return tmpl_fail(call, "slice of untyped nil");
	item = go_ref_indirect(item, &is_nil);
	if (is_nil)
		return tmpl_fail(call, "slice of nil pointer");
	size_t indexes = call->arg_count - 1;
	if (indexes > 3)
		return tmpl_fail(call, "too many slice indexes: %zu", indexes);
	enum type_kind kind = go_ref_kind(item);
	if (kind == KIND_STRING && indexes == 3)
		return tmpl_fail(call, "cannot 3-index slice a string");
	if (kind != KIND_STRING && kind != KIND_SLICE)
		return tmpl_fail_advised(call, exec_advice_on_type(item.v->type, RUN_ADVICE_NONE),
		                         "can't slice item of type %.*s",
		                         SV_ARG(item.v->type->name));
	(void)go_value_len(item.v, &len);
	at[1] = len;
	for (size_t i = 0; i < indexes; i++)
		TRY(index_number(call, call->args[i + 1], len, &at[i]));
	if (at[0] > at[1])
		return tmpl_fail(call, "invalid slice index: %zu > %zu", at[0], at[1]);
	if (indexes == 3 && at[1] > at[2])
		return tmpl_fail(call, "invalid slice index: %zu > %zu", at[1], at[2]);
	struct value part = *item.v;
	if (kind == KIND_STRING || type_is_bytes(part.type)) {
		part.string = sv_slice(part.string, at[0], at[1]);
		part.taint = taint_slice(call->arena, part.taint, at[0], at[1]);
	} else {
		part.list_from += at[0];
		part.list_len = at[1] - at[0];
	}
	return tmpl_return(call, part);
}

/* ---- comparison -------------------------------------------------------------------------- */

enum basic {
	BASIC_NONE,
	BASIC_BOOL,
	BASIC_COMPLEX,
	BASIC_INT,
	BASIC_FLOAT,
	BASIC_STRING,
	BASIC_UINT,
};

static enum basic basic_of(struct ref ref)
{
	enum type_kind kind = go_ref_kind(ref);

	if (kind == KIND_BOOL)
		return BASIC_BOOL;
	if (go_kind_is_int(kind))
		return BASIC_INT;
	if (go_kind_is_uint(kind))
		return BASIC_UINT;
	if (kind == KIND_FLOAT32 || kind == KIND_FLOAT64)
		return BASIC_FLOAT;
	if (kind == KIND_COMPLEX128)
		return BASIC_COMPLEX;
	return kind == KIND_STRING ? BASIC_STRING : BASIC_NONE;
}

static bool int_equals_uint(const struct value *i, const struct value *u)
{
	return i->integer >= 0 && (uint64_t)i->integer == u->unsigned_integer;
}

static bool is_comparable(const struct type *type)
{
	if (type->kind == KIND_SLICE || type->kind == KIND_MAP || type->kind == KIND_FUNC)
		return false;
	for (size_t i = 0; type->kind == KIND_STRUCT && i < type->field_count; i++)
		if (!is_comparable(type->fields[i].type))
			return false;
	return true;
}

static sv verb_text(struct tmpl_call *call, const char *format, struct ref ref)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);
	struct value text = value_string(sv_from_cstr(format));

	if (!go_fmt_printf(&p, &text, &ref, 1)) {
		call->run->is_pending = false;
		return SV("value");
	}
	return taint_secret(text_taint(call->arena, &out)) ? SV("<a secret>") : text_sv(&out);
}

/* Kinds that are not basic: nil against anything, else identity of comparable values. */
static enum status equal_others(struct tmpl_call *call, struct ref a, struct ref b, bool *ret_equal)
{
	enum type_kind left = go_ref_kind(a);
	enum type_kind right = go_ref_kind(b);

	if (left != right && left != KIND_INVALID && right != KIND_INVALID) {
		sv shown_a = verb_text(call, "%s", a);
		sv shown_b = verb_text(call, "%v", b);
		/* Concatenate without printf: bytes may be NUL. */
		return exec_pend(call->run, TMPL_EXEC,
		                 ARENA_CONCAT(call->arena, SV("non-comparable types "), shown_a,
		                              SV(": "), a.v->type->name, SV(", "), b.v->type->name,
		                              SV(": "), shown_b));
	}
	if (go_ref_is_nil(a) || go_ref_is_nil(b)) {
		*ret_equal = go_ref_is_nil(a) == go_ref_is_nil(b);
		return STATUS_OK;
	}
	if (!is_comparable(b.v->type)) {
		sv shown = verb_text(call, "%s", b);
		return exec_pend(call->run, TMPL_EXEC,
		                 ARENA_CONCAT(call->arena, SV("non-comparable type "), shown,
		                              SV(": "), b.v->type->name));
	}
	if (left != KIND_POINTER)
		return exec_deep_equal(call->run, a.v, b.v, ret_equal);
	*ret_equal = go_type_same(a.v->type, b.v->type) && a.v->target == b.v->target;
	return STATUS_OK;
}

static enum status incompatible(struct tmpl_call *call, struct ref a, struct ref b)
{
	return tmpl_fail_advised(
	    call, exec_advice_on_types(a.v->type, b.v->type, RUN_ADVICE_INCOMPATIBLE_TYPES),
	    "incompatible types for comparison: %.*s and %.*s", SV_ARG(a.v->type->name),
	    SV_ARG(b.v->type->name));
}

static enum status equal(struct tmpl_call *call, struct ref a, struct ref b, bool *ret_equal)
{
	a = go_ref_unboxed(a);
	b = go_ref_unboxed(b);
	enum basic left = basic_of(a);
	enum basic right = basic_of(b);
	*ret_equal = false;
	if (left != right) {
		if (left == BASIC_INT && right == BASIC_UINT)
			*ret_equal = int_equals_uint(a.v, b.v);
		else if (left == BASIC_UINT && right == BASIC_INT)
			*ret_equal = int_equals_uint(b.v, a.v);
		else if (go_ref_valid(a) && go_ref_valid(b))
			return incompatible(call, a, b);
		return STATUS_OK;
	}
	switch (left) {
	case BASIC_BOOL:
		*ret_equal = a.v->boolean == b.v->boolean;
		break;
	case BASIC_COMPLEX:
		*ret_equal =
		    a.v->complex.re == b.v->complex.re && a.v->complex.im == b.v->complex.im;
		break;
	case BASIC_INT:
	case BASIC_UINT:
		*ret_equal = a.v->integer == b.v->integer;
		break;
	case BASIC_FLOAT:
		*ret_equal = a.v->real == b.v->real;
		break;
	case BASIC_STRING:
		*ret_equal = sv_eq(a.v->string, b.v->string);
		break;
	case BASIC_NONE:
		return equal_others(call, a, b, ret_equal);
	}
	return STATUS_OK;
}

static enum status less(struct tmpl_call *call, struct ref a, struct ref b, bool *ret_less)
{
	a = go_ref_unboxed(a);
	b = go_ref_unboxed(b);
	enum basic left = basic_of(a);
	enum basic right = basic_of(b);
	*ret_less = false;
	if (left == BASIC_NONE || right == BASIC_NONE)
		return tmpl_fail_advised(call, RUN_ADVICE_NOT_ORDERED,
		                         "invalid type for comparison");
	if (left != right) {
		if (left == BASIC_INT && right == BASIC_UINT)
			*ret_less =
			    a.v->integer < 0 || (uint64_t)a.v->integer < b.v->unsigned_integer;
		else if (left == BASIC_UINT && right == BASIC_INT)
			*ret_less =
			    b.v->integer >= 0 && a.v->unsigned_integer < (uint64_t)b.v->integer;
		else
			return incompatible(call, a, b);
		return STATUS_OK;
	}
	switch (left) {
	case BASIC_NONE:
	case BASIC_BOOL:
	case BASIC_COMPLEX:
		return tmpl_fail_advised(call, RUN_ADVICE_NOT_ORDERED,
		                         "invalid type for comparison");
	case BASIC_INT:
		*ret_less = a.v->integer < b.v->integer;
		break;
	case BASIC_UINT:
		*ret_less = a.v->unsigned_integer < b.v->unsigned_integer;
		break;
	case BASIC_FLOAT:
		*ret_less = a.v->real < b.v->real;
		break;
	case BASIC_STRING:
		*ret_less = sv_cmp(a.v->string, b.v->string) < 0;
		break;
	}
	return STATUS_OK;
}

static enum status fn_eq(struct tmpl_call *call)
{
	bool result = false;

	if (call->arg_count < 2)
		return tmpl_fail(call, "missing argument for comparison");
	for (size_t i = 1; i < call->arg_count && !result; i++)
		TRY(equal(call, call->args[0], call->args[i], &result));
	return tmpl_return_bool(call, result);
}

static enum status fn_ne(struct tmpl_call *call)
{
	bool result;

	TRY(equal(call, call->args[0], call->args[1], &result));
	return tmpl_return_bool(call, !result);
}

static enum status fn_lt(struct tmpl_call *call)
{
	bool result;

	TRY(less(call, call->args[0], call->args[1], &result));
	return tmpl_return_bool(call, result);
}

static enum status less_or_equal(struct tmpl_call *call, bool *ret_result)
{
	TRY(less(call, call->args[0], call->args[1], ret_result));
	return *ret_result ? STATUS_OK : equal(call, call->args[0], call->args[1], ret_result);
}

static enum status fn_le(struct tmpl_call *call)
{
	bool result;

	TRY(less_or_equal(call, &result));
	return tmpl_return_bool(call, result);
}

static enum status fn_gt(struct tmpl_call *call)
{
	bool result;

	TRY(less_or_equal(call, &result));
	return tmpl_return_bool(call, !result);
}

static enum status fn_ge(struct tmpl_call *call)
{
	bool result;

	TRY(less(call, call->args[0], call->args[1], &result));
	return tmpl_return_bool(call, !result);
}

/* ---- printing ---------------------------------------------------------------------------- */

static enum status fn_print(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);

	if (!go_fmt_print(&p, call->args, call->arg_count))
		return STATUS_FAILED;
	return tmpl_return(call, text_value(call->arena, &out));
}

static enum status fn_println(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);

	if (!go_fmt_println(&p, call->args, call->arg_count))
		return STATUS_FAILED;
	return tmpl_return(call, text_value(call->arena, &out));
}

static enum status fn_printf(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);

	if (!go_fmt_printf(&p, call->args[0].v, call->args + 1, call->arg_count - 1))
		return STATUS_FAILED;
	return tmpl_return(call, text_value(call->arena, &out));
}

/* ---- escaping ---------------------------------------------------------------------------- */

/* Arguments as Print shows them, pointers followed, nothing as "<no value>". */
static enum status args_text(struct tmpl_call *call, sv *ret_text)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);
	struct ref *args = ARENA_ARRAY(call->arena, struct ref, call->arg_count);
	static const struct value no_value = {.type = &type_string,
	                                      .string = SV_INIT("<no value>")};

	for (size_t i = 0; i < call->arg_count; i++) {
		args[i] = go_ref_printable(go_ref_unboxed(call->args[i]));
		if (!go_ref_valid(args[i]))
			args[i] = go_ref_of(&no_value);
	}
	if (!go_fmt_print(&p, args, call->arg_count))
		return STATUS_FAILED;
	*ret_text = text_sv(&out);
	TRY(exec_charge(call->run, ret_text->len / 2));
	return exec_room(call->run, ret_text->len * FMT_BYTES_PER_ESCAPE);
}

static sv html_entity(char c)
{
	switch (c) {
	case '\0':
		return SV("\xEF\xBF\xBD");
	case '"':
		return SV("&#34;");
	case '\'':
		return SV("&#39;");
	case '&':
		return SV("&amp;");
	case '<':
		return SV("&lt;");
	case '>':
		return SV("&gt;");
	default: /* stands for itself */
		return (sv){NULL, 0};
	}
}

static enum status fn_html(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv text;

	TRY(args_text(call, &text));
	for (size_t i = 0; i < text.len; i++) {
		sv entity = html_entity(text.ptr[i]);
		if (entity.len > 0)
			buf_add(&buf, entity);
		else
			buf_add_char(&buf, text.ptr[i]);
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

static void add_js(struct buf *buf, uint32_t rune, sv bytes)
{
	if (rune == '\\' || rune == '\'' || rune == '"') {
		buf_add_char(buf, '\\');
		buf_add_char(buf, (char)rune);
	} else if (rune < ' ' || rune == '<' || rune == '>' || rune == '&' || rune == '=') {
		buf_printf(buf, "\\u%04X", rune);
	} else if (rune < 0x80 || go_strconv_is_print(rune)) {
		buf_add(buf, bytes);
	} else {
		buf_printf(buf, "\\u%04X", rune);
	}
}

static enum status fn_js(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	size_t width;
	sv text;

	TRY(args_text(call, &text));
	for (; text.len > 0; text = sv_from_offset(text, width)) {
		uint32_t rune = utf8_decode(text, &width);
		add_js(&buf, rune, sv_slice(text, 0, width));
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status fn_urlquery(struct tmpl_call *call)
{
	sv text;

	TRY(args_text(call, &text));
	return tmpl_return_string(call, go_url_query_escape(call->arena, text));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC_FLAGS("and", "v*v>v", fn_special, FUNC_AND),
    TMPL_FUNC_FLAGS("call", "v*v>v", fn_special, FUNC_CALL),
    TMPL_FUNC_FLAGS("eq", "v*v>b", fn_eq, FUNC_EQUALITY),
    TMPL_FUNC("ge", "vv>b", fn_ge),
    TMPL_FUNC("gt", "vv>b", fn_gt),
    TMPL_FUNC_IMAGE("html", "*a>s", fn_html),
    TMPL_FUNC_CHOOSES("index", "v*v>v", fn_index, FUNC_CHOOSES_REST),
    TMPL_FUNC_IMAGE("js", "*a>s", fn_js),
    TMPL_FUNC("le", "vv>b", fn_le),
    TMPL_FUNC("len", "v>i", fn_len),
    TMPL_FUNC("lt", "vv>b", fn_lt),
    TMPL_FUNC_FLAGS("ne", "vv>b", fn_ne, FUNC_EQUALITY),
    TMPL_FUNC_FLAGS("not", "v>b", fn_not, FUNC_TRUTH),
    TMPL_FUNC_FLAGS("or", "v*v>v", fn_special, FUNC_OR),
    TMPL_FUNC_KEEPS("print", "*a>s", fn_print),
    TMPL_FUNC_CHOOSES("printf", "s*a>s", fn_printf, FUNC_CHOOSES_FIRST),
    TMPL_FUNC_KEEPS("println", "*a>s", fn_println),
    TMPL_FUNC("slice", "v*v>v", fn_slice),
    TMPL_FUNC_IMAGE("urlquery", "*a>s", fn_urlquery),
};

const struct tmpl_func_table tmpl_builtins = TMPL_TABLE(funcs);
