/*
 * Feature gates of kubelets: the setting nodeKubeletFeatureGates, and which version of the kubelet
 * has which gate. A kubelet with a gate that it does not have does not start.
 */
#include "golang/golang.h"
#include "osm/osm.h"
#include "osm/settings.h"

/* The minor versions of Kubernetes that have a gate. */
struct gate {
	sv name;
	uint64_t first;
	uint64_t last;
	uint64_t locked; /* the first version that has it locked to a value; 0: none */
	bool value;
};

#define FEATURE_GATE_VERSIONS(oldest, newest) enum { OLDEST = (oldest), NEWEST = (newest) };
#define FEATURE_GATE(...)
#include "osm/feature_gates.def"
#undef FEATURE_GATE_VERSIONS
#undef FEATURE_GATE

const struct setting_known osm_kubernetes_known = {
    .program = "Kubernetes",
    .oldest = OLDEST,
    .newest = NEWEST,
    .source = "src/osm/feature_gates.def",
    .help = "feature gates of kubelets with this version are not checked",
};

static const struct setting_known kubelet_known = {
    .program = "Kubernetes",
    .oldest = OLDEST,
    .newest = NEWEST,
    .source = "src/osm/feature_gates.def, profiles/fragments/setup/versions.sh",
    .help = "the machine gets the crictl of the newest version that is known, and its feature "
            "gates are not checked",
};

static const struct gate gates[] = {
#define FEATURE_GATE_VERSIONS(...)
#define FEATURE_GATE(name, first, last, locked, value)                                             \
	{SV_INIT(name), (first), (last), (locked), (value)},
#include "osm/feature_gates.def"
#undef FEATURE_GATE_VERSIONS
#undef FEATURE_GATE
    /* Groups of gates, which every version has. */
    {SV_INIT("AllAlpha"), OLDEST, NEWEST, 0, false},
    {SV_INIT("AllBeta"), OLDEST, NEWEST, 0, false},
};

static const struct gate *find(sv name)
{
	for (size_t i = 0; i < COUNT_OF(gates); i++)
		if (sv_eq(gates[i].name, name))
			return &gates[i];
	return NULL;
}

/* ---- the setting ------------------------------------------------------------------------- */

enum { MOST_SEARCHES = 100 }; /* of names near to a wrong one: in runs with fewer messages */

static void add(const struct setter *s, struct value *map, sv name, bool on,
                const struct origin *origin)
{
	struct value v = value_bool(on);

	v.origin = *origin;
	value_map_set(s->arena, map, name, v);
}

/* Warns of a gate that no version has. Such gates may be of newer versions. */
static void check_name(const struct setter *s, sv name, struct position at)
{
	sv names[COUNT_OF(gates)];
	struct value text = value_string(name);

	if (find(name) || !setter_has_form(&text))
		return;
	for (size_t i = 0; i < COUNT_OF(gates); i++)
		names[i] = gates[i].name;
	struct diag *diag =
	    diag_report(s->sink, DIAG_SETTING_DOUBT, at,
	                "%.*s: no version of Kubernetes from 1.%d to 1.%d has the feature gate "
	                "%.*s, and a kubelet does not start with an unknown one",
	                SV_ARG(s->setting->name), OLDEST, NEWEST, SV_ARG(name));
	/* The search takes time, and many mistakes are not of spelling. */
	diag_help_nearest(
	    s->sink, diag, name,
	    (struct diag_names){names, s->sink->diags.count < MOST_SEARCHES ? COUNT_OF(names) : 0},
	    "correct or remove it");
}

/* Parses "A=true", with exactly one "=" and nothing trimmed. */
static enum status add_gate(const struct setter *s, struct value *map, const struct value *text,
                            sv part, struct position at)
{
	sv name;
	sv word;
	bool on;
	sv error;

	if (!sv_cut(part, SV("="), &name, &word) || sv_find_char(word, '=') != SV_NPOS)
		return setter_report(s, at, "a feature gate must be NAME=true or NAME=false",
		                     "write one = in each, and commas without spaces between them");
	if (!go_strconv_parse_bool(s->arena, word, &on, &error))
		return setter_report(s, at, "a feature gate is true or false",
		                     "write it as NAME=true or NAME=false");
	check_name(s, name, at);
	add(s, map, name, on, &text->origin);
	return STATUS_OK;
}

enum status osm_take_feature_gates(const struct setter *s, const struct value *v, void *ret_gates)
{
	struct value map = value_map_new(s->arena);
	enum status status = STATUS_OK;

	map.type = &type_bool_map;
	if (value_is_map(v)) {
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];
			bool on = false;

			status |= setter_take_bool(s, &entry->value, &on);
			check_name(s, entry->key, origin_position(entry->key_origin));
			add(s, &map, entry->key, on, &entry->value.origin);
		}
	} else if (value_is_string(v)) {
		struct sv_splitter it = sv_split(v->string, ',');
		size_t offset = 0;
		sv part;

		while (sv_split_next(&it, &part)) {
			status |=
			    add_gate(s, &map, v, part, setter_item_position(v, offset, part.len));
			offset += part.len + 1;
		}
	} else if (!value_is_null(v)) {
		status = setter_report(s, value_position(v), "must be a map of true and false",
		                       "write it as {NodeSwap: true}");
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	/* The controller adds this one whenever it is not given. */
	if (!value_map_get(&map, SV("RotateKubeletServerCertificate")))
		value_map_set(s->arena, &map, SV("RotateKubeletServerCertificate"),
		              value_bool(true));
	*(struct value *)ret_gates = map;
	return STATUS_OK;
}

/* ---- kubelets ---------------------------------------------------------------------------- */

/* Returns why a kubelet of that minor version does not start with the gate, or null if it does. */
static const char *mistake(const struct gate *gate, uint64_t minor, bool on)
{
	if (minor < gate->first)
		return "it does not have it yet";
	if (minor > gate->last)
		return "it does not have it any more";
	if (gate->locked != 0 && minor >= gate->locked && gate->value != on)
		return gate->value ? "it is locked to true" : "it is locked to false";
	return NULL;
}

static void check_kubelet_gates(struct sink *sink, const struct value *settings, uint64_t minor,
                                const struct value *kubelet)
{
	for (size_t i = 0; i < value_count(settings); i++) {
		const struct value_entry *entry = &settings->map->entries[i];
		const struct gate *gate = find(entry->key);
		const char *why = NULL;

		/* The gate that the controller adds has no place. */
		if (gate && entry->value.origin.source)
			why = mistake(gate, minor, entry->value.boolean);
		if (!why)
			continue;
		struct diag *diag =
		    diag_report(sink, DIAG_SETTING_DOUBT, value_position(&entry->value),
		                "nodeKubeletFeatureGates: kubelet 1.%llu does not start with the "
		                "feature gate %.*s: %s",
		                (unsigned long long)minor, SV_ARG(entry->key), why);
		diag_add_note(sink, diag, value_position(kubelet), "a machine with that kubelet");
		diag_set_help(sink, diag, "remove the gate from the setting");
	}
}

void osm_check_feature_gates(struct arena *arena, struct sink *sink,
                             const struct dialect_cluster *cluster)
{
	const struct osm_settings *settings = cluster->settings;
	bool is_checked[NEWEST + 1] = {false};
	struct semver version;
	uint64_t unknown = 0;
	sv ignored;

	for (size_t i = 0; i < cluster->units.count; i++) {
		const struct value *kubelet = value_path(cluster->units.items[i]->root,
		                                         "spec.template.spec.versions.kubelet");

		if (!value_is_string(kubelet) ||
		    !go_semver_parse(arena, kubelet->string, &version, &ignored))
			continue;
		/* Profiles give older kubelets the newest crictl, too, which serves them. */
		if (version.minor > NEWEST && version.minor != unknown) {
			unknown = version.minor;
			DIAG_SCOPE(sink, kube_object_describe(arena, cluster->units.items[i]),
			           sink->cluster);
			setting_check_known(arena, sink, &kubelet_known, SV("versions.kubelet"),
			                    kubelet);
		}
		if (version.major != 1 || version.minor < OLDEST || version.minor > NEWEST ||
		    is_checked[version.minor])
			continue;
		is_checked[version.minor] = true;
		check_kubelet_gates(sink, &settings->feature_gates, version.minor, kubelet);
	}
}
