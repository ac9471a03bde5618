/*
 * Heuristics on the content of files that cannot be parsed, or are not parsed yet.
 */
#include "fleet/internal.h"
#include "secrecy/secrecy.h"

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

/*
 * Returns true if the content has the kind, and its dialect_kind.member if it has one, as a key:
 * "secrets:" or "secrets\"".
 */
static bool names_kind(sv text, const struct dialect_kind *kind)
{
	if (!sv_contains(text, kind->kind))
		return false;
	if (sv_empty(kind->member))
		return true;
	for (size_t at = sv_find(text, kind->member); at != SV_NPOS;
	     at = sv_find(text, kind->member)) {
		text = sv_from_offset(text, at + kind->member.len);
		if (sv_starts_with(text, SV(":")) || sv_starts_with(text, SV("\"")))
			return true;
	}
	return false;
}

bool fleet_words_name(sv text, enum dialect_part part)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *kind;

	while ((kind = dialect_next_kind(&walk)))
		if (kind->part == part && names_kind(text, kind))
			return true;
	return false;
}

/* Returns true if the content has "GROUP/". */
static bool names_group(sv text, sv group)
{
	for (size_t at = sv_find(text, group); at != SV_NPOS; at = sv_find(text, group)) {
		text = sv_from_offset(text, at + group.len);
		if (sv_starts_with(text, SV("/")))
			return true;
	}
	return false;
}

/* Finds manifests with a misspelt kind, whose group is still right. */
static bool names_any_group(sv text)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *kind;

	while ((kind = dialect_next_kind(&walk)))
		if (!sv_empty(kind->group) && names_group(text, kind->group))
			return true;
	return false;
}

bool fleet_words_are_ours(sv text)
{
	return fleet_words_name(text, DIALECT_UNIT) || fleet_words_name(text, DIALECT_DEFINITION) ||
	       fleet_words_name(text, DIALECT_LOOKUP) || fleet_words_name(text, DIALECT_EXPANDED) ||
	       sv_contains(text, SV(FLEET_API_GROUP)) || names_any_group(text);
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

bool fleet_words_are_confidential(sv text, bool is_settings)
{
	return is_settings || fleet_words_name(text, DIALECT_DEFINITION)
	           ? secrecy_manifest_may_hold_credential(text)
	           : secrecy_manifest_mentions_credential(text);
}

/* Returns true if an action of the text has one of the words. */
static bool acts_with(sv text, const char *const *words, size_t count)
{
	enum { ACTION_BYTES = 160 };

	for (size_t at = sv_find(text, SV("{{")); at != SV_NPOS; at = sv_find(text, SV("{{"))) {
		text = sv_from_offset(text, at);
		/* Bounded, so that content with nothing but braces takes linear time. */
		sv action = sv_slice(text, 0, ACTION_BYTES);

		action = sv_slice(action, 0, sv_find_char(action, '\n'));
		action = sv_slice(action, 0, sv_find(action, SV("}}")));
		for (size_t i = 0; i < count; i++)
			if (sv_contains(action, sv_from_cstr(words[i])))
				return true;
		text = sv_from_offset(text, 2);
	}
	return false;
}

/* No input of osm-gen has these words in an action. */
enum fleet_template fleet_words_template(sv text)
{
	static const char *const helm[] = {".Values", ".Release.", ".Chart.", "include \"",
	                                   ".Capabilities."};
	static const char *const kubeone[] = {" .Config.", "{{.Config.", ".InternalImages.",
	                                      ".CredentialsCCM"};
	static const char *const other[] = {"{{- if "};

	if (acts_with(text, helm, COUNT_OF(helm)))
		return FLEET_TEMPLATE_HELM;
	if (acts_with(text, kubeone, COUNT_OF(kubeone)))
		return FLEET_TEMPLATE_KUBEONE;
	return acts_with(text, other, COUNT_OF(other)) ? FLEET_TEMPLATE_HELM : FLEET_NO_TEMPLATE;
}

/* ---- fleet_glimpse ----------------------------------------------------------------------- */

/* Returns VALUE if the part of a line is `KEY: VALUE` or `"KEY": "VALUE"`, else an empty string. */
static sv value_of(sv part, const char *key)
{
	static const char around[] = " \t\r-{}[\"',";
	sv rest = sv_trim(part, around);

	if (!sv_starts_with(rest, sv_from_cstr(key)))
		return SV("");
	rest = sv_trim(sv_from_offset(rest, strlen(key)), "\"' \t");
	if (!sv_starts_with(rest, SV(":")))
		return SV("");
	return sv_trim(sv_from_offset(rest, 1), around);
}

static const struct dialect_kind *kind_of(sv kind, sv api_version)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *known;

	while ((known = dialect_next_kind(&walk)))
		if (known->part != DIALECT_LOOKUP && sv_eq(kind, known->kind) &&
		    sv_starts_with(api_version, known->group))
			break;
	return known;
}

/*
 * Returns true if the content begins like a manifest, and not like a script or a document that
 * quotes one. A template may begin with an action or a comment of its language.
 */
static bool begins_as_manifest(sv text, bool may_be_template)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	if (sv_starts_with(text, SV("#!")))
		return false;
	while (sv_split_next(&lines, &line)) {
		sv trimmed = sv_trim_space(line);

		if (sv_empty(trimmed) || sv_starts_with(trimmed, SV("#")) ||
		    sv_starts_with(trimmed, SV("---")) || sv_starts_with(trimmed, SV("//")))
			continue;
		return (may_be_template && strchr("{[%-", trimmed.ptr[0])) ||
		       !sv_empty(value_of(trimmed, "apiVersion")) ||
		       !sv_empty(value_of(trimmed, "kind")) ||
		       sv_starts_with(trimmed, SV("metadata:"));
	}
	return false;
}

bool fleet_glimpse(sv path, sv text, struct fleet_glimpse *ret_glimpse)
{
	bool has_ending = sv_find_char(sv_after_last(path, '/'), '.') != SV_NPOS;
	sv api_version = SV("");
	sv kind = SV("");
	size_t begin = 0;

	if (!begins_as_manifest(text, has_ending))
		return false;
	for (size_t i = 0; i <= text.len; i++) {
		if (i < text.len && text.ptr[i] != '\n' && text.ptr[i] != ',')
			continue;
		sv part = sv_slice(text, begin, i);
		sv found = value_of(part, "apiVersion");

		begin = i + 1;
		if (sv_starts_with(part, SV("---"))) {
			api_version = SV("");
			kind = SV("");
		}
		if (!sv_empty(found))
			api_version = found;
		found = value_of(part, "kind");
		if (!sv_empty(found))
			kind = found;
		const struct dialect_kind *known =
		    sv_empty(kind) ? NULL : kind_of(kind, api_version);
		if (!known)
			continue;
		*ret_glimpse = (struct fleet_glimpse){
		    .kind = kind,
		    .offset = (size_t)(kind.ptr - text.ptr),
		    /* Skip definitions, which contain templates themselves. */
		    .is_template = known->part == DIALECT_UNIT &&
		                   (sv_contains(text, SV("{{")) || sv_contains(text, SV("{%")) ||
		                    sv_contains(text, SV("${"))),
		};
		return true;
	}
	return false;
}
