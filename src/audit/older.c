/*
 * A file in the history: which commit made its present version, and which earlier one had it, too.
 */
#include "audit/internal.h"

enum { MOST_LOOKS = 200000 };

const size_t *audit_number_of(const struct audit_past *past, const struct git_id *id)
{
	return map_get(&past->numbers, git_id_sv(id));
}

static bool has_version(const struct audit_past *past, const struct git_commit_info *info, sv whole,
                        const struct git_file *file)
{
	struct git_file there;
	bool is_there = git_look_up(past->arena, past->repo, info->tree, whole, &there);

	return file ? is_there && audit_file_equal(&there, file) : !is_there;
}

static sv whole_path(const struct audit_past *past, sv path)
{
	return ARENA_CONCAT(past->arena, past->out, SV("/"), path);
}

bool audit_has_version(const struct audit_past *past, size_t number, sv path,
                       const struct git_file *file)
{
	return has_version(past, &past->commits.items[number], whole_path(past, path), file);
}

size_t audit_find_author(const struct audit_past *past, sv path, const struct git_file *file)
{
	sv whole = whole_path(past, path);
	size_t looks = 0;

	for (size_t i = 0; i < past->commits.count && looks < MOST_LOOKS; i++) {
		const struct git_commit_info *info = &past->commits.items[i];
		bool was_so = false;

		if (!past->is_since[i] || !has_version(past, info, whole, file))
			continue;
		for (size_t p = 0; p < info->parent_count && !was_so; p++) {
			const size_t *parent = audit_number_of(past, &info->parents[p]);

			looks++;
			was_so =
			    parent && has_version(past, &past->commits.items[*parent], whole, file);
		}
		if (!was_so)
			return i;
	}
	return SV_NPOS;
}

/* Returns the commit that made this version of the file, going back from one that has it. */
static size_t first_with(const struct audit_past *past, size_t number, sv whole,
                         const struct git_file *file, size_t *looks)
{
	for (bool goes_on = true; goes_on && *looks < MOST_LOOKS;) {
		const struct git_commit_info *info = &past->commits.items[number];

		goes_on = false;
		for (size_t p = 0; p < info->parent_count && !goes_on; p++) {
			const size_t *parent = audit_number_of(past, &info->parents[p]);

			++*looks;
			if (!parent ||
			    !has_version(past, &past->commits.items[*parent], whole, file))
				continue;
			number = *parent;
			goes_on = true;
		}
	}
	return number;
}

/* Looks for the files in one commit. Returns false once all are found. */
static bool look_in(const struct audit_past *past, size_t number, struct audit_wanted_files *wanted,
                    size_t *looks)
{
	bool is_missing = false;

	VEC_EACH (one, wanted) {
		if (one->found != SV_NPOS)
			continue;
		sv whole = whole_path(past, one->file->path);
		++*looks;
		if (has_version(past, &past->commits.items[number], whole, one->file))
			one->found = first_with(past, number, whole, one->file, looks);
		else
			is_missing = true;
	}
	return is_missing;
}

/* Looks only at the newest of commits with the same output. */
bool audit_find_older(const struct audit_past *past, struct audit_wanted_files *wanted)
{
	struct set seen = set_in(past->arena);
	size_t looks = 0;

	if (wanted->count == 0)
		return true;
	for (size_t i = 0; i < past->commits.count; i++) {
		const struct git_commit_info *info = &past->commits.items[i];
		struct git_file folder;

		if (!past->is_older[i] ||
		    !git_look_up(past->arena, past->repo, info->tree, past->out, &folder))
			continue;
		sv id = arena_dup(past->arena, git_id_sv(&folder.id));
		if (!set_add(&seen, id))
			continue;
		if (looks > MOST_LOOKS)
			return false;
		if (!look_in(past, i, wanted, &looks))
			return true;
	}
	return true;
}
