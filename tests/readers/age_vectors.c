/*
 * The age test vectors of C2SP (npm's cctv-age) against the reader in src/seal: what they call an
 * error must be one, and what they call a success must give their payload, but for what the reader
 * leaves out on purpose (`refused` below).
 *
 *   age-vectors FILE...
 */
#include "seal/age.h"
#include "seal/xwing.h"

#include "base/buf.h"
#include "os/os.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

struct vector {
	sv expect;
	sv payload; /* SHA-256 of what is encrypted, in hexadecimal */
	bool armored;
	bool compressed;
	bool passphrase;
	bool without_lattice; /* it has a post-quantum identity, and libcrypto no ML-KEM-768 */
	sv file;
};

static bool reads_refused(sv name, sv *ret_why)
{
	/* Vectors that succeed elsewhere and are refused here. */
	static const struct {
		const char *begin;
		const char *why;
	} refused[] = {
	    {"stream_", "a payload of more than one chunk: data keys have 32 bytes"},
	};

	for (size_t i = 0; i < COUNT_OF(refused); i++)
		if (sv_starts_with(name, sv_from_cstr(refused[i].begin))) {
			*ret_why = sv_from_cstr(refused[i].why);
			return true;
		}
	return false;
}

/* Lines "name: value" up to an empty one; then the file itself. */
static bool read_vector(struct arena *arena, struct sink *sink, struct seal_identities *identities,
                        sv text, struct vector *ret_vector)
{
	struct vector vector = {0};
	struct buf keys = buf_in(arena);

	for (;;) {
		size_t end = 0;

		while (end < text.len && text.ptr[end] != '\n')
			end++;
		if (end == text.len)
			return false;
		sv line = sv_from(text.ptr, end);
		text = sv_from(text.ptr + end + 1, text.len - end - 1);
		if (line.len == 0)
			break;
		if (sv_starts_with(line, SV("expect: ")))
			vector.expect = sv_from(line.ptr + 8, line.len - 8);
		else if (sv_starts_with(line, SV("payload: ")))
			vector.payload = sv_from(line.ptr + 9, line.len - 9);
		else if (sv_starts_with(line, SV("identity: AGE-SECRET-KEY-PQ-1")) &&
		         !xwing_is_available())
			vector.without_lattice = true;
		else if (sv_starts_with(line, SV("identity: AGE-SECRET-KEY-1")) ||
		         sv_starts_with(line, SV("identity: AGE-SECRET-KEY-PQ-1")))
			buf_printf(&keys, "%.*s\n", (int)(line.len - 10), line.ptr + 10);
		else if (sv_starts_with(line, SV("identity: ")) ||
		         sv_starts_with(line, SV("passphrase: ")))
			vector.passphrase = true;
		else if (sv_eq(line, SV("armored: yes")))
			vector.armored = true;
		else if (sv_eq(line, SV("compressed: zlib")))
			vector.compressed = true;
	}
	vector.file = text;
	*ret_vector = vector;
	return seal_identities_add(sink, identities,
	                           source_new(arena, SV("identity"), buf_sv(&keys), true)) ==
	       STATUS_OK;
}

static sv inflated(struct arena *arena, sv packed)
{
	uLongf len = 64u << 20;
	char *text = arena_alloc_text(arena, len);

	if (uncompress((Bytef *)text, &len, (const Bytef *)packed.ptr, packed.len) != Z_OK)
		return SV("");
	return sv_from(text, len);
}

static bool has_payload(sv plain, sv hex)
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	char text[2 * sizeof(digest) + 1];

	crypto_hash_sha256(digest, (const uint8_t *)plain.ptr, plain.len);
	sodium_bin2hex(text, sizeof(text), digest, sizeof(digest));
	return sv_eq(sv_from_cstr(text), hex);
}

/* Whether the reader does what the vector says; false with a word on it where not. */
static bool try(struct arena *arena, sv name, sv text)
{
	struct sink sink;
	struct vector vector = {0};
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	sv file, plain = {0}, why;
	enum age_result result = AGE_FORM;

	sink = sink_in(arena);
	if (!read_vector(arena, &sink, identities, text, &vector)) {
		printf("not ok: %.*s: no vector\n", SV_ARG(name));
		return false;
	}
	file = vector.compressed ? inflated(arena, vector.file) : vector.file;
	if (!vector.armored || age_armor_decode(arena, file, &file))
		result = age_decrypt(arena, file, identities, &plain);
	if (sv_eq(vector.expect, SV("success")) && !vector.passphrase && !vector.without_lattice) {
		if (result == AGE_FINE && has_payload(plain, vector.payload))
			return true;
		if (result != AGE_FINE && reads_refused(name, &why))
			return true;
		printf("not ok: %.*s: cannot be read (%d)\n", SV_ARG(name), (int)result);
		return false;
	}
	if (result == AGE_FINE)
		printf("not ok: %.*s: read, though it is wrong (%.*s)\n", SV_ARG(name),
		       SV_ARG(vector.expect));
	return result != AGE_FINE;
}

int main(int count, char **files)
{
	unsigned passed = 0, failed = 0;

	if (sodium_init() < 0)
		return 1;
	for (int i = 1; i < count; i++) {
		struct arena *arena = arena_new(ARENA_SECRET);
		struct sink sink;
		sv path = sv_from_cstr(files[i]), name = path, text;

		sink = sink_in(arena);
		for (size_t at = 0; at < path.len; at++)
			if (path.ptr[at] == '/')
				name = sv_from(path.ptr + at + 1, path.len - at - 1);
		if (os_read_file(arena, &sink, path, 64u << 20, &text) == STATUS_OK &&
		    try(arena, name, text))
			passed++;
		else
			failed++;
		arena_free(arena);
	}
	if (!xwing_is_available())
		printf("libcrypto has no ML-KEM-768: files for it were only refused\n");
	printf("%u passed, %u failed\n", passed, failed);
	return failed > 0;
}
