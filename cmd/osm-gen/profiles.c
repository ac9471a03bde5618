/*
 * profiles: the profiles inside the program, listed or printed; the profile of a MachineDeployment.
 */
#include "commands.h"
#include "effective/effective.h"
#include "request.h"

enum status profiles_read_embedded(struct arena *arena, struct sink *sink,
                                   struct dialect_embedded_list *ret_list)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		if (all[i]->embedded &&
		    all[i]->embedded(arena, sink, dialect_contract_newest(), ret_list) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}

static enum status profiles_tree(struct context *context, struct value *ret_root)
{
	struct arena *arena = context->arena;
	struct value list = value_list_new(arena);
	unsigned contract = dialect_contract_newest();
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		struct dialect_embedded_list own = {0};

		if (all[i]->embedded &&
		    all[i]->embedded(arena, context->sink, contract, &own) != STATUS_OK)
			return STATUS_FAILED;
		VEC_EACH (profile, &own)
			value_list_add(arena, &list,
			               VALUE_MAP(arena, {"name", value_string(profile->name)},
			                         {"dialect", value_string(all[i]->name)},
			                         {"version", value_string(profile->version)},
			                         {"summary", value_string(profile->summary)}));
	}
	*ret_root = VALUE_MAP(arena, {"formatVersion", value_string(SV("1.0"))},
	                      {"contract", value_int(contract)}, {"profiles", list});
	return STATUS_OK;
}

static int list_profiles(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	struct value root;

	if (profiles_tree(context, &root) != STATUS_OK)
		return 2;
	if (sv_eq(context->options->print.format, SV("json")))
		report_add_json(&buf, &root);
	else
		report_form(&buf, "profiles", REPORT_PLAIN, &root);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

static const struct dialect_embedded *find_profile(const struct dialect_embedded_list *profiles,
                                                   sv name)
{
	VEC_EACH (profile, profiles) {
		if (sv_eq(profile->name, name))
			return profile;
	}
	return NULL;
}

static int show_effective(struct context *context, sv wanted)
{
	struct buf buf = buf_in(context->arena);
	struct run_request request;
	const struct fleet *fleet;

	if (request_reading(context, &request) != STATUS_OK)
		return 3;
	if (run_survey(context->arena, context->sink, &request, &fleet, &context->result) !=
	        STATUS_OK ||
	    effective_add_profile(context->arena, context->sink, fleet, wanted,
	                          !context->options->shown.no_origins, &buf) != STATUS_OK)
		return 2;
	report_defuse(&buf, 0);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

int command_profiles(struct context *context)
{
	const struct options *options = context->options;
	sv what = options->arguments.count > 0 ? options->arguments.items[0] : SV("list");
	struct buf buf = buf_in(context->arena);
	struct dialect_embedded_list profiles = {0};
	struct diag *diag;

	if (options->shown.comments && (options->shown.effective || !sv_eq(what, SV("show")) ||
	                                options->arguments.count != 2)) {
		diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                   "--comments goes with show and the name of an embedded profile");
		diag_set_help(context->sink, diag, "osm-gen profiles show --comments osp-ubuntu");
		return 64;
	}
	if (options->shown.effective && options->arguments.count == 2 && sv_eq(what, SV("show")))
		return show_effective(context, options->arguments.items[1]);
	if (options->shown.effective || options->shown.no_origins) {
		diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                   options->shown.effective ? "--effective goes with show and a "
		                                              "MachineDeployment's name"
		                                            : "--no-origins goes with --effective");
		diag_set_help(context->sink, diag,
		              "osm-gen profiles show --effective [CLUSTER/]NAMESPACE/NAME");
		return 64;
	}
	if (!sv_eq(what, SV("list")) && sv_eq(options->print.format, SV("json"))) {
		diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                   "-o json goes with list: show prints a manifest");
		diag_set_help(context->sink, diag, "osm-gen profiles list -o json");
		return 64;
	}
	if (sv_eq(what, SV("list")) && options->arguments.count < 2)
		return list_profiles(context);
	if (sv_eq(what, SV("show")) && options->arguments.count == 2) {
		if (profiles_read_embedded(context->arena, context->sink, &profiles) != STATUS_OK)
			return 2;
		sv name = options->arguments.items[1];
		const struct dialect_embedded *profile = find_profile(&profiles, name);

		if (!profile) {
			diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
			                   "no embedded profile is named \"%.*s\"", SV_ARG(name));
			diag_set_help(context->sink, diag, "`osm-gen profiles` lists them");
			return 64;
		}
		buf_add(&buf, options->shown.comments && profile->commented
		                  ? dialect_text_open(context->arena, profile->commented)
		                  : profile->text);
	} else {
		diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                   "\"profiles\" takes list, or show NAME");
		diag_set_help(context->sink, diag,
		              "osm-gen profiles; osm-gen profiles show osp-ubuntu; osm-gen "
		              "profiles show --effective CLUSTER/NAMESPACE/NAME");
		return 64;
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
