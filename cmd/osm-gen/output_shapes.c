/*
 * The documents that commands print with -o json, a table each: docs/output.schema.json is made of
 * it. The trees are made by src/report, src/audit and the commands; tests/cli/json.sh compares
 * them.
 */
#include "schema.h"

/* clang-format off */
#define CLASSES "REMOVE|SCALE|ADD|ROLL|IN-PLACE|UNKNOWN|NEW-NODES-ONLY|METADATA|NONE"
enum { MUST = SHAPE_REQUIRED, NULLABLE = SHAPE_REQUIRED | SHAPE_NULLABLE };

#define TEXT(text, must, about)   ROW_TEXT(text, about, .flags = (must))
#define COUNT(text, must, about)  SHAPE_ROW(text, UINT, ONE, about, .flags = (must))
#define FLAG(text, must, about)   ROW_BOOL(text, about, .flags = (must))
#define LIST(text, must, about)   ROW_TEXTS(text, about, .flags = (must))
#define MAP(text, shape, must, about)    ROW_MAP(text, shape, about, .flags = (must))
#define MAPS(text, shape, must, about)   ROW_MAPS(text, shape, about, .flags = (must))
#define CHOICE(text, must, words, about)   ROW_TEXT(text, about, .flags = (must), .choices = (words))
#define CHOICES(text, must, words, about)  ROW_TEXTS(text, about, .flags = (must), .choices = (words))
#define CODE(about) {.name = "code", .flags = MUST, .pattern = "^OSG[0-9]{4}$", .help = (about)}
#define FORMAT  \
	{.name = "formatVersion", .flags = MUST, .pattern = "^[0-9]+\\.[0-9]+$",  \
	 .help = "the minor number grows when members are added, the major one when members change their meaning"}

/* ---- units --------------------------------------------------------------------------------- */

#define NAME_MEMBERS  \
    TEXT("cluster", MUST, "name of the cluster"),  \
    TEXT("namespace", MUST, "its namespace"),  \
    TEXT("name", MUST, "its name")
#define KIND TEXT("kind", MUST, "the kind of the object: MachineDeployment, OperatingSystemConfig")
#define REPLICAS COUNT("replicas", NULLABLE, "machines, by the manifest; null if the number is not known")
#define SOURCE TEXT("source", 0, "the file of its manifest"),  \
    COUNT("line", 0, "the line there, from 1")

SHAPE_TABLE(name, "name",
    NAME_MEMBERS
);

SHAPE_TABLE(scale, "scale",
    COUNT("before", NULLABLE, "null if the output had no number"),
    COUNT("after", NULLABLE, "null if the output has no number"),
);

SHAPE_TABLE(leaving, "leaving",
    NAME_MEMBERS,
    REPLICAS,
    MAP("scale", scale, 0, "spec.replicas in the output, before and now"),
    SOURCE,
    TEXT("reason", 0, "of a removed one: why it is gone"),
);

SHAPE_TABLE(bytes, "bytes",
    COUNT("bytes", MUST, "size of the user-data"),
    COUNT("limit", 0, "the most that the provider takes; absent without a limit"),
);

SHAPE_TABLE(profile, "profile",
    TEXT("name", MUST, "its name"),
    TEXT("version", MUST, "its spec.version"),
);

#define EFFECT_MEMBERS(must)  \
    CHOICE("class", (must), CLASSES, "what happens to machines")
#define RUNNING_MEMBERS  \
    MAP("scale", scale, 0, "spec.replicas in the output, if it changes"),  \
    FLAG("templateUnknown", 0, "true if spec.template could not be compared"),  \
    TEXT("reason", 0, "of class UNKNOWN: why it is unknown"),  \
    LIST("restarts", 0, "units of systemd that running nodes restart"),  \
    LIST("stops", 0, "units of systemd that running nodes stop"),  \
    SOURCE

SHAPE_TABLE(report_unit, "reportUnit",
    NAME_MEMBERS,
    KIND,
    TEXT("provider", 0, "the cloud provider"),
    TEXT("operatingSystem", 0, "the operating system"),
    MAP("profile", profile, 0, "the profile that it is rendered with"),
    MAP("bootstrap", bytes, 0, "user-data of the first boot"),
    MAP("provisioning", bytes, 0, "user-data that the first boot fetches"),
    CHOICE("change", MUST, "unchanged|added|changed|removed", "its files"),
    EFFECT_MEMBERS(0),
    COUNT("replicas", SHAPE_NULLABLE, "machines, by the manifest; null if the number is not known"),
    RUNNING_MEMBERS,
);

SHAPE_TABLE(plan_unit, "planUnit",
    NAME_MEMBERS,
    KIND,
    TEXT("profile", 0, "name of the profile that it is rendered with"),
    EFFECT_MEMBERS(SHAPE_REQUIRED),
    REPLICAS,
    RUNNING_MEMBERS,
);

/* ---- what a change does -------------------------------------------------------------------- */

SHAPE_TABLE(at, "at",
    TEXT("path", MUST, "the file"),
    COUNT("line", 0, "the line, from 1"),
);

SHAPE_TABLE(fact, "fact",
    CHOICE("kind", MUST, REPORT_FACT_KINDS, "a kind of note, or the class of a group"),
    CHOICE("severity", MUST, "stop|look|routine", "stop: machines or clusters are lost, others read secrets, nodes run code from elsewhere"),
    TEXT("headline", MUST, "one line, with old and new values"),
    COUNT("units", MUST, "MachineDeployments and OperatingSystemConfigs that it is about"),
    COUNT("machines", NULLABLE, "null if the number is not known of each unit, or the fact has no units"),
    COUNT("clusters", MUST, "clusters that it is about"),
    LIST("where", MUST, "names of the units, else of the clusters: all of up to five, else the first"),
    MAP("at", at, 0, "the manifest of the first unit that is removed, added or changes"),
);

SHAPE_TABLE(note, "note",
    TEXT("title", MUST, "what kind of change it is"),
    TEXT("text", MUST, "what changed"),
    MAPS("units", name, MUST, "where"),
);

SHAPE_TABLE(field, "field",
    TEXT("name", MUST, "as its provider, Kubernetes or osm-gen calls it"),
    TEXT("before", MUST, "empty if it was not there"),
    TEXT("after", MUST, "empty if it is not there"),
);

SHAPE_TABLE(group, "group",
    TEXT("heading", MUST, "the change in one line"),
    CHOICE("class", MUST, CLASSES, "what happens to machines"),
    COUNT("clusters", MUST, "clusters that have such units"),
    MAPS("fields", field, MUST, "what changed, with values"),
    TEXT("diff", 0, "a unified diff of what is not among the fields"),
    MAPS("units", name, MUST, "the units that change in this way"),
);

SHAPE_TABLE(count, "count",
    COUNT("units", MUST, "number of units"),
    COUNT("replicas", MUST, "number of their machines, as far as it is known"),
);
SHAPE_TABLE(classes, "classes",
    MAP("REMOVE", count, 0, "machines are deleted"),
    MAP("SCALE", count, 0, "another number of machines"),
    MAP("ADD", count, 0, "new units"),
    MAP("ROLL", count, 0, "machines are replaced"),
    MAP("IN-PLACE", count, 0, "running nodes apply the change"),
    MAP("UNKNOWN", count, 0, "could not be compared"),
    MAP("NEW-NODES-ONLY", count, 0, "only machines made later get the change"),
    MAP("METADATA", count, 0, "no effect on nodes"),
    MAP("NONE", count, 0, "nothing changes"),
);
SHAPE_TABLE(cluster, "cluster",
    TEXT("cluster", MUST, "name of the cluster"),
    MAP("classes", classes, MUST, "the classes that it has"),
);

SHAPE_TABLE(pace, "pace",
    TEXT("maxSurge", MUST, "as the strategy of the units has it"),
    TEXT("maxUnavailable", MUST, "as the strategy of the units has it"),
    COUNT("units", MUST, "units with this strategy"),
    COUNT("replicas", MUST, "their machines"),
    COUNT("more", MUST, "machines that there are at once beside them, at most"),
    COUNT("fewer", MUST, "machines that are missing at once, at most"),
);
SHAPE_TABLE(step, "step",
    COUNT("from", MUST, "the first step, from 1"),
    COUNT("to", MUST, "the last step"),
    COUNT("machines", MUST, "machines that are replaced in each of these steps"),
);
SHAPE_TABLE(kubelet, "kubelet",
    TEXT("kubelet", MUST, "version of the kubelets"),
    TEXT("controlPlane", MUST, "version of the control plane"),
    COUNT("minorsBehind", MUST, "minor versions that the kubelet is older"),
    COUNT("minorsAhead", MUST, "minor versions that the kubelet is newer"),
    COUNT("units", MUST, "units with these versions"),
);
SHAPE_TABLE(rollout, "rollout",
    COUNT("more", MUST, "machines that there are at once beside the usual ones, at most"),
    COUNT("fewer", MUST, "machines that are missing at once, at most"),
    MAPS("paces", pace, MUST, "the strategies of the units that roll"),
    MAPS("steps", step, MUST, "the machines that are replaced in each step; a step takes as long as a new machine needs to become ready"),
    MAPS("kubelets", kubelet, MUST, "kubelets of another minor version than their control plane"),
);

#define CHANGE_MEMBERS  \
    MAPS("facts", fact, MUST, "what a reviewer must know, the worst first"),  \
    MAPS("removed", leaving, MUST, "units that are not in the output any more"),  \
    MAPS("scaled", leaving, MUST, "units whose spec.replicas in the output changes"),  \
    MAPS("added", leaving, MUST, "units that the output did not have"),  \
    MAPS("notes", note, MUST, "changes that deserve a second look"),  \
    MAP("classes", classes, MUST, "units and machines of each class"),  \
    MAPS("clusters", cluster, MUST, "the clusters that change"),  \
    MAP("rollout", rollout, MUST, "how fast machines are replaced"),  \
    MAPS("groups", group, MUST, "equal changes of many units")

/* ---- report: generate, merge, check, diff, validate ---------------------------------------- */

#define PLACE_MEMBERS  \
    TEXT("path", 0, "the file"),  \
    COUNT("line", 0, "from 1"),  \
    COUNT("column", 0, "bytes from the line's beginning, from 1"),  \
    COUNT("length", 0, "bytes that it is about")

SHAPE_TABLE(diag_note, "diagnosticNote",
    PLACE_MEMBERS,
    TEXT("message", MUST, "what is there"),
);
SHAPE_TABLE(diagnostic, "diagnostic",
    CODE("osm-gen explain CODE has more"),
    CHOICE("severity", MUST, "error|warning", "an error ends the run"),
    CHOICE("class", MUST, "input|surroundings", "who can correct it: the author of the inputs, or the runner of osm-gen"),
    TEXT("title", MUST, "what the code is about"),
    TEXT("message", MUST, "what is wrong here"),
    PLACE_MEMBERS,
    TEXT("object", 0, "the object, as KIND NAMESPACE/NAME"),
    TEXT("cluster", 0, "the cluster's name"),
    MAPS("notes", diag_note, 0, "other places that matter"),
    TEXT("help", 0, "what to do"),
);

SHAPE_TABLE(tool, "tool",
    CHOICE("name", MUST, "osm-gen", "the program"),
    TEXT("version", MUST, "its version"),
);
SHAPE_TABLE(push, "push",
    TEXT("remote", MUST, "its name or URL, without user and password"),
    TEXT("branch", MUST, "the branch there"),
    TEXT("brought", 0, "the remote's commit that the local branch was set to, if it was"),
    TEXT("commit", 0, "the commit that was pushed, if one was"),
    TEXT("notes", 0, "the ref in which the source is noted as processed"),
    COUNT("retries", MUST, "how often others were first"),
);
SHAPE_TABLE(file_count, "fileCounts",
    COUNT("added", MUST, "new files"),
    COUNT("changed", MUST, "files with another content"),
    COUNT("removed", MUST, "files that are gone"),
    COUNT("unchanged", MUST, "files that stay"),
);
SHAPE_TABLE(total, "counts",
    COUNT("clusters", MUST, "clusters of the fleet"),
    COUNT("profiles", MUST, "profiles that are used"),
    COUNT("units", MUST, "MachineDeployments and OperatingSystemConfigs of the fleet"),
    COUNT("machineDeployments", MUST, "those that are MachineDeployments"),
    {.name = "kinds", .type = SHAPE_UINT, .form = SHAPE_DICT, .flags = MUST, .help = "units of each kind"},
    MAP("files", file_count, MUST, "files of the output"),
    COUNT("errors", MUST, "diagnostics of this severity"),
    COUNT("warnings", MUST, "diagnostics of this severity"),
);

#define SEALED(must)  \
    CHOICES("sealed", (must), "value|recipients|seed|unknown", "of a sealed file: what changed in it; unknown without a key")
SHAPE_TABLE(file, "file",
    TEXT("path", MUST, "its path"),
    CHOICE("change", MUST, "added|changed|removed", "what happens to it"),
    SEALED(0),
);
SHAPE_TABLE(sealed_file, "sealedFile",
    TEXT("path", MUST, "its path"),
    SEALED(MUST),
);

SHAPE_TABLE(report, "report",
    FORMAT,
    MAP("tool", tool, MUST, "the program that wrote it"),
    CHOICE("command", MUST, "generate|merge|check|diff|plan|validate|render|compare", "the command"),
    CHOICE("outcome", MUST, "committed|written|unchanged|differs|valid|failed", "how it ended"),
    TEXT("sourceCommit", 0, "the commit of the inputs"),
    TEXT("commit", 0, "the commit that was made"),
    TEXT("branch", 0, "the branch that it is on"),
    TEXT("replaced", 0, "the commit that the branch had, if --history replaced it"),
    MAP("push", push, 0, "what --push did"),
    TEXT("out", 0, "the output folder"),
    CHANGE_MEMBERS,
    LIST("programs", 0, "other programs that ran, with versions and what for"),
    MAP("counts", total, MUST, "numbers of the whole run"),
    MAPS("units", report_unit, MUST, "all units"),
    MAPS("machineDeployments", report_unit, MUST, "those that are MachineDeployments, once more"),
    MAPS("files", file, MUST, "files that change"),
    MAPS("diagnostics", diagnostic, MUST, "errors and warnings"),
);

/* ---- plan, upgrade ------------------------------------------------------------------------- */

SHAPE_TABLE(plan, "plan",
    FORMAT,
    CHANGE_MEMBERS,
    MAPS("units", plan_unit, MUST, "all units"),
    MAPS("sealed", sealed_file, MUST, "sealed files that change"),
    FLAG("withoutSeed", MUST, "true if sealed files could not be compared"),
    COUNT("notCompared", MUST, "units that could not be compared"),
);

/* ---- other commands ------------------------------------------------------------------------ */

SHAPE_TABLE(render, "render",
    FORMAT,
    TEXT("unit", MUST, "the unit, as it was asked for"),
    TEXT("print", MUST, "the part, as it was asked for"),
    TEXT("text", MUST, "the rendering, with secrets masked unless they were asked for"),
);

SHAPE_TABLE(list_unit, "listUnit",
    NAME_MEMBERS,
    KIND,
    TEXT("provider", 0, "the cloud provider"),
    TEXT("operatingSystem", 0, "the operating system"),
    TEXT("profile", 0, "name of the profile"),
    TEXT("profileVersion", 0, "its spec.version"),
    TEXT("kubeletVersion", 0, "version of the kubelet"),
    COUNT("replicas", 0, "machines; absent if the number is not known"),
);
SHAPE_TABLE(list, "list",
    FORMAT,
    MAPS("units", list_unit, MUST, "sorted by cluster, namespace, name"),
);

SHAPE_TABLE(checked, "checked",
    COUNT("files", MUST, "files of the output"),
    COUNT("sealed", MUST, "sealed files"),
    COUNT("opened", MUST, "sealed files that an identity opened"),
    COUNT("resealed", MUST, "sealed files that the seed made again"),
);
SHAPE_TABLE(voucher, "voucher",
    TEXT("commit", MUST, "the commit that vouches for the output"),
    TEXT("source", MUST, "the commit of the inputs that it names"),
);
SHAPE_TABLE(verify_finding, "verifyFinding",
    CODE("osm-gen explain CODE has more"),
    TEXT("path", MUST, "the file"),
    TEXT("text", MUST, "what is wrong"),
    LIST("notes", 0, "what else is known of it: which commit did it, other files"),
    TEXT("help", 0, "what to do"),
);
SHAPE_TABLE(verify, "verify",
    FORMAT,
    CHOICE("generator", MUST, "osm-gen verify", "the command"),
    TEXT("commit", MUST, "the commit that was audited; empty for files"),
    TEXT("out", MUST, "the output folder"),
    FLAG("seed", MUST, "true if a seed was given"),
    FLAG("identity", MUST, "true if an identity was given"),
    MAP("checked", checked, MUST, "what was looked at"),
    MAPS("vouchers", voucher, MUST, "the commits that vouch for the output"),
    LIST("notes", MUST, "what was found without being wrong"),
    LIST("undecided", MUST, "what could not be decided"),
    MAPS("findings", verify_finding, MUST, "what is wrong"),
    COUNT("more", MUST, "findings that are not listed"),
);

SHAPE_TABLE(doctor_finding, "doctorFinding",
    TEXT("check", MUST, "what was checked"),
    CHOICE("level", MUST, "ok|note|look|wrong", "how bad it is"),
    TEXT("text", MUST, "what was found"),
    TEXT("help", 0, "what to do"),
);
SHAPE_TABLE(doctor, "doctor",
    FORMAT,
    MAPS("findings", doctor_finding, MUST, "one or more a check"),
);

SHAPE_TABLE(item, "item",
    TEXT("kind", MUST, "binary, package, image, key, ..."),
    TEXT("name", MUST, "its name"),
    TEXT("version", 0, "its version"),
    TEXT("architecture", 0, "of the processor"),
    TEXT("url", 0, "where machines fetch it"),
    TEXT("upstream", 0, "where it would be fetched without a mirror"),
    TEXT("sha256", 0, "the checksum that is compared"),
    TEXT("fingerprint", 0, "of a key"),
    TEXT("from", 0, "what fetches it"),
    TEXT("setting", 0, "the setting that moves it to a mirror"),
    LIST("units", MUST, "the units whose machines fetch it"),
);
SHAPE_TABLE(inventory, "inventory",
    FORMAT,
    MAPS("items", item, MUST, "what machines fetch"),
    LIST("notInventoried", MUST, "units of which it is not known"),
);

SHAPE_TABLE(effective, "effective",
    {.name = "value", .type = SHAPE_ANY, .flags = MUST, .help = "the value that applies; null if it is unset"},
    TEXT("from", MUST, "what set it: a file, an option, the default"),
    TEXT("at", 0, "the file and line"),
);
static const struct shape_member effective_member = MAP("SETTING", effective, 0, "a setting");
static const struct shape effectives = {.name = "effectives", .others = &effective_member};
static const struct shape_member section = MAP("SECTION", effectives, 0, "a section of settings");
static const struct shape sections = {.name = "sections", .others = &section};
static const struct shape_member config_cluster_members[] = {
    TEXT("name", MUST, "name of the cluster"),
    TEXT("folder", MUST, "its folder in the repository"),
    MAP("settings", effectives, MUST, "its settings"),
};
static const struct shape config_cluster = {
    .name = "configCluster",
    .members = config_cluster_members,
    .count = COUNT_OF(config_cluster_members),
    .others = &section,
};
SHAPE_TABLE(config, "config",
    FORMAT,
    MAP("fleet", sections, MUST, "what holds for the whole fleet"),
    MAPS("clusters", config_cluster, MUST, "what holds for each cluster"),
);

SHAPE_TABLE(found, "found",
    CHOICE("result", MUST, "equal|equalBut|differs|onlyHere|onlyLive|notCompared", "how the two compare"),
    TEXT("kind", MUST, "of the object"),
    TEXT("namespace", MUST, "empty for objects without one"),
    TEXT("name", MUST, "its name"),
    TEXT("but", 0, "what differs without a meaning"),
    TEXT("place", 0, "the member that differs"),
    COUNT("line", 0, "the line of its text, from 1"),
    TEXT("here", 0, "the value that osm-gen makes"),
    TEXT("live", 0, "the value of the live object"),
);
SHAPE_TABLE(template_change, "templateChange",
    TEXT("place", MUST, "the member of spec.template"),
    TEXT("here", MUST, "the value that osm-gen makes"),
    TEXT("live", MUST, "the value of the live object"),
);
#define LIVE_UNIT_MEMBERS \
    TEXT("namespace", MUST, "its namespace"), \
    TEXT("name", MUST, "its name"), \
    TEXT("revision", 0, "the revision of the output"), \
    TEXT("liveRevision", 0, "the revision of the live one"), \
    COUNT("replicas", 0, "machines, by the output; absent if the number is not known")
SHAPE_TABLE(compared, "compared",
    LIVE_UNIT_MEMBERS,
    CHOICE("template", MUST, "same|other|unknown", "other: its machines would be replaced"),
    MAPS("changes", template_change, 0, "what differs in spec.template"),
    FLAG("applied", MUST, "true if the output has the MachineDeployment itself"),
    COUNT("liveReplicas", 0, "machines of the live one"),
);
SHAPE_TABLE(applier, "applier",
    TEXT("program", MUST, "such as Helm release or Flux's Kustomization"),
    TEXT("source", 0, "the name of the release, Kustomization, ..., with its namespace if that is known"),
    TEXT("trace", MUST, "the annotation, label or field manager on the live objects"),
    TEXT("kind", MUST, "of the objects"),
    LIST("names", MUST, "the objects: NAMESPACE/NAME"),
    TEXT("handOver", MUST, "how to take them from it without deleting them"),
);
SHAPE_TABLE(compare, "compare",
    FORMAT,
    TEXT("cluster", MUST, "its name"),
    FLAG("equal", MUST, "true if nothing differs that has a meaning"),
    MAPS("objects", found, MUST, "objects of the output and live ones"),
    MAPS("machineDeployments", compared, MUST, "the units"),
    MAPS("appliers", applier, MUST, "the programs that apply the live MachineDeployments and profiles, by their traces"),
    LIST("differsByNature", MUST, "what is not compared, since it differs without a meaning"),
);

SHAPE_TABLE(observed, "observed",
    CHOICE("result", MUST, "asCommitted|sameRevision|otherRevision|otherContent|missing|onlyLive", "did the commit arrive"),
    TEXT("kind", MUST, "of the object"),
    TEXT("namespace", MUST, "empty for objects without one"),
    TEXT("name", MUST, "its name"),
    TEXT("place", 0, "the member that differs"),
    COUNT("line", 0, "the line of its text, from 1"),
    TEXT("revision", 0, "the revision of the output"),
    TEXT("liveRevision", 0, "the revision of the live one"),
);
SHAPE_TABLE(machine, "machine",
    TEXT("name", MUST, "its name"),
    TEXT("machineSet", MUST, "the MachineSet that owns it"),
    CHOICE("state", MUST, "current|otherRevision|noNode|deleting", "what becomes of it"),
    TEXT("revision", 0, "the revision that it was made with"),
    TEXT("node", 0, "its node"),
);
SHAPE_TABLE(observed_unit, "observedUnit",
    LIVE_UNIT_MEMBERS,
    TEXT("kind", 0, "if it is not a MachineDeployment"),
    FLAG("live", MUST, "true if it is there"),
    MAPS("machines", machine, 0, "its machines"),
);
SHAPE_TABLE(observed_node, "observedNode",
    TEXT("name", MUST, "of the Node"),
    TEXT("namespace", MUST, "of the Secret"),
    TEXT("secret", MUST, "the name of the Secret"),
    FLAG("applied", MUST, "true if the node has applied the committed one"),
);
SHAPE_TABLE(observe, "observe",
    FORMAT,
    TEXT("cluster", MUST, "its name"),
    TEXT("commit", MUST, "the commit of the output"),
    FLAG("settled", MUST, "true if the commit has arrived everywhere"),
    MAPS("objects", observed, MUST, "objects of the output and live ones"),
    MAPS("machineDeployments", observed_unit, MUST, "the units"),
    MAPS("nodes", observed_node, MUST, "Gardener: those that apply a Secret of the output by themselves"),
);

SHAPE_TABLE(explained, "explained",
    CODE("the code"),
    CHOICE("severity", MUST, "error|warning", "an error ends the run"),
    CHOICE("class", MUST, "input|surroundings|usage", "who can correct it: the author of the inputs, the runner of osm-gen, the author of the command line"),
    TEXT("title", MUST, "what it is about"),
    TEXT("explanation", MUST, "what it means and what to do, in paragraphs"),
);
SHAPE_TABLE(explain, "explain",
    FORMAT,
    MAPS("diagnostics", explained, MUST, "one, or all"),
);

SHAPE_TABLE(embedded, "embedded",
    TEXT("name", MUST, "its name"),
    TEXT("dialect", MUST, "osm or gardener"),
    TEXT("version", MUST, "its spec.version"),
    TEXT("summary", MUST, "operating system and providers"),
);
SHAPE_TABLE(profiles, "profiles",
    FORMAT,
    COUNT("contract", MUST, "the output contract that has these profiles"),
    MAPS("profiles", embedded, MUST, "the profiles inside the program"),
);

SHAPE_TABLE(schema, "schemaEntry",
    TEXT("name", MUST, "KIND or KIND/VARIANT: what osm-gen schema prints with this argument"),
    TEXT("apiVersion", MUST, "of the documents; empty for what osm-gen prints"),
    TEXT("about", MUST, "what such a document is"),
);
SHAPE_TABLE(schemas, "schema",
    FORMAT,
    MAPS("schemas", schema, MUST, "the documents that there is a schema of"),
);

SHAPE_TABLE(contracts, "contracts",
    COUNT("oldest", MUST, "the oldest output contract that it writes"),
    COUNT("newest", MUST, "the newest"),
);
SHAPE_TABLE(version, "version",
    FORMAT,
    CHOICE("name", MUST, "osm-gen", "the program"),
    TEXT("version", MUST, "its version"),
    TEXT("sourceDigest", MUST, "digest of its source, by which two builds of a version differ"),
    MAP("contracts", contracts, MUST, "the output contracts that it writes"),
    {.name = "controllers", .form = SHAPE_DICT, .flags = MUST, .help = "the controllers whose results it reproduces, with versions"},
    {.name = "libraries", .form = SHAPE_DICT, .flags = MUST, .help = "its libraries, with versions"},
);
/* clang-format on */

static const struct shape *const outputs[] = {&report,    &plan,   &list,    &verify,  &doctor,
                                              &inventory, &config, &compare, &observe, &explain,
                                              &profiles,  &render, &schemas, &version};

struct value output_schema(struct arena *arena)
{
	const struct shape_schema how = {.is_output = true};
	struct value definitions = value_map_new(arena);
	struct value any = value_list_new(arena);

	for (size_t i = 0; i < COUNT_OF(outputs); i++) {
		const struct shape_member whole = {.name = outputs[i]->name,
		                                   .type = SHAPE_MAP,
		                                   .of = outputs[i],
		                                   .flags = SHAPE_REQUIRED};

		value_list_add(arena, &any, shape_member_schema(arena, &whole, &how, &definitions));
	}
	return VALUE_MAP(
	    arena, {"$schema", value_string(SV("http://json-schema.org/draft-07/schema#"))},
	    {"title", value_string(SV("What osm-gen prints with -o json"))},
	    {"description",
	     value_string(
	         SV("A document of one command: #/definitions/report is that of generate, merge, "
	            "check, diff and validate, plan that of plan and upgrade; the others have "
	            "the command's name. Members may be added, so programs ignore those that "
	            "they do not know."))},
	    {"anyOf", any}, {"definitions", definitions});
}
