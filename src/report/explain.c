/*
 * Explains diagnostic codes, as values and as text: forms/explain.tmpl, forms/codes.tmpl.
 */
#include "report/render.h"

#include "tmpl/tmpl.h"

const struct diag_code_info *report_find_code(sv text)
{
	int64_t number;

	if (text.len > 3 && sv_eq_fold_ascii(sv_slice(text, 0, 3), SV("OSG")))
		text = sv_from_offset(text, 3);
	if (text.len != 4 || !sv_parse_int64(text, &number) || number <= 0)
		return NULL;
	return diag_code_find((unsigned)number);
}

const char *render_diag_class(enum diag_class class)
{
	switch (class) {
	case DIAG_CLASS_INPUT:
		return "input";
	case DIAG_CLASS_SURROUNDINGS:
		return "surroundings";
	case DIAG_CLASS_USAGE:
		return "usage";
	}
	BUG("diagnostic class");
}

struct value report_codes_tree(struct arena *arena, const struct diag_code_info *only)
{
	struct value list = value_list_new(arena);
	size_t count;
	const struct diag_code_info *codes = diag_codes(&count);

	for (size_t i = 0; i < count; i++) {
		const struct diag_code_info *code = &codes[i];

		if (only && only != code)
			continue;
		value_list_add(
		    arena, &list,
		    VALUE_MAP(arena, {"code", tmpl_word(diag_code_text(arena, code->code))},
		              {"severity", tmpl_word(code->severity == DIAG_ERROR ? SV("error")
		                                                                  : SV("warning"))},
		              {"class", tmpl_word(sv_from_cstr(render_diag_class(code->class)))},
		              {"title", value_string(sv_from_cstr(code->title))},
		              {"explanation", value_string(sv_from_cstr(code->explanation))}));
	}
	return VALUE_MAP(arena, {"formatVersion", value_string(SV("1.0"))}, {"diagnostics", list});
}

/* Returns true for errors after a commit that was made: they do not undo it. */
static bool comes_after_commit(enum diag_code code)
{
	return code == DIAG_GIT_STANDS || code == DIAG_PUSH_REFUSED || code == DIAG_PUSH_RACE ||
	       code == DIAG_PUSH_NOTE;
}

void report_explain_text(struct buf *buf, const struct diag_code_info *code,
                         const struct report_style *style)
{
	struct value root = report_codes_tree(buf->arena, code);
	size_t width = style->width ? style->width : REPORT_DEFAULT_WIDTH;

	value_map_set(buf->arena, &root, SV("color"), report_colors(buf->arena, style));
	value_map_set(buf->arena, &root, SV("width"), value_size(width));
	value_map_set(buf->arena, &root, SV("comesAfterCommit"),
	              value_bool(comes_after_commit(code->code)));
	report_form(buf, "explain", REPORT_TERMINAL, &root);
}

void report_codes_text(struct buf *buf, const struct report_style *style)
{
	struct value root = report_codes_tree(buf->arena, NULL);

	value_map_set(buf->arena, &root, SV("color"), report_colors(buf->arena, style));
	report_form(buf, "codes", REPORT_TERMINAL, &root);
}
