/*
 * Ed25519 and RSA keys of SSH: the line of a public key, the file of a private one, and X25519's
 * keys made of Ed25519's.
 */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/rsa.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <sodium.h>

#define ED25519_TYPE "ssh-ed25519"
#define RSA_TYPE     "ssh-rsa"
#define DAMAGED      "the beginning of an SSH key that is damaged"
#define FOREIGN      "an SSH key of another type than ssh-ed25519 and ssh-rsa"

/* On the wire (RFC 8709, 4): the length of the type, the type, the length of the key, the key. */
static const char wire_begin[] = "\0\0\0\x0b" ED25519_TYPE "\0\0\0\x20";

enum { BEGIN_SIZE = sizeof(wire_begin) - 1 };

/* ---- the wire (RFC 4251, 5) -------------------------------------------------------------- */

static bool take_ssh_number(sv *rest, uint32_t *ret_number)
{
	if (rest->len < 4)
		return false;
	*ret_number = 0;
	for (size_t i = 0; i < 4; i++)
		*ret_number = *ret_number << 8 | (uint8_t)rest->ptr[i];
	*rest = sv_from_offset(*rest, 4);
	return true;
}

static bool take_ssh_string(sv *rest, sv *ret_string)
{
	uint32_t length;

	if (!take_ssh_number(rest, &length) || rest->len < length)
		return false;
	*ret_string = sv_slice(*rest, 0, length);
	*rest = sv_from_offset(*rest, length);
	return true;
}

/* Takes a positive mpint: the bytes without the zero before a set bit. Others have one form too. */
static bool take_ssh_mpint(sv *rest, sv *ret_number)
{
	sv bytes;

	if (!take_ssh_string(rest, &bytes) || sv_empty(bytes) || (bytes.ptr[0] & 0x80))
		return false;
	if (bytes.ptr[0] == 0) {
		bytes = sv_from_offset(bytes, 1);
		if (sv_empty(bytes) || !(bytes.ptr[0] & 0x80))
			return false;
	}
	*ret_number = bytes;
	return true;
}

static void add_ssh_string(struct buf *buf, sv string)
{
	const char length[4] = {(char)(string.len >> 24), (char)(string.len >> 16),
	                        (char)(string.len >> 8), (char)string.len};

	buf_add(buf, sv_from(length, sizeof(length)));
	buf_add(buf, string);
}

/* The public key of RSA: type, exponent, modulus (RFC 4253, 6.6). */
static bool read_rsa_wire(sv wire, sv *ret_modulus, sv *ret_exponent)
{
	sv type;

	return take_ssh_string(&wire, &type) && sv_eq(type, SV(RSA_TYPE)) &&
	       take_ssh_mpint(&wire, ret_exponent) && take_ssh_mpint(&wire, ret_modulus) &&
	       sv_empty(wire);
}

static bool is_ed25519_wire(sv wire)
{
	return wire.len == BEGIN_SIZE + AGE_KEY_SIZE &&
	       memcmp(wire.ptr, wire_begin, BEGIN_SIZE) == 0;
}

/* ---- public keys ------------------------------------------------------------------------- */

EVP_PKEY *age_ssh_rsa(sv wire)
{
	sv modulus;
	sv exponent;

	if (!read_rsa_wire(wire, &modulus, &exponent))
		return NULL;
	return rsa_key_new(modulus, exponent, (sv){0});
}

static const char *parse_rsa(struct age_recipient *key)
{
	sv modulus;
	sv exponent;
	EVP_PKEY *rsa;

	if (!read_rsa_wire(key->key, &modulus, &exponent))
		return "an SSH key that is mistyped or cut off";
	rsa = rsa_key_new(modulus, exponent, (sv){0});
	if (!rsa)
		return "an RSA key of less than 2048 or more than 16384 bits, or with an exponent "
		       "that age does not use";
	EVP_PKEY_free(rsa);
	key->kind = AGE_SSH_RSA;
	return NULL;
}

const char *age_ssh_parse(struct arena *arena, sv text, struct age_recipient *key, sv *ret_text)
{
	const char *mistake;
	sv type;
	sv encoded;
	sv comment = {0};

	text = sv_trim_space(text);
	if (!sv_cut(text, SV(" "), &type, &encoded))
		return "an SSH key without its base64";
	sv_cut(encoded, SV(" "), &encoded, &comment);
	if (!base64_decode_canonical(arena, BASE64_STD, encoded, &key->key))
		return "an SSH key that is mistyped or cut off";
	if (sv_eq(type, SV(RSA_TYPE))) {
		mistake = parse_rsa(key);
		if (mistake)
			return mistake;
	} else {
		if (!sv_eq(type, SV(ED25519_TYPE)) || !is_ed25519_wire(key->key))
			return "an SSH key that is mistyped or cut off";
		/* Refuses points of low order, and those that are on no curve. */
		if (crypto_sign_ed25519_pk_to_curve25519(key->point, (const uint8_t *)key->key.ptr +
		                                                         BEGIN_SIZE) != 0)
			return "an SSH key that is not a point of the curve, or one of low order";
		key->kind = AGE_SSH_ED25519;
	}
	*ret_text = age_ssh_text(arena, key->key);
	return NULL;
}

sv age_ssh_text(struct arena *arena, sv wire)
{
	struct buf buf = buf_in(arena);

	if (is_ed25519_wire(wire))
		BUF_ADD_LIT(&buf, ED25519_TYPE " ");
	else
		BUF_ADD_LIT(&buf, RSA_TYPE " ");
	base64_add(&buf, BASE64_STD, wire);
	return buf_sv(&buf);
}

/* ---- private keys ------------------------------------------------------------------------ */

static void set_key(struct seal_identity *identity, enum age_kind kind, sv wire)
{
	BUG_ON(wire.len > sizeof(identity->key));
	identity->kind = kind;
	memcpy(identity->key, wire.ptr, wire.len);
	identity->key_size = wire.len;
}

/* Makes the identity of an Ed25519 seed (RFC 8032, 5.1.5). */
static void set_ed25519(struct seal_identity *identity, const uint8_t seed[AGE_KEY_SIZE])
{
	uint8_t wire[BEGIN_SIZE + AGE_KEY_SIZE];
	uint8_t secret[crypto_sign_ed25519_SECRETKEYBYTES];

	memcpy(wire, wire_begin, BEGIN_SIZE);
	crypto_sign_ed25519_seed_keypair(wire + BEGIN_SIZE, secret, seed);
	if (crypto_sign_ed25519_sk_to_curve25519(identity->secret, secret) != 0 ||
	    crypto_scalarmult_base(identity->point, identity->secret) != 0)
		BUG("libsodium refuses no secret key");
	sodium_memzero(secret, sizeof(secret));
	set_key(identity, AGE_SSH_ED25519, sv_from_bytes(wire, sizeof(wire)));
}

/* Takes the numbers of an Ed25519 key: the public key, then its seed and it again. */
static const char *read_ed25519(sv rest, sv wire, struct seal_identity *identity)
{
	sv public;
	sv private;

	if (!take_ssh_string(&rest, &public) || !take_ssh_string(&rest, &private) ||
	    private.len != crypto_sign_ed25519_SECRETKEYBYTES || public.len != AGE_KEY_SIZE ||
	    !sv_ends_with(private, public))
		return DAMAGED;
	set_ed25519(identity, (const uint8_t *)private.ptr);
	return sv_eq(wire, sv_from_bytes(identity->key, identity->key_size)) &&
	               sv_ends_with(wire, public)
	           ? NULL
	           : DAMAGED;
}

/* Takes the numbers of an RSA key: modulus, exponents; primes that nothing here needs follow. */
static const char *read_rsa(sv rest, sv wire, struct seal_identity *identity, bool *ret_is_foreign)
{
	sv modulus;
	sv exponent;
	sv private_exponent;
	sv wire_modulus;
	sv wire_exponent;
	EVP_PKEY *public;

	if (!read_rsa_wire(wire, &wire_modulus, &wire_exponent) ||
	    !take_ssh_mpint(&rest, &modulus) || !take_ssh_mpint(&rest, &exponent) ||
	    !take_ssh_mpint(&rest, &private_exponent) || !sv_eq(modulus, wire_modulus) ||
	    !sv_eq(exponent, wire_exponent))
		return DAMAGED;
	public = rsa_key_new(modulus, exponent, (sv){0});
	if (!public) {
		*ret_is_foreign = true;
		return "an RSA key of another size than 2048 to 16384 bits";
	}
	EVP_PKEY_free(public);
	identity->rsa = rsa_key_new(modulus, exponent, private_exponent);
	if (!identity->rsa)
		return DAMAGED;
	set_key(identity, AGE_SSH_RSA, wire);
	return NULL;
}

/* Takes the part that a passphrase would encrypt. */
static const char *read_private(sv rest, sv wire, struct seal_identity *identity,
                                bool *ret_is_foreign)
{
	uint32_t check;
	uint32_t again;
	sv type;

	if (!take_ssh_number(&rest, &check) || !take_ssh_number(&rest, &again) || check != again ||
	    !take_ssh_string(&rest, &type))
		return DAMAGED;
	if (sv_eq(type, SV(RSA_TYPE)))
		return read_rsa(rest, wire, identity, ret_is_foreign);
	return sv_eq(type, SV(ED25519_TYPE)) ? read_ed25519(rest, wire, identity) : DAMAGED;
}

static const char *read_openssh(sv bytes, struct seal_identity *identity, bool *ret_is_foreign)
{
	static const sv magic = SV_INIT("openssh-key-v1\0");
	sv rest = sv_from_offset(bytes, magic.len);
	uint32_t count;
	sv cipher;
	sv derivation;
	sv options;
	sv wire;
	sv private;
	sv type;
	sv key;

	if (!sv_starts_with(bytes, magic) || !take_ssh_string(&rest, &cipher) ||
	    !take_ssh_string(&rest, &derivation) || !take_ssh_string(&rest, &options) ||
	    !take_ssh_number(&rest, &count) || count != 1 || !take_ssh_string(&rest, &wire) ||
	    !take_ssh_string(&rest, &private))
		return DAMAGED;
	*ret_is_foreign = true;
	key = wire;
	if (!is_ed25519_wire(wire) && !(take_ssh_string(&key, &type) && sv_eq(type, SV(RSA_TYPE))))
		return FOREIGN;
	if (!sv_eq(cipher, SV("none")))
		return "an SSH key with a passphrase";
	*ret_is_foreign = false;
	return read_private(private, wire, identity, ret_is_foreign);
}

/* Adds a number of a key as an mpint, and wipes nothing: it is of the public key. */
static void add_ssh_number(struct buf *buf, const EVP_PKEY *key, const char *name)
{
	uint8_t bytes[1 + RSA_MOST_BITS / 8] = {0};
	BIGNUM *number = NULL;
	size_t size;

	if (EVP_PKEY_get_bn_param(key, name, &number) != 1)
		BUG("an RSA key has its numbers");
	size = (size_t)BN_num_bytes(number);
	BUG_ON(size >= sizeof(bytes));
	BN_bn2bin(number, bytes + 1);
	BN_free(number);
	/* A zero goes before a set bit, which would make it negative. */
	size_t skipped = bytes[1] & 0x80 ? 0 : 1;
	add_ssh_string(buf, sv_from_bytes(bytes + skipped, 1 + size - skipped));
}

/* Takes a key in PKCS #8 or PKCS #1, which the identity then owns if it is RSA's. */
static const char *read_der(EVP_PKEY *key, struct seal_identity *identity, bool *ret_is_foreign)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct buf wire = buf_in(scratch);
	uint8_t seed[AGE_KEY_SIZE];
	size_t size = sizeof(seed);

	if (EVP_PKEY_is_a(key, "ED25519") && EVP_PKEY_get_raw_private_key(key, seed, &size) == 1 &&
	    size == sizeof(seed)) {
		set_ed25519(identity, seed);
		sodium_memzero(seed, sizeof(seed));
		return NULL;
	}
	*ret_is_foreign = true;
	if (!EVP_PKEY_is_a(key, "RSA"))
		return FOREIGN;
	if (!rsa_is_within_limits(key))
		return "an RSA key of another size than 2048 to 16384 bits";
	*ret_is_foreign = false;
	add_ssh_string(&wire, SV(RSA_TYPE));
	add_ssh_number(&wire, key, OSSL_PKEY_PARAM_RSA_E);
	add_ssh_number(&wire, key, OSSL_PKEY_PARAM_RSA_N);
	EVP_PKEY *public = age_ssh_rsa(buf_sv(&wire));
	EVP_PKEY_free(public);
	if (!public || !rsa_is_pair(key))
		return DAMAGED;
	EVP_PKEY_up_ref(key);
	identity->rsa = key;
	set_key(identity, AGE_SSH_RSA, buf_sv(&wire));
	return NULL;
}

const char *age_ssh_identity(sv label, sv bytes, struct seal_identity *identity,
                             bool *ret_is_foreign)
{
	const unsigned char *at = (const unsigned char *)bytes.ptr;
	const char *mistake;
	EVP_PKEY *key;

	if (sv_eq(label, SV("OPENSSH PRIVATE KEY")))
		return read_openssh(bytes, identity, ret_is_foreign);
	*ret_is_foreign = true;
	if (sv_eq(label, SV("ENCRYPTED PRIVATE KEY")))
		return "an SSH key with a passphrase";
	if (!sv_eq(label, SV("PRIVATE KEY")) && !sv_eq(label, SV("RSA PRIVATE KEY")))
		return FOREIGN;
	*ret_is_foreign = false;
	key = d2i_AutoPrivateKey(NULL, &at, (long)bytes.len);
	if (!key)
		return "the beginning of a private key that is damaged or cut off";
	mistake = read_der(key, identity, ret_is_foreign);
	EVP_PKEY_free(key);
	return mistake;
}
