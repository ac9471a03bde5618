/*
 * Finds an index.json that somebody edited so that a guard would see less than there is. Whoever
 * opens a pull request can edit it. What guards read of it is covered by a digest keyed with the
 * seed (recipients, encrypted settings, proofs), compared with a file (roll.c), or checked here
 * against the paths of files, which the output's tree confirms: a file that no index lists is found
 * by leftover.c.
 */
#include "plan/plan.h"

struct check {
	struct arena *arena;
	struct sink *sink;
	const struct tree_index *index;
	const struct source *source;
	struct set units; /* const struct tree_file * by role and unit */
};

static enum status report_edited(struct check *c, const char *what, sv path)
{
	struct diag *diag = diag_report(c->sink, DIAG_TREE_INDEX, position_of_source(c->source),
	                                "this index was edited, since %s%s%.*s", what,
	                                sv_empty(path) ? "" : " ", SV_ARG(path));

	diag_set_help(c->sink, diag,
	              "restore it from the commit before (git log -- %.*s, git checkout COMMIT -- "
	              "%.*s), and commit that",
	              SV_ARG(c->source->path), SV_ARG(c->source->path));
	return STATUS_FAILED;
}

/*
 * Returns true for a file of which each unit has one: *ret_file is what its dialect has of it. The
 * unit itself is such a file, too, if it is in the output.
 */
static bool is_of_one_unit(const struct tree_index *index, sv path,
                           struct dialect_unit_file *ret_file)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	sv name = sv_after_last(path, '/');
	enum artifact_side side;

	if (!tree_side_of(index->folder, path, &side) || !sv_ends_with(name, SV(".yaml")))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct dialect_unit_file itself = {SV(""), ARTIFACT_WORKER,
		                                         ARTIFACT_MACHINES};

		*ret_file = all[i]->unit_file;
		if (!sv_empty(ret_file->kind) && side == ret_file->side &&
		    tree_is_file_of_kind(name, ret_file->kind))
			return true;
		*ret_file = itself;
		for (size_t j = 0; all[i]->writes_unit && j < all[i]->kind_count; j++) {
			const struct dialect_kind *kind = &all[i]->kinds[j];

			if (kind->part == DIALECT_UNIT && side == itself.side &&
			    tree_is_file_of_kind(name, kind->kind))
				return true;
		}
	}
	return false;
}

/* Returns true if the path is the one that a file with this object and unit has. */
static bool has_its_path(struct check *c, const struct tree_file *file,
                         const struct dialect_unit_file *of)
{
	sv part = tree_part(c->arena, c->index->cut, of->side, file->unit);
	sv folder = tree_part_path(c->arena, c->index->folder, of->side, part);

	return sv_eq(file->path, tree_object_path_in(c->arena, folder, &file->object)) &&
	       (of->role != ARTIFACT_MACHINES ||
	        (sv_eq(file->object.kind, file->unit->kind) &&
	         sv_eq(file->object.namespace, file->unit->namespace) &&
	         sv_eq(file->object.name, file->unit->name)));
}

static enum status check_listed_file(struct check *c, const struct tree_file *file)
{
	const struct tree_unit *unit = file->unit;
	struct dialect_unit_file of;

	if (file->is_delivery || !is_of_one_unit(c->index, file->path, &of))
		return STATUS_OK;
	if (file->role != of.role)
		return report_edited(c, "it has another role for", file->path);
	if (!unit || sv_empty(unit->kind) || sv_empty(unit->namespace) || sv_empty(unit->name))
		return report_edited(c, "it has no unit for", file->path);
	if (!has_its_path(c, file, &of))
		return report_edited(c, "it has another object, unit or cut for", file->path);
	sv key = ARENA_CONCAT(c->arena, artifact_role_name(of.role), SV(" "),
	                      plan_unit_key(c->arena, SV(""), unit));
	/* A unit may have several reports. */
	if (!set_add(&c->units, key) && of.role != ARTIFACT_REPORT)
		return report_edited(c, "it has another unit for", file->path);
	return STATUS_OK;
}

enum status plan_check_index(struct arena *arena, struct sink *sink, const struct tree_index *index,
                             const struct source *source)
{
	struct check c = {arena, sink, index, source, .units = set_in(arena)};

	/* COMPAT: an index of format 1 has neither units nor roles. */
	if (index->format < 2)
		return STATUS_OK;
	if (sv_empty(index->seed_id))
		return report_edited(&c, "it has no seedId", SV(""));
	for (size_t i = 0; i < index->file_count; i++)
		if (check_listed_file(&c, &index->files[i]) != STATUS_OK)
			return STATUS_FAILED;
	return index->recipient_count > 0 || set_count(&c.units) == 0
	           ? STATUS_OK
	           : report_edited(&c, "it has no recipients", SV(""));
}
