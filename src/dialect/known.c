/*
 * Warns of a version of another program that osm-gen was not compared with.
 */
#include "dialect/dialect.h"

#include "golang/golang.h"

void setting_check_known(struct arena *arena, struct sink *sink, const struct setting_known *known,
                         sv name, const struct value *text)
{
	struct semver version;
	sv error;

	if (sv_empty(value_text(text)) || !go_semver_parse(arena, text->string, &version, &error))
		return;
	bool is_newer = version.major > 1 || (version.major == 1 && version.minor > known->newest);
	bool is_older = version.major == 0 || (version.major == 1 && version.minor < known->oldest);
	if (!is_newer && !is_older)
		return;
	struct diag *diag = diag_report(
	    sink, DIAG_VERSION_UNKNOWN, value_position(text),
	    "%.*s: osm-gen does not know %s %.*s: the %s version that it knows is v1.%u",
	    SV_ARG(name), known->program, SV_ARG(text->string), is_newer ? "newest" : "oldest",
	    is_newer ? known->newest : known->oldest);
	diag_set_help(sink, diag, "%s", known->help);
}
