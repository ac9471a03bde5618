/*
 * Which commit vouches for the output, and what has changed since.
 *
 * A commit vouches for its output if its message has the digest of the files in the output folder
 * and of the inputs (docs/spec/proofs.md 2). So a run that was rebased or cherry-picked still
 * vouches, since its inputs are the same; a run that was never merged does not, since they are not.
 * The vouchers are the nearest such commits on each line of the history, without ancestors of other
 * vouchers. A digest counts in the oldest commit that has it: if it comes again after the output
 * has changed, somebody brought back an old output with its message. That commit may be one that
 * the branch no longer has (struct audit_left_out).
 */
#include "audit/internal.h"

enum { MOST_COMMITS = 200000, MOST_ATTEMPTS = 500, MOST_VOUCHERS = 16, MOST_AUTHORS = 500 };

struct history {
	struct arena *arena;
	struct sink *sink;
	const struct audit_history_request *request;
	struct audit_findings *findings;
	struct audit_past past;
	struct map sources;  /* by 40 hex digits: ids of commits that a run may have read */
	struct map oldest;   /* size_t * by digest: the last commit that has it */
	struct set left_out; /* the set of short digests of commits that the branch no longer has */
	struct audit_state now;
	struct audit_state *states; /* the state of the output in each commit of `vouchers` */
	size_t *vouchers;           /* numbers of the commits that vouch for the output */
	size_t voucher_count;
	size_t attempts;
	size_t unmatched; /* commits whose digests do not fit */
	size_t nearest_unmatched;
	bool is_replayed;
	size_t authors_asked;
	struct audit_squashes squashes;
};

/* ---- present files ----------------------------------------------------------------------- */

static void add_sources(struct history *h, const struct git_commits *commits)
{
	VEC_EACH (info, commits)
		map_put(&h->sources, git_id_hex(h->arena, info->id), info);
}

static void load_left_out(struct history *h)
{
	struct audit_left_out left;

	(void)audit_find_left_out(h->arena, h->request->repo, h->request->source.id, MOST_COMMITS,
	                          &left);
	VEC_EACH (run, &left.runs)
		set_add(&h->left_out, *run);
}

static void load(struct history *h)
{
	const struct audit_history_request *request = h->request;
	struct audit_past *past = &h->past;
	struct git_commits others = {0};

	git_list_commits(h->arena, request->repo, request->source.id, MOST_COMMITS, &past->commits);
	size_t count = past->commits.count;
	size_t *numbers = ARENA_ARRAY(h->arena, size_t, count);
	past->is_since = ARENA_ARRAY(h->arena, bool, count);
	past->is_older = ARENA_ARRAY(h->arena, bool, count);
	for (size_t i = 0; i < count; i++) {
		struct audit_trailers trailers;

		numbers[i] = i;
		map_put(&past->numbers, git_id_sv(&past->commits.items[i].id), &numbers[i]);
		audit_read_trailers(h->arena, past->commits.items[i].message, &trailers);
		VEC_EACH (trailer, &trailers)
			map_put(&h->oldest, trailer->output, &numbers[i]);
	}
	load_left_out(h);
	add_sources(h, &past->commits);
	if (!git_id_equal(request->inputs, (struct git_id){0})) {
		git_list_commits(h->arena, request->repo, request->inputs, MOST_COMMITS, &others);
		add_sources(h, &others);
	}
	/* The verdict is then a failure of the surroundings. */
	(void)!git_check_commits(&h->findings->sink, request->repo);
}

/* ---- vouching commits -------------------------------------------------------------------- */

static bool fits(const struct history *h, const struct audit_trailer *trailer,
                 const struct audit_state *state)
{
	return sv_eq(trailer->output, audit_output_digest(h->arena, h->request->root,
	                                                  h->request->out, trailer->source, state));
}

/*
 * The commit's output with the inputs of the run's source. Only where the output has a branch of
 * its own: elsewhere a run on inputs that are long past, whose commit was never merged, would
 * count.
 */
static bool fits_source(struct history *h, const struct audit_trailer *trailer,
                        const struct audit_state *state)
{
	bool has_own_branch = !git_id_equal(h->request->inputs, (struct git_id){0});
	const struct git_commit_info *source =
	    has_own_branch ? map_get(&h->sources, trailer->source) : NULL;
	struct sink unused = sink_in(h->arena);
	struct audit_state mixed;

	if (!source || audit_read_state(h->arena, &unused, h->request->repo, source->tree,
	                                h->request->out, &mixed) != STATUS_OK)
		return false;
	mixed.outputs = state->outputs;
	return fits(h, trailer, &mixed);
}

static void add_voucher(struct history *h, size_t number, const struct audit_trailer *trailer,
                        const struct audit_state *state)
{
	const struct git_commit_info *info = &h->past.commits.items[number];
	sv hex = git_id_hex(h->arena, info->id);

	h->states[h->voucher_count] = *state;
	h->vouchers[h->voucher_count++] = number;
	VEC_PUSH(h->arena, &h->findings->vouchers, ((struct audit_voucher){hex, trailer->source}));
	if (!map_get(&h->sources, trailer->source))
		audit_note(h->arena, &h->findings->notes,
		           "commit %.12s vouches for the output; the commit it was made from, "
		           "%.12s, is not in this history (rebased, cherry-picked or squashed "
		           "since), but its inputs are the same",
		           hex.ptr, trailer->source.ptr);
}

/* Notes what the run had that is not in git. */
static void note_outside(struct history *h, const struct git_commit_info *info)
{
	struct audit_outside outside;

	audit_read_outside(h->arena, info->message, &outside);
	if (outside.manifests.count > 0)
		audit_note(h->arena, &h->findings->notes,
		           "commit %.12s cannot be reproduced from git alone: its run also read "
		           "%zu file%s of manifests from outside of the repository (--manifests)",
		           git_id_hex(h->arena, info->id).ptr, outside.manifests.count,
		           outside.manifests.count == 1 ? "" : "s");
}

/* Adds the commit to the vouchers if it vouches, and returns true then. */
static bool vouches(struct history *h, size_t number)
{
	const struct git_commit_info *info = &h->past.commits.items[number];
	struct sink unused = sink_in(h->arena);
	struct audit_trailers trailers;
	struct audit_state state;

	audit_read_trailers(h->arena, info->message, &trailers);
	if (trailers.count == 0 || h->voucher_count == MOST_VOUCHERS ||
	    h->attempts >= MOST_ATTEMPTS)
		return false;
	h->attempts += trailers.count;
	if (audit_read_state(h->arena, &unused, h->request->repo, info->tree, h->request->out,
	                     &state) != STATUS_OK)
		return false;
	VEC_EACH (trailer, &trailers) {
		const size_t *oldest = map_get(&h->oldest, trailer->output);

		if (!fits(h, trailer, &state) && !fits_source(h, trailer, &state))
			continue;
		if (*oldest != number ||
		    set_has(&h->left_out, sv_slice(trailer->output, 0, AUDIT_SHORT_ID))) {
			h->is_replayed = true;
			continue;
		}
		add_voucher(h, number, trailer, &state);
		note_outside(h, info);
		return true;
	}
	if (h->unmatched++ == 0)
		h->nearest_unmatched = number;
	return false;
}

/* Marks all ancestors of a commit. */
static void mark_older(struct history *h, size_t number, bool *marks)
{
	VEC(size_t) queue = {0};

	VEC_PUSH(h->arena, &queue, number);
	for (size_t next = 0; next < queue.count; next++) {
		const struct git_commit_info *info = &h->past.commits.items[queue.items[next]];

		for (size_t p = 0; p < info->parent_count; p++) {
			const size_t *parent = audit_number_of(&h->past, &info->parents[p]);

			if (!parent || marks[*parent])
				continue;
			marks[*parent] = true;
			VEC_PUSH(h->arena, &queue, *parent);
		}
	}
}

/* Looks at children before parents, so that ancestors of a voucher are skipped. */
static void find_vouchers(struct history *h)
{
	struct audit_past *past = &h->past;
	size_t count = past->commits.count;

	h->vouchers = ARENA_ARRAY(h->arena, size_t, MOST_VOUCHERS);
	h->states = ARENA_ARRAY(h->arena, struct audit_state, MOST_VOUCHERS);
	for (size_t i = 0; i < count; i++) {
		if (past->is_older[i])
			continue;
		if (vouches(h, i)) {
			past->is_older[i] = true;
			mark_older(h, i, past->is_older);
		} else {
			past->is_since[i] = true;
		}
	}
}

/* ---- changed files ----------------------------------------------------------------------- */

static struct map by_path(struct arena *arena, const struct git_files *files)
{
	struct map map = map_in(arena);

	VEC_EACH (file, files)
		map_put(&map, file->path, file);
	return map;
}

static sv commit_hex(const struct history *h, size_t number)
{
	return git_id_hex(h->arena, h->past.commits.items[number].id);
}

static void set_help(struct history *h, struct diag *diag, bool is_added)
{
	diag_set_help(&h->findings->sink, diag,
	              is_added
	                  ? "remove it: commit %.12s, which vouches for the output, has none; or, "
	                    "if `osm-gen check` finds nothing to change, `osm-gen generate "
	                    "--vouch` vouches for it"
	                  : "git diff %.12s HEAD -- FILE shows the change; revert it, and run "
	                    "`osm-gen generate`; or, if `osm-gen check` finds nothing to "
	                    "change, `osm-gen generate --vouch` vouches for it",
	              commit_hex(h, h->vouchers[0]).ptr);
}

/* Returns the commit that made this version of the file, or SV_NPOS. */
static size_t author_of(struct history *h, sv path, const struct git_file *file)
{
	/* Each search walks the history: name the commit only for the first files. */
	return h->authors_asked++ > MOST_AUTHORS ? SV_NPOS
	                                         : audit_find_author(&h->past, path, file);
}

static sv by_commit(const struct history *h, size_t author)
{
	return author == SV_NPOS
	           ? SV("")
	           : arena_printf(h->arena, " by commit %.12s", commit_hex(h, author).ptr);
}

static void report_wanted(struct history *h, const struct audit_wanted_files *wanted)
{
	VEC_EACH (one, wanted) {
		const struct git_file *file = one->file;
		bool is_added = audit_has_version(&h->past, h->vouchers[0], file->path, NULL);
		const char *change = is_added ? "added" : "changed";
		size_t number = author_of(h, file->path, file);
		sv author = by_commit(h, number);
		struct diag *diag = map_get(&h->findings->merged, file->path);

		if (diag && one->found == SV_NPOS) {
			diag_add_note(&h->findings->sink, diag, NOWHERE, "%s%.*s, not by osm-gen",
			              change, SV_ARG(author));
			continue;
		}
		if (one->found == SV_NPOS && number != SV_NPOS &&
		    audit_add_squashed(&h->squashes, change, file->path, number))
			continue;
		if (one->found == SV_NPOS)
			diag = audit_find(h->findings, DIAG_AUDIT_CHANGED, file->path,
			                  "%s%.*s, not by osm-gen", change, SV_ARG(author));
		else
			diag = audit_find(h->findings, DIAG_AUDIT_OLDER, file->path,
			                  "an older version of this file, from commit %.12s, was "
			                  "brought back%.*s",
			                  commit_hex(h, one->found).ptr, SV_ARG(author));
		set_help(h, diag, is_added && one->found == SV_NPOS);
	}
}

/* Reports a file that all vouchers have and that is missing. */
static void report_removed(struct history *h, sv path)
{
	size_t number = author_of(h, path, NULL);
	sv author = by_commit(h, number);

	if (number != SV_NPOS && audit_add_squashed(&h->squashes, "removed", path, number))
		return;
	set_help(h,
	         audit_find(h->findings, DIAG_AUDIT_CHANGED, path, "removed%.*s, not by osm-gen",
	                    SV_ARG(author)),
	         false);
}

/*
 * Returns the newest common ancestor of all vouchers, or SV_NPOS if they have none or only one
 * voucher exists.
 */
static size_t find_base(struct history *h)
{
	size_t count = h->past.commits.count;
	size_t *counts = ARENA_ARRAY(h->arena, size_t, count);

	if (h->voucher_count < 2)
		return SV_NPOS;
	for (size_t i = 0; i < h->voucher_count; i++) {
		bool *marks = ARENA_ARRAY(h->arena, bool, count);

		mark_older(h, h->vouchers[i], marks);
		for (size_t c = 0; c < count; c++)
			counts[c] += marks[c];
	}
	for (size_t c = 0; c < count; c++)
		if (counts[c] == h->voucher_count)
			return c;
	return SV_NPOS;
}

/*
 * Returns true if one line of the history changed the input, and it is now as it was before the
 * lines parted. A file that does not exist counts as a version.
 */
static bool is_undone(const struct map *before, const struct map *line, const struct map *now,
                      sv path)
{
	const struct git_file *was = map_get(before, path);
	const struct git_file *became = map_get(line, path);
	const struct git_file *is = map_get(now, path);
	bool is_changed = !was != !became || (was && !audit_file_equal(was, became));
	bool is_as_before = !was == !is && (!was || audit_file_equal(was, is));

	return is_changed && is_as_before;
}

/*
 * Returns true if the merge took the inputs of a voucher's branch, too. A merge that takes a
 * branch's output without its inputs brings in output that no run made for the merged inputs.
 */
static bool has_its_inputs(struct history *h, size_t voucher, size_t base)
{
	struct sink unused = sink_in(h->arena);
	struct audit_state parted;

	if (audit_read_state(h->arena, &unused, h->request->repo, h->past.commits.items[base].tree,
	                     h->request->out, &parted) != STATUS_OK)
		return false;
	struct map before = by_path(h->arena, &parted.inputs);
	struct map line = by_path(h->arena, &h->states[voucher].inputs);
	struct map now = by_path(h->arena, &h->now.inputs);
	VEC_EACH (file, &h->states[voucher].inputs) {
		if (is_undone(&before, &line, &now, file->path))
			return false;
	}
	VEC_EACH (file, &parted.inputs) {
		if (is_undone(&before, &line, &now, file->path))
			return false;
	}
	return true;
}

/* Drops vouchers of merged lines whose inputs were not merged, as long as one remains. */
static void drop_unmerged(struct history *h, size_t base)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->voucher_count; i++) {
		if (!has_its_inputs(h, i, base)) {
			audit_note(h->arena, &h->findings->notes,
			           "commit %.12s vouches for its output, but its inputs were not "
			           "merged with it, so it does not count",
			           commit_hex(h, h->vouchers[i]).ptr);
			continue;
		}
		h->vouchers[kept] = h->vouchers[i];
		h->states[kept] = h->states[i];
		h->findings->vouchers.items[kept++] = h->findings->vouchers.items[i];
	}
	if (kept == 0 || kept == h->voucher_count)
		return;
	h->voucher_count = kept;
	h->findings->vouchers.count = kept;
	/* Versions on that line are not earlier versions of this output, either. */
	memset(h->past.is_older, 0, h->past.commits.count * sizeof(*h->past.is_older));
	for (size_t i = 0; i < kept; i++) {
		h->past.is_older[h->vouchers[i]] = true;
		mark_older(h, h->vouchers[i], h->past.is_older);
	}
}

/*
 * Returns true if a voucher has this version of the file. If another voucher has a different
 * version, and this one is older than the point where their lines parted, the merge should have
 * taken the other one.
 */
static bool is_vouched(const struct history *h, const struct map *there, size_t base,
                       const struct git_file *file)
{
	size_t equal = 0;

	for (size_t i = 0; i < h->voucher_count; i++) {
		const struct git_file *same = map_get(&there[i], file->path);

		equal += same && audit_file_equal(same, file);
	}
	if (equal == h->voucher_count || equal == 0)
		return equal > 0;
	/* The histories have no common commit: output of another repository does not count. */
	if (base == SV_NPOS)
		return h->past.commits.is_cut;
	return !audit_has_version(&h->past, base, file->path, file);
}

/*
 * Lists files that no voucher has in this version, to search earlier commits for them. Reports
 * files that all vouchers have and that are missing.
 */
static void compare_with_vouchers(struct history *h)
{
	struct map here = by_path(h->arena, &h->now.outputs);
	struct map there[MOST_VOUCHERS];
	struct audit_wanted_files wanted = {0};
	size_t base = find_base(h);

	if (base != SV_NPOS)
		drop_unmerged(h, base);
	for (size_t i = 0; i < h->voucher_count; i++)
		there[i] = by_path(h->arena, &h->states[i].outputs);
	VEC_EACH (file, &h->now.outputs) {
		if (!is_vouched(h, there, base, file))
			VEC_PUSH(h->arena, &wanted, ((struct audit_wanted){file, SV_NPOS}));
	}
	if (!audit_find_older(&h->past, &wanted))
		audit_note(h->arena, &h->findings->notes,
		           "the history is too long to search for all files: a file reported as "
		           "changed may be an older version");
	report_wanted(h, &wanted);
	VEC_EACH (file, &h->states[0].outputs) {
		bool is_everywhere = true;

		for (size_t i = 1; i < h->voucher_count; i++)
			is_everywhere &= map_get(&there[i], file->path) != NULL;
		if (is_everywhere && !map_get(&here, file->path))
			report_removed(h, file->path);
	}
	audit_report_squashes(&h->squashes, h->vouchers[0]);
}

/* ---- the whole --------------------------------------------------------------------------- */

static void report_nobody(struct history *h)
{
	struct audit_findings *findings = h->findings;

	if (h->past.commits.is_cut) {
		audit_note(h->arena, &findings->undecided,
		           "who wrote the output: none of the %zu commits in this clone vouches "
		           "for it, and the clone lacks older commits (git fetch --unshallow)",
		           h->past.commits.count);
		return;
	}
	struct diag *diag =
	    audit_find(findings, DIAG_AUDIT_NOBODY, SV(""), "no commit vouches for the output");
	if (h->unmatched > 0)
		diag_add_note(&findings->sink, diag, NOWHERE,
		              "commit %.12s names a run, but does not hold that run's output and "
		              "inputs: it was squashed with other changes, copied from a run that "
		              "was never merged, made with another seed, or forged",
		              commit_hex(h, h->nearest_unmatched).ptr);
	diag_set_help(
	    &findings->sink, diag,
	    "compare the output with osm-gen check; the next commit of osm-gen vouches for it "
	    "again; if the output is already right, osm-gen generate --vouch makes such a commit");
}

static void add_remarks(struct history *h)
{
	struct audit_findings *findings = h->findings;
	bool is_same = false;

	for (size_t i = 0; i < h->voucher_count; i++)
		is_same |= audit_files_equal(&h->states[i].inputs, &h->now.inputs);
	if (!is_same && h->now.inputs.count > 0)
		audit_note(h->arena, &findings->notes,
		           "inputs have changed since commit %.12s, which vouches for the output; "
		           "osm-gen check finds out whether the output is up to date",
		           commit_hex(h, h->vouchers[0]).ptr);
	if (h->voucher_count > 1)
		audit_note(
		    h->arena, &findings->notes,
		    "%zu branches with runs were merged, and each file is compared with all of "
		    "them; osm-gen check finds out whether the merged output fits the inputs",
		    h->voucher_count);
	if (h->past.commits.is_cut)
		audit_note(h->arena, &findings->undecided,
		           "whether a whole older output was brought back with its commit message; "
		           "this clone lacks older commits (git fetch --unshallow)");
	if (h->unmatched > 0)
		audit_note(h->arena, &findings->notes,
		           "commit %.12s does not count: it names a run, but does not hold that "
		           "run's output and inputs (squashed with other changes, or forged)",
		           commit_hex(h, h->nearest_unmatched).ptr);
	if (h->is_replayed)
		audit_note(h->arena, &findings->notes,
		           "a later commit repeats the message of a run: the first "
		           "commit that has it counts");
}

enum status audit_history(struct arena *arena, struct sink *sink,
                          const struct audit_history_request *request,
                          struct audit_findings *findings)
{
	struct history h = {
	    .arena = arena,
	    .sink = sink,
	    .request = request,
	    .findings = findings,
	    .past = {.arena = arena,
	             .repo = request->repo,
	             .out = request->out,
	             .numbers = map_in(arena)},
	    .sources = map_in(arena),
	    .oldest = map_in(arena),
	    .left_out = set_in(arena),
	};

	h.squashes = audit_squashes_of(&h.past, findings);
	if (audit_read_state(arena, sink, request->repo, request->source.tree, request->out,
	                     &h.now) != STATUS_OK)
		return STATUS_FAILED;
	load(&h);
	find_vouchers(&h);
	if (h.attempts >= MOST_ATTEMPTS)
		audit_note(arena, &findings->undecided,
		           "older runs in the history: only the newest %d were examined",
		           MOST_ATTEMPTS);
	if (h.voucher_count == 0) {
		report_nobody(&h);
		return STATUS_OK;
	}
	compare_with_vouchers(&h);
	add_remarks(&h);
	return STATUS_OK;
}
