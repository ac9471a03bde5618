/*
 * Warns of members of a MachineDeployment that the API server and machine-controller's webhook
 * accept and Kubernetes rejects later: when a Machine is made of the template, or when its Node
 * gets labels and taints.
 */
#include "golang/golang.h"
#include "osm/admission/admission.h"

static struct diag *warn(struct sink *sink, struct position at, const char *what, sv name,
                         const char *when)
{
	return diag_report(sink, DIAG_MD_LATER, at, "%s \"%.*s\": %s", what, SV_ARG(name), when);
}

#define NEW_MACHINES "no machine can be made of the template"
#define NEW_NODES    "the API server refuses it for the node"

static void check_labels(struct sink *sink, const struct value *labels, const char *when)
{
	for (size_t i = 0; value_is_map(labels) && i < value_count(labels); i++) {
		const struct value_entry *entry = &labels->map->entries[i];

		if (!osm_label_key_valid(entry->key))
			diag_set_help(
			    sink,
			    warn(sink, origin_position(entry->key_origin),
			         "this is not a label's key:", entry->key, when),
			    "use letters, digits, -, _ and ., at most 63; before the name "
			    "there may be a domain and a slash");
		if (!osm_label_value_valid(value_text(&entry->value)))
			diag_set_help(sink,
			              warn(sink, value_position(&entry->value),
			                   "the value is not one of a label:", entry->key, when),
			              "use at most 63 letters, digits, -, _ and .");
	}
}

static void check_annotations(struct arena *arena, struct sink *sink, const struct value *given,
                              const char *when)
{
	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];

		if (!osm_annotation_key_valid(arena, entry->key))
			diag_set_help(
			    sink,
			    warn(sink, origin_position(entry->key_origin),
			         "this is not an annotation's key:", entry->key, when),
			    "use letters, digits, -, _ and ., at most 63; before the name "
			    "there may be a domain and a slash");
	}
}

static void check_taint(struct arena *arena, struct sink *sink, const struct value *taint,
                        struct set *seen)
{
	static const sv effects[] = {SV_INIT("NoSchedule"), SV_INIT("PreferNoSchedule"),
	                             SV_INIT("NoExecute")};
	const struct value *key_value = go_json_member(taint, SV("key"));
	const struct value *effect_value = go_json_member(taint, SV("effect"));
	const struct value *text_value = go_json_member(taint, SV("value"));
	sv key = value_text(key_value);
	sv effect = value_text(effect_value);
	struct position at = value_position(taint);
	bool is_known = false;

	for (size_t i = 0; i < COUNT_OF(effects); i++)
		is_known |= sv_eq(effect, effects[i]);
	if (!osm_label_key_valid(key))
		diag_set_help(sink,
		              warn(sink, key_value ? value_position(key_value) : at,
		                   "this is not a taint's key:", key, NEW_NODES),
		              "use letters, digits, -, _ and ., at most 63; before the name there "
		              "may be a domain and a slash");
	if (text_value && !osm_label_value_valid(value_text(text_value)))
		diag_set_help(sink,
		              warn(sink, value_position(text_value),
		                   "the value is not one of a taint:", key, NEW_NODES),
		              "use at most 63 letters, digits, -, _ and .");
	if (!is_known) {
		sv nearest = diag_nearest(effect, effects, COUNT_OF(effects));
		struct diag *diag =
		    warn(sink, effect_value ? value_position(effect_value) : at,
		         "the taint has no effect that Kubernetes knows:", effect, NEW_NODES);

		diag_help_quoted(sink, diag, nearest,
		                 "use NoSchedule, PreferNoSchedule or NoExecute");
	}
	sv both = ARENA_CONCAT(arena, key, SV(":"), effect);
	if (set_add(seen, both))
		return;
	diag_set_help(sink,
	              warn(sink, at, "another taint has the same key and effect:", both, NEW_NODES),
	              "remove one of the two");
}

static void check_number(struct sink *sink, const struct value *spec, const char *name)
{
	const struct value *v = go_json_member(spec, sv_from_cstr(name));
	bool is_negative = v && ((v->type == &type_int64 && v->integer < 0) ||
	                         (v->type == &type_float64 && v->real < 0));

	if (!is_negative)
		return;
	struct diag *diag = diag_report(sink, DIAG_MD_LATER, value_position(v),
	                                "spec.%s is negative, which machine-controller does not "
	                                "expect and its webhook does not refuse",
	                                name);
	diag_set_help(sink, diag, "write 0 or more, or remove it");
}

void osm_check_later(struct arena *arena, struct sink *sink, const struct value *spec)
{
	static const char *const numbers[] = {"minReadySeconds", "revisionHistoryLimit",
	                                      "progressDeadlineSeconds"};
	const struct value *template = go_json_member(spec, SV("template"));
	const struct value *machine = go_json_member(template, SV("metadata"));
	const struct value *inner = go_json_member(template, SV("spec"));
	const struct value *node = go_json_member(inner, SV("metadata"));
	const struct value *taints = go_json_member(inner, SV("taints"));
	struct set seen = set_in(arena);

	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		check_number(sink, spec, numbers[i]);
	check_labels(sink, go_json_member(machine, SV("labels")), NEW_MACHINES);
	check_annotations(arena, sink, go_json_member(machine, SV("annotations")), NEW_MACHINES);
	check_labels(sink, go_json_member(node, SV("labels")), NEW_NODES);
	check_annotations(arena, sink, go_json_member(node, SV("annotations")), NEW_NODES);
	for (size_t i = 0; value_is_list(taints) && i < value_count(taints); i++)
		if (value_is_map(value_item(taints, i)))
			check_taint(arena, sink, value_item(taints, i), &seen);
}
