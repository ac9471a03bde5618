/*
 * The members of an OperatingSystemExtension (docs/gardener.md), and the messages of what its shape
 * alone shows to be wrong.
 */
#include "gardener/system.h"

/* ---- items ------------------------------------------------------------------------------- */

#define TEMPLATE "|\\{\\{"
#define WHEN(thing)                                                                                \
	{                                                                                          \
		.name = "when", .help = "the " thing " is left out if this is empty or false"      \
	}
#define AFTER                                                                                      \
	{                                                                                          \
		.name = "after", .type = SHAPE_BOOL, .initial = "false",                           \
		.help = "put it after those of the OperatingSystemConfig, not before"              \
	}

static const struct shape_member file_members[] = {
    {.name = "path",
     .flags = SHAPE_REQUIRED,
     .pattern = "^/" TEMPLATE,
     .help = "where the node has it, absolute"},
    /* An editor that reads YAML 1.2 takes 04755 for 4755. */
    {.name = "permissions",
     .type = SHAPE_INT_OR_TEXT,
     .most = 7777,
     .pattern = "^[0-7]{3,4}$",
     .initial = "0644",
     .help = "the mode in octal digits after a zero"},
    {.name = "content", .flags = SHAPE_REQUIRED, .help = "its bytes"},
    AFTER,
    WHEN("file"),
};
static const struct shape file_shape = SHAPE("SystemFile", file_members);

static const struct shape_member drop_in_members[] = {
    {.name = "name",
     .flags = SHAPE_REQUIRED,
     .pattern = "\\.conf$" TEMPLATE,
     .help = "a file's name, such as 10-limits.conf"},
    {.name = "content", .flags = SHAPE_REQUIRED, .help = "its lines"},
};
static const struct shape drop_in_shape = SHAPE("SystemDropIn", drop_in_members);

#define UNIT_TYPES "\\.(service|socket|device|mount|target|automount|swap|timer|path|slice|scope)$"

static const struct shape_member unit_members[] = {
    {.name = "name",
     .flags = SHAPE_REQUIRED,
     .pattern = UNIT_TYPES TEMPLATE,
     .help = "the whole name, such as docker.service"},
    {.name = "command",
     .choices = "start|stop|restart",
     .help = "done with it when user-data is applied"},
    {.name = "enable",
     .type = SHAPE_BOOL,
     .help = "start it at boot, or do not; if absent, it is left as it is"},
    {.name = "mask", .type = SHAPE_BOOL, .initial = "false", .help = "nothing can start it"},
    {.name = "content", .help = "the unit file; absent for a unit of the image"},
    {.name = "dropIns",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &drop_in_shape,
     .help = "files that change the unit"},
    {.name = "filePaths",
     .form = SHAPE_LIST,
     .pattern = "^/" TEMPLATE,
     .help = "paths of files: the unit restarts if one of them changes"},
    {.name = "reported",
     .type = SHAPE_BOOL,
     .initial = "false",
     .help = "status.units has its name"},
    AFTER,
    WHEN("unit"),
};
static const struct shape unit_shape = SHAPE("SystemUnit", unit_members);

static const struct shape_member link_members[] = {
    {.name = "path",
     .flags = SHAPE_REQUIRED,
     .pattern = "^/" TEMPLATE,
     .help = "where the link is, absolute"},
    {.name = "target", .flags = SHAPE_FILLED, .help = "what it leads to"},
    WHEN("link"),
};
static const struct shape link_shape = SHAPE("SystemLink", link_members);

static const struct shape_member part_members[] = {
    {.name = "contentType",
     .flags = SHAPE_REQUIRED,
     .pattern = "^[ -~]+/[ -~]+$",
     .help = "such as text/x-shellscript, with parameters after ;"},
    {.name = "text", .flags = SHAPE_REQUIRED, .help = "the part's bytes"},
    WHEN("part"),
};
static const struct shape part_shape = SHAPE("SystemPart", part_members);

/* ---- stages ------------------------------------------------------------------------------ */

static const struct shape_member start_members[] = {
    {.name = "units",
     .choices = "spec|none",
     .initial = "spec",
     .help = "which of the OperatingSystemConfig's units start: all, or none"},
    {.name = "except",
     .form = SHAPE_LIST,
     .pattern = UNIT_TYPES,
     .help = "names of units that do not start"},
    {.name = "noBlock", .type = SHAPE_BOOL, .initial = "false", .help = "do not wait for them"},
};
static const struct shape start_shape = SHAPE("SystemStart", start_members);

static const struct shape_member update_members[] = {
    {.name = "command", .flags = SHAPE_REQUIRED, .help = "the program that updates the system"},
    {.name = "args", .form = SHAPE_LIST, .help = "its arguments"},
    WHEN("update"),
};
static const struct shape update_shape = SHAPE("SystemUpdate", update_members);

/* The members of a stage; `user` are the flags of those that make user-data. */
#define STAGE_MEMBERS(format_flags, user, status)                                                  \
	{.name = "format",                                                                         \
	 .flags = (format_flags),                                                                  \
	 .choices = USERDATA_FORMATS,                                                              \
	 .help = "the format of user-data"},                                                       \
	    {.name = "once",                                                                       \
	     .type = SHAPE_BOOL,                                                                   \
	     .flags = (user),                                                                      \
	     .initial = "false",                                                                   \
	     .help = "the script does nothing once it has run to its end (bash)"},                 \
	    {.name = "files",                                                                      \
	     .type = SHAPE_MAP,                                                                    \
	     .form = SHAPE_LIST,                                                                   \
	     .of = &file_shape,                                                                    \
	     .help = "files beside those of the OperatingSystemConfig"},                           \
	    {.name = "units",                                                                      \
	     .type = SHAPE_MAP,                                                                    \
	     .form = SHAPE_LIST,                                                                   \
	     .of = &unit_shape,                                                                    \
	     .help = "units beside those of the OperatingSystemConfig"},                           \
	    {.name = "links",                                                                      \
	     .type = SHAPE_MAP,                                                                    \
	     .form = SHAPE_LIST,                                                                   \
	     .of = &link_shape,                                                                    \
	     .flags = (user),                                                                      \
	     .help = "symbolic links"},                                                            \
	    {.name = "multipart",                                                                  \
	     .type = SHAPE_MAP,                                                                    \
	     .form = SHAPE_LIST,                                                                   \
	     .of = &part_shape,                                                                    \
	     .flags = (user),                                                                      \
	     .help = "MIME parts before the user-data (bash, cloud-config)"},                      \
	    {.name = "before",                                                                     \
	     .flags = (user),                                                                      \
	     .help = "commands before files are written (bash, cloud-config)"},                    \
	    {.name = "after",                                                                      \
	     .flags = (user),                                                                      \
	     .help = "commands after files and units are written (bash, cloud-config)"},           \
	    {.name = "start",                                                                      \
	     .type = SHAPE_MAP,                                                                    \
	     .of = &start_shape,                                                                   \
	     .flags = (user),                                                                      \
	     .help = "which units start (bash, cloud-config)"},                                    \
	    {.name = "enableUnits",                                                                \
	     .type = SHAPE_BOOL,                                                                   \
	     .flags = (user),                                                                      \
	     .help = "the default of enable for units of the OperatingSystemConfig"},              \
	    {.name = "inPlaceUpdate",                                                              \
	     .type = SHAPE_MAP,                                                                    \
	     .of = &update_shape,                                                                  \
	     .flags = (status),                                                                    \
	     .help = "how a node updates its operating system without a new machine"},             \
	    {.name = "cloudInit",                                                                  \
	     .flags = (user),                                                                      \
	     .help = "other members of cloud-init's configuration, as lines of YAML"},             \
	    {.name = "rebootStrategy",                                                             \
	     .flags = (user),                                                                      \
	     .choices = "best-effort|etcd-lock|off|reboot",                                        \
	     .help = "locksmithd's strategy, in quotes (coreos-cloud-config)"},                    \
	{                                                                                          \
		.name = "cgroupDriver", .flags = (status), .choices = "cgroupfs|systemd",          \
		.help = "instead of the OperatingSystemConfig's criConfig.cgroupDriver"            \
	}

static const struct shape_member provision_members[] = {
    STAGE_MEMBERS(SHAPE_REQUIRED, 0, GARDENER_MISPLACED)};
static const struct shape provision_shape = SHAPE("Provision", provision_members);

static const struct shape_member reconcile_members[] = {
    STAGE_MEMBERS(GARDENER_ONLY_2021, GARDENER_ONLY_2021, GARDENER_ONLY_CURRENT)};
const struct shape system_reconcile_shape = SHAPE("Reconcile", reconcile_members);

/* ---- the document ------------------------------------------------------------------------ */

#define FORM_MEMBERS                                                                               \
	{.name = "command",                                                                        \
	 .flags = GARDENER_ONLY_2021,                                                              \
	 .help = "status.command: how a node applies its user-data again (contract 2021)"},        \
	    {.name = "provision",                                                                  \
	     .type = SHAPE_MAP,                                                                    \
	     .of = &provision_shape,                                                               \
	     .flags = SHAPE_REQUIRED,                                                              \
	     .help = "the first boot"},                                                            \
	{                                                                                          \
		.name = "reconcile", .type = SHAPE_MAP, .of = &system_reconcile_shape,             \
		.help = "the running node; contract 2021 requires it"                              \
	}

static const struct shape_member form_members[] = {FORM_MEMBERS};
const struct shape system_form_shape = SHAPE("SystemForm", form_members);

static const struct shape_member config_members[] = {
    {.name = "types",
     .form = SHAPE_LIST,
     .flags = SHAPE_REQUIRED,
     .pattern = ".",
     .help = "those of the document's types that have this object"},
    {.name = "apiVersion", .flags = SHAPE_REQUIRED, .help = "that the object must have"},
    {.name = "kind", .flags = SHAPE_REQUIRED, .help = "that the object must have"},
    {.name = "members",
     .form = SHAPE_DICT,
     .flags = SHAPE_REQUIRED,
     .choices = "string|bool|list|map",
     .help = "the object's members with their types"},
};
static const struct shape config_shape = SHAPE("ProviderConfig", config_members);

static const struct shape_member spec_members[] = {
    {.name = "version",
     .flags = SHAPE_REQUIRED,
     .pattern = "^v[0-9]+\\.[0-9]+\\.[0-9]+",
     .help = "such as v1.0.0, for people"},
    {.name = "types",
     .form = SHAPE_LIST,
     .flags = SHAPE_FILLED,
     .pattern = ".",
     .help = "each spec.type of OperatingSystemConfigs that the document is for"},
    {.name = "contract",
     .type = SHAPE_INT_OR_TEXT,
     .flags = SHAPE_REQUIRED,
     .choices = "2021|current",
     .help = "which Gardener it is for, as in the setting gardenerContract"},
    FORM_MEMBERS,
    {.name = "cloudConfig",
     .type = SHAPE_MAP,
     .of = &system_form_shape,
     .help = "stages of format cloud-config, for the setting gardenerFormat: cloud-config"},
    {.name = "providerConfig",
     .type = SHAPE_MAP,
     .form = SHAPE_LIST,
     .of = &config_shape,
     .help = "the objects that spec.providerConfig may be; without one, it is not checked"},
    {.name = "templates",
     .form = SHAPE_DICT,
     .help = "named templates, for {{ template \"NAME\" . }} in others"},
    {.name = "readOnly",
     .form = SHAPE_LIST,
     .pattern = "^/",
     .help = "folders that nodes cannot write to, such as /usr"},
};
static const struct shape spec_shape = SHAPE("OperatingSystemExtensionSpec", spec_members);

static const struct shape_member system_members[] = {
    {.name = "apiVersion", .flags = SHAPE_FILLED, .choices = "osm-gen.dev/v1alpha1"},
    {.name = "kind", .flags = SHAPE_FILLED, .choices = GARDENER_SYSTEM_KIND},
    {.name = "metadata",
     .type = SHAPE_MAP,
     .of = &gardener_metadata_shape,
     .flags = SHAPE_REQUIRED,
     .help = "its name"},
    {.name = "spec",
     .type = SHAPE_MAP,
     .of = &spec_shape,
     .flags = SHAPE_REQUIRED,
     .help = "what the operating system needs"},
};
const struct shape gardener_system_shape = {
    .name = GARDENER_SYSTEM_KIND,
    .members = system_members,
    .count = COUNT_OF(system_members),
    .is_open = true,
};

/* ---- messages ---------------------------------------------------------------------------- */

/* An item of a list, in messages. */
static const struct item_words {
	const char *list;
	const char *item;
	const char *map;    /* as the place of an unknown member; null for `item` */
	const char *wanted; /* a string that is an item; null for the usual words */
	const char *help;
} items[] = {
    {"args", "an argument", NULL, NULL, NULL},
    {"dropIns", "a drop-in", NULL, NULL, NULL},
    {"except", "the name of a unit", NULL, "a name that systemd accepts",
     "write the whole name, such as docker.service"},
    {"filePaths", "a path", NULL, NULL, NULL},
    {"files", "a file", NULL, NULL, NULL},
    {"links", "a link", NULL, NULL, NULL},
    {"multipart", "a part", "a part of multipart", NULL, NULL},
    {"providerConfig", "a provider's configuration", "providerConfig", NULL, NULL},
    {"readOnly", "the path of a folder", NULL, "a string", "write it as /usr"},
    {"types", "a type", NULL, "a string",
     "write the spec.type of the OperatingSystemConfigs that it is for"},
    {"units", "a unit", NULL, NULL, NULL},
};

static const struct item_words *words_of_item(const struct shape_place *place)
{
	for (size_t i = 0; i < COUNT_OF(items); i++)
		if (sv_eq(place->outer->name, sv_from_cstr(items[i].list)))
			return &items[i];
	BUG("a list of an OperatingSystemExtension");
}

static void report_item(struct system_reader *r, const struct shape_problem *problem)
{
	const struct item_words *words = words_of_item(problem->place);
	struct diag *diag;

	if (!words->wanted) {
		(void)schema_report(&r->schema, problem, sv_from_cstr(words->item), 0);
		return;
	}
	diag = system_report(r, value_position(problem->value), "%s must be %s", words->item,
	                     words->wanted);
	diag_set_help(r->schema.sink, diag, "%s", words->help);
}

/* Reports a value of a map with any keys: a named template, or the type of a member. */
static void report_entry(struct system_reader *r, const struct shape_problem *problem)
{
	sv key = problem->place->name;
	struct diag *diag;

	if (problem->kind == SHAPE_NO_CHOICE) {
		(void)schema_report(&r->schema, problem, SV("type of a member"), 0);
	} else if (problem->shape == &config_shape) {
		(void)schema_report(&r->schema, problem, key, 0);
	} else {
		diag = system_report(r, value_position(problem->value),
		                     "template \"%.*s\" must be a string", SV_ARG(key));
		diag_set_help(r->schema.sink, diag,
		              "put it in quotes, or write it as a block after |");
	}
}

static void report_empty(struct system_reader *r, const struct shape_problem *problem)
{
	bool is_list = problem->member->form == SHAPE_LIST;
	struct diag *diag =
	    system_report(r, value_position(problem->value), "%s %s", problem->member->name,
	                  is_list ? "is empty" : "\"\" must not be empty");

	diag_set_help(r->schema.sink, diag,
	              is_list ? "list the spec.type of the OperatingSystemConfigs that it is for"
	                      : "write what the link leads to");
}

/* Reports a member that the contract, or the stage, does not have. */
static void report_misplaced(struct system_reader *r, const struct shape_problem *problem)
{
	const char *name = problem->member->name;
	const struct value *v = problem->value;

	if (problem->shape == &spec_shape || problem->shape == &system_form_shape) {
		if (value_is_null(v))
			return;
		struct diag *diag =
		    system_report(r, value_position(v), "contract current has no status.%s", name);
		diag_set_help(r->schema.sink, diag, "remove it, or write contract: \"2021\"");
	} else if (strcmp(name, "inPlaceUpdate") == 0) {
		system_refuse(r, v, name,
		              "only reconcile under contract current has a status for it");
	} else if (strcmp(name, "cgroupDriver") == 0) {
		system_refuse(
		    r, v, name,
		    "only gardener-node-agent, under contract current, configures containerd");
	} else if (strcmp(name, "format") == 0) {
		system_refuse(r, v, name,
		              "under contract current, reconcile has no user-data; its files and "
		              "units are in the status");
	} else {
		system_refuse(r, v, name,
		              "under contract current, gardener-node-agent applies files and "
		              "units, and nothing else");
	}
}

/* Returns the map of an unknown member, or a member in a message about its choices. */
static sv subject_of(const struct shape_problem *problem)
{
	const struct shape_place *place = problem->place;

	if (problem->kind == SHAPE_UNKNOWN && place->is_item) {
		const struct item_words *words = words_of_item(place);

		return sv_from_cstr(words->map ? words->map : words->item);
	}
	if (problem->kind == SHAPE_NO_CHOICE && problem->shape == &start_shape)
		return SV("units of start");
	if (problem->kind == SHAPE_NO_CHOICE && problem->shape == &unit_shape)
		return SV("command of a unit");
	return place->name;
}

static void report_system_problem(struct shape_reader *reader, const struct shape_problem *problem)
{
	struct system_reader *r = reader->context;

	if (problem->kind == SHAPE_ELSEWHERE)
		report_misplaced(r, problem);
	else if (problem->kind == SHAPE_EMPTY)
		report_empty(r, problem);
	else if (problem->is_item && problem->place->is_item)
		report_item(r, problem);
	else if (problem->is_item)
		report_entry(r, problem);
	else if (problem->member && strcmp(problem->member->name, "permissions") == 0)
		system_report_mode(r, problem->value);
	else
		(void)schema_report(&r->schema, problem, subject_of(problem), 0);
}

struct value system_take(struct system_reader *r, const struct value *root)
{
	bool is_current = r->contract == GARDENER_CURRENT;
	struct shape_reader reader = {
	    .arena = r->schema.arena,
	    .options = SHAPE_REFUSES_NULLS | SHAPE_TABLE_ORDER,
	    .absent =
	        GARDENER_MISPLACED | (is_current ? GARDENER_ONLY_2021 : GARDENER_ONLY_CURRENT),
	    .report = report_system_problem,
	    .context = r,
	};

	return shape_take(&reader, &gardener_system_shape, NULL, root);
}
