/*
 * Puts the objects that several units share (ARTIFACT_CONFIG_MAP): each once, by the unit that
 * comes to it first. Its content does not depend on the unit, as its name is a digest of that.
 */
#include "run/units/rendering.h"

/* Returns true for the first unit that asks for the path. */
static bool claim_path(struct run_rendering *r, sv path, struct git_id *id)
{
	os_mutex_lock(r->lock);
	const struct git_id *known = map_get(&r->shared, path);

	if (known) {
		*id = *known;
	} else {
		struct git_id *kept = ARENA_NEW(r->shared.arena, struct git_id);

		*kept = *id;
		map_put(&r->shared, arena_dup(r->shared.arena, path), kept);
	}
	os_mutex_unlock(r->lock);
	return !known;
}

static bool is_put(struct run_rendering *r, sv path, struct git_id *ret_id)
{
	os_mutex_lock(r->lock);
	const struct git_id *known = map_get(&r->shared, path);

	if (known)
		*ret_id = *known;
	os_mutex_unlock(r->lock);
	return known != NULL;
}

/* Puts the text, unless another unit does. */
static enum status put_once(struct sink *sink, struct run_rendering *r, unsigned number,
                            const struct leak_scanner *scanner, sv text,
                            const struct leak_place *place, struct tree_file *file)
{
	file->blob = git_id_of_blob(text);
	if (claim_path(r, file->path, &file->blob))
		return run_put(sink, r->writer, number, scanner, file->path,
		               &(struct git_content){.bytes = text, .id = &file->blob}, place);
	return leak_scanner_check(sink, scanner, file->path, text, place);
}

enum status run_put_shared(struct sink *sink, struct run_rendering *r, unsigned number,
                           const struct leak_scanner *scanner, const struct artifact *artifact,
                           const struct plan_unit *unit, struct tree_file *file)
{
	const struct plan *plan = r->job->plan;
	struct buf buf = buf_in(r->workers[number].scratch);
	const struct leak_place place = {.object = &artifact->object,
	                                 .at = kube_object_position(unit->unit->object)};

	/* The plan's secrets were searched for when it was put. */
	if (scanner == known_secrets_scanner(plan->secrets) && is_put(r, file->path, &file->blob))
		return STATUS_OK;
	tree_add_clear_object(r->workers[number].scratch, &buf, plan->root,
	                      unit->cluster->fleet->name, file->source, &artifact->object);
	return put_once(sink, r, number, scanner, buf_sv(&buf), &place, file);
}

/*
 * Makes the text of the file of `before` anew from the one in the previous output. Returns false if
 * there is none, if somebody edited it, or if it holds what became a secret since.
 */
static bool read_before(struct run_rendering *r, unsigned number, const struct plan_unit *unit,
                        sv source, struct artifact *before, struct buf *text)
{
	struct arena *scratch = r->workers[number].scratch;
	const struct git_output *output = r->writer->output;
	const struct leak_place place = {.at = NOWHERE};
	struct sink unused = sink_in(scratch);
	sv path = run_path_before(scratch, r->job->previous, unit->cluster, before, false);
	const struct git_file *there = git_output_find(output, path);
	sv had;

	if (!there ||
	    git_output_read(scratch, &unused, output, there, RUN_MAX_OUTPUT_BYTES, &had) !=
	        STATUS_OK ||
	    !unit->unit->dialect->config_map_read(scratch, before->id.name, had, &before->object))
		return false;
	run_annotate(scratch, unit->cluster->fleet, before);
	tree_add_clear_object(scratch, text, r->job->plan->root, unit->cluster->fleet->name, source,
	                      &before->object);
	return leak_scanner_check(&unused, known_secrets_scanner(r->job->plan->secrets), path,
	                          buf_sv(text), &place) == STATUS_OK;
}

enum status run_put_shared_before(struct sink *sink, struct run_rendering *r, unsigned number,
                                  const struct artifact *artifact, sv name,
                                  const struct plan_unit *unit, struct run_unit *result)
{
	struct run_worker *worker = &r->workers[number];
	const struct leak_place place = {.at = kube_object_position(unit->unit->object)};
	struct buf text = buf_in(worker->scratch);
	struct artifact before = *artifact;

	before.id.name = name;
	if (!r->job->previous)
		return STATUS_OK;
	struct tree_file file =
	    run_tree_file(worker->results, &worker->words, unit->cluster, &before,
	                  run_shared_source(worker->results, r->job->plan, unit->cluster), NULL);
	if (!is_put(r, file.path, &file.blob)) {
		if (!read_before(r, number, unit, file.source, &before, &text))
			return STATUS_OK;
		if (put_once(sink, r, number, known_secrets_scanner(r->job->plan->secrets),
		             buf_sv(&text), &place, &file) != STATUS_OK)
			return STATUS_FAILED;
	}
	VEC_PUSH(worker->results, &result->files, file);
	return STATUS_OK;
}

void run_keep_shared(struct run_rendering *r, unsigned number, struct run_unit *unit)
{
	VEC_EACH (file, &unit->files)
		BUG_ON(r->writes && file->role == ARTIFACT_CONFIG_MAP &&
		       claim_path(r, file->path, &file->blob) &&
		       !git_output_keep(r->writer->output, number, file->path));
}
