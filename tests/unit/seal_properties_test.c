/*
 * What deterministic sealing must not do, over 3,000 generated objects of several clusters,
 * recipients and seeds: use a key twice for something else, or let an object depend on another
 * (docs/spec/sealing.md 3). The age files are taken apart here by hand, down to their file keys.
 */
#include "seal/age.h"
#include "seal/seal.h"
#include "yaml/yaml.h"

#include "base/sort.h"
#include "codec/codec.h"
#include "dice.h"
#include "texts.h"

#include <sodium.h>
#include <stdlib.h>

enum { OBJECTS = 3000, SEEDS = 2, RECIPIENTS = 2, VALUES = 4, KEY_BYTES = 64, SHARE_TEXT = 43 };

/* A key, and a digest of all that may decide it. */
struct use {
	uint8_t key[KEY_BYTES];
	uint8_t context[32];
};
VEC_TYPE(uses, struct use);

struct fixture {
	struct arena *arena;
	struct arena *job;
	struct sink sink;
	struct seal_root *roots[SEEDS];
	struct sealer *sealers[SEEDS];
	struct seal_identities *identities; /* of both recipients */
	sv recipient_texts[RECIPIENTS];
	struct seal_recipients sets[3]; /* the first, the second, both */
	struct uses value_keys;         /* data key and IV */
	struct uses data_keys;
	struct uses file_keys;
	struct uses ephemerals;
};

/* One object as drawn. */
struct drawn {
	unsigned seed, set, cluster;
	sv text;    /* YAML */
	sv decides; /* what of it may decide keys: identity and sealed values; an empty text is none
	             */
};

/* ---- fixture ----------------------------------------------------------------------------- */

static void add_recipient(struct fixture *f, unsigned number)
{
	uint8_t random[32] = {0, (uint8_t)(number + 1)};
	sv text = seal_identity_format(f->arena, random, SV("")), begin = SV("# public key: ");
	size_t at = 0, end;

	while (!sv_starts_with(sv_from(text.ptr + at, text.len - at), begin))
		at++;
	for (end = at += begin.len; text.ptr[end] != '\n';)
		end++;
	f->recipient_texts[number] = sv_from(text.ptr + at, end - at);
	assert_int_equal(seal_identities_add(&f->sink, f->identities,
	                                     source_new(f->arena, SV("keys"), text, true)),
	                 STATUS_OK);
}

static void parse_set(struct fixture *f, unsigned set)
{
	struct seal_recipient_text texts[RECIPIENTS];
	size_t count = 0;

	for (unsigned i = 0; i < RECIPIENTS; i++)
		if (set == RECIPIENTS || set == i)
			texts[count++] =
			    (struct seal_recipient_text){f->recipient_texts[i], NOWHERE};
	assert_int_equal(seal_recipients_parse(f->arena, &f->sink, sealer_format_find(SV("sops")),
	                                       SV("c"), texts, count, &f->sets[set]),
	                 STATUS_OK);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->arena = arena_new(ARENA_SECRET);
	f->job = arena_new(ARENA_SECRET);
	f->sink = sink_in(f->arena);
	f->identities = seal_identities_new();
	for (unsigned i = 0; i < SEEDS; i++) {
		uint8_t seed[SEAL_SEED_SIZE] = {(uint8_t)(i + 1), 2, 3};

		assert_int_equal(seal_root_parse(&f->sink, NOWHERE,
		                                 seal_seed_format(f->arena, seed), &f->roots[i]),
		                 STATUS_OK);
		f->sealers[i] = sealer_new(f->roots[i]);
	}
	for (unsigned i = 0; i < RECIPIENTS; i++)
		add_recipient(f, i);
	for (unsigned i = 0; i < COUNT_OF(f->sets); i++)
		parse_set(f, i);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < SEEDS; i++) {
		sealer_free(f->sealers[i]);
		seal_root_free(f->roots[i]);
	}
	seal_identities_free(f->identities);
	arena_free(f->job);
	arena_free(f->arena);
	free(f);
	return 0;
}

/* ---- drawing and sealing ----------------------------------------------------------------- */

/* From few names, keys and values, so that many objects have some of them in common. */
static struct drawn draw(struct arena *arena, struct dice *dice)
{
	static const char *const values[] = {"''", "a", "password", "'0'",
	                                     "the same text in many objects"};
	struct drawn drawn = {roll(dice, SEEDS), roll(dice, 3), roll(dice, 3), {0}, {0}};
	struct buf buf = buf_in(arena), decides = buf_in(arena);
	unsigned count = 1 + roll(dice, VALUES);

	sv section = roll(dice, 2) ? SV("data") : SV("stringData");
	unsigned name = roll(dice, 40), namespace = roll(dice, 3);

	buf_printf(&buf, "apiVersion: v1\nkind: Secret\nmetadata: {name: s%u, namespace: n%u}\n",
	           name, namespace);
	buf_add(&decides, buf_sv(&buf));
	buf_printf(&buf, "%.*s:\n", SV_ARG(section));
	for (unsigned i = 0; i < count; i++) {
		unsigned value = roll(dice, COUNT_OF(values));

		buf_printf(&buf, "  k%u: %s\n", i, values[value]);
		if (value > 0)
			buf_printf(&decides, "%.*s k%u: %s\n", SV_ARG(section), i, values[value]);
	}
	drawn.decides = buf_sv(&decides);
	drawn.text = buf_sv(&buf);
	return drawn;
}

static sv seal(struct fixture *f, struct sealer *sealer, const struct drawn *drawn)
{
	static const char *const clusters[] = {"one", "two", "one-two"};
	struct value object = yaml_value_of(f->job, drawn->text);
	struct buf out = buf_in(f->job);
	struct seal_request request = {.cluster = sv_from_cstr(clusters[drawn->cluster]),
	                               .object = &object,
	                               .rule = seal_rule_secret,
	                               .recipients = &f->sets[drawn->set]};

	assert_int_equal(sealer_seal(&f->sink, sealer, &request, &out), STATUS_OK);
	return buf_sv(&out);
}

/* ---- taking a file apart ----------------------------------------------------------------- */

static void hash(uint8_t digest[32], const struct drawn *drawn, sv more)
{
	crypto_generichash_state state;
	unsigned numbers[] = {drawn->seed, drawn->set, drawn->cluster};

	crypto_generichash_init(&state, NULL, 0, 32);
	crypto_generichash_update(&state, (const uint8_t *)numbers, sizeof(numbers));
	crypto_generichash_update(&state, (const uint8_t *)drawn->decides.ptr, drawn->decides.len);
	crypto_generichash_update(&state, (const uint8_t *)"", 1);
	crypto_generichash_update(&state, (const uint8_t *)more.ptr, more.len);
	crypto_generichash_final(&state, digest, 32);
}

static void note(struct fixture *f, struct uses *uses, sv key, const struct drawn *drawn, sv more)
{
	struct use use = {0};

	assert_true(key.len <= KEY_BYTES);
	memcpy(use.key, key.ptr, key.len);
	hash(use.context, drawn, more);
	VEC_PUSH(f->arena, uses, use);
}

static sv decode(struct arena *arena, enum base64_kind kind, sv text)
{
	sv bytes;
	size_t at;

	assert_true(base64_decode(arena, kind, text, &bytes, &at));
	return bytes;
}

/* HKDF-SHA-256 (RFC 5869) with one block of output. */
static void hkdf(uint8_t key[32], sv salt, const uint8_t secret[32], const char *info)
{
	uint8_t pseudorandom[32], one = 1;
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, (const uint8_t *)salt.ptr, salt.len);
	crypto_auth_hmacsha256_update(&state, secret, 32);
	crypto_auth_hmacsha256_final(&state, pseudorandom);
	crypto_auth_hmacsha256_init(&state, pseudorandom, sizeof(pseudorandom));
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)info, strlen(info));
	crypto_auth_hmacsha256_update(&state, &one, 1);
	crypto_auth_hmacsha256_final(&state, key);
}

/* The file key of a stanza "-> X25519 SHARE", LF, BODY (https://c2sp.org/age). */
static void note_age(struct fixture *f, const struct drawn *drawn, sv file)
{
	static const char begin[] = "age-encryption.org/v1\n-> X25519 ";
	const uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES] = {0};
	uint8_t shared[32], wrap[32], file_key[AGE_FILE_KEY_SIZE];
	bool opened = false;

	assert_true(sv_starts_with(file, SV(begin)));
	const char *text = file.ptr + strlen(begin);
	sv share = decode(f->job, BASE64_STD_RAW, sv_from(text, SHARE_TEXT));
	sv body = decode(f->job, BASE64_STD_RAW, sv_from(text + SHARE_TEXT + 1, SHARE_TEXT));
	for (size_t i = 0; i < RECIPIENTS && !opened; i++) {
		const struct seal_identity *identity = seal_identity_at(f->identities, i);
		sv salt = ARENA_CONCAT(f->job, share, sv_from((const char *)identity->point, 32));

		assert_int_equal(
		    crypto_scalarmult(shared, identity->secret, (const uint8_t *)share.ptr), 0);
		hkdf(wrap, salt, shared, "age-encryption.org/v1/X25519");
		opened = crypto_aead_chacha20poly1305_ietf_decrypt(
		             file_key, NULL, NULL, (const uint8_t *)body.ptr, body.len, NULL, 0,
		             nonce, wrap) == 0;
	}
	assert_true(opened);
	note(f, &f->ephemerals, share, drawn, share);
	/* Each recipient's copy has a file key of its own: the share says which copy it is. */
	note(f, &f->file_keys, sv_from((const char *)file_key, sizeof(file_key)), drawn, share);
}

/* "ENC[AES256_GCM,data:D,iv:I,tag:T,type:str]" */
static sv iv_of(struct arena *arena, sv text)
{
	size_t at = 0, end;

	while (!sv_starts_with(sv_from(text.ptr + at, text.len - at), SV(",iv:")))
		at++;
	for (end = at += 4; text.ptr[end] != ',';)
		end++;
	return decode(arena, BASE64_STD, sv_from(text.ptr + at, end - at));
}

static void note_values(struct fixture *f, const struct drawn *drawn, const struct value *file,
                        sv data_key, sv section)
{
	const struct value *map = value_map_get(file, section);

	for (size_t i = 0; map && i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];

		if (value_text(&entry->value).len == 0)
			continue; /* an empty text is not encrypted */
		sv iv = iv_of(f->job, value_text(&entry->value));
		note(f, &f->value_keys, ARENA_CONCAT(f->job, data_key, iv), drawn, entry->key);
	}
}

static void take_apart(struct fixture *f, const struct drawn *drawn, sv text)
{
	struct value file = yaml_value_of(f->job, text);
	const struct value *copies = value_path(&file, "sops.age");
	sv data_key = {0}, plain, binary;

	assert_int_equal(value_count(copies), f->sets[drawn->set].count);
	for (size_t i = 0; i < value_count(copies); i++) {
		sv armor = value_text(value_map_get(value_item(copies, i), SV("enc")));

		assert_true(age_armor_decode(f->job, armor, &binary));
		assert_int_equal(age_decrypt(f->job, binary, f->identities, &plain), AGE_FINE);
		assert_true(i == 0 || sv_eq(plain, data_key));
		data_key = plain;
		note_age(f, drawn, binary);
	}
	note(f, &f->data_keys, data_key, drawn, SV(""));
	note_values(f, drawn, &file, data_key, SV("data"));
	note_values(f, drawn, &file, data_key, SV("stringData"));
}

/* ---- properties -------------------------------------------------------------------------- */

static int compare_uses(const void *a, const void *b, void *context)
{
	(void)context;
	return memcmp(((const struct use *)a)->key, ((const struct use *)b)->key, KEY_BYTES);
}

/* Uses of one key are the same use. */
static void assert_unshared(struct uses *uses, size_t at_least)
{
	size_t distinct = 1;

	assert_true(uses->count >= at_least);
	sort_stable(uses->items, uses->count, sizeof(*uses->items), compare_uses, NULL);
	for (size_t i = 1; i < uses->count; i++) {
		if (memcmp(uses->items[i].key, uses->items[i - 1].key, KEY_BYTES) == 0)
			assert_memory_equal(uses->items[i].context, uses->items[i - 1].context, 32);
		else
			distinct++;
	}
	/* Most of what was drawn was drawn once. */
	assert_true(distinct > at_least / 2);
}

static void keys_are_not_shared(void **state)
{
	struct fixture *f = *state;
	struct dice dice = {20261122};

	for (unsigned i = 0; i < OBJECTS; i++) {
		struct drawn drawn = draw(f->arena, &dice);

		take_apart(f, &drawn, seal(f, f->sealers[drawn.seed], &drawn));
		arena_reset(f->job);
	}
	assert_unshared(&f->value_keys, OBJECTS);
	assert_unshared(&f->data_keys, OBJECTS);
	assert_unshared(&f->file_keys, OBJECTS);
	assert_unshared(&f->ephemerals, OBJECTS);
}

/* What a sealer sealed before, and in which order, changes nothing. */
static void order_changes_nothing(void **state)
{
	struct fixture *f = *state;
	struct dice dice = {4};
	enum { COUNT = 500 };
	struct drawn drawn[COUNT];
	sv files[COUNT];

	for (unsigned i = 0; i < COUNT; i++) {
		drawn[i] = draw(f->arena, &dice);
		files[i] = arena_dup(f->arena, seal(f, f->sealers[drawn[i].seed], &drawn[i]));
	}
	for (unsigned i = COUNT; i-- > 0;) {
		SEALER_AUTO fresh = sealer_new(f->roots[drawn[i].seed]);

		assert_true(sv_eq(seal(f, f->sealers[drawn[i].seed], &drawn[i]), files[i]));
		if (i % 10 == 0)
			assert_true(sv_eq(seal(f, fresh, &drawn[i]), files[i]));
	}
}

UNIT_TESTS(seal_properties)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(keys_are_not_shared, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(order_changes_nothing, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
