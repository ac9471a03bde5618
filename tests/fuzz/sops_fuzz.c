/* A SOPS file of unknown origin. */
#include "seal/seal.h"
#include "yaml/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	struct source *keys =
	    source_new(arena, SV("k"),
	               SV("AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q"
	                  "2P2LM0"),
	               true);
	struct source *source =
	    source_new(arena, SV("f.yaml"), sv_from((const char *)data, size), false);
	struct yml_documents documents;

	if (seal_identities_add(&sink, identities, keys) != STATUS_OK)
		abort();
	if (yml_parse(arena, &sink, source, &documents) != STATUS_OK)
		return 0;
	struct value *sealed = ARENA_ARRAY(arena, struct value, documents.count);
	struct value *opened = ARENA_ARRAY(arena, struct value, documents.count);
	size_t count = 0;

	VEC_EACH (document, &documents)
		if (seal_is_sealed(&document->root))
			sealed[count++] = document->root;
	size_t errors = sink.error_count;
	enum status status = seal_open(arena, &sink, sealed, count, identities, opened);

	/* A failure has a reason, and a reason is a failure. */
	if ((status == STATUS_FAILED) != (sink.error_count > errors))
		abort();
	return 0;
}
