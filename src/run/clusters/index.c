/*
 * Puts index.json, with new proofs or with those that are there (see index.h).
 */
#include "run/clusters/completion.h"

/* ---- proofs --------------------------------------------------------------------------------- */

static const struct run_unit *units_of(const struct run_completion *c)
{
	return &c->rendered->units[c->cluster->first_unit];
}

static void add_proof(struct arena *arena, struct tree_proofs *proofs, const struct run_unit *unit,
                      sv proof)
{
	if (sv_empty(proof) || unit->files.count == 0)
		return;
	const struct tree_proof entry = {
	    .unit = unit->files.items[0].unit,
	    .proof = proof,
	    .provider = unit->row.provider,
	    .operating_system = unit->row.operating_system,
	    .kubelet_version = unit->row.kubelet_version,
	};

	VEC_PUSH(arena, proofs, entry);
}

/* Adds the proofs of the previous index to its units. */
static void add_previous_proofs(const struct run_completion *c, const struct tree_index *index,
                                struct tree_proofs *proofs)
{
	struct arena *arena = c->env->scratch;
	struct map known = map_in(arena);

	for (size_t i = 0; i < index->proof_count; i++)
		map_put(&known, plan_unit_key(arena, SV(""), index->proofs[i].unit),
		        &index->proofs[i]);
	for (size_t i = 0; i < c->cluster->unit_count; i++) {
		const struct run_unit *unit = &units_of(c)[i];
		const struct tree_unit id = plan_tree_unit(unit->unit->unit);
		const struct tree_proof *proof = map_get(&known, plan_unit_key(arena, SV(""), &id));

		add_proof(arena, proofs, unit, proof ? proof->proof : SV(""));
	}
}

static bool has_same_files(const struct git_output *output, const struct run_unit *unit)
{
	VEC_EACH (file, &unit->files) {
		const struct git_file *before = git_output_find(output, file->path);

		if (!before || before->on_disk || before->mode != GIT_MODE_FILE ||
		    !git_id_equal(before->id, file->blob))
			return false;
	}
	return true;
}

static void add_rolls(const struct run_completion *c, struct tree_rolls *rolls)
{
	for (size_t i = 0; i < c->cluster->unit_count; i++) {
		const struct run_unit *unit = &units_of(c)[i];

		if (unit->files.count == 0 || !unit->roll)
			continue;
		struct tree_roll roll = *unit->roll;
		roll.unit = unit->files.items[0].unit;
		VEC_PUSH(c->env->scratch, rolls, roll);
	}
}

/* Returns the previous index if no file of the cluster's units has changed, else null. */
static const struct tree_index *find_unchanged(const struct run_completion *c)
{
	const struct tree_index *index =
	    c->previous ? map_get(&c->previous->indexes, c->cluster->fleet->name) : NULL;

	for (size_t i = 0; index && i < c->cluster->unit_count; i++)
		if (!units_of(c)[i].is_kept && !has_same_files(c->writer->output, &units_of(c)[i]))
			return NULL;
	return index;
}

/* ---- index.json ----------------------------------------------------------------------------- */

/* Returns true if the previous output has the file with a blob of that id. */
static bool is_there(const struct git_output *output, sv path, struct git_id id)
{
	const struct git_file *before = git_output_find(output, path);

	return before && !before->on_disk && before->mode == GIT_MODE_FILE &&
	       git_id_equal(before->id, id);
}

static void add_index(const struct run_completion *c, const struct tree_proofs *proofs,
                      struct buf *buf)
{
	const struct run_env *env = c->env;
	const struct seal_recipients *recipients = &c->cluster->recipients;
	sv *texts = ARENA_ARRAY(env->scratch, sv, recipients->count);
	struct tree_rolls rolls = {0};
	struct tree_index_request index = {
	    .cluster = c->cluster->fleet->name,
	    .folder = c->cluster->fleet->folder,
	    .seed_id = seal_seed_id(env->arena, c->plan->root),
	    .recipients = texts,
	    .recipient_count = recipients->count,
	    .cut = c->cluster->cut,
	    .files = c->files,
	    .delivery = &c->delivery,
	    .proofs = proofs,
	    .rolls = &rolls,
	};

	add_rolls(c, &rolls);

	for (size_t i = 0; i < recipients->count; i++)
		texts[i] = seal_recipient_listed(env->arena, recipients, i);
	if (recipients->count > 0)
		index.sealed_settings = plan_list_sealed_settings(
		    env->arena, c->plan->root, c->cluster->fleet, &index.sealed_setting_count);
	index.recipients_digest = plan_recipients_digest(
	    env->arena, c->plan->root, index.cluster, texts, recipients->count,
	    index.sealed_settings, index.sealed_setting_count);
	tree_add_index(buf, &index);
}

enum status run_put_index(struct run_completion *c)
{
	sv path = tree_index_path(c->env->arena, c->cluster->fleet->folder);
	const struct tree_index *before = find_unchanged(c);
	struct buf buf = buf_in(c->env->scratch);
	struct tree_proofs proofs = {0};
	struct git_id id;

	SORT_POINTERS_BY(c->files->items, c->files->count, path);
	SORT_POINTERS_BY(c->delivery.items, c->delivery.count, path);
	if (before) {
		add_previous_proofs(c, before, &proofs);
		add_index(c, &proofs, &buf);
		id = git_id_of_blob(buf_sv(&buf));
	}
	if (!before || !is_there(c->writer->output, path, id)) {
		proofs = (struct tree_proofs){0};
		buf.len = 0;
		for (size_t i = 0; i < c->cluster->unit_count; i++)
			add_proof(c->env->scratch, &proofs, &units_of(c)[i], units_of(c)[i].proof);
		add_index(c, &proofs, &buf);
		id = git_id_of_blob(buf_sv(&buf));
	}
	return run_put_text(c, path, &buf, &id);
}
