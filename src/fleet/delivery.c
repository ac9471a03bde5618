/*
 * Reads spec.delivery: the applier (Flux, Argo CD) that brings the output to the clusters, and the
 * names that its objects need. tree/delivery.h makes the objects.
 */
#include "fleet/internal.h"

/* ---- values ------------------------------------------------------------------------------ */

struct reader {
	struct arena *arena;
	struct sink *sink;
	const struct value *fleet;   /* or null */
	const struct value *cluster; /* the cluster's own; or null */
	sv name;                     /* of the cluster */
};

static void report_delivery(struct sink *sink, const struct value *given, const char *member,
                            const char *help)
{
	struct diag *diag = diag_report(sink, DIAG_FLEET_TYPE, value_position(given),
	                                "\"%.*s\" is not a valid %s of spec.delivery",
	                                SV_ARG(given->string), member);

	diag_set_help(sink, diag, "%s", help);
}

/* Returns the Cluster's value, else the Fleet's, else null. */
static const struct value *find(const struct reader *r, const char *member)
{
	const struct value *own = value_map_get(r->cluster, sv_from_cstr(member));
	const struct value *shared = value_map_get(r->fleet, sv_from_cstr(member));

	if (!value_is_null(own))
		return own;
	return value_is_null(shared) ? NULL : shared;
}

static sv with_cluster(const struct reader *r, sv text)
{
	return buf_replaced(r->arena, text, SV("{cluster}"), r->name);
}

static sv delivery_name(const struct reader *r, const char *member, sv otherwise)
{
	const struct value *given = find(r, member);
	sv text = with_cluster(r, given ? given->string : otherwise);

	if (given && !kube_name_valid(text))
		report_delivery(
		    r->sink, given, member,
		    "write a valid name of Kubernetes, a-z, 0-9, - and .; {cluster} is replaced "
		    "by the cluster's name");
	return text;
}

/* Reads a namespace. It, and a name that becomes a label, is shorter than others, without dots. */
static sv namespace_of(const struct reader *r, const struct value *given, sv otherwise)
{
	enum { NAMESPACE_MAX_BYTES = 63 };
	sv text = with_cluster(r, given ? given->string : otherwise);

	if (given && (!kube_name_valid(text) || text.len > NAMESPACE_MAX_BYTES ||
	              sv_find_char(text, '.') != SV_NPOS))
		report_delivery(
		    r->sink, given, "namespace",
		    "write at most 63 of a-z, 0-9 and -; {cluster} is replaced by the cluster's "
		    "name");
	return text;
}

/* Reads kubeconfigKey, a key of a Secret. */
static sv kubeconfig_key_of(const struct reader *r)
{
	const struct value *given = find(r, "kubeconfigKey");

	for (size_t i = 0; given && i < given->string.len; i++) {
		char c = given->string.ptr[i];

		if (!ascii_is_alphanumeric((unsigned char)c) && c != '-' && c != '_' && c != '.') {
			report_delivery(r->sink, given, "kubeconfigKey",
			                "write a key of the Secret, letters, digits, -, _ and .");
			break;
		}
	}
	return given ? given->string : SV("");
}

/* Returns the number of the word that is given, or 0. */
static sv word_of(const struct reader *r, const struct value *given, const char *member,
                  const char *const *words, const char *help)
{
	if (!given)
		return sv_from_cstr(words[0]);
	for (size_t i = 0; words[i]; i++)
		if (sv_eq_cstr(given->string, words[i]))
			return given->string;
	report_delivery(r->sink, given, member, help);
	return sv_from_cstr(words[0]);
}

/* Returns true for a duration of Flux: digits and a unit, once or more. */
static bool is_interval(sv text)
{
	size_t at = 0;

	while (at < text.len) {
		size_t begin = at;

		while (at < text.len && ascii_is_digit((unsigned char)text.ptr[at]))
			at++;
		if (at == begin || at == text.len || !ascii_is_any(text.ptr[at], "smh"))
			return false;
		at++;
	}
	return text.len > 0;
}

static sv interval_of(const struct reader *r)
{
	const struct value *given = find(r, "interval");

	if (given && !is_interval(given->string))
		report_delivery(r->sink, given, "interval", "write it as 10m, 1h or 1h30m");
	return given ? given->string : SV("10m");
}

/* Returns true for a path below the source's root. */
static const struct value *path_of(const struct reader *r)
{
	const struct value *given = find(r, "path");
	sv path;

	if (given && !sv_empty(given->string) && !sv_eq(given->string, SV(".")) &&
	    !fleet_path_resolve(r->arena, SV(""), given->string, &path))
		report_delivery(
		    r->sink, given, "path",
		    "write the output folder's path from the root of the source, or . for the "
		    "root itself");
	return given;
}

static void read_depends_on(const struct reader *r, struct fleet_delivery *delivery)
{
	const struct value *given = find(r, "dependsOn");
	size_t count = given ? value_count(given) : 0;
	sv *names = ARENA_ARRAY(r->arena, sv, count);

	for (size_t i = 0; i < count; i++) {
		const struct value *item = value_item(given, i);

		names[delivery->depends_on_count] = with_cluster(r, value_text(item));
		if (kube_name_valid(names[delivery->depends_on_count]))
			delivery->depends_on_count++;
		else
			report_delivery(r->sink, value_is_string(item) ? item : given, "dependsOn",
			                "list names of Kustomizations, a-z, 0-9, - and .");
	}
	delivery->depends_on = names;
}

static void read_source(const struct reader *r, struct fleet_delivery *delivery)
{
	static const char *const kinds[] = {"GitRepository", "OCIRepository", "Bucket", NULL};
	const struct value *source = find(r, "source");
	struct reader of_source = *r;

	of_source.fleet = source;
	of_source.cluster = NULL;
	delivery->source_kind = word_of(&of_source, find(&of_source, "kind"), "kind", kinds,
	                                "write GitRepository, OCIRepository or Bucket");
	delivery->source_name = delivery_name(&of_source, "name", SV("flux-system"));
	delivery->source_namespace =
	    namespace_of(&of_source, find(&of_source, "namespace"), SV("flux-system"));
	const struct value *url = find(&of_source, "url");
	const struct value *revision = find(&of_source, "revision");
	delivery->source_url = url ? url->string : SV("");
	delivery->source_revision = revision ? revision->string : SV("HEAD");
}

/*
 * Reads secretText. Only Flux turns stringData into data before it applies an object. With other
 * appliers a key that leaves stringData would stay in the live Secret.
 */
static enum fleet_secret_text read_secret_text(const struct reader *r, enum fleet_applier applier)
{
	static const char *const words[] = {"", "stringData", "data", NULL};
	const struct value *given = find(r, "secretText");
	sv word = word_of(r, given, "secretText", words, "write stringData or data");

	if (applier != FLEET_APPLIER_FLUX && sv_eq(word, SV("stringData")))
		report_delivery(
		    r->sink, given, "secretText",
		    "leave it out, or write data: only Flux (applier: flux) removes keys that "
		    "leave stringData");
	if (sv_eq(word, SV("data")))
		return FLEET_SECRET_TEXT_ONLY_DATA;
	return applier == FLEET_APPLIER_FLUX ? FLEET_SECRET_TEXT_STRING_DATA
	                                     : FLEET_SECRET_TEXT_DATA;
}

static struct fleet_delivery read_delivery(const struct reader *r, enum fleet_applier applier)
{
	static const char *const namespaces[] = {"", "exists", "create", NULL};
	const struct value *max_units = find(r, "maxUnits");
	struct fleet_delivery delivery = {
	    .applier = applier,
	    .at = r->fleet ? value_position(r->fleet) : NOWHERE,
	    .max_units = max_units ? (size_t)max_units->integer : FLEET_MAX_UNITS,
	    .namespace =
	        namespace_of(r, find(r, "namespace"),
	                     applier == FLEET_APPLIER_ARGOCD ? SV("argocd") : SV("flux-system")),
	    .path = path_of(r),
	    .interval = interval_of(r),
	    .decryption_secret = delivery_name(r, "decryptionSecret", SV("sops-age")),
	    .kubeconfig_secret = delivery_name(r, "kubeconfigSecret", SV("{cluster}-kubeconfig")),
	    .kubeconfig_key = kubeconfig_key_of(r),
	    .project = delivery_name(r, "project", SV("default")),
	    .destination = delivery_name(r, "destination", SV("{cluster}")),
	    .wait = find(r, "wait"),
	    .secret_text = read_secret_text(r, applier),
	    .management_namespace =
	        word_of(r, find(r, "managementNamespace"), "managementNamespace", namespaces,
	                "write exists if something else creates the namespace, or create"),
	};

	read_source(r, &delivery);
	read_depends_on(r, &delivery);
	return delivery;
}

static enum fleet_applier read_applier(const struct reader *r)
{
	static const char *const words[] = {"none", "flux", "argocd", NULL};
	sv word = word_of(r, find(r, "applier"), "applier", words, "write flux, argocd or none");

	if (sv_eq(word, SV("flux")))
		return FLEET_APPLIER_FLUX;
	return sv_eq(word, SV("argocd")) ? FLEET_APPLIER_ARGOCD : FLEET_APPLIER_NONE;
}

void fleet_apply_delivery(struct arena *arena, struct sink *sink, const struct fleet_draft *draft,
                          struct fleet *fleet)
{
	struct reader r = {.arena = arena, .sink = sink, .fleet = draft->delivery};
	DIAG_SCOPE(sink, SV("Fleet"), sink->cluster);

	enum fleet_applier applier = read_applier(&r);
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		r.cluster = draft->clusters.items[i].delivery;
		r.name = fleet->clusters[i].name;
		fleet->clusters[i].delivery = read_delivery(&r, applier);
	}
}
