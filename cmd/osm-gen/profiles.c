/*
 * profiles: the profiles inside the program, listed or printed; the profile of a MachineDeployment.
 */
#include "commands.h"
#include "effective/effective.h"
#include "request.h"

#include "json/json.h"

enum status profiles_read_embedded(struct arena *arena, struct sink *sink,
                                   const struct context *context,
                                   struct dialect_embedded_list *ret_list)
{
	for (size_t i = 0; i < context->dialect_count; i++) {
		const struct dialect *dialect = context->dialects[i];

		if (dialect->embedded && dialect->embedded(arena, sink, dialect_contract_newest(),
		                                           ret_list) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static void list_profiles(struct buf *buf, const struct dialect_embedded_list *profiles)
{
	VEC_EACH (profile, profiles)
		buf_printf(buf, "%-22.*s %-8.*s %.*s\n", SV_ARG(profile->name),
		           SV_ARG(profile->version), SV_ARG(profile->summary));
}

static enum status list_profiles_json(struct context *context, struct buf *buf)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();
	enum status status = STATUS_OK;

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	json_doc_set_size(root, "contract", dialect_contract_newest());
	json_doc_set(root, "profiles", list);
	for (size_t i = 0; i < context->dialect_count; i++) {
		const struct dialect *dialect = context->dialects[i];
		struct dialect_embedded_list own = {0};

		if (dialect->embedded &&
		    dialect->embedded(context->arena, context->sink, dialect_contract_newest(),
		                      &own) != STATUS_OK)
			status = STATUS_FAILED;
		VEC_EACH (profile, &own) {
			struct json_t *map = json_doc_map();

			json_doc_set_text(map, "name", profile->name);
			json_doc_set_text(map, "dialect", dialect->name);
			json_doc_set_text(map, "version", profile->version);
			json_doc_set_text(map, "summary", profile->summary);
			json_doc_add(list, map);
		}
	}
	json_doc_write(buf, root);
	return status;
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
	                          !context->options->no_origins, &buf) != STATUS_OK)
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

	if (options->effective && options->arguments.count == 2 && sv_eq(what, SV("show")))
		return show_effective(context, options->arguments.items[1]);
	if (options->effective || options->no_origins) {
		diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                   options->effective ? "--effective goes with show and a "
		                                        "MachineDeployment's name"
		                                      : "--no-origins goes with --effective");
		diag_set_help(context->sink, diag,
		              "osm-gen profiles show --effective [CLUSTER/]NAMESPACE/NAME");
		return 64;
	}
	if (!sv_eq(what, SV("list")) && sv_eq(options->format, SV("json"))) {
		diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                   "-o json goes with list: show prints a manifest");
		diag_set_help(context->sink, diag, "osm-gen profiles list -o json");
		return 64;
	}
	if (profiles_read_embedded(context->arena, context->sink, context, &profiles) != STATUS_OK)
		return 2;
	if (sv_eq(what, SV("list")) && options->arguments.count < 2) {
		if (!sv_eq(options->format, SV("json")))
			list_profiles(&buf, &profiles);
		else if (list_profiles_json(context, &buf) != STATUS_OK)
			return 2;
	} else if (sv_eq(what, SV("show")) && options->arguments.count == 2) {
		sv name = options->arguments.items[1];
		const struct dialect_embedded *profile = find_profile(&profiles, name);

		if (!profile) {
			diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
			                   "no embedded profile is named \"%.*s\"", SV_ARG(name));
			diag_set_help(context->sink, diag, "`osm-gen profiles` lists them");
			return 64;
		}
		buf_add(&buf, profile->text);
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
