/*
 * Reads the parts that shards saved, and takes their units in place of rendering them.
 */
#include "run/shard/shard.h"

/* The state while the files are read. */
struct reading {
	const struct run_env *env;
	const struct plan *plan;
	sv work_tree;
	struct run_shard_head wanted; /* the head that this run would write */
	/* The first shard of the program and commit, and its path; null before it is read. */
	const struct run_shard *first;
	sv first_path;
	struct run_parts *parts;
	size_t file_count;
};

static struct position at_file(const struct reading *r, sv path)
{
	return position_of_source(source_new(r->env->arena, path, SV(""), false));
}

/* ---- one file ---------------------------------------------------------------------------- */

static enum status report_proof(const struct reading *r, enum run_shard_proof proof, sv path)
{
	struct sink *sink = r->env->sink;
	struct diag *diag = NULL;

	switch (proof) {
	case RUN_SHARD_FINE:
		return STATUS_OK;
	case RUN_SHARD_STRANGE:
		diag = diag_report(sink, DIAG_SHARD_FORGED, at_file(r, path),
		                   "this is not the file of a shard, or not one that this osm-gen "
		                   "can read");
		diag_set_help(sink, diag, "remove it, or run that shard again with this osm-gen");
		return STATUS_FAILED;
	case RUN_SHARD_OTHER_SEED:
		diag = diag_report(sink, DIAG_SHARD_FOREIGN, at_file(r, path),
		                   "this shard was rendered with another seed, or for another "
		                   "fleet (sealing.fleet)");
		diag_set_help(sink, diag,
		              "give all shards and merge the same seed and the same commit");
		return STATUS_FAILED;
	case RUN_SHARD_FORGED:
		diag = diag_report(sink, DIAG_SHARD_FORGED, at_file(r, path),
		                   "the MAC of this shard is wrong: the shard was damaged, or "
		                   "somebody changed it");
		diag_set_help(sink, diag,
		              "run that shard again, and find out who can write CI's artifacts");
		return STATUS_FAILED;
	}
	BUG("proof of a shard");
}

static struct diag *report_stale(const struct reading *r, sv path, const char *what, sv had,
                                 sv wanted)
{
	struct sink *sink = r->env->sink;
	struct diag *diag = diag_report(sink, DIAG_SHARD_STALE, at_file(r, path),
	                                "this shard was rendered %s %.*s, and this run is %s %.*s",
	                                what, SV_ARG(had), what, SV_ARG(wanted));

	diag_set_help(sink, diag, "run all shards and merge on one commit, with one osm-gen");
	return diag;
}

/* Fails if another version or build wrote the file: it may render otherwise. */
static enum status check_program(const struct reading *r, sv path, sv content)
{
	struct run_shard_head head;

	if (!run_shard_decode_head(content, &head))
		return report_proof(r, RUN_SHARD_STRANGE, path);
	if (sv_eq(head.version, r->wanted.version) && sv_eq(head.build, r->wanted.build))
		return STATUS_OK;
	if (sv_eq(head.version, r->wanted.version))
		report_stale(r, path, "by build", head.build, r->wanted.build);
	else
		report_stale(r, path, "by osm-gen", head.version, r->wanted.version);
	return STATUS_FAILED;
}

/* Fails if two runs have other options; `other` names the second one. */
static enum status check_options(const struct reading *r, sv path,
                                 const struct run_shard_head *head, sv other,
                                 const struct run_shard_head *wanted)
{
	sv name;
	const char *had = "with another";
	const char *has = "";

	switch (run_compare_shard_options(head, wanted, &name)) {
	case RUN_SHARD_OPTIONS_SAME:
		return STATUS_OK;
	case RUN_SHARD_OPTION_MORE:
		had = "with";
		has = " without it";
		break;
	case RUN_SHARD_OPTION_FEWER:
		had = "without";
		has = " with it";
		break;
	case RUN_SHARD_OPTION_OTHER:
		break;
	}
	struct diag *diag = diag_report(r->env->sink, DIAG_SHARD_STALE, at_file(r, path),
	                                "this shard was rendered %s %.*s%s %.*s%s", had,
	                                SV_ARG(name), *has ? ", and" : " than", SV_ARG(other), has);
	diag_set_help(r->env->sink, diag,
	              "give all shards and merge the same options: run the pipeline again");
	return STATUS_FAILED;
}

static enum status check_head(const struct reading *r, sv path, const struct run_shard_head *head)
{
	const struct run_shard_head *wanted = &r->wanted;
	struct sink *sink = r->env->sink;

	if (!sv_eq(head->source, wanted->source)) {
		report_stale(r, path, "from commit", head->source, wanted->source);
		return STATUS_FAILED;
	}
	if (r->first && check_options(r, path, head, r->first_path, &r->first->head) != STATUS_OK)
		return STATUS_FAILED;
	if (check_options(r, path, head, SV("this run"), wanted) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_eq(head->tip, wanted->tip)) {
		report_stale(r, path, "for a branch at", head->tip, wanted->tip);
		return STATUS_FAILED;
	}
	if (!sv_eq(head->out, wanted->out)) {
		diag_set_help(
		    sink, report_stale(r, path, "for the output folder", head->out, wanted->out),
		    "give the shards the same folder with --merged-out as merge has with --out");
		return STATUS_FAILED;
	}
	if (sv_eq(head->inputs, wanted->inputs) && head->unit_count == wanted->unit_count)
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_SHARD_STALE, at_file(r, path),
	                                "this shard was rendered with other options, variables or "
	                                "secrets than this run has");
	diag_set_help(sink, diag,
	              "give all shards and merge the same settings, --secrets, --revisions, "
	              "--allow-env and --allow-recipients");
	return STATUS_FAILED;
}

/* Fails if the shard has the number of another one, or belongs to another division. */
static enum status check_number(const struct reading *r, sv path, const struct run_shard_head *head)
{
	const struct run_parts *parts = r->parts;
	struct sink *sink = r->env->sink;
	struct diag *diag;

	if (head->count != parts->count) {
		const struct run_part *other = parts->parts;

		while (!other->path.ptr)
			other++;
		diag = diag_report(sink, DIAG_SHARD_DOUBLED, at_file(r, path),
		                   "this is shard %zu of %zu, and %.*s is one of %zu", head->index,
		                   head->count, SV_ARG(other->path), parts->count);
		diag_set_help(sink, diag, "remove the files of an earlier division");
		return STATUS_FAILED;
	}
	const struct run_part *other = &parts->parts[head->index - 1];
	if (!other->path.ptr)
		return STATUS_OK;
	diag = diag_report(sink, DIAG_SHARD_DOUBLED, at_file(r, path),
	                   "this is shard %zu of %zu, and so is %.*s", head->index, head->count,
	                   SV_ARG(other->path));
	diag_set_help(sink, diag, "name each folder once, and remove one of the files");
	return STATUS_FAILED;
}

/* Returns true if the shard has the units that the division gives it, each once. */
static bool has_its_units(const struct reading *r, const struct run_shard *shard)
{
	const struct run_parts *parts = r->parts;
	size_t next = 0;

	for (size_t i = 0; i < r->plan->unit_count; i++) {
		if (parts->division[i] != shard->head.index)
			continue;
		const struct plan_unit *unit = &r->plan->units[i];
		const struct tree_unit identity = plan_tree_unit(unit->unit);
		sv key = plan_unit_key(r->env->scratch, unit->cluster->fleet->name, &identity);

		if (next == shard->unit_count || shard->units[next].place != i ||
		    !sv_eq(shard->units[next].key, key))
			return false;
		next++;
	}
	return next == shard->unit_count;
}

/* Returns true if all numbers name something that exists. */
static bool is_sound(const struct run_shard *shard)
{
	for (size_t i = 0; i < shard->unit_count; i++)
		for (size_t j = 0; j < shard->units[i].warning_count; j++) {
			const struct diag_code_info *code =
			    diag_code_find((unsigned)shard->units[i].warnings[j].code);

			if (!code || code->severity != DIAG_WARNING)
				return false;
		}
	for (size_t i = 0; i < shard->change_count; i++) {
		const struct review_change *change = &shard->changes[i];

		for (size_t j = 0; j < change->place_count; j++)
			if (change->places[j] >= shard->head.unit_count)
				return false;
	}
	return true;
}

/* The first good file decides how many shards there are. */
static void begin_parts(const struct reading *r, size_t count)
{
	const struct run_sharding sharding = {.count = (unsigned)count};
	struct run_writer *writer = r->parts->writer;

	run_divide(r->env, &sharding, r->plan, r->parts);
	r->parts->writer = writer;
	r->parts->scratch = ARENA_ARRAY(r->env->arena, struct arena *, r->env->threads);
	for (unsigned i = 0; i < r->env->threads; i++)
		r->parts->scratch[i] = run_new_arena(r->env, ARENA_PLAIN);
	r->parts->parts = ARENA_ARRAY(r->env->arena, struct run_part, count);
	r->parts->units =
	    ARENA_ARRAY(r->env->arena, const struct run_shard_unit *, r->plan->unit_count);
}

static void keep_part(const struct reading *r, sv path, const struct run_shard *shard)
{
	struct run_part part = {.path = path, .shard = *shard};
	sv stem = sv_slice(path, 0, path.len - strlen(".shard"));

	part.pack_path = ARENA_CONCAT(r->env->arena, stem, SV(".pack"));
	for (size_t i = 0; i < shard->unit_count; i++)
		r->parts->units[shard->units[i].place] = &shard->units[i];
	r->parts->parts[shard->head.index - 1] = part;
}

/* Reads a file whose MAC holds. */
static enum status read_content(struct arena *arena, struct reading *r, sv path, sv content)
{
	const struct run_shard_head *head;
	struct run_shard shard;

	if (check_program(r, path, content) != STATUS_OK)
		return STATUS_FAILED;
	if (!run_shard_decode(arena, content, &shard))
		return report_proof(r, RUN_SHARD_STRANGE, path);
	head = &shard.head;
	enum status status = check_head(r, path, head);
	if (!r->first && sv_eq(head->source, r->wanted.source)) {
		struct run_shard *first = ARENA_NEW(arena, struct run_shard);

		*first = shard;
		r->first = first;
		r->first_path = path;
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (head->count < 1 || head->count > RUN_SHARDS_MAX || head->index < 1 ||
	    head->index > head->count)
		return report_proof(r, RUN_SHARD_STRANGE, path);
	if (r->parts->count == 0)
		begin_parts(r, head->count);
	if (check_number(r, path, head) != STATUS_OK)
		return STATUS_FAILED;
	if (!has_its_units(r, &shard) || !is_sound(&shard))
		return report_proof(r, RUN_SHARD_STRANGE, path);
	keep_part(r, path, &shard);
	return STATUS_OK;
}

static enum status read_shard_file(struct reading *r, sv path)
{
	struct arena *arena = run_new_arena(r->env, ARENA_PLAIN);
	sv content = {0};
	sv text;

	if (os_read_named(arena, r->env->sink, r->work_tree, path, RUN_SHARD_MAX_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	enum run_shard_proof proof = run_shard_check(arena, r->plan->root, text, &content);
	if (proof == RUN_SHARD_FINE)
		return read_content(arena, r, path, content);
	/* Take no memory for the files of a stranger. */
	arena_reset(arena);
	return report_proof(r, proof, path);
}

/* ---- all files --------------------------------------------------------------------------- */

static enum status read_folder(struct reading *r, sv folder)
{
	struct arena *arena = r->env->arena;
	enum status status = STATUS_OK;
	struct os_entries entries = {0};

	if (os_list_folder(arena, r->env->sink, folder, &entries) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (entry, &entries) {
		if (!sv_ends_with(entry->path, SV(".shard")))
			continue;
		if (++r->file_count > RUN_SHARDS_MAX) {
			diag_report(r->env->sink, DIAG_SHARD_DOUBLED, NOWHERE,
			            "there are more than %d files of shards", RUN_SHARDS_MAX);
			return STATUS_FAILED;
		}
		sv path = ARENA_CONCAT(arena, sv_trim_right(folder, "/"), SV("/"), entry->path);
		if (read_shard_file(r, path) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}

static enum status check_all_there(const struct reading *r)
{
	enum { NAMED = 10 };
	const struct run_parts *parts = r->parts;
	struct sink *sink = r->env->sink;
	struct buf numbers = buf_in(r->env->arena);
	struct diag *diag;
	size_t missing = 0;

	if (parts->count == 0) {
		diag = diag_report(sink, DIAG_SHARD_MISSING, NOWHERE,
		                   "the given folders have no file of a shard");
		diag_set_help(sink, diag,
		              "name the folders with the files that osm-gen --shard wrote");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->parts[i].path.ptr)
			continue;
		if (missing < NAMED)
			buf_add_item(&numbers, arena_printf(numbers.arena, "%zu", i + 1));
		missing++;
	}
	if (missing == 0)
		return STATUS_OK;
	if (missing > NAMED)
		buf_printf(&numbers, " and %zu more", missing - NAMED);
	diag = diag_report(sink, DIAG_SHARD_MISSING, NOWHERE, "of %zu shards %zu %s missing: %.*s",
	                   parts->count, missing, missing == 1 ? "is" : "are",
	                   SV_ARG(buf_sv(&numbers)));
	diag_set_help(sink, diag,
	              "look at the log of its job, run it again, and name the folder that it "
	              "wrote");
	return STATUS_FAILED;
}

/* ---- packs ------------------------------------------------------------------------------- */

/* The packs of all parts, taken by several threads. */
struct taking {
	const struct run_parts *parts;
	struct sink *sinks; /* one a part */
};

static void report_pack(struct sink *sink, sv path)
{
	struct source *source = source_new(sink->arena, path, SV(""), false);
	struct diag *diag = diag_report(sink, DIAG_SHARD_FORGED, position_of_source(source),
	                                "this pack is not the one that its shard wrote: the pack "
	                                "was damaged, or somebody changed it");

	diag_set_help(sink, diag, "run that shard again");
}

static void take_pack(void *context, size_t number, unsigned worker)
{
	const struct taking *t = context;
	const struct run_part *part = &t->parts->parts[number];
	const struct run_shard *shard = &part->shard;
	struct sink *sink = &t->sinks[number];
	struct git_blobs blobs = {0};
	struct set shared = set_in(sink->arena);
	bool is_saved = true;

	(void)worker;
	for (size_t i = 0; i < shard->unit_count; i++)
		for (size_t j = 0; j < shard->units[i].file_count; j++) {
			const struct run_shard_file *file = &shard->units[i].files[j];

			if (file->blob.is_changed && (file->file.role != ARTIFACT_CONFIG_MAP ||
			                              set_add(&shared, file->file.path)))
				VEC_PUSH(sink->arena, &blobs, file->blob);
		}
	if (shard->pack.size_bytes > 0 &&
	    git_output_take_pack(sink, t->parts->writer->output, number, part->pack_path,
	                         &shard->pack, &blobs, &is_saved) == STATUS_OK &&
	    !is_saved)
		report_pack(sink, part->pack_path);
}

static enum status take_packs(const struct run_env *env, const struct run_parts *parts)
{
	enum status status = STATUS_OK;
	struct taking t = {parts, ARENA_ARRAY(env->arena, struct sink, parts->count)};

	git_output_expect_packs(parts->writer->output, parts->count);
	for (size_t i = 0; i < parts->count; i++)
		t.sinks[i] = sink_in(run_new_arena(env, ARENA_PLAIN));
	os_parallel(parts->count, env->threads, take_pack, &t);
	for (size_t i = 0; i < parts->count; i++) {
		if (t.sinks[i].error_count > 0)
			status = STATUS_FAILED;
		sink_merge(env->sink, &t.sinks[i]);
	}
	return status;
}

/* Leaves each file that units share to the first of them in the plan. */
static void find_shared(struct arena *arena, const struct run_parts *parts)
{
	struct set shared = set_in(arena);

	for (size_t i = 0; i < parts->plan->unit_count; i++) {
		struct run_shard_unit *unit =
		    (struct run_shard_unit *)(uintptr_t)parts->units[i]; /* NOLINT */

		for (size_t j = 0; unit && j < unit->file_count; j++) {
			struct run_shard_file *file = &unit->files[j];

			file->is_elsewhere = file->file.role == ARTIFACT_CONFIG_MAP &&
			                     !set_add(&shared, file->file.path);
		}
	}
}

enum status run_read_shards(const struct run_env *env, const struct run_request *request,
                            const struct run_facts *facts, struct run_writer *writer,
                            struct run_parts *ret_parts)
{
	const struct run_sharding *sharding = &request->sharding;
	enum status status = STATUS_OK;
	struct reading r = {
	    .env = env,
	    .plan = facts->plan,
	    .work_tree = git_repo_worktree(facts->inputs->repo),
	    .parts = ret_parts,
	};

	*ret_parts = (struct run_parts){.writer = writer};
	if (run_describe_shard(env, request, facts, writer, &r.wanted) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < sharding->folder_count; i++)
		if (read_folder(&r, sharding->folders[i]) != STATUS_OK)
			status = STATUS_FAILED;
	/* A file that was refused has been reported; its shard is not missing as well. */
	if (status != STATUS_OK || check_all_there(&r) != STATUS_OK)
		return STATUS_FAILED;
	find_shared(env->arena, ret_parts);
	return take_packs(env, ret_parts);
}

/* ---- units ------------------------------------------------------------------------------- */

static enum status put_file(struct sink *sink, const struct run_parts *parts, unsigned worker,
                            const struct run_part *part, const struct run_shard_file *file)
{
	struct run_writer *writer = parts->writer;

	if (!quota_take(writer->bytes, file->blob.size_bytes)) {
		quota_report(sink, writer->bytes);
		return STATUS_FAILED;
	}
	return git_output_put_blob(parts->scratch[worker], sink, writer->output, worker,
	                           file->file.path, &file->blob, (size_t)(part - parts->parts));
}

static struct position position_of(const struct plan_unit *unit,
                                   const struct run_shard_place *place)
{
	const struct dialect_definition *definition = unit->unit->definition;
	const struct source *source = NULL;

	switch (place->where) {
	case RUN_SHARD_NOWHERE:
		break;
	case RUN_SHARD_UNIT:
		source = unit->unit->object->source;
		break;
	case RUN_SHARD_DEFINITION:
		source = definition && definition->object ? definition->object->source : NULL;
		break;
	case RUN_SHARD_CLUSTER:
		source = unit->cluster->fleet->at.source;
		break;
	}
	if (!source)
		return NOWHERE;
	if (place->is_whole || place->offset > source->text.len)
		return position_of_source(source);
	return (struct position){source, place->offset, place->length};
}

static void add_warning(struct sink *sink, const struct plan_unit *unit,
                        const struct run_shard_warning *warning)
{
	DIAG_SCOPE(sink, warning->object, warning->cluster);
	struct diag *diag =
	    diag_report(sink, (enum diag_code)warning->code, position_of(unit, &warning->at),
	                "%.*s", SV_ARG(warning->text));
	if (!sv_empty(warning->help))
		diag_set_help(sink, diag, "%.*s", SV_ARG(warning->help));
	for (size_t i = 0; i < warning->note_count; i++)
		diag_add_note(sink, diag, position_of(unit, &warning->notes[i].at), "%.*s",
		              SV_ARG(warning->notes[i].text));
}

static struct run_row row_of(const struct report_unit *saved)
{
	return (struct run_row){
	    .is_set = !sv_empty(saved->name),
	    .provider = saved->provider,
	    .operating_system = saved->operating_system,
	    .kubelet_version = saved->kubelet_version,
	    .reason = saved->reason,
	    .bootstrap_bytes = saved->bootstrap_bytes,
	    .bootstrap_limit = saved->bootstrap_limit,
	    .provisioning_bytes = saved->provisioning_bytes,
	    .provisioning_limit = saved->provisioning_limit,
	    .restarts = saved->restarts,
	    .stops = saved->stops,
	};
}

bool run_take_unit(struct arena *results, const struct run_parts *parts, unsigned worker,
                   size_t place, struct quota *steps, struct run_unit *result)
{
	if (!run_is_merging(parts)) {
		result->is_done = parts->division[place] != parts->index;
		return result->is_done;
	}
	const struct run_part *part = &parts->parts[parts->division[place] - 1];
	const struct run_shard_unit *saved = parts->units[place];

	/* To report its warnings, this run has to meet them itself. */
	if (saved->has_other_places)
		return false;
	struct tree_unit *unit = ARENA_NEW(results, struct tree_unit);
	*unit = saved->unit;
	result->row = row_of(&saved->row);
	result->facts = saved->facts;
	result->steps = saved->steps;
	result->proof = saved->proof;
	result->roll = tree_has_roll(&saved->roll) ? &saved->roll : NULL;
	result->is_done = quota_take(steps, saved->steps);
	for (size_t i = 0; i < saved->sealed_count; i++)
		VEC_PUSH(results, &result->sealed, saved->sealed[i]);
	for (size_t i = 0; i < saved->warning_count; i++)
		add_warning(&result->sink, result->unit, &saved->warnings[i]);
	for (size_t i = 0; i < saved->file_count; i++) {
		struct tree_file file = saved->files[i].file;

		file.unit = file.role == ARTIFACT_CONFIG_MAP ? NULL : unit;
		file.blob = saved->files[i].blob.id;
		VEC_PUSH(results, &result->files, file);
		if (!saved->files[i].is_elsewhere &&
		    put_file(&result->sink, parts, worker, part, &saved->files[i]) != STATUS_OK)
			break;
		arena_reset(parts->scratch[worker]);
	}
	return true;
}

void run_join_reviews(const struct run_parts *parts, struct review *review)
{
	for (size_t i = 0; i < parts->count; i++) {
		const struct run_shard *shard = &parts->parts[i].shard;

		for (size_t j = 0; j < shard->change_count; j++)
			review_join(review, &shard->changes[j]);
	}
}
