/*
 * Lays the files of a kustomization out in a private folder, and runs the program there.
 */
#include "kustomize/internal.h"

#include "json/json.h"

/* ---- the private folder ------------------------------------------------------------------ */

/*
 * Returns the outermost kustomization with `buildMetadata: [originAnnotations]`, as JSON, which is
 * YAML as well: kustomize reads its kustomizations by way of JSON.
 */
static sv with_origins(struct arena *arena, const struct value *kustomization)
{
	struct value root = value_copy(arena, kustomization);
	struct value *known = value_map_get_mutable(&root, SV("buildMetadata"));
	struct value list = value_list_new(arena);
	struct buf buf = buf_in(arena);

	for (size_t i = 0; value_is_list(known) && i < value_count(known); i++)
		value_list_add(arena, &list, *value_item(known, i));
	value_list_add(arena, &list, value_string(SV("originAnnotations")));
	value_map_set(arena, &root, SV("buildMetadata"), list);
	json_emit(&buf, &root, 0);
	return buf_sv(&buf);
}

static enum status lay_out(struct arena *arena, struct sink *sink,
                           const struct kustomize_inputs *inputs, sv root)
{
	for (size_t i = 0; i < inputs->files.count; i++) {
		const struct kustomize_file *file = inputs->files.entries[i].value;
		sv path = ARENA_CONCAT(arena, root, SV("/"), file->path);
		sv text = file == inputs->top && !inputs->keeps_origins
		              ? with_origins(arena, &file->documents.items[0].root)
		              : file->source->text;

		if (os_check_signals(sink) != STATUS_OK ||
		    os_make_folders(sink, os_folder_of(path)) != STATUS_OK ||
		    os_write_new(sink, path, text, OS_WRITE_PRIVATE) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- its failure ------------------------------------------------------------------------- */

/* Returns true if a file may hold a secret in clear text, which the program may quote. */
static bool may_hold_secret(const struct kustomize_inputs *inputs)
{
	for (size_t i = 0; i < inputs->files.count; i++) {
		const struct kustomize_file *file = inputs->files.entries[i].value;

		if (file->source && file->source->confidential && !file->is_sealed)
			return true;
	}
	return false;
}

/* Returns the text without the private folder's name, which is another one each time. */
static sv without_folder(struct arena *arena, sv text, sv root)
{
	struct buf buf = buf_in(arena);
	size_t at;

	while ((at = sv_find(text, root)) != SV_NPOS) {
		buf_add(&buf, sv_slice(text, 0, at));
		text = sv_from_offset(text, at + root.len);
		if (sv_starts_with(text, SV("/")))
			text = sv_from_offset(text, 1);
	}
	buf_add(&buf, text);
	return buf_sv(&buf);
}

static void report_failure(struct arena *arena, struct sink *sink,
                           const struct kustomize_inputs *inputs,
                           const struct kustomize_program *program, sv root,
                           const struct os_ended *ended)
{
	enum { LINES_MAX = 8, LINE_MAX_BYTES = 400 };
	const char *words = ended->exceeded == OS_EXCEEDED_TIME
	                        ? "took longer than the time that is left for this run"
	                    : ended->exceeded == OS_EXCEEDED_OUTPUT ? "printed more than 64 MiB"
	                                                            : "failed";
	struct diag *diag =
	    diag_report(sink, DIAG_KUSTOMIZE_FAILED, inputs->at, "`%s %.*s` %s",
	                program->is_kubectl ? "kubectl kustomize" : "kustomize build",
	                SV_ARG(sv_empty(inputs->folder) ? SV(".") : inputs->folder), words);
	struct sv_splitter it = sv_split(without_folder(arena, ended->err, root), '\n');
	sv line;

	if (ended->exceeded == OS_WITHIN_BOUNDS && may_hold_secret(inputs))
		diag_add_note(sink, diag, NOWHERE,
		              "the message is not shown, since it may hold secrets");
	else if (ended->exceeded == OS_WITHIN_BOUNDS)
		for (size_t i = 0; i < LINES_MAX && sv_split_next(&it, &line); i++)
			if (!sv_empty(sv_trim_space(line)))
				diag_add_note(
				    sink, diag, NOWHERE, "kustomize: %.*s",
				    SV_ARG(sv_slice(sv_trim_space(line), 0, LINE_MAX_BYTES)));
	if (ended->status > 128 && ended->exceeded == OS_WITHIN_BOUNDS)
		diag_add_note(sink, diag, NOWHERE, "ended by signal %d", ended->status - 128);
	diag_set_help(sink, diag, "run it yourself in a clone to see what it needs");
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum status run_in(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                          const struct kustomize_inputs *inputs, struct kustomize_program *program,
                          sv root, sv *ret_output)
{
	sv folder =
	    sv_empty(inputs->folder) ? SV(".") : ARENA_CONCAT(arena, SV("./"), inputs->folder);
	const sv arguments[] = {program->is_kubectl ? SV("kustomize") : SV("build"),
	                        SV("--load-restrictor=LoadRestrictionsRootOnly"), folder};
	struct os_ended ended;

	if (lay_out(secret_arena, sink, inputs, root) != STATUS_OK ||
	    kustomize_run(secret_arena, sink, program, root, arguments, COUNT_OF(arguments),
	                  &ended) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status != 0 || ended.exceeded != OS_WITHIN_BOUNDS) {
		report_failure(arena, sink, inputs, program, root, &ended);
		return STATUS_FAILED;
	}
	*ret_output = ended.out;
	return STATUS_OK;
}

enum status kustomize_build(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                            const struct kustomize_inputs *inputs,
                            struct kustomize_program *program,
                            struct kustomize_objects_made *ret_objects)
{
	sv output = SV("");
	sv root;

	if (os_make_private_folder(arena, sink, program->folder, &root) != STATUS_OK)
		return STATUS_FAILED;
	enum status status = run_in(arena, secret_arena, sink, inputs, program, root, &output);
	os_remove_tree(root);
	if (status != STATUS_OK)
		return status;
	return kustomize_take_apart(arena, secret_arena, sink, inputs, output, ret_objects);
}
