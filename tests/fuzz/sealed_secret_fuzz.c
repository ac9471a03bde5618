/* A SealedSecret of unknown origin, read without a key and with one. */
#include "codec/codec.h"
#include "seal/hybrid.h"
#include "seal/seal.h"
#include "yaml/yaml.h"

#include <stdlib.h>

/* TEST-ONLY: an RSA key of 2048 bits. */
static const char private_key[] =
#include "TEST-ONLY-rsa.inc"
    ;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open(struct arena *arena, const struct value *document,
                 const struct seal_identities *identities)
{
	struct sink sink = sink_in(arena);
	struct value opened;
	enum status status = seal_open(arena, &sink, document, 1, identities, &opened);

	if ((status == STATUS_FAILED) != (sink.error_count > 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	sv text = sv_from((const char *)data, size);
	struct source *keys = source_new(arena, SV("k"), sv_from_cstr(private_key), true);
	struct yml_documents documents;

	(void)seal_mask(arena, text);
	if (!seal_same_values(arena, sealer_format_find(SV("sealed-secrets")), text, text) ||
	    !seal_same_values(arena, sealer_format_find(SV("sops")), text, text))
		abort();
	if (seal_private_keys_add(arena, &sink, identities, keys) != STATUS_OK)
		abort();
	if (yml_parse(arena, &sink, source_new(arena, SV("f.yaml"), text, false), &documents) !=
	    STATUS_OK)
		return 0;
	VEC_EACH (document, &documents) {
		if (!seal_is_sealed(&document->root))
			continue;
		open(arena, &document->root, NULL);
		open(arena, &document->root, identities);
	}
	return 0;
}
