/*
 * Private to report/: the parts of the HTML report.
 */
#ifndef OSM_GEN_REPORT_HTML_H
#define OSM_GEN_REPORT_HTML_H

#include "report/tree.h"

/*
 * Returns the data of bars: machines by cluster and class and by kubelet, user-data against its
 * limit. A picture without bars is left out.
 */
struct value html_pictures(struct tree *t);
/*
 * Returns the units as one JSON document for the page's script. It contains no "<", no hidden
 * characters and no commands of CI systems.
 */
sv html_data(struct tree *t);

#endif
