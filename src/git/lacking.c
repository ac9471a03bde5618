/*
 * Objects that are not there, and what brings them: a partial clone left them with its remote, or
 * they are another repository's, which is gone. Source: git's partial-clone documentation,
 * gitrepository-layout(5) on objects/info/alternates.
 */
#include "git/git.h"
#include "git/internal.h"

#include "os/os.h"

/* The number that git follows. */
enum { MOST_ALTERNATES = 64, MAX_ALTERNATES_BYTES = 1 << 20 };

/* ---- partial clones ------------------------------------------------------------------------ */

/* Returns true for remote.NAME.promisor. Keys are in lower case except for NAME. */
static bool is_promisor(sv key)
{
	return sv_starts_with(key, SV("remote.")) && sv_ends_with(key, SV(".promisor"));
}

/*
 * Walks over all settings: looking them up by a regular expression leaks memory in some versions of
 * libgit2.
 */
bool git_repo_is_partial(const struct git_repo *repo)
{
	git_config *config = NULL;
	git_config_iterator *iterator = NULL;
	git_config_entry *entry;
	bool found = false;

	if (git_repository_config_snapshot(&config, repo->handle) == 0 &&
	    git_config_iterator_new(&iterator, config) == 0) {
		while (!found && git_config_next(&entry, iterator) == 0) {
			sv key = sv_from_cstr(entry->name);
			int yes = 0;

			found = sv_eq(key, SV("extensions.partialclone")) ||
			        (is_promisor(key) &&
			         git_config_parse_bool(&yes, entry->value) == 0 && yes);
		}
	}
	git_config_iterator_free(iterator);
	git_config_free(config);
	return found;
}

static const char *partial_help(struct arena *arena, const struct git_repo *repo)
{
	if (sv_empty(repo->worktree))
		return "osm-gen does not fetch them: git fetch --refetch --no-filter does; in CI, "
		       "clone without --filter";
	/* The setting itself may be in a configuration of the work tree, which is not read. */
	if (os_kind(ARENA_CONCAT(arena, repo->git_dir, SV("/info/sparse-checkout"))) == OS_FILE)
		return "osm-gen does not fetch them: git sparse-checkout disable does for HEAD, "
		       "git fetch --refetch --no-filter for all branches; in CI, clone without "
		       "--filter";
	return "osm-gen does not fetch them: git checkout does for HEAD, git fetch --refetch "
	       "--no-filter for all branches; in CI, clone without --filter";
}

/* ---- alternates ---------------------------------------------------------------------------- */

VEC_TYPE(folders, sv);

/* Adds the repository's alternates (objects/info/alternates). */
static void add_alternates(struct arena *arena, sv objects, struct folders *folders)
{
	struct sink ignored = sink_in(arena);
	sv path = ARENA_CONCAT(arena, objects, SV("/info/alternates"));
	sv text;
	sv line;

	if (os_kind(path) != OS_FILE ||
	    os_read_file(arena, &ignored, path, MAX_ALTERNATES_BYTES, &text) != STATUS_OK)
		return;
	struct sv_splitter lines = sv_split(text, '\n');
	while (sv_split_next(&lines, &line) && folders->count < MOST_ALTERNATES) {
		if (sv_empty(line) || line.ptr[0] == '#')
			continue;
		VEC_PUSH(arena, folders,
		         line.ptr[0] == '/' ? line : ARENA_CONCAT(arena, objects, SV("/"), line));
	}
}

static bool find_lost_alternate(struct arena *arena, const struct git_repo *repo, sv *ret_folder)
{
	struct folders folders = {0};

	add_alternates(arena, repo->objects, &folders);
	for (size_t i = 0; i < folders.count; i++) {
		sv folder = folders.items[i];

		if (os_kind(folder) != OS_FOLDER) {
			*ret_folder = folder;
			return true;
		}
		add_alternates(arena, folder, &folders);
	}
	return false;
}

/* ---- reports ------------------------------------------------------------------------------- */

bool git_report_borrowed(struct sink *sink, const struct git_repo *repo, sv what)
{
	sv folder;
	struct diag *diag;

	if (!find_lost_alternate(sink->arena, repo, &folder))
		return false;
	diag = diag_report(sink, DIAG_GIT_ALTERNATE, NOWHERE,
	                   "%.*s: the repository borrows objects from %.*s, which does not exist",
	                   SV_ARG(what), SV_ARG(folder));
	diag_set_help(
	    sink, diag,
	    "provide that folder under the same path, or clone with git clone --dissociate");
	return true;
}

void git_report_object(struct sink *sink, const struct git_repo *repo, sv what)
{
	const git_error *error = git_error_last();
	sv words = error && error->message ? arena_dup(sink->arena, sv_from_cstr(error->message))
	                                   : SV("no reason known");
	struct diag *diag;

	git_check_memory();
	if (git_report_borrowed(sink, repo, what))
		return;
	if (git_repo_is_partial(repo)) {
		diag = diag_report(sink, DIAG_GIT_PARTIAL, NOWHERE,
		                   "%.*s: this partial clone lacks it", SV_ARG(what));
		diag_set_help(sink, diag, "%s", partial_help(sink->arena, repo));
		return;
	}
	diag =
	    diag_report(sink, DIAG_GIT_OBJECT, NOWHERE, "%.*s: %.*s", SV_ARG(what), SV_ARG(words));
	diag_set_help(sink, diag, "git fsck shows what is damaged; take another clone");
}

enum status git_check_files(struct sink *sink, const struct git_repo *repo, sv under,
                            const struct git_files *files)
{
	size_t count = 0;
	size_t lacking = 0;
	sv first = {0};

	if (!git_repo_is_partial(repo))
		return STATUS_OK;
	VEC_EACH (file, files) {
		git_oid oid = git_id_to_oid(file->id);

		if (file->on_disk || file->mode == GIT_MODE_SUBMODULE)
			continue;
		count++;
		if (git_odb_exists_ext(repo->odb, &oid, GIT_ODB_LOOKUP_NO_REFRESH))
			continue;
		if (lacking++ == 0)
			first = file->path;
	}
	if (lacking == 0)
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_GIT_PARTIAL, NOWHERE,
	                "this partial clone lacks %zu of the %zu files that osm-gen reads, the "
	                "first is %.*s%s%.*s",
	                lacking, count, SV_ARG(under), sv_empty(under) ? "" : "/", SV_ARG(first));
	diag_set_help(sink, diag, "%s", partial_help(sink->arena, repo));
	return STATUS_FAILED;
}
