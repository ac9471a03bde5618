/*
 * Annotations of a GitHub workflow: forms/github.tmpl.
 */
#include "report/render.h"

void report_github(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style)
{
	struct value root = render_annotation_tree(buf->arena, summary, sink, style);

	report_form(buf, "github", REPORT_GITHUB, &root);
}
