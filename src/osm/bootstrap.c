/*
 * Bootstrap tokens (docs/spec/controller.md 5.2) and lookups of credentials.
 */
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm/osm.h"
#include "seal/seal.h"

#define ACCOUNT_TYPE    "kubernetes.io/service-account-token"
#define LABEL_MAX_BYTES 63
#define RFC_3339        "2006-01-02T15:04:05Z07:00"
#define ACCOUNT_NAME    "kubernetes.io/service-account.name"

sv osm_machine_key(struct arena *arena, sv namespace, sv name)
{
	if (namespace.len + 1 + name.len < LABEL_MAX_BYTES)
		return ARENA_CONCAT(arena, namespace, SV("-"), name);
	return name;
}

bool osm_is_absent_secret(const struct osm_cluster *cluster, const struct value *string)
{
	return cluster->secrets_may_be_absent && secrecy_is_absent(string);
}

bool osm_secret_is_usable(const struct kube_object *secret, sv key)
{
	return secret && kube_secret_has(secret, key) && !seal_is_sealed(secret->root);
}

bool osm_secret_may_have(const struct kube_object *secret, sv key)
{
	return !secret || kube_secret_has(secret, key) || kube_secret_is_unfilled(secret, key);
}

enum status osm_lookup_value(struct arena *arena, struct sink *sink,
                             const struct osm_cluster *cluster, const struct osm_lookup *lookup,
                             struct value *ret_string)
{
	sv kind = lookup->is_secret ? SV("Secret") : SV("ConfigMap");
	const struct kube_object *object =
	    kube_objects_find(cluster->objects, kind, lookup->namespace, lookup->name);

	if (lookup->is_secret && cluster->secrets_may_be_absent &&
	    !osm_secret_is_usable(object, lookup->key) &&
	    osm_secret_may_have(object, lookup->key) &&
	    (object || kube_secret_may_come(arena, sink, cluster->objects, lookup->namespace,
	                                    lookup->name, lookup->wanted))) {
		*ret_string =
		    kube_absent_value(arena, lookup->namespace, lookup->name, lookup->key);
		return STATUS_OK;
	}
	if (!object &&
	    kube_objects_is_failed(cluster->objects, kind, lookup->namespace, lookup->name))
		return STATUS_FAILED;
	if (!object) {
		struct diag *diag =
		    diag_report(sink, DIAG_OBJECT_MISSING, lookup->wanted,
		                "%.*s %.*s/%.*s is not among the manifests", SV_ARG(kind),
		                SV_ARG(lookup->namespace), SV_ARG(lookup->name));
		kube_objects_help_missing(arena, sink, diag, cluster->objects,
		                          &(struct kube_id){.kind = kind,
		                                            .namespace = lookup->namespace,
		                                            .name = lookup->name});
		return STATUS_FAILED;
	}
	if (lookup->is_secret)
		return kube_secret_value(arena, sink, object, lookup->key, lookup->wanted,
		                         ret_string);
	return kube_config_map_value(arena, sink, object, lookup->key, lookup->wanted, ret_string);
}

bool osm_secret_is_unfilled(const struct kube_object *secret, sv key)
{
	return secret && !seal_is_sealed(secret->root) && kube_secret_is_unfilled(secret, key);
}

void osm_warn_unfilled(struct arena *arena, struct sink *sink, const struct kube_object *secret,
                       const char *instead)
{
	struct diag *diag =
	    diag_report(sink, DIAG_SECRET_UNFILLED, kube_object_position(secret),
	                "%.*s holds no token in git, since the cluster fills it in: %s",
	                SV_ARG(kube_object_describe(arena, secret)), instead);

	diag_set_help(
	    sink, diag,
	    "to have osm-gen derive the token, leave the Secret as it is, or name its file in "
	    ".osm-gen-ignore; to use the cluster's token, encrypt the output of `kubectl get "
	    "secret -n %.*s %.*s -o yaml` with sops, or give it with --secrets",
	    SV_ARG(secret->id.namespace), SV_ARG(secret->id.name));
}

/* ---- given tokens ------------------------------------------------------------------------ */

void osm_collect_given_tokens(struct arena *arena, struct sink *sink,
                              const struct kube_objects *objects, struct map *tokens)
{
	struct kube_object_list secrets = kube_objects_of_kind(arena, objects, SV("Secret"));

	VEC_EACH (secret, &secrets) {
		if (!sv_eq_cstr((*secret)->id.namespace, KUBE_TOKEN_NAMESPACE))
			continue;
		const struct value *label = value_map_get(
		    value_path((*secret)->root, "metadata.labels"), SV(OSM_TOKEN_LABEL));
		if (sv_empty(value_text(label)))
			continue;
		if (osm_secret_is_unfilled(*secret, SV("token-secret"))) {
			osm_warn_unfilled(arena, sink, *secret, "osm-gen derives a token");
			continue;
		}
		struct osm_given_token *token = map_get(tokens, value_text(label));
		if (token) {
			token->second = *secret;
			continue;
		}
		token = ARENA_NEW(arena, struct osm_given_token);
		token->secret = *secret;
		map_put(tokens, value_text(label), token);
	}
}

enum { TOKEN_ID_BYTES = 6, TOKEN_SECRET_BYTES = 16 };

static bool is_token_part(sv text, size_t bytes)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!ascii_is_digit(c) && !ascii_is_lower(c))
			return false;
	}
	return text.len == bytes;
}

/* Returns false for characters that no HTTP client sends in a header, such as line breaks. */
static bool fits_into_header(sv text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if ((c < ' ' && c != '\t') || c == 0x7F)
			return false;
	}
	return true;
}

static enum status check_part(struct sink *sink, const struct kube_object *secret, const char *key,
                              const struct value *part, size_t bytes)
{
	struct position at =
	    value_position(part).source ? value_position(part) : kube_object_position(secret);
	struct diag *diag;

	if (is_token_part(part->string, bytes))
		return STATUS_OK;
	if (!fits_into_header(part->string)) {
		diag = diag_report(sink, DIAG_BOOTSTRAP_TOKEN, at,
		                   "%s holds a line break or another control character, which "
		                   "cannot be sent in a request",
		                   key);
		diag_set_help(sink, diag,
		              "write it without that character; in a shell, use printf %%s, since "
		              "echo adds a line break");
		return STATUS_FAILED;
	}
	diag = diag_report(sink, DIAG_BOOTSTRAP_TOKEN_MALFORMED, at,
	                   "%s is not %zu characters of a-z and 0-9 (it has %zu bytes): the API "
	                   "server refuses the token",
	                   key, bytes, part->string.len);
	diag_set_help(sink, diag,
	              "make a token with kubeadm token generate: token-id is the part before "
	              "its dot, token-secret the part after it; or remove the Secret, and osm-gen "
	              "derives a token");
	return STATUS_OK;
}

/*
 * Checks a given token. COMPAT: the controller uses any string. Kubernetes accepts only the form of
 * kubeadm, and looks up the Secret by the token's id.
 */
static enum status check_token(struct arena *arena, struct sink *sink,
                               const struct kube_object *secret, const struct value *id,
                               const struct value *part)
{
	enum status status = check_part(sink, secret, "token-id", id, TOKEN_ID_BYTES);

	status |= check_part(sink, secret, "token-secret", part, TOKEN_SECRET_BYTES);
	if (is_token_part(id->string, TOKEN_ID_BYTES) &&
	    !sv_eq(secret->id.name, ARENA_CONCAT(arena, SV(KUBE_TOKEN_PREFIX), id->string))) {
		struct diag *diag =
		    diag_report(sink, DIAG_BOOTSTRAP_TOKEN_FORM, kube_object_position(secret),
		                "the Secret's name does not end in its token-id: the API server "
		                "looks for the token in another Secret");
		diag_set_help(sink, diag, "name it " KUBE_TOKEN_PREFIX "%.*s", SV_ARG(id->string));
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* Reports an expired token. The API server treats an expiration that is not a time as past. */
static enum status report_expired(struct sink *sink, struct position at, sv end)
{
	struct diag *diag =
	    sv_empty(end)
	        ? diag_report(sink, DIAG_BOOTSTRAP_TOKEN_EXPIRED, at,
	                      "expiration is not a time of the form 2006-01-02T15:04:05Z: the API "
	                      "server treats the token as expired")
	        : diag_report(sink, DIAG_BOOTSTRAP_TOKEN_EXPIRED, at,
	                      "the bootstrap token ended on %.*s, before the source commit was "
	                      "made: no machine can join with it",
	                      SV_ARG(end));

	diag_set_help(sink, diag,
	              "remove the Secret, and osm-gen derives a token; or make a new token without "
	              "expiration");
	return STATUS_FAILED;
}

static enum status check_expiration(struct arena *arena, struct sink *sink,
                                    const struct kube_object *secret, const struct dialect_job *job)
{
	int64_t now = job->now; /* 0 without a commit */
	const sv key = SV("expiration");
	struct position at = kube_object_position(secret);
	struct go_time end;
	struct value text;
	sv error;

	if (!kube_secret_has(secret, key))
		return STATUS_OK;
	if (kube_secret_value(arena, sink, secret, key, at, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (value_position(&text).source)
		at = value_position(&text);
	if (!go_time_parse(arena, SV(RFC_3339), text.string, false, &end, &error))
		return report_expired(sink, at, SV(""));
	/* Format it anew, so that messages do not show the Secret's string. */
	const struct go_time utc = {.seconds = end.seconds};
	sv shown = go_time_format(arena, &utc, SV("2006-01-02T15:04:05Z"));
	if (job->asks_now)
		*job->asks_now = true;
	if (now == 0)
		return STATUS_OK;
	if (end.seconds <= now)
		return report_expired(sink, at, shown);
	struct diag *diag =
	    diag_report(sink, DIAG_BOOTSTRAP_TOKEN_EXPIRES, at,
	                "the bootstrap token ends on %.*s: machines that boot later cannot join",
	                SV_ARG(shown));
	diag_set_help(sink, diag,
	              "remove the Secret, and osm-gen derives a token (tokenRotation: weekly makes "
	              "new ones); or remove the field expiration");
	return STATUS_OK;
}

static enum status given_token(struct arena *arena, struct sink *sink,
                               const struct osm_given_token *given, const struct dialect_job *job,
                               struct value *ret_token)
{
	bool may_be_absent = osm_job_cluster(job)->secrets_may_be_absent;
	struct position at = kube_object_position(given->secret);
	struct value id;
	struct value secret;

	if (given->second) {
		struct diag *diag = diag_report(sink, DIAG_BOOTSTRAP_TOKEN, at,
		                                "two bootstrap token Secrets are labelled for this "
		                                "MachineDeployment");
		diag_add_note(sink, diag, kube_object_position(given->second),
		              "the other one is here");
		diag_set_help(sink, diag, "keep one of them");
		return STATUS_FAILED;
	}
	if (may_be_absent && osm_secret_may_have(given->secret, SV("token-id")) &&
	    osm_secret_may_have(given->secret, SV("token-secret")) &&
	    !(osm_secret_is_usable(given->secret, SV("token-id")) &&
	      osm_secret_is_usable(given->secret, SV("token-secret")))) {
		*ret_token = kube_absent_value(arena, given->secret->id.namespace,
		                               given->secret->id.name, SV("token-secret"));
		return STATUS_OK;
	}
	enum status status = kube_secret_value(arena, sink, given->secret, SV("token-id"), at, &id);
	status |= kube_secret_value(arena, sink, given->secret, SV("token-secret"), at, &secret);
	if (status == STATUS_OK)
		status = check_token(arena, sink, given->secret, &id, &secret);
	status |= check_expiration(arena, sink, given->secret, job);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	/* Taint the whole token as one secret, although its id is public. */
	struct value token = value_string(ARENA_CONCAT(arena, id.string, SV("."), secret.string));
	*ret_token =
	    secrecy_taint_string(arena, token,
	                         kube_secret_name(arena, given->secret->id.namespace,
	                                          given->secret->id.name, SV("token-secret")));
	return STATUS_OK;
}

enum status osm_bootstrap_token(struct arena *arena, struct sink *sink,
                                const struct dialect_job *job, sv key, struct value *ret_token,
                                enum osm_token_from *ret_from)
{
	const struct osm_cluster *cluster = osm_job_cluster(job);
	const struct osm_given_token *given = map_get(&cluster->given_tokens, key);

	if (cluster->account_token.type) {
		*ret_token = cluster->account_token;
		*ret_from = OSM_TOKEN_ACCOUNT;
		return STATUS_OK;
	}
	if (given) {
		*ret_from = OSM_TOKEN_GIVEN;
		return given_token(arena, sink, given, job, ret_token);
	}
	*ret_from = OSM_TOKEN_DERIVED;
	if (key.len > LABEL_MAX_BYTES) {
		struct diag *diag =
		    diag_report(sink, DIAG_NAME_TOO_LONG, kube_object_position(job->unit->object),
		                "the bootstrap token's label has %zu bytes, %d are allowed",
		                key.len, LABEL_MAX_BYTES);
		diag_set_help(sink, diag, "use a name of at most %d bytes", LABEL_MAX_BYTES);
		return STATUS_FAILED;
	}
	if (job->token.type) {
		*ret_token = job->token;
		return STATUS_OK;
	}
	if (cluster->secrets_may_be_absent) {
		*ret_token = secrecy_absent(
		    arena, ARENA_CONCAT(arena, SV(SECRECY_DERIVED_PREFIX), key, SV(":token")),
		    (struct secret_owner){0});
		return STATUS_OK;
	}
	struct diag *diag =
	    diag_report(sink, DIAG_BOOTSTRAP_TOKEN, kube_object_position(job->unit->object),
	                "the bootstrap token is missing, and cannot be derived");
	diag_set_help(sink, diag,
	              "give a seed, or a Secret " KUBE_TOKEN_NAMESPACE "/" KUBE_TOKEN_PREFIX
	              "* labelled " OSM_TOKEN_LABEL ": %.*s",
	              SV_ARG(key));
	return STATUS_FAILED;
}

/* ---- ServiceAccount token ---------------------------------------------------------------- */

static bool is_account_secret(const struct kube_object *secret)
{
	return secret && sv_eq_cstr(kube_secret_type(secret), ACCOUNT_TYPE);
}

bool osm_is_account_secret_of(const struct kube_object *object,
                              const struct setter_reference *account)
{
	if (sv_empty(account->name) || !sv_eq(object->id.kind, SV("Secret")) ||
	    !sv_eq(account->namespace, object->id.namespace))
		return false;
	const struct value *annotations = value_path(object->root, "metadata.annotations");

	return sv_eq(account->name, value_text(value_map_get(annotations, SV(ACCOUNT_NAME))));
}

struct account {
	struct arena *arena;
	struct sink *sink;
	const struct kube_objects *objects;
	sv namespace;
	sv name;
	bool may_be_absent; /* Secrets are not read */
	bool is_reported;   /* a warning names the Secret that is missing */
};

/*
 * COMPAT: finds the first token Secret that the ServiceAccount lists. Secrets of other types (of
 * registries) are skipped, but a missing one is an error. Sets null if the account lists no token.
 */
static enum status find_listed_secret(struct account *a, const struct kube_object **ret_secret)
{
	const struct kube_object *account =
	    kube_objects_find(a->objects, SV("ServiceAccount"), a->namespace, a->name);
	const struct value *listed = account ? value_map_get(account->root, SV("secrets")) : NULL;

	*ret_secret = NULL;
	for (size_t i = 0; value_is_list(listed) && i < value_count(listed) && !*ret_secret; i++) {
		const struct value *item = value_item(listed, i);
		const struct value *name = value_map_get(item, SV("name"));
		const struct kube_object *secret =
		    kube_objects_find(a->objects, SV("Secret"), a->namespace, value_text(name));

		if (is_account_secret(secret))
			*ret_secret = secret;
		if (secret)
			continue;
		struct position at = value_position(name ? name : item);
		if (a->may_be_absent && kube_secret_may_come(a->arena, a->sink, a->objects,
		                                             a->namespace, value_text(name), at)) {
			a->is_reported = true;
			return STATUS_OK;
		}
		if (kube_objects_is_failed(a->objects, SV("Secret"), a->namespace,
		                           value_text(name)))
			return STATUS_FAILED;
		struct diag *diag = diag_report(
		    a->sink, DIAG_OBJECT_MISSING, at,
		    "Secret %.*s/%.*s, which ServiceAccount %.*s/%.*s lists, is not among the "
		    "manifests",
		    SV_ARG(a->namespace), SV_ARG(value_text(name)), SV_ARG(a->namespace),
		    SV_ARG(a->name));
		sv nearest = kube_objects_nearest(a->arena, a->objects, SV("Secret"), a->namespace,
		                                  value_text(name));
		diag_set_help(a->sink, diag,
		              "%s%.*s%scommit it encrypted with sops, put it into the --secrets "
		              "folder, or remove it from the list",
		              sv_empty(nearest) ? "" : "did you mean ", SV_ARG(nearest),
		              sv_empty(nearest) ? "" : "? Otherwise ");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

/*
 * Finds a Secret annotated with the account's name, since clusters no longer fill in that list.
 */
static const struct kube_object *find_annotated_secret(const struct account *a)
{
	struct kube_object_list secrets = kube_objects_of_kind(a->arena, a->objects, SV("Secret"));

	VEC_EACH (secret, &secrets) {
		const struct value *annotations =
		    value_path((*secret)->root, "metadata.annotations");

		if (sv_eq((*secret)->id.namespace, a->namespace) && is_account_secret(*secret) &&
		    sv_eq(value_text(value_map_get(annotations, SV(ACCOUNT_NAME))), a->name))
			return *secret;
	}
	return NULL;
}

/* Reports a token Secret without token: the setting asks for it, so none is derived instead. */
static enum status report_unfilled(const struct account *a,
                                   const struct setter_reference *reference,
                                   const struct kube_object *secret)
{
	struct diag *diag =
	    diag_report(a->sink, DIAG_OBJECT_MISSING, value_position(&reference->text),
	                "the token of ServiceAccount %.*s/%.*s is not among the manifests: the "
	                "cluster fills its Secret",
	                SV_ARG(a->namespace), SV_ARG(a->name));

	diag_add_note(a->sink, diag, kube_object_position(secret), "%.*s holds no token",
	              SV_ARG(kube_object_describe(a->arena, secret)));
	diag_set_help(
	    a->sink, diag,
	    "encrypt the output of `kubectl get secret -n %.*s %.*s -o yaml` with sops, or give it "
	    "with --secrets; or remove the setting, and osm-gen derives a token",
	    SV_ARG(secret->id.namespace), SV_ARG(secret->id.name));
	return STATUS_FAILED;
}

static void set_account_help(const struct account *a, struct diag *diag)
{
	diag_set_help(a->sink, diag,
	              "commit, sealed, a Secret of type " ACCOUNT_TYPE
	              " with the annotation " ACCOUNT_NAME ": %.*s, or give it with --secrets",
	              SV_ARG(a->name));
}

/* Returns true if `generate` may have the account's Secret, and warns of it once. */
static bool account_may_come(const struct account *a, struct position at)
{
	bool is_unopened;

	if (a->is_reported)
		return true;
	if (!kube_secrets_may_come(a->objects, &is_unopened))
		return false;
	if (is_unopened)
		return true;
	struct diag *diag = diag_report(a->sink, DIAG_SECRET_OUTSIDE, at,
	                                "no token Secret of ServiceAccount %.*s/%.*s is among the "
	                                "manifests: generate fails without it",
	                                SV_ARG(a->namespace), SV_ARG(a->name));
	set_account_help(a, diag);
	return true;
}

enum status osm_account_token(struct arena *arena, struct sink *sink,
                              const struct kube_objects *objects,
                              const struct setter_reference *reference, bool may_be_absent,
                              struct value *ret_token)
{
	struct account a = {
	    .arena = arena,
	    .sink = sink,
	    .objects = objects,
	    .namespace = reference->namespace,
	    .name = reference->name,
	    .may_be_absent = may_be_absent,
	};
	struct position at = value_position(&reference->text);
	const struct kube_object *secret;

	if (find_listed_secret(&a, &secret) != STATUS_OK)
		return STATUS_FAILED;
	if (!secret)
		secret = find_annotated_secret(&a);
	if (may_be_absent && !osm_secret_is_usable(secret, SV("token")) &&
	    !osm_secret_is_unfilled(secret, SV("token")) && (secret || account_may_come(&a, at))) {
		*ret_token =
		    secrecy_absent(arena, reference->text.string,
		                   (struct secret_owner){SECRET_OWNER_OBJECT, reference->namespace,
		                                         reference->name});
		return STATUS_OK;
	}
	if (osm_secret_is_unfilled(secret, SV("token")))
		return report_unfilled(&a, reference, secret);
	if (secret)
		return kube_secret_value(arena, sink, secret, SV("token"), at, ret_token);
	/* A Secret that could not be decrypted, which was reported, may be the account's. */
	if (kube_objects_any_failed(objects))
		return STATUS_FAILED;
	struct diag *diag = diag_report(sink, DIAG_OBJECT_MISSING, at,
	                                "no token Secret of ServiceAccount %.*s/%.*s is among the "
	                                "manifests",
	                                SV_ARG(a.namespace), SV_ARG(a.name));
	set_account_help(&a, diag);
	return STATUS_FAILED;
}
