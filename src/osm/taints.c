/*
 * The setting initialTaints. The kubelet's rules are those of the Go module k8s.io/kubernetes,
 * pkg/util/taints: parseTaint and ParseTaints.
 */
#include "osm/admission/admission.h"
#include "osm/osm.h"
#include "osm/settings.h"

static const sv effects[] = {SV_INIT("NoSchedule"), SV_INIT("PreferNoSchedule"),
                             SV_INIT("NoExecute")};

struct taints_reader {
	const struct setter *setter;
	struct set known; /* the taints so far, without their values: "gpu:NoSchedule" */
};

#define TAINT_HELP "write KEY=VALUE:EFFECT or KEY:EFFECT, with commas between taints"

/* Returns what the kubelet refuses in a taint, and the help; or null. */
static const char *taint_mistake(struct taints_reader *r, sv item, const char **ret_help)
{
	struct arena *arena = r->setter->arena;
	sv effect;
	sv name;
	sv key;
	sv value = {0};

	*ret_help = TAINT_HELP;
	if (!sv_cut(item, SV(":"), &name, &effect))
		return "a taint has no effect";
	if (!sv_is_among(effect, effects, COUNT_OF(effects))) {
		*ret_help =
		    diag_meant(arena, diag_nearest(effect, effects, COUNT_OF(effects)), TAINT_HELP);
		return "the effect of a taint must be NoSchedule, PreferNoSchedule or NoExecute";
	}
	key = name;
	(void)sv_cut(name, SV("="), &key, &value);
	*ret_help = "write the key as that of a label: letters, digits, -, _ and ., at most 63; "
	            "before the name there may be a domain and a slash";
	if (!osm_label_key_valid(key))
		return "a taint has a key that the kubelet refuses";
	*ret_help = "use at most 63 letters, digits, -, _ and ., with a letter or digit at both "
	            "ends";
	if (!osm_label_value_valid(value))
		return "a taint has a value that the kubelet refuses";
	*ret_help = "leave one of them out";
	sv known = ARENA_CONCAT(arena, key, SV(":"), effect);
	return set_add(&r->known, known) ? NULL : "two taints have the same key and effect";
}

enum status osm_check_taints(const struct setter *s, const struct value *text,
                             struct position at UNUSED)
{
	struct taints_reader reader = {.setter = s, .known = set_in(s->arena)};
	bool has_items = !sv_empty(text->string) && setter_has_form(text);
	struct sv_splitter it = sv_split(text->string, ',');
	enum status status = STATUS_OK;
	size_t offset = 0;
	sv part;

	while (has_items && sv_split_next(&it, &part)) {
		const char *help;
		const char *problem = taint_mistake(&reader, sv_trim(part, " "), &help);

		if (problem)
			status = setter_report(s, setter_item_position(text, offset, part.len),
			                       problem, help);
		offset += part.len + 1;
	}
	return status;
}
