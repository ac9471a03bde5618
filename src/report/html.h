/*
 * Private to report/: the parts of the HTML report.
 */
#ifndef OSM_GEN_REPORT_HTML_H
#define OSM_GEN_REPORT_HTML_H

#include "report/markup.h"
#include "report/render.h"

/* Appends a class, such as "ADD", as a badge. */
void html_class(struct buf *buf, enum report_class class);
/* Appends the groups: the units of each, its fields with old and new values, the difference. */
void html_groups(struct buf *buf, const struct report_summary *summary,
                 const struct report_style *style);
/* Appends bars: machines by cluster and class and by kubelet, user-data against its limit. */
void html_pictures(struct buf *buf, const struct report_summary *summary,
                   const struct report_style *style);
/*
 * Appends the units as one JSON document for the page's script. It contains no "<", no hidden
 * characters and no commands of CI systems.
 */
void html_data(struct buf *buf, const struct report_summary *summary,
               const struct report_style *style);

#endif
