/*
 * Ed25519 keys of SSH: the line of a public key, the file of a private one, and X25519's keys made
 * of them.
 */
#include "codec/codec.h"
#include "seal/age.h"

#include <sodium.h>

#define KEY_TYPE "ssh-ed25519"

/* On the wire (RFC 8709, 4): the length of the type, the type, the length of the key, the key. */
static const char wire_begin[] = "\0\0\0\x0b" KEY_TYPE "\0\0\0\x20";

enum { BEGIN_SIZE = sizeof(wire_begin) - 1 };

const char *age_ssh_parse(struct arena *arena, sv text, struct age_recipient *key, sv *ret_text)
{
	sv type;
	sv encoded;
	sv comment = {0};

	text = sv_trim_space(text);
	if (!sv_cut(text, SV(" "), &type, &encoded))
		return "an SSH key without its base64";
	sv_cut(encoded, SV(" "), &encoded, &comment);
	if (!base64_decode_canonical(arena, BASE64_STD, encoded, &key->ssh) ||
	    key->ssh.len != BEGIN_SIZE + AGE_KEY_SIZE ||
	    memcmp(key->ssh.ptr, wire_begin, BEGIN_SIZE) != 0)
		return "an SSH key that is mistyped or cut off";
	/* Refuses points of low order, and those that are on no curve. */
	if (crypto_sign_ed25519_pk_to_curve25519(key->point,
	                                         (const uint8_t *)key->ssh.ptr + BEGIN_SIZE) != 0)
		return "an SSH key that is not a point of the curve, or one of low order";
	*ret_text = age_ssh_text(arena, key->ssh);
	return NULL;
}

sv age_ssh_text(struct arena *arena, sv wire)
{
	struct buf buf = buf_in(arena);

	BUF_ADD_LIT(&buf, KEY_TYPE " ");
	base64_add(&buf, BASE64_STD, wire);
	return buf_sv(&buf);
}

/* ---- private keys ------------------------------------------------------------------------ */

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

/* Takes the part that a passphrase would encrypt. */
static const char *read_private(sv rest, sv wire, struct seal_identity *identity)
{
	uint8_t made[AGE_KEY_SIZE];
	uint8_t secret[crypto_sign_ed25519_SECRETKEYBYTES];
	uint32_t check;
	uint32_t again;
	sv type;
	sv public;
	sv private;

	if (!take_ssh_number(&rest, &check) || !take_ssh_number(&rest, &again) || check != again ||
	    !take_ssh_string(&rest, &type) || !sv_eq(type, SV(KEY_TYPE)) ||
	    !take_ssh_string(&rest, &public) || public.len != AGE_KEY_SIZE ||
	    !take_ssh_string(&rest, &private) ||
	    private.len != crypto_sign_ed25519_SECRETKEYBYTES ||
	    !sv_eq(public, sv_from_offset(wire, BEGIN_SIZE)) || !sv_ends_with(private, public))
		return "the beginning of an SSH key that is damaged";
	crypto_sign_ed25519_seed_keypair(made, secret, (const uint8_t *)private.ptr);
	sodium_memzero(secret, sizeof(secret));
	if (!sv_eq(public, sv_from_bytes(made, sizeof(made))))
		return "the beginning of an SSH key that is damaged";
	if (crypto_sign_ed25519_sk_to_curve25519(identity->secret, (const uint8_t *)private.ptr) !=
	        0 ||
	    crypto_scalarmult_base(identity->recipient, identity->secret) != 0)
		BUG("libsodium refuses no secret key");
	identity->is_ssh = true;
	memcpy(identity->ssh, wire.ptr, AGE_SSH_SIZE);
	return NULL;
}

const char *age_ssh_identity(sv bytes, struct seal_identity *identity, bool *ret_is_foreign)
{
	static const sv magic = SV_INIT("openssh-key-v1\0");
	sv rest = sv_from_offset(bytes, magic.len);
	uint32_t count;
	sv cipher;
	sv derivation;
	sv options;
	sv wire;
	sv private;

	if (!sv_starts_with(bytes, magic) || !take_ssh_string(&rest, &cipher) ||
	    !take_ssh_string(&rest, &derivation) || !take_ssh_string(&rest, &options) ||
	    !take_ssh_number(&rest, &count) || count != 1 || !take_ssh_string(&rest, &wire) ||
	    !take_ssh_string(&rest, &private))
		return "the beginning of an SSH key that is damaged";
	*ret_is_foreign = true;
	if (wire.len != AGE_SSH_SIZE || memcmp(wire.ptr, wire_begin, BEGIN_SIZE) != 0)
		return "an SSH key of another type than ssh-ed25519";
	if (!sv_eq(cipher, SV("none")))
		return "an SSH key with a passphrase";
	*ret_is_foreign = false;
	return read_private(private, wire, identity);
}
