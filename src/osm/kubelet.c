/*
 * Reads the kubelet's version, and its settings from the MachineDeployment's annotations
 * (docs/spec/controller.md 4.1, 4.2).
 */
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/machine.h"
#include "osm/spelling.h"

/* ---- version ----------------------------------------------------------------------------- */

enum status osm_kubelet_version(struct arena *arena, struct sink *sink, const struct value *text,
                                struct semver *ret_version, sv *ret_normalised)
{
	struct semver version;
	sv error;

	if (!go_semver_parse(arena, value_text(text), &version, &error)) {
		struct diag *diag = diag_report(sink, DIAG_KUBELET_VERSION, value_position(text),
		                                "invalid kubelet version \"%.*s\": %.*s",
		                                SV_ARG(value_text(text)), SV_ARG(error));
		diag_set_help(sink, diag, "write a version such as 1.34.1");
		return STATUS_FAILED;
	}
	*ret_version = version;
	*ret_normalised = ARENA_CONCAT(arena, SV("v"), go_semver_format(arena, &version));
	return STATUS_OK;
}

/* ---- annotations ------------------------------------------------------------------------- */

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct value *annotations;
	bool failed;
};

/*
 * Returns the annotation whose key begins with the group's prefix and has `suffix` after its first
 * slash. The slash need not follow the prefix directly.
 */
static const struct value *find(struct reader *r, sv suffix)
{
	const struct value_entry *found = NULL;

	for (size_t i = 0; i < value_count(r->annotations); i++) {
		const struct value_entry *entry = &r->annotations->map->entries[i];
		sv head;
		sv tail;

		if (!sv_starts_with(entry->key, SV(OSM_KUBELET_GROUP)) ||
		    !sv_cut(entry->key, SV("/"), &head, &tail) || !sv_eq(tail, suffix))
			continue;
		if (found) {
			struct diag *diag = diag_report(r->sink, DIAG_KUBELET_ANNOTATION,
			                                origin_position(entry->key_origin),
			                                "two annotations set %.*s", SV_ARG(suffix));
			diag_add_note(r->sink, diag, origin_position(found->key_origin),
			              "the other one is here");
			diag_set_help(r->sink, diag,
			              "keep one: the controller picks either by chance");
			r->failed = true;
		}
		found = entry;
	}
	return found ? &found->value : NULL;
}

/* Reads "cpu=1,memory=2Gi". Ignores items without the separator; trims nothing. */
static const struct value *read_map(struct reader *r, sv suffix, sv separator)
{
	const struct value *text = find(r, suffix);
	sv part;

	if (!text)
		return NULL;
	struct value *map = ARENA_NEW(r->arena, struct value);
	*map = value_map_new(r->arena);
	map->type = &type_string_map;
	struct sv_splitter it = sv_split(value_text(text), ',');
	while (sv_split_next(&it, &part)) {
		sv key;
		sv amount;

		if (sv_cut(part, separator, &key, &amount)) {
			struct value item = value_string(amount);

			item.taint = taint_whole(r->arena, amount.len, secrecy_find(text));
			value_map_set(r->arena, map, key, item);
		}
	}
	return map;
}

static void report_annotation(struct reader *r, const struct value *at, const char *what, sv error,
                              const char *help)
{
	struct diag *diag = diag_report(r->sink, DIAG_KUBELET_ANNOTATION, value_position(at),
	                                "parsing %s: %.*s", what, SV_ARG(error));

	diag_set_help(r->sink, diag, "%s", help);
	r->failed = true;
}

static const int32_t *read_int(struct reader *r, sv suffix, const char *what)
{
	const struct value *text = find(r, suffix);
	int64_t number;
	sv error;

	if (!text)
		return NULL;
	if (!go_strconv_parse_int(r->arena, value_text(text), 32, &number, &error)) {
		report_annotation(r, text, what, error, "write a decimal number, in quotes");
		return NULL;
	}
	int32_t *result = ARENA_NEW(r->arena, int32_t);
	*result = (int32_t)number;
	return result;
}

static const int64_t *read_age(struct reader *r, sv suffix, const char *what)
{
	const struct value *text = find(r, suffix);
	int64_t nanoseconds;
	sv error;

	if (!text)
		return NULL;
	if (!go_duration_parse(r->arena, value_text(text), &nanoseconds, &error)) {
		report_annotation(r, text, what, error, "write a duration such as 1h30m");
		return NULL;
	}
	int64_t *result = ARENA_NEW(r->arena, int64_t);
	*result = nanoseconds;
	return result;
}

enum status osm_kubelet_read(struct arena *arena, struct sink *sink,
                             const struct value *annotations, struct osm_kubelet *ret_kubelet)
{
	struct reader r = {arena, sink, annotations, false};
	struct osm_kubelet kubelet = {
	    .kube_reserved = read_map(&r, SV("KubeReserved"), SV("=")),
	    .system_reserved = read_map(&r, SV("SystemReserved"), SV("=")),
	    .eviction_hard = read_map(&r, SV("EvictionHard"), SV("<")),
	    .container_log_max_size = find(&r, SV("ContainerLogMaxSize")),
	    .container_log_max_files = find(&r, SV("ContainerLogMaxFiles")),
	    .max_pods = read_int(&r, SV("MaxPods"), "maxPods"),
	    .image_gc_high =
	        read_int(&r, SV("ImageGCHighThresholdPercent"), "imageGCHighThresholdPercent"),
	    .image_gc_low =
	        read_int(&r, SV("ImageGCLowThresholdPercent"), "imageGCLowThresholdPercent"),
	    .image_minimum_gc_age = read_age(&r, SV("ImageMinimumGCAge"), "imageMinimumGCAge"),
	    .image_maximum_gc_age = read_age(&r, SV("ImageMaximumGCAge"), "imageMaximumGCAge"),
	};

	if (r.failed)
		return STATUS_FAILED;
	*ret_kubelet = kubelet;
	return STATUS_OK;
}
