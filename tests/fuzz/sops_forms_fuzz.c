/* A SOPS file of lines, of bytes or of JSON, of unknown origin. */
#include "seal/seal.h"
#include "yaml/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* TEST-ONLY: the identity of tests/keys/. */
#define IDENTITY "AGE-SECRET-KEY-1D9AYPGPGK65ZKUK5WUKWMEMXXCCMEXL4XU2DH7MY80WHWMH99AXQPSYRCG"

static void open_document(struct arena *arena, const struct seal_identities *identities,
                          const struct value *sealed, bool is_dotenv)
{
	struct sink sink = sink_in(arena);
	struct buf out = buf_in(arena);
	struct value opened;
	enum status status = seal_open(arena, &sink, sealed, 1, identities, &opened);

	/* A failure has a reason, and a reason is a failure. */
	if ((status == STATUS_FAILED) != (sink.error_count > 0))
		abort();
	if (status != STATUS_OK)
		return;
	if (is_dotenv)
		seal_dotenv_add(&out, &opened);
	else if (seal_is_binary(sealed))
		buf_add(&out, value_text(value_map_get(&opened, SV("data"))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	sv text = sv_from((const char *)data, size);
	struct source *keys = source_new(arena, SV("k"), SV(IDENTITY), true);
	struct source *source = source_new(arena, SV("f"), text, false);
	struct yml_documents documents;
	struct value sealed;

	if (seal_identities_add(&sink, identities, keys) != STATUS_OK)
		abort();
	if (seal_dotenv_parse(arena, &sink, source, &sealed) == STATUS_OK)
		open_document(arena, identities, &sealed, true);
	else if (sink.error_count == 0)
		abort();
	if (yml_parse(arena, &sink, source, &documents) != STATUS_OK)
		return 0;
	VEC_EACH (document, &documents)
		if (seal_is_sealed(&document->root))
			open_document(arena, identities, &document->root, false);
	return 0;
}
