/*
 * An OperatingSystemConfig and its Secrets as one YAML text, under both contracts: it is read,
 * judged and its bytes are found, or it is said why not.
 */
#include "gardener/internal.h"
#include "yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the parts behind it rely on. */
static void check_osc(const struct gardener_osc *osc, enum gardener_contract contract)
{
	bool is_agents = contract == GARDENER_CURRENT && osc->purpose == GARDENER_RECONCILE;

	BUG_ON(sv_empty(osc->type.string));
	for (size_t i = 0; i < osc->file_count; i++) {
		const struct gardener_file *file = &osc->files[i];

		BUG_ON(file->path.string.len < 2 || file->path.string.ptr[0] != '/');
		BUG_ON(sv_find_char(file->path.string, '\0') != SV_NPOS);
		BUG_ON(file->mode != NODE_MODE_ABSENT && (file->mode & ~07777) != 0);
		BUG_ON(!!file->inline_ + !!file->secret + !!file->image != 1);
		BUG_ON(file->image && !is_agents);
		BUG_ON(!file->image && !file->content.type);
		BUG_ON(file->secret && file->content.string.len > 0 && !file->content.taint);
		BUG_ON(file->is_transparent &&
		       sv_find_char(value_text(&file->content), '\0') != SV_NPOS);
	}
	for (size_t i = 0; i < osc->unit_count; i++) {
		const struct gardener_unit *unit = &osc->units[i];

		BUG_ON(sv_empty(unit->name.string));
		BUG_ON(sv_find_char(unit->name.string, '/') != SV_NPOS);
		for (size_t k = 0; k < unit->drop_in_count; k++)
			BUG_ON(sv_empty(unit->drop_ins[k].name.string) ||
			       sv_empty(unit->drop_ins[k].content.string));
	}
}

static void take(struct arena *arena, struct sink *sink, const struct kube_object *object,
                 const struct kube_objects *objects)
{
	for (int i = GARDENER_CURRENT; i <= GARDENER_2021; i++) {
		enum gardener_contract contract = (enum gardener_contract)i;
		size_t errors = sink->error_count;
		struct gardener_osc osc;
		enum status status = gardener_osc_read(arena, sink, object, contract, &osc);

		status |= gardener_osc_validate(arena, sink, &osc, contract);
		status |= gardener_osc_contents(arena, sink, objects, false, &osc);
		if (status == STATUS_OK)
			check_osc(&osc, contract);
		/* An equal mistake under the other contract is the same diagnostic. */
		BUG_ON(status != STATUS_OK && sink->error_count == 0);
		BUG_ON(status == STATUS_OK && sink->error_count != errors);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};
	struct dialect_wants wants = {.arena = arena, .names = set_in(arena)};
	struct kube_objects objects;
	VEC(const struct kube_object *) oscs = {0};
	const struct source *source =
	    source_new(arena, SV("in"), sv_from((const char *)data, size), false);

	kube_objects_init(arena, &objects, NULL);
	if (yml_parse(arena, &sink, source, &documents) != STATUS_OK)
		return 0;
	VEC_EACH (document, &documents) {
		struct kube_object *object = ARENA_NEW(arena, struct kube_object);

		if (kube_object_read(arena, &sink, source, &document->root, object) != STATUS_OK ||
		    kube_objects_add(&objects, object))
			continue;
		if (sv_eq(object->id.kind, SV(GARDENER_KIND)))
			VEC_PUSH(arena, &oscs, object);
	}
	kube_objects_complete(&objects);
	VEC_EACH (osc, &oscs) {
		gardener_osc_want(*osc, &wants);
		take(arena, &sink, *osc, &objects);
	}
	return 0;
}
