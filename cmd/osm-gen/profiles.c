#include "commands.h"
#include "osm/osm.h"

static void list_profiles(struct buf *buf, const struct osm_profiles *profiles)
{
	VEC_EACH (profile, profiles) {
		const struct value *providers = (*profile)->supported_providers;

		buf_printf(buf, "%-22.*s %-8.*s %.*s %.*s:", SV_ARG((*profile)->name),
		           SV_ARG(value_text(&(*profile)->version)),
		           SV_ARG(value_text(&(*profile)->os_name)),
		           SV_ARG(value_text(&(*profile)->os_version)));
		for (size_t i = 0; i < value_count(providers); i++)
			buf_printf(buf, " %.*s",
			           SV_ARG(value_text(
			               value_map_get(value_item(providers, i), SV("name")))));
		buf_add_char(buf, '\n');
	}
}

static const struct osm_profile *find_profile(const struct osm_profiles *profiles, sv name)
{
	VEC_EACH (profile, profiles) {
		if (sv_eq((*profile)->name, name))
			return *profile;
	}
	return NULL;
}

int command_profiles(struct context *context)
{
	const struct options *options = context->options;
	sv what = options->arguments.count > 0 ? options->arguments.items[0] : SV("list");
	struct buf buf = buf_in(context->arena);
	struct osm_profiles profiles = {0};
	struct diag *diag;

	if (osm_profile_embedded(context->arena, context->sink, &profiles) != STATUS_OK)
		return 2;
	if (sv_eq(what, SV("list")) && options->arguments.count < 2) {
		list_profiles(&buf, &profiles);
	} else if (sv_eq(what, SV("show")) && options->arguments.count == 2) {
		sv name = options->arguments.items[1];
		const struct osm_profile *profile = find_profile(&profiles, name);

		if (!profile) {
			diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
			                   "there is no embedded profile \"%.*s\"", SV_ARG(name));
			diag_set_help(context->sink, diag, "`osm-gen profiles` lists them");
			return 64;
		}
		buf_add(&buf, profile->object->source->text);
	} else {
		diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                   "\"profiles\" takes list, or show NAME");
		diag_set_help(context->sink, diag,
		              "osm-gen profiles; osm-gen profiles show osp-ubuntu");
		return 64;
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
