/*
 * convert: prints objects of other systems as osm-gen's own objects of the same purpose.
 */
#include "commands.h"
#include "os/os.h"
#include "yaml/yaml.h"

#define MAX_BYTES YML_MAX_SIZE

struct converting {
	struct context *context;
	const struct source *source;
	struct buf text; /* what is printed */
	size_t count;    /* objects that were converted */
};

/* ---- objects ----------------------------------------------------------------------------- */

/* Returns the dialect that converts the object, or null. */
static const struct dialect *converter_of(const struct value *root)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	sv kind = value_text(value_map_get(root, SV("kind")));
	sv group;
	sv version;

	sv_cut(value_text(value_map_get(root, SV("apiVersion"))), SV("/"), &group, &version);
	for (size_t i = 0; i < count && !sv_empty(group); i++) {
		const struct dialect *dialect = all[i];

		for (size_t k = 0; k < dialect->kind_count; k++)
			if (sv_eq(dialect->kinds[k].kind, kind) &&
			    sv_eq(dialect->kinds[k].converted_group, group))
				return dialect;
	}
	return NULL;
}

static void report_passed(struct converting *c, const struct value *root)
{
	struct arena *arena = c->context->arena;
	sv kind = value_text(value_map_get(root, SV("kind")));
	struct diag *diag =
	    diag_report(c->context->sink, DIAG_CONVERT_PASSED, value_position(root),
	                "%.*s is not converted, and not printed",
	                SV_ARG(sv_empty(kind) ? SV("a document without a kind")
	                                      : ARENA_CONCAT(arena, SV("the "), kind)));

	diag_set_help(c->context->sink, diag, "keep it in a file of its own");
}

static void take(void *context, struct value *root, unsigned depth)
{
	struct converting *c = context;
	struct arena *arena = c->context->arena;
	const struct dialect *dialect = converter_of(root);
	struct kube_object *object = ARENA_NEW(arena, struct kube_object);

	(void)depth;
	if (!dialect) {
		report_passed(c, root);
		return;
	}
	c->count++;
	if (kube_object_read(arena, c->context->sink, c->source, root, object) != STATUS_OK)
		return;
	struct value result = dialect->convert(arena, c->context->sink, object);
	if (c->text.len > 0)
		BUF_ADD_LIT(&c->text, "---\n");
	yml_emit(&c->text, &result, (struct yml_format){0});
}

static void report_list(void *context, enum kube_list_mistake mistake, const struct value *at)
{
	struct converting *c = context;

	diag_report(c->context->sink, DIAG_OBJECT_IDENTITY, value_position(at), "%s",
	            mistake == KUBE_LIST_TOO_DEEP ? "Lists are nested too deep"
	                                          : "items of a List must be a list");
}

/* ---- the file ---------------------------------------------------------------------------- */

static enum status convert_file(struct converting *c, sv path)
{
	struct context *context = c->context;
	const struct kube_list_reader lists = {
	    .arena = context->arena, .context = c, .take = take, .report = report_list};
	bool is_stdin = sv_eq(path, SV("-"));
	sv text;

	if ((is_stdin ? os_read_stdin(context->arena, context->sink, MAX_BYTES, &text)
	              : os_read_named(context->arena, context->sink, work_tree(context), path,
	                              MAX_BYTES, &text)) != STATUS_OK)
		return STATUS_FAILED;
	c->source = source_new(context->arena, is_stdin ? SV(OS_STDIN) : path, text, false);
	/* Mistakes decide the exit status by themselves; the other files are read as well. */
	(void)!kube_list_read_printed(context->sink, &lists, c->source);
	return STATUS_OK;
}

/* Reports files without an object that can be converted, and lists the kinds that can. */
static void report_nothing(struct converting *c)
{
	struct context *context = c->context;
	struct buf kinds = buf_in(context->arena);
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *kind;

	while ((kind = dialect_next_kind(&walk)))
		if (!sv_empty(kind->converted_group))
			buf_add_item(&kinds, ARENA_CONCAT(context->arena, kind->kind, SV(" of "),
			                                  kind->converted_group));
	struct diag *diag =
	    diag_report(context->sink, DIAG_CONVERT_NOTHING, position_of_source(c->source),
	                "nothing here can be converted");
	diag_set_help(context->sink, diag, "convert reads %.*s", SV_ARG(buf_sv(&kinds)));
}

int command_convert(struct context *context)
{
	struct converting c = {.context = context, .text = buf_in(context->arena)};

	VEC_EACH (path, &context->options->arguments)
		if (convert_file(&c, *path) != STATUS_OK)
			return 3;
	if (c.count == 0 && context->sink->error_count == 0)
		report_nothing(&c);
	/* A document for a file, not a report: nothing in it is changed for logs of CI systems. */
	return print_out(context, buf_sv(&c.text)) == STATUS_OK ? 0 : 3;
}
