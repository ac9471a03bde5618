/*
 * X-Wing: ML-KEM and SHA-3 by libcrypto, X25519 by libsodium.
 *
 * Algorithm and parameters have names at run time only, so the headers need not know them: a
 * program that was built with older ones uses what the libcrypto has that it meets.
 */
#include "seal/xwing.h"

#include "codec/codec.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sodium.h>

#define ALGORITHM "ML-KEM-768"
/* Parameters of OpenSSL 3.5: EVP_PKEY-ML-KEM(7) and EVP_KEM-ML-KEM(7). */
#define SEED_PARAMETER  "seed"
#define COINS_PARAMETER "ikme"

enum {
	LATTICE_SEED_SIZE = 64,
	LATTICE_PUBLIC_SIZE = 1184,
	LATTICE_SHARE_SIZE = 1088,
	LATTICE_COINS_SIZE = 32,
	POINT_SIZE = 32,
};
_Static_assert(LATTICE_PUBLIC_SIZE + POINT_SIZE == XWING_PUBLIC_SIZE, "public key");
_Static_assert(LATTICE_SHARE_SIZE + POINT_SIZE == XWING_SHARE_SIZE, "share");
_Static_assert(LATTICE_COINS_SIZE + POINT_SIZE == XWING_COINS_SIZE, "coins");

#define CHECKED(call) ((call) == 1 ? (void)0 : BUG("libcrypto refused " #call))

bool xwing_is_available(void)
{
	EVP_KEM *kem = EVP_KEM_fetch(NULL, ALGORITHM, NULL);
	/* Another provider than OpenSSL's might ignore the coins, and draw its own. */
	bool takes_coins =
	    kem && OSSL_PARAM_locate_const(EVP_KEM_settable_ctx_params(kem), COINS_PARAMETER);

	EVP_KEM_free(kem);
	return takes_coins;
}

static OSSL_PARAM bytes_parameter(const char *name, const uint8_t *bytes, size_t size)
{
	return OSSL_PARAM_construct_octet_string(name, (void *)(uintptr_t)bytes, size);
}

static EVP_PKEY_CTX *context_new(void)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, ALGORITHM, NULL);

	if (!context)
		BUG("xwing_is_available was not asked");
	return context;
}

/* ---- keys -------------------------------------------------------------------------------- */

/* A private key as the two that it is made of. */
struct pair {
	uint8_t lattice_seed[LATTICE_SEED_SIZE];
	uint8_t scalar[POINT_SIZE];
};

static void pair_of(const uint8_t seed[XWING_SEED_SIZE], struct pair *pair)
{
	uint8_t expanded[LATTICE_SEED_SIZE + POINT_SIZE];
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (!context)
		base_out_of_memory();
	CHECKED(EVP_DigestInit_ex(context, EVP_shake256(), NULL));
	CHECKED(EVP_DigestUpdate(context, seed, XWING_SEED_SIZE));
	CHECKED(EVP_DigestFinalXOF(context, expanded, sizeof(expanded)));
	EVP_MD_CTX_free(context);
	memcpy(pair->lattice_seed, expanded, LATTICE_SEED_SIZE);
	memcpy(pair->scalar, expanded + LATTICE_SEED_SIZE, POINT_SIZE);
	sodium_memzero(expanded, sizeof(expanded));
	digest_wipe_stack();
}

static EVP_PKEY *lattice_private_new(const struct pair *pair)
{
	const OSSL_PARAM parameters[] = {
	    bytes_parameter(SEED_PARAMETER, pair->lattice_seed, LATTICE_SEED_SIZE),
	    OSSL_PARAM_construct_end(),
	};
	EVP_PKEY_CTX *context = context_new();
	EVP_PKEY *key = NULL;

	CHECKED(EVP_PKEY_keygen_init(context));
	CHECKED(EVP_PKEY_CTX_set_params(context, parameters));
	CHECKED(EVP_PKEY_generate(context, &key));
	EVP_PKEY_CTX_free(context);
	return key;
}

/* Returns null for bytes that are not a public key. */
static EVP_PKEY *lattice_public_new(const uint8_t public[LATTICE_PUBLIC_SIZE])
{
	OSSL_PARAM parameters[] = {
	    bytes_parameter(OSSL_PKEY_PARAM_PUB_KEY, public, LATTICE_PUBLIC_SIZE),
	    OSSL_PARAM_construct_end(),
	};
	EVP_PKEY_CTX *context = context_new();
	EVP_PKEY *key = NULL;

	CHECKED(EVP_PKEY_fromdata_init(context));
	if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	return key;
}

void xwing_public(const uint8_t seed[XWING_SEED_SIZE], uint8_t public[XWING_PUBLIC_SIZE])
{
	struct pair pair;
	size_t size = 0;

	pair_of(seed, &pair);
	EVP_PKEY *key = lattice_private_new(&pair);
	CHECKED(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, public,
	                                        LATTICE_PUBLIC_SIZE, &size));
	BUG_ON(size != LATTICE_PUBLIC_SIZE);
	EVP_PKEY_free(key);
	if (crypto_scalarmult_base(public + LATTICE_PUBLIC_SIZE, pair.scalar) != 0)
		BUG("a clamped scalar has a public key");
	sodium_memzero(&pair, sizeof(pair));
}

bool xwing_is_public(const uint8_t public[XWING_PUBLIC_SIZE])
{
	static const uint8_t any_scalar[POINT_SIZE] = {1};
	uint8_t shared[POINT_SIZE];
	EVP_PKEY *key = lattice_public_new(public);
	bool is_key =
	    key && crypto_scalarmult(shared, any_scalar, public + LATTICE_PUBLIC_SIZE) == 0;

	EVP_PKEY_free(key);
	return is_key;
}

/* ---- encapsulation ----------------------------------------------------------------------- */

/* Hashes both secrets, with what X25519's is bound to. */
static void combine(const uint8_t lattice[XWING_SECRET_SIZE], const uint8_t curve[POINT_SIZE],
                    const uint8_t point_of_share[POINT_SIZE],
                    const uint8_t point_of_key[POINT_SIZE], uint8_t secret[XWING_SECRET_SIZE])
{
	static const char label[] = "\\.//^\\";
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (!context)
		base_out_of_memory();
	CHECKED(EVP_DigestInit_ex(context, EVP_sha3_256(), NULL));
	CHECKED(EVP_DigestUpdate(context, lattice, XWING_SECRET_SIZE));
	CHECKED(EVP_DigestUpdate(context, curve, POINT_SIZE));
	CHECKED(EVP_DigestUpdate(context, point_of_share, POINT_SIZE));
	CHECKED(EVP_DigestUpdate(context, point_of_key, POINT_SIZE));
	CHECKED(EVP_DigestUpdate(context, label, sizeof(label) - 1));
	CHECKED(EVP_DigestFinal_ex(context, secret, NULL));
	EVP_MD_CTX_free(context);
	digest_wipe_stack();
}

void xwing_encapsulate(const uint8_t public[XWING_PUBLIC_SIZE],
                       const uint8_t coins[XWING_COINS_SIZE], uint8_t share[XWING_SHARE_SIZE],
                       uint8_t secret[XWING_SECRET_SIZE])
{
	const OSSL_PARAM parameters[] = {
	    bytes_parameter(COINS_PARAMETER, coins, LATTICE_COINS_SIZE),
	    OSSL_PARAM_construct_end(),
	};
	const uint8_t *scalar = coins + LATTICE_COINS_SIZE;
	const uint8_t *point = public + LATTICE_PUBLIC_SIZE;
	uint8_t *point_of_share = share + LATTICE_SHARE_SIZE;
	uint8_t lattice[XWING_SECRET_SIZE];
	uint8_t curve[POINT_SIZE];
	size_t share_size = LATTICE_SHARE_SIZE;
	size_t secret_size = sizeof(lattice);
	EVP_PKEY *key = lattice_public_new(public);
	EVP_PKEY_CTX *context = key ? EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL) : NULL;

	if (!context)
		BUG("xwing_is_public refuses such a key");
	CHECKED(EVP_PKEY_encapsulate_init(context, parameters));
	CHECKED(EVP_PKEY_encapsulate(context, share, &share_size, lattice, &secret_size));
	BUG_ON(share_size != LATTICE_SHARE_SIZE || secret_size != sizeof(lattice));
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(key);
	if (crypto_scalarmult_base(point_of_share, scalar) != 0 ||
	    crypto_scalarmult(curve, scalar, point) != 0)
		BUG("xwing_is_public refuses points of low order");
	combine(lattice, curve, point_of_share, point, secret);
	sodium_memzero(lattice, sizeof(lattice));
	sodium_memzero(curve, sizeof(curve));
}

static void lattice_decapsulate(const struct pair *pair, const uint8_t share[LATTICE_SHARE_SIZE],
                                uint8_t secret[XWING_SECRET_SIZE])
{
	EVP_PKEY *key = lattice_private_new(pair);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	size_t size = XWING_SECRET_SIZE;

	if (!context)
		base_out_of_memory();
	CHECKED(EVP_PKEY_decapsulate_init(context, NULL));
	CHECKED(EVP_PKEY_decapsulate(context, secret, &size, share, LATTICE_SHARE_SIZE));
	BUG_ON(size != XWING_SECRET_SIZE);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(key);
}

bool xwing_decapsulate(const uint8_t seed[XWING_SEED_SIZE], const uint8_t share[XWING_SHARE_SIZE],
                       uint8_t secret[XWING_SECRET_SIZE])
{
	const uint8_t *point_of_share = share + LATTICE_SHARE_SIZE;
	uint8_t lattice[XWING_SECRET_SIZE];
	uint8_t curve[POINT_SIZE];
	uint8_t point[POINT_SIZE];
	struct pair pair;

	pair_of(seed, &pair);
	bool fine = crypto_scalarmult(curve, pair.scalar, point_of_share) == 0 &&
	            crypto_scalarmult_base(point, pair.scalar) == 0;
	if (fine) {
		lattice_decapsulate(&pair, share, lattice);
		combine(lattice, curve, point_of_share, point, secret);
	}
	sodium_memzero(lattice, sizeof(lattice));
	sodium_memzero(curve, sizeof(curve));
	sodium_memzero(&pair, sizeof(pair));
	return fine;
}
