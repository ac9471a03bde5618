/*
 * What the words of a text tell of it, where it cannot be parsed, or is not yet.
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
	return false;
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
	return is_settings || sv_contains(text, SV("OperatingSystemProfile"))
	           ? secrecy_manifest_may_hold_credential(text)
	           : secrecy_manifest_mentions_credential(text);
}
