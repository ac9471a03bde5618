/*
 * Puts files of a cluster that belong to no unit, and adds them to its index.
 */
#include "run/clusters/completion.h"
#include "run/output/output.h"

void run_add_file(struct run_completion *c, const struct tree_file *file)
{
	struct tree_file *kept = ARENA_NEW(c->env->arena, struct tree_file);

	*kept = *file;
	VEC_PUSH(c->env->arena, c->files, kept);
}

static sv key_of(const struct dialect_definition *const *definition)
{
	return sv_from_bytes(definition, sizeof(*definition));
}

/* Returns the text of an earlier cluster if this one has the same, or null. */
static const struct run_text *find_text(const struct run_completion *c,
                                        const struct dialect_definition *definition, sv source,
                                        const struct value *object)
{
	const struct run_text *known = definition ? map_get(c->texts, key_of(&definition)) : NULL;

	return known && sv_eq(known->source, source) && value_equal(&known->object, object) &&
	               !secrecy_find(object)
	           ? known
	           : NULL;
}

/* Keeps a file without secrets. With them it would be another one in each cluster. */
static void keep_text(struct run_completion *c, const struct dialect_definition *definition,
                      sv source, const struct value *object, sv text)
{
	struct arena *arena = c->env->arena;

	if (!definition || secrecy_find(object))
		return;
	struct run_text *kept = ARENA_NEW(arena, struct run_text);
	*kept = (struct run_text){
	    .source = source,
	    .object = value_copy(arena, object),
	    .text = arena_dup(arena, text),
	    .id = git_output_last_id(c->writer->output, 0),
	};
	map_put(c->texts, arena_dup(arena, key_of(&definition)), kept);
}

enum status run_add_artifact(struct run_completion *c, const struct artifact *artifact, sv source,
                             const struct dialect_definition *definition)
{
	const struct run_env *env = c->env;
	sv cluster = c->cluster->fleet->name;
	struct buf buf = buf_in(env->scratch);
	struct map words = map_in(env->arena);
	struct tree_file file =
	    run_tree_file(env->arena, &words, c->cluster, artifact, source, NULL);
	struct artifact annotated = *artifact;
	const struct leak_place place = {.object = &annotated.object, .at = c->cluster->fleet->at};

	BUG_ON(artifact->sealing != ARTIFACT_CLEAR);
	run_annotate(env->arena, c->cluster->fleet, &annotated);
	if (run_check_marks(env->sink, &annotated, true, place.at) != STATUS_OK)
		return STATUS_FAILED;
	if (c->without_seed && artifact->side == ARTIFACT_WORKER) {
		run_add_file(c, &file);
		return STATUS_OK;
	}
	const struct run_text *known = find_text(c, definition, source, &annotated.object);
	if (known && !c->without_seed) {
		const struct git_content content = {.bytes = known->text, .id = &known->id};

		if (run_put_scanned(env->sink, c->writer, 0, file.path, &content) != STATUS_OK)
			return STATUS_FAILED;
		run_add_file(c, &file);
		return STATUS_OK;
	}
	tree_add_clear_object(env->scratch, &buf, c->plan->root, cluster, source,
	                      &annotated.object);
	sv text = buf_sv(&buf);
	if (c->without_seed && run_take_fingerprints(env->scratch, env->sink, c->writer,
	                                             run_path_before(env->scratch, c->previous,
	                                                             c->cluster, artifact, false),
	                                             &text) != STATUS_OK)
		return STATUS_FAILED;
	if (run_put(env->sink, c->writer, 0, known_secrets_scanner(c->plan->secrets), file.path,
	            &(struct git_content){.bytes = text}, &place) != STATUS_OK)
		return STATUS_FAILED;
	keep_text(c, definition, source, &annotated.object, text);
	run_add_file(c, &file);
	arena_reset(env->scratch);
	return STATUS_OK;
}

enum status run_put_text(struct run_completion *c, sv path, const struct buf *buf,
                         const struct git_id *id)
{
	const struct leak_place place = {.at = c->cluster->fleet->at};

	if (run_put(c->env->sink, c->writer, 0, known_secrets_scanner(c->plan->secrets), path,
	            &(struct git_content){.bytes = buf_sv(buf), .id = id}, &place) != STATUS_OK)
		return STATUS_FAILED;
	set_add(&c->rendered->written, path);
	return STATUS_OK;
}
