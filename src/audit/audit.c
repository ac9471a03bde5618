/*
 * The whole audit: the tree against its indexes, each file by itself, the history.
 */
#include "audit/audit.h"

#include "audit/internal.h"
#include "os/os.h"
#include "yaml/yaml.h"

/* ---- the request -------------------------------------------------------------------------- */

enum status audit_place_output(struct arena *arena, struct sink *sink, const struct git_repo *repo,
                               sv out, sv *ret_out)
{
	sv root = git_repo_worktree(repo);
	sv plain = out;

	if (sv_starts_with(plain, SV("/")) && root.len > 0 &&
	    sv_starts_with(plain, ARENA_CONCAT(arena, root, SV("/"))))
		plain = sv_from_offset(plain, root.len + 1);
	bool is_outside = sv_starts_with(plain, SV("/"));
	plain = os_plain_path(arena, plain);
	if (is_outside || sv_empty(plain) ||
	    sv_contains(ARENA_CONCAT(arena, SV("/"), plain, SV("/")), SV("/../"))) {
		struct diag *diag =
		    diag_report(sink, DIAG_OUTPUT_FOLDER, NOWHERE,
		                "--out \"%.*s\" is not a folder of the repository", SV_ARG(out));
		diag_set_help(sink, diag, "name the folder relative to the repository's root");
		return STATUS_FAILED;
	}
	*ret_out = plain;
	return STATUS_OK;
}

struct auditing {
	struct arena *arena;
	struct arena *secret_arena; /* what is read of the inputs */
	struct sink *sink;
	const struct audit_request *request;
	struct audit_result *result;
	struct git_source source;
	struct git_id inputs;
	struct audit_tree tree;
	struct sealer *sealer; /* null without a seed */
	struct fleet fleet;    /* of the inputs; only its sealing settings are set */
	struct fleet *earlier; /* of those of the runs that vouch, one each */
	struct set wanted;     /* files that were asked for, relative to the output folder */
};

/* Paths as people give them: from the root, or from the output folder. */
static enum status read_wanted(struct auditing *a, sv out)
{
	sv folder = ARENA_CONCAT(a->arena, out, SV("/"));

	for (size_t i = 0; i < a->request->file_count; i++) {
		sv path = os_plain_path(a->arena, a->request->files[i]);

		if (sv_starts_with(path, folder))
			path = sv_from_offset(path, folder.len);
		set_add(&a->wanted, path);
	}
	return STATUS_OK;
}

static bool is_wanted(const struct auditing *a, sv path)
{
	return set_count(&a->wanted) == 0 || set_has(&a->wanted, path);
}

/* Reports a path that neither exists nor is listed: it is most likely misspelt. */
static enum status check_wanted(struct auditing *a)
{
	size_t errors = a->sink->error_count;
	struct map here = map_in(a->arena);

	VEC_EACH (file, &a->tree.state.outputs)
		map_put(&here, file->path, file);
	for (size_t i = 0; i < set_count(&a->wanted); i++) {
		sv path = set_item(&a->wanted, i);

		if (map_get(&here, path) || set_has(&a->tree.paths, path))
			continue;
		struct diag *diag =
		    diag_report(a->sink, DIAG_USAGE, NOWHERE,
		                "\"%.*s\" is not a file of the output", SV_ARG(path));
		diag_set_help(a->sink, diag, "name files relative to the repository's root");
	}
	return a->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

/* ---- each file ----------------------------------------------------------------------------- */

static const struct git_file *find_committed(const struct auditing *a, const struct map *here,
                                             sv path)
{
	const struct git_file *file = map_get(here, path);

	if (!file || !is_wanted(a, path) ||
	    (file->mode != GIT_MODE_FILE && file->mode != GIT_MODE_EXECUTABLE))
		return NULL;
	return file;
}

static void report_unreadable(struct auditing *a, sv path, const char *what)
{
	struct diag *diag = audit_find(&a->result->findings, DIAG_AUDIT_FILE, path, "%s", what);

	diag_set_help(&a->result->findings.sink, diag, "restore the file that osm-gen wrote");
}

/* Checks the file's object, in the clear and sealed. */
static void check_object(struct arena *scratch, struct auditing *a, const struct audit_file *file)
{
	const struct value *root = yml_parse_one(scratch, file->entry->path, file->text, false);

	if (!root) {
		report_unreadable(a, file->entry->path,
		                  "the file does not hold exactly one object in YAML");
		return;
	}
	struct audit_file parsed = *file;
	parsed.document = root;
	audit_check_object(scratch, &parsed);
	if (seal_is_sealed(parsed.document))
		audit_check_sealed(a->arena, a->request, &parsed, a->sealer, a->result);
}

static void check_entry(struct auditing *a, struct audit_file *file, const struct git_file *there)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct sink unused = sink_in(scratch);

	a->result->file_count++;
	if (git_read_within(scratch, &unused, a->tree.repo, a->tree.out, there,
	                    AUDIT_MAX_FILE_BYTES, &file->text) != STATUS_OK) {
		report_unreadable(a, there->path,
		                  "the file is larger than 64 MiB, or cannot be read: not checked");
		return;
	}
	if (sv_empty(file->entry->object.kind) && !file->entry->patch_of)
		audit_check_kustomization(scratch, &a->tree, file);
	else
		check_object(scratch, a, file);
}

/* Returns the sealing settings of the cluster at each vouching run. */
static const struct fleet_sealing *const *list_earlier(const struct auditing *a, sv cluster,
                                                       size_t *ret_count)
{
	size_t most = a->result->findings.vouchers.count;
	const struct fleet_sealing **list =
	    ARENA_ARRAY(a->arena, const struct fleet_sealing *, most);
	size_t count = 0;

	for (size_t i = 0; i < most; i++) {
		list[count] = audit_sealing_of(&a->earlier[i], cluster);
		count += list[count] ? 1 : 0;
	}
	*ret_count = count;
	return list;
}

static void check_files(struct auditing *a)
{
	struct map here = map_in(a->arena);

	VEC_EACH (file, &a->tree.state.outputs)
		map_put(&here, file->path, file);
	VEC_EACH (index, &a->tree.indexes) {
		struct audit_file file = {
		    .findings = &a->result->findings,
		    .index = index,
		    .sealing = audit_sealing_of(&a->fleet, index->cluster),
		};

		file.earlier = list_earlier(a, index->cluster, &file.earlier_count);
		for (size_t i = 0; i < index->file_count; i++) {
			const struct git_file *there =
			    find_committed(a, &here, index->files[i].path);

			file.entry = &index->files[i];
			/* Count the file once, even if several indexes list it. */
			if (there && map_get(&a->tree.listed, file.entry->path) == file.entry)
				check_entry(a, &file, there);
		}
	}
	if (a->result->stale_count > 0)
		audit_note(a->arena, &a->result->findings.notes,
		           "%zu sealed files follow the settings of the last run, and .sops.yaml "
		           "or osm-gen.yaml has changed since: run `osm-gen generate`",
		           a->result->stale_count);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static enum status check_history(struct auditing *a)
{
	struct audit_findings *findings = &a->result->findings;
	const struct audit_history_request request = {
	    .repo = a->tree.repo,
	    .source = a->source,
	    .inputs = a->inputs,
	    .out = a->tree.out,
	    .root = a->request->root,
	};
	size_t undecided = findings->undecided.count;

	if (!a->request->root) {
		audit_note(a->arena, &findings->undecided,
		           "who wrote the files, and whether they are the newest; this check needs "
		           "the seed");
		return STATUS_OK;
	}
	if (audit_history(a->arena, a->sink, &request, findings) != STATUS_OK)
		return STATUS_FAILED;
	if (a->request->require_history && findings->undecided.count > undecided) {
		struct diag *diag =
		    audit_find(findings, DIAG_AUDIT_UNDECIDED, SV(""), "could not be decided: %.*s",
		               SV_ARG(findings->undecided.items[undecided]));
		diag_set_help(&findings->sink, diag, "git fetch --unshallow, and verify again");
	}
	return STATUS_OK;
}

static void add_missing_keys(struct auditing *a)
{
	struct audit_result *result = a->result;
	struct audit_texts *undecided = &result->findings.undecided;
	bool has_identity = seal_identities_count(a->request->identities) > 0;

	if (result->wrapped_count > 0)
		audit_note(a->arena, undecided,
		           "to which key %zu SealedSecrets were sealed; their files do not show it",
		           result->wrapped_count);
	if (result->wrapped_count > 0 && !a->request->has_private_keys)
		audit_note(
		    a->arena, undecided,
		    "whether SealedSecrets can be opened, and whether resealing gives the same "
		    "bytes; this check needs their controller's private key (--key FILE)");
	if (result->sealed_count == result->wrapped_count)
		return;
	if (!has_identity)
		audit_note(a->arena, undecided,
		           "whether sealed files decrypt and their MACs are valid; this check "
		           "needs an age identity");
	if (!has_identity || !a->request->root)
		audit_note(a->arena, undecided,
		           "whether resealing gives the same bytes; this check needs the seed and "
		           "an age identity");
}

/* Drops findings at files that the request does not name. */
static void keep_wanted(struct auditing *a)
{
	struct sink *sink = &a->result->findings.sink;
	size_t kept = 0;

	if (set_count(&a->wanted) == 0)
		return;
	for (size_t i = 0; i < sink->diags.count; i++) {
		struct diag *diag = sink->diags.items[i];
		sv path = diag->at.source->path;

		if (sv_eq(path, a->tree.out) ||
		    is_wanted(a, sv_from_offset(path, a->tree.out.len + 1)))
			sink->diags.items[kept++] = diag;
	}
	sink->diags.count = kept;
}

/*
 * Reads how clusters are sealed. Binds the seed to the fleet's identity before anything is sealed.
 */
static void read_settings(struct auditing *a, struct git_id tree)
{
	const struct audit_settings_request request = {
	    .repo = a->tree.repo,
	    .tree = tree,
	    .out = a->tree.out,
	    .in_buckets = a->tree.in_buckets,
	};

	if (!audit_read_settings(a->secret_arena, &request, &a->fleet))
		audit_note(a->arena, &a->result->findings.notes,
		           "osm-gen.yaml has mistakes (see osm-gen validate), which may change the "
		           "result of resealing");
	if (a->request->root)
		seal_root_bind(a->request->root, a->fleet.identity);
}

/*
 * Reads the settings of each vouching run. Its inputs are in the commit that it made or, if the
 * output has a branch of its own, in its source.
 */
static void read_earlier(struct auditing *a)
{
	bool has_own_branch = !git_id_equal(a->inputs, (struct git_id){0});
	const struct audit_vouchers *vouchers = &a->result->findings.vouchers;

	a->earlier = ARENA_ARRAY(a->secret_arena, struct fleet, vouchers->count);
	for (size_t i = 0; i < vouchers->count; i++) {
		sv rev = has_own_branch ? vouchers->items[i].source : vouchers->items[i].commit;
		struct sink unused = sink_in(a->secret_arena);
		struct git_source source = {0};
		bool is_there = git_source_find(a->secret_arena, &unused, a->tree.repo, rev,
		                                &source) == STATUS_OK;
		const struct audit_settings_request request = {
		    .repo = a->tree.repo,
		    .tree = source.tree,
		    .out = a->tree.out,
		    .in_buckets = a->tree.in_buckets,
		};

		if (!is_there || !audit_read_settings(a->secret_arena, &request, &a->earlier[i]))
			a->earlier[i] = (struct fleet){0};
	}
}

static enum status audit_tree(struct auditing *a, struct git_repo *repo, sv out)
{
	const struct audit_request *request = a->request;
	struct git_source inputs;

	if (git_source_find(a->arena, a->sink, repo, request->rev, &a->source) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(request->inputs_rev)) {
		if (git_source_find(a->arena, a->sink, repo, request->inputs_rev, &inputs) !=
		    STATUS_OK)
			return STATUS_FAILED;
		a->inputs = inputs.id;
	}
	a->result->commit = a->source.hex;
	if (audit_read_tree(a->arena, a->sink, repo, a->source.tree, out, &a->result->findings,
	                    &a->tree) != STATUS_OK)
		return STATUS_FAILED;
	/* The paths of the clusters in the output decide which rule of .sops.yaml applies. */
	read_settings(a, sv_empty(request->inputs_rev) ? a->source.tree : inputs.tree);
	if (read_wanted(a, out) != STATUS_OK || check_wanted(a) != STATUS_OK)
		return STATUS_FAILED;
	if (check_history(a) != STATUS_OK)
		return STATUS_FAILED;
	read_earlier(a);
	check_files(a);
	add_missing_keys(a);
	keep_wanted(a);
	return STATUS_OK;
}

enum status audit(struct arena *arena, struct sink *sink, const struct audit_request *request,
                  struct audit_result *ret_result)
{
	struct audit_result result = {0};
	ARENA_AUTO secret_arena = arena_new(ARENA_SECRET);
	struct auditing a = {.arena = arena,
	                     .secret_arena = secret_arena,
	                     .sink = sink,
	                     .request = request,
	                     .result = &result,
	                     .wanted = set_in(arena)};
	SEALER_AUTO sealer = request->root ? sealer_new(request->root) : NULL;
	struct git_repo *repo = NULL;
	sv out;

	a.sealer = sealer;
	if (git_repo_open(arena, sink, request->repo, &repo) != STATUS_OK)
		return STATUS_FAILED;
	enum status status = audit_place_output(arena, sink, repo, request->out, &out);
	if (status == STATUS_OK) {
		result.findings = audit_findings_in(arena, out);
		status = audit_tree(&a, repo, out);
	}
	git_repo_close(repo);
	if (status == STATUS_OK)
		*ret_result = result;
	return status;
}
