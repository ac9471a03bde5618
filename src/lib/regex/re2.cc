/* The only C++ file, since RE2 is C++. No exception and no log line leaves it. */
#include "regex/regex.h"

extern "C" {
#include "base/compiler.h"
}

#include <re2/re2.h>

#include <new>
#include <string>
#include <vector>

/* End the program if memory runs out: a C++ exception must not pass through C functions. */
static const std::new_handler before = std::set_new_handler(base_out_of_memory);

struct regex_pattern {
	regex_pattern(const char *text, size_t len, const RE2::Options &options)
	    : re(re2::StringPiece(text, len), options)
	{
	}
	RE2 re;
};

static RE2::Options go_options(size_t max_bytes)
{
	RE2::Options options;

	options.set_log_errors(false);
	options.set_max_mem(static_cast<int64_t>(max_bytes));
	return options;
}

struct regex_pattern *regex_compile(const char *pattern, size_t len)
{
	return regex_compile_within(pattern, len, 8 << 20);
}

struct regex_pattern *regex_compile_within(const char *pattern, size_t len, size_t max_bytes)
{
	return new regex_pattern(pattern, len, go_options(max_bytes));
}

void regex_free(struct regex_pattern *pattern)
{
	delete pattern;
}

enum regex_error regex_error_code(const struct regex_pattern *pattern)
{
	switch (pattern->re.error_code()) {
	case RE2::NoError:
		return REGEX_OK;
	case RE2::ErrorInternal:
		return REGEX_INTERNAL;
	case RE2::ErrorBadEscape:
		return REGEX_BAD_ESCAPE;
	case RE2::ErrorBadCharClass:
		return REGEX_BAD_CLASS;
	case RE2::ErrorBadCharRange:
		return REGEX_BAD_RANGE;
	case RE2::ErrorMissingBracket:
		return REGEX_MISSING_BRACKET;
	case RE2::ErrorMissingParen:
		return REGEX_MISSING_PAREN;
	case RE2::ErrorUnexpectedParen:
		return REGEX_UNEXPECTED_PAREN;
	case RE2::ErrorTrailingBackslash:
		return REGEX_TRAILING_BACKSLASH;
	case RE2::ErrorRepeatArgument:
		return REGEX_REPEAT_ARGUMENT;
	case RE2::ErrorRepeatSize:
		return REGEX_REPEAT_SIZE;
	case RE2::ErrorRepeatOp:
		return REGEX_REPEAT_OP;
	case RE2::ErrorBadPerlOp:
		return REGEX_BAD_PERL_OP;
	case RE2::ErrorBadUTF8:
		return REGEX_BAD_UTF8;
	case RE2::ErrorBadNamedCapture:
		return REGEX_BAD_NAME;
	case RE2::ErrorPatternTooLarge:
		return REGEX_TOO_LARGE;
	}
	return REGEX_INTERNAL;
}

const char *regex_error_part(const struct regex_pattern *pattern, size_t *ret_len)
{
	*ret_len = pattern->re.error_arg().size();
	return pattern->re.error_arg().data();
}

size_t regex_program_size(const struct regex_pattern *pattern)
{
	int size = pattern->re.ProgramSize();

	return size > 0 ? (size_t)size : 0;
}

size_t regex_group_count(const struct regex_pattern *pattern)
{
	int count = pattern->re.NumberOfCapturingGroups();

	return count > 0 ? static_cast<size_t>(count) : 0;
}

size_t regex_group_named(const struct regex_pattern *pattern, const char *name, size_t len)
{
	const auto &groups = pattern->re.NamedCapturingGroups();
	auto found = groups.find(std::string(name, len));

	return found == groups.end() ? 0 : static_cast<size_t>(found->second);
}

bool regex_match(const struct regex_pattern *pattern, const char *text, size_t len, size_t from,
                 struct regex_span *spans, size_t span_count)
{
	std::vector<re2::StringPiece> parts(span_count);
	/* RE2 computes with the pointer, which must not be null for an empty string. */
	const char *start = len > 0 ? text : "";

	if (!pattern->re.Match(re2::StringPiece(start, len), from, len, RE2::UNANCHORED,
	                       parts.data(), static_cast<int>(span_count)))
		return false;
	for (size_t i = 0; i < span_count; i++) {
		if (parts[i].data() == nullptr) {
			spans[i].start = spans[i].end = -1;
			continue;
		}
		spans[i].start = parts[i].data() - start;
		spans[i].end = spans[i].start + static_cast<ptrdiff_t>(parts[i].size());
	}
	return true;
}
