/*
 * Lists what each minor version of gardener-node-agent reads. TestAgentForms of
 * tests/oracle/gardener compares this with the types of the published versions.
 */
#include "gardener/agent/agent.h"

#include <limits.h>

enum { OLDEST_MINOR = 145, NEWEST_MINOR = 150 };

const struct setting_known gardener_agent_known = {
    .program = "gardener-node-agent",
    .oldest = OLDEST_MINOR,
    .newest = NEWEST_MINOR,
    .source = "TestAgentForms (tests/oracle/gardener/forms_test.go)",
    .help = "try it on one machine first: the agent does not start if it reads another "
            "configuration; or set gardenerNodeAgentVersion to a version that is known",
};

static const struct gardener_agent_form forms[] = {
    {.since = OLDEST_MINOR, .has_ca_file = false},
    {.since = 147, .has_ca_file = true},
};

/* Returns the minor version of "v1.MINOR.PATCH", or a number beyond all known ones. */
static unsigned minor_of(sv version)
{
	sv prefix = SV("v1.");
	unsigned minor = 0;
	size_t at = prefix.len;

	if (!sv_starts_with(version, prefix))
		return UINT_MAX;
	for (; at < version.len && ascii_is_digit(version.ptr[at]) && minor < 100000; at++)
		minor = minor * 10 + (unsigned)(version.ptr[at] - '0');
	return at > prefix.len ? minor : UINT_MAX;
}

const struct gardener_agent_form *gardener_agent_form(sv version)
{
	const struct gardener_agent_form *form = &forms[0];
	unsigned minor = minor_of(version);

	for (size_t i = 0; i < COUNT_OF(forms); i++)
		if (forms[i].since <= minor)
			form = &forms[i];
	return form;
}
