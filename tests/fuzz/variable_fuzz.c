/* ${NAME} in a text, which Flux and envsubst would fill in: each that is found is one, in order. */
#include "kube/kube.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool is_name(char c)
{
	return c == '_' || ascii_is_letter((uint8_t)c) || ascii_is_digit((uint8_t)c);
}

static void check_variable(sv variable)
{
	size_t end = 2;

	check(sv_starts_with(variable, SV("${")) && sv_ends_with(variable, SV("}")));
	while (is_name(variable.ptr[end]))
		end++;
	check(end > 2 && !ascii_is_digit((uint8_t)variable.ptr[2]));
	check(variable.ptr[end] == '}' ||
	      sv_find_char(SV(":-=+?#%/^,"), variable.ptr[end]) != SV_NPOS);
	check(sv_find_char(variable, '}') == variable.len - 1);
	check(sv_find_char(variable, '\n') == SV_NPOS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sv text = sv_from((const char *)data, size);
	size_t from = 0;
	size_t at;
	size_t length;

	while (kube_variable_find(text, from, &at, &length)) {
		check(at >= from && length > 3 && at + length <= text.len);
		check_variable(sv_slice(text, at, at + length));
		from = at + length;
	}
	return 0;
}
