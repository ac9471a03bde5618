/*
 * The controller's toYaml, fromYaml, fromYamlArray.
 */
#include "yaml/yaml.h"

#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/date.h"

#define YML_INDENT 4

static enum status fn_to_yaml(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	const struct value null = value_null();
	struct buf buf = buf_in(call->arena);
	struct value plain;
	sv error;

	TRY(exec_measure(call->run, v, YML_INDENT));
	TRY(times_to_texts(call, v ? v : &null, &yml_type_time, &plain));
	/* Go refuses types, whatever the value. */
	if (!yml_emit_v3(&buf, &plain, &error))
		return exec_pend_by_type(call->run, RUN_ADVICE_NONE, error);
	/* One line feed less, no more: a literal block keeps its own. */
	if (buf.len > 0 && buf.ptr[buf.len - 1] == '\n')
		buf.len--;
	return tmpl_return_string(call, buf_sv(&buf));
}

/*
 * COMPAT: go-yaml reads {a:} as the key "a:", libyaml does not read it. An error then, instead of
 * another result than the controller's.
 */
static enum status refuse_colon(struct tmpl_call *call, sv error)
{
	if (!sv_contains(error, SV("found unexpected ':'")))
		return STATUS_OK;
	return tmpl_fail(call, "yaml: a ':' right before one of , ? [ ] { } is not understood: "
	                       "put the text that holds it in quotes");
}

/* Block sequences begin each item with a hyphen. */
#define YML_BEGINNINGS ",[{:?&-"

static enum status fn_from_yaml(struct tmpl_call *call)
{
	struct value v = value_map_new(call->arena);
	sv error;

	TRY(exec_measure_document(call->run, arg_string(call, 0), YML_BEGINNINGS));
	if (!yml_decode_v3(call->arena, arg_string(call, 0), false, &v, &error)) {
		TRY(refuse_colon(call, error));
		if (!value_is_map(&v) || !v.map)
			v = value_map_new(call->arena);
		value_map_set(call->arena, &v, SV("Error"), value_string(error));
	}
	TRY(times_from_texts(call, &v, &yml_type_time));
	return tmpl_return(call, v);
}

static enum status fn_from_yaml_array(struct tmpl_call *call)
{
	struct value v = value_list_new(call->arena);
	sv error;

	TRY(exec_measure_document(call->run, arg_string(call, 0), YML_BEGINNINGS));
	if (!yml_decode_v3(call->arena, arg_string(call, 0), true, &v, &error)) {
		TRY(refuse_colon(call, error));
		v = value_list_new(call->arena);
		value_list_add(call->arena, &v, value_string(error));
	}
	TRY(times_from_texts(call, &v, &yml_type_time));
	return tmpl_return(call, v);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("fromYaml", "s>m", fn_from_yaml),
    TMPL_FUNC("fromYamlArray", "s>l", fn_from_yaml_array),
    TMPL_FUNC_IMAGE("toYaml", "a>s", fn_to_yaml),
};

const struct tmpl_func_table tmpl_funcs_yaml = TMPL_TABLE(funcs);
