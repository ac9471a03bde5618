/*
 * revisions: exports of kubectl, each with the name of its cluster, to live revisions.
 */
#include "commands.h"
#include "os/os.h"
#include "plan/live.h"

/* Splits CLUSTER=PATH. A PATH alone is named after its cluster, as --revisions expects it. */
static enum status split_argument(struct context *context, sv argument, sv *ret_cluster,
                                  sv *ret_path)
{
	sv base;
	sv suffix;

	*ret_path = argument;
	if (sv_cut(argument, SV("="), ret_cluster, ret_path) && kube_name_valid(*ret_cluster))
		return STATUS_OK;
	*ret_path = argument;
	base = sv_after_last(argument, '/');
	suffix = sv_from_offset(
	    base, sv_rfind_char(base, '.') == SV_NPOS ? base.len : sv_rfind_char(base, '.'));
	*ret_cluster = sv_slice(base, 0, base.len - suffix.len);
	if (kube_name_valid(*ret_cluster) && !sv_eq(argument, SV("-")))
		return STATUS_OK;
	struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                                "\"%.*s\" does not name its cluster", SV_ARG(argument));
	diag_set_help(context->sink, diag, "write CLUSTER=%.*s", SV_ARG(argument));
	return STATUS_FAILED;
}

static enum status read_all(struct context *context, struct plan_live_clusters *clusters)
{
	enum status status = STATUS_OK;

	VEC_EACH (argument, &context->options->arguments) {
		sv cluster;
		sv path;

		if (split_argument(context, *argument, &cluster, &path) != STATUS_OK)
			return STATUS_FAILED;
		if (sv_eq(path, SV("-")))
			path = SV("/dev/stdin");
		if (plan_live_add(context->arena, context->sink, work_tree(context), cluster, path,
		                  clusters) != STATUS_OK)
			status = STATUS_FAILED;
	}
	plan_live_sort(clusters);
	return status;
}

/* Writes DIR/CLUSTER.json, as --revisions reads it. */
static enum status write_cluster(struct context *context, const struct plan_live_cluster *cluster)
{
	struct buf buf = buf_in(context->arena);
	sv folder = sv_trim_right(context->options->target.into, "/");

	plan_live_add_list(&buf, cluster);
	return os_write_named(
	    context->sink, work_tree(context),
	    ARENA_CONCAT(context->arena, folder, SV("/"), cluster->name, SV(".json")),
	    buf_sv(&buf));
}

int command_revisions(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	struct plan_live_clusters clusters = {0};

	if (read_all(context, &clusters) != STATUS_OK)
		return 2;
	if (!sv_empty(context->options->target.into)) {
		if (os_make_folders(context->sink, context->options->target.into) != STATUS_OK)
			return 3;
		VEC_EACH (cluster, &clusters)
			if (write_cluster(context, cluster) != STATUS_OK)
				return 3;
		return 0;
	}
	if (sv_eq(context->options->print.format, SV("json")))
		plan_live_add_json(&buf, &clusters);
	else
		plan_live_add_text(&buf, &clusters);
	report_defuse(&buf, 0);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
