/*
 * The members of an OSC in each contract (docs/spec/gardener.md 1.2), and the messages of what its
 * shape alone shows to be wrong.
 */
#include "gardener/internal.h"

/* ---- containerd -------------------------------------------------------------------------- */

static const struct shape_member host_members[] = {
    {.name = "url", .flags = SHAPE_FILLED, .help = "the mirror, https://HOST[:PORT]"},
    {.name = "capabilities",
     .form = SHAPE_LIST,
     .choices = "pull|resolve|push",
     .help = "what containerd may ask the mirror for"},
    {.name = "caCerts", .form = SHAPE_LIST, .help = "paths of files on the node with its CA"},
    {.name = "overridePath", .type = SHAPE_BOOL, .help = "the url has the API's path, too"},
};
static const struct shape host_shape = SHAPE("RegistryHost", host_members);

static const struct shape_member registry_members[] = {
    {.name = "upstream",
     .flags = SHAPE_FILLED,
     .help = "the registry in names of images, HOST or HOST:PORT; _default for all others"},
    {.name = "server", .help = "where the registry itself is, an http or https URL"},
    {.name = "hosts",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &host_shape,
     .help = "its mirrors, tried in this order"},
    {.name = "readinessProbe",
     .type = SHAPE_BOOL,
     .help = "use a mirror only after it has answered"},
};
static const struct shape registry_shape = SHAPE("Registry", registry_members);

static const struct shape_member plugin_members[] = {
    {.name = "op", .choices = "add|remove", .initial = "add", .help = "add or remove values"},
    {.name = "path",
     .form = SHAPE_LIST,
     .flags = SHAPE_FILLED,
     .help = "the table below plugins in containerd's config.toml, a key an item"},
    {.name = "values", .type = SHAPE_MAP, .help = "what is added to the table; not with remove"},
};
static const struct shape plugin_shape = SHAPE("ContainerdPlugin", plugin_members);

static const struct shape_member containerd_members[] = {
    {.name = "registries",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &registry_shape,
     .help = "registries with mirrors or a server of their own"},
    {.name = "sandboxImage",
     .flags = SHAPE_FILLED,
     .help = "the image of each pod's pause container"},
    {.name = "plugins",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &plugin_shape,
     .help = "changes of the plugins' configuration"},
};
static const struct shape containerd_shape = SHAPE("Containerd", containerd_members);

static const struct shape_member cri_members[] = {
    {.name = "name",
     .flags = SHAPE_FILLED,
     .choices = "containerd|docker",
     .help = "the container runtime; docker is of contract 2021"},
    {.name = "cgroupDriver",
     .flags = GARDENER_ONLY_CURRENT,
     .choices = "cgroupfs|systemd",
     .help = "who manages the cgroups of containers"},
    {.name = "containerd",
     .type = SHAPE_MAP,
     .of = &containerd_shape,
     .flags = GARDENER_ONLY_CURRENT,
     .help = "containerd's configuration, for purpose reconcile"},
};
const struct shape gardener_cri_shape = SHAPE("CRIConfig", cri_members);

/* ---- updates in place -------------------------------------------------------------------- */

static const struct shape_member rotation_members[] = {
    {.name = "lastInitiationTime", .type = SHAPE_TIME, .help = "when it was last begun"},
};
static const struct shape rotation_shape = SHAPE("Rotation", rotation_members);

static const struct shape_member rotations_members[] = {
    {.name = "certificateAuthorities",
     .type = SHAPE_MAP,
     .of = &rotation_shape,
     .help = "of the cluster's certificate authorities"},
    {.name = "serviceAccountKey",
     .type = SHAPE_MAP,
     .of = &rotation_shape,
     .help = "of the key that signs tokens of ServiceAccounts"},
};
static const struct shape rotations_shape = SHAPE("Rotations", rotations_members);

static const struct shape_member update_members[] = {
    {.name = "operatingSystemVersion",
     .flags = SHAPE_REQUIRED,
     .help = "the version that the node's operating system is to have"},
    {.name = "kubelet", .flags = SHAPE_REQUIRED, .help = "the kubelet's version"},
    {.name = "credentialsRotation",
     .type = SHAPE_MAP,
     .of = &rotations_shape,
     .help = "rotations that the node takes part in"},
};
const struct shape gardener_update_shape = SHAPE("InPlaceUpdates", update_members);

/* ---- units and files --------------------------------------------------------------------- */

static const struct shape_member drop_in_members[] = {
    {.name = "name", .flags = SHAPE_FILLED, .help = "a file's name, such as 10-limits.conf"},
    {.name = "content", .flags = SHAPE_FILLED, .help = "its lines"},
};
static const struct shape drop_in_shape = SHAPE("DropIn", drop_in_members);

static const struct shape_member unit_members[] = {
    {.name = "name", .flags = SHAPE_FILLED, .help = "the whole name, such as kubelet.service"},
    {.name = "command",
     .choices = "|start|restart|stop|reload|try-restart|reload-or-restart|reload-or-try-restart",
     .help = "run once the unit is written; contract current has start, restart and stop"},
    {.name = "enable",
     .type = SHAPE_BOOL,
     .help = "start it at boot; if absent, the operating system decides"},
    {.name = "content", .help = "the unit file; absent for a unit of the image"},
    {.name = "dropIns",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &drop_in_shape,
     .help = "files that change the unit"},
    {.name = "filePaths",
     .form = SHAPE_LIST,
     .flags = GARDENER_ONLY_CURRENT,
     .help = "paths of files: the unit restarts if one of them changes"},
};
const struct shape gardener_unit_shape = SHAPE("Unit", unit_members);

static const struct shape_member secret_members[] = {
    {.name = "name", .flags = SHAPE_FILLED, .help = "of a Secret in the same namespace"},
    {.name = "dataKey", .flags = SHAPE_FILLED, .help = "the key of its data"},
};
static const struct shape secret_shape = SHAPE("SecretRef", secret_members);

static const struct shape_member inline_members[] = {
    /* Required, yet often left out: osc.c warns. */
    {.name = "encoding", .choices = "|b64", .help = "b64 for data in base64, \"\" for plain text"},
    {.name = "data", .flags = SHAPE_FILLED, .help = "the file's bytes in that encoding"},
};
static const struct shape inline_shape = SHAPE("Inline", inline_members);

static const struct shape_member image_members[] = {
    {.name = "image", .flags = SHAPE_FILLED, .help = "a container image with its tag or digest"},
    {.name = "filePathInImage", .flags = SHAPE_FILLED, .help = "the file to copy out of it"},
};
static const struct shape image_shape = SHAPE("ImageRef", image_members);

static const struct shape_member content_members[] = {
    {.name = "secretRef",
     .type = SHAPE_MAP,
     .of = &secret_shape,
     .help = "the bytes are in a Secret"},
    {.name = "inline", .type = SHAPE_MAP, .of = &inline_shape, .help = "the bytes are here"},
    {.name = "transmitUnencoded",
     .type = SHAPE_BOOL,
     .help = "user-data has the bytes as they are, not in base64"},
    /* validate.c checks if it is allowed. */
    {.name = "imageRef",
     .type = SHAPE_MAP,
     .of = &image_shape,
     .help = "the bytes are in an image; contract current, purpose reconcile"},
};
static const struct shape content_shape = SHAPE("FileContent", content_members);

static const struct shape_member file_members[] = {
    {.name = "path",
     .flags = SHAPE_FILLED,
     .pattern = "^/",
     .help = "where the node has it, absolute"},
    /* An editor that reads YAML 1.2 takes 0755 for 755. */
    {.name = "permissions",
     .type = SHAPE_INT,
     .most = 7777,
     .help = "the mode, such as 0644; JSON has decimal numbers: 420"},
    {.name = "content",
     .type = SHAPE_MAP,
     .of = &content_shape,
     .flags = SHAPE_REQUIRED,
     .help = "one of inline, secretRef and imageRef"},
    {.name = "hostName",
     .flags = GARDENER_ONLY_CURRENT,
     .help = "only the node of this name gets the file"},
    {.name = "encoding",
     .type = SHAPE_ANY,
     .flags = GARDENER_MISSPELT,
     .help = "has no effect here: inline has one"},
};
static const struct shape file_shape = SHAPE("File", file_members);

/* ---- the object -------------------------------------------------------------------------- */

static const struct shape_member spec_members[] = {
    {.name = "type",
     .flags = SHAPE_REQUIRED, /* osc.c: mostly not empty */
     .help = "the operating system: a type of an OperatingSystemExtension"},
    {.name = "class", .flags = GARDENER_ONLY_CURRENT, .help = "has no effect"},
    {.name = "providerConfig",
     .type = SHAPE_MAP,
     .help = "configuration that the operating system reads, an object with apiVersion and kind"},
    {.name = "purpose",
     .flags = SHAPE_FILLED,
     .choices = "provision|reconcile",
     .help = "provision for the first boot, reconcile for running nodes"},
    {.name = "reloadConfigFilePath",
     .flags = GARDENER_ONLY_2021,
     .pattern = "^(/|$)",
     .help = "the file from which a node applies its user-data again"},
    {.name = "criConfig",
     .type = SHAPE_MAP,
     .of = &gardener_cri_shape,
     .help = "the container runtime"},
    {.name = "cri",
     .type = SHAPE_MAP,
     .of = &gardener_cri_shape,
     .flags = GARDENER_MISSPELT,
     .help = "write criConfig, which Gardener has"},
    {.name = "units",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &gardener_unit_shape,
     .help = "units of systemd that the node gets"},
    {.name = "files",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &file_shape,
     .help = "files that the node gets"},
    {.name = "inPlaceUpdates",
     .type = SHAPE_MAP,
     .of = &gardener_update_shape,
     .flags = GARDENER_ONLY_CURRENT,
     .help = "versions to which a node is updated without a new machine"},
};
static const struct shape spec_shape = SHAPE("OperatingSystemConfigSpec", spec_members);

static const struct shape_member metadata_members[] = {
    {.name = "name", .flags = SHAPE_FILLED},
    {.name = "namespace", .initial = "default"},
};
const struct shape gardener_metadata_shape = {
    .name = "Metadata",
    .members = metadata_members,
    .count = COUNT_OF(metadata_members),
    .is_open = true,
};

static const struct shape_member osc_members[] = {
    {.name = "apiVersion", .flags = SHAPE_FILLED, .choices = GARDENER_API_VERSION},
    {.name = "kind", .flags = SHAPE_FILLED, .choices = GARDENER_KIND},
    {.name = "metadata",
     .type = SHAPE_MAP,
     .of = &gardener_metadata_shape,
     .flags = SHAPE_REQUIRED,
     .help = "name, namespace, labels and annotations"},
    {.name = "spec",
     .type = SHAPE_MAP,
     .of = &spec_shape,
     .flags = SHAPE_REQUIRED,
     .help = "what the nodes are to have"},
    {.name = "status", .type = SHAPE_ANY, .help = "of a dumped object: what an extension answered"},
};
const struct shape gardener_osc_shape = SHAPE(GARDENER_KIND, osc_members);

/* ---- messages ---------------------------------------------------------------------------- */

static void warn_other_contract(struct shape_reader *r, const struct value_entry *entry, sv place)
{
	bool is_current = r->absent & GARDENER_ONLY_2021;
	struct schema *schema = r->context;
	struct diag *diag = diag_report(
	    schema->sink, schema->terms->unknown, origin_position(entry->key_origin),
	    "%.*s.%.*s is not a field of contract %.*s: it has no effect", SV_ARG(place),
	    SV_ARG(entry->key),
	    SV_ARG(gardener_contract_name(is_current ? GARDENER_CURRENT : GARDENER_2021)));

	diag_set_help(schema->sink, diag, "remove it, or set gardenerContract: %s",
	              is_current ? "\"2021\"" : "current");
}

/* Reports a member that is missing, or empty; the help has the first of its choices. */
static void report_no_value(struct schema *schema, const struct shape_problem *problem, sv place)
{
	const struct shape_member *member = problem->member;
	bool is_missing = problem->kind == SHAPE_MISSING;
	const struct value *null =
	    is_missing ? value_map_get(problem->value, sv_from_cstr(member->name)) : NULL;
	struct diag *diag =
	    diag_report(schema->sink, schema->terms->wrong,
	                value_position(null && null->origin.source ? null : problem->value),
	                "%.*s %s", SV_ARG(place), is_missing ? "is missing" : "must not be empty");

	schema->failed = true;
	if (member->choices)
		diag_set_help(schema->sink, diag, "%s: %.*s", is_missing ? "add it" : "fill it in",
		              (int)strcspn(member->choices, "|"), member->choices);
	else
		diag_set_help(schema->sink, diag, "%s",
		              is_missing ? "add it"
		                         : "set it, or remove the item that it belongs to");
}

/*
 * Leaves mistakes to osc.c and validate.c that need more than the shape: modes, purposes, names of
 * container runtimes, commands and encodings.
 */
static void report_osc_problem(struct shape_reader *r, const struct shape_problem *problem)
{
	const struct shape_member *member = problem->member;
	sv place = problem->place ? shape_place_text(r->arena, problem->place)
	                          : SV("the OperatingSystemConfig");

	switch (problem->kind) {
	case SHAPE_UNKNOWN:
		(void)schema_report(r->context, problem, place, r->absent | GARDENER_MISSPELT);
		return;
	case SHAPE_ELSEWHERE:
		warn_other_contract(r, problem->entry, place);
		return;
	case SHAPE_WRONG_TYPE:
		if (member->type != SHAPE_INT)
			(void)schema_report(r->context, problem, place, 0);
		return;
	case SHAPE_NO_CHOICE:
		if (problem->is_item)
			(void)schema_report(r->context, problem, SV("a capability"), 0);
		else if (problem->shape == &plugin_shape || member->flags & GARDENER_ONLY_CURRENT)
			(void)schema_report(r->context, problem, sv_from_cstr(member->name), 0);
		return;
	case SHAPE_EMPTY:
	case SHAPE_MISSING:
		if (!sv_eq(sv_from_cstr(member->name), SV("purpose")))
			report_no_value(r->context, problem, place);
		return;
	case SHAPE_NEGATIVE:
	case SHAPE_TOO_LARGE:
	case SHAPE_NO_MATCH:
		return;
	}
}

enum status gardener_osc_check(struct arena *arena, struct sink *sink, const struct value *root,
                               enum gardener_contract contract)
{
	static const struct schema_terms terms = {DIAG_GARDENER_SCHEMA, DIAG_GARDENER_FIELD,
	                                          "the OperatingSystemConfig"};
	struct schema schema = {arena, sink, &terms, false};
	struct shape_reader reader = {
	    .arena = arena,
	    .options = SHAPE_REFUSES_NULLS | SHAPE_TABLE_ORDER,
	    .absent = contract == GARDENER_CURRENT ? GARDENER_ONLY_2021 : GARDENER_ONLY_CURRENT,
	    .report = report_osc_problem,
	    .context = &schema,
	};

	(void)shape_check(&reader, &gardener_osc_shape, NULL, root);
	return schema.failed ? STATUS_FAILED : STATUS_OK;
}
