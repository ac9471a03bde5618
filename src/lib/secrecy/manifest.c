/*
 * Credentials in a manifest that is not parsed yet, or cannot be.
 */
#include "secrecy/secrecy.h"

static bool is_name_char(char c)
{
	return ascii_is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}

/* Prose, in a comment or a script, has words before the colon's: "sends a token: it must ...". */
static bool is_within_prose(sv text, size_t name_start)
{
	while (name_start > 0 && text.ptr[name_start - 1] == ' ')
		name_start--;
	if (name_start == 0)
		return false;
	char before = text.ptr[name_start - 1];
	/* A shell's ${NAME:-DEFAULT} is neither. */
	return (is_name_char(before) && before != '-') ||
	       (before == '{' && name_start > 1 && text.ptr[name_start - 2] == '$');
}

/* Returns true if nothing after a colon is a value: a template's placeholder, or a nested map. */
static bool is_no_value(sv rest)
{
	size_t start = 0;

	/* A line may be long, and have many colons: only its beginning is looked at. */
	while (start < rest.len &&
	       (rest.ptr[start] == ' ' || rest.ptr[start] == '\t' || rest.ptr[start] == '\r'))
		start++;
	sv line = sv_from_offset(rest, start);
	if (sv_starts_with(line, SV("\n"))) {
		sv below = sv_from_offset(line, 1);

		below = sv_trim_space(sv_slice(below, 0, sv_find_char(below, '\n')));
		return sv_contains(below, SV(": ")) || sv_ends_with(below, SV(":"));
	}
	if (!sv_empty(line) && strchr("\"'", line.ptr[0]))
		line = sv_from_offset(line, 1);
	if (sv_starts_with(line, SV("Bearer ")) || sv_starts_with(line, SV("Basic ")))
		line =
		    sv_trim(sv_slice(sv_from_offset(line, sv_find_char(line, ' ')), 0, 64), " \t");
	return sv_starts_with(line, SV("{{"));
}

/*
 * Returns true if the value of a kubeconfig is a block of YAML with no credential's name in it, as
 * that of cluster-info.
 */
static bool is_public_kubeconfig(sv name, sv rest)
{
	size_t line_end = sv_find_char(rest, '\n');
	sv line = sv_trim_space(sv_slice(rest, 0, line_end));
	sv block = line_end == SV_NPOS ? SV("") : sv_from_offset(rest, line_end + 1);
	sv below = sv_trim_space(sv_slice(block, 0, sv_find_char(block, '\n')));

	return sv_eq(name, SV("kubeconfig")) && sv_starts_with(line, SV("|")) && line.len <= 2 &&
	       (sv_contains(below, SV(": ")) || sv_ends_with(below, SV(":"))) &&
	       !secrecy_manifest_mentions_credential(block);
}

bool secrecy_manifest_holds_credential(sv text)
{
	return secrecy_may_hold_userinfo(text) || secrecy_holds_private_key(text);
}

bool secrecy_manifest_may_hold_credential(sv text)
{
	for (size_t at = sv_find_char(text, ':'); at != SV_NPOS;) {
		size_t end = at;

		while (end > 0 && strchr(" \"'", text.ptr[end - 1]))
			end--;
		size_t start = end;
		while (start > 0 && is_name_char(text.ptr[start - 1]))
			start--;
		sv name = sv_slice(text, start, end);
		sv rest = sv_from_offset(text, at + 1);
		if (start < end && !is_within_prose(text, start) &&
		    secrecy_names_credential(name) && !is_no_value(rest) &&
		    !is_public_kubeconfig(name, rest))
			return true;
		size_t next = sv_find_char(sv_from_offset(text, at + 1), ':');
		at = next == SV_NPOS ? SV_NPOS : at + 1 + next;
	}
	return secrecy_manifest_holds_credential(text);
}

static bool line_mentions_credential(sv text)
{
	for (size_t start = 0; start < text.len;) {
		size_t end = start;

		while (end < text.len && is_name_char(text.ptr[end]))
			end++;
		if (end > start && secrecy_names_credential(sv_slice(text, start, end)))
			return true;
		start = end + 1;
	}
	return false;
}

bool secrecy_manifest_mentions_credential(sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		bool is_comment = sv_starts_with(sv_trim_space(line), SV("#"));

		if (is_comment ? secrecy_manifest_may_hold_credential(line)
		               : line_mentions_credential(line))
			return true;
	}
	return secrecy_manifest_holds_credential(text);
}
