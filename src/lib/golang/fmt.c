/*
 * Printing by type: what each verb makes of each kind.
 */
#include "golang/fmt.h"

static void print_value(struct printer *p, struct ref ref, uint32_t verb, int depth, bool exported);

void fmt_add_verb(struct printer *p, uint32_t verb)
{
	fmt_add(p, SV("%!"));
	buf_add_rune(&p->out->buf, verb);
}

/* %!d(string=x) */
void fmt_bad_verb(struct printer *p, struct ref ref, uint32_t verb, bool as_arg)
{
	bool erroring = p->erroring;

	p->erroring = true;
	fmt_add_verb(p, verb);
	fmt_add(p, SV("("));
	if (!go_ref_valid(go_ref_unboxed(ref))) {
		fmt_add(p, SV("<nil>"));
	} else {
		fmt_add(p, go_ref_type(ref)->name);
		fmt_add(p, SV("="));
		if (as_arg)
			fmt_arg(p, ref, 'v');
		else
			print_value(p, ref, 'v', 0, true);
	}
	fmt_add(p, SV(")"));
	p->erroring = erroring;
}

/* ---- single kinds ------------------------------------------------------------------------ */

static void print_bool(struct printer *p, struct ref ref, uint32_t verb)
{
	if (verb == 't' || verb == 'v')
		fmt_boolean(p, ref.v->boolean);
	else
		fmt_bad_verb(p, ref, verb, false);
}

/* 0x... as Go syntax shows unsigned numbers */
static void print_0x(struct printer *p, uint64_t u)
{
	bool sharp = p->flags.sharp;

	p->flags.sharp = true;
	fmt_integer(p, u, false, 16, 'v', false);
	p->flags.sharp = sharp;
}

static void print_integer(struct printer *p, struct ref ref, uint64_t bits, bool is_signed,
                          uint32_t verb)
{
	bool negative = is_signed && (int64_t)bits < 0;
	uint64_t u = negative ? 0 - bits : bits;

	switch (verb) {
	case 'v':
		if (p->flags.sharp_v && !is_signed)
			print_0x(p, u);
		else
			fmt_integer(p, u, negative, 10, verb, false);
		return;
	case 'd':
		fmt_integer(p, u, negative, 10, verb, false);
		return;
	case 'b':
		fmt_integer(p, u, negative, 2, verb, false);
		return;
	case 'o':
	case 'O':
		fmt_integer(p, u, negative, 8, verb, false);
		return;
	case 'x':
	case 'X':
		fmt_integer(p, u, negative, 16, verb, verb == 'X');
		return;
	case 'c':
		fmt_char(p, bits);
		return;
	case 'q':
		fmt_quoted_char(p, bits);
		return;
	case 'U':
		fmt_unicode(p, bits);
		return;
	default: /* every other verb */
		fmt_bad_verb(p, ref, verb, false);
	}
}

static bool print_real(struct printer *p, double value, int bits, uint32_t verb)
{
	switch (verb) {
	case 'v':
		fmt_float(p, value, bits, 'g', -1);
		return true;
	case 'b':
	case 'g':
	case 'G':
	case 'x':
	case 'X':
		fmt_float(p, value, bits, (char)verb, -1);
		return true;
	case 'f':
	case 'e':
	case 'E':
		fmt_float(p, value, bits, (char)verb, 6);
		return true;
	case 'F':
		fmt_float(p, value, bits, 'f', 6);
		return true;
	default: /* every other verb */
		return false;
	}
}

static bool is_among(uint32_t verb, const char *verbs)
{
	return verb != 0 && verb <= 0x7F && strchr(verbs, (int)verb);
}

static void print_complex(struct printer *p, struct ref ref, uint32_t verb)
{
	if (!is_among(verb, "vbgGxXfFeE")) {
		fmt_bad_verb(p, ref, verb, false);
		return;
	}
	bool plus = p->flags.plus;
	fmt_add(p, SV("("));
	print_real(p, ref.v->complex.re, 64, verb);
	p->flags.plus = true;
	print_real(p, ref.v->complex.im, 64, verb);
	fmt_add(p, SV("i)"));
	p->flags.plus = plus;
}

static void print_string(struct printer *p, struct ref ref, sv s, const struct taint *taint,
                         uint32_t verb)
{
	switch (verb) {
	case 'v':
		fmt_string(p, s, taint, p->flags.sharp_v ? 'q' : 's');
		return;
	case 's':
	case 'x':
	case 'X':
	case 'q':
		fmt_string(p, s, taint, verb);
		return;
	default: /* every other verb */
		fmt_bad_verb(p, ref, verb, false);
	}
}

/* ---- composites -------------------------------------------------------------------------- */

static void separate(struct printer *p, size_t i)
{
	if (i > 0)
		fmt_add(p, p->flags.sharp_v ? SV(", ") : SV(" "));
}

static void open_composite(struct printer *p, const struct type *type, sv plain)
{
	if (p->flags.sharp_v) {
		fmt_add(p, type->name);
		fmt_add(p, SV("{"));
	} else {
		fmt_add(p, plain);
	}
}

static bool nil_in_go_syntax(struct printer *p, const struct value *v)
{
	if (!p->flags.sharp_v || !go_ref_is_nil(go_ref_of(v)))
		return false;
	fmt_add(p, v->type->name);
	fmt_add(p, SV("(nil)"));
	return true;
}

static void print_map(struct printer *p, const struct value *map, uint32_t verb, int depth,
                      bool exported)
{
	size_t count;

	if (nil_in_go_syntax(p, map))
		return;
	if (p->budget && !p->budget->read(p->context, go_value_sorting_bytes(map)))
		p->failed = true;
	if (p->failed)
		return;
	open_composite(p, map->type, SV("map["));
	struct value_entry **entries = go_value_sorted_entries(p->arena, map, &count);
	for (size_t i = 0; i < count && !p->failed; i++) {
		separate(p, i);
		print_value(p, go_value_entry_key(p->arena, map, entries[i]), verb, depth + 1,
		            exported);
		fmt_add(p, SV(":"));
		print_value(p, go_value_entry_ref(map, entries[i]), verb, depth + 1, exported);
	}
	fmt_add(p, p->flags.sharp_v ? SV("}") : SV("]"));
}

static void print_struct(struct printer *p, const struct value *v, uint32_t verb, int depth,
                         bool exported)
{
	open_composite(p, v->type, SV("{"));
	if (v->type->inside)
		v = v->type->inside(p->arena, v);
	for (size_t i = 0; i < v->type->field_count && v->type->fields && !p->failed; i++) {
		const struct type_field *field = &v->type->fields[i];
		const struct value *inner = &v->fields[i];
		separate(p, i);
		if (p->flags.plus_v || p->flags.sharp_v) {
			fmt_add(p, field->name);
			fmt_add(p, SV(":"));
		}
		struct ref ref = {.v = inner, .boxed = field->type == &type_any};
		if (ref.boxed && go_ref_valid(go_ref_unboxed(ref)))
			ref = go_ref_unboxed(ref);
		/* Exported fields of an unexported embedded struct may be asked for their text. */
		print_value(p, ref, verb, depth + 1,
		            exported && (field->exported || field->embedded));
	}
	fmt_add(p, SV("}"));
}

static void print_byte_list(struct printer *p, const struct value *v, uint32_t verb, int depth)
{
	sv s = v->string;

	if (verb == 's' || verb == 'x' || verb == 'X' || verb == 'q') {
		fmt_string(p, s, v->taint, verb);
		return;
	}
	if (nil_in_go_syntax(p, v))
		return;
	if (p->flags.sharp_v)
		fmt_add(p, v->type == &type_bytes && depth == 0 && verb != 'w' ? SV("[]byte")
		                                                               : v->type->name);
	fmt_add(p, p->flags.sharp_v ? SV("{") : SV("["));
	for (size_t i = 0; i < s.len && !p->failed; i++) {
		struct ref byte = go_value_element(p->arena, v, i);
		separate(p, i);
		print_value(p, byte, verb, 1, true);
	}
	fmt_add(p, p->flags.sharp_v ? SV("}") : SV("]"));
}

static void print_list(struct printer *p, const struct value *list, uint32_t verb, int depth,
                       bool exported)
{
	if (type_is_bytes(list->type)) {
		size_t from = p->out->buf.len;
		print_byte_list(p, list, verb, depth);
		text_mark_taint(p->out, from, list->taint);
		return;
	}
	if (nil_in_go_syntax(p, list))
		return;
	open_composite(p, list->type, SV("["));
	for (size_t i = 0; i < value_count(list) && !p->failed; i++) {
		separate(p, i);
		print_value(p, go_value_element(p->arena, list, i), verb, depth + 1, exported);
	}
	fmt_add(p, p->flags.sharp_v ? SV("}") : SV("]"));
}

/* Go prints where a value lies in memory, which no two runs share. */
static void refuse_address(struct printer *p, const struct value *v)
{
	if (!p->failed && p->budget)
		p->budget->refuse(
		    p->context,
		    arena_printf(p->arena,
		                 "value is a pointer of type %.*s: Go prints its address, "
		                 "which is another one each time",
		                 SV_ARG(v->type->name)),
		    v->type);
	p->failed = true;
}

static bool is_composite_pointer(const struct value *v)
{
	if (v->type->kind != KIND_POINTER || !v->target)
		return false;
	enum type_kind kind = v->type->elem->kind;
	return kind == KIND_ARRAY || kind == KIND_SLICE || kind == KIND_STRUCT || kind == KIND_MAP;
}

static void print_pointer(struct printer *p, struct ref ref, uint32_t verb)
{
	if (!is_among(verb, "vpbodxX")) {
		/* A wrong verb's value is shown as at the top: as what it points at, where it may.
		 */
		if (go_ref_is_nil(ref) || is_composite_pointer(ref.v))
			fmt_bad_verb(p, ref, verb, false);
		else
			refuse_address(p, ref.v);
		return;
	}
	if (!go_ref_is_nil(ref)) {
		refuse_address(p, ref.v);
	} else if (verb == 'v' && p->flags.sharp_v) {
		fmt_add(p, SV("("));
		fmt_add(p, ref.v->type->name);
		fmt_add(p, SV(")(nil)"));
	} else if (verb == 'v') {
		fmt_pad(p, SV("<nil>"));
	} else if (verb == 'p') {
		bool sharp = p->flags.sharp;
		p->flags.sharp = !sharp;
		fmt_integer(p, 0, false, 16, 'v', false);
		p->flags.sharp = sharp;
	} else {
		print_integer(p, ref, 0, false, verb);
	}
}

/* ---- methods ----------------------------------------------------------------------------- */

typedef sv text_of_value(struct arena *arena, const struct value *v);

static text_of_value *text_method(const struct printer *p, const struct type *type)
{
	return p->flags.sharp_v ? type->to_go_string : type->to_string;
}

/* Stringer, GoStringer and error; also those of the type a pointer points at. */
static bool print_by_method(struct printer *p, struct ref ref, uint32_t verb)
{
	const struct value *v = ref.v;

	if (p->erroring || (!p->flags.sharp_v && !is_among(verb, "vsxXq")))
		return false;
	const struct type *type = v->type;
	if (!text_method(p, type) && type->kind == KIND_POINTER && text_method(p, type->elem)) {
		if (!v->target) {
			fmt_pad(p, SV("<nil>"));
			return true;
		}
		v = v->target;
		type = v->type;
	}
	if (!text_method(p, type))
		return false;
	/* Cost of formatting a time. */
	enum { BYTES_PER_METHOD = 512 };
	if (p->budget && !p->budget->read(p->context, BYTES_PER_METHOD))
		p->failed = true;
	if (p->failed)
		return true;
	size_t from = p->out->buf.len;
	sv text = text_method(p, type)(p->arena, v);
	if (p->flags.sharp_v)
		fmt_string(p, text, NULL, 's');
	else
		print_string(p, ref, text, NULL, verb);
	text_mark_taint(p->out, from, v->taint);
	return true;
}

static void print_by_kind(struct printer *p, struct ref ref, uint32_t verb, int depth,
                          bool exported)
{
	const struct value *v = ref.v;
	enum type_kind kind = v->type->kind;

	if (kind == KIND_BOOL) {
		print_bool(p, ref, verb);
	} else if (go_kind_is_int(kind)) {
		print_integer(p, ref, (uint64_t)v->integer, true, verb);
	} else if (go_kind_is_uint(kind)) {
		print_integer(p, ref, v->unsigned_integer, false, verb);
	} else if (go_type_is_float(v->type)) {
		if (!print_real(p, v->real, kind == KIND_FLOAT32 ? 32 : 64, verb))
			fmt_bad_verb(p, ref, verb, false);
	} else if (kind == KIND_COMPLEX128) {
		print_complex(p, ref, verb);
	} else if (kind == KIND_STRING) {
		print_string(p, ref, v->string, v->taint, verb);
	} else if (kind == KIND_MAP) {
		print_map(p, v, verb, depth, exported);
	} else if (kind == KIND_STRUCT) {
		print_struct(p, v, verb, depth, exported);
	} else if (kind == KIND_SLICE || kind == KIND_ARRAY) {
		print_list(p, v, verb, depth, exported);
	} else if (depth == 0 && is_composite_pointer(v)) {
		fmt_add(p, SV("&"));
		print_value(p, go_ref_target(v), verb, depth + 1, exported);
	} else {
		print_pointer(p, ref, verb);
	}
}

static void print_value(struct printer *p, struct ref ref, uint32_t verb, int depth, bool exported)
{
	if (p->budget && !p->budget->descend(p->context))
		p->failed = true;
	if (p->failed)
		return;
	if (!go_ref_valid(go_ref_unboxed(ref))) {
		if (ref.boxed && p->flags.sharp_v)
			fmt_add(p, SV("interface {}(nil)"));
		else
			fmt_add(p, SV("<nil>"));
		return;
	}
	ref = go_ref_unboxed(ref);
	if (depth > 0 && exported && print_by_method(p, ref, verb))
		return;
	size_t from = p->out->buf.len;
	print_by_kind(p, ref, verb, depth, exported);
	/* Values other than strings, such as numbers, may have come from a secret, too. */
	if (ref.v->taint && !value_is_string(ref.v) && !type_is_bytes(ref.v->type))
		text_mark_taint(p->out, from, ref.v->taint);
}

/* An argument: an interface {} that holds ref, or nil. */
void fmt_arg(struct printer *p, struct ref arg, uint32_t verb)
{
	struct ref ref = go_ref_unboxed(arg);

	if (!go_ref_valid(ref)) {
		if (verb == 'T' || verb == 'v')
			fmt_pad(p, SV("<nil>"));
		else
			fmt_bad_verb(p, ref, verb, true);
		return;
	}
	if (verb == 'T') {
		fmt_string(p, ref.v->type->name, NULL, 's');
		return;
	}
	enum type_kind kind = ref.v->type->kind;
	if (verb == 'p') {
		if (kind == KIND_MAP || kind == KIND_POINTER || kind == KIND_SLICE ||
		    kind == KIND_FUNC)
			print_pointer(p, ref, verb);
		else
			fmt_bad_verb(p, ref, verb, true);
		return;
	}
	if (!print_by_method(p, ref, verb))
		print_value(p, ref, verb, 0, true);
}

/* ---- Print, Println ---------------------------------------------------------------------- */

/* A space between two operands when neither is a string. */
bool go_fmt_print(struct printer *p, const struct ref *args, size_t count)
{
	bool after_string = false;

	for (size_t i = 0; i < count && !p->failed; i++) {
		bool is_string = go_ref_kind(go_ref_unboxed(args[i])) == KIND_STRING;
		if (i > 0 && !is_string && !after_string)
			fmt_add(p, SV(" "));
		fmt_arg(p, args[i], 'v');
		after_string = is_string;
	}
	return !p->failed;
}

bool go_fmt_println(struct printer *p, const struct ref *args, size_t count)
{
	for (size_t i = 0; i < count && !p->failed; i++) {
		if (i > 0)
			fmt_add(p, SV(" "));
		fmt_arg(p, args[i], 'v');
	}
	fmt_add(p, SV("\n"));
	return !p->failed;
}
