/*
 * The reference of osm-gen.yaml, made from the tables, as a page for people. json_schema.c makes of
 * them what editors want.
 */
#include "fleet/internal.h"

/* What the Fleet alone may have stands last. */
const struct fleet_member_text fleet_members[] = {
    {"spec of a Fleet", "contract", FLEET_MEMBER_COUNT, NULL,
     "the output contract: which version of osm-gen's own profiles and choices holds (default: the "
     "newest that this osm-gen knows); `osm-gen upgrade` raises it"},
    {"spec of a Fleet", "defaults", FLEET_MEMBER_MAP, NULL,
     "settings of every cluster that does not set them itself"},
    {"spec of a Fleet", "sealing", FLEET_MEMBER_MAP, NULL, "how secrets are sealed, and to whom"},
    {"spec of a Fleet", "commit", FLEET_MEMBER_MAP, NULL, "the commit that a run makes"},
    {"spec of a Fleet", "limits", FLEET_MEMBER_MAP, NULL,
     "what a run may take, where that is less than its options allow"},
    {"spec of a Fleet", "removalGuard", FLEET_MEMBER_MAP, NULL,
     "how much may go at once without --allow-removal"},
    {"spec of a Fleet", "delivery", FLEET_MEMBER_MAP, NULL,
     "what carries the output to clusters, and what is written for it"},
    {"spec of a Cluster", "settings", FLEET_MEMBER_MAP, NULL, "settings of this cluster"},
    {"spec of a Cluster", "sealing", FLEET_MEMBER_MAP, NULL,
     "how this cluster's secrets are sealed, where it is not as the Fleet says"},
    {"spec of a Cluster", "delivery", FLEET_MEMBER_MAP, NULL,
     "how this cluster is reached, where it is not as the Fleet says"},
    {"sealing", "format", FLEET_MEMBER_TEXT, "sops|sealed-secrets",
     "the format of sealed files (default sops)"},
    {"sealing", "recipients", FLEET_MEMBER_LIST, NULL,
     "who can read: age recipients; else those of .sops.yaml. Of the format sops"},
    {"sealing", "certificate", FLEET_MEMBER_TEXT, NULL,
     "the controller's certificate, a committed file. Of the format sealed-secrets"},
    {"sealing", "scope", FLEET_MEMBER_TEXT, "strict|namespace-wide|cluster-wide",
     "how far a SealedSecret may be moved (default strict). Of the format sealed-secrets"},
    {"sealing", "roundLengths", FLEET_MEMBER_NUMBER, NULL,
     "lengths are rounded up to multiples of so many bytes, 1 to 65536 (default 1). Of the format "
     "sops"},
    {"sealing of a Fleet", "fleet", FLEET_MEMBER_TEXT, NULL,
     "a name that goes into all that is derived: fleets of one seed share nothing then"},
    {"sealing of a Fleet", "inputs", FLEET_MEMBER_MAP, NULL,
     "the recipients of the encrypted inputs that are opened for a cluster: {CLUSTER: [age1...]}"},
    {"commit", "author", FLEET_MEMBER_TEXT, NULL,
     "author and committer, \"Name <mail@example.com>\" (default osm-gen <osm-gen@localhost>)"},
    {"limits", "maxEntries", FLEET_MEMBER_NUMBER, NULL, "as --max-entries"},
    {"limits", "maxInput", FLEET_MEMBER_NUMBER, NULL, "as --max-input, in bytes"},
    {"limits", "maxValues", FLEET_MEMBER_NUMBER, NULL, "as --max-values"},
    {"limits", "maxSteps", FLEET_MEMBER_NUMBER, NULL, "as --max-steps"},
    {"limits", "maxOutput", FLEET_MEMBER_NUMBER, NULL, "as --max-output, in bytes"},
    {"removalGuard", "percent", FLEET_MEMBER_NUMBER, NULL,
     "of the fleet's MachineDeployments, 0 to 100 (default 30); a whole cluster is guarded always"},
    {"removalGuard", "least", FLEET_MEMBER_NUMBER, NULL,
     "so many may go whatever part they are, if they are fewer (default 3)"},
    {"delivery", "namespace", FLEET_MEMBER_TEXT, NULL,
     "where the applier's objects stand (default flux-system, argocd); {cluster} in it, and in "
     "the names below, is the cluster's name"},
    {"delivery", "decryptionSecret", FLEET_MEMBER_TEXT, NULL,
     "the Secret with the age identity, beside Flux's Kustomizations (default sops-age)"},
    {"delivery", "kubeconfigSecret", FLEET_MEMBER_TEXT, NULL,
     "the Secret with the kubeconfig of a cluster that is managed from another one (default "
     "{cluster}-kubeconfig). Of Flux"},
    {"delivery", "kubeconfigKey", FLEET_MEMBER_TEXT, NULL,
     "its key (default: value or value.yaml, as Flux looks for it)"},
    {"delivery", "destination", FLEET_MEMBER_TEXT, NULL,
     "the name that Argo CD knows such a cluster by (default {cluster})"},
    {"delivery", "managementNamespace", FLEET_MEMBER_TEXT, "exists|create",
     "whether somebody else makes the namespaces of the management side, or the output holds them "
     "(OSG6031)"},
    {"delivery", "dependsOn", FLEET_MEMBER_LIST, NULL,
     "Kustomizations in the same namespace that must be ready first, such as one with CRDs. Of "
     "Flux"},
    {"delivery of a Fleet", "applier", FLEET_MEMBER_TEXT, "flux|argocd|none",
     "for whom objects are written beside the clusters' folders (default none)"},
    {"delivery of a Fleet", "source", FLEET_MEMBER_MAP, NULL, "where the applier reads the output"},
    {"delivery of a Fleet", "path", FLEET_MEMBER_TEXT, NULL,
     "the output folder from the root of the source (default: as --out; . when that lies outside)"},
    {"delivery of a Fleet", "interval", FLEET_MEMBER_TEXT, NULL,
     "how often Flux looks (default 10m)"},
    {"delivery of a Fleet", "wait", FLEET_MEMBER_BOOL, NULL,
     "whether Flux waits for objects to be ready (default: where there are SealedSecrets)"},
    {"delivery of a Fleet", "project", FLEET_MEMBER_TEXT, NULL,
     "Argo CD's project (default default)"},
    {"delivery of a Fleet", "maxUnits", FLEET_MEMBER_NUMBER, NULL,
     "so many units a side has in one kustomization; with more it is cut into several (default "
     "200, whoever applies the output; 0: never)"},
    {"delivery of a Fleet", "maxClusters", FLEET_MEMBER_NUMBER, NULL,
     "so many clusters have their folders side by side; of more each folder stands in a bucket "
     "(default 1000, whoever applies the output; 0: never)"},
    {"source", "kind", FLEET_MEMBER_TEXT, "GitRepository|OCIRepository|Bucket",
     "of Flux's source (default GitRepository)"},
    {"source", "name", FLEET_MEMBER_TEXT, NULL, "of Flux's source (default flux-system)"},
    {"source", "namespace", FLEET_MEMBER_TEXT, NULL, "of Flux's source (default flux-system)"},
    {"source", "url", FLEET_MEMBER_TEXT, NULL, "the repository, for Argo CD, which must have it"},
    {"source", "revision", FLEET_MEMBER_TEXT, NULL,
     "the branch or tag, for Argo CD (default HEAD)"},
};
const size_t fleet_member_count = COUNT_OF(fleet_members);

static const char *kind_words(const struct setting *setting)
{
	switch (setting->kind) {
	case SETTING_STRING:
		return "text";
	case SETTING_BOOL:
		return "true or false";
	case SETTING_LIST:
		return "list of texts, or one text with commas";
	case SETTING_REPEAT:
		return "list of texts, or a map of lists";
	case SETTING_MAP:
		return "map, or one text with commas";
	case SETTING_FILE:
		return "a committed file's name, or its text";
	}
	BUG("setting kind");
}

static const char *type_words(enum fleet_member_type type)
{
	switch (type) {
	case FLEET_MEMBER_MAP:
		return "map";
	case FLEET_MEMBER_TEXT:
		return "text";
	case FLEET_MEMBER_LIST:
		return "list of texts";
	case FLEET_MEMBER_NUMBER:
	case FLEET_MEMBER_COUNT:
		return "number";
	case FLEET_MEMBER_BOOL:
		return "true or false";
	}
	BUG("member type");
}

/* A cell of a table: "|" would end it. */
static void add_cell(struct buf *buf, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			buf_add_char(buf, '\\');
		buf_add_char(buf, *text);
	}
}

static void add_setting(struct buf *buf, const struct setting *setting)
{
	buf_printf(buf, "| `%.*s` | `--%.*s", SV_ARG(setting->name), SV_ARG(setting->flag));
	if (setting->placeholder) {
		buf_add_char(buf, ' ');
		add_cell(buf, setting->placeholder);
	}
	buf_printf(buf, "` | %s | ", kind_words(setting));
	if (setting->initial)
		buf_printf(buf, "`%s`", setting->initial);
	buf_printf(buf, " | ");
	add_cell(buf, setting->help);
	BUF_ADD_LIT(buf, " |\n");
}

/* Those that the controller has as flags, or those that it has not. */
static void add_settings(struct buf *buf, bool controller)
{
	size_t count;
	const struct setting *const *list = fleet_settings(buf->arena, &count);

	BUF_ADD_LIT(buf,
	            "| name | flag | type | default | what it is for |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < count; i++)
		if (list[i]->controller == controller)
			add_setting(buf, list[i]);
}

static void add_members(struct buf *buf)
{
	const char *map = "";

	for (size_t i = 0; i < fleet_member_count; i++) {
		const struct fleet_member_text *member = &fleet_members[i];

		if (strcmp(map, member->map) != 0) {
			map = member->map;
			buf_printf(buf,
			           "\n### %s\n\n| name | type | what it is for |\n|---|---|---|\n",
			           map);
		}
		buf_printf(buf, "| `%s` | ", member->name);
		add_cell(buf, member->choices ? member->choices : type_words(member->type));
		BUF_ADD_LIT(buf, " | ");
		add_cell(buf, member->help);
		BUF_ADD_LIT(buf, " |\n");
	}
}

void fleet_add_settings_page(struct buf *buf)
{
	BUF_ADD_LIT(
	    buf,
	    "<!-- Made by `ci/settings` from the program's tables; do not edit. -->\n"
	    "# Settings\n\n"
	    "What `osm-gen.yaml` may say. A flag wins over the cluster's setting, that over the\n"
	    "fleet's default, and that over the default below. `osm-gen config show` prints which "
	    "one\n"
	    "holds, and where it is set. Editors check the file against\n"
	    "[osm-gen.schema.json](osm-gen.schema.json), which `osm-gen config schema` prints.\n\n"
	    "## Settings of the controller\n\n"
	    "Flags of operating-system-manager that shape output, under their own names.\n\n");
	add_settings(buf, true);
	BUF_ADD_LIT(buf, "\n## Settings of osm-gen's own\n\n");
	add_settings(buf, false);
	BUF_ADD_LIT(buf, "\n## The documents\n");
	add_members(buf);
}
