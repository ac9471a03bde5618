/*
 * Regular expressions for others than templates.
 */
#include "tmpl/re2.h"
#include "tmpl/tmpl.h"

enum tmpl_regex_result tmpl_regex_search(sv pattern, sv text)
{
	struct regex_pattern *compiled = regex_compile(pattern.ptr ? pattern.ptr : "", pattern.len);
	enum tmpl_regex_result result = TMPL_REGEX_WRONG;
	struct regex_span span;

	if (regex_error_code(compiled) == REGEX_OK)
		result = regex_match(compiled, text.ptr ? text.ptr : "", text.len, 0, &span, 1)
		             ? TMPL_REGEX_FOUND
		             : TMPL_REGEX_ABSENT;
	regex_free(compiled);
	return result;
}
