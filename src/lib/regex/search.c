/*
 * Searches with patterns that users write.
 */
#include "regex/regex.h"

enum { MAX_BYTES = 256 * 1024 };

static struct regex_pattern *compile(sv pattern)
{
	return regex_compile_within(pattern.ptr ? pattern.ptr : "", pattern.len, MAX_BYTES);
}

void regex_search_each(sv pattern, const sv *texts, size_t count, enum regex_result *ret_results)
{
	struct regex_pattern *compiled = compile(pattern);
	bool is_right = regex_error_code(compiled) == REGEX_OK;
	struct regex_span span;

	for (size_t i = 0; i < count; i++) {
		const char *text = texts[i].ptr ? texts[i].ptr : "";

		ret_results[i] = !is_right ? REGEX_INVALID
		                 : regex_match(compiled, text, texts[i].len, 0, &span, 1)
		                     ? REGEX_FOUND
		                     : REGEX_ABSENT;
	}
	regex_free(compiled);
}

enum regex_result regex_search(sv pattern, sv text)
{
	enum regex_result result;

	regex_search_each(pattern, &text, 1, &result);
	return result;
}

size_t regex_search_cost(sv pattern)
{
	struct regex_pattern *compiled = compile(pattern);
	size_t size = regex_error_code(compiled) == REGEX_OK ? regex_program_size(compiled) : 0;

	regex_free(compiled);
	return size;
}
