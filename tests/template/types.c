/*
 * Types of the cases: a struct with one field of every sort that templates treat differently, and
 * net.IP.
 */
#include "cases.h"

#include "golang/golang.h"
#include "tmpl/tmpl.h"

#include <arpa/inet.h>

const struct type type_named_string = {.kind = KIND_STRING, .name = SV_INIT("main.NamedString")};
const struct type type_int_ptr = {.kind = KIND_POINTER, .name = SV_INIT("*int"), .elem = &type_int};

struct value *case_new(struct arena *arena, struct value v)
{
	struct value *copy = ARENA_NEW(arena, struct value);

	*copy = v;
	return copy;
}

struct value case_pointer(struct arena *arena, const struct type *type, struct value target)
{
	struct value v = {.type = type};

	v.target = case_new(arena, target);
	return v;
}

struct value case_string_map(struct arena *arena, const char *const *pairs, size_t count)
{
	struct value map = value_map_new(arena);

	map.type = &type_string_map;
	for (size_t i = 0; i < count; i++)
		value_map_set(arena, &map, sv_from_cstr(pairs[2 * i]),
		              value_string(sv_from_cstr(pairs[2 * i + 1])));
	return map;
}

/* ---- a Stringer and an error ------------------------------------------------------------- */

static sv stringer_text(struct arena *arena, const struct value *v)
{
	return arena_printf(arena, "<<%.*s>>", SV_ARG(v->fields[0].string));
}

static const struct type_field stringer_fields[] = {
    {.name = SV_INIT("s"), .type = &type_string, .exported = false},
};

static enum status stringer_string(struct tmpl_call *call)
{
	return tmpl_return_string(call, stringer_text(call->arena, call->receiver));
}

static const struct type_method stringer_methods[] = {
    {"String", ">s", stringer_string},
};

const struct type type_stringer = {
    .kind = KIND_STRUCT,
    .name = SV_INIT("main.stringer"),
    .fields = stringer_fields,
    .field_count = COUNT_OF(stringer_fields),
    .methods = stringer_methods,
    .method_count = COUNT_OF(stringer_methods),
    .to_string = stringer_text,
};

static sv error_text(struct arena *arena, const struct value *v)
{
	(void)arena;
	return v->target ? v->target->fields[0].string : SV("<nil>");
}

static const struct type type_error_string = {
    .kind = KIND_STRUCT,
    .name = SV_INIT("errors.errorString"),
    .fields = stringer_fields,
    .field_count = COUNT_OF(stringer_fields),
};

const struct type type_error_pointer = {
    .kind = KIND_POINTER,
    .name = SV_INIT("*errors.errorString"),
    .elem = &type_error_string,
    .to_string = error_text,
};

/* ---- net.IP ------------------------------------------------------------------------------ */

const struct type type_ip_list = {
    .kind = KIND_SLICE, .name = SV_INIT("[]net.IP"), .elem = &type_ip};

struct value case_ip(struct arena *arena, const char *text)
{
	struct value v = {.type = &type_ip};
	struct ip ip;

	if (go_ip_parse(sv_from_cstr(text), &ip))
		v.string = arena_dup(arena, sv_from((const char *)ip.bytes, sizeof(ip.bytes)));
	return v;
}

/* ---- the struct of the cases ------------------------------------------------------------- */

static const struct type_field sub_fields[] = {
    {.name = SV_INIT("N"), .type = &type_int, .exported = true},
};
static const struct type type_sub = {.kind = KIND_STRUCT,
                                     .name = SV_INIT("main.Sub"),
                                     .fields = sub_fields,
                                     .field_count = COUNT_OF(sub_fields)};
static const struct type type_sub_ptr = {
    .kind = KIND_POINTER, .name = SV_INIT("*main.Sub"), .elem = &type_sub};
static const struct type type_func = {.kind = KIND_FUNC, .name = SV_INIT("func(int) string")};
/* A nil error in a field of type error: an interface with methods is never unwrapped. */
static const struct type type_nil_error = {
    .kind = KIND_POINTER, .name = SV_INIT("error"), .elem = &type_error_string};
static const struct type type_int_map = {
    .kind = KIND_MAP, .name = SV_INIT("map[string]int"), .key = &type_string, .elem = &type_int};

static enum status func_f(struct tmpl_call *call)
{
	return tmpl_return_string(
	    call, arena_printf(call->arena, "f%lld", (long long)call->args[0].v->integer));
}

static const struct type_method function_f = {"F", "i>s", func_f};

static enum status method_hello(struct tmpl_call *call)
{
	return tmpl_return_string(
	    call, arena_printf(call->arena, "hello %.*s", SV_ARG(call->args[0].v->string)));
}

static enum status method_no_arg(struct tmpl_call *call)
{
	return tmpl_return_string(call, SV("noarg"));
}

static enum status method_fail(struct tmpl_call *call)
{
	return tmpl_fail(call, "my failure");
}

static enum status method_panics(struct tmpl_call *call)
{
	return tmpl_fail(call, "boom");
}

static enum status method_var(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);

	buf_printf(&buf, "%.*s[", SV_ARG(call->args[0].v->string));
	for (size_t i = 1; i < call->arg_count; i++)
		buf_printf(&buf, "%s%lld", i > 1 ? " " : "", (long long)call->args[i].v->integer);
	BUF_ADD_LIT(&buf, "]");
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status method_pointer(struct tmpl_call *call)
{
	return tmpl_return_string(call, SV("ptr"));
}

static const struct type_method t_methods[] = {
    {"Fail", ">s", method_fail},     {"Hello", "s>s", method_hello}, {"NoArg", ">s", method_no_arg},
    {"Panics", ">s", method_panics}, {"Var", "s*i>s", method_var},
};
static const struct type_method t_pointer_methods[] = {
    {"PtrMeth", ">s", method_pointer},
};

enum { T_A, T_S, T_PS, T_NS, T_P, T_NP, T_I, T_E, T_M, T_C, T_F, T_SELF, T_U };

static const struct type type_t_ptr;

static const struct type_field t_fields[] = {
    [T_A] = {.name = SV_INIT("A"), .type = &type_string, .exported = true},
    [T_S] = {.name = SV_INIT("S"), .type = &type_sub, .exported = true},
    [T_PS] = {.name = SV_INIT("PS"), .type = &type_sub_ptr, .exported = true},
    [T_NS] = {.name = SV_INIT("NS"), .type = &type_sub_ptr, .exported = true},
    [T_P] = {.name = SV_INIT("P"), .type = &type_string_ptr, .exported = true},
    [T_NP] = {.name = SV_INIT("NP"), .type = &type_string_ptr, .exported = true},
    [T_I] = {.name = SV_INIT("I"), .type = &type_any, .exported = true},
    [T_E] = {.name = SV_INIT("E"), .type = &type_nil_error, .exported = true},
    [T_M] = {.name = SV_INIT("M"), .type = &type_int_map, .exported = true},
    [T_C] = {.name = SV_INIT("C"), .type = &type_string_list, .exported = true},
    [T_F] = {.name = SV_INIT("F"), .type = &type_func, .exported = true},
    [T_SELF] = {.name = SV_INIT("Self"), .type = &type_t_ptr, .exported = true},
    [T_U] = {.name = SV_INIT("u"), .type = &type_int},
};

static const struct type type_t = {.kind = KIND_STRUCT,
                                   .name = SV_INIT("main.T"),
                                   .fields = t_fields,
                                   .field_count = COUNT_OF(t_fields),
                                   .methods = t_methods,
                                   .method_count = COUNT_OF(t_methods)};
static const struct type type_t_ptr = {.kind = KIND_POINTER,
                                       .name = SV_INIT("*main.T"),
                                       .elem = &type_t,
                                       .methods = t_pointer_methods,
                                       .method_count = COUNT_OF(t_pointer_methods)};

static struct value sub(struct arena *arena, int64_t n)
{
	struct value v = {.type = &type_sub};

	v.fields = case_new(arena, value_int(n));
	return v;
}

struct value case_test_struct(struct arena *arena, bool as_pointer)
{
	struct value v = {.type = &type_t};
	struct value *f = ARENA_ARRAY(arena, struct value, COUNT_OF(t_fields));

	for (size_t i = 0; i < COUNT_OF(t_fields); i++)
		f[i].type = t_fields[i].type;
	f[T_A] = value_string(SV("a"));
	f[T_S] = sub(arena, 3);
	f[T_PS] = case_pointer(arena, &type_sub_ptr, sub(arena, 4));
	f[T_P] = case_pointer(arena, &type_string_ptr, value_string(SV("pointed")));
	f[T_I] = value_map_new(arena);
	value_map_set(arena, &f[T_I], SV("k"), value_string(SV("v")));
	f[T_M] = value_map_new(arena);
	f[T_M].type = &type_int_map;
	value_map_set(arena, &f[T_M], SV("one"), value_int(1));
	f[T_C] = value_list_new(arena);
	f[T_C].type = &type_string_list;
	value_list_add(arena, &f[T_C], value_string(SV("x")));
	value_list_add(arena, &f[T_C], value_string(SV("y")));
	f[T_F].opaque = &function_f;
	v.fields = f;
	f[T_SELF] = case_pointer(arena, &type_t_ptr, v);
	return as_pointer ? case_pointer(arena, &type_t_ptr, v) : v;
}
