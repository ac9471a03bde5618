/*
 * Manifests of one cluster as one YAML text: every MachineDeployment renders, or it is said why.
 */
#include "osm/osm.h"
#include "osm/settings.h"
#include "yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct inputs {
	struct arena *arena;
	struct sink sink;
	struct kube_objects objects;
	VEC(const struct kube_object *) machines;
	VEC(struct osm_profile *) profiles;
};

static void read_document(struct inputs *in, const struct source *source, struct value *root)
{
	struct kube_object *object = ARENA_NEW(in->arena, struct kube_object);
	struct osm_profile *profile;

	if (kube_object_read(in->arena, &in->sink, source, root, object) != STATUS_OK)
		return;
	if (kube_objects_add(&in->objects, object))
		return;
	if (sv_eq(object->id.kind, SV("MachineDeployment")))
		VEC_PUSH(in->arena, &in->machines, object);
	if (sv_eq(object->id.kind, SV("OperatingSystemProfile")) &&
	    osm_profile_load(in->arena, &in->sink, object, &profile) == STATUS_OK)
		VEC_PUSH(in->arena, &in->profiles, profile);
}

/* Spans lie in the text, one behind the other. */
static void check_taint(const struct value *v)
{
	size_t at = 0;

	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++)
		check_taint(value_item(v, i));
	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++)
		check_taint(&v->map->entries[i].value);
	if (!value_is_string(v) || !v->taint)
		return;
	for (size_t i = 0; i < v->taint->count; i++) {
		BUG_ON(v->taint->spans[i].start < at);
		BUG_ON(v->taint->spans[i].end <= v->taint->spans[i].start);
		at = v->taint->spans[i].end;
	}
	BUG_ON(at > v->string.len);
}

static void render(struct inputs *in, const struct osm_cluster *cluster,
                   const struct kube_object *machine, const struct osm_profile *profile)
{
	const struct dialect_unit unit = {.object = machine, .resolved = profile};
	const struct dialect_job job = {
	    .loaded = cluster,
	    .unit = &unit,
	    .revision = SV("1"),
	    .token = value_string(SV("abcdef.0123456789abcdef")),
	};
	struct dialect_rendered rendered;
	size_t errors = in->sink.error_count;
	bool is_refused = osm_machine_admit(in->arena, &in->sink, machine) != STATUS_OK;

	BUG_ON(is_refused && in->sink.error_count == 0);
	errors = in->sink.error_count;
	if (osm_render(in->arena, &in->sink, &job, &rendered) != STATUS_OK) {
		BUG_ON(in->sink.error_count == 0);
		return;
	}
	BUG_ON(in->sink.error_count != errors);
	size_t user_data = 0;
	VEC_EACH (output, &rendered.artifacts) {
		struct buf yaml = buf_in(in->arena);

		if (output->user_data.type) {
			user_data++;
			BUG_ON(!sv_starts_with(output->user_data.string, SV("#cloud-config\n")));
			check_taint(&output->user_data);
		}
		check_taint(&output->object);
		yml_emit(&yaml, &output->object, (struct yml_format){0});
	}
	BUG_ON(user_data != 2);
}

static void render_all(struct inputs *in)
{
	struct osm_settings *settings = settings_new(in->arena, &osm_settings_table, NULL);
	const struct osm_cluster *cluster;
	const struct osm_cluster_input input = {
	    .name = SV("c"), .settings = settings, .objects = &in->objects};

	if (osm_check_names(&in->sink, in->machines.items, in->machines.count) != STATUS_OK ||
	    osm_cluster_load(in->arena, &in->sink, &input, &cluster) != STATUS_OK) {
		BUG_ON(in->sink.error_count == 0);
		return;
	}
	VEC_EACH (machine, &in->machines) {
		struct osm_profile_reference reference;

		(void)osm_template_text(in->arena, *machine);
		if (osm_profile_wanted(in->arena, &in->sink, settings, *machine, &reference) !=
		    STATUS_OK)
			continue;
		VEC_EACH (profile, &in->profiles) {
			if (sv_eq((*profile)->name, reference.name))
				render(in, cluster, *machine, *profile);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct inputs in = {.arena = arena, .sink = sink_in(arena)};
	struct yml_documents documents = {0};
	const struct source *source =
	    source_new(arena, SV("in"), sv_from((const char *)data, size), false);

	kube_objects_init(arena, &in.objects, NULL);
	if (yml_parse(arena, &in.sink, source, &documents) != STATUS_OK)
		return 0;
	VEC_EACH (document, &documents)
		read_document(&in, source, &document->root);
	kube_objects_complete(&in.objects);
	render_all(&in);
	return 0;
}
