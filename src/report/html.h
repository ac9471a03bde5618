/*
 * Private to report/: the parts of the HTML report.
 */
#ifndef OSM_GEN_REPORT_HTML_H
#define OSM_GEN_REPORT_HTML_H

#include "report/render.h"

/* Without markup. */
void html_escape(struct buf *buf, sv text);
/* A text of the inputs: visible (report_add_visible), and no markup. */
void html_text(struct buf *buf, const struct report_style *style, sv text);
/* "ADD" as a badge. */
void html_class(struct buf *buf, enum report_class class);
/* Groups of one change: what they are of, old and new, the difference. */
void html_groups(struct buf *buf, const struct report_summary *summary,
                 const struct report_style *style);
/* The units as one JSON text for the page's script: no "<" in it, nothing hidden, no command. */
void html_data(struct buf *buf, const struct report_summary *summary,
               const struct report_style *style);

#endif
