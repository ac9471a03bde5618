/*
 * floor FOLDER OUT: what no program can do without that seals the output tree FOLDER and commits it
 * with its work tree: the key of a sealed file wrapped for one age recipient, each byte of it
 * encrypted and authenticated once, each file hashed, compressed (by libdeflate) and checked once
 * for the pack OUT.pack, and written to OUT. Nothing is read, rendered or compared. One core.
 * Prints the seconds of processor time that this took, without reading FOLDER, and the bytes of all
 * files.
 */
#include "codec/codec.h"
#include "git/git.h"
#include "os/os.h"
#include "seal/gcm.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 << 20, ROOM = MOST + MOST / 16 };

struct file {
	sv path; /* below OUT */
	sv text;
};
VEC_TYPE(files, struct file);

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static sv folder_of(sv path)
{
	return sv_slice(path, 0, path.len - sv_after_last(path, '/').len - 1);
}

static bool put(int fd, const void *bytes, size_t size)
{
	return write(fd, bytes, size) == (ssize_t)size;
}

/* What an X25519 stanza takes: two multiplications, HKDF-SHA256, and the file key encrypted. */
static void wrap(struct arena *scratch)
{
	static const uint8_t secret[crypto_scalarmult_SCALARBYTES] = {3};
	uint8_t share[crypto_scalarmult_BYTES];
	uint8_t shared[crypto_scalarmult_BYTES];
	uint8_t key[32];
	uint8_t wrapped[16 + crypto_aead_chacha20poly1305_IETF_ABYTES];
	static const uint8_t nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES] = {0};

	if (crypto_scalarmult_base(share, secret) != 0 ||
	    crypto_scalarmult(shared, secret, share) != 0)
		abort();
	hmac_sha256(sv_from_bytes(share, sizeof(share)), sv_from_bytes(shared, sizeof(shared)),
	            key);
	hmac_sha256(sv_from_bytes(key, sizeof(key)), SV("age-encryption.org/v1/X25519\1"), key);
	crypto_aead_chacha20poly1305_ietf_encrypt(wrapped, NULL, secret, 16, NULL, 0, NULL, nonce,
	                                          key);
	memcpy(arena_alloc_text(scratch, sizeof(wrapped)), wrapped, sizeof(wrapped));
}

/* Encrypts as many bytes as the file has in its ciphertexts, which are base64. */
static void seal(struct arena *scratch, struct gcm *gcm, struct digest *digest, sv text)
{
	static const uint8_t iv[GCM_IV_SIZE] = {1};
	struct buf buf = buf_in(scratch);
	sv plain = sv_slice(text, 0, text.len / 4 * 3);

	wrap(scratch);
	digest_add(digest, plain);
	gcm_add_sealed(scratch, &buf, gcm, iv, SV("data:"), SV("str"), plain);
}

static bool store(struct libdeflate_compressor *deflate, struct digest *whole, int pack,
                  const struct file *file, uint8_t *room)
{
	size_t size = libdeflate_zlib_compress(deflate, file->text.ptr, file->text.len, room, ROOM);
	struct git_id id = git_id_of_blob(file->text);
	uint32_t crc = libdeflate_crc32(0, room, size);

	digest_add(whole, sv_from((const char *)room, size));
	int fd = open(file->path.ptr, O_WRONLY | O_CREAT | O_EXCL, 0644);
	bool done = fd >= 0 && put(pack, &id, sizeof(id)) && put(pack, &crc, sizeof(crc)) &&
	            put(pack, room, size) && put(fd, file->text.ptr, file->text.len);

	return fd >= 0 && close(fd) == 0 && done;
}

static bool run(struct arena *arena, const struct files *files, const char *pack_path)
{
	static const uint8_t key[GCM_KEY_SIZE] = {2};
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	GCM_AUTO gcm = gcm_new();
	DIGEST_AUTO digest = digest_new(DIGEST_SHA512);
	DIGEST_AUTO whole = digest_new(DIGEST_SHA1); /* of the pack */
	struct libdeflate_compressor *deflate = libdeflate_alloc_compressor(1);
	int pack = open(pack_path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	uint8_t *room = (uint8_t *)arena_alloc_text(arena, ROOM);
	bool done = pack >= 0 && deflate && sodium_init() >= 0;

	gcm_set_key(gcm, key);
	VEC_EACH (file, files) {
		if (sv_contains(file->text, SV("ENC[AES256_GCM,data:")))
			seal(scratch, gcm, digest, file->text);
		done = done && store(deflate, whole, pack, file, room);
		arena_reset(scratch);
	}
	libdeflate_free_compressor(deflate);
	return done && fsync(pack) == 0 && close(pack) == 0;
}

int main(int count, char **arguments)
{
	struct arena *arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct os_entries entries;
	struct files files = {0};
	size_t bytes = 0;

	if (count != 3 ||
	    os_list_tree(arena, &sink, sv_from_cstr(arguments[1]), &entries) != STATUS_OK) {
		fprintf(stderr, "usage: floor FOLDER OUT\n");
		return 64;
	}
	VEC_EACH (entry, &entries) {
		sv from = arena_printf(arena, "%s/%.*s", arguments[1], SV_ARG(entry->path));
		struct file file = {
		    .path = arena_printf(arena, "%s/%.*s", arguments[2], SV_ARG(entry->path))};

		if (os_read_file(arena, &sink, from, MOST, &file.text) != STATUS_OK ||
		    os_make_folders(&sink, folder_of(file.path)) != STATUS_OK)
			return 3;
		file.path = sv_from_cstr(arena_cstr(arena, file.path));
		bytes += file.text.len;
		VEC_PUSH(arena, &files, file);
	}
	double since = seconds();
	if (!run(arena, &files, arena_cstr(arena, arena_printf(arena, "%s.pack", arguments[2]))))
		return 3;
	printf("%.3f %zu\n", seconds() - since, bytes);
	arena_free(arena);
	return 0;
}
