/*
 * Findings as text for people, and as JSON for programs.
 */
#include "internal.h"

#include "report/report.h"
#include "json/json.h"

static const char *level_name(enum doctor_level level)
{
	switch (level) {
	case DOCTOR_OK:
		return "ok";
	case DOCTOR_NOTE:
		return "note";
	case DOCTOR_LOOK:
		return "look";
	case DOCTOR_WRONG:
		return "wrong";
	}
	BUG("level");
}

static enum report_color level_color(enum doctor_level level)
{
	switch (level) {
	case DOCTOR_OK:
		return REPORT_GOOD;
	case DOCTOR_NOTE:
		return REPORT_NOTE;
	case DOCTOR_LOOK:
		return REPORT_LOOK;
	case DOCTOR_WRONG:
		return REPORT_BAD;
	}
	BUG("level");
}

void doctor_add_text(struct buf *buf, const struct doctor *doctor, const struct report_style *style)
{
	enum { LEVEL_WIDTH = 7 };

	VEC_EACH (finding, &doctor->findings) {
		sv level = sv_from_cstr(level_name(finding->level));

		report_add_colored(buf, level_color(finding->level), level, style);
		buf_add_repeat(buf, ' ', LEVEL_WIDTH - level.len);
		buf_printf(buf, "%-11s ", finding->check);
		report_add_visible(buf, finding->text);
		buf_add_char(buf, '\n');
		if (finding->help)
			buf_printf(buf, "       help: %s\n", finding->help);
	}
	report_defuse(buf, 0);
}

void doctor_add_json(struct buf *buf, const struct doctor *doctor)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	VEC_EACH (finding, &doctor->findings) {
		struct json_t *row = json_doc_map();

		json_doc_set_text(row, "check", sv_from_cstr(finding->check));
		json_doc_set_text(row, "level", sv_from_cstr(level_name(finding->level)));
		json_doc_set_text(row, "text", finding->text);
		if (finding->help)
			json_doc_set_text(row, "help", sv_from_cstr(finding->help));
		json_doc_add(list, row);
	}
	json_doc_set(root, "findings", list);
	json_doc_write(buf, root);
}
