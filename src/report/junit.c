/*
 * Units and diagnostics as JUnit XML, for test reports: forms/junit.tmpl.
 */
#include "report/render.h"

void report_junit(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style)
{
	struct value root = render_form_tree(buf->arena, summary, sink, style);
	size_t start = buf->len;

	report_form(buf, "junit", REPORT_MARKUP, &root);
	report_defuse(buf, start);
}
