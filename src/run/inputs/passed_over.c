/*
 * Warns of files that are not read although somebody may expect it: symbolic links, manifests
 * whose names do not end in .yaml, .yml or .json, and output in a second folder.
 */
#include "os/os.h"
#include "run/inputs/internal.h"
#include "secrecy/secrecy.h"

/*
 * Limits for reading files that are not inputs. A manifest is small, and a warning is not worth
 * reading a whole repository.
 */
enum {
	MAX_FILE_BYTES = 256 * 1024,
	MAX_FILES = 4000,
	MAX_BYTES = 16 * 1024 * 1024,
	MAX_SIDES = 100,
	MAX_LINKS_ON_THE_WAY = 16,
	MAX_SHOWN_LINE = 120,
};

struct looker {
	const struct run_env *env;
	const struct run_inputs *inputs;
	struct map files;   /* struct git_file, by path */
	struct map read;    /* struct fleet_file, by path, of inputs that were read */
	struct set folders; /* folders with an input in or below them */
	struct set beside;  /* folders with an input in them */
	size_t looked_at;
	size_t bytes;
};

/* ---- files that are not inputs ------------------------------------------------------------ */

/* Returns true if the file looks like a manifest that osm-gen would read. */
static bool has_glimpse(struct looker *l, const struct git_file *file, sv *ret_text,
                        struct fleet_glimpse *ret_glimpse)
{
	struct sink unused = sink_in(l->env->arena);

	if (l->looked_at++ >= MAX_FILES || l->bytes >= MAX_BYTES ||
	    (file->mode != GIT_MODE_FILE && file->mode != GIT_MODE_EXECUTABLE) ||
	    git_read(l->env->secret_arena, &unused, l->inputs->repo, file, MAX_FILE_BYTES,
	             ret_text) != STATUS_OK)
		return false;
	l->bytes += ret_text->len;
	return !sv_starts_with(*ret_text, SV(TREE_HEADER)) &&
	       sv_find_char(*ret_text, '\0') == SV_NPOS &&
	       fleet_glimpse(file->path, *ret_text, ret_glimpse);
}

/* Returns the position of the kind, or of the whole file if its line is too long to show. */
static struct position place_of_kind(const struct run_env *env, sv path, sv text,
                                     const struct fleet_glimpse *glimpse)
{
	struct source *source =
	    source_new(env->arena, path, text, secrecy_manifest_mentions_credential(text));
	struct position at = {source, glimpse->offset, glimpse->kind.len};

	source->suspected = source->confidential;
	return position_line(at).len > MAX_SHOWN_LINE ? position_of_source(source) : at;
}

/* Returns "clusters/prod/workers.yaml" for "clusters/prod/workers.yaml.txt". */
static sv better_name(struct arena *arena, sv path)
{
	static const char *const ends[] = {".yaml", ".yml", ".json"};
	sv lower = arena_lower_ascii(arena, path);

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		size_t at = sv_find(lower, sv_from_cstr(ends[i]));

		if (at != SV_NPOS)
			return ARENA_CONCAT(arena, sv_slice(path, 0, at), sv_from_cstr(ends[i]));
	}
	return ARENA_CONCAT(arena, path, SV(".yaml"));
}

static bool is_template_name(sv path)
{
	static const char *const ends[] = {".j2",   ".jinja",  ".jinja2", ".tpl",
	                                   ".tmpl", ".gotmpl", ".erb",    ".template"};

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (sv_ends_with(path, sv_from_cstr(ends[i])))
			return true;
	return false;
}

static void warn_name(struct looker *l, const struct git_file *file)
{
	struct arena *arena = l->env->arena;
	struct sink *sink = l->env->sink;
	struct fleet_glimpse glimpse;
	sv text;

	/* A file without any ending is most likely something else, except beside manifests. */
	if ((sv_find_char(sv_after_last(file->path, '/'), '.') == SV_NPOS &&
	     !set_has(&l->beside, os_folder_of(file->path))) ||
	    !has_glimpse(l, file, &text, &glimpse))
		return;
	struct diag *diag = diag_report(
	    sink, DIAG_INPUT_NAME, place_of_kind(l->env, file->path, text, &glimpse),
	    "this file holds a manifest of kind %.*s and is not read: its name does not end in "
	    ".yaml, .yml or .json",
	    SV_ARG(glimpse.kind));
	if (glimpse.is_template || is_template_name(file->path))
		diag_set_help(sink, diag,
		              "it seems to be a template: commit the manifest that is made of it, "
		              "and name this file in " FLEET_IGNORE_FILE);
	else
		diag_set_help(sink, diag,
		              "rename it to %.*s, or, if osm-gen should not read it, name it "
		              "in " FLEET_IGNORE_FILE,
		              SV_ARG(better_name(arena, file->path)));
}

/* ---- symbolic links ---------------------------------------------------------------------- */

static bool read_link(struct looker *l, const struct git_file *file, sv *ret_target)
{
	enum { LONGEST = 4096 };
	struct sink unused = sink_in(l->env->arena);

	return git_read(l->env->arena, &unused, l->inputs->repo, file, LONGEST, ret_target) ==
	       STATUS_OK;
}

/* Follows the links in a path. Returns false if they lead out of the repository. */
static bool follow_links(struct looker *l, sv path, sv *ret_path)
{
	struct arena *arena = l->env->arena;

	for (int followed = 0; followed < MAX_LINKS_ON_THE_WAY; followed++) {
		const struct git_file *link = NULL;
		size_t end = 0;
		sv target;

		while (!link && end < path.len) {
			size_t slash = sv_find_char(sv_from_offset(path, end + 1), '/');

			end = slash == SV_NPOS ? path.len : end + 1 + slash;
			link = map_get(&l->files, sv_slice(path, 0, end));
			if (link && link->mode != GIT_MODE_LINK)
				link = NULL;
		}
		if (!link) {
			*ret_path = path;
			return true;
		}
		if (!read_link(l, link, &target) || sv_starts_with(target, SV("/")) ||
		    !fleet_path_resolve(arena, os_folder_of(link->path),
		                        ARENA_CONCAT(arena, target, sv_from_offset(path, end)),
		                        &path))
			return false;
	}
	return false;
}

static bool is_in_folder(sv path, sv folder)
{
	return sv_empty(folder) || (sv_starts_with(path, folder) && path.len > folder.len &&
	                            path.ptr[folder.len] == '/');
}

/* Returns true if somebody may take the link for an input. */
static bool is_missed(struct looker *l, const struct git_file *link)
{
	bool is_manifest = fleet_filter_take(l->inputs->filter, link->path);
	struct fleet_glimpse glimpse;
	sv target;
	sv text;

	if (!follow_links(l, link->path, &target))
		return is_manifest;
	/* A folder that links to one above it would hold itself. */
	if (set_has(&l->folders, target))
		return !is_in_folder(link->path, target);
	const struct fleet_file *read = map_get(&l->read, target);
	if (read)
		return fleet_file_holds_work(read);
	const struct git_file *file = map_get(&l->files, target);
	if (file)
		return is_manifest && has_glimpse(l, file, &text, &glimpse);
	return is_manifest;
}

static void warn_link(struct looker *l, const struct git_file *link)
{
	struct sink *sink = l->env->sink;
	sv target;

	if (fleet_filter_ignores(l->inputs->filter, link->path) ||
	    fleet_filter_ignores_folder(l->inputs->filter, link->path) || !is_missed(l, link) ||
	    !read_link(l, link, &target))
		return;
	struct diag *diag = diag_report(
	    sink, DIAG_INPUT_LINK,
	    position_of_source(source_new(l->env->arena, link->path, SV(""), false)),
	    "this is a symbolic link to %.*s, and osm-gen does not follow links", SV_ARG(target));
	diag_set_help(sink, diag,
	              "commit the manifests themselves in place of the link, or name the link "
	              "in " FLEET_IGNORE_FILE);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Adds the folders of an input, up to one that is known. */
static void add_folders(struct looker *l, sv path)
{
	while (!sv_empty(path)) {
		path = os_folder_of(path);
		if (!set_add(&l->folders, path))
			return;
	}
}

void run_warn_passed_over(const struct run_env *env, const struct run_inputs *inputs,
                          struct fleet_file *const *results)
{
	struct looker l = {
	    .env = env,
	    .inputs = inputs,
	    .files = map_in(env->arena),
	    .read = map_in(env->arena),
	    .folders = set_in(env->arena),
	    .beside = set_in(env->arena),
	};
	bool has_link = false;

	for (size_t i = 0; i < inputs->taken.count; i++) {
		sv path = inputs->taken.items[i].path;

		if (!results[i])
			continue;
		map_put(&l.read, path, results[i]);
		if (!fleet_file_holds_work(results[i]))
			continue;
		set_add(&l.beside, os_folder_of(path));
		add_folders(&l, path);
	}
	VEC_EACH (file, &inputs->files) {
		has_link |= file->mode == GIT_MODE_LINK;
		if (file->mode != GIT_MODE_LINK &&
		    fleet_filter_nearly_takes(inputs->filter, file->path))
			warn_name(&l, file);
	}
	if (!has_link)
		return;
	VEC_EACH (file, &inputs->files)
		map_put(&l.files, file->path, file);
	VEC_EACH (file, &inputs->files)
		if (file->mode == GIT_MODE_LINK)
			warn_link(&l, file);
}

/* ---- output in a second folder -------------------------------------------------------------- */

/* Returns the folder of a side's kustomization, FOLDER/worker/kustomization.yaml, or "". */
static sv cluster_folder_of(sv path)
{
	static const enum artifact_side sides[] = {ARTIFACT_MANAGEMENT, ARTIFACT_WORKER};
	sv name = SV("/kustomization.yaml");

	if (!sv_ends_with(path, name))
		return SV("");
	sv folder = sv_slice(path, 0, path.len - name.len);
	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		sv side = tree_side_name(sides[i]);

		if (folder.len > side.len + 1 && sv_ends_with(folder, side) &&
		    folder.ptr[folder.len - side.len - 1] == '/')
			return sv_slice(folder, 0, folder.len - side.len - 1);
	}
	return SV("");
}

void run_warn_second_output(const struct run_env *env, const struct run_inputs *inputs)
{
	size_t looked_at = 0;

	if (inputs->out_is_outside)
		return;
	VEC_EACH (file, &inputs->taken) {
		struct sink unused = sink_in(env->arena);
		sv folder = cluster_folder_of(file->path);
		sv text;

		if (sv_empty(folder) || ++looked_at > MAX_SIDES ||
		    git_read(env->secret_arena, &unused, inputs->repo, file, MAX_FILE_BYTES,
		             &text) != STATUS_OK ||
		    !sv_starts_with(text, SV(TREE_HEADER)))
			continue;
		struct diag *diag = diag_report(
		    env->sink, DIAG_OUTPUT_SECOND,
		    position_of_source(source_new(env->arena, file->path, SV(""), false)),
		    "osm-gen wrote %.*s, but the output folder of this run is %.*s: the repository "
		    "has two outputs, and this run ignores the first one",
		    SV_ARG(folder), SV_ARG(inputs->out));
		diag_set_help(
		    env->sink, diag,
		    "name the folder with --out, or git mv it to %.*s and commit that; or "
		    "list it in " FLEET_IGNORE_FILE " if both outputs are intended",
		    SV_ARG(inputs->out));
		return;
	}
}
