/*
 * Forms: templates of the program over a result, whose strings may come from inputs.
 */
#include "tmpl/exec.h"

const struct type tmpl_type_word = {.kind = KIND_STRING, .name = SV_INIT("word")};

struct value tmpl_word(sv word)
{
	struct value v = value_string(word);

	v.type = &tmpl_type_word;
	return v;
}

bool exec_needs_escape(struct ref value)
{
	struct ref ref = go_ref_unboxed(go_ref_printable(value));
	enum type_kind kind = go_ref_kind(ref);

	return !go_kind_is_int(kind) && !go_kind_is_uint(kind) && kind != KIND_BOOL &&
	       !(go_ref_valid(ref) && ref.v->type == &tmpl_type_word);
}
