/*
 * Regular expressions for others than templates.
 */
#include "tmpl/re2.h"
#include "tmpl/tmpl.h"

enum { MAX_BYTES = 256 * 1024 };

static struct regex_pattern *compile(sv pattern)
{
	return regex_compile_within(pattern.ptr ? pattern.ptr : "", pattern.len, MAX_BYTES);
}

void tmpl_regex_search_each(sv pattern, const sv *texts, size_t count,
                            enum tmpl_regex_result *ret_results)
{
	struct regex_pattern *compiled = compile(pattern);
	bool is_right = regex_error_code(compiled) == REGEX_OK;
	struct regex_span span;

	for (size_t i = 0; i < count; i++) {
		const char *text = texts[i].ptr ? texts[i].ptr : "";

		ret_results[i] = !is_right ? TMPL_REGEX_WRONG
		                 : regex_match(compiled, text, texts[i].len, 0, &span, 1)
		                     ? TMPL_REGEX_FOUND
		                     : TMPL_REGEX_ABSENT;
	}
	regex_free(compiled);
}

enum tmpl_regex_result tmpl_regex_search(sv pattern, sv text)
{
	enum tmpl_regex_result result;

	tmpl_regex_search_each(pattern, &text, 1, &result);
	return result;
}

size_t tmpl_regex_size(sv pattern)
{
	struct regex_pattern *compiled = compile(pattern);
	size_t size = regex_error_code(compiled) == REGEX_OK ? regex_program_size(compiled) : 0;

	regex_free(compiled);
	return size;
}
