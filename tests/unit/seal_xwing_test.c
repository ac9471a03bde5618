/* X-Wing: the known answers of draft-connolly-cfrg-xwing-kem, and keys and shares that are wrong.
 */
#include "codec/codec.h"
#include "seal/derive.h"
#include "seal/xwing.h"

#include "asserts.h"

#include <openssl/evp.h>

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	seal_init();
	arena = arena_new(ARENA_SECRET);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

/* The vectors of the draft's appendix; of the public key and the share their SHA-256. */
static const struct {
	const char *seed;
	const char *coins;
	const char *public_sha256;
	const char *share_sha256;
	const char *secret;
} vectors[] = {
    {"7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26",
     "3cb1eea988004b93103cfb0aeefd2a686e01fa4a58e8a3639ca8a1e3f9ae57e2"
     "35b8cc873c23dc62b8d260169afa2f75ab916a58d974918835d25e6a435085b2",
     "2e816deebcd76c5c80d0cd2d174478871658e8e2ff42bc9d4a6e486372e856bb",
     "17cd532d657e44c897ca6583e548a5424fc70bf54f99515a4d2bcf99e3469f33",
     "d2df0522128f09dd8e2c92b1e905c793d8f57a54c3da25861f10bf4ca613e384"},
    {"badfd6dfaac359a5efbb7bcc4b59d538df9a04302e10c8bc1cbf1a0b3a5120ea",
     "17cda7cfad765f5623474d368ccca8af0007cd9f5e4c849f167a580b14aabdef"
     "aee7eef47cb0fca9767be1fda69419dfb927e9df07348b196691abaeb580b32d",
     "c42ba5f8430d7d2c83739338203819f090e8303ce9c8b02107c272bfa5376916",
     "1661ea86d608a1924ba30840cb0a65f13ae051e3aec9cf0f064efc0bc92f2154",
     "f2e86241c64d60f6649fbc6c5b7d17180b780a3f34355e64a85749949c45f150"},
    {"ef58538b8d23f87732ea63b02b4fa0f4873360e2841928cd60dd4cee8cc0d4c9",
     "22a96188d032675c8ac850933c7aff1533b94c834adbb69c6115bad4692d8619"
     "f90b0cdf8a7b9c264029ac185b70b83f2801f2f4b3f70c593ea3aeeb613a7f1b",
     "6b080d6b84f095342092fa7a22423e58bd681397ad0ef00eac92bd254db4fa95",
     "d3ca5578500344b5896cffc4fd740c9311946b82951df155e6fd86a7966b43c6",
     "953f7f4e8c5b5049bdc771d1dffada0dd961477d1a2ae0988baa7ea6898d893f"},
};

static void from_hex(const char *hex, uint8_t *out, size_t size)
{
	sv bytes;

	assert_true(hex_decode(arena, sv_from_cstr(hex), &bytes));
	assert_int_equal(bytes.len, size);
	memcpy(out, bytes.ptr, size);
}

static sv sha256_of(const uint8_t *bytes, size_t size)
{
	return digest_hex(arena, DIGEST_SHA256, sv_from_bytes(bytes, size));
}

/* Returns false, after a word on it, with a libcrypto that lacks ML-KEM: OpenSSL's has it from 3.5
 * on. */
static bool is_available(void)
{
	bool wanted = EVP_default_properties_is_fips_enabled(NULL) == 0 &&
	              OpenSSL_version_num() >= 0x30500000UL;

	assert_int_equal(xwing_is_available(), wanted);
	if (!wanted)
		print_message("libcrypto %s has no ML-KEM-768\n", codec_crypto_version());
	return wanted;
}

static void test_vectors(void **state)
{
	(void)state;
	if (!is_available())
		return;
	for (size_t i = 0; i < COUNT_OF(vectors); i++) {
		uint8_t seed[XWING_SEED_SIZE];
		uint8_t coins[XWING_COINS_SIZE];
		uint8_t public[XWING_PUBLIC_SIZE];
		uint8_t share[XWING_SHARE_SIZE];
		uint8_t secret[XWING_SECRET_SIZE];
		uint8_t opened[XWING_SECRET_SIZE];

		from_hex(vectors[i].seed, seed, sizeof(seed));
		from_hex(vectors[i].coins, coins, sizeof(coins));
		xwing_public(seed, public);
		assert_sv(sha256_of(public, sizeof(public)), vectors[i].public_sha256);
		assert_true(xwing_is_public(public));
		xwing_encapsulate(public, coins, share, secret);
		assert_sv(sha256_of(share, sizeof(share)), vectors[i].share_sha256);
		assert_sv(hex_encode(arena, sv_from_bytes(secret, sizeof(secret))),
		          vectors[i].secret);
		assert_true(xwing_decapsulate(seed, share, opened));
		assert_memory_equal(opened, secret, sizeof(secret));
		/* A bit of either part changes the secret, which is no error of its own. */
		for (size_t at = 0; at < sizeof(share); at += 97) {
			share[at] ^= 1;
			assert_true(xwing_decapsulate(seed, share, opened));
			assert_memory_not_equal(opened, secret, sizeof(secret));
			share[at] ^= 1;
		}
	}
}

/* Low order: the points 0 and 1 of X25519. */
static void test_refused(void **state)
{
	uint8_t seed[XWING_SEED_SIZE] = {1};
	uint8_t coins[XWING_COINS_SIZE] = {2};
	uint8_t public[XWING_PUBLIC_SIZE];
	uint8_t share[XWING_SHARE_SIZE];
	uint8_t secret[XWING_SECRET_SIZE];
	uint8_t *point = public + XWING_PUBLIC_SIZE - 32;
	uint8_t kept[2];

	(void)state;
	if (!is_available())
		return;
	xwing_public(seed, public);
	xwing_encapsulate(public, coins, share, secret);
	/* A coefficient that is not below the prime 3329 (FIPS 203, 7.2). */
	memcpy(kept, public, sizeof(kept));
	memset(public, 0xff, sizeof(kept));
	assert_false(xwing_is_public(public));
	memcpy(public, kept, sizeof(kept));
	assert_true(xwing_is_public(public));
	for (uint8_t low = 0; low < 2; low++) {
		memset(point, 0, 32);
		*point = low;
		assert_false(xwing_is_public(public));
		memset(share + XWING_SHARE_SIZE - 32, 0, 32);
		share[XWING_SHARE_SIZE - 32] = low;
		assert_false(xwing_decapsulate(seed, share, secret));
	}
}

/* A libcrypto without the algorithm: no provider has what these properties ask for. */
static void test_unavailable(void **state)
{
	(void)state;
	(void)is_available();
	assert_int_equal(EVP_set_default_properties(NULL, "provider=none"), 1);
	assert_false(xwing_is_available());
	assert_int_equal(EVP_set_default_properties(NULL, ""), 1);
}

UNIT_TESTS(seal_xwing)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_vectors, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_unavailable, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
