/*
 * Private keys of sealed-secrets controllers, as people have them: PEM, or the Secrets that kubectl
 * prints.
 */
#include "codec/codec.h"
#include "seal/keyring.h"
#include "yaml/yaml.h"

struct reading {
	struct arena *arena; /* secret */
	struct sink *sink;
	struct seal_identities *identities;
	const struct source *source;
	size_t found;
	bool failed;
};

static void report_private_key(struct reading *reading, struct position at, const char *what)
{
	struct diag *diag = diag_report(reading->sink, DIAG_PRIVATE_KEY, at, "%s", what);

	diag_set_help(reading->sink, diag,
	              "give an RSA key in PEM without a passphrase, or what kubectl get secrets -n "
	              "kube-system -l sealedsecrets.bitnami.com/sealed-secrets-key -o yaml prints");
	reading->failed = true;
}

/* Adds all private keys of a PEM text; skips certificates. */
static void add_pem(struct reading *reading, sv text, struct position at)
{
	sv label;
	sv der;

	while (pem_next(reading->arena, &text, &label, &der)) {
		struct hybrid_private *key;

		if (!sv_ends_with(label, SV("PRIVATE KEY")))
			continue;
		key = hybrid_private_new(der);
		if (!key) {
			report_private_key(
			    reading, at,
			    "a private key is not an RSA key of at least 2048 bits, or has a "
			    "passphrase");
			continue;
		}
		seal_private_key_add(reading->identities, key);
		reading->found++;
	}
}

static enum secrecy_step add_secret(void *context, struct secrecy_place *place)
{
	struct reading *reading = context;
	size_t error_at;
	sv pem;

	if (!place->entry || !sv_eq(place->entry->key, SV("tls.key")))
		return SECRECY_INTO;
	if (value_is_string(place->value) &&
	    base64_decode(reading->arena, BASE64_STD, place->value->string, &pem, &error_at))
		add_pem(reading, pem, value_position(place->value));
	return SECRECY_OVER;
}

/* A Secret, or a List of them. */
static void add_manifests(struct reading *reading)
{
	struct sink ignored = sink_in(reading->arena);
	struct yml_documents documents = {0};

	if (yml_parse(reading->arena, &ignored, reading->source, &documents) != STATUS_OK)
		return;
	VEC_EACH (document, &documents)
		secrecy_visit(&document->root, add_secret, reading);
}

enum status seal_private_keys_add(struct arena *secret_arena, struct sink *sink,
                                  struct seal_identities *identities, const struct source *source)
{
	struct reading reading = {secret_arena, sink, identities, source, 0, false};

	add_pem(&reading, source->text, position_of_source(source));
	if (reading.found == 0 && !reading.failed)
		add_manifests(&reading);
	if (reading.found == 0 && !reading.failed)
		report_private_key(&reading, position_of_source(source),
		                   "there is no private key in this file");
	return reading.failed ? STATUS_FAILED : STATUS_OK;
}
