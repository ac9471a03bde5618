/*
 * Lists what each minor version of gardener-node-agent reads. TestAgentForms of
 * tests/oracle/gardener compares this with the types of the published versions.
 */
#include "gardener/agent/agent.h"

#include <limits.h>

/* The versions of Gardener 1 whose types were compared. */
enum { OLDEST_MINOR = 145, NEWEST_MINOR = 150 };

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

void gardener_agent_check_version(struct sink *sink, const struct gardener_settings *settings)
{
	unsigned minor = minor_of(settings->agent.version);
	bool is_newer = minor > NEWEST_MINOR;
	struct diag *diag;

	if (minor >= OLDEST_MINOR && !is_newer)
		return;
	diag = diag_report(sink, DIAG_GARDENER_AGENT_VERSION, settings->agent.version_given.at,
	                   "osm-gen does not know gardener-node-agent %.*s: the %s version that it "
	                   "knows is v1.%d",
	                   SV_ARG(settings->agent.version), is_newer ? "newest" : "oldest",
	                   is_newer ? NEWEST_MINOR : OLDEST_MINOR);
	diag_set_help(sink, diag,
	              "try it on one machine first: the agent does not start if it reads another "
	              "configuration; or set gardenerNodeAgentVersion to a version that is known");
}
