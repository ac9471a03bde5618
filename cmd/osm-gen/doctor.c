/*
 * doctor: what a run will meet here and in CI. Looks only; each check says one thing.
 */
#include "commands.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "os/os.h"
#include "tree/tree.h"
#include "json/json.h"

enum level {
	LEVEL_OK,
	LEVEL_NOTE, /* worth knowing, nothing to do */
	LEVEL_LOOK, /* exit status 1 */
	LEVEL_WRONG /* a diagnostic says more; its class decides the exit status */
};

struct finding {
	const char *check;
	enum level level;
	sv text;
	const char *help; /* or null */
};

struct visit {
	struct context *context;
	struct git_repo *repo;
	struct git_source tip; /* of the branch that is committed on; hex is empty: there is none */
	const struct fleet *fleet; /* null: not read */
	struct seal_root *root;    /* null: no seed */
	struct seal_identities *identities;
	VEC(struct finding) findings;
};

static void add(struct visit *v, const char *check, enum level level, const char *help,
                const char *format, ...) PRINTF_LIKE(5, 6);
static void add(struct visit *v, const char *check, enum level level, const char *help,
                const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(v->context->arena, format, args);
	va_end(args);
	VEC_PUSH(v->context->arena, &v->findings, (struct finding){check, level, text, help});
}

/* ---- the repository ------------------------------------------------------------------------ */

static void check_ignored(struct visit *v)
{
	const struct options *options = v->context->options;
	struct arena *arena = v->context->arena;
	sv root = git_repo_worktree(v->repo);
	sv above;

	if (sv_starts_with(options->out, SV("/")))
		return;
	sv index = ARENA_CONCAT(arena, root, SV("/"), os_plain_path(arena, options->out),
	                        SV("/CLUSTER/index.json"));
	if (!git_would_add(arena, root, index, &above))
		add(v, "ignored", LEVEL_LOOK,
		    "take the output folder out of .gitignore: osm-gen commits it all the same, "
		    "but "
		    "`git status` and `git add` do not show what people change in it",
		    "the output folder %.*s is ignored by git", SV_ARG(options->out));
}

static void check_shape(struct visit *v)
{
	sv root = git_repo_worktree(v->repo);

	if (sv_empty(root))
		add(v, "work-tree", LEVEL_NOTE, NULL,
		    "the repository is bare: only commits are made");
	else
		add(v, "work-tree", LEVEL_OK, NULL, "%s",
		    git_repo_is_linked(v->repo) ? "a linked work tree" : "a work tree");
	if (git_repo_is_shallow(v->repo))
		add(v, "history", LEVEL_NOTE,
		    "a run needs no more; the whole history (fetch-depth: 0, GIT_DEPTH: 0, git "
		    "fetch --unshallow) lets it notice when an output was removed, and `verify` "
		    "decides everything only with it",
		    "the clone is shallow");
	else if (git_repo_is_partial(v->repo))
		add(v, "history", LEVEL_NOTE,
		    "what is checked out is enough for a run; what else it needs is an error "
		    "(OSG6051), "
		    "and a removed output may not be noticed: a clone without --filter has it",
		    "the clone is partial");
	else
		add(v, "history", LEVEL_OK, NULL, "the history is complete");
	if (git_repo_is_detached(v->repo) && !v->context->options->branch.ptr)
		add(v, "branch", LEVEL_NOTE,
		    "`git push origin HEAD:BRANCH` carries it to a branch; or give `generate` "
		    "--branch NAME, and it commits there, and pushes with --push",
		    "HEAD is detached: `generate` commits on it, and moves no branch");
	else
		add(v, "branch", LEVEL_OK, NULL, "commits go to a branch");
	if (!sv_empty(root) && !os_is_own(root))
		add(v, "owner", LEVEL_NOTE,
		    "osm-gen runs no hook or filter and does not mind; git does: git config "
		    "--global "
		    "--add safe.directory DIR",
		    "the work tree belongs to another user");
	if (!sv_empty(root))
		check_ignored(v);
}

static enum status open_repository(struct visit *v)
{
	struct context *context = v->context;
	const struct options *options = context->options;
	struct sink unheard = sink_in(context->arena);
	struct git_source source;
	sv tip = sv_empty(options->branch) ? SV("HEAD") : options->branch;

	if (git_repo_open(context->arena, context->sink, options->repo, &v->repo) != STATUS_OK) {
		add(v, "repository", LEVEL_WRONG, NULL, "the repository cannot be opened");
		return STATUS_FAILED;
	}
	check_shape(v);
	if (git_source_find(context->arena, &unheard, v->repo, tip, &v->tip) != STATUS_OK)
		v->tip.hex = SV("");
	else if (git_source_find(context->arena, &unheard, v->repo, options->rev, &source) ==
	             STATUS_OK &&
	         !git_id_equal(source.id, v->tip.id))
		add(v, "tip", LEVEL_NOTE, NULL,
		    "the branch's tip is %.12s, the inputs are read from %.12s", v->tip.hex.ptr,
		    source.hex.ptr);
	return STATUS_OK;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void check_seed(struct visit *v)
{
	struct context *context = v->context;
	struct plan_key seed = {0};

	if (read_seed(context, &seed) != STATUS_OK ||
	    (seed.text.ptr &&
	     plan_parse_seed(context->secret_arena, context->sink, &seed, &v->root) != STATUS_OK)) {
		add(v, "seed", LEVEL_WRONG, NULL, "the seed cannot be read");
		return;
	}
	if (!v->root)
		add(v, "seed", LEVEL_LOOK,
		    "`generate` and `check` need OSM_GEN_SEAL_SEED, OSM_GEN_SEAL_SEED_FILE or "
		    "--seal-seed-file; `osm-gen keygen seed -o FILE` makes one",
		    "no seed is given");
	else
		add(v, "seed", LEVEL_OK, NULL, "the seed is sound");
}

static void check_identities(struct visit *v, struct plan_key *ret_key)
{
	struct context *context = v->context;

	if (read_identities(context, ret_key) != STATUS_OK ||
	    (ret_key->text.ptr &&
	     seal_identities_add(context->sink, v->identities,
	                         source_new(context->secret_arena, ret_key->name, ret_key->text,
	                                    true)) != STATUS_OK)) {
		add(v, "identities", LEVEL_WRONG, NULL, "the identities cannot be read");
		*ret_key = (struct plan_key){0};
		return;
	}
	if (!ret_key->text.ptr)
		add(v, "identities", LEVEL_NOTE,
		    "encrypted inputs need SOPS_AGE_KEY or SOPS_AGE_KEY_FILE; without any, none is "
		    "needed",
		    "no identity is given: encrypted inputs were not opened");
	else
		add(v, "identities", LEVEL_OK, NULL, "%zu age identit%s",
		    seal_identities_count(v->identities),
		    seal_identities_count(v->identities) == 1 ? "y" : "ies");
}

/* ---- inputs, and the output before --------------------------------------------------------- */

static void check_contract(struct visit *v)
{
	unsigned newest = dialect_contract_newest();

	if (!v->fleet->names_contract)
		add(v, "contract", LEVEL_NOTE,
		    "write it down, so that a newer osm-gen writes the same bytes until you ask "
		    "for "
		    "others: osm-gen upgrade",
		    "the Fleet names no output contract: the newest holds, which is %u here",
		    newest);
	else if (v->fleet->contract < newest)
		add(v, "contract", LEVEL_NOTE,
		    "`osm-gen upgrade --dry-run` shows what a newer one changes",
		    "output contract %u holds; this osm-gen knows up to %u", v->fleet->contract,
		    newest);
	else
		add(v, "contract", LEVEL_OK, NULL, "output contract %u, the newest", newest);
}

/* Identities that are given open the encrypted inputs; without any those stay closed. */
static void read_fleet(struct visit *v, const struct plan_key *identities)
{
	struct context *context = v->context;
	struct run_request request;
	size_t warnings = context->sink->diags.count - context->sink->error_count;

	if (asking_request(context, &request) != STATUS_OK)
		return;
	if (identities->text.ptr) {
		request.mode = RUN_CHECK;
		request.reading.identities = *identities;
	}
	if (run_survey(context->arena, context->sink, &request, &v->fleet, &context->result) !=
	    STATUS_OK) {
		add(v, "inputs", LEVEL_WRONG, NULL, "the inputs are wrong");
		v->fleet = NULL;
		return;
	}
	if (context->sink->diags.count - context->sink->error_count > warnings)
		add(v, "inputs", LEVEL_LOOK, NULL, "the inputs can be read, with warnings");
	else
		add(v, "inputs", LEVEL_OK, NULL, "%zu cluster%s, %zu unit%s",
		    v->fleet->cluster_count, v->fleet->cluster_count == 1 ? "" : "s",
		    v->fleet->unit_count, v->fleet->unit_count == 1 ? "" : "s");
	if (sv_empty(v->fleet->commit_author) && !context->options->author.ptr)
		add(v, "author", LEVEL_NOTE, "set commit.author in osm-gen.yaml",
		    "commits are " RUN_AUTHOR "'s");
	check_contract(v);
	if (v->root)
		seal_root_bind(v->root, v->fleet->identity);
}

static bool read_index(struct visit *v, sv folder, struct tree_index *ret_index)
{
	enum { MOST = 64 * 1024 * 1024 };
	struct arena *arena = v->context->arena;
	struct sink unheard = sink_in(arena);
	sv path = ARENA_CONCAT(arena, os_plain_path(arena, v->context->options->out), SV("/"),
	                       tree_index_path(arena, folder));
	struct git_file file;
	sv text;

	return !sv_empty(v->tip.hex) && git_look_up(arena, v->repo, v->tip.tree, path, &file) &&
	       git_read(arena, &unheard, v->repo, &file, MOST, &text) == STATUS_OK &&
	       tree_read_index(arena, &unheard, folder, source_new(arena, path, text, false),
	                       ret_index) == STATUS_OK &&
	       !ret_index->is_foreign;
}

/* In a bucket or in none: the next run may move it. */
static bool find_index(struct visit *v, const struct fleet_cluster *cluster,
                       struct tree_index *ret_index)
{
	sv other = fleet_folder(v->context->arena, cluster->name, !v->fleet->in_buckets);

	return read_index(v, cluster->folder, ret_index) || read_index(v, other, ret_index);
}

static void check_profiles(struct visit *v, const struct fleet_cluster *cluster,
                           const struct tree_index *index)
{
	VEC_EACH (one, &cluster->definitions) {
		const struct dialect_definition *now = one->definition;
		sv version = value_text(&now->version);

		for (size_t i = 0; i < index->file_count; i++) {
			const struct tree_unit *unit = index->files[i].unit;

			if (!unit || !sv_eq(unit->profile, now->name) ||
			    sv_eq(unit->profile_version, version))
				continue;
			add(v, "profiles", LEVEL_NOTE,
			    "the next run writes the new one: `osm-gen diff` shows what changes",
			    "cluster %.*s: the output has %.*s in version %.*s, %s has %.*s",
			    SV_ARG(cluster->name), SV_ARG(now->name), SV_ARG(unit->profile_version),
			    now->is_embedded ? "this program" : "the repository", SV_ARG(version));
			break;
		}
	}
}

static void check_recipients(struct visit *v, const struct fleet_cluster *cluster,
                             const struct tree_index *index)
{
	struct arena *arena = v->context->arena;
	const struct fleet_sealing *sealing = &cluster->sealing;
	struct seal_recipient_text *texts =
	    ARENA_ARRAY(arena, struct seal_recipient_text, sealing->recipient_count);
	struct seal_recipients now;
	struct seal_texts names = {0};

	for (size_t i = 0; i < sealing->recipient_count; i++)
		texts[i] = (struct seal_recipient_text){sealing->recipients[i].text,
		                                        sealing->recipients[i].at};
	if (seal_recipients_parse(arena, v->context->sink, sealing->format,
	                          ARENA_CONCAT(arena, SV("cluster "), cluster->name), texts,
	                          sealing->recipient_count, &now) != STATUS_OK) {
		add(v, "recipients", LEVEL_WRONG, NULL, "cluster %.*s: the recipients are wrong",
		    SV_ARG(cluster->name));
		return;
	}
	bool differs = index && index->recipient_count > 0 && index->recipient_count != now.count;
	for (size_t i = 0; i < now.count; i++) {
		VEC_PUSH(arena, &names, now.items[i].text);
		if (index && index->recipient_count > 0 && !differs)
			differs = !sv_eq(index->recipients[i], now.items[i].text);
	}
	if (differs)
		add(v, "recipients", LEVEL_LOOK,
		    "a run is refused unless CI says that it is meant: --rotate-recipients, or "
		    "--allow-recipients FILE",
		    "cluster %.*s: the recipients are others than the output's",
		    SV_ARG(cluster->name));
	struct seal_identities *own = seal_identities_of(arena, v->identities, &names);
	if (seal_identities_count(v->identities) > 0 && seal_identities_count(own) == 0)
		add(v, "recipients", LEVEL_NOTE, NULL,
		    "cluster %.*s: no identity given can read its output", SV_ARG(cluster->name));
	seal_identities_free(own);
}

static void check_clusters(struct visit *v)
{
	size_t outputs = 0;
	bool seed_differs = false;

	for (size_t i = 0; v->fleet && i < v->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &v->fleet->clusters[i];
		struct tree_index index;
		bool was_there = find_index(v, cluster, &index);

		if (cluster->unit_count > 0)
			check_recipients(v, cluster, was_there ? &index : NULL);
		if (!was_there)
			continue;
		outputs++;
		check_profiles(v, cluster, &index);
		seed_differs |= v->root && !sv_empty(index.seed_id) &&
		                !sv_eq(index.seed_id, seal_seed_id(v->context->arena, v->root));
	}
	if (v->fleet && outputs == 0 && git_repo_is_shallow(v->repo))
		add(v, "history", LEVEL_LOOK,
		    "fetch the whole history (git fetch --unshallow), or give runs a list with "
		    "--allow-recipients",
		    "the clone is shallow and there is no output: a run cannot see whether it is "
		    "the first, and believes the recipients (OSG5076)");
	if (seed_differs)
		add(v, "output", LEVEL_LOOK,
		    "give the seed that CI has, or seal everything anew with this one: "
		    "--rotate-seed",
		    "the output was sealed with another seed");
	else if (v->fleet)
		add(v, "output", LEVEL_OK, NULL, "%.*s has %zu of %zu cluster%s",
		    SV_ARG(v->context->options->out), outputs, v->fleet->cluster_count,
		    v->fleet->cluster_count == 1 ? "" : "s");
}

/* ---- the environment, and CI's ------------------------------------------------------------- */

static void check_variables(struct visit *v)
{
	size_t count;
	const sv *names = dialect_variable_names(v->context->arena, &count);
	struct buf set = buf_in(v->context->arena);

	for (size_t i = 0; i < count; i++)
		if (environment(arena_cstr(v->context->arena, names[i])).ptr)
			buf_printf(&set, "%s%.*s", set.len ? ", " : "", SV_ARG(names[i]));
	if (set.len > 0)
		add(v, "variables", LEVEL_NOTE,
		    "cloud-configs take values from them only with --allow-env CLUSTER:NAME, in CI "
		    "as here",
		    "set in the environment: %.*s", SV_ARG(buf_sv(&set)));
	else
		add(v, "variables", LEVEL_OK, NULL,
		    "no variable is set that could change the output");
	add(v, "ci", LEVEL_NOTE, NULL,
	    "CI needs the seed (OSM_GEN_SEAL_SEED) on protected branches alone, %sthe whole "
	    "history (fetch-depth: 0), and the right to push to the branch",
	    seal_identities_count(v->identities) > 0
	        ? "an identity (SOPS_AGE_KEY) where inputs are encrypted, "
	        : "");
}

/* ---- what is printed ----------------------------------------------------------------------- */

static const char *level_name(enum level level)
{
	switch (level) {
	case LEVEL_OK:
		return "ok";
	case LEVEL_NOTE:
		return "note";
	case LEVEL_LOOK:
		return "look";
	case LEVEL_WRONG:
		return "wrong";
	}
	BUG("level");
}

static void add_text(struct buf *buf, const struct visit *v)
{
	VEC_EACH (finding, &v->findings) {
		buf_printf(buf, "%-6s %-11s ", level_name(finding->level), finding->check);
		report_add_visible(buf, finding->text);
		buf_add_char(buf, '\n');
		if (finding->help)
			buf_printf(buf, "       help: %s\n", finding->help);
	}
	report_defuse(buf, 0);
}

static void add_json(struct buf *buf, const struct visit *v)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	VEC_EACH (finding, &v->findings) {
		struct json_t *row = json_doc_map();

		json_doc_set_text(row, "check", sv_from_cstr(finding->check));
		json_doc_set_text(row, "level", sv_from_cstr(level_name(finding->level)));
		json_doc_set_text(row, "text", finding->text);
		if (finding->help)
			json_doc_set_text(row, "help", sv_from_cstr(finding->help));
		json_doc_add(list, row);
	}
	json_doc_set(root, "findings", list);
	json_doc_write(buf, root);
}

int command_doctor(struct context *context)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct visit v = {.context = context, .identities = identities};
	struct buf buf = buf_in(context->arena);
	struct plan_key key = {0};
	int status = 0;

	bool is_open = open_repository(&v) == STATUS_OK;
	check_seed(&v);
	check_identities(&v, &key);
	if (is_open)
		read_fleet(&v, &key);
	check_clusters(&v);
	check_variables(&v);
	VEC_EACH (finding, &v.findings)
		if (finding->level == LEVEL_LOOK)
			status = 1;
	if (sv_eq(context->options->format, SV("json")))
		add_json(&buf, &v);
	else
		add_text(&buf, &v);
	seal_root_free(v.root);
	git_repo_close(v.repo);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? status : 3;
}
