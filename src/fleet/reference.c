/*
 * The reference of osm-gen.yaml, made from the tables: a JSON Schema for editors, a page for
 * people.
 */
#include "fleet/internal.h"

#include "json/json.h"

/* A member of a settings document, as people are told of it. */
struct member_text {
	const char *map; /* the map that it stands in, as the page and the schema call it */
	const char *name;
	enum fleet_member_type type;
	const char *choices; /* "a|b", or null */
	const char *help;
};

/* What the Fleet alone may have stands last. */
static const struct member_text members[] = {
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
     "200 with an applier, else 0: never)"},
    {"source", "kind", FLEET_MEMBER_TEXT, "GitRepository|OCIRepository|Bucket",
     "of Flux's source (default GitRepository)"},
    {"source", "name", FLEET_MEMBER_TEXT, NULL, "of Flux's source (default flux-system)"},
    {"source", "namespace", FLEET_MEMBER_TEXT, NULL, "of Flux's source (default flux-system)"},
    {"source", "url", FLEET_MEMBER_TEXT, NULL, "the repository, for Argo CD, which must have it"},
    {"source", "revision", FLEET_MEMBER_TEXT, NULL,
     "the branch or tag, for Argo CD (default HEAD)"},
};

/* "a|b|c" when it names words to choose from, in small letters; else empty: it stands for any text.
 */
static sv choices_of(const char *text)
{
	sv s = text ? sv_from_cstr(text) : SV("");

	for (size_t i = 0; i < s.len; i++)
		if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') && s.ptr[i] != '|' && s.ptr[i] != '-')
			return SV("");
	return s;
}

/* ---- the schema -------------------------------------------------------------------------- */

static struct json_t *typed(const char *first, const char *second)
{
	struct json_t *schema = json_doc_map();
	struct json_t *types = json_doc_list();

	json_doc_add_text(types, sv_from_cstr(first));
	if (second)
		json_doc_add_text(types, sv_from_cstr(second));
	json_doc_add_text(types, SV("null"));
	json_doc_set(schema, "type", types);
	return schema;
}

/* {"type": "string"}, {"const": "Fleet"} */
static struct json_t *keyword(const char *name, const char *text)
{
	struct json_t *schema = json_doc_map();

	json_doc_set_text(schema, name, sv_from_cstr(text));
	return schema;
}

static struct json_t *text_type(const char *type)
{
	return keyword("type", type);
}

static struct json_t *reference(const char *name)
{
	struct json_t *schema = json_doc_map();
	struct arena *arena = arena_new(ARENA_PLAIN);

	json_doc_set_text(schema, "$ref", arena_printf(arena, "#/definitions/%s", name));
	arena_free(arena);
	return schema;
}

static struct json_t *choice(sv words)
{
	struct json_t *schema = json_doc_map();
	struct json_t *list = json_doc_list();
	struct sv_splitter it = sv_split(words, '|');
	sv word;

	while (sv_split_next(&it, &word))
		json_doc_add_text(list, word);
	json_doc_set(schema, "enum", list);
	return schema;
}

/* A map of one kind of values under any keys. */
static void set_values(struct json_t *schema, struct json_t *values)
{
	json_doc_set(schema, "additionalProperties", values);
}

static struct json_t *schema_of_member(const struct member_text *member)
{
	struct json_t *schema;

	if (member->choices)
		return choice(sv_from_cstr(member->choices));
	switch (member->type) {
	case FLEET_MEMBER_MAP:
		schema = typed("object", NULL);
		set_values(schema, text_type("array"));
		return schema;
	case FLEET_MEMBER_TEXT:
		return typed("string", NULL);
	case FLEET_MEMBER_LIST:
		schema = typed("array", NULL);
		json_doc_set(schema, "items", text_type("string"));
		return schema;
	case FLEET_MEMBER_NUMBER:
		schema = typed("integer", NULL);
		json_doc_set_size(schema, "minimum", 0);
		return schema;
	case FLEET_MEMBER_COUNT:
		schema = typed("integer", NULL);
		json_doc_set_size(schema, "minimum", 1);
		return schema;
	case FLEET_MEMBER_BOOL:
		return typed("boolean", NULL);
	}
	BUG("member type");
}

/* Where a map is made of members, and not of anything. */
static const char *definition_of(const struct member_text *member, bool of_fleet)
{
	if (strcmp(member->name, "defaults") == 0 || strcmp(member->name, "settings") == 0)
		return "settings";
	if (strcmp(member->name, "sealing") == 0)
		return of_fleet ? "fleetSealing" : "sealing";
	if (strcmp(member->name, "delivery") == 0)
		return of_fleet ? "fleetDelivery" : "delivery";
	if (strcmp(member->name, "source") == 0 || strcmp(member->name, "commit") == 0 ||
	    strcmp(member->name, "limits") == 0 || strcmp(member->name, "removalGuard") == 0)
		return member->name;
	return NULL;
}

/* A map with the members of one map of the table, or of two, and no others. */
static struct json_t *map_of(const char *map, const char *more)
{
	struct json_t *schema = typed("object", NULL);
	struct json_t *properties = json_doc_map();

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct member_text *member = &members[i];
		bool is_here =
		    strcmp(member->map, map) == 0 || (more && strcmp(member->map, more) == 0);
		const char *definition = definition_of(member, strcmp(map, "spec of a Fleet") == 0);

		if (!is_here)
			continue;
		/* Beside a $ref draft 7 reads nothing: what it says of itself stands around it. */
		struct json_t *of_member = definition ? json_doc_map() : schema_of_member(member);
		if (definition) {
			struct json_t *all = json_doc_list();

			json_doc_add(all, reference(definition));
			json_doc_set(of_member, "allOf", all);
		}
		json_doc_set_text(of_member, "description", sv_from_cstr(member->help));
		json_doc_set(properties, member->name, of_member);
	}
	json_doc_set(schema, "properties", properties);
	json_doc_set_bool(schema, "additionalProperties", false);
	return schema;
}

/* What maps hold is said by the placeholder: "NAME=BOOL,...", "PROVIDER=BYTES,...". */
static struct json_t *map_values(const struct setting *setting)
{
	struct json_t *schema;

	if (!setting->placeholder)
		return text_type("string");
	if (sv_contains(sv_from_cstr(setting->placeholder), SV("=BYTES"))) {
		schema = text_type("integer");
		json_doc_set_size(schema, "minimum", 0);
		return schema;
	}
	return text_type(sv_contains(sv_from_cstr(setting->placeholder), SV("=BOOL")) ? "boolean"
	                                                                              : "string");
}

/* A list of texts; also_one: or one text. */
static struct json_t *texts(bool also_one)
{
	struct json_t *schema = typed("array", also_one ? "string" : NULL);

	json_doc_set(schema, "items", text_type("string"));
	return schema;
}

/* A list of items, one item, or a map of what stands before "=" to what is behind. */
static struct json_t *repeated(void)
{
	struct json_t *schema = json_doc_map();
	struct json_t *any = json_doc_list();
	struct json_t *map = text_type("object");

	set_values(map, texts(true));
	json_doc_add(any, texts(true));
	json_doc_add(any, map);
	json_doc_set(schema, "anyOf", any);
	return schema;
}

static struct json_t *schema_of_kind(const struct setting *setting)
{
	struct json_t *schema;
	sv choices = choices_of(setting->placeholder);

	switch (setting->kind) {
	case SETTING_STRING:
	case SETTING_FILE:
		return sv_empty(choices) ? typed("string", NULL) : choice(choices);
	case SETTING_BOOL:
		return typed("boolean", NULL);
	case SETTING_LIST:
		return texts(true);
	case SETTING_REPEAT:
		return repeated();
	case SETTING_MAP:
		schema = typed("object", "string");
		set_values(schema, map_values(setting));
		return schema;
	}
	BUG("setting kind");
}

static struct json_t *schema_of_settings(struct arena *arena)
{
	struct json_t *schema = typed("object", NULL);
	struct json_t *properties = json_doc_map();
	size_t count;
	const struct setting *const *list = fleet_settings(arena, &count);

	for (size_t i = 0; i < count; i++) {
		struct json_t *own = schema_of_kind(list[i]);
		sv help = list[i]->initial ? arena_printf(arena, "%s (default %s)", list[i]->help,
		                                          list[i]->initial)
		                           : sv_from_cstr(list[i]->help);

		json_doc_set_text(own, "description", help);
		json_doc_set(properties, arena_cstr(arena, list[i]->name), own);
	}
	json_doc_set(schema, "properties", properties);
	json_doc_set_bool(schema, "additionalProperties", false);
	return schema;
}

static struct json_t *metadata_schema(bool named)
{
	struct json_t *schema = named ? text_type("object") : typed("object", NULL);
	struct json_t *properties = json_doc_map();
	struct json_t *name = named ? text_type("string") : typed("string", NULL);

	if (named)
		json_doc_set_text(
		    name, "description",
		    SV("names the cluster and its folder of the output: a-z, 0-9, - and ."));
	json_doc_set(properties, "name", name);
	json_doc_set(properties, "labels", typed("object", NULL));
	json_doc_set(properties, "annotations", typed("object", NULL));
	json_doc_set(schema, "properties", properties);
	json_doc_set_bool(schema, "additionalProperties", false);
	if (named) {
		struct json_t *required = json_doc_list();

		json_doc_add_text(required, SV("name"));
		json_doc_set(schema, "required", required);
	}
	return schema;
}

static struct json_t *document_schema(const char *kind, const char *spec, bool named)
{
	struct json_t *schema = text_type("object");
	struct json_t *properties = json_doc_map();
	struct json_t *required = json_doc_list();

	json_doc_set(properties, "apiVersion", keyword("const", FLEET_API_VERSION));
	json_doc_set(properties, "kind", keyword("const", kind));
	json_doc_set(properties, "metadata", metadata_schema(named));
	json_doc_set(properties, "spec", map_of(spec, NULL));
	json_doc_add_text(required, SV("apiVersion"));
	json_doc_add_text(required, SV("kind"));
	if (named)
		json_doc_add_text(required, SV("metadata"));
	json_doc_set(schema, "properties", properties);
	json_doc_set(schema, "required", required);
	json_doc_set_bool(schema, "additionalProperties", false);
	return schema;
}

/* Which of the two holds is asked of `kind`, so that editors speak of that one alone. */
static void choose_document(struct json_t *root)
{
	struct json_t *condition = json_doc_map();
	struct json_t *properties = json_doc_map();
	struct json_t *kinds = json_doc_map();
	struct json_t *required = json_doc_list();

	json_doc_set(kinds, "kind", choice(SV("Fleet|Cluster")));
	json_doc_add_text(required, SV("kind"));
	json_doc_set_text(root, "type", SV("object"));
	json_doc_set(root, "properties", kinds);
	json_doc_set(root, "required", required);
	json_doc_set(properties, "kind", keyword("const", "Cluster"));
	json_doc_set(condition, "properties", properties);
	json_doc_set(root, "if", condition);
	json_doc_set(root, "then", reference("Cluster"));
	json_doc_set(root, "else", reference("Fleet"));
}

void fleet_add_schema(struct buf *buf)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *definitions = json_doc_map();

	json_doc_set_text(root, "$schema", SV("http://json-schema.org/draft-07/schema#"));
	json_doc_set_text(root, "title", SV(FLEET_SETTINGS_FILE));
	json_doc_set_text(root, "description",
	                  SV("A Fleet or a Cluster of osm-gen. Made by `osm-gen config schema`."));
	choose_document(root);
	json_doc_set(definitions, "Fleet", document_schema("Fleet", "spec of a Fleet", false));
	json_doc_set(definitions, "Cluster", document_schema("Cluster", "spec of a Cluster", true));
	json_doc_set(definitions, "sealing", map_of("sealing", NULL));
	json_doc_set(definitions, "fleetSealing", map_of("sealing", "sealing of a Fleet"));
	json_doc_set(definitions, "commit", map_of("commit", NULL));
	json_doc_set(definitions, "limits", map_of("limits", NULL));
	json_doc_set(definitions, "removalGuard", map_of("removalGuard", NULL));
	json_doc_set(definitions, "delivery", map_of("delivery", NULL));
	json_doc_set(definitions, "fleetDelivery", map_of("delivery", "delivery of a Fleet"));
	json_doc_set(definitions, "source", map_of("source", NULL));
	json_doc_set(definitions, "settings", schema_of_settings(buf->arena));
	json_doc_set(root, "definitions", definitions);
	json_doc_write(buf, root);
}

/* ---- the page ---------------------------------------------------------------------------- */

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

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct member_text *member = &members[i];

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
