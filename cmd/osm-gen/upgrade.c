/*
 * upgrade: shows what a newer output contract does to machines and writes its number into
 * osm-gen.yaml of the working tree. People commit it.
 */
#include "commands.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "os/os.h"

struct upgrade {
	struct context *context;
	struct git_repo *repo;
	unsigned to;
	sv text; /* osm-gen.yaml of HEAD; empty if it has none */
	bool is_there;
	sv path;   /* of the file in the working tree */
	sv there;  /* its content: HEAD's, perhaps with other line ends */
	sv raised; /* its new content */
};

static enum status refuse_upgrade(struct upgrade *u, const char *text, const char *help)
{
	struct diag *diag = diag_report(u->context->sink, DIAG_UPGRADE_PLACE, NOWHERE, "%s", text);

	diag_set_help(u->context->sink, diag, "%s", help);
	return STATUS_FAILED;
}

static enum status refuse_edit(struct upgrade *u)
{
	return refuse_upgrade(
	    u,
	    "the contract cannot be written into " FLEET_SETTINGS_FILE
	    " without changing other lines",
	    "write `contract: NUMBER` below spec of the Fleet yourself; --dry-run shows the "
	    "plan");
}

/* The message authentication code of the file would no longer match. */
static enum status refuse_sealed(struct upgrade *u)
{
	const char *help = arena_cstr(
	    u->context->arena,
	    arena_printf(u->context->arena,
	                 "with the identity: sops set " FLEET_SETTINGS_FILE
	                 " '[\"spec\"][\"contract\"]' %u; --dry-run shows the plan. With "
	                 "mac_only_encrypted: true, upgrade writes the file itself",
	                 u->to));

	return refuse_upgrade(
	    u,
	    FLEET_SETTINGS_FILE
	    " is encrypted, and its MAC covers all of it: it can be changed only with "
	    "the key",
	    help);
}

static enum status read_head(struct upgrade *u)
{
	struct context *context = u->context;
	struct git_source head;
	struct git_file file;

	if (git_repo_open(context->arena, context->sink, context->options->read.repo, &u->repo) !=
	        STATUS_OK ||
	    git_source_find(context->arena, context->sink, u->repo, SV("HEAD"), &head) != STATUS_OK)
		return STATUS_FAILED;
	u->is_there =
	    git_look_up(context->arena, u->repo, head.tree, SV(FLEET_SETTINGS_FILE), &file);
	if (!u->is_there)
		return STATUS_OK;
	return git_read(context->arena, context->sink, u->repo, &file, RUN_MAX_INPUT_BYTES,
	                &u->text);
}

/* Git may write CR LF where HEAD has LF (.gitattributes, core.autocrlf). */
static bool same_lines(sv a, sv b)
{
	struct sv_splitter left = sv_split(a, '\n');
	struct sv_splitter right = sv_split(b, '\n');
	sv one;
	sv other;

	while (sv_split_next(&left, &one))
		if (!sv_split_next(&right, &other) ||
		    !sv_eq(sv_trim_right(one, "\r"), sv_trim_right(other, "\r")))
			return false;
	return !sv_split_next(&right, &other);
}

/* Refuses a file that differs from HEAD's, as the plan that people see is that of HEAD. */
static enum status check_place(struct upgrade *u)
{
	struct context *context = u->context;
	sv root = git_repo_worktree(u->repo);
	sv text;

	if (sv_empty(root))
		return refuse_upgrade(
		    u, "the repository has no working tree to write " FLEET_SETTINGS_FILE " in",
		    "run it in a clone; --dry-run shows the plan here");
	u->path = ARENA_CONCAT(context->arena, root, SV("/" FLEET_SETTINGS_FILE));
	if (os_kind(u->path) == OS_ABSENT) {
		if (u->is_there)
			return refuse_upgrade(u, FLEET_SETTINGS_FILE " is not in the working tree",
			                      "git restore " FLEET_SETTINGS_FILE);
	} else {
		if (os_read_named(context->arena, context->sink, root, u->path, RUN_MAX_INPUT_BYTES,
		                  &text) != STATUS_OK)
			return STATUS_FAILED;
		u->there = text;
		if (!u->is_there || !same_lines(text, u->text))
			return refuse_upgrade(
			    u, FLEET_SETTINGS_FILE " of the working tree differs from HEAD's",
			    "commit it first, or take it back: git restore " FLEET_SETTINGS_FILE);
	}
	if (fleet_edit_needs_key(context->arena, u->there))
		return refuse_sealed(u);
	if (!fleet_raise_contract(context->arena, u->there, u->to, &u->raised))
		return refuse_edit(u);
	return STATUS_OK;
}

static int lowered(struct upgrade *u, int64_t named)
{
	struct sink *sink = u->context->sink;
	struct diag *diag = diag_report(sink, DIAG_USAGE, NOWHERE,
	                                FLEET_SETTINGS_FILE " has contract %lld, above %u",
	                                (long long)named, u->to);

	diag_set_help(sink, diag,
	              "a contract is only raised; to go back, revert the commit that raised it");
	return 64;
}

/* Prints the plan of a contract that holds already, for programs: no unit changes. */
static int print_empty_plan(struct context *context)
{
	struct report_summary none = {.command = SV("upgrade")};
	struct buf buf = buf_in(context->arena);

	if (!sv_eq(context->options->print.format, SV("json")))
		return 0;
	report_plan_json(&buf, &none, &context->out_style);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

static int do_upgrade(struct upgrade *u)
{
	struct context *context = u->context;
	const struct options *options = context->options;
	int64_t named = 0;
	int status;

	/* If the file is wrong, the plan below reports it. */
	bool is_sound = fleet_named_contract(context->arena, u->text, &named);
	if (is_sound && named > (int64_t)u->to)
		return lowered(u, named);
	if (is_sound && named == (int64_t)u->to) {
		context->last_words =
		    arena_printf(context->arena, "osm-gen: contract %u holds already\n", u->to);
		return print_empty_plan(context);
	}
	if (is_sound && !options->upgrade.dry_run && check_place(u) != STATUS_OK)
		return 3;
	context->contract = u->to;
	status = command_run(context);
	if (status != 0)
		return status;
	if (!is_sound && !options->upgrade.dry_run) {
		(void)refuse_edit(u);
		return 3;
	}
	if (options->upgrade.dry_run) {
		context->last_words = arena_printf(
		    context->arena,
		    "osm-gen: this is what contract %u changes; nothing was written\n", u->to);
		return 0;
	}
	if (os_write_named(context->sink, git_repo_worktree(u->repo), u->path, u->raised) !=
	    STATUS_OK)
		return 3;
	context->last_words = arena_printf(context->arena,
	                                   "osm-gen: " FLEET_SETTINGS_FILE
	                                   " has contract %u now: review the plan, commit the "
	                                   "file, run `osm-gen generate`\n",
	                                   u->to);
	return 0;
}

int command_upgrade(struct context *context)
{
	struct upgrade u = {
	    .context = context,
	    .to = context->options->upgrade.to_contract ? context->options->upgrade.to_contract
	                                                : dialect_contract_newest(),
	};
	int status = 3;

	if (read_head(&u) == STATUS_OK)
		status = do_upgrade(&u);
	git_repo_close(u.repo);
	if (context->options->print.quiet)
		context->last_words = SV("");
	return status;
}
