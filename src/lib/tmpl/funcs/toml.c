/*
 * The controller's toToml and fromToml.
 */
#include "toml/toml.h"

#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/date.h"

#define TOML_INDENT 2

/* A value that cannot be written gives the library's complaint as the text. */
static enum status fn_to_toml(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	struct buf buf = buf_in(call->arena);
	struct value plain;
	sv error;

	if (!v)
		return tmpl_fail(call, "reflect: call of reflect.Value.Type on zero Value");
	TRY(exec_measure(call->run, v, TOML_INDENT));
	TRY(times_to_texts(call, v, &toml_type_time, &plain));
	if (!toml_encode(&buf, &plain, &error))
		return tmpl_return_string(call, error);
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status fn_from_toml(struct tmpl_call *call)
{
	struct value v;
	sv error;

	TRY(exec_measure_document(call->run, arg_string(call, 0), ",[{="));
	if (!toml_decode(call->arena, arg_string(call, 0), &v, &error)) {
		v = value_map_new(call->arena);
		value_map_set(call->arena, &v, SV("Error"), value_string(error));
	}
	TRY(times_from_texts(call, &v, &toml_type_time));
	return tmpl_return(call, v);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("fromToml", "s>m", fn_from_toml),
    TMPL_FUNC_IMAGE("toToml", "a>s", fn_to_toml),
};

const struct tmpl_func_table tmpl_funcs_toml = TMPL_TABLE(funcs);
