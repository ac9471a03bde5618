/*
 * A Secret as a SealedSecret: each value under a session key of its own, which the certificate's
 * key holder alone can take out.
 */
#include "codec/codec.h"
#include "seal/derive.h"
#include "seal/hybrid.h"
#include "seal/sealed_secret.h"
#include "yaml/yaml.h"

#include <sodium.h>
#include <stdlib.h>

#define API_VERSION SV("bitnami.com/v1alpha1")
/* Flux applies the SealedSecret, not what the controller makes of it. */
#define FLUX_PREFIX SV("kustomize.toolkit.fluxcd.io/")
#define FLUX_FORCE  SV("kustomize.toolkit.fluxcd.io/force")

enum { ID_FIELDS = 5 };

struct writer {
	const struct seal_root *root;
	struct arena *scratch;        /* secret; emptied for each object */
	struct hybrid_public *key;    /* of the certificate sealed to last; or null */
	const struct certificate *of; /* whose key that is */
};

void *sealed_secret_writer_new(const struct seal_root *root)
{
	struct writer *writer = sodium_malloc(sizeof(*writer));

	if (!writer)
		base_out_of_memory();
	*writer = (struct writer){.root = root, .scratch = arena_new(ARENA_SECRET)};
	return writer;
}

void sealed_secret_writer_free(void *state)
{
	struct writer *writer = state;

	arena_free(writer->scratch);
	hybrid_public_free(writer->key);
	sodium_free(writer);
}

/* A value to seal. */
struct item {
	sv key;
	sv text; /* the bytes that machines get */
};

struct job {
	struct writer *writer;
	struct sink *sink;
	const struct seal_request *request;
	const struct certificate *certificate;
	sv identity[ID_FIELDS];
	sv label;
	VEC(struct item) items; /* sorted by key */
	bool failed;
};

/* ---- sealed values ----------------------------------------------------------------------- */

static void add_item(struct job *job, const struct value_entry *entry, bool is_base64)
{
	sv text = value_text(&entry->value);
	size_t error_at;

	if (!value_is_string(&entry->value) ||
	    (is_base64 &&
	     !base64_decode(job->writer->scratch, BASE64_STD, text, &text, &error_at))) {
		struct diag *diag = diag_report(
		    job->sink, DIAG_SEAL_VALUE,
		    value_position_near(&entry->value, job->request->at),
		    "%.*s cannot be sealed: the value is not a string, or not base64 below data",
		    SV_ARG(entry->key));

		diag_set_help(job->sink, diag, "write the value below stringData, in quotes");
		job->failed = true;
		return;
	}
	VEC_PUSH(job->writer->scratch, &job->items, ((struct item){entry->key, text}));
}

/* stringData wins over data, as in the API server. */
static void collect_data(struct job *job)
{
	const struct value *data = value_map_get(job->request->object, SV("data"));
	const struct value *texts = value_map_get(job->request->object, SV("stringData"));

	for (size_t i = 0; value_is_map(data) && i < value_count(data); i++)
		if (!value_map_get(texts, data->map->entries[i].key))
			add_item(job, &data->map->entries[i], true);
	for (size_t i = 0; value_is_map(texts) && i < value_count(texts); i++)
		add_item(job, &texts->map->entries[i], false);
	SORT_BY(job->items.items, job->items.count, key);
}

/* ---- coins (docs/spec/sealing.md 3.2) ---------------------------------------------------- */

static void add_common(struct derivation *derivation, const struct job *job,
                       const struct item *item)
{
	for (size_t i = 0; i < ID_FIELDS; i++)
		derive_field(derivation, job->identity[i]);
	derive_field(derivation,
	             sv_from_bytes(job->certificate->digest, sizeof(job->certificate->digest)));
	derive_field(derivation, job->label);
	derive_field(derivation, item->key);
}

/* The session key depends on all that the object seals: AES's nonce is the same each time. */
static void derive_coins(const struct job *job, const struct item *item, struct hybrid_coins *coins)
{
	struct derivation derivation;

	derive_begin(&derivation, job->writer->root, DERIVE_SEALED_SECRET_SESSION,
	             sizeof(coins->session_key), ID_FIELDS + 4 + 2 * (uint64_t)job->items.count);
	add_common(&derivation, job, item);
	derive_number(&derivation, job->items.count);
	VEC_EACH (each, &job->items) {
		derive_field(&derivation, each->key);
		derive_field(&derivation, each->text);
	}
	derive_end(&derivation, coins->session_key);

	derive_begin(&derivation, job->writer->root, DERIVE_SEALED_SECRET_OAEP,
	             sizeof(coins->oaep_seed), ID_FIELDS + 4);
	add_common(&derivation, job, item);
	derive_field(&derivation, sv_from_bytes(coins->session_key, sizeof(coins->session_key)));
	derive_end(&derivation, coins->oaep_seed);
}

static struct value seal_item(const struct job *job, const struct item *item)
{
	struct arena *scratch = job->writer->scratch;
	struct hybrid_coins *coins = ARENA_NEW(scratch, struct hybrid_coins);
	struct buf bytes = buf_in(scratch);

	derive_coins(job, item, coins);
	hybrid_encrypt(&bytes, job->writer->key, coins, job->label, item->text);
	return value_string(base64_encode(scratch, BASE64_STD, buf_sv(&bytes)));
}

/* ---- the object -------------------------------------------------------------------------- */

static void set_member(struct job *job, struct value *map, const char *key, struct value v)
{
	value_map_set(job->writer->scratch, map, sv_from_cstr(key), v);
}

static void set_if(struct job *job, struct value *map, const char *key, const struct value *v)
{
	if (!value_is_null(v) && !((value_is_map(v) || value_is_list(v)) && value_count(v) == 0))
		set_member(job, map, key, *v);
}

/* Scope and Flux's annotations, but the one that recreates: the SealedSecret is mutable. */
static struct value own_annotations(struct job *job, const struct value *of_secret)
{
	struct value own = value_map_new(job->writer->scratch);
	enum seal_scope scope = job->request->recipients->scope;

	for (size_t i = 0; value_is_map(of_secret) && i < value_count(of_secret); i++) {
		const struct value_entry *entry = &of_secret->map->entries[i];

		if (sv_starts_with(entry->key, FLUX_PREFIX) && !sv_eq(entry->key, FLUX_FORCE))
			value_map_set(job->writer->scratch, &own, entry->key, entry->value);
	}
	if (scope == SEAL_SCOPE_NAMESPACE)
		set_member(job, &own, SEALED_SECRET_NAMESPACE_WIDE, value_string(SV("true")));
	if (scope == SEAL_SCOPE_CLUSTER)
		set_member(job, &own, SEALED_SECRET_CLUSTER_WIDE, value_string(SV("true")));
	return own;
}

/* Returns the Secret's annotations and the scope's, which kubeseal writes in both places. */
static struct value template_annotations(struct job *job, const struct value *of_secret)
{
	struct value annotations = value_map_new(job->writer->scratch);
	enum seal_scope scope = job->request->recipients->scope;

	for (size_t i = 0; value_is_map(of_secret) && i < value_count(of_secret); i++) {
		const struct value_entry *entry = &of_secret->map->entries[i];

		if (!sv_starts_with(entry->key, FLUX_PREFIX))
			value_map_set(job->writer->scratch, &annotations, entry->key, entry->value);
	}
	if (scope == SEAL_SCOPE_NAMESPACE)
		set_member(job, &annotations, SEALED_SECRET_NAMESPACE_WIDE,
		           value_string(SV("true")));
	if (scope == SEAL_SCOPE_CLUSTER)
		set_member(job, &annotations, SEALED_SECRET_CLUSTER_WIDE, value_string(SV("true")));
	return annotations;
}

/* Without `immutable`: the controller changes the Secret in place, and could not. */
static struct value template_of(struct job *job)
{
	const struct value *secret = job->request->object;
	const struct value *metadata = value_map_get(secret, SV("metadata"));
	struct value template = value_map_new(job->writer->scratch);
	struct value copy = value_map_new(job->writer->scratch);
	struct value annotations =
	    template_annotations(job, value_map_get(metadata, SV("annotations")));

	set_if(job, &copy, "name", value_map_get(metadata, SV("name")));
	set_if(job, &copy, "namespace", value_map_get(metadata, SV("namespace")));
	set_if(job, &copy, "labels", value_map_get(metadata, SV("labels")));
	set_if(job, &copy, "annotations", &annotations);
	set_member(job, &template, "metadata", copy);
	set_if(job, &template, "type", value_map_get(secret, SV("type")));
	return template;
}

static bool report_clear(void *context, const struct secrecy_place *place,
                         const struct secret *secret)
{
	struct job *job = context;
	sv path = secrecy_path(job->writer->scratch, place);
	struct diag *diag = diag_report(
	    job->sink, DIAG_SEAL_CLEAR_SECRET, secrecy_position(place, job->request->at),
	    "%.*s would be public and holds the secret %.*s", SV_ARG(path), SV_ARG(secret->name));

	diag_set_help(job->sink, diag, "use the secret in file contents only");
	job->failed = true;
	return true;
}

static struct value object_of(struct job *job)
{
	const struct value *metadata = value_map_get(job->request->object, SV("metadata"));
	struct arena *scratch = job->writer->scratch;
	struct value object = value_map_new(scratch);
	struct value own = value_map_new(scratch);
	struct value spec = value_map_new(scratch);
	struct value sealed = value_map_new(scratch);
	struct value annotations = own_annotations(job, value_map_get(metadata, SV("annotations")));

	set_if(job, &own, "name", value_map_get(metadata, SV("name")));
	set_if(job, &own, "namespace", value_map_get(metadata, SV("namespace")));
	set_if(job, &own, "annotations", &annotations);
	VEC_EACH (item, &job->items)
		value_map_set(scratch, &sealed, item->key, seal_item(job, item));
	set_member(job, &spec, "encryptedData", sealed);
	set_member(job, &spec, "template", template_of(job));
	set_member(job, &object, "apiVersion", value_string(API_VERSION));
	set_member(job, &object, "kind", value_string(SV("SealedSecret")));
	set_member(job, &object, "metadata", own);
	set_member(job, &object, "spec", spec);
	secrecy_each(&object, report_clear, job);
	return object;
}

static enum status refuse_kind(struct sink *sink, const struct seal_request *request, sv kind)
{
	struct diag *diag = diag_report(
	    sink, DIAG_SEALED_SECRET_KIND, request->at,
	    "a SealedSecret can only hold a Secret, and this is of kind %.*s", SV_ARG(kind));

	diag_set_help(
	    sink, diag,
	    "leave the setting osc at redacted, or give the cluster sealing.format: sops");
	return STATUS_FAILED;
}

enum status sealed_secret_seal_bytes(struct sink *sink, void *state UNUSED,
                                     const struct seal_request *request, sv text UNUSED,
                                     struct buf *out UNUSED)
{
	return refuse_kind(sink, request, value_text(value_map_get(request->object, SV("kind"))));
}

static void use_certificate(struct writer *writer, const struct certificate *certificate)
{
	if (writer->of == certificate)
		return;
	hybrid_public_free(writer->key);
	writer->key = hybrid_public_new(certificate->spki);
	writer->of = certificate;
}

enum status sealed_secret_seal(struct sink *sink, void *state, const struct seal_request *request,
                               struct buf *out)
{
	struct writer *writer = state;
	const struct value *object = request->object;
	const struct seal_recipients *recipients = request->recipients;
	sv namespace = value_text(value_path(object, "metadata.namespace"));
	sv name = value_text(value_path(object, "metadata.name"));
	sv kind = value_text(value_map_get(object, SV("kind")));
	struct job job = {
	    .writer = writer,
	    .sink = sink,
	    .request = request,
	    .identity = {request->cluster, value_text(value_map_get(object, SV("apiVersion"))),
	                 kind, namespace, name},
	};

	BUG_ON(recipients->count != 1);
	if (!sv_eq(kind, SV("Secret")))
		return refuse_kind(sink, request, kind);
	arena_reset(writer->scratch);
	job.certificate = recipients->items[0].key;
	job.label = sealed_secret_label(writer->scratch, recipients->scope, namespace, name);
	use_certificate(writer, job.certificate);
	collect_data(&job);
	if (job.failed)
		return STATUS_FAILED;
	struct value sealed = object_of(&job);
	if (job.failed)
		return STATUS_FAILED;
	if (request->first_line.len > 0) {
		buf_add(out, request->first_line);
		buf_add_char(out, '\n');
	}
	yml_emit(out, &sealed, (struct yml_format){0});
	return STATUS_OK;
}
