/*
 * codec: conversions between bytes and their encodings.
 *
 * They are pure: no sink, no position. A conversion that can fail returns false: the caller knows
 * the place and makes the diagnostic. Results are untouched on failure.
 *
 *   base64.c base32.c hex.c   RFC 4648, as Go's encoding packages read them
 *   digest.c                  SHA-1, SHA-2, HMAC, scrypt, AES-CBC
 *   x509.c                    PEM, certificates and private keys
 *   curve.c                   points of elliptic curves
 *   gzip.c deflate.c          gzip and Adler-32
 *   data_url.c                data URLs
 *   gitignore.c               gitignore(5) patterns
 */
#ifndef OSM_GEN_CODEC_CODEC_H
#define OSM_GEN_CODEC_CODEC_H

#include "base/base.h"
#include "base/memory.h"

/*
 * Makes libcrypto take memory from base/memory.h. Call it first in a program, before any thread and
 * any other call into libcrypto. Returns false if libcrypto cannot be used.
 */
MUST_CHECK bool codec_start(void);

/* ---- base64, base32, hex ---------------------------------------------------------------- */

enum base64_kind {
	BASE64_STD,     /* + and /, padded */
	BASE64_URL,     /* - and _, padded */
	BASE64_STD_RAW, /* + and /, no padding */
	BASE64_URL_RAW, /* - and _, no padding */
};

size_t base64_encoded_size(enum base64_kind kind, size_t byte_count);
void base64_add(struct buf *buf, enum base64_kind kind, sv bytes);
sv base64_encode(struct arena *arena, enum base64_kind kind, sv bytes);
/*
 * Decodes as Go's DecodeString: CR and LF are skipped, trailing bits may be set. On failure
 * *ret_error_at is the offset that Go names in "illegal base64 data at input byte N".
 */
MUST_CHECK bool base64_decode(struct arena *arena, enum base64_kind kind, sv text, sv *ret_bytes,
                              size_t *ret_error_at);
/*
 * Strict: refuses CR, LF and trailing bits that are set, so that each byte string has exactly one
 * encoding.
 */
MUST_CHECK bool base64_decode_canonical(struct arena *arena, enum base64_kind kind, sv text,
                                        sv *ret_bytes);

sv base32_encode(struct arena *arena, sv bytes);
/*
 * Decodes base32 as base64_decode does base64; Go's message is "illegal base32 data at input byte
 * N".
 */
MUST_CHECK bool base32_decode(struct arena *arena, sv text, sv *ret_bytes, size_t *ret_error_at);

/* Lower case. */
sv hex_encode(struct arena *arena, sv bytes);
void hex_add(struct buf *buf, sv bytes);
/* Either case, even count. */
MUST_CHECK bool hex_decode(struct arena *arena, sv text, sv *ret_bytes);

/* ---- digests (libcrypto) ---------------------------------------------------------------- */

enum digest_kind { DIGEST_SHA1, DIGEST_SHA256, DIGEST_SHA512 };
#define DIGEST_MAX_SIZE 64

/* Writes the digest: 20, 32 or 64 bytes. */
void digest_of(enum digest_kind kind, sv bytes, uint8_t *out);
/* The digest in lower-case hex, as sprig's sha256sum gives it. */
sv digest_hex(struct arena *arena, enum digest_kind kind, sv bytes);

/* A digest over many parts; digest_restart makes the object ready for the next input. */
struct digest;
struct digest *digest_new(enum digest_kind kind);
void digest_free(struct digest *digest);
static inline void digest_freep(struct digest **digest)
{
	digest_free(*digest);
}
#define DIGEST_AUTO CLEANUP(digest_freep) struct digest *
void digest_restart(struct digest *digest);
void digest_add(struct digest *digest, sv bytes);
/* Leaves nothing of the message in memory; until then libcrypto keeps its last block. */
void digest_finish(struct digest *digest, uint8_t *out);

void hmac_sha256(sv key, sv message, uint8_t out[32]);

/*
 * Overwrites what one of the libraries' hashes left on the stack: BLAKE2b and SHA-2 copy each block
 * of a message there. The functions above do so themselves. Inline, since a call would start
 * further down.
 */
static inline void digest_wipe_stack(void)
{
	memory_wipe_stack(4 << 10);
}

/*
 * RFC 7914, with the parameters that sprig's derivePassword needs. Returns false if libcrypto
 * refuses them.
 */
MUST_CHECK bool scrypt_derive(sv password, sv salt, uint64_t n, uint32_t r, uint32_t p,
                              uint8_t *out, size_t out_size);
/* AES-256-CBC without padding: bytes.len must be a multiple of 16. */
MUST_CHECK bool aes256_cbc_decrypt(struct arena *arena, const uint8_t key[32], const uint8_t iv[16],
                                   sv bytes, sv *ret_bytes);

/* ---- X.509 (libcrypto) ------------------------------------------------------------------ */

/* Reads the first PEM block (RFC 7468): its label and its bytes. Returns false if there is none. */
MUST_CHECK bool pem_find(struct arena *arena, sv text, sv *ret_label, sv *ret_der);
/*
 * Finds a block as pem_find does, and sets *text to the rest after it, for files with several
 * blocks.
 */
MUST_CHECK bool pem_next(struct arena *arena, sv *text, sv *ret_label, sv *ret_der);
/* Returns true if the bytes are exactly one certificate (RFC 5280), with nothing after it. */
MUST_CHECK bool x509_is_certificate(sv der);

struct x509_certificate {
	sv spki;            /* SubjectPublicKeyInfo, in DER */
	int64_t not_before; /* seconds since 1970 */
	int64_t not_after;
	unsigned rsa_bits; /* 0 if the key is not RSA */
};
/* Reads one certificate. Fails if anything follows it. */
MUST_CHECK bool x509_read(struct arena *arena, sv der, struct x509_certificate *ret_certificate);

enum private_key_form {
	PRIVATE_KEY_PKCS8, /* RFC 5958 */
	PRIVATE_KEY_RSA,   /* RFC 8017, A.1.2 */
	PRIVATE_KEY_EC,    /* RFC 5915 */
	PRIVATE_KEY_DSA,   /* OpenSSL's own */
};

MUST_CHECK bool x509_is_private_key(enum private_key_form form, sv der);

/* ---- elliptic curves (libcrypto) --------------------------------------------------------- */

enum curve_kind { CURVE_P256, CURVE_P384, CURVE_P521 };
/* True if the bytes are a point of the curve in SEC 1's uncompressed form, infinity aside. */
bool curve_has_point(enum curve_kind kind, sv bytes);

/* ---- gzip (zlib, libdeflate)
 * ------------------------------------------------------------------------ */

/*
 * Returns the size of a gzip member without a name (RFC 1952), at the default level: for size
 * budgets. Takes 300 KB of `scratch`, which is secret if the bytes are.
 */
size_t gzip_size(struct arena *scratch, sv bytes);
/* Decompresses what the build compressed (ci/embed) to `size` bytes; any other input is a BUG. */
sv gzip_open(struct arena *arena, sv bytes, size_t size);
/*
 * Decompresses untrusted input: gzip or zlib's own form, at most `max` bytes of it. Returns false
 * if it is neither. Damaged or longer input gives the bytes up to there.
 */
MUST_CHECK bool gzip_open_some(struct arena *arena, sv bytes, size_t max, sv *ret_bytes);
uint32_t adler32_of(sv bytes);
/*
 * Appends the bytes as a gzip member without a name and a time. libdeflate compresses them: another
 * version of it may give other bytes.
 */
void gzip_add(struct buf *buf, sv bytes);

/* ---- data URLs (RFC 2397) --------------------------------------------------------------- */

/*
 * Adds "data:," and the percent-encoded bytes, as Ignition's transpiler writes them
 * (docs/spec/userdata.md 3.2).
 */
void data_url_add(struct buf *buf, sv bytes);
/* Adds a byte as %XX. */
void percent_add(struct buf *buf, char c);
/* Adds the percent-encoded bytes alone. */
void data_url_add_bytes(struct buf *buf, sv bytes);

/* ---- gitignore(5) ----------------------------------------------------------------------- */

struct gitignore;

/*
 * Reads patterns. It cannot fail: gitignore has no syntax errors. The result points into text,
 * which must live as long.
 */
struct gitignore *gitignore_parse(struct arena *arena, sv text);
/*
 * Returns true if a pattern ignores `path` (relative to the folder of the pattern file, "/" between
 * parts, no leading "/"). The caller asks for the folders above it, too: a file below an ignored
 * folder cannot be included again. *left is decreased for each pattern and each character that is
 * compared; once it is 0, nothing matches any more.
 */
bool gitignore_excludes(const struct gitignore *ignore, sv path, bool is_folder, uint64_t *left);

/* Each returns the version of the library that is loaded. */
const char *codec_crypto_version(void);
const char *codec_zlib_version(void);

#endif
