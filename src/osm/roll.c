/*
 * Machines that roll when what their nodes would get changes (the setting roll;
 * docs/spec/output.md 3.4): what that is, as one string.
 */
#include "dialect/dialect.h"
#include "osm/cluster.h"
#include "osm/objects.h"
#include "osm/osm.h"
#include "osm/sorted.h"
#include "value/text.h"

#include "json/json.h"

struct dialect_roll osm_roll_setting(const void *settings)
{
	const struct osm_settings *from = settings;
	struct dialect_roll roll = {.is_possible = from->writes_machines,
	                            .guard = from->roll_guard};

	switch (from->roll) {
	case OSM_ROLL_NEVER:
		break;
	case OSM_ROLL_PROFILE:
		roll.by = SV("profile");
		break;
	case OSM_ROLL_USER_DATA:
		roll.by = SV("user-data");
		break;
	}
	return roll;
}

/* Returns the members of a spec that decide what a node gets, as one string. */
static struct value rolled_text(struct arena *arena, const struct value *spec, const sv *left_out,
                                size_t left_out_count)
{
	struct value kept = value_map_new(arena);
	struct buf json = buf_in(arena);

	for (size_t i = 0; value_is_map(spec) && i < value_count(spec); i++) {
		const struct value_entry *entry = &spec->map->entries[i];
		bool is_left_out = false;

		for (size_t j = 0; j < left_out_count; j++)
			is_left_out |= sv_eq(entry->key, left_out[j]);
		if (!is_left_out)
			value_map_set(arena, &kept, entry->key, entry->value);
	}
	struct value sorted = osm_sorted(arena, &kept);
	json_emit(&json, &sorted, JSON_GO);
	struct value text = value_string(buf_sv(&json));
	text.taint = taint_whole(arena, text.string.len, secrecy_find(&sorted));
	return text;
}

enum status osm_roll_text(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                          struct value *ret_text)
{
	/* A profile's version changes with every change, also one of a comment. */
	static const sv profile[] = {SV_INIT("version"), SV_INIT("supportedCloudProviders")};
	/* The template itself has what the cloud is asked for. */
	static const sv config[] = {SV_INIT("cloudProvider")};
	const struct osm_settings *settings = osm_job_cluster(job)->settings;
	struct sink unused = sink_in(arena);
	struct value spec;
	struct value object;
	(void)sink;

	if (settings->roll == OSM_ROLL_PROFILE) {
		object = osm_profile_object(arena, osm_job_profile(job), settings->namespace);
		*ret_text = rolled_text(arena, value_map_get(&object, SV("spec")), profile,
		                        COUNT_OF(profile));
		return STATUS_OK;
	}
	*ret_text = value_string(SV(""));
	/* osm_render reports the mistakes. */
	if (osm_render_stand_ins(arena, &unused, job, &spec) == STATUS_OK)
		*ret_text = rolled_text(arena, &spec, config, COUNT_OF(config));
	return STATUS_OK;
}
