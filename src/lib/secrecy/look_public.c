/*
 * Parts of strings that are public though they look random.
 */
#include "codec/codec.h"
#include "secrecy/internal.h"
#include "secrecy/look.h"

enum { UUID_SIZE = 36 };

static bool is_uuid(sv text, size_t at)
{
	for (size_t i = 0; i < UUID_SIZE; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (at + i >= text.len ||
		    (is_dash ? text.ptr[at + i] != '-' : !ascii_is_hex((uint8_t)text.ptr[at + i])))
			return false;
	}
	return !look_is_alnum(text, at + UUID_SIZE) && (at == 0 || !look_is_alnum(text, at - 1));
}

/* "sha256:" and 64 digits, an image's digest. */
static size_t digest_end(sv text, size_t at)
{
	static const sv names[] = {SV_INIT("sha256:"), SV_INIT("sha512:"), SV_INIT("sha1:"),
	                           SV_INIT("sha256-"), SV_INIT("sha512-"), SV_INIT("md5:"),
	                           SV_INIT("MD5:"),    SV_INIT("SHA256:")};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_starts_with(sv_from_offset(text, at), names[i]))
			return look_span(text, at + names[i].len, "+/=:");
	return 0;
}

/* "age1...", somebody's public key. */
static size_t recipient_end(sv text, size_t at)
{
	size_t end = look_span(text, at, "");
	sv word = sv_slice(text, at, end);
	/* X25519's, and a post-quantum one. */
	bool is_public = (sv_starts_with(word, SV("age1")) && word.len == 62) ||
	                 (sv_starts_with(word, SV("age1pq1")) && word.len == 1959);

	return is_public ? end : 0;
}

/*
 * "ssh-ed25519 AAAA...": the blob repeats the type, as RFC 4253 section 6.6 has it; a private key's
 * blob, or any other text, does not.
 */
static size_t ssh_key_end(struct arena *arena, sv text, size_t at)
{
	size_t type_end = look_span(text, at, "-@.");
	sv type = sv_slice(text, at, type_end);
	size_t error_at;
	sv blob;

	if (!(sv_starts_with(type, SV("ssh-")) || sv_starts_with(type, SV("ecdsa-")) ||
	      sv_starts_with(type, SV("sk-"))) ||
	    !look_is_one_of(text, type_end, " "))
		return 0;
	size_t end = look_span(text, type_end + 1, "+/=");
	if (!base64_decode(arena, BASE64_STD, sv_slice(text, type_end + 1, end), &blob,
	                   &error_at) ||
	    blob.len < 4 + type.len)
		return 0;
	/* Its parts, each preceded by its length, must fill it. */
	size_t parts = 0;
	for (sv rest = blob; !sv_empty(rest); parts++) {
		if (rest.len < 4)
			return 0;
		size_t length = (size_t)(uint8_t)rest.ptr[0] << 24 |
		                (size_t)(uint8_t)rest.ptr[1] << 16 |
		                (size_t)(uint8_t)rest.ptr[2] << 8 | (uint8_t)rest.ptr[3];
		if (length > rest.len - 4)
			return 0;
		if (parts == 0 && !sv_eq(sv_slice(rest, 4, 4 + length), type))
			return 0;
		rest = sv_from_offset(rest, 4 + length);
	}
	return parts > 1 ? end : 0;
}

/* A block of a certificate or of a public key, whose body is nothing else. */
static size_t public_block_end(struct arena *arena, sv text, size_t at)
{
	static const sv begin = SV_INIT("-----BEGIN ");
	sv block = sv_from_offset(text, at);
	sv label;
	sv der;

	if (!sv_starts_with(block, begin))
		return 0;
	sv rest = sv_from_offset(block, begin.len);
	sv name = sv_slice(rest, 0, sv_find(rest, SV("-----")));
	sv ending = ARENA_CONCAT(arena, SV("-----END "), name, SV("-----"));
	size_t end = sv_find(block, ending);
	if (name.len > 64 || end == SV_NPOS || sv_contains(name, SV("PRIVATE")))
		return 0;
	end += ending.len;
	block = sv_slice(block, 0, end);
	/* OpenPGP's has headers and a checksum: what is in its packets is not read here. */
	if (sv_eq(name, SV("PGP PUBLIC KEY BLOCK")))
		return at + end;
	return pem_find(arena, block, &label, &der) && secrecy_is_der(der) ? at + end : 0;
}

sv look_without_public(struct arena *arena, sv text)
{
	char *copy = arena_alloc_text(arena, text.len + 1);

	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	for (size_t at = 0; at < text.len;) {
		char c = text.ptr[at];
		size_t end = 0;

		if (ascii_is_hex((uint8_t)c) && is_uuid(text, at))
			end = at + UUID_SIZE;
		else if (at > 0 && look_is_alnum(text, at - 1))
			end = 0;
		else if (c == '-')
			end = public_block_end(arena, text, at);
		else if (c == 's' || c == 'S' || c == 'm' || c == 'M' || c == 'e') {
			end = digest_end(text, at);
			end = end ? end : ssh_key_end(arena, text, at);
		} else if (c == 'a')
			end = recipient_end(text, at);
		if (end == 0) {
			at++;
			continue;
		}
		memset(copy + at, ' ', end - at);
		at = end;
	}
	return sv_from(copy, text.len);
}
