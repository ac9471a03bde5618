/*
 * Commits, trees, files and the work tree, read.
 */
#include "git/git.h"
#include "git/internal.h"

#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Deeper trees are nobody's manifests; the walk recurses. */
enum { MAX_DEPTH = 128, PATH_PER_ENTRY = 128 };

/* ---- commits ----------------------------------------------------------------------------- */

/* The most bytes of a commit that is read. */
enum { COMMIT_MAX_BYTES = 1024 * 1024 };

/* Returns false if a commit or tag is not there, or too large. */
static bool may_read_commit(struct git_repo *repo, const git_oid *id)
{
	git_object_t type;
	size_t size;

	/* The header has the size, before anything is inflated. */
	if (git_odb_read_header(&size, &type, repo->odb, id) < 0)
		return false;
	if (size <= COMMIT_MAX_BYTES)
		return true;
	if (repo->large_commit_bytes == 0) {
		repo->large_commit = git_id_from(id);
		repo->large_commit_bytes = size;
	}
	return false;
}

git_commit *git_take_commit(struct git_repo *repo, const git_oid *id)
{
	git_commit *commit = NULL;

	return may_read_commit(repo, id) && git_commit_lookup(&commit, repo->handle, id) == 0
	           ? commit
	           : NULL;
}

enum status git_check_commits(struct sink *sink, const struct git_repo *repo)
{
	if (!repo || repo->large_commit_bytes == 0)
		return STATUS_OK;
	sv id = git_id_hex(sink->arena, repo->large_commit);
	struct diag *diag =
	    diag_report(sink, DIAG_GIT_LARGE_COMMIT, NOWHERE,
	                "commit %.*s has %zu bytes, more than the %d that a run reads of one",
	                SV_ARG(id), repo->large_commit_bytes, COMMIT_MAX_BYTES);
	diag_set_help(sink, diag,
	              "see who wrote it, with git log -1 --format=%%an %.*s; remove it from the "
	              "branch, or write it anew with a short message",
	              SV_ARG(id));
	return STATUS_FAILED;
}

static void report_missing_commit(struct sink *sink, struct git_repo *repo, sv rev)
{
	if (git_report_borrowed(sink, repo, ARENA_CONCAT(sink->arena, SV("no commit "), rev)))
		return;
	/* Report first: the calls below overwrite libgit2's last error. */
	struct diag *diag = git_report(sink, DIAG_GIT_COMMIT, "no commit %.*s in %.*s", SV_ARG(rev),
	                               SV_ARG(repo->path));
	bool unborn = git_repo_is_unborn(repo);
	bool shallow = git_repository_is_shallow(repo->handle) == 1;

	if (unborn)
		diag_set_help(sink, diag,
		              "the branch has no commit yet: commit the inputs, or start with "
		              "`osm-gen init .`; generate, validate and render can read the work "
		              "tree instead: --worktree");
	else if (shallow)
		diag_set_help(sink, diag,
		              "the clone is shallow: fetch more with git fetch --unshallow");
	else
		diag_set_help(sink, diag,
		              "name an existing commit, tag or branch, or fetch it first");
}

/*
 * True if the branch or tag that `rev` begins with exists, but its object does not, or is too
 * large (git_take_commit); libgit2's last error is then set, unless it is too large.
 * git_revparse_single would fail likewise, but leak the reference, and read a large object.
 */
static bool leads_nowhere(struct arena *arena, struct git_repo *repo, sv rev)
{
	size_t length = 0;
	git_reference *ref = NULL;
	git_oid id;

	while (length < rev.len && !strchr("^~:", rev.ptr[length]) &&
	       !sv_starts_with(sv_from_offset(rev, length), SV("@{")))
		length++;
	const char *name = arena_cstr(arena, sv_from(rev.ptr, length));
	bool is_found = length > 0 && git_reference_dwim(&ref, repo->handle, name) == 0;
	if (is_found)
		git_oid_cpy(&id, git_reference_target(ref));
	git_reference_free(ref);
	if (is_found || git_oid_fromstr(&id, name) == 0)
		return !may_read_commit(repo, &id);
	return false;
}

enum status git_source_find(struct arena *arena, struct sink *sink, struct git_repo *repo, sv rev,
                            struct git_source *ret_source)
{
	git_object *object = NULL;
	git_object *commit = NULL;
	enum status status = STATUS_OK;

	git_error_clear();
	if (leads_nowhere(arena, repo, rev) ||
	    git_revparse_single(&object, repo->handle, arena_cstr(arena, rev)) < 0 ||
	    git_object_peel(&commit, object, GIT_OBJECT_COMMIT) < 0) {
		if (git_check_commits(sink, repo) == STATUS_OK)
			report_missing_commit(sink, repo, rev);
		status = STATUS_FAILED;
	} else {
		const git_signature *who = git_commit_committer((git_commit *)commit);

		*ret_source = (struct git_source){
		    .id = git_id_from(git_object_id(commit)),
		    .tree = git_id_from(git_commit_tree_id((git_commit *)commit)),
		    .time = who->when.time,
		    .time_offset_minutes = who->when.offset,
		};
		ret_source->hex = git_id_hex(arena, ret_source->id);
	}
	git_object_free(commit);
	git_object_free(object);
	return status;
}

/* ---- trees ------------------------------------------------------------------------------- */

struct listing {
	struct git_repo *repo;
	struct arena *arena;
	struct git_files files;
	sv skip; /* this folder is left out */
	sv only; /* and all that is not in this one; empty for all */
	struct sink *sink;
};

static bool is_path_within(sv path, sv folder)
{
	return folder.len > 0 && path.len > folder.len && path.ptr[folder.len] == '/' &&
	       sv_starts_with(path, folder);
}

static enum status list_folder(struct listing *listing, const git_oid *oid, sv folder,
                               unsigned depth);

/* Git's tree order sorts a folder as "name/", which is the order of whole paths by bytes. */
static enum status list_entry(struct listing *listing, const git_tree_entry *entry, sv folder,
                              unsigned depth)
{
	sv path = ARENA_CONCAT(listing->arena, folder, folder.len ? SV("/") : SV(""),
	                       sv_from_cstr(git_tree_entry_name(entry)));

	if (!quota_take(listing->repo->entries, 1 + path.len / PATH_PER_ENTRY)) {
		quota_report(listing->sink, listing->repo->entries);
		return STATUS_FAILED;
	}
	bool is_folder = git_tree_entry_type(entry) == GIT_OBJECT_TREE;
	bool is_above =
	    is_folder && (sv_eq(path, listing->only) || is_path_within(listing->only, path));
	if (listing->only.len > 0 && !is_above && !is_path_within(path, listing->only))
		return STATUS_OK;
	if (is_folder) {
		if (listing->skip.len > 0 && sv_eq(path, listing->skip))
			return STATUS_OK;
		return list_folder(listing, git_tree_entry_id(entry), path, depth + 1);
	}
	VEC_PUSH(listing->arena, &listing->files,
	         ((struct git_file){.path = path,
	                            .mode = (enum git_mode)git_tree_entry_filemode(entry),
	                            .id = git_id_from(git_tree_entry_id(entry))}));
	return STATUS_OK;
}

static enum status list_folder(struct listing *listing, const git_oid *oid, sv folder,
                               unsigned depth)
{
	git_tree *tree = NULL;
	enum status status = STATUS_OK;

	if (depth > MAX_DEPTH) {
		diag_report(listing->sink, DIAG_GIT_OBJECT, NOWHERE,
		            "folders nested deeper than %d: %.80s...", MAX_DEPTH,
		            arena_cstr(listing->arena, folder));
		return STATUS_FAILED;
	}
	if (git_tree_lookup(&tree, listing->repo->handle, oid) < 0) {
		git_report_object(
		    listing->sink, listing->repo,
		    sv_empty(folder)
		        ? SV("cannot read the commit's root folder")
		        : ARENA_CONCAT(listing->arena, SV("cannot read folder "), folder));
		return STATUS_FAILED;
	}
	size_t count = git_tree_entrycount(tree);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = list_entry(listing, git_tree_entry_byindex(tree, i), folder, depth);
	git_tree_free(tree);
	return status;
}

enum status git_list_tree(struct arena *arena, struct sink *sink, struct git_repo *repo,
                          struct git_id tree, sv under, sv skip, struct git_files *ret_files)
{
	struct listing listing = {.repo = repo, .arena = arena, .skip = skip, .sink = sink};
	git_oid oid = git_id_to_oid(tree);

	if (list_folder(&listing, &oid, under, 0) != STATUS_OK)
		return STATUS_FAILED;
	*ret_files = listing.files;
	return STATUS_OK;
}

enum status git_list(struct arena *arena, struct sink *sink, struct git_repo *repo,
                     const struct git_source *source, sv skip, struct git_files *ret_files)
{
	return git_list_tree(arena, sink, repo, source->tree, (sv){0}, skip, ret_files);
}

enum status git_list_folder(struct arena *arena, struct sink *sink, struct git_repo *repo,
                            const struct git_source *source, sv folder, struct git_files *ret_files)
{
	struct listing listing = {.repo = repo, .arena = arena, .only = folder, .sink = sink};
	git_oid oid = git_id_to_oid(source->tree);

	BUG_ON(sv_empty(folder));
	if (list_folder(&listing, &oid, (sv){0}, 0) != STATUS_OK)
		return STATUS_FAILED;
	*ret_files = listing.files;
	return STATUS_OK;
}

/* ---- files by their paths ----------------------------------------------------------------- */

size_t git_files_place(const struct git_files *files, sv path)
{
	size_t low = 0;
	size_t high = files->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sv_cmp(files->items[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct git_file *git_files_find(const struct git_files *files, sv path)
{
	size_t place = git_files_place(files, path);

	return place < files->count && sv_eq(files->items[place].path, path) ? &files->items[place]
	                                                                     : NULL;
}

/* ---- the work tree ----------------------------------------------------------------------- */

static void add_worktree_file(struct arena *arena, struct git_repo *repo,
                              const git_status_entry *entry, sv skip, struct git_files *files)
{
	const git_diff_file *file = &entry->index_to_workdir->new_file;
	sv path = sv_from_cstr(file->path);
	struct stat info;

	if ((entry->status & (GIT_STATUS_WT_DELETED | GIT_STATUS_IGNORED)) ||
	    is_path_within(path, skip))
		return;
	/* A sparse checkout tracks files that are not there: add_from_index has them. */
	if (lstat(arena_cstr(arena, ARENA_CONCAT(arena, repo->worktree, SV("/"), path)), &info) < 0)
		return;
	enum git_mode mode = GIT_MODE_FILE;
	if (S_ISLNK(info.st_mode))
		mode = GIT_MODE_LINK;
	else if (S_ISDIR(info.st_mode))
		mode = GIT_MODE_SUBMODULE;
	else if (info.st_mode & S_IXUSR)
		mode = GIT_MODE_EXECUTABLE;
	VEC_PUSH(
	    arena, files,
	    ((struct git_file){.path = arena_dup(arena, path), .mode = mode, .on_disk = true}));
}

/*
 * Adds files that are taken from the index: submodules, checked out or not, into each of which
 * git_status_list would look, and files that a sparse checkout leaves out.
 */
static enum status add_from_index(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                  sv skip, struct git_files *files)
{
	struct git_opened_index index;
	struct stat info;

	if (git_open_index(sink, repo, &index) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < git_index_entrycount(index.index); i++) {
		const git_index_entry *entry = git_index_get_byindex(index.index, i);
		bool is_module = entry->mode == GIT_MODE_SUBMODULE;
		sv path = arena_dup(arena, sv_from_cstr(entry->path));

		if (is_path_within(path, skip) ||
		    !(is_module || (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE)))
			continue;
		sv full = ARENA_CONCAT(arena, repo->worktree, SV("/"), path);
		if (!is_module && lstat(arena_cstr(arena, full), &info) == 0)
			continue; /* it is listed */
		VEC_PUSH(arena, files,
		         ((struct git_file){.path = path,
		                            .mode = (enum git_mode)entry->mode,
		                            .on_disk = is_module,
		                            .id = git_id_from(&entry->id)}));
	}
	git_close_index(&index);
	return STATUS_OK;
}

/*
 * Reports a .gitignore or .gitattributes that is a link, a pipe or a folder. git_status_list would
 * open it. CIRCLE: itself, for folders in each other, as deep as MAX_FOLDERS.
 */
static enum status refuse_alien_rules(struct sink *sink, const char *folder, size_t root_len,
                                      unsigned depth)
{
	enum { MAX_FOLDERS = 256 };
	DIR *stream = opendir(folder);
	enum status status = STATUS_OK;
	const struct dirent *entry;

	while (stream && status == STATUS_OK && (entry = readdir(stream))) {
		sv name = sv_from_cstr(entry->d_name);
		char path[PATH_MAX];
		struct stat info;
		int len = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);

		if (sv_eq(name, SV(".")) || sv_eq(name, SV("..")) || sv_eq(name, SV(".git")) ||
		    len < 0 || (size_t)len >= sizeof(path) || lstat(path, &info) < 0)
			continue;
		if (S_ISDIR(info.st_mode) && depth < MAX_FOLDERS)
			status = refuse_alien_rules(sink, path, root_len, depth + 1);
		if (S_ISREG(info.st_mode) ||
		    !(sv_eq(name, SV(".gitignore")) || sv_eq(name, SV(".gitattributes"))))
			continue;
		struct diag *diag = diag_report(sink, DIAG_NAMED_LINK, NOWHERE,
		                                "%s is not a regular file, so git does not read it",
		                                path + root_len + 1);
		diag_set_help(
		    sink, diag,
		    "write a file in its place, or leave --worktree out to read a commit");
		status = STATUS_FAILED;
	}
	if (stream)
		closedir(stream);
	return status;
}

enum status git_list_worktree(struct arena *arena, struct sink *sink, struct git_repo *repo,
                              sv skip, struct git_files *ret_files)
{
	git_status_options options;
	git_status_list *list = NULL;
	struct git_files files = {0};

	if (repo->worktree.len == 0) {
		struct diag *diag = diag_report(sink, DIAG_GIT_REPOSITORY, NOWHERE,
		                                "%.*s is a bare repository: it has no work tree",
		                                SV_ARG(repo->path));
		diag_set_help(sink, diag, "leave --worktree out to read a commit");
		return STATUS_FAILED;
	}
	if (refuse_alien_rules(sink, arena_cstr(arena, repo->worktree), repo->worktree.len, 0) !=
	    STATUS_OK)
		return STATUS_FAILED;
	git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
	options.show = GIT_STATUS_SHOW_WORKDIR_ONLY;
	options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS |
	                GIT_STATUS_OPT_INCLUDE_UNMODIFIED | GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
	if (git_status_list_new(&list, repo->handle, &options) < 0) {
		const char *help = git_index_help();
		struct diag *diag = git_report(sink, DIAG_GIT_INDEX,
		                               "cannot compare the work tree %.*s with its index",
		                               SV_ARG(repo->worktree));

		diag_set_help(sink, diag, "%s", help);
		return STATUS_FAILED;
	}
	size_t count = git_status_list_entrycount(list);
	for (size_t i = 0; i < count; i++) {
		const git_status_entry *entry = git_status_byindex(list, i);

		if (entry->index_to_workdir)
			add_worktree_file(arena, repo, entry, skip, &files);
	}
	git_status_list_free(list);
	if (add_from_index(arena, sink, repo, skip, &files) != STATUS_OK)
		return STATUS_FAILED;
	sort_stable(files.items, files.count, sizeof(*files.items), sort_compare_sv, NULL);
	*ret_files = files;
	return STATUS_OK;
}

static enum status read_link(struct arena *arena, struct sink *sink, const char *path,
                             sv *ret_bytes)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target));

	if (len < 0) {
		os_report_error(sink, errno, "read link", sv_from_cstr(path));
		return STATUS_FAILED;
	}
	*ret_bytes = sv_from(arena_cstr(arena, sv_from(target, (size_t)len)), (size_t)len);
	return STATUS_OK;
}

/* ---- contents ---------------------------------------------------------------------------- */

static void report_blob(struct sink *sink, const struct git_repo *repo, const struct git_file *file)
{
	git_report_object(
	    sink, repo,
	    ARENA_CONCAT(sink->arena, SV("cannot read "), file->path, SV(" from the repository")));
}

static enum status read_blob(struct arena *arena, struct sink *sink, struct git_repo *repo,
                             const struct git_file *file, size_t max_bytes, sv *ret_bytes)
{
	git_oid oid = git_id_to_oid(file->id);
	git_odb_object *object = NULL;
	git_object_t type;
	size_t size;

	if (git_odb_read_header(&size, &type, repo->odb, &oid) < 0) {
		report_blob(sink, repo, file);
		return STATUS_FAILED;
	}
	if (size > max_bytes) {
		diag_report(sink, DIAG_IO, NOWHERE, "cannot read %.*s: larger than %zu bytes",
		            SV_ARG(file->path), max_bytes);
		return STATUS_FAILED;
	}
	if (git_odb_read(&object, repo->odb, &oid) < 0) {
		report_blob(sink, repo, file);
		return STATUS_FAILED;
	}
	char *copy = arena_alloc_text(arena, size + 1);
	size = git_odb_object_size(object);
	memcpy(copy, git_odb_object_data(object), size);
	copy[size] = '\0';
	git_odb_object_free(object);
	*ret_bytes = (sv){copy, size};
	return STATUS_OK;
}

enum status git_read(struct arena *arena, struct sink *sink, struct git_repo *repo,
                     const struct git_file *file, size_t max_bytes, sv *ret_bytes)
{
	if (file->mode == GIT_MODE_SUBMODULE) {
		diag_report(sink, DIAG_GIT_OBJECT, NOWHERE,
		            "%.*s is a submodule: its files are in another repository",
		            SV_ARG(file->path));
		return STATUS_FAILED;
	}
	if (!file->on_disk)
		return read_blob(arena, sink, repo, file, max_bytes, ret_bytes);
	sv path = ARENA_CONCAT(arena, repo->worktree, SV("/"), file->path);
	if (file->mode == GIT_MODE_LINK)
		return read_link(arena, sink, arena_cstr(arena, path), ret_bytes);
	/* A folder above may have become a link since the files were listed. */
	return os_read_named(arena, sink, repo->worktree, path, max_bytes, ret_bytes);
}

static bool read_checked_out(struct arena *arena, const struct git_repo *repo, sv folder,
                             const struct git_file *file, size_t max_bytes, sv *ret_bytes)
{
	struct sink unused = sink_in(arena);

	if (repo->worktree.len == 0 || file->mode != GIT_MODE_FILE)
		return false;
	sv path = ARENA_CONCAT(arena, repo->worktree, SV("/"), folder,
	                       folder.len > 0 ? SV("/") : SV(""), file->path);
	return os_kind(path) == OS_FILE &&
	       os_read_file(arena, &unused, path, max_bytes, ret_bytes) == STATUS_OK &&
	       git_id_equal(git_id_of_blob(*ret_bytes), file->id);
}

enum status git_read_within(struct arena *arena, struct sink *sink, struct git_repo *repo,
                            sv folder, const struct git_file *file, size_t max_bytes, sv *ret_bytes)
{
	if (read_checked_out(arena, repo, folder, file, max_bytes, ret_bytes))
		return STATUS_OK;
	return git_read(arena, sink, repo, file, max_bytes, ret_bytes);
}

bool git_is_larger(struct arena *arena, struct git_repo *repo, const struct git_file *file,
                   size_t max_bytes)
{
	git_oid oid = git_id_to_oid(file->id);
	git_object_t type;
	size_t size;

	if (file->on_disk)
		return os_is_larger(ARENA_CONCAT(arena, repo->worktree, SV("/"), file->path),
		                    max_bytes);
	return file->mode != GIT_MODE_SUBMODULE &&
	       git_odb_read_header(&size, &type, repo->odb, &oid) == 0 && size > max_bytes;
}

bool git_is_lfs_pointer(sv text)
{
	/* The pointer's first line; https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
	return text.len < 1024 &&
	       sv_starts_with(text, SV("version https://git-lfs.github.com/spec/"));
}

/* ---- uncommitted changes ----------------------------------------------------------------- */

static bool is_dirty(struct git_repo *repo, struct git_opened_index *index,
                     const struct git_file *file)
{
	const git_index_entry *entry = git_find_index_entry(index, file->path);
	struct git_id id;

	if (file->mode == GIT_MODE_SUBMODULE)
		return false;
	if (!entry || !git_id_equal(git_id_from(&entry->id), file->id) ||
	    entry->mode != (uint32_t)file->mode)
		return true;
	/* Links are not read as inputs, so a changed target is not worth a warning. */
	if ((entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) || file->mode == GIT_MODE_LINK)
		return false;
	return git_disk_look(repo, index, entry, file->path, &id) != GIT_DISK_FILE ||
	       !git_id_equal(id, file->id);
}

enum status git_list_dirty(struct arena *arena, struct sink *sink, struct git_repo *repo,
                           const struct git_files *files, struct git_files *ret_dirty)
{
	struct git_opened_index index = {0};
	struct git_files dirty = {0};

	if (repo->worktree.len > 0) {
		if (git_open_index(sink, repo, &index) != STATUS_OK)
			return STATUS_FAILED;
		VEC_EACH (file, files) {
			if (is_dirty(repo, &index, file))
				VEC_PUSH(arena, &dirty, *file);
		}
		git_close_index(&index);
	}
	*ret_dirty = dirty;
	return STATUS_OK;
}
