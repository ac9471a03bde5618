/*
 * ssh-ed25519 recipients: the line of a public key, and X25519's key made of it.
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
	*ret_text = ARENA_CONCAT(arena, SV(KEY_TYPE " "), encoded);
	return NULL;
}
