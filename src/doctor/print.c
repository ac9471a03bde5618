/*
 * Findings as a tree, which JSON prints and the form doctor shows.
 */
#include "internal.h"

#include "report/report.h"

static const char *const levels[] = {
    [DOCTOR_OK] = "ok",
    [DOCTOR_NOTE] = "note",
    [DOCTOR_LOOK] = "look",
    [DOCTOR_WRONG] = "wrong",
};

static struct value findings_tree(struct arena *arena, const struct doctor *doctor)
{
	struct value list = value_list_new(arena);

	VEC_EACH (finding, &doctor->findings) {
		struct value help =
		    finding->help ? value_string(sv_from_cstr(finding->help)) : VALUE_INVALID;

		value_list_add(
		    arena, &list,
		    VALUE_MAP(arena, {"check", value_string(sv_from_cstr(finding->check))},
		              {"level", value_string(sv_from_cstr(levels[finding->level]))},
		              {"text", value_string(finding->text)}, {"help", help}));
	}
	return VALUE_MAP(arena, {"formatVersion", value_string(SV("1.0"))}, {"findings", list});
}

void doctor_add_text(struct buf *buf, const struct doctor *doctor, const struct report_style *style)
{
	struct value root = findings_tree(buf->arena, doctor);

	value_map_set(buf->arena, &root, SV("color"), report_colors(buf->arena, style));
	report_form(buf, "doctor", REPORT_TERMINAL, &root);
}

void doctor_add_json(struct buf *buf, const struct doctor *doctor)
{
	const struct value root = findings_tree(buf->arena, doctor);

	report_add_json(buf, &root);
}
