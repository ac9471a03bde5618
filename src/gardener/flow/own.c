/*
 * Replaces the downloader of gardenlet v1.24 by the flow's own. gardenlet writes its downloader
 * into each OperatingSystemConfig of both purposes: a script, credentials, and a unit, which is a
 * file in the one of purpose reconcile. On nodes they have the paths of the flow's downloader
 * (docs/spec/gardener.md 7.4).
 */
#include "codec/codec.h"
#include "gardener/flow/flow.h"

#define UNIT_FILE "/etc/systemd/system/" GARDENER_FLOW_UNIT

/* A file of gardenlet's downloader, and what its content has in it. */
struct own_file {
	const char *path;
	const char *mark; /* null for any content */
};

static const struct own_file own_files[] = {
    {GARDENER_FLOW_CREDENTIALS "/server", NULL},
    {GARDENER_FLOW_CREDENTIALS "/ca.crt", NULL},
    {GARDENER_FLOW_CREDENTIALS "/client.crt", NULL},
    {GARDENER_FLOW_CREDENTIALS "/client.key", NULL},
    {GARDENER_FLOW_CREDENTIALS "/bootstrap-token", GARDENER_FLOW_PLACEHOLDER},
    {GARDENER_FLOW_PROGRAM, "PATH_CLOUDCONFIG_DOWNLOADER_SERVER"},
    {UNIT_FILE, GARDENER_FLOW_PROGRAM},
};

/* Files and folders in GARDENER_FLOW_FOLDER where the flow keeps what it did. */
static const char *const state_paths[] = {
    "/applied",  "/cloud_config", "/credentials", "/download", "/due",
    "/failures", "/lock",         "/script",      "/work",
};

static const struct own_file *find_own_file(sv path)
{
	for (size_t i = 0; i < COUNT_OF(own_files); i++)
		if (sv_eq(path, sv_from_cstr(own_files[i].path)))
			return &own_files[i];
	return NULL;
}

bool gardener_flow_owns(sv path)
{
	return find_own_file(path) != NULL;
}

static bool is_state(sv path)
{
	if (!sv_starts_with(path, SV(GARDENER_FLOW_FOLDER "/")))
		return false;
	path = sv_from_offset(path, strlen(GARDENER_FLOW_FOLDER));
	for (size_t i = 0; i < COUNT_OF(state_paths); i++) {
		sv name = sv_from_cstr(state_paths[i]);

		if (sv_starts_with(path, name) &&
		    (path.len == name.len || path.ptr[name.len] == '/'))
			return true;
	}
	return false;
}

/* ---- its shape --------------------------------------------------------------------------- */

/* Returns true if the item of spec.files has the mark in its content, which is inline. */
static bool has_mark(struct arena *arena, const struct value *file, const char *mark)
{
	const struct value *content = value_path(file, "content.inline");
	sv data = value_text(value_map_get(content, SV("data")));
	size_t error_at;

	if (!mark)
		return true;
	if (sv_eq(value_text(value_map_get(content, SV("encoding"))), SV("b64")) &&
	    !base64_decode(arena, BASE64_STD, data, &data, &error_at))
		return false;
	return sv_contains(data, sv_from_cstr(mark));
}

bool gardener_flow_is_gardenlets(struct arena *arena, const struct kube_object *osc)
{
	const struct value *files = value_path(osc->root, "spec.files");

	for (size_t i = 0; value_is_list(files) && i < value_count(files); i++) {
		const struct value *file = value_item(files, i);
		sv path = value_text(value_map_get(file, SV("path")));

		if (sv_eq(path, SV(GARDENER_FLOW_PROGRAM)))
			return has_mark(arena, file, find_own_file(path)->mark);
	}
	return false;
}

/* ---- leaving out ------------------------------------------------------------------------- */

static enum status refuse_own(struct sink *sink, const struct value *at, const char *what)
{
	struct diag *diag = diag_report(sink, DIAG_GARDENER_FLOW, value_position(at),
	                                "gardenerFlow: downloader writes %.*s itself: %s",
	                                SV_ARG(value_text(at)), what);

	diag_set_help(sink, diag, "remove it, or choose another path or name");
	return STATUS_FAILED;
}

/* Removes gardenlet's files. Fails at others of the same paths. */
static enum status leave_out_files(struct arena *arena, struct sink *sink, struct gardener_osc *osc,
                                   size_t *ret_count)
{
	enum status status = STATUS_OK;
	size_t kept = 0;

	for (size_t i = 0; i < osc->file_count; i++) {
		const struct value *path = &osc->files[i].path;
		const struct own_file *own = find_own_file(value_text(path));

		if (own && has_mark(arena, osc->files[i].root, own->mark))
			continue;
		if (own)
			status |= refuse_own(sink, path, "this file is not gardenlet's");
		else if (is_state(value_text(path)))
			status |= refuse_own(sink, path, "it keeps its state there");
		osc->files[kept++] = osc->files[i];
	}
	*ret_count = osc->file_count - kept;
	osc->file_count = kept;
	return status;
}

/* Removes gardenlet's unit; its drop-ins stay. Fails at another unit of the same name. */
static enum status leave_out_units(struct sink *sink, struct gardener_osc *osc, size_t *ret_count)
{
	enum status status = STATUS_OK;
	size_t kept = 0;

	*ret_count = 0;
	for (size_t i = 0; i < osc->unit_count; i++) {
		struct gardener_unit unit = osc->units[i];

		if (sv_eq(value_text(&unit.name), SV(GARDENER_FLOW_UNIT)) && unit.content.type) {
			if (!sv_contains(unit.content.string, SV(GARDENER_FLOW_PROGRAM)))
				status |= refuse_own(sink, &unit.name,
				                     "the content of this unit is not gardenlet's");
			unit.content = VALUE_INVALID;
			(*ret_count)++;
			if (unit.drop_in_count == 0)
				continue;
		}
		osc->units[kept++] = unit;
	}
	osc->unit_count = kept;
	return status;
}

enum status gardener_flow_leave_out(struct arena *arena, struct sink *sink,
                                    const struct gardener_settings *settings,
                                    struct gardener_osc *osc)
{
	size_t files;
	size_t units;

	if (settings->flow != GARDENER_FLOW_DOWNLOADER || settings->contract != GARDENER_2021)
		return STATUS_OK;
	if (osc->purpose == GARDENER_PROVISION && !gardener_flow_is_gardenlets(arena, osc->object))
		return STATUS_OK;
	enum status status = leave_out_files(arena, sink, osc, &files);
	status |= leave_out_units(sink, osc, &units);
	if (status != STATUS_OK || files + units == 0)
		return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
	struct diag *diag =
	    diag_report(sink, DIAG_GARDENER_DOWNLOADER, kube_object_position(osc->object),
	                "gardenlet's own downloader is left out: %zu file%s%s", files,
	                files == 1 ? "" : "s", units > 0 ? " and its unit" : "");
	diag_set_help(sink, diag,
	              "remove it from the manifest: gardenerFlow: downloader brings another one");
	return STATUS_OK;
}
