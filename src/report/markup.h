/*
 * Private to report/: strings in HTML and XML.
 */
#ifndef OSM_GEN_REPORT_MARKUP_H
#define OSM_GEN_REPORT_MARKUP_H

#include "report/report.h"

/* Appends the text with the special characters of HTML and XML escaped. */
void markup_escape(struct buf *buf, sv text);
/* Appends a string of the inputs: made visible (report_add_visible), then escaped. */
void markup_text(struct buf *buf, const struct report_style *style, sv text);

#endif
