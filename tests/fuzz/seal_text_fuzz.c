/* Texts that seal reads by itself: seeds, identities, recipients, armour, age files. */
#include "seal/age.h"
#include "seal/bech32.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	sv text = sv_from((const char *)data, size);
	struct source *keys =
	    source_new(arena, SV("k"),
	               SV("AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q"
	                  "2P2LM0"),
	               true);
	struct seal_recipient_text recipient = {.text = text};
	struct seal_recipients recipients;
	struct seal_root *root;
	uint8_t bytes[32];
	sv file = text;
	sv plain;

	if (seal_root_parse(&sink, NOWHERE, text, &root) == STATUS_OK)
		seal_root_free(root);
	if (seal_identities_add(&sink, identities, keys) != STATUS_OK)
		abort();
	if (seal_identities_add(&sink, identities, source_new(arena, SV("f"), text, true)) !=
	    STATUS_OK)
		sink.error_count = 0;
	/* What decodes must encode to the same text: one text for each key. */
	if (seal_recipients_parse(arena, &sink, sealer_format_find(SV("sops")), SV("c"), &recipient,
	                          1, &recipients) == STATUS_OK) {
		const struct age_recipient *key = recipients.items[0].key;
		struct buf again = buf_in(arena);

		if (key->kind == AGE_X25519)
			bech32_add(&again, AGE_RECIPIENT_PREFIX, key->point, 32);
		else if (key->kind == AGE_HYBRID)
			bech32_add(&again, AGE_HYBRID_PREFIX, (const uint8_t *)key->key.ptr,
			           key->key.len);
		else
			buf_add(&again, recipients.items[0].text);
		bool is_ssh = key->kind == AGE_SSH_ED25519 || key->kind == AGE_SSH_RSA;
		if (is_ssh ? !sv_starts_with(sv_trim_space(text), buf_sv(&again))
		           : !sv_eq(text, buf_sv(&again)))
			abort();
	}
	(void)bech32_decode(text, SV("age"), bytes, sizeof(bytes));
	if (!age_armor_decode(arena, text, &file))
		file = text;
	(void)age_decrypt(arena, file, identities, &plain);
	return 0;
}
