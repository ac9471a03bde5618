/*
 * Warns of annotations of a MachineDeployment that the controller ignores or does not check: a
 * misspelt key, a quantity that the kubelet rejects. These are warnings, since the controller
 * accepts them.
 */
#include "osm/spelling.h"
#include "golang/golang.h"

#define KUBELET(suffix) SV_INIT(OSM_KUBELET_GROUP "/" suffix)

/* Annotations that operating-system-manager and machine-controller read or write. */
static const sv known_keys[] = {
    SV_INIT("k8c.io/operating-system-profile"),
    SV_INIT("k8c.io/operating-system-profile-namespace"),
    SV_INIT("k8c.io/machine-deployment-revision"),
    SV_INIT("k8c.io/osp-version"),
    SV_INIT("k8c.io/mdannotations-hash"),
    SV_INIT("machinedeployment.clusters.k8s.io/revision"),
    SV_INIT("machinedeployment.clusters.k8s.io/revision-history"),
    SV_INIT("machinedeployment.clusters.k8s.io/desired-replicas"),
    SV_INIT("machinedeployment.clusters.k8s.io/max-replicas"),
    KUBELET("KubeReserved"),
    KUBELET("SystemReserved"),
    KUBELET("EvictionHard"),
    KUBELET("ContainerLogMaxSize"),
    KUBELET("ContainerLogMaxFiles"),
    KUBELET("MaxPods"),
    KUBELET("ImageGCHighThresholdPercent"),
    KUBELET("ImageGCLowThresholdPercent"),
    KUBELET("ImageMinimumGCAge"),
    KUBELET("ImageMaximumGCAge"),
};

/* ---- keys -------------------------------------------------------------------------------- */

static sv group_of(sv key)
{
	size_t slash = sv_find_char(key, '/');

	return slash == SV_NPOS ? SV("") : sv_slice(key, 0, slash);
}

/*
 * Finds a similar key. Group and name are compared separately, since a group is short: a third of
 * the letters of k8c.io/operating-system-profile may be wrong, but only two of k8c.io.
 */
static sv nearest_key(struct arena *arena, sv key)
{
	enum { COUNT = COUNT_OF(known_keys) };
	sv group = group_of(key);
	sv groups[COUNT];
	sv names[COUNT];
	size_t count = 0;

	if (sv_empty(group))
		return SV("");
	for (size_t i = 0; i < COUNT; i++)
		groups[i] = group_of(known_keys[i]);
	sv nearest_group = diag_nearest(group, groups, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		if (sv_eq(groups[i], nearest_group))
			names[count++] = sv_from_offset(known_keys[i], nearest_group.len + 1);
	sv name = diag_nearest(sv_from_offset(key, group.len + 1), names, count);
	if (sv_empty(name))
		return SV("");
	return ARENA_CONCAT(arena, nearest_group, SV("/"), name);
}

static bool is_known(sv key)
{
	for (size_t i = 0; i < COUNT_OF(known_keys); i++)
		if (sv_eq(key, known_keys[i]))
			return true;
	/*
	 * COMPAT: the controller compares only the beginning of the kubelet's group, and takes the
	 * name after the first slash (kubelet.c).
	 */
	size_t slash = sv_find_char(key, '/');
	if (slash == SV_NPOS || !sv_starts_with(key, SV(OSM_KUBELET_GROUP)))
		return false;
	for (size_t i = 0; i < COUNT_OF(known_keys); i++)
		if (sv_eq_cstr(group_of(known_keys[i]), OSM_KUBELET_GROUP) &&
		    sv_eq(sv_from_offset(key, slash + 1),
		          sv_from_offset(known_keys[i], strlen(OSM_KUBELET_GROUP "/"))))
			return true;
	return false;
}

void osm_check_annotation_keys(struct arena *arena, struct sink *sink, const struct value *given)
{
	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];
		bool is_kubelet = sv_starts_with(entry->key, SV(OSM_KUBELET_GROUP));
		sv nearest;

		if (is_known(entry->key))
			continue;
		nearest = nearest_key(arena, entry->key);
		if (!is_kubelet && sv_empty(nearest))
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_MD_ANNOTATION_SPELLING, origin_position(entry->key_origin),
		    "annotation %.*s is not one that the controller reads: "
		    "it is ignored",
		    SV_ARG(entry->key));
		diag_help_meant(sink, diag, nearest,
		                "remove it; of this group KubeReserved, SystemReserved, "
		                "EvictionHard, MaxPods, ContainerLogMaxSize, "
		                "ContainerLogMaxFiles, ImageGC{High,Low}ThresholdPercent and "
		                "Image{Minimum,Maximum}GCAge are read");
	}
}

/* ---- keys in the template ---------------------------------------------------------------- */

/* Annotations that KubeOne and older machine-controllers wrote; nothing reads them. */
static const sv unread_groups[] = {
    SV_INIT("v1.kubelet-featuregates.machine-controller.kubermatic.io"),
    SV_INIT("v1.kubelet-flags.machine-controller.kubermatic.io"),
};

static bool is_unread(sv key)
{
	for (size_t i = 0; i < COUNT_OF(unread_groups); i++)
		if (sv_starts_with(key, unread_groups[i]))
			return true;
	return false;
}

/*
 * `read` are the annotations that have an effect. One of them that is here, too, does no harm:
 * KubeOne writes those of its loggingConfig twice.
 */
static void check_template_keys(struct sink *sink, const struct value *given,
                                const struct value *read, const char *where)
{
	for (size_t i = 0; value_is_map(given) && i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];
		bool is_profile = sv_starts_with(entry->key, SV("k8c.io/operating-system-profile"));

		if (!is_profile && !is_unread(entry->key) &&
		    !sv_starts_with(entry->key, SV(OSM_KUBELET_GROUP)))
			continue;
		if (!is_unread(entry->key) &&
		    value_equal(value_map_get(read, entry->key), &entry->value))
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_MD_TEMPLATE_ANNOTATION, origin_position(entry->key_origin),
		    "nothing reads annotation %.*s in %s: it has no effect on machines",
		    SV_ARG(entry->key), where);
		if (is_unread(entry->key))
			diag_set_help(sink, diag,
			              "remove it; what it should set is set in the profile");
		else
			diag_set_help(sink, diag,
			              "move it to metadata.annotations of the MachineDeployment");
	}
}

void osm_check_template_annotations(struct sink *sink, const struct value *root)
{
	const struct value *read = value_path(root, "metadata.annotations");

	check_template_keys(sink, value_path(root, "spec.template.metadata.annotations"), read,
	                    "spec.template.metadata");
	check_template_keys(sink, value_path(root, "spec.template.spec.metadata.annotations"), read,
	                    "spec.template.spec.metadata");
}

/* ---- amounts ----------------------------------------------------------------------------- */

static const sv resources[] = {SV_INIT("cpu"), SV_INIT("memory"), SV_INIT("ephemeral-storage"),
                               SV_INIT("pid")};

static const sv signals[] = {
    SV_INIT("memory.available"),      SV_INIT("allocatableMemory.available"),
    SV_INIT("nodefs.available"),      SV_INIT("nodefs.inodesFree"),
    SV_INIT("imagefs.available"),     SV_INIT("imagefs.inodesFree"),
    SV_INIT("containerfs.available"), SV_INIT("containerfs.inodesFree"),
    SV_INIT("pid.available"),
};

static const sv units[] = {
    SV_INIT("n"),  SV_INIT("u"),  SV_INIT("m"),  SV_INIT("k"),  SV_INIT("M"),
    SV_INIT("G"),  SV_INIT("T"),  SV_INIT("P"),  SV_INIT("E"),  SV_INIT("Ki"),
    SV_INIT("Mi"), SV_INIT("Gi"), SV_INIT("Ti"), SV_INIT("Pi"), SV_INIT("Ei"),
};

static size_t count_digits(sv text)
{
	size_t count = 0;

	while (count < text.len && ascii_is_digit(text.ptr[count]))
		count++;
	return count;
}

/* Returns true for Kubernetes' resource.Quantity: a number, and a unit or an exponent. */
static bool is_quantity(sv text)
{
	size_t whole;
	size_t fraction = 0;

	if (!sv_empty(text) && (text.ptr[0] == '+' || text.ptr[0] == '-'))
		text = sv_from_offset(text, 1);
	whole = count_digits(text);
	text = sv_from_offset(text, whole);
	if (sv_starts_with(text, SV("."))) {
		text = sv_from_offset(text, 1);
		fraction = count_digits(text);
		text = sv_from_offset(text, fraction);
	}
	if (whole + fraction == 0)
		return false;
	if (sv_empty(text))
		return true;
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (sv_eq(text, units[i]))
			return true;
	if (text.ptr[0] != 'e' && text.ptr[0] != 'E')
		return false;
	text = sv_from_offset(text, 1);
	if (!sv_empty(text) && (text.ptr[0] == '+' || text.ptr[0] == '-'))
		text = sv_from_offset(text, 1);
	return !sv_empty(text) && count_digits(text) == text.len;
}

static bool is_percentage(sv text)
{
	size_t whole = count_digits(text);
	sv rest = sv_from_offset(text, whole);

	if (sv_starts_with(rest, SV(".")))
		rest = sv_from_offset(rest, 1 + count_digits(sv_from_offset(rest, 1)));
	return whole > 0 && sv_eq(rest, SV("%"));
}

enum { MOST_WRONG = 50 };

/* An annotation with a list of items. */
struct amounts {
	struct sink *sink;
	const struct value *text;
	sv key; /* the annotation's, without its group */
	sv separator;
	const sv *names;
	size_t name_count;
	bool takes_percentages;
	size_t wrong; /* so far */
};

static struct diag *report_item(struct amounts *a, size_t offset, size_t len, const char *problem,
                                sv name)
{
	struct position at = value_text_position(a->text, offset);

	a->wrong++;
	if (at.source && a->text->origin.style == ORIGIN_EXACT && len > 0)
		at.length = len;
	return diag_report(a->sink, DIAG_KUBELET_QUANTITY, at, "%.*s: %s%s%.*s%s", SV_ARG(a->key),
	                   problem, sv_empty(name) ? "" : " \"", SV_ARG(name),
	                   sv_empty(name) ? "" : "\"");
}

static void check_item(struct amounts *a, sv item, size_t offset)
{
	struct diag *diag;
	sv name;
	sv amount;
	bool known = false;

	if (!sv_cut(item, a->separator, &name, &amount)) {
		diag = report_item(a, offset, item.len, "an item without its separator is left out",
		                   SV(""));
		diag_set_help(a->sink, diag, "write %.*s%.*s1Gi, with commas between items",
		              SV_ARG(a->names[a->name_count > 4 ? 0 : 1]), SV_ARG(a->separator));
		return;
	}
	for (size_t i = 0; i < a->name_count; i++)
		known |= sv_eq(name, a->names[i]);
	if (!known && !sv_starts_with(name, SV("hugepages-"))) {
		sv nearest = diag_nearest(sv_trim_space(name), a->names, a->name_count);

		diag = report_item(a, offset, name.len, "the kubelet does not know", name);
		if (sv_empty(nearest))
			diag_set_help(a->sink, diag, "`osm-gen explain OSG%d` lists the names",
			              DIAG_KUBELET_QUANTITY);
		else
			diag_set_help(a->sink, diag, "did you mean \"%.*s\"%s?", SV_ARG(nearest),
			              sv_eq(nearest, sv_trim_space(name)) ? ", without blanks"
			                                                  : "");
	}
	if (is_quantity(amount) || (a->takes_percentages && is_percentage(amount)))
		return;
	diag = report_item(a, offset + name.len + a->separator.len, amount.len,
	                   "not a quantity of Kubernetes for", name);
	diag_set_help(a->sink, diag, "write a number, and m, k, M, G, Ki, Mi or Gi after it%s",
	              a->takes_percentages ? ", or a percentage such as 10%" : "");
}

static const struct value *find_kubelet(const struct value *annotations, const char *key)
{
	for (size_t i = 0; value_is_map(annotations) && i < value_count(annotations); i++) {
		const struct value_entry *entry = &annotations->map->entries[i];
		sv head;
		sv tail;

		if (sv_starts_with(entry->key, SV(OSM_KUBELET_GROUP)) &&
		    sv_cut(entry->key, SV("/"), &head, &tail) && sv_eq_cstr(tail, key))
			return value_is_string(&entry->value) ? &entry->value : NULL;
	}
	return NULL;
}

static void check_amounts(struct amounts a)
{
	struct sv_splitter it = sv_split(value_text(a.text), ',');
	size_t offset = 0;
	sv item;

	/* Limited, since finding the position of each mistake takes time. */
	while (a.wrong < MOST_WRONG && sv_split_next(&it, &item)) {
		check_item(&a, item, offset);
		offset += item.len + 1;
	}
}

void osm_check_quantities(struct sink *sink, const struct value *annotations)
{
	static const char *const reserved[] = {"KubeReserved", "SystemReserved"};
	const struct value *text;

	for (size_t i = 0; i < COUNT_OF(reserved); i++) {
		text = find_kubelet(annotations, reserved[i]);
		if (text && !sv_empty(value_text(text)))
			check_amounts((struct amounts){sink, text, sv_from_cstr(reserved[i]),
			                               SV("="), resources, COUNT_OF(resources),
			                               false, 0});
	}
	text = find_kubelet(annotations, "EvictionHard");
	if (text && !sv_empty(value_text(text)))
		check_amounts((struct amounts){sink, text, SV("EvictionHard"), SV("<"), signals,
		                               COUNT_OF(signals), true, 0});
	text = find_kubelet(annotations, "ContainerLogMaxSize");
	if (text && !is_quantity(value_text(text))) {
		struct diag *diag =
		    diag_report(sink, DIAG_KUBELET_QUANTITY, value_position(text),
		                "ContainerLogMaxSize is not a quantity of Kubernetes");
		diag_set_help(sink, diag, "write a number, and Ki, Mi or Gi after it: 100Mi");
	}
	text = find_kubelet(annotations, "ContainerLogMaxFiles");
	if (text && (sv_empty(value_text(text)) ||
	             count_digits(value_text(text)) != value_text(text).len)) {
		struct diag *diag = diag_report(sink, DIAG_KUBELET_QUANTITY, value_position(text),
		                                "ContainerLogMaxFiles is not an integer");
		diag_set_help(sink, diag, "write decimal digits, in quotes: \"5\"");
	}
}

/* ---- versions ---------------------------------------------------------------------------- */

void osm_check_kubelet_known(struct arena *arena, struct sink *sink,
                             const struct kube_object *machine_deployment)
{
	const struct value *text =
	    value_path(machine_deployment->root, "spec.template.spec.versions.kubelet");
	struct semver version;
	sv error;

	/* An invalid version is reported by machine.c. */
	if (!value_is_string(text) || !go_semver_parse(arena, value_text(text), &version, &error))
		return;
	if (version.major == 1 && version.minor >= OSM_OLDEST_KUBELET &&
	    version.minor <= OSM_NEWEST_KUBELET)
		return;
	struct diag *diag = diag_report(
	    sink, DIAG_KUBELET_UNKNOWN, value_position(text),
	    "the profiles inside osm-gen do not know kubelet %.*s: they were made for "
	    "1.%d to 1.%d",
	    SV_ARG(go_semver_format(arena, &version)), OSM_OLDEST_KUBELET, OSM_NEWEST_KUBELET);
	diag_set_help(sink, diag,
	              "use a kubelet of these, a newer osm-gen, or a profile of your own");
}
