/* A certificate that a repository names, and a private key that somebody gives: PEM and X.509. */
#include "codec/codec.h"
#include "seal/seal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	sv text = sv_from((const char *)data, size);
	struct seal_recipient_text recipient = {.text = text};
	struct seal_recipients recipients;
	struct x509_certificate certificate;
	enum status status =
	    seal_recipients_parse(arena, &sink, sealer_format_find(SV("sealed-secrets")), SV("c"),
	                          &recipient, 1, &recipients);

	/* A failure has a reason, and a reason is a failure. */
	if ((status == STATUS_FAILED) != (sink.error_count > 0))
		abort();
	if (status == STATUS_OK)
		seal_recipients_check_time(&sink, &recipients, NOWHERE, 1767323045);
	/* The mutator finds its way into DER only without base64 around it. */
	if (x509_read(arena, text, &certificate) != x509_is_certificate(text) &&
	    x509_read(arena, text, &certificate))
		abort();
	if (seal_private_keys_add(arena, &sink, identities,
	                          source_new(arena, SV("k"), text, true)) == STATUS_OK &&
	    size == 0)
		abort();
	return 0;
}
