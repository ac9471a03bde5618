/*
 * The recipient of SealedSecrets: the certificate of the sealed-secrets controller, one PEM block,
 * and the label of the scope.
 */
#include "codec/codec.h"
#include "seal/hybrid.h"
#include "seal/sealed_secret.h"

#include <stdlib.h>

sv sealed_secret_label(struct arena *arena, enum seal_scope scope, sv namespace, sv name)
{
	switch (scope) {
	case SEAL_SCOPE_STRICT:
		return ARENA_CONCAT(arena, namespace, SV("/"), name);
	case SEAL_SCOPE_NAMESPACE:
		return namespace;
	case SEAL_SCOPE_CLUSTER:
		return SV("");
	}
	BUG("unknown scope");
}

enum { DAY = 24 * 60 * 60, WARNED_DAYS = 30 };

static enum status certificate_error(struct sink *sink, struct position at, const char *what,
                                     const char *help)
{
	struct diag *diag = diag_report(sink, DIAG_CERTIFICATE, at, "the certificate %s", what);

	diag_set_help(sink, diag, "%s", help);
	return STATUS_FAILED;
}

#define FETCH "commit what `kubeseal --fetch-cert` prints for this cluster"

/* The first certificate of the text, as kubeseal takes it; a private key beside it is public now.
 */
static enum status find_block(struct arena *arena, struct sink *sink,
                              const struct seal_recipient_text *text, sv *ret_der)
{
	sv rest = text->text;
	bool found = false;
	sv label;
	sv der;

	while (pem_next(arena, &rest, &label, &der)) {
		if (sv_ends_with(label, SV("PRIVATE KEY")))
			return certificate_error(
			    sink, text->at, "is in a file with a private key",
			    "remove the key from the repository, and treat it as known to others: "
			    "give the controller a new one, and " FETCH);
		if (sv_eq(label, SV("CERTIFICATE")) && !found) {
			found = true;
			*ret_der = der;
		}
	}
	if (!found)
		return certificate_error(sink, text->at, "file holds no PEM block CERTIFICATE",
		                         FETCH);
	return STATUS_OK;
}

static enum status parse_one(struct arena *arena, struct sink *sink,
                             const struct seal_recipient_text *text, struct certificate *out)
{
	struct x509_certificate read;
	sv der;

	if (find_block(arena, sink, text, &der) != STATUS_OK)
		return STATUS_FAILED;
	if (!x509_read(arena, der, &read))
		return certificate_error(sink, text->at, "is damaged", FETCH);
	if (read.rsa_bits == 0)
		return certificate_error(sink, text->at, "is for a key that is not RSA",
		                         "SealedSecrets are sealed to RSA keys only: " FETCH);
	if (read.rsa_bits < RSA_LEAST_BITS || read.rsa_bits > RSA_MOST_BITS)
		return certificate_error(sink, text->at,
		                         "is for an RSA key of less than 2048 or more than 16384 "
		                         "bits",
		                         "make a key of 4096 bits, as the controller does");
	out->spki = read.spki;
	out->not_before = read.not_before;
	out->not_after = read.not_after;
	digest_of(DIGEST_SHA256, read.spki, out->digest);
	return STATUS_OK;
}

enum status certificate_parse(struct arena *arena, struct sink *sink, sv wanted_by,
                              const struct seal_recipient_text *texts, size_t count,
                              struct seal_recipients *ret_recipients)
{
	struct certificate *certificate = ARENA_NEW(arena, struct certificate);
	struct seal_recipient *item = ARENA_NEW(arena, struct seal_recipient);

	if (count != 1) {
		struct diag *diag =
		    diag_report(sink, DIAG_CERTIFICATE, NOWHERE,
		                "no certificate to seal to for %.*s", SV_ARG(wanted_by));

		diag_set_help(sink, diag,
		              FETCH ", and name the file:\n"
		                    "  sealing: {format: sealed-secrets, certificate: FILE}");
		return STATUS_FAILED;
	}
	if (parse_one(arena, sink, &texts[0], certificate) != STATUS_OK)
		return STATUS_FAILED;
	sv digest = sv_from_bytes(certificate->digest, sizeof(certificate->digest));
	item->text = ARENA_CONCAT(arena, SV("x509-sha256:"), hex_encode(arena, digest));
	item->key = certificate;
	*ret_recipients = (struct seal_recipients){.items = item, .count = 1};
	return STATUS_OK;
}

/* Days, rounded down; 0 is less than one. */
static long long days_of(int64_t seconds)
{
	return (long long)(seconds / DAY);
}

void certificate_check_time(struct sink *sink, const struct seal_recipients *recipients,
                            struct position at, int64_t now)
{
	const struct certificate *certificate = recipients->items[0].key;
	int64_t left = certificate->not_after - now;
	struct diag *diag;

	if (now < certificate->not_before)
		diag = diag_report(sink, DIAG_CERTIFICATE_TIME, at,
		                   "the certificate is not valid yet, for %lld more days",
		                   days_of(certificate->not_before - now) + 1);
	else if (left < 0)
		diag = diag_report(sink, DIAG_CERTIFICATE_TIME, at,
		                   "the certificate expired %lld days before the source commit",
		                   days_of(-left));
	else if (left < (int64_t)WARNED_DAYS * DAY)
		diag = diag_report(sink, DIAG_CERTIFICATE_TIME, at,
		                   "the certificate expires in %lld days", days_of(left));
	else
		return;
	diag_set_help(sink, diag, FETCH "; all its Secrets are then sealed anew");
}
