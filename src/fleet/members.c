/*
 * The members of osm-gen.yaml. schema.c reads a document by these shapes, json_schema.c makes the
 * JSON Schema for editors from them, and reference.c docs/settings.md.
 */
#include "fleet/internal.h"

static const struct shape_member sealing_members[] = {
    {.name = "format",
     .choices = "sops|sealed-secrets",
     .help = "the format of sealed files (default sops)"},
    {.name = "recipients",
     .form = SHAPE_LIST,
     .help = "age recipients, who can decrypt the output (default: those of .sops.yaml); only for "
             "the format sops"},
    {.name = "certificate",
     .help = "the committed file with the controller's certificate; only for the format "
             "sealed-secrets"},
    {.name = "scope",
     .choices = "strict|namespace-wide|cluster-wide",
     .help = "which other names and namespaces a SealedSecret is valid for (default strict: none); "
             "only for the format sealed-secrets"},
    {.name = "roundLengths",
     .type = SHAPE_INT,
     .least = 1,
     .most = 65536,
     .help = "lengths of secrets are rounded up to multiples of this number of bytes, 1 to 65536 "
             "(default 1); only for the format sops"},
    {.name = "fleet",
     .flags = FLEET_ONLY,
     .help = "a name that is part of all derivations from the seed, so that fleets with the same "
             "seed derive different secrets"},
    {.name = "inputs",
     .type = SHAPE_ANY,
     .form = SHAPE_DICT_LISTS,
     .flags = FLEET_ONLY,
     .help = "the recipients whose encrypted inputs may be decrypted for a cluster: {CLUSTER: "
             "[age1...]}"},
};
static const struct shape sealing_shape = SHAPE("sealing", sealing_members);

static const struct shape_member commit_members[] = {
    {.name = "author",
     .help =
         "author and committer, \"Name <mail@example.com>\" (default osm-gen <osm-gen@localhost>)"},
    {.name = "subject",
     .help = "the subject, for servers that ask for a form; {changes} is replaced by what changed, "
             "{source} by the commit of the inputs (default \"osm-gen: {changes}\")"},
    {.name = "trailers",
     .form = SHAPE_LIST,
     .help = "trailers at the end of the message, such as \"Signed-off-by: {author}\"; {author} is "
             "replaced by the author, {source} by the commit of the inputs"},
};
static const struct shape commit_shape = SHAPE("commit", commit_members);

static const struct shape_member limits_members[] = {
    {.name = "maxEntries", .type = SHAPE_INT, .most = INT64_MAX, .help = "as --max-entries"},
    {.name = "maxInput", .type = SHAPE_INT, .most = INT64_MAX, .help = "as --max-input, in bytes"},
    {.name = "maxValues", .type = SHAPE_INT, .most = INT64_MAX, .help = "as --max-values"},
    {.name = "maxSteps", .type = SHAPE_INT, .most = INT64_MAX, .help = "as --max-steps"},
    {.name = "maxOutput",
     .type = SHAPE_INT,
     .most = INT64_MAX,
     .help = "as --max-output, in bytes"},
};
static const struct shape limits_shape = SHAPE("limits", limits_members);

static const struct shape_member removal_guard_members[] = {
    {.name = "percent",
     .type = SHAPE_INT,
     .most = 100,
     .help = "refuse to remove this percentage of the fleet's MachineDeployments, 0 to 100 "
             "(default 30); removing a whole cluster is always refused"},
    {.name = "least",
     .type = SHAPE_INT,
     .most = INT64_MAX,
     .help = "allow fewer removals than this number, whatever their percentage (default 3)"},
};
static const struct shape removal_guard_shape = SHAPE("removalGuard", removal_guard_members);

static const struct shape_member source_members[] = {
    {.name = "kind",
     .choices = "GitRepository|OCIRepository|Bucket",
     .help = "kind of Flux's source (default GitRepository)"},
    {.name = "name", .help = "name of Flux's source (default flux-system)"},
    {.name = "namespace", .help = "namespace of Flux's source (default flux-system)"},
    {.name = "url", .help = "URL of the repository for Argo CD, which needs it"},
    {.name = "revision", .help = "the branch or tag, for Argo CD (default HEAD)"},
};
static const struct shape source_shape = SHAPE("source", source_members);

static const struct shape_member delivery_members[] = {
    {.name = "namespace",
     .help = "namespace of the applier's objects (default flux-system, argocd); here and in the "
             "names below {cluster} is replaced by the cluster's name"},
    {.name = "decryptionSecret",
     .help = "the Secret with the age identity, in the namespace of Flux's Kustomizations (default "
             "sops-age)"},
    {.name = "kubeconfigSecret",
     .help = "the Secret with the kubeconfig of a cluster that another cluster manages (default "
             "{cluster}-kubeconfig); only for Flux"},
    {.name = "kubeconfigKey",
     .help = "the key in kubeconfigSecret (default: value or value.yaml, which Flux tries)"},
    {.name = "destination",
     .help = "Argo CD's name of a cluster that another cluster manages (default {cluster})"},
    {.name = "managementNamespace",
     .choices = "exists|create",
     .help = "exists: the namespaces of the management side are created by something else; create: "
             "they are part of the output (OSG6031)"},
    {.name = "secretText",
     .choices = "stringData|data",
     .help = "the member of Secrets that text is in: stringData (default with Flux, and only for "
             "Flux), or data; Secrets whose keys may change have data in any case, and with "
             "provisioning: split user-data has stringData with every applier, unless this is "
             "data"},
    {.name = "dependsOn",
     .form = SHAPE_LIST,
     .help = "Kustomizations in the same namespace that must be ready first, such as one with "
             "CRDs; only for Flux"},
    {.name = "applier",
     .flags = FLEET_ONLY,
     .choices = "flux|argocd|none",
     .help = "write objects for this program beside the clusters' folders (default none)"},
    {.name = "source",
     .type = SHAPE_MAP,
     .of = &source_shape,
     .flags = FLEET_ONLY,
     .help = "where the applier reads the output"},
    {.name = "path",
     .flags = FLEET_ONLY,
     .help = "path of the output folder in the source (default: the one of --out, or . if that is "
             "outside of the repository)"},
    {.name = "interval", .flags = FLEET_ONLY, .help = "how often Flux reconciles (default 10m)"},
    {.name = "wait",
     .type = SHAPE_BOOL,
     .flags = FLEET_ONLY,
     .help = "let Flux wait until objects are ready (default: only for SealedSecrets)"},
    {.name = "project", .flags = FLEET_ONLY, .help = "Argo CD's project (default default)"},
    {.name = "maxUnits",
     .type = SHAPE_INT,
     .most = INT64_MAX,
     .flags = FLEET_ONLY,
     .help = "maximum number of MachineDeployments in one kustomization; with more, a side is "
             "split into several, for every applier (default 200; 0: unlimited)"},
    {.name = "maxClusters",
     .type = SHAPE_INT,
     .most = INT64_MAX,
     .flags = FLEET_ONLY,
     .help = "maximum number of clusters whose folders are directly in the output folder; with "
             "more, each is in a bucket, a folder named by two hex digits, for every applier "
             "(default 1000; 0: unlimited)"},
};
static const struct shape delivery_shape = SHAPE("delivery", delivery_members);

static const struct shape_member fleet_spec_members[] = {
    {.name = "contract",
     .type = SHAPE_INT,
     .least = 1,
     .most = INT64_MAX,
     .help = "the output contract: the version of osm-gen's own profiles and choices (default: the "
             "newest that this osm-gen knows); `osm-gen upgrade` raises it"},
    {.name = "defaults",
     .type = SHAPE_MAP,
     .help = "settings for all clusters that do not set them themselves"},
    {.name = "sealing",
     .type = SHAPE_MAP,
     .of = &sealing_shape,
     .help = "how secrets are encrypted, and who can decrypt them"},
    {.name = "commit",
     .type = SHAPE_MAP,
     .of = &commit_shape,
     .help = "the commit that a run makes"},
    {.name = "limits",
     .type = SHAPE_MAP,
     .of = &limits_shape,
     .help = "limits for a run, if lower than those of its options"},
    {.name = "removalGuard",
     .type = SHAPE_MAP,
     .of = &removal_guard_shape,
     .help = "how many MachineDeployments a run may remove without --allow-removal"},
    {.name = "delivery",
     .type = SHAPE_MAP,
     .of = &delivery_shape,
     .help = "the program that applies the output to clusters, and the objects written for it"},
};
static const struct shape fleet_spec_shape = SHAPE("spec", fleet_spec_members);

static const struct shape_member cluster_spec_members[] = {
    {.name = "settings", .type = SHAPE_MAP, .help = "settings of this cluster"},
    {.name = "sealing",
     .type = SHAPE_MAP,
     .of = &sealing_shape,
     .help = "how this cluster's secrets are encrypted, if not as the Fleet's"},
    {.name = "kustomize",
     .help = "a folder with a kustomization, relative to the repository's root: the cluster's "
             "manifests are what `kustomize build` makes of the commit's files there; needs "
             "--allow-program kustomize"},
    {.name = "delivery",
     .type = SHAPE_MAP,
     .of = &delivery_shape,
     .help = "how the output reaches this cluster, if not as the Fleet's"},
    {.name = "terraformOutput",
     .help = "the committed file with what `terraform output -json` writes, for the cluster's "
             "KubeOneCluster; relative to the folder of this file"},
};
static const struct shape cluster_spec_shape = SHAPE("spec", cluster_spec_members);

/* ---- the documents ------------------------------------------------------------------------- */

#define LABELS                                                                                     \
	{                                                                                          \
		.name = "labels", .type = SHAPE_MAP, .help = "labels, which osm-gen ignores"       \
	}
#define ANNOTATIONS                                                                                \
	{                                                                                          \
		.name = "annotations", .type = SHAPE_MAP,                                          \
		.help = "annotations, which osm-gen ignores"                                       \
	}
#define API_VERSION                                                                                \
	{                                                                                          \
		.name = "apiVersion", .flags = SHAPE_REQUIRED, .choices = FLEET_API_VERSION,       \
		.help = "the version of this form"                                                 \
	}
#define SOPS                                                                                       \
	{                                                                                          \
		.name = "sops", .type = SHAPE_MAP,                                                 \
		.help = "written by the program sops, which encrypted values of settings"          \
	}

static const struct shape_member fleet_metadata_members[] = {
    {.name = "name", .help = "a name for people"},
    LABELS,
    ANNOTATIONS,
};
static const struct shape fleet_metadata_shape = SHAPE("metadata", fleet_metadata_members);

static const struct shape_member cluster_metadata_members[] = {
    {.name = "name",
     .flags = SHAPE_REQUIRED,
     .help = "names the cluster and its folder of the output: a-z, 0-9, - and ."},
    LABELS,
    ANNOTATIONS,
};
static const struct shape cluster_metadata_shape = SHAPE("metadata", cluster_metadata_members);

static const struct shape_member fleet_members[] = {
    API_VERSION,
    {.name = "kind",
     .flags = SHAPE_REQUIRED,
     .choices = "Fleet",
     .help = "what all clusters share"},
    {.name = "metadata",
     .type = SHAPE_MAP,
     .of = &fleet_metadata_shape,
     .help = "its name and labels"},
    {.name = "spec",
     .type = SHAPE_MAP,
     .of = &fleet_spec_shape,
     .help = "what holds for all clusters"},
    SOPS,
};
const struct shape fleet_shape = SHAPE("Fleet", fleet_members);

static const struct shape_member cluster_members[] = {
    API_VERSION,
    {.name = "kind",
     .flags = SHAPE_REQUIRED,
     .choices = "Cluster",
     .help = "the cluster of this folder"},
    {.name = "metadata",
     .type = SHAPE_MAP,
     .of = &cluster_metadata_shape,
     .flags = SHAPE_REQUIRED,
     .help = "its name and labels"},
    {.name = "spec",
     .type = SHAPE_MAP,
     .of = &cluster_spec_shape,
     .help = "what holds for this cluster"},
    SOPS,
};
const struct shape fleet_cluster_shape = SHAPE("Cluster", cluster_members);
