/*
 * An OperatingSystemExtension and an OperatingSystemConfig, two documents of one text: the first is
 * read or is said to be wrong, and what it says to the second is a node of good names, or is said
 * to be none.
 */
#include "gardener/internal.h"
#include "yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_DOCUMENTS 2
#define MAX_STEPS     100000

static bool read_object(struct arena *arena, struct sink *sink, struct yml_documents *documents,
                        size_t i, struct kube_object *object)
{
	return documents->count > i && value_is_map(&documents->items[i].root) &&
	       kube_object_read(arena, sink, documents->items[i].root.origin.source,
	                        &documents->items[i].root, object) == STATUS_OK;
}

static void check_stage(const struct gardener_stage *stage)
{
	BUG_ON(stage->files_before > stage->file_count);
	BUG_ON(stage->units_before > stage->unit_count);
	BUG_ON(stage->status_unit_count > stage->unit_count);
	for (size_t i = 0; i < stage->file_count; i++) {
		BUG_ON(!sv_starts_with(value_text(&stage->files[i].path), SV("/")));
		BUG_ON(!value_is_string(&stage->files[i].content));
		BUG_ON(stage->files[i].mode < 0 || stage->files[i].mode > 07777);
	}
	for (size_t i = 0; i < stage->unit_count; i++) {
		BUG_ON(sv_empty(value_text(&stage->units[i].name)));
		BUG_ON(sv_contains(value_text(&stage->units[i].name), SV("/")));
	}
}

static void ask(struct arena *arena, struct sink *sink, const struct gardener_system *system,
                const struct kube_object *object, bool is_2021)
{
	struct quota steps = {
	    .option = "max-steps", .what = "more than %llu steps", .code = DIAG_LIMIT_STEPS};
	struct gardener_settings *settings = settings_new(arena, &gardener_settings_table, NULL);
	const struct dialect_job job = {.steps = &steps};
	struct gardener_osc osc;
	struct gardener_stage stage;
	size_t errors = sink->error_count;

	steps.max = MAX_STEPS;
	settings->contract = is_2021 ? GARDENER_2021 : GARDENER_CURRENT;
	settings->format = is_2021 ? GARDENER_FORMAT_CLOUD_CONFIG : GARDENER_FORMAT_AUTO;
	settings->kubernetes_version = SV("1.35.1");
	if (gardener_osc_read(arena, sink, object, settings->contract, &osc) != STATUS_OK)
		return;
	errors = sink->error_count;
	enum status status =
	    gardener_system_stage(arena, sink, system, &osc, settings, &job, &stage);
	/* What the whole run may take is reported by the run. */
	BUG_ON(status != STATUS_OK && sink->error_count == errors && !quota_is_exceeded(&steps));
	if (status == STATUS_OK)
		check_stage(&stage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};
	struct source *source = source_new(
	    arena, SV("a.yaml"), arena_dup(arena, sv_from((const char *)data, size)), false);
	struct kube_object objects[MAX_DOCUMENTS];
	const struct gardener_system *system;

	if (yml_parse(arena, &sink, source, &documents) != STATUS_OK ||
	    !read_object(arena, &sink, &documents, 0, &objects[0]))
		return 0;
	size_t errors = sink.error_count;
	enum status status = gardener_system_read(arena, &sink, &objects[0], &system);
	BUG_ON((status == STATUS_OK) != (sink.error_count == errors));
	if (status != STATUS_OK || !read_object(arena, &sink, &documents, 1, &objects[1]))
		return 0;
	ask(arena, &sink, system, &objects[1], gardener_system_contract(system) == GARDENER_2021);
	return 0;
}
