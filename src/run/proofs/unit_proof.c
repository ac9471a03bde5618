/*
 * Makes the proofs of units, and keeps units by them (see proofs.h).
 */
#include "audit/audit.h"
#include "run/output/output.h"
#include "run/proofs/proofs.h"
#include "run/proofs/unit_inputs.h"

#define RENDERED_TRAILER "Osm-Gen-Rendered"

/* A unit of the previous output: its proof, and its files as index.json has them, sorted. */
struct earlier {
	const struct tree_proof *proof;
	struct tree_roll roll; /* all empty if it has none */
	struct dialect_config_maps config_maps;
	VEC(const struct tree_file *) files;
};

struct run_proofs {
	const struct plan *plan;
	const struct seal_root *root;
	const struct run_writer *writer;
	int64_t now;
	sv *contexts;           /* seal_unit_context of each cluster */
	struct map definitions; /* the same of each definition (sv *), by its address */
	struct map earlier;     /* struct earlier * by plan_unit_key; empty if none can be kept */
	bool scans;             /* the files of kept units are scanned for secrets that are new */
};

/* ---- the trailer -------------------------------------------------------------------------- */

struct digests {
	sv program;
	sv secrets;
};

/* Returns both digests for an output with these files. */
static struct digests digests_of(const struct run_env *env, const struct run_request *request,
                                 const struct plan *plan, const struct git_files *files)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret_scratch = arena_new(ARENA_SECRET);
	struct buf program = buf_in(scratch);
	struct buf outputs = buf_in(scratch);
	struct buf secrets = buf_in(secret_scratch);

	size_t size = 0;

	run_add_field(&program, request->version);
	run_add_field(&program, request->build);
	/* Reserved once: buffers that are outgrown stay in the arena. */
	VEC_EACH (file, files)
		size += file->path.len + 2 * sizeof(uint64_t) + sizeof(file->id.bytes);
	buf_reserve(&outputs, size);
	VEC_EACH (file, files) {
		run_add_field(&outputs, file->path);
		run_add_number(&outputs, file->mode);
		buf_add(&outputs, sv_from_bytes(file->id.bytes, sizeof(file->id.bytes)));
	}
	known_secrets_add_bytes(plan->secrets, &secrets);
	const sv fields[] = {buf_sv(&program), buf_sv(&outputs), buf_sv(&secrets)};
	return (struct digests){
	    .program = seal_rendered_digest(env->arena, plan->root, fields[0], fields[1], SV("")),
	    .secrets =
	        seal_rendered_digest(env->arena, plan->root, fields[0], fields[1], fields[2]),
	};
}

sv run_rendered_trailer(const struct run_env *env, const struct run_request *request,
                        const struct run_facts *facts, const struct run_writer *writer)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	const struct git_files files =
	    run_files_after(scratch, git_output_previous(writer->output), facts->changes);
	const struct digests digests = digests_of(env, request, facts->plan, &files);

	return arena_printf(env->arena, RENDERED_TRAILER ": %.*s %.*s\n", SV_ARG(digests.program),
	                    SV_ARG(digests.secrets));
}

/* Lists the values of all such trailers in the newest messages, also quoted ones. */
static void list_trailers(const struct run_env *env, struct git_repo *repo, struct git_id tip,
                          struct git_messages *ret_values)
{
	struct git_messages messages;
	struct git_messages values = {0};

	git_list_messages(env->arena, repo, tip, PLAN_COMMITS_SEARCHED, &messages);
	VEC_EACH (message, &messages) {
		struct sv_splitter lines = sv_split(*message, '\n');
		sv line;
		sv text;

		while (sv_split_next(&lines, &line))
			if (audit_read_trailer(line, SV(RENDERED_TRAILER), &text))
				VEC_PUSH(env->arena, &values, text);
	}
	*ret_values = values;
}

/*
 * Returns true if this program made the previous output. *ret_scans is true if it scanned the files
 * for other secrets.
 */
static bool is_made_by_this(const struct run_env *env, const struct run_request *request,
                            const struct run_inputs *inputs, const struct run_job *job,
                            const struct run_writer *writer, bool *ret_scans)
{
	struct sink unused = sink_in(env->arena);
	sv rev = run_branch_rev(env->arena, writer->branch);
	struct git_source tip;
	struct git_messages values;
	bool is_found = false;

	if (git_source_find(env->arena, &unused, inputs->repo, rev, &tip) != STATUS_OK)
		return false;
	list_trailers(env, inputs->repo, tip.id, &values);
	if (values.count == 0)
		return false;
	const struct digests digests =
	    digests_of(env, request, job->plan, git_output_previous(writer->output));
	*ret_scans = true;
	VEC_EACH (value, &values) {
		sv program;
		sv secrets;

		if (!sv_cut(*value, SV(" "), &program, &secrets) ||
		    !sv_eq(program, digests.program))
			continue;
		is_found = true;
		*ret_scans = *ret_scans && !sv_eq(secrets, digests.secrets);
	}
	return is_found;
}

/* ---- preparing ----------------------------------------------------------------------------- */

/* Adds the files that the unit shares with others. One that is missing fails the proof. */
static void add_config_maps(struct arena *arena, const struct map *files,
                            const struct dialect_config_maps *names, struct earlier *unit)
{
	const struct tree_file *now = map_get(files, names->now);
	const struct tree_file *before =
	    sv_empty(names->before) ? NULL : map_get(files, names->before);

	unit->config_maps = *names;
	if (now)
		VEC_PUSH(arena, &unit->files, now);
	if (before)
		VEC_PUSH(arena, &unit->files, before);
}

static void add_index(struct arena *arena, struct map *earlier, sv cluster,
                      const struct tree_index *index)
{
	for (size_t i = 0; i < index->proof_count; i++) {
		struct earlier *unit = ARENA_NEW(arena, struct earlier);

		unit->proof = &index->proofs[i];
		map_put(earlier, plan_unit_key(arena, cluster, unit->proof->unit), unit);
	}
	for (size_t i = 0; i < index->roll_count; i++) {
		struct earlier *unit =
		    map_get(earlier, plan_unit_key(arena, cluster, index->rolls[i].unit));

		if (unit)
			unit->roll = index->rolls[i];
	}
	struct map config_maps = map_in(arena);

	for (size_t i = 0; i < index->file_count; i++)
		if (index->files[i].role == ARTIFACT_CONFIG_MAP)
			map_put(&config_maps, index->files[i].object.name, &index->files[i]);
	for (size_t i = 0; i < index->file_count; i++) {
		const struct tree_file *file = &index->files[i];
		struct earlier *unit =
		    file->unit ? map_get(earlier, plan_unit_key(arena, cluster, file->unit)) : NULL;

		if (!unit || file->is_delivery)
			continue;
		VEC_PUSH(arena, &unit->files, file);
		if (!sv_empty(file->unit->config_maps.now))
			add_config_maps(arena, &config_maps, &file->unit->config_maps, unit);
	}
}

/* Makes the digests of what units share. */
static void add_shared(const struct run_env *env, struct run_proofs *proofs)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	ARENA_AUTO objects = arena_new(ARENA_SECRET);
	const struct plan *plan = proofs->plan;
	struct run_shared_inputs shared = {
	    .arena = env->arena,
	    .secret_arena = objects,
	    .root = proofs->root,
	    .objects = map_in(env->arena),
	    .lists = map_in(env->arena),
	};

	for (size_t i = 0; i < plan->cluster_count; i++) {
		struct buf buf = buf_in(scratch);

		run_add_cluster_inputs(&buf, &shared, plan, &plan->clusters[i]);
		proofs->contexts[i] = seal_unit_context(env->arena, proofs->root, buf_sv(&buf));
		arena_reset(scratch);
	}
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct dialect_definition *const *key = &plan->units[i].unit->definition;
		struct buf buf = buf_in(scratch);
		sv *digest;

		if (!*key || map_get(&proofs->definitions, sv_from_bytes(key, sizeof(*key))))
			continue;
		digest = ARENA_NEW(env->arena, sv);
		run_add_definition_inputs(&buf, *key);
		*digest = seal_unit_context(env->arena, proofs->root, buf_sv(&buf));
		map_put(&proofs->definitions, sv_from_bytes(key, sizeof(*key)), digest);
		arena_reset(scratch);
	}
}

struct run_proofs *run_proofs_new(const struct run_env *env, const struct run_request *request,
                                  const struct run_inputs *inputs, const struct run_job *job,
                                  const struct run_writer *writer)
{
	struct run_proofs *proofs;
	const struct plan *plan = job->plan;

	if (!plan->root || !writer->output)
		return NULL;
	proofs = ARENA_NEW(env->arena, struct run_proofs);
	*proofs = (struct run_proofs){
	    .plan = plan,
	    .root = plan->root,
	    .writer = writer,
	    .now = job->now,
	    .contexts = ARENA_ARRAY(env->arena, sv, plan->cluster_count),
	    .definitions = map_in(env->arena),
	    .earlier = map_in(env->arena),
	};
	add_shared(env, proofs);
	/* A shard saves what it rendered; `merge` keeps no unit in the place of a saved one. */
	if (request->sharding.count > 0 || request->reading.no_proofs ||
	    request->reading.worktree || !inputs->repo || inputs->out_is_outside ||
	    writer->mode == GIT_OUTPUT_FOLDER || !job->previous ||
	    job->previous->indexes.count == 0 ||
	    !is_made_by_this(env, request, inputs, job, writer, &proofs->scans))
		return proofs;
	for (size_t i = 0; i < job->previous->indexes.count; i++)
		add_index(env->arena, &proofs->earlier, job->previous->indexes.entries[i].key,
		          job->previous->indexes.entries[i].value);
	return proofs;
}

/* ---- one unit ------------------------------------------------------------------------------ */

/*
 * Returns the outputs: the facts of index.json about the unit and its files, and the files' blob
 * ids. Paths begin at the cluster's folder, as in index.json: a folder can move as a whole.
 */
static sv outputs_text(struct arena *arena, sv folder, const struct tree_proof *row,
                       const struct tree_roll *roll, const struct tree_files *files)
{
	struct buf buf = buf_in(arena);

	run_add_field(&buf, row->provider);
	run_add_field(&buf, row->operating_system);
	run_add_field(&buf, row->kubelet_version);
	VEC_EACH (file, files) {
		run_add_field(&buf, sv_from_offset(file->path, folder.len + 1));
		buf_add(&buf, sv_from_bytes(file->blob.bytes, sizeof(file->blob.bytes)));
		run_add_id(&buf, &file->object);
		const struct kube_id patched = tree_patched(file);
		run_add_id(&buf, &patched);
		run_add_number(&buf, file->role);
		run_add_number(&buf, file->sealed);
		run_add_number(&buf, file->user_data_bytes);
		run_add_number(&buf, file->user_data_limit);
		if (file->unit) {
			run_add_field(&buf, file->unit->revision);
			run_add_field(&buf, file->unit->template_digest);
		}
	}
	if (roll) {
		run_add_field(&buf, roll->by);
		run_add_field(&buf, roll->contract);
		run_add_field(&buf, roll->seed);
		run_add_field(&buf, roll->digest);
		run_add_field(&buf, roll->value);
	}
	return buf_sv(&buf);
}

/* Returns the proof of a unit with that row and these files, sorted by path. */
static sv proof_of(struct arena *arena, struct arena *scratch, const struct run_proofs *proofs,
                   const struct plan_unit *unit, const struct tree_proof *row,
                   const struct tree_roll *roll, const struct tree_files *files)
{
	const struct dialect_definition *const *key = &unit->unit->definition;
	const sv *definition =
	    *key ? map_get(&proofs->definitions, sv_from_bytes(key, sizeof(*key))) : NULL;
	struct buf inputs = buf_in(scratch);

	buf_reserve(&inputs, 8192);
	run_add_field(&inputs, definition ? *definition : SV(""));
	run_add_unit_inputs(&inputs, unit, proofs->now);
	return seal_unit_proof(
	    arena, proofs->root, proofs->contexts[unit->cluster - proofs->plan->clusters],
	    buf_sv(&inputs), outputs_text(scratch, unit->cluster->fleet->folder, row, roll, files));
}

void run_prove_unit(struct arena *results, struct arena *scratch, const struct run_proofs *proofs,
                    struct run_unit *result)
{
	struct tree_files sorted = {0};
	const struct tree_proof row = {
	    .provider = result->row.provider,
	    .operating_system = result->row.operating_system,
	    .kubelet_version = result->row.kubelet_version,
	};

	if (!proofs || result->sink.diags.count > 0 || result->asks_now)
		return;
	VEC_EACH (file, &result->files)
		VEC_PUSH(scratch, &sorted, *file);
	sort_stable(sorted.items, sorted.count, sizeof(*sorted.items), sort_compare_sv, NULL);
	result->proof =
	    proof_of(results, scratch, proofs, result->unit, &row, result->roll, &sorted);
}

/* ---- keeping ------------------------------------------------------------------------------- */

/* The entry with a revision has it for all files of the unit. */
static struct plan_revision revision_of(const struct earlier *earlier)
{
	struct plan_revision revision = {0};

	VEC_EACH (file, &earlier->files)
		if ((*file)->unit && (!sv_empty((*file)->unit->template_digest) ||
		                      !sv_empty((*file)->unit->revision)))
			revision = (struct plan_revision){
			    .revision = (*file)->unit->revision,
			    .template_digest = (*file)->unit->template_digest,
			};
	return revision;
}

/* Returns false if the output lacks one of the files. */
static bool take_files(struct arena *results, const struct run_proofs *proofs,
                       const struct plan_unit *unit, const struct earlier *earlier,
                       struct tree_files *files)
{
	const struct plan_revision revision = revision_of(earlier);
	const struct plan_cluster *cluster = unit->cluster;
	const struct tree_unit *of =
	    run_new_tree_unit(results, unit, &revision, &earlier->config_maps);
	sv prefix = ARENA_CONCAT(results, cluster->fleet->folder, SV("/"));

	VEC_EACH (known, &earlier->files) {
		const struct git_file *there =
		    git_output_find(proofs->writer->output, (*known)->path);
		struct tree_file file = **known;

		/* The files of a cluster that moves to a bucket are in its former folder. */
		if (!there || there->on_disk || there->mode != GIT_MODE_FILE ||
		    !sv_starts_with(file.path, prefix) ||
		    !tree_side_of(cluster->fleet->folder, file.path, &file.side))
			return false;
		bool is_shared = file.role == ARTIFACT_CONFIG_MAP;
		sv part = tree_part(results, cluster->cut, file.side, is_shared ? NULL : of);
		file.folder =
		    run_is_applied_last(cluster->fleet, file.role)
		        ? run_folder_of(file.path)
		        : tree_part_path(results, cluster->fleet->folder, file.side, part);
		file.source = is_shared ? run_shared_source(results, proofs->plan, cluster)
		                        : run_source_name(unit->unit->object);
		file.unit = is_shared ? NULL : of;
		file.blob = there->id;
		VEC_PUSH(results, files, file);
	}
	return files->count > 0;
}

/* Returns false if a file holds a secret that it was not scanned for. */
static bool is_clean(struct arena *scratch, const struct run_proofs *proofs,
                     const struct tree_files *files)
{
	const struct leak_scanner *scanner = known_secrets_scanner(proofs->plan->secrets);
	const struct git_output *output = proofs->writer->output;
	const struct leak_place nowhere = {.at = NOWHERE};
	struct sink unused = sink_in(scratch);
	sv text;

	VEC_EACH (file, files)
		if (git_output_read(scratch, &unused, output, git_output_find(output, file->path),
		                    RUN_MAX_OUTPUT_BYTES, &text) != STATUS_OK ||
		    leak_scanner_check(&unused, scanner, file->path, text, &nowhere) != STATUS_OK)
			return false;
	return true;
}

static void set_row(const struct tree_proof *proof, const struct tree_files *files,
                    struct run_row *row)
{
	row->is_set = true;
	row->provider = proof->provider;
	row->operating_system = proof->operating_system;
	row->kubelet_version = proof->kubelet_version;
	VEC_EACH (file, files) {
		if (file->role == ARTIFACT_BOOTSTRAP) {
			row->bootstrap_bytes = file->user_data_bytes;
			row->bootstrap_limit = file->user_data_limit;
		} else if (file->role == ARTIFACT_PROVISIONING) {
			row->provisioning_bytes = file->user_data_bytes;
			row->provisioning_limit = file->user_data_limit;
		}
	}
}

bool run_keep_unit(struct arena *results, struct arena *scratch, const struct run_proofs *proofs,
                   const struct plan_unit *unit, unsigned worker, bool puts,
                   struct run_unit *result)
{
	const struct tree_unit id = plan_tree_unit(unit->unit);
	struct tree_files files = {0};
	const struct earlier *earlier =
	    proofs && proofs->earlier.count > 0
	        ? map_get(&proofs->earlier, plan_unit_key(scratch, unit->cluster->fleet->name, &id))
	        : NULL;

	const struct tree_roll *roll =
	    earlier && tree_has_roll(&earlier->roll) ? &earlier->roll : NULL;

	if (!earlier || !take_files(results, proofs, unit, earlier, &files))
		return false;
	if (!sv_empty(earlier->config_maps.now))
		sort_stable(files.items, files.count, sizeof(*files.items), sort_compare_sv, NULL);
	if (!sv_eq(earlier->proof->proof,
	           proof_of(scratch, scratch, proofs, unit, earlier->proof, roll, &files)) ||
	    (proofs->scans && !is_clean(scratch, proofs, &files)))
		return false;
	VEC_EACH (file, &files)
		BUG_ON(puts && file->role != ARTIFACT_CONFIG_MAP &&
		       !git_output_keep(proofs->writer->output, worker, file->path));
	sv digest = files.items[0].unit->template_digest;
	result->is_kept = true;
	result->files = files;
	result->proof = earlier->proof->proof;
	result->roll = roll;
	result->facts = (struct plan_class_facts){
	    .was_there = true,
	    .is_there = true,
	    .template = unit->unit->dialect->template_text ? plan_compare_templates(digest, digest)
	                                                   : PLAN_TEMPLATE_SAME,
	};
	set_row(earlier->proof, &files, &result->row);
	return true;
}
