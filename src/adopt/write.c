/*
 * Writes the cluster's folder beside its place, and moves it there when it is complete.
 */
#include "adopt/internal.h"

#include "fleet/fleet.h"
#include "os/os.h"
#include "report/report.h"
#include "yaml/yaml.h"

struct writing {
	struct arena *arena; /* of the secret kind */
	struct sink *sink;
	const struct adopt_request *request;
	const struct adopt_choice *choice;
	struct seal_recipients recipients;
	struct sealer *sealer;
	sv temporary;
	sv revisions;       /* what revisions/CLUSTER.json is to have */
	bool has_revisions; /* the file has it already */
};

/* ---- the place --------------------------------------------------------------------------- */

static enum status refuse_into(struct sink *sink, sv into, const char *problem, const char *help)
{
	struct diag *diag =
	    diag_report(sink, DIAG_ADOPT_FOLDER, NOWHERE, "--into %.*s %s", SV_ARG(into), problem);

	diag_set_help(sink, diag, "%s", help);
	return STATUS_FAILED;
}

static sv find_root(struct arena *arena, sv path)
{
	for (size_t end = path.len; end != SV_NPOS && end > 0; end = sv_rfind_char(path, '/')) {
		path = sv_slice(path, 0, end);
		if (os_kind(ARENA_CONCAT(arena, path, SV("/.git"))) != OS_ABSENT)
			return path;
	}
	return SV("");
}

static bool has_entries(struct arena *arena, sv folder)
{
	struct sink ignored = sink_in(arena);
	struct os_entries entries = {0};

	return os_list_tree(arena, &ignored, folder, &entries) != STATUS_OK || entries.count > 0;
}

sv adopt_revisions_path(struct arena *arena, const struct adopt_request *request, sv folder)
{
	size_t slash = sv_rfind_char(folder, '/');
	sv parent = slash == SV_NPOS ? SV("") : sv_slice(folder, 0, slash + 1);

	return ARENA_CONCAT(arena, parent, SV("revisions/"), request->cluster, SV(".json"));
}

enum status adopt_find_place(struct arena *arena, struct sink *sink,
                             const struct adopt_request *request, struct adopt_place *ret_place)
{
	sv into = sv_trim_right(request->into, "/");
	sv real;

	if (sv_empty(into) || !os_real_place(arena, into, &real))
		return refuse_into(sink, request->into, "is not the path of a folder",
		                   "name a folder of the repository, such as clusters/NAME");
	sv root = find_root(arena, real);
	if (sv_empty(root))
		return refuse_into(
		    sink, into, "is not in a git work tree",
		    "clone the fleet's repository, or start one with `osm-gen init DIR`");
	enum os_kind kind = os_kind(real);
	if (sv_eq(real, root) || (kind != OS_ABSENT && kind != OS_FOLDER) ||
	    (kind == OS_FOLDER && has_entries(arena, real)))
		return refuse_into(
		    sink, into, "already exists and is not empty",
		    "name a folder that does not exist yet: adopt overwrites nothing");
	sv relative = sv_from_offset(real, root.len + 1);
	if (sv_eq(relative, SV(".git")) || sv_starts_with(relative, SV(".git/")))
		return refuse_into(sink, into, "is git's own folder",
		                   "name a folder of the repository, such as clusters/NAME");
	*ret_place = (struct adopt_place){root, relative};
	return STATUS_OK;
}

/* ---- files ------------------------------------------------------------------------------- */

static enum status put(const struct writing *w, sv relative, sv text)
{
	sv path = ARENA_CONCAT(w->arena, w->temporary, SV("/"), relative);
	sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));

	if (os_make_folders(w->sink, folder) != STATUS_OK)
		return STATUS_FAILED;
	return os_write_new(w->sink, path, text, OS_WRITE_PLAIN);
}

/* Scans the text for known secrets. Sealed parts of it do not look like one. */
static enum status put_scanned(const struct writing *w, sv relative, sv text,
                               const struct leak_place *place)
{
	if (leak_scanner_check(w->sink, known_secrets_scanner(w->choice->secrets), relative, text,
	                       place) != STATUS_OK)
		return STATUS_FAILED;
	return put(w, relative, text);
}

static enum status put_clear(const struct writing *w, sv relative, const struct value *object,
                             struct position at)
{
	struct buf text = buf_in(w->arena);
	const struct leak_place place = {.object = object, .at = at};

	yml_emit(&text, object, (struct yml_format){0});
	return put_scanned(w, relative, buf_sv(&text), &place);
}

static enum status put_sealed(const struct writing *w, const struct adopt_file *file)
{
	struct buf text = buf_in(w->arena);
	const struct seal_request request = {
	    .cluster = w->request->cluster,
	    .object = &file->object,
	    .rule = seal_rule_secret,
	    .recipients = &w->recipients,
	    .at = file->at,
	};

	if (sealer_seal(w->sink, w->sealer, &request, &text) != STATUS_OK)
		return STATUS_FAILED;
	return put_scanned(w, file->path, buf_sv(&text),
	                   &(struct leak_place){.object = &file->object, .at = file->at});
}

static struct value settings_document(const struct writing *w)
{
	struct arena *arena = w->arena;
	struct value document = value_map_new(arena);
	struct value metadata = value_map_new(arena);
	struct value spec = value_map_new(arena);

	value_map_set(arena, &metadata, SV("name"), value_string(w->request->cluster));
	value_map_set(arena, &document, SV("apiVersion"), value_string(SV(FLEET_API_VERSION)));
	value_map_set(arena, &document, SV("kind"), value_string(SV("Cluster")));
	value_map_set(arena, &document, SV("metadata"), metadata);
	if (value_count(&w->choice->settings) > 0) {
		value_map_set(arena, &spec, SV("settings"), w->choice->settings);
		value_map_set(arena, &document, SV("spec"), spec);
	}
	return document;
}

/* Scans all files before any is written, so that all mistakes are reported at once. */
static enum status scan_files(const struct writing *w)
{
	const struct adopt_scan scan = {w->arena, w->sink, w->request, w->choice->secrets};
	struct value settings = settings_document(w);
	enum status status = adopt_scan_clear(&scan, &settings, NOWHERE, false);

	VEC_EACH (file, &w->choice->files)
		if (adopt_scan_clear(&scan, &file->object, file->at, file->sealed) != STATUS_OK)
			status = STATUS_FAILED;
	return status;
}

static enum status put_files(const struct writing *w, struct adopt_result *result)
{
	struct value settings = settings_document(w);

	if (scan_files(w) != STATUS_OK)
		return STATUS_FAILED;
	enum status status = put_clear(w, SV(FLEET_SETTINGS_FILE), &settings, NOWHERE);
	VEC_EACH (file, &w->choice->files) {
		enum status put_one = file->sealed
		                          ? put_sealed(w, file)
		                          : put_clear(w, file->path, &file->object, file->at);

		if (put_one != STATUS_OK)
			status = STATUS_FAILED;
		result->sealed_count += file->sealed;
	}
	result->file_count = w->choice->files.count + 1;
	return status;
}

/* ---- revisions --------------------------------------------------------------------------- */

/* Like kubectl's output, but without apiVersion and kind, so that it is not a manifest. */
static sv revisions_text(struct arena *arena, const struct adopt_choice *choice)
{
	struct value items = value_list_new(arena);
	struct buf text = buf_in(arena);

	VEC_EACH (revision, &choice->revisions) {
		struct value annotations = value_map_new(arena);

		value_map_set(arena, &annotations, revision->annotation,
		              value_string(revision->revision));
		value_list_add(
		    arena, &items,
		    VALUE_MAP(arena,
		              {"metadata",
		               VALUE_MAP(arena, {"namespace", value_string(revision->namespace)},
		                         {"name", value_string(revision->name)},
		                         {"annotations", annotations})}));
	}
	const struct value root = VALUE_MAP(arena, {"items", items});
	report_add_json(&text, &root);
	return buf_sv(&text);
}

/*
 * A run that was stopped before the folder was in its place left the revisions that this run would
 * write. Others are not overwritten.
 */
static enum status check_revisions(struct writing *w, sv path)
{
	struct sink ignored = sink_in(w->arena);
	sv text;

	w->revisions = revisions_text(w->arena, w->choice);
	w->has_revisions = os_kind(path) != OS_ABSENT;
	if (!w->has_revisions)
		return STATUS_OK;
	if (w->choice->revisions.count > 0 && os_kind(path) == OS_FILE &&
	    os_read_file(w->arena, &ignored, path, w->revisions.len, &text) == STATUS_OK &&
	    sv_eq(text, w->revisions))
		return STATUS_OK;
	return refuse_into(
	    w->sink, w->request->into, "already has revisions of that cluster beside it",
	    "remove revisions/CLUSTER.json beside the folder, or name another cluster");
}

static enum status put_revisions(const struct writing *w, sv path)
{
	if (w->choice->revisions.count == 0 || w->has_revisions)
		return STATUS_OK;
	if (os_make_folders(w->sink, sv_slice(path, 0, sv_rfind_char(path, '/'))) != STATUS_OK)
		return STATUS_FAILED;
	return os_write_file(w->sink, path, w->revisions, OS_WRITE_PLAIN);
}

/* ---- all of it --------------------------------------------------------------------------- */

static enum status put_in_place(const struct writing *w, sv real)
{
	struct sink ignored = sink_in(w->arena);
	sv revisions = adopt_revisions_path(w->arena, w->request, real);

	if (put_revisions(w, revisions) != STATUS_OK)
		return STATUS_FAILED;
	if (os_move_folder(w->sink, w->temporary, real) == STATUS_OK)
		return STATUS_OK;
	if (w->choice->revisions.count > 0 && !w->has_revisions)
		(void)!os_remove_file(&ignored,
		                      sv_slice(revisions, 0, sv_rfind_char(revisions, '/')),
		                      sv_after_last(revisions, '/'));
	return STATUS_FAILED;
}

enum status adopt_write(struct arena *secret_arena, struct sink *sink,
                        const struct adopt_request *request, const struct adopt_place *place,
                        const struct adopt_choice *choice, struct adopt_result *result)
{
	sv real = ARENA_CONCAT(secret_arena, place->root, SV("/"), place->relative);
	sv parent = sv_slice(real, 0, sv_rfind_char(real, '/'));
	struct writing w = {
	    .arena = secret_arena,
	    .sink = sink,
	    .request = request,
	    .choice = choice,
	    .temporary =
	        ARENA_CONCAT(secret_arena, parent, SV("/.osm-gen-adopt-"), request->cluster),
	};
	SEALER_AUTO sealer = sealer_new(request->root);

	w.sealer = sealer;
	if (adopt_find_recipients(
	        secret_arena, sink, request, place,
	        ARENA_CONCAT(secret_arena, place->relative, SV("/NAMESPACE/secret-NAME.yaml")),
	        &w.recipients) != STATUS_OK)
		return STATUS_FAILED;
	if (check_revisions(&w, adopt_revisions_path(secret_arena, request, real)) != STATUS_OK)
		return STATUS_FAILED;
	os_remove_tree(w.temporary); /* left by a run that was killed */
	enum status status = put_files(&w, result);
	if (status == STATUS_OK)
		status = put_in_place(&w, real);
	if (status != STATUS_OK)
		os_remove_tree(w.temporary);
	return status;
}
