/*
 * What the words of a text tell of it, where it cannot be parsed, or is not yet.
 */
#include "fleet/internal.h"

sv fleet_words_of(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	if (sv_find_char(text, 0) == SV_NPOS)
		return text;
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != 0)
			buf_add_char(&buf, text.ptr[i]);
	return buf_sv(&buf);
}

/* Only its list of Secrets matters; without one, and in a RoleBinding, it is none of ours. */
static bool may_list_secrets(sv text)
{
	return sv_contains(text, SV("ServiceAccount")) &&
	       (sv_contains(text, SV("secrets:")) || sv_contains(text, SV("secrets\"")));
}

bool fleet_words_are_ours(sv text)
{
	static const sv words[] = {
	    SV_INIT("MachineDeployment"),
	    SV_INIT("OperatingSystemProfile"),
	    SV_INIT("Secret"),
	    SV_INIT("ConfigMap"),
	    SV_INIT(FLEET_API_GROUP),
	    /* Under a kind that is misspelt. */
	    SV_INIT(OSM_API_GROUP "/"),
	    SV_INIT(OSM_MACHINE_API_GROUP "/"),
	};

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (sv_contains(text, words[i]))
			return true;
	return may_list_secrets(text);
}

bool fleet_words_may_hide_kind(sv text)
{
	return sv_contains(text, SV("kind: ENC[AES256_GCM,")) ||
	       sv_contains(text, SV("\"kind\": \"ENC[AES256_GCM,"));
}

bool fleet_words_may_hold_secret(sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	bool kind_before = false;
	sv line;

	while (sv_split_next(&lines, &line)) {
		bool kind = sv_contains(line, SV("kind"));

		if ((kind || kind_before) && sv_contains(line, SV("Secret")))
			return true;
		kind_before = kind;
	}
	return false;
}

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

/* Behind a colon: what a template fills in, or a mapping below a key. */
static bool is_no_value(sv rest)
{
	sv line = sv_trim_space(sv_slice(rest, 0, sv_find_char(rest, '\n')));
	size_t line_end = sv_find_char(rest, '\n');

	if (sv_empty(line) && line_end != SV_NPOS) {
		sv below = sv_from_offset(rest, line_end + 1);

		below = sv_trim_space(sv_slice(below, 0, sv_find_char(below, '\n')));
		return sv_contains(below, SV(": ")) || sv_ends_with(below, SV(":"));
	}
	if (!sv_empty(line) && strchr("\"'", line.ptr[0]))
		line = sv_from_offset(line, 1);
	if (sv_starts_with(line, SV("Bearer ")) || sv_starts_with(line, SV("Basic ")))
		line = sv_trim_space(sv_from_offset(line, sv_find_char(line, ' ')));
	return sv_starts_with(line, SV("{{"));
}

bool fleet_words_hold_credential(sv text)
{
	return osm_holds_userinfo(text) || osm_holds_private_key(text);
}

bool fleet_words_may_hold_credential(sv text)
{
	for (size_t at = sv_find_char(text, ':'); at != SV_NPOS;) {
		size_t end = at;

		while (end > 0 && strchr(" \"'", text.ptr[end - 1]))
			end--;
		size_t start = end;
		while (start > 0 && is_name_char(text.ptr[start - 1]))
			start--;
		if (start < end && !is_within_prose(text, start) &&
		    osm_names_credential(sv_slice(text, start, end)) &&
		    !is_no_value(sv_from_offset(text, at + 1)))
			return true;
		size_t next = sv_find_char(sv_from_offset(text, at + 1), ':');
		at = next == SV_NPOS ? SV_NPOS : at + 1 + next;
	}
	return fleet_words_hold_credential(text);
}

static bool line_mentions_credential(sv text)
{
	for (size_t start = 0; start < text.len;) {
		size_t end = start;

		while (end < text.len && is_name_char(text.ptr[end]))
			end++;
		if (end > start && osm_names_credential(sv_slice(text, start, end)))
			return true;
		start = end + 1;
	}
	return false;
}

bool fleet_words_mention_credential(sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		bool is_comment = sv_starts_with(sv_trim_space(line), SV("#"));

		if (is_comment ? fleet_words_may_hold_credential(line)
		               : line_mentions_credential(line))
			return true;
	}
	return fleet_words_hold_credential(text);
}

bool fleet_words_are_confidential(sv text, bool is_settings)
{
	return is_settings || sv_contains(text, SV("OperatingSystemProfile"))
	           ? fleet_words_may_hold_credential(text)
	           : fleet_words_mention_credential(text);
}
