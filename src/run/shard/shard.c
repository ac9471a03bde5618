/*
 * Divides the units among shards, and saves what one of them rendered.
 */
#include "run/shard/shard.h"
#include "run/output/output.h"
#include "run/proofs/proofs.h"

/* ---- units of the shard ------------------------------------------------------------------ */

/* Parts have the same number of units but for one, and neighbours, which are mostly alike. */
void run_divide(const struct run_env *env, const struct run_sharding *sharding,
                const struct plan *plan, struct run_parts *ret_parts)
{
	size_t *division = ARENA_ARRAY(env->arena, size_t, plan->unit_count);

	for (size_t i = 0; i < plan->unit_count; i++)
		division[i] = 1 + i * sharding->count / plan->unit_count;
	*ret_parts = (struct run_parts){
	    .index = sharding->index,
	    .count = sharding->count,
	    .division = division,
	    .plan = plan,
	};
}

/* ---- the files of a shard ---------------------------------------------------------------- */

static sv file_path(struct arena *arena, const struct run_sharding *sharding, const char *ending)
{
	return arena_printf(arena, "%.*s/shard-%u-of-%u.%s",
	                    SV_ARG(sv_trim_right(sharding->folder, "/")), sharding->index,
	                    sharding->count, ending);
}

enum status run_check_sharding(const struct run_env *env, const struct run_sharding *sharding,
                               const struct run_inputs *inputs)
{
	if ((sharding->count == 0 && sharding->folder_count == 0) || !inputs->out_is_outside)
		return STATUS_OK;
	struct diag *diag = diag_report(env->sink, DIAG_OUTPUT_FOLDER, NOWHERE,
	                                "the output folder \"%.*s\" is outside of the repository: "
	                                "shards are put together in a commit",
	                                SV_ARG(inputs->out));
	diag_set_help(env->sink, diag, "name a folder below the repository's root with --%s",
	              sharding->count > 0 ? "merged-out" : "out");
	return STATUS_FAILED;
}

enum status run_begin_shard(const struct run_env *env, const struct run_sharding *sharding,
                            const struct run_inputs *inputs, struct run_writer *writer)
{
	sv real;
	bool is_place = os_real_place(env->arena, sharding->folder, &real);

	if (!is_place || run_is_in_repository(env->arena, inputs->repo, real)) {
		struct diag *diag =
		    diag_report(env->sink, DIAG_OUTPUT_FOLDER, NOWHERE, "--out \"%.*s\" %s",
		                SV_ARG(sharding->folder),
		                is_place ? "is in the repository: a shard is written outside of it"
		                         : "is not the path of a folder");
		diag_set_help(env->sink, diag,
		              "name a folder outside; the output folder is named with "
		              "--merged-out");
		return STATUS_FAILED;
	}
	if (os_make_folders(env->sink, sharding->folder) != STATUS_OK)
		return STATUS_FAILED;
	writer->blobs = file_path(env->arena, sharding, "pack");
	return STATUS_OK;
}

/* ---- warnings ---------------------------------------------------------------------------- */

/* Sets *elsewhere if the position is in a file that the other run cannot find. */
static struct run_shard_place shard_place_of(const struct plan_unit *unit, struct position at,
                                             bool *elsewhere)
{
	const struct dialect_definition *definition = unit->unit->definition;
	const struct source *source = at.source;
	struct run_shard_place place = {.where = RUN_SHARD_NOWHERE};

	if (!source)
		return place;
	place.is_whole = at.offset == SV_NPOS;
	if (!place.is_whole) {
		place.offset = at.offset;
		place.length = at.length;
	}
	if (source == unit->unit->object->source)
		place.where = RUN_SHARD_UNIT;
	else if (definition && definition->object && source == definition->object->source)
		place.where = RUN_SHARD_DEFINITION;
	else if (source == unit->cluster->fleet->at.source)
		place.where = RUN_SHARD_CLUSTER;
	else
		*elsewhere = true;
	return place;
}

static struct run_shard_warning save_warning(struct arena *arena, const struct plan_unit *unit,
                                             const struct diag *diag, bool *elsewhere)
{
	struct run_shard_warning warning = {
	    .code = diag->code,
	    .at = shard_place_of(unit, diag->at, elsewhere),
	    .object = diag->object,
	    .cluster = diag->cluster,
	    .text = diag->text,
	    .help = diag->help,
	    .notes = ARENA_ARRAY(arena, struct run_shard_note, diag->notes.count),
	    .note_count = diag->notes.count,
	};

	for (size_t i = 0; i < diag->notes.count; i++)
		warning.notes[i] = (struct run_shard_note){
		    .at = shard_place_of(unit, diag->notes.items[i].at, elsewhere),
		    .text = diag->notes.items[i].text,
		};
	return warning;
}

static void save_warnings(struct arena *arena, const struct run_unit *unit,
                          struct run_shard_unit *saved)
{
	size_t count = unit->sink.diags.count;

	saved->warnings = ARENA_ARRAY(arena, struct run_shard_warning, count);
	saved->warning_count = count;
	for (size_t i = 0; i < count; i++)
		saved->warnings[i] = save_warning(arena, unit->unit, unit->sink.diags.items[i],
		                                  &saved->has_other_places);
	if (saved->has_other_places)
		saved->warning_count = 0;
}

/* ---- units ------------------------------------------------------------------------------- */

static struct run_shard_unit save_unit(struct arena *arena, const struct run_writer *writer,
                                       const struct run_unit *unit, size_t place)
{
	struct tree_unit identity = plan_tree_unit(unit->unit->unit);
	struct run_shard_unit saved = {
	    .place = place,
	    .key = plan_unit_key(arena, unit->unit->cluster->fleet->name, &identity),
	    .steps = (size_t)unit->steps,
	    .row = run_row_of(unit),
	    .facts = unit->facts,
	    .unit = unit->files.count > 0 ? *unit->files.items[0].unit : identity,
	    .proof = unit->proof,
	    .roll = unit->roll ? *unit->roll : (struct tree_roll){0},
	    .files = ARENA_ARRAY(arena, struct run_shard_file, unit->files.count),
	    .file_count = unit->files.count,
	    .sealed = unit->sealed.items,
	    .sealed_count = unit->sealed.count,
	};

	for (size_t i = 0; i < unit->files.count; i++) {
		struct run_shard_file *file = &saved.files[i];

		file->file = unit->files.items[i];
		if (!git_output_find_blob(writer->output, file->file.path, &file->blob))
			BUG("a unit's file that was not put");
	}
	save_warnings(arena, unit, &saved);
	return saved;
}

enum status run_describe_shard(const struct run_env *env, const struct run_request *request,
                               const struct run_facts *facts, const struct run_writer *writer,
                               struct run_shard_head *ret_head)
{
	const struct run_inputs *inputs = facts->inputs;
	struct sink unused = sink_in(env->arena);
	struct git_source tip;
	sv rev = run_branch_rev(env->arena, request->target.branch);
	struct run_shard_head head = {
	    .version = request->version,
	    .build = request->build,
	    .source = inputs->source.hex,
	    .tip = inputs->source.hex,
	    .out = inputs->out,
	    .index = request->sharding.index,
	    .count = request->sharding.count,
	    .unit_count = facts->plan->unit_count,
	};

	/* A branch that does not exist yet begins at the source commit. */
	if (git_source_find(env->arena, &unused, inputs->repo, rev, &tip) == STATUS_OK)
		head.tip = tip.hex;
	if (run_inputs_digest(env, request, facts, writer, &head.inputs) != STATUS_OK)
		return STATUS_FAILED;
	run_list_shard_options(env, request, facts->plan->root, &head);
	*ret_head = head;
	return STATUS_OK;
}

static enum status write_file(const struct run_env *env, const struct run_sharding *sharding,
                              const struct plan *plan, sv content, sv *ret_path)
{
	sv path = file_path(env->arena, sharding, "shard");
	const struct leak_place nowhere = {.at = NOWHERE};

	if (content.len > RUN_SHARD_MAX_BYTES - 64) {
		struct diag *diag =
		    diag_report(env->sink, DIAG_LIMIT_OUTPUT, NOWHERE,
		                "%.*s would have %zu bytes, and merge reads at most %zu",
		                SV_ARG(path), content.len, RUN_SHARD_MAX_BYTES);
		diag_set_help(env->sink, diag, "divide the fleet into more shards");
		return STATUS_FAILED;
	}
	/* All of it is clear: names, sizes, warnings, differences of clear files. */
	if (leak_scanner_check(env->sink, known_secrets_scanner(plan->secrets), path, content,
	                       &nowhere) != STATUS_OK)
		return STATUS_FAILED;
	*ret_path = path;
	return os_write_file(env->sink, path, run_shard_sign(env->arena, plan->root, content),
	                     OS_WRITE_PLAIN);
}

enum status run_save_shard(const struct run_env *env, const struct run_request *request,
                           const struct run_facts *facts, const struct run_writer *writer,
                           const struct run_parts *parts, sv *ret_path)
{
	const struct run_sharding *sharding = &request->sharding;
	const struct plan *plan = facts->plan;
	struct arena *arena = env->arena;
	struct run_shard shard = {.units =
	                              ARENA_ARRAY(arena, struct run_shard_unit, plan->unit_count)};

	if (git_output_save(env->sink, writer->output, &shard.pack) != STATUS_OK ||
	    run_describe_shard(env, request, facts, writer, &shard.head) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < plan->unit_count; i++)
		if (parts->division[i] == parts->index)
			shard.units[shard.unit_count++] =
			    save_unit(arena, writer, &facts->rendered->units[i], i);
	shard.changes = review_list(arena, facts->rendered->review, &shard.change_count);
	return write_file(env, sharding, plan, run_shard_encode(arena, &shard), ret_path);
}

/* ---- mistakes of the inputs -------------------------------------------------------------- */

void run_leave_to_first_shard(struct sink *sink, size_t count)
{
	struct sink old = *sink;
	size_t left_out = 0;

	*sink = (struct sink){.arena = old.arena};
	for (size_t i = 0; i < old.diags.count; i++) {
		struct diag *diag = old.diags.items[i];
		bool is_of_inputs = diag->severity == DIAG_WARNING ||
		                    diag_code_find((unsigned)diag->code)->class == DIAG_CLASS_INPUT;

		if (i < count && is_of_inputs) {
			left_out += diag->severity == DIAG_ERROR;
			continue;
		}
		VEC_PUSH(sink->arena, &sink->diags, diag);
		sink->error_count += diag->severity == DIAG_ERROR;
	}
	if (left_out > 0)
		diag_report(sink, DIAG_SHARD_INPUTS, NOWHERE,
		            "the inputs are wrong: shard 1 reports %zu %s", left_out,
		            left_out == 1 ? "error" : "errors");
}
