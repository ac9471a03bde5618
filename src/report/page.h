/*
 * The style and the script of the HTML report: page.css and page.js, which ci/embed turns into C at
 * build time. Private to report/.
 */
#ifndef OSM_GEN_REPORT_PAGE_H
#define OSM_GEN_REPORT_PAGE_H

#include <stddef.h>

struct report_page_file {
	const char *path;
	const char *text;
	size_t len;
};

/* The style, then the script. */
extern const struct report_page_file report_page_files[];
extern const size_t report_page_file_count;

/* The forms, by their paths (form.c). */
extern const struct report_page_file report_form_files[];
extern const size_t report_form_file_count;

#endif
