/*
 * Refuses paths of the output that git would filter: what is committed is what was put. Tells the
 * filter of an input.
 *
 * libgit2 looks for a .gitattributes in every folder above every path. Most repositories have none
 * that names a filter, so each folder is looked at once, and libgit2 is asked only where one may
 * apply. gitattributes(5)
 */
#include "git/internal.h"
#include "git/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Line ends are git's own, and do not change what is committed. */
static const char *const changing[] = {"filter", "working-tree-encoding"};

struct lookup {
	struct arena *arena;
	struct git_repo *repo;
	git_index *index; /* may be null */
	git_tree *head;   /* of a bare repository; may be null */
	/* Folder, "" for the root, to whether a file in it or above it may name a filter. */
	struct map folders;
};

static bool names_filter(const void *bytes, size_t len)
{
	for (size_t i = 0; i < COUNT_OF(changing); i++)
		if (memmem(bytes, len, changing[i], strlen(changing[i])))
			return true;
	return false;
}

enum { MAX_READ = 64 * 1024 };

/*
 * True if the file may name a filter: it does, or it is large, or cannot be read. A link, which git
 * does not follow, names none.
 */
static bool file_may_filter(struct arena *arena, sv path)
{
	const char *name = arena_cstr(arena, path);
	struct stat status;

	if (lstat(name, &status) < 0)
		return errno != ENOENT && errno != ENOTDIR;
	if (!S_ISREG(status.st_mode))
		return false;
	if (status.st_size > MAX_READ)
		return true;
	char *bytes = arena_alloc(arena, MAX_READ);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : read(fd, bytes, MAX_READ);

	if (fd >= 0)
		close(fd);
	return len < status.st_size || names_filter(bytes, (size_t)len);
}

static bool blob_may_filter(const struct lookup *lookup, const git_oid *id)
{
	git_blob *blob = NULL;
	bool may = git_blob_lookup(&blob, lookup->repo->handle, id) < 0 ||
	           names_filter(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));

	git_blob_free(blob);
	return may;
}

/* The sources that libgit2 reads: the work tree and the index, or a bare repository's HEAD. */
static bool folder_may_filter(const struct lookup *lookup, sv folder)
{
	sv name = sv_empty(folder) ? SV(".gitattributes")
	                           : ARENA_CONCAT(lookup->arena, folder, SV("/.gitattributes"));
	const char *path = arena_cstr(lookup->arena, name);

	if (!sv_empty(lookup->repo->worktree) &&
	    file_may_filter(lookup->arena,
	                    ARENA_CONCAT(lookup->arena, lookup->repo->worktree, SV("/"), name)))
		return true;
	const git_index_entry *entry =
	    lookup->index ? git_index_get_bypath(lookup->index, path, 0) : NULL;
	if (entry && blob_may_filter(lookup, &entry->id))
		return true;
	git_tree_entry *in_head = NULL;
	bool may = lookup->head && git_tree_entry_bypath(&in_head, lookup->head, path) == 0 &&
	           blob_may_filter(lookup, git_tree_entry_id(in_head));
	git_tree_entry_free(in_head);
	return may;
}

/* Looks at each folder once, from the root down. */
static bool path_may_be_filtered(struct lookup *lookup, sv path)
{
	static char yes;
	static char no;

	for (size_t end = 0;;) {
		sv folder = sv_slice(path, 0, end);
		const char *known = map_get(&lookup->folders, folder);

		if (!known) {
			char *found = folder_may_filter(lookup, folder) ? &yes : &no;

			map_put(&lookup->folders, arena_dup(lookup->arena, folder), found);
			known = found;
		}
		if (known == &yes)
			return true;
		size_t next = sv_find_char(sv_from_offset(path, end + 1), '/');
		if (next == SV_NPOS)
			return false;
		end += next + 1;
	}
}

/* True if a file of attributes outside of the tree may name a filter. */
static bool repository_may_filter(const struct lookup *lookup)
{
	struct git_repo *repo = lookup->repo;
	git_config *config = NULL;
	git_buf configured = GIT_BUF_INIT;
	bool may = file_may_filter(
	    lookup->arena, ARENA_CONCAT(lookup->arena, repo->common_dir, SV("/info/attributes")));

	if (!may && git_repository_config_snapshot(&config, repo->handle) == 0)
		may = git_config_get_path(&configured, config, "core.attributesfile") !=
		      GIT_ENOTFOUND;
	git_buf_dispose(&configured);
	git_config_free(config);
	return may;
}

static enum status check_not_filtered(struct sink *sink, struct git_output *output, sv path)
{
	struct git_repo *repo = output->repo;
	uint32_t flags =
	    GIT_ATTR_CHECK_NO_SYSTEM |
	    (repo->worktree.len > 0 ? GIT_ATTR_CHECK_FILE_THEN_INDEX : GIT_ATTR_CHECK_INCLUDE_HEAD);

	if (repo->worktree.len > 0 && git_rules_are_alien(repo->worktree, path, ".gitattributes"))
		flags = GIT_ATTR_CHECK_NO_SYSTEM | GIT_ATTR_CHECK_INDEX_ONLY;
	for (size_t i = 0; i < COUNT_OF(changing); i++) {
		const char *value = NULL;

		if (git_attr_get(&value, repo->handle, flags, arena_cstr(output->arena, path),
		                 changing[i]) < 0 ||
		    git_attr_value(value) != GIT_ATTR_VALUE_STRING)
			continue;
		struct diag *diag =
		    diag_report(sink, DIAG_GIT_FILTERED, NOWHERE,
		                "cannot commit %.*s: .gitattributes puts it under %s '%s'",
		                SV_ARG(path), changing[i], value);
		diag_set_help(sink, diag, "add a line to .gitattributes: %.*s/** -%s",
		              SV_ARG(output->options.folder), changing[i]);
		return STATUS_FAILED; /* the others are as this one */
	}
	return STATUS_OK;
}

static void open_lookup(struct lookup *lookup)
{
	git_object *head = NULL;

	if (!sv_empty(lookup->repo->worktree)) {
		if (git_repository_index(&lookup->index, lookup->repo->handle) < 0)
			lookup->index = NULL;
	} else if (git_revparse_single(&head, lookup->repo->handle, "HEAD^{tree}") == 0) {
		lookup->head = (git_tree *)head;
	}
}

enum status git_check_attributes(struct sink *sink, struct git_output *output)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct lookup lookup = {
	    .arena = output->arena,
	    .repo = output->repo,
	    .folders = map_in(output->arena),
	};
	enum status status = STATUS_OK;

	open_lookup(&lookup);
	bool everywhere = repository_may_filter(&lookup);
	VEC_EACH (each, &output->all) {
		const struct git_put *put = *each;

		if (put->remove || !git_put_changes(put))
			continue;
		arena_reset(scratch);
		sv path = git_output_full_path(scratch, output, put->path);
		if (everywhere || path_may_be_filtered(&lookup, path))
			status = check_not_filtered(sink, output, path);
		if (status != STATUS_OK)
			break;
	}
	git_index_free(lookup.index);
	git_tree_free(lookup.head);
	return status;
}

/* Returns the value of an attribute, or an empty string if it has none. */
static sv value_of(struct arena *arena, struct git_repo *repo, const struct git_source *source,
                   sv path, const char *name)
{
	git_attr_options options = {.version = GIT_ATTR_OPTIONS_VERSION,
	                            .flags = GIT_ATTR_CHECK_NO_SYSTEM};
	const char *value = NULL;

	if (source) {
		options.flags |= GIT_ATTR_CHECK_INDEX_ONLY | GIT_ATTR_CHECK_INCLUDE_COMMIT;
		options.attr_commit_id = git_id_to_oid(source->id);
	}
	if (git_attr_get_ext(&value, repo->handle, &options, arena_cstr(arena, path), name) < 0 ||
	    git_attr_value(value) != GIT_ATTR_VALUE_STRING)
		return SV("");
	return arena_dup(arena, sv_from_cstr(value));
}

sv git_filter_of(struct arena *arena, struct git_repo *repo, const struct git_source *source,
                 sv path)
{
	return value_of(arena, repo, source, path, "filter");
}

sv git_changing_attribute(struct arena *arena, struct git_repo *repo,
                          const struct git_source *source, sv path, sv *ret_value)
{
	for (size_t i = 0; i < COUNT_OF(changing); i++) {
		*ret_value = value_of(arena, repo, source, path, changing[i]);
		if (!sv_empty(*ret_value))
			return sv_from_cstr(changing[i]);
	}
	return SV("");
}
