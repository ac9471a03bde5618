/*
 * SealedSecrets as a format of sealed files: how they are recognised, opened with a private key,
 * and shown.
 */
#include "seal/sealed_secret.h"

#include "codec/codec.h"
#include "seal/derive.h"
#include "seal/hybrid.h"
#include "seal/keyring.h"

static bool is_sealed(const struct value *document)
{
	return sv_starts_with(value_text(value_map_get(document, SV("apiVersion"))),
	                      SV("bitnami.com/")) &&
	       sv_eq(value_text(value_map_get(document, SV("kind"))), SV("SealedSecret"));
}

/* ---- reading ----------------------------------------------------------------------------- */

struct opener {
	struct arena *arena; /* secret */
	struct sink *sink;
	const struct seal_identities *identities;
	sv namespace;
	sv name;
	sv label;
};

static enum status format_error(struct opener *opener, const struct value *at, const char *what)
{
	struct diag *diag =
	    diag_report(opener->sink, DIAG_SEALED_SECRET_FORMAT, value_position(at), "%s", what);

	diag_set_help(opener->sink, diag, "use the file that osm-gen or kubeseal wrote");
	return STATUS_FAILED;
}

static enum status key_error(struct opener *opener, const struct value *at, const char *what)
{
	struct diag *diag =
	    diag_report(opener->sink, DIAG_SEALED_SECRET_KEY, value_position(at), "%s", what);

	diag_set_help(
	    opener->sink, diag,
	    "give the controller's private key: --key FILE, with what kubectl get secrets "
	    "-n kube-system -l sealedsecrets.bitnami.com/sealed-secrets-key -o yaml prints");
	return STATUS_FAILED;
}

static bool is_true(const struct value *annotations, const char *name)
{
	return sv_eq(value_text(value_map_get(annotations, sv_from_cstr(name))), SV("true"));
}

static enum seal_scope scope_of(const struct value *document)
{
	const struct value *annotations = value_path(document, "metadata.annotations");

	if (is_true(annotations, SEALED_SECRET_CLUSTER_WIDE))
		return SEAL_SCOPE_CLUSTER;
	return is_true(annotations, SEALED_SECRET_NAMESPACE_WIDE) ? SEAL_SCOPE_NAMESPACE
	                                                          : SEAL_SCOPE_STRICT;
}

/* Opens a value with the first private key that fits: the controller keeps old keys, too. */
static enum status open_value(struct opener *opener, const struct value_entry *entry, sv *ret_plain)
{
	size_t error_at;
	sv bytes;

	if (!value_is_string(&entry->value) ||
	    !base64_decode(opener->arena, BASE64_STD, entry->value.string, &bytes, &error_at))
		return format_error(opener, &entry->value,
		                    "a value of encryptedData is not base64");
	for (size_t i = 0; i < seal_private_key_count(opener->identities); i++) {
		const struct hybrid_private *key = seal_private_key_at(opener->identities, i);

		switch (hybrid_decrypt(opener->arena, key, opener->label, bytes, ret_plain)) {
		case HYBRID_FINE:
			return STATUS_OK;
		case HYBRID_FORM:
			return format_error(opener, &entry->value,
			                    "a value of encryptedData is cut off");
		case HYBRID_NO_MATCH:
			break;
		}
	}
	return key_error(opener, &entry->value,
	                 "none of the private keys opens the value: it was sealed for another "
	                 "controller, namespace, name or scope, or it is damaged");
}

/* Text as stringData, other bytes as base64 below data. */
static void add_plain(struct opener *opener, const struct value_entry *entry, sv plain,
                      struct value *texts, struct value *data)
{
	struct secret *secret = ARENA_NEW(opener->arena, struct secret);
	bool is_text = utf8_valid(plain) && sv_find_char(plain, '\0') == SV_NPOS;

	*secret = (struct secret){
	    .name = ARENA_CONCAT(opener->arena, opener->namespace, SV("/"), opener->name, SV(":"),
	                         entry->key),
	    .text = plain,
	};
	struct value v = value_secret_string(
	    opener->arena, is_text ? plain : base64_encode(opener->arena, BASE64_STD, plain),
	    secret);
	v.origin = entry->value.origin;
	value_map_set(opener->arena, is_text ? texts : data, entry->key, v);
}

static enum status open_values(struct opener *opener, const struct value *sealed,
                               struct value *texts, struct value *data)
{
	for (size_t i = 0; i < value_count(sealed); i++) {
		const struct value_entry *entry = &sealed->map->entries[i];
		sv plain;

		if (open_value(opener, entry, &plain) != STATUS_OK)
			return STATUS_FAILED;
		add_plain(opener, entry, plain, texts, data);
	}
	return STATUS_OK;
}

static void set_if(struct opener *opener, struct value *map, const char *key, const struct value *v)
{
	if (!value_is_null(v) && !(value_is_map(v) && value_count(v) == 0))
		value_map_set(opener->arena, map, sv_from_cstr(key), value_copy(opener->arena, v));
}

/* The Secret that the controller would make. */
static struct value secret_of(struct opener *opener, const struct value *document,
                              const struct value *texts, const struct value *data)
{
	const struct value *template = value_path(document, "spec.template");
	struct value secret = value_map_new(opener->arena);
	struct value metadata = value_map_new(opener->arena);

	set_if(opener, &metadata, "name", value_path(document, "metadata.name"));
	set_if(opener, &metadata, "namespace", value_path(document, "metadata.namespace"));
	set_if(opener, &metadata, "labels", value_path(template, "metadata.labels"));
	set_if(opener, &metadata, "annotations", value_path(template, "metadata.annotations"));
	value_map_set(opener->arena, &secret, SV("apiVersion"), value_string(SV("v1")));
	value_map_set(opener->arena, &secret, SV("kind"), value_string(SV("Secret")));
	value_map_set(opener->arena, &secret, SV("metadata"), metadata);
	set_if(opener, &secret, "type", value_map_get(template, SV("type")));
	set_if(opener, &secret, "immutable", value_map_get(template, SV("immutable")));
	set_if(opener, &secret, "data", data);
	set_if(opener, &secret, "stringData", texts);
	return secret;
}

static enum status open_document(struct opener *opener, const struct value *document,
                                 struct value *ret_secret)
{
	const struct value *sealed = value_path(document, "spec.encryptedData");
	struct value texts = value_map_new(opener->arena);
	struct value data = value_map_new(opener->arena);

	opener->namespace = value_text(value_path(document, "metadata.namespace"));
	opener->name = value_text(value_path(document, "metadata.name"));
	opener->label =
	    sealed_secret_label(opener->arena, scope_of(document), opener->namespace, opener->name);
	if (!value_is_map(sealed))
		return format_error(opener, document, "the SealedSecret has no map encryptedData");
	if (value_count(value_path(document, "spec.template.data")) > 0)
		return format_error(opener, document,
		                    "spec.template.data holds templates that only the controller "
		                    "runs");
	if (seal_private_key_count(opener->identities) == 0)
		return key_error(opener, sealed,
		                 "a SealedSecret is opened with its controller's private key, and "
		                 "none is given");
	if (open_values(opener, sealed, &texts, &data) != STATUS_OK)
		return STATUS_FAILED;
	*ret_secret = secret_of(opener, document, &texts, &data);
	return STATUS_OK;
}

static enum status read_documents(struct arena *secret_arena, struct sink *sink,
                                  const struct value *documents, size_t count,
                                  const struct seal_identities *identities,
                                  struct value *ret_documents)
{
	struct opener opener = {.arena = secret_arena, .sink = sink, .identities = identities};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count; i++)
		if (open_document(&opener, &documents[i], &ret_documents[i]) != STATUS_OK)
			status = STATUS_FAILED;
	return status;
}

/* ---- view for reviewers ------------------------------------------------------------------ */

/* Each line below encryptedData up to its colon. */
static bool mask(struct arena *arena, sv text, sv *ret_masked)
{
	struct buf masked = buf_in(arena);
	struct sv_splitter it = sv_split(text, '\n');
	size_t inside = SIZE_MAX; /* the indentation of encryptedData while below it */
	bool first = true;
	sv line;

	if (!sv_contains(text, SV("\nkind: SealedSecret\n")))
		return false;
	while (sv_split_next(&it, &line)) {
		if (!first)
			buf_add_char(&masked, '\n');
		first = false;
		if (inside != SIZE_MAX && sv_indentation(line) > inside) {
			buf_add(&masked, sv_slice(line, 0, sv_find(line, SV(": "))));
			if (sv_contains(line, SV(": ")))
				BUF_ADD_LIT(&masked, ": <sealed>");
			continue;
		}
		bool begins = sv_eq(sv_trim_space(line), SV("encryptedData:"));
		inside = begins ? sv_indentation(line) : SIZE_MAX;
		buf_add(&masked, line);
	}
	*ret_masked = buf_sv(&masked);
	return true;
}

static void add_values(struct buf *buf, sv text)
{
	struct sv_splitter it = sv_split(text, '\n');
	size_t inside = SIZE_MAX; /* as in mask */
	sv line;

	while (sv_split_next(&it, &line)) {
		if (inside == SIZE_MAX || sv_indentation(line) <= inside) {
			bool begins = sv_eq(sv_trim_space(line), SV("encryptedData:"));

			inside = begins ? sv_indentation(line) : SIZE_MAX;
			continue;
		}
		buf_add(buf, line);
		buf_add_char(buf, '\n');
	}
}

const struct sealer_format sealed_secret_format = {
    .name = SV_INIT("sealed-secrets"),
    .takes_certificate = true,
    .parse_recipients = certificate_parse,
    .check_time = certificate_check_time,
    .state_new = sealed_secret_writer_new,
    .state_free = sealed_secret_writer_free,
    .seal = sealed_secret_seal,
    .seal_bytes = sealed_secret_seal_bytes,
    .is_sealed = is_sealed,
    .read = read_documents,
    .mask = mask,
    .add_values = add_values,
    .identity_help = "give the controller's private key with --key FILE",
    .values_help = "seal it with kubeseal",
};
