/* An identity's file as people keep it: what init and keygen take for its recipient. */
#include "seal/seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is given out can be sealed to, and the identity that it is of reads that. */
static void check(struct arena *arena, struct seal_identities *identities)
{
	struct sink sink = sink_in(arena);
	struct seal_recipient_text text = {.text = seal_identities_recipient(arena, identities)};
	struct seal_recipients recipients;
	struct seal_texts names = {0};

	BUG_ON(!sv_starts_with(text.text, SV("age1")) &&
	       !sv_starts_with(text.text, SV("ssh-ed25519 ")) &&
	       !sv_starts_with(text.text, SV("ssh-rsa ")));
	if (seal_recipients_parse(arena, &sink, sealer_format_find(SV("sops")), SV("f"), &text, 1,
	                          &recipients) != STATUS_OK)
		BUG("an identity without a recipient");
	VEC_PUSH(arena, &names, recipients.items[0].text);
	struct seal_identities *own = seal_identities_of(arena, identities, &names);
	BUG_ON(seal_identities_count(own) == 0);
	seal_identities_free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	struct source *source =
	    source_new(arena, SV("identity.txt"), sv_from((const char *)data, size), true);

	enum status status = seal_identities_add(&sink, identities, source);
	BUG_ON((status == STATUS_OK) != (sink.error_count == 0));
	if (seal_identities_count(identities) > 0)
		check(arena, identities);
	else
		BUG_ON(!sv_empty(seal_identities_recipient(arena, identities)));
	if (size < 32)
		return 0;
	/* Any 32 bytes are an identity; what is written of it reads. */
	SEAL_IDENTITIES_AUTO made = seal_identities_new();
	sv text = seal_identity_format(arena, data, SV("2026-01-01T00:00:00Z"));
	if (seal_identities_add(&sink, made, source_new(arena, SV("made"), text, true)) !=
	    STATUS_OK)
		BUG("what was written does not read");
	BUG_ON(!sv_contains(text, ARENA_CONCAT(arena, SV("# public key: "),
	                                       seal_identities_recipient(arena, made), SV("\n"))));
	return 0;
}
