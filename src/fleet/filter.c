/*
 * Chooses the files of a repository that may hold manifests, by their paths.
 */
#include "codec/codec.h"

#include "fleet/internal.h"

struct fleet_filter {
	struct arena *arena;
	sv out;
	const struct gitignore *ignore; /* null if nothing is ignored */
	struct set charts;              /* folders with a Chart.yaml */
	struct quota *steps;            /* may be null */
	struct buf kept;                /* the last folder found not to be ignored */
};

/* ---- paths ------------------------------------------------------------------------------- */

bool fleet_is_kustomization(sv path)
{
	sv name = sv_after_last(path, '/');

	return sv_is_among(name, kustomize_file_names, KUSTOMIZE_FILE_NAMES);
}

bool fleet_is_settings_file(sv path)
{
	return sv_eq(sv_after_last(path, '/'), SV(FLEET_SETTINGS_FILE));
}

/* Returns true if `path` is `folder` or below it. Every path is below the empty folder. */
static bool is_below(sv path, sv folder)
{
	if (sv_empty(folder))
		return true;
	return sv_starts_with(path, folder) &&
	       (path.len == folder.len || path.ptr[folder.len] == '/');
}

bool fleet_path_resolve(struct arena *arena, sv folder, sv reference, sv *ret_path)
{
	sv from = sv_starts_with(reference, SV("/")) ? SV("") : folder;

	return os_resolve(arena, from, reference, ret_path) && !sv_empty(*ret_path);
}

/* ---- the filter -------------------------------------------------------------------------- */

struct fleet_filter *fleet_filter_new(struct arena *arena, sv out, sv ignore_text)
{
	struct fleet_filter *filter = ARENA_NEW(arena, struct fleet_filter);

	*filter = (struct fleet_filter){
	    .arena = arena,
	    .out = sv_trim(out, "/"),
	    .ignore = sv_empty(ignore_text) ? NULL : gitignore_parse(arena, ignore_text),
	    .charts = set_in(arena),
	    .kept = buf_in(arena),
	};
	return filter;
}

/* Returns true if the file has the extension of a manifest. */
static bool is_manifest(sv path)
{
	return sv_ends_with(path, SV(".yaml")) || sv_ends_with(path, SV(".yml")) ||
	       sv_ends_with(path, SV(".json")) || fleet_is_kustomization(path);
}

void fleet_filter_limit(struct fleet_filter *filter, struct quota *steps)
{
	filter->steps = steps;
}

/* Comparisons of a path with a pattern that take as long as one step of a template. */
enum { COMPARED_PER_STEP = 4, MOST_COMPARED = 16 << 20 };

static bool excludes(const struct fleet_filter *filter, sv path, bool is_folder)
{
	uint64_t left = MOST_COMPARED;
	bool excluded = !quota_is_exceeded(filter->steps) &&
	                gitignore_excludes(filter->ignore, path, is_folder, &left);

	(void)quota_take(filter->steps, (MOST_COMPARED - left) / COMPARED_PER_STEP);
	return excluded;
}

/* Remembers the last folder, since paths come sorted and neighbours share their folders. */
static bool is_ignored(struct fleet_filter *filter, sv path, bool is_folder)
{
	sv folder = os_folder_of(path);

	for (size_t i = 0; i < folder.len; i++)
		if (folder.ptr[i] == '/' &&
		    !is_below(buf_sv(&filter->kept), sv_slice(folder, 0, i)) &&
		    excludes(filter, sv_slice(folder, 0, i), true))
			return true;
	if (!sv_empty(folder) && !is_below(buf_sv(&filter->kept), folder)) {
		if (excludes(filter, folder, true))
			return true;
		filter->kept.len = 0;
		buf_add(&filter->kept, folder);
	}
	return excludes(filter, path, is_folder);
}

bool fleet_filter_take(struct fleet_filter *filter, sv path)
{
	if (sv_eq(sv_after_last(path, '/'), SV("Chart.yaml"))) {
		sv folder = arena_dup(filter->arena, os_folder_of(path));

		set_add(&filter->charts, folder);
	}
	if (!is_manifest(path))
		return false;
	if (!sv_empty(filter->out) && is_below(path, filter->out))
		return false;
	return !filter->ignore || !is_ignored(filter, path, false);
}

bool fleet_filter_ignores(struct fleet_filter *filter, sv path)
{
	return filter->ignore && is_ignored(filter, path, false);
}

/* Returns true if a name in lower case looks like a manifest's that was changed or backed up. */
static bool is_nearly_manifest(sv name)
{
	static const char *const manifests[] = {".yaml", ".yml", ".json"};
	static const char *const others[] = {".md",   ".rst",     ".adoc",
	                                     ".html", ".jsonnet", ".libsonnet"};

	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (sv_ends_with(name, sv_from_cstr(others[i])))
			return false;
	if (sv_find_char(name, '.') == SV_NPOS)
		return true;
	for (size_t i = 0; i < COUNT_OF(manifests); i++)
		if (sv_contains(name, sv_from_cstr(manifests[i])))
			return true;
	return false;
}

bool fleet_filter_nearly_takes(struct fleet_filter *filter, sv path)
{
	sv name = arena_lower_ascii(filter->arena, sv_after_last(path, '/'));

	return is_nearly_manifest(name) && !is_manifest(path) &&
	       (sv_empty(filter->out) || !is_below(path, filter->out)) &&
	       !fleet_filter_is_chart_template(filter, path) && !fleet_filter_ignores(filter, path);
}

bool fleet_filter_ignores_folder(struct fleet_filter *filter, sv path)
{
	return filter->ignore && is_ignored(filter, path, true);
}

bool fleet_filter_is_chart_template(const struct fleet_filter *filter, sv path)
{
	if (!filter || set_count(&filter->charts) == 0)
		return false;
	for (sv folder = os_folder_of(path); !sv_empty(folder); folder = os_folder_of(folder)) {
		if (sv_eq(sv_after_last(folder, '/'), SV("templates")) &&
		    set_has(&filter->charts, os_folder_of(folder)))
			return true;
	}
	return false;
}
