/*
 * Helpers of functions and methods: arguments as strings, results, failures.
 */
#include "golang/golang.h"
#include "tmpl/exec.h"

#include <stdarg.h>

struct value value_or_null(const struct value *v)
{
	return v && v->type ? *v : value_null();
}

enum status tmpl_return_ref(struct tmpl_call *call, struct ref ref)
{
	call->result = ref;
	return STATUS_OK;
}

enum status tmpl_return(struct tmpl_call *call, struct value v)
{
	struct value *copy = ARENA_NEW(call->arena, struct value);

	*copy = v;
	return tmpl_return_ref(call, go_ref_of(copy));
}

enum status tmpl_return_nil(struct tmpl_call *call)
{
	return tmpl_return(call, value_null());
}

enum status tmpl_return_string(struct tmpl_call *call, sv s)
{
	return tmpl_return(call, value_string(s));
}

enum status tmpl_return_bool(struct tmpl_call *call, bool b)
{
	static const struct value values[] = {{.type = &type_bool, .boolean = false},
	                                      {.type = &type_bool, .boolean = true}};

	return tmpl_return_ref(call, go_ref_of(&values[b]));
}

enum status tmpl_return_int(struct tmpl_call *call, int64_t i)
{
	return tmpl_return(call, value_int(i));
}

enum status tmpl_return_typed_int(struct tmpl_call *call, const struct type *type, int64_t i)
{
	struct value v = {.type = type};

	v.integer = i;
	return tmpl_return(call, v);
}

enum status tmpl_return_bytes(struct tmpl_call *call, const struct type *type, sv bytes)
{
	struct value v = {.type = type};

	v.string = bytes;
	return tmpl_return(call, v);
}

enum status tmpl_method_string(struct tmpl_call *call)
{
	return tmpl_return_string(call,
	                          call->receiver->type->to_string(call->arena, call->receiver));
}

enum status tmpl_return_float(struct tmpl_call *call, double f)
{
	return tmpl_return(call, value_float(f));
}

enum status tmpl_fail(struct tmpl_call *call, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(call->arena, format, args);
	va_end(args);
	return exec_pend(call->run, TMPL_EXEC, text);
}

enum status tmpl_fail_advised(struct tmpl_call *call, enum run_advice advice, const char *format,
                              ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(call->arena, format, args);
	va_end(args);
	return exec_pend_by_type(call->run, advice, text);
}

/* sprig's strval: strings and bytes as they are, else as %v prints. */
enum status arg_strval(struct tmpl_call *call, const struct value *v, sv *ret_text)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);
	struct ref ref = go_ref_of(v);

	if (v && v->type && (v->type == &type_string || v->type == &type_bytes)) {
		*ret_text = v->string;
		return STATUS_OK;
	}
	if (!go_fmt_print(&p, &ref, 1))
		return STATUS_FAILED;
	*ret_text = text_sv(&out);
	return STATUS_OK;
}
