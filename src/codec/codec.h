/*
 * codec: conversions between bytes and the texts that stand for them.
 *
 * They are pure: no sink, no position. A conversion that can fail returns false and, where Go has
 * a text for the mistake, gives that text in *ret_error (arena memory): the caller knows the place
 * and makes the diagnostic. Results are untouched on failure.
 *
 *   base.c      base64, base32, hex (RFC 4648), as Go's encoding packages read them
 *   digest.c    SHA-1, SHA-2, HMAC, scrypt, AES-CBC
 *   gzip.c      gzip and Adler-32
 *   quote.c     strconv.Quote and Unquote
 *   number.c    strconv.ParseBool, ParseInt, ParseUint
 *   duration.c  time.Duration
 *   semver.c    Masterminds/semver v3.4.0: versions
 *   constraint.c  its constraints
 *   ip.c        net.IP
 *   url.c       net/url, data URLs
 *   gitignore.c gitignore(5) patterns
 */
#ifndef OSM_GEN_CODEC_CODEC_H
#define OSM_GEN_CODEC_CODEC_H

#include "base/base.h"

/* ---- base64, base32, hex ----------------------------------------------------------------- */

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
 * As Go's DecodeString: CR and LF are skipped, trailing bits may be set. On failure
 * *ret_error_at is the offset that Go names in "illegal base64 data at input byte N".
 */
MUST_CHECK bool base64_decode(struct arena *arena, enum base64_kind kind, sv text, sv *ret_bytes,
                              size_t *ret_error_at);
/* Strict: no CR or LF, no set trailing bits: one text for each byte string. */
MUST_CHECK bool base64_decode_canonical(struct arena *arena, enum base64_kind kind, sv text,
                                        sv *ret_bytes);

sv base32_encode(struct arena *arena, sv bytes);
/* As base64_decode; Go's text is "illegal base32 data at input byte N". */
MUST_CHECK bool base32_decode(struct arena *arena, sv text, sv *ret_bytes, size_t *ret_error_at);

/* Lower case. */
sv hex_encode(struct arena *arena, sv bytes);
void hex_add(struct buf *buf, sv bytes);
/* Either case, even count. */
MUST_CHECK bool hex_decode(struct arena *arena, sv text, sv *ret_bytes);

/* ---- digests (libcrypto) ----------------------------------------------------------------- */

enum digest_kind { DIGEST_SHA1, DIGEST_SHA256, DIGEST_SHA512 };
#define DIGEST_MAX_SIZE 64

/* Writes the digest: 20, 32 or 64 bytes. */
void digest_of(enum digest_kind kind, sv bytes, uint8_t *out);
/* The digest in lower-case hex, as sprig's sha256sum gives it. */
sv digest_hex(struct arena *arena, enum digest_kind kind, sv bytes);

/* A digest over many parts; digest_restart makes the object ready for the next text. */
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
void digest_finish(struct digest *digest, uint8_t *out);

void hmac_sha256(sv key, sv message, uint8_t out[32]);
/* RFC 7914; parameters as sprig's derivePassword needs them. False: refused by libcrypto. */
MUST_CHECK bool scrypt_derive(sv password, sv salt, uint64_t n, uint32_t r, uint32_t p,
                              uint8_t *out, size_t out_size);
/* AES-256-CBC without padding: bytes.len must be a multiple of 16. */
MUST_CHECK bool aes256_cbc_decrypt(struct arena *arena, const uint8_t key[32], const uint8_t iv[16],
                                   sv bytes, sv *ret_bytes);

/* ---- X.509 (libcrypto) ------------------------------------------------------------------- */

/* The first PEM block (RFC 7468): its label and its bytes. False: there is none. */
MUST_CHECK bool pem_find(struct arena *arena, sv text, sv *ret_label, sv *ret_der);
/* Whether the bytes are one certificate (RFC 5280) and nothing behind it. */
MUST_CHECK bool x509_is_certificate(sv der);

enum private_key_form {
	PRIVATE_KEY_PKCS8, /* RFC 5958 */
	PRIVATE_KEY_RSA,   /* RFC 8017, A.1.2 */
	PRIVATE_KEY_EC,    /* RFC 5915 */
	PRIVATE_KEY_DSA,   /* OpenSSL's own */
};

MUST_CHECK bool x509_is_private_key(enum private_key_form form, sv der);

/* ---- gzip (zlib) ------------------------------------------------------------------------- */

/* Bytes of a gzip member without a name (RFC 1952), at the default level: for size budgets. */
size_t gzip_size(sv bytes);
uint32_t adler32_of(sv bytes);

/* ---- Go's strconv ------------------------------------------------------------------------ */

/* strconv.Quote: double quotes, Go escapes, what unicode.IsPrint refuses as \u or \x. */
void strconv_quote_add(struct buf *buf, sv s);
sv strconv_quote(struct arena *arena, sv s);
/* strconv.IsPrint */
bool strconv_is_print(uint32_t rune);
/*
 * strconv.Unquote: "double", `raw` or 'rune' with its quotes. Go's only text is "invalid syntax".
 */
MUST_CHECK bool strconv_unquote(struct arena *arena, sv quoted, sv *ret_text);
/* strconv.UnquoteChar: takes the first character or escape between quotes off *rest. */
MUST_CHECK bool strconv_unquote_char(struct arena *arena, sv *rest, char quote, uint32_t *ret_rune);

/* 1 t T TRUE true True 0 f F FALSE false False; else `strconv.ParseBool: parsing "x": invalid
 * syntax`. */
MUST_CHECK bool strconv_parse_bool(struct arena *arena, sv s, bool *ret_value, sv *ret_error);
/* Base 10, optional sign, range of bits (8 to 64); `strconv.ParseInt: parsing "x": value out of
 * range`. */
MUST_CHECK bool strconv_parse_int(struct arena *arena, sv s, unsigned bits, int64_t *ret_value,
                                  sv *ret_error);
MUST_CHECK bool strconv_parse_uint(struct arena *arena, sv s, unsigned bits, uint64_t *ret_value,
                                   sv *ret_error);

/* ---- Go's time.Duration ------------------------------------------------------------------ */

/* Nanoseconds; "1h30m", "1.5h", "-1s", "0". `time: invalid duration "x"` and its siblings. */
MUST_CHECK bool duration_parse(struct arena *arena, sv s, int64_t *ret_nanoseconds, sv *ret_error);
/* "1h0m0s", "1.5s", "250µs", "0s". */
sv duration_format(struct arena *arena, int64_t nanoseconds);
/* Quotes as the time package does in its errors: every byte that is not printable ASCII as \xHH. */
void time_quote(struct buf *buf, sv s);

/* ---- semantic versions (docs/spec/templates.md 5) ----------------------------------------- */

struct semver {
	uint64_t major;
	uint64_t minor;
	uint64_t patch;
	sv prerelease; /* without "-"; empty when there is none */
	sv metadata;   /* without "+" */
	sv original;   /* as given */
};

/*
 * NewVersion, loose: an optional v, missing minor and patch, leading zeros. Parts point into text.
 * Texts: "invalid semantic version", "version segment starts with 0",
 * "strconv.ParseUint: parsing ...: value out of range" wrapped as the library wraps it.
 */
MUST_CHECK bool semver_parse(struct arena *arena, sv text, struct semver *ret_version,
                             sv *ret_error);
/* StrictNewVersion: MAJOR.MINOR.PATCH with nothing left out, no v, no leading zeros. */
MUST_CHECK bool semver_parse_strict(struct arena *arena, sv text, struct semver *ret_version,
                                    sv *ret_error);
/* The mistake in a prerelease or metadata part (without - and +), or null. */
const char *semver_prerelease_mistake(sv prerelease);
const char *semver_metadata_mistake(sv metadata);
/* Precedence of semver.org: below zero, zero, above zero; metadata does not count. */
int semver_compare(const struct semver *a, const struct semver *b);
/* "1.31.0-rc.1+k3s1", without v. */
sv semver_format(struct arena *arena, const struct semver *version);

struct semver_constraints;
/* NewConstraint; `improper constraint: TEXT`. */
MUST_CHECK bool semver_constraints_parse(struct arena *arena, sv text,
                                         struct semver_constraints **ret_constraints,
                                         sv *ret_error);
bool semver_constraints_check(const struct semver_constraints *constraints,
                              const struct semver *version);

/* ---- Go's net.IP ------------------------------------------------------------------------- */

struct ip {
	uint8_t bytes[16]; /* IPv4 as ::ffff:a.b.c.d, as Go's net.IP holds it */
};
/* net.ParseIP: no zone, no prefix length, no leading zeros. */
MUST_CHECK bool ip_parse(sv text, struct ip *ret_ip);
/* IP.String: dotted when mapped, else RFC 5952. */
sv ip_format(struct arena *arena, const struct ip *ip);

/* ---- URLs (Go net/url) ------------------------------------------------------------------- */

struct url {
	sv scheme; /* lower case */
	sv opaque;
	bool has_user;
	sv username; /* decoded */
	bool has_password;
	sv password; /* decoded */
	sv host;     /* host or host:port, decoded */
	sv path;     /* decoded */
	sv raw_path; /* set when the default encoding of path is not what was given */
	bool omit_host;
	bool force_query; /* "?" with nothing behind it */
	sv raw_query;     /* encoded, without "?" */
	sv fragment;      /* decoded, without "#" */
	sv raw_fragment;
};

/* url.Parse; the error is Go's whole text: `parse "x": first path segment in URL cannot contain
 * colon`. */
MUST_CHECK bool url_parse(struct arena *arena, sv text, struct url *ret_url, sv *ret_error);
/* URL.String */
sv url_format(struct arena *arena, const struct url *url);
/* URL.Hostname: without port and without the brackets of an IPv6 address. */
sv url_hostname(const struct url *url);
/* URL.Port: digits, or empty. */
sv url_port(const struct url *url);
/* Userinfo.String: encoded "name:password"; empty when there is none. */
sv url_userinfo(struct arena *arena, const struct url *url);

struct url_parameter {
	sv key;
	sv value;
};
/* url.Values, in the order of the text. */
VEC_TYPE(url_query, struct url_parameter);

/*
 * url.ParseQuery: pairs that cannot be decoded (or hold ';') are left out. *ret_error (may be
 * null) is the first mistake, or empty.
 */
struct url_query url_query_parse(struct arena *arena, sv raw_query, sv *ret_error);
/* The first value of key; null when there is none. */
const struct url_parameter *url_query_get(const struct url_query *query, sv key);
/* Values.Del */
void url_query_delete(struct url_query *query, sv key);
/* Values.Encode: sorted by key, values of one key in their order. */
sv url_query_encode(struct arena *arena, const struct url_query *query);

/* url.QueryEscape, PathEscape */
sv url_query_escape(struct arena *arena, sv s);
sv url_path_escape(struct arena *arena, sv s);
/* url.QueryUnescape; `invalid URL escape "%zz"`. */
MUST_CHECK bool url_query_unescape(struct arena *arena, sv s, sv *ret_text, sv *ret_error);

/* "data:," and the percent-encoded bytes, as Ignition's transpiler writes them
 * (docs/spec/userdata.md 3.2). */
void data_url_add(struct buf *buf, sv bytes);
/* The percent-encoded bytes alone. */
void data_url_add_bytes(struct buf *buf, sv bytes);

/* ---- gitignore(5) ------------------------------------------------------------------------ */

struct gitignore;

/*
 * Reads patterns. Every text is a valid one: gitignore has no mistakes. Lines point into text,
 * which must live as long as the result.
 */
struct gitignore *gitignore_parse(struct arena *arena, sv text);
/*
 * Whether path (relative to the folder of the pattern file, "/" between parts, no leading "/")
 * or a folder above it is ignored. A file below an ignored folder cannot be taken in again.
 */
bool gitignore_is_ignored(const struct gitignore *ignore, sv path, bool is_folder);

#endif
