/*
 * The members of osm-gen.yaml. schema.c checks a document against this table, json_schema.c makes
 * the JSON Schema for editors from it, and reference.c docs/settings.md.
 */
#include "fleet/internal.h"

/* The maps that only a Fleet has come after those that a Cluster has, too. */
const struct fleet_member fleet_members[] = {
    {"spec of a Fleet", "contract", FLEET_MEMBER_COUNT, NULL,
     "the output contract: the version of osm-gen's own profiles and choices (default: the newest "
     "that this osm-gen knows); `osm-gen upgrade` raises it"},
    {"spec of a Fleet", "defaults", FLEET_MEMBER_MAP, NULL,
     "settings for all clusters that do not set them themselves"},
    {"spec of a Fleet", "sealing", FLEET_MEMBER_MAP, NULL,
     "how secrets are encrypted, and who can decrypt them"},
    {"spec of a Fleet", "commit", FLEET_MEMBER_MAP, NULL, "the commit that a run makes"},
    {"spec of a Fleet", "limits", FLEET_MEMBER_MAP, NULL,
     "limits for a run, if lower than those of its options"},
    {"spec of a Fleet", "removalGuard", FLEET_MEMBER_MAP, NULL,
     "how many MachineDeployments a run may remove without --allow-removal"},
    {"spec of a Fleet", "delivery", FLEET_MEMBER_MAP, NULL,
     "the program that applies the output to clusters, and the objects written for it"},
    {"spec of a Cluster", "settings", FLEET_MEMBER_MAP, NULL, "settings of this cluster"},
    {"spec of a Cluster", "sealing", FLEET_MEMBER_MAP, NULL,
     "how this cluster's secrets are encrypted, if not as the Fleet's"},
    {"spec of a Cluster", "kustomize", FLEET_MEMBER_TEXT, NULL,
     "a folder with a kustomization, relative to the repository's root: the cluster's manifests "
     "are "
     "what `kustomize build` makes of the commit's files there; needs --allow-program kustomize"},
    {"spec of a Cluster", "delivery", FLEET_MEMBER_MAP, NULL,
     "how the output reaches this cluster, if not as the Fleet's"},
    {"spec of a Cluster", "terraformOutput", FLEET_MEMBER_TEXT, NULL,
     "the committed file with what `terraform output -json` writes, for the cluster's "
     "KubeOneCluster; relative to the folder of this file"},
    {"sealing", "format", FLEET_MEMBER_TEXT, "sops|sealed-secrets",
     "the format of sealed files (default sops)"},
    {"sealing", "recipients", FLEET_MEMBER_LIST, NULL,
     "age recipients, who can decrypt the output (default: those of .sops.yaml); only for the "
     "format sops"},
    {"sealing", "certificate", FLEET_MEMBER_TEXT, NULL,
     "the committed file with the controller's certificate; only for the format sealed-secrets"},
    {"sealing", "scope", FLEET_MEMBER_TEXT, "strict|namespace-wide|cluster-wide",
     "which other names and namespaces a SealedSecret is valid for (default strict: none); only "
     "for "
     "the format sealed-secrets"},
    {"sealing", "roundLengths", FLEET_MEMBER_NUMBER, NULL,
     "lengths of secrets are rounded up to multiples of this number of bytes, 1 to 65536 (default "
     "1); only for the format sops"},
    {"sealing of a Fleet", "fleet", FLEET_MEMBER_TEXT, NULL,
     "a name that is part of all derivations from the seed, so that fleets with the same seed "
     "derive different secrets"},
    {"sealing of a Fleet", "inputs", FLEET_MEMBER_MAP, NULL,
     "the recipients whose encrypted inputs may be decrypted for a cluster: {CLUSTER: [age1...]}"},
    {"commit", "author", FLEET_MEMBER_TEXT, NULL,
     "author and committer, \"Name <mail@example.com>\" (default osm-gen <osm-gen@localhost>)"},
    {"commit", "subject", FLEET_MEMBER_TEXT, NULL,
     "the subject, for servers that ask for a form; {changes} is replaced by what changed, "
     "{source} "
     "by the commit of the inputs (default \"osm-gen: {changes}\")"},
    {"commit", "trailers", FLEET_MEMBER_LIST, NULL,
     "trailers at the end of the message, such as \"Signed-off-by: {author}\"; {author} is "
     "replaced by the author, {source} by the commit of the inputs"},
    {"limits", "maxEntries", FLEET_MEMBER_NUMBER, NULL, "as --max-entries"},
    {"limits", "maxInput", FLEET_MEMBER_NUMBER, NULL, "as --max-input, in bytes"},
    {"limits", "maxValues", FLEET_MEMBER_NUMBER, NULL, "as --max-values"},
    {"limits", "maxSteps", FLEET_MEMBER_NUMBER, NULL, "as --max-steps"},
    {"limits", "maxOutput", FLEET_MEMBER_NUMBER, NULL, "as --max-output, in bytes"},
    {"removalGuard", "percent", FLEET_MEMBER_NUMBER, NULL,
     "refuse to remove this percentage of the fleet's MachineDeployments, 0 to 100 (default 30); "
     "removing a whole cluster is always refused"},
    {"removalGuard", "least", FLEET_MEMBER_NUMBER, NULL,
     "allow fewer removals than this number, whatever their percentage (default 3)"},
    {"delivery", "namespace", FLEET_MEMBER_TEXT, NULL,
     "namespace of the applier's objects (default flux-system, argocd); here and in the names "
     "below {cluster} is replaced by the cluster's name"},
    {"delivery", "decryptionSecret", FLEET_MEMBER_TEXT, NULL,
     "the Secret with the age identity, in the namespace of Flux's Kustomizations (default "
     "sops-age)"},
    {"delivery", "kubeconfigSecret", FLEET_MEMBER_TEXT, NULL,
     "the Secret with the kubeconfig of a cluster that another cluster manages (default "
     "{cluster}-kubeconfig); only for Flux"},
    {"delivery", "kubeconfigKey", FLEET_MEMBER_TEXT, NULL,
     "the key in kubeconfigSecret (default: value or value.yaml, which Flux tries)"},
    {"delivery", "destination", FLEET_MEMBER_TEXT, NULL,
     "Argo CD's name of a cluster that another cluster manages (default {cluster})"},
    {"delivery", "managementNamespace", FLEET_MEMBER_TEXT, "exists|create",
     "exists: the namespaces of the management side are created by something else; create: they "
     "are part of the output (OSG6031)"},
    {"delivery", "secretText", FLEET_MEMBER_TEXT, "stringData|data",
     "the member of Secrets that text is in: stringData (default with Flux, and only for Flux), or "
     "data; Secrets whose keys may change have data in any case"},
    {"delivery", "dependsOn", FLEET_MEMBER_LIST, NULL,
     "Kustomizations in the same namespace that must be ready first, such as one with CRDs; only "
     "for Flux"},
    {"delivery of a Fleet", "applier", FLEET_MEMBER_TEXT, "flux|argocd|none",
     "write objects for this program beside the clusters' folders (default none)"},
    {"delivery of a Fleet", "source", FLEET_MEMBER_MAP, NULL, "where the applier reads the output"},
    {"delivery of a Fleet", "path", FLEET_MEMBER_TEXT, NULL,
     "path of the output folder in the source (default: the one of --out, or . if that is outside "
     "of the repository)"},
    {"delivery of a Fleet", "interval", FLEET_MEMBER_TEXT, NULL,
     "how often Flux reconciles (default 10m)"},
    {"delivery of a Fleet", "wait", FLEET_MEMBER_BOOL, NULL,
     "let Flux wait until objects are ready (default: only for SealedSecrets)"},
    {"delivery of a Fleet", "project", FLEET_MEMBER_TEXT, NULL,
     "Argo CD's project (default default)"},
    {"delivery of a Fleet", "maxUnits", FLEET_MEMBER_NUMBER, NULL,
     "maximum number of MachineDeployments in one kustomization; with more, a side is split into "
     "several, for every applier (default 200; 0: unlimited)"},
    {"delivery of a Fleet", "maxClusters", FLEET_MEMBER_NUMBER, NULL,
     "maximum number of clusters whose folders are directly in the output folder; with more, each "
     "is in a bucket, a folder named by two hex digits, for every applier (default 1000; 0: "
     "unlimited)"},
    {"source", "kind", FLEET_MEMBER_TEXT, "GitRepository|OCIRepository|Bucket",
     "kind of Flux's source (default GitRepository)"},
    {"source", "name", FLEET_MEMBER_TEXT, NULL, "name of Flux's source (default flux-system)"},
    {"source", "namespace", FLEET_MEMBER_TEXT, NULL,
     "namespace of Flux's source (default flux-system)"},
    {"source", "url", FLEET_MEMBER_TEXT, NULL, "URL of the repository for Argo CD, which needs it"},
    {"source", "revision", FLEET_MEMBER_TEXT, NULL,
     "the branch or tag, for Argo CD (default HEAD)"},
    {"document", "apiVersion", FLEET_MEMBER_TEXT, NULL, NULL},
    {"document", "kind", FLEET_MEMBER_TEXT, NULL, NULL},
    {"document", "metadata", FLEET_MEMBER_MAP, NULL, NULL},
    {"document", "spec", FLEET_MEMBER_MAP, NULL, NULL},
    {"document", "sops", FLEET_MEMBER_MAP, NULL, NULL},
    {"metadata", "name", FLEET_MEMBER_TEXT, NULL, NULL},
    {"metadata", "labels", FLEET_MEMBER_MAP, NULL, NULL},
    {"metadata", "annotations", FLEET_MEMBER_MAP, NULL, NULL},
};
const size_t fleet_member_count = COUNT_OF(fleet_members);

bool fleet_map_has(struct fleet_map map, const struct fleet_member *member)
{
	return strcmp(member->map, map.name) == 0 ||
	       (map.more && strcmp(member->map, map.more) == 0);
}
