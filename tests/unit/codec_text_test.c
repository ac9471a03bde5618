/* base64, base32, hex, digests, gzip, data URLs. */
#include "codec/codec.h"

#include "asserts.h"

#include <zlib.h>

static void test_base64(void **state)
{
	(void)state;
	/* RFC 4648 section 10; then Go's offsets. */
	static const struct {
		enum base64_kind kind;
		const char *bytes;
		const char *text;
	} pairs[] = {
	    {BASE64_STD, "", ""},
	    {BASE64_STD, "f", "Zg=="},
	    {BASE64_STD, "fo", "Zm8="},
	    {BASE64_STD, "foo", "Zm9v"},
	    {BASE64_STD, "foob", "Zm9vYg=="},
	    {BASE64_STD_RAW, "foob", "Zm9vYg"},
	    {BASE64_STD_RAW, "fooba", "Zm9vYmE"},
	    {BASE64_STD, "\xfb\xff", "+/8="},
	    {BASE64_URL, "\xfb\xff", "-_8="},
	    {BASE64_URL_RAW, "\xfb\xff", "-_8"},
	};
	static const struct {
		enum base64_kind kind;
		const char *text;
		size_t error_at;
	} mistakes[] = {
	    {BASE64_STD, "Zg", 0},       {BASE64_STD, "Zg=", 3},      {BASE64_STD, "Z===", 1},
	    {BASE64_STD, "Zm9v!", 4},    {BASE64_STD, "Zg==Zg==", 4}, {BASE64_STD, "Zg=a", 2},
	    {BASE64_STD_RAW, "Zg==", 2}, {BASE64_STD_RAW, "Z", 0},    {BASE64_STD, "-_8=", 0},
	    {BASE64_STD, "=", 0},        {BASE64_STD, "Zm9vZ\n", 5},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv bytes;
	size_t at;

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		assert_sv(base64_encode(arena, pairs[i].kind, sv_from_cstr(pairs[i].bytes)),
		          pairs[i].text);
		assert_true(
		    base64_decode(arena, pairs[i].kind, sv_from_cstr(pairs[i].text), &bytes, &at));
		assert_sv(bytes, pairs[i].bytes);
	}
	for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
		assert_false(base64_decode(arena, mistakes[i].kind, sv_from_cstr(mistakes[i].text),
		                           &bytes, &at));
		assert_int_equal(at, mistakes[i].error_at);
	}
	assert_true(base64_decode(arena, BASE64_STD, SV("Zm\r\n9v\n"), &bytes, &at));
	assert_sv(bytes, "foo");
	assert_true(base64_decode(arena, BASE64_STD, SV("Zh=="), &bytes, &at));
	assert_sv(bytes, "f");
	assert_false(base64_decode_canonical(arena, BASE64_STD, SV("Zh=="), &bytes));
	assert_false(base64_decode_canonical(arena, BASE64_STD, SV("Zm9v\n"), &bytes));
	assert_true(base64_decode_canonical(arena, BASE64_STD, SV("Zm9v"), &bytes));
}

/* Every digit, at every place of a long text, of every length. */
static void test_base64_digits(void **state)
{
	(void)state;
	static const char *const digits[] = {
	    [BASE64_STD] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	    [BASE64_URL] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	char bytes[192];
	sv decoded;
	size_t at;

	for (unsigned shift = 0; shift < 64; shift++) {
		/* The digits shift, shift + 1, ...: 6 bits each. */
		memset(bytes, 0, sizeof(bytes));
		for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) {
			unsigned value = (unsigned)(bit / 6 + shift) % 64;

			if (value >> (5 - bit % 6) & 1)
				bytes[bit / 8] |= (char)(0x80 >> bit % 8);
		}
		for (enum base64_kind kind = BASE64_STD; kind <= BASE64_URL; kind++) {
			sv text = base64_encode(arena, kind, sv_from(bytes, sizeof(bytes)));

			assert_int_equal(text.len, 256);
			for (size_t i = 0; i < text.len; i++)
				assert_int_equal(text.ptr[i], digits[kind][(i + shift) % 64]);
			for (size_t len = 0; len < sizeof(bytes); len++) {
				text = base64_encode(arena, kind, sv_from(bytes, len));
				assert_true(base64_decode(arena, kind, text, &decoded, &at));
				assert_true(sv_eq(decoded, sv_from(bytes, len)));
			}
		}
	}
}

static void test_base32_and_hex(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		const char *text;
	} pairs[] = {
	    {"", ""},
	    {"f", "MY======"},
	    {"fo", "MZXQ===="},
	    {"foo", "MZXW6==="},
	    {"foob", "MZXW6YQ="},
	    {"fooba", "MZXW6YTB"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv bytes;
	size_t at;

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		assert_sv(base32_encode(arena, sv_from_cstr(pairs[i].bytes)), pairs[i].text);
		assert_true(base32_decode(arena, sv_from_cstr(pairs[i].text), &bytes, &at));
		assert_sv(bytes, pairs[i].bytes);
	}
	assert_false(base32_decode(arena, SV("MZX1"), &bytes, &at));
	assert_int_equal(at, 3);
	assert_sv(hex_encode(arena, SV("\x00\xff\x1a")), "00ff1a");
	assert_true(hex_decode(arena, SV("00Ff1a"), &bytes));
	assert_true(sv_eq(bytes, SV("\x00\xff\x1a")));
	assert_false(hex_decode(arena, SV("0"), &bytes));
	assert_false(hex_decode(arena, SV("0g"), &bytes));
}

static void test_digests(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	uint8_t out[64];
	sv bytes;

	/* FIPS 180-4 examples for "abc". */
	assert_sv(digest_hex(arena, DIGEST_SHA1, SV("abc")),
	          "a9993e364706816aba3e25717850c26c9cd0d89d");
	assert_sv(digest_hex(arena, DIGEST_SHA256, SV("abc")),
	          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	DIGEST_AUTO digest = digest_new(DIGEST_SHA512);
	for (int round = 0; round < 2; round++) {
		digest_restart(digest);
		digest_add(digest, SV("a"));
		digest_add(digest, (sv){0});
		digest_add(digest, SV("bc"));
		digest_finish(digest, out);
		assert_sv(hex_encode(arena, sv_from((const char *)out, 8)), "ddaf35a193617aba");
	}
	/* RFC 4231 case 2. */
	hmac_sha256(SV("Jefe"), SV("what do ya want for nothing?"), out);
	assert_sv(hex_encode(arena, sv_from((const char *)out, 8)), "5bdcc146bf60754e");
	/* RFC 7914 section 12. */
	assert_true(scrypt_derive(SV("password"), SV("NaCl"), 1024, 8, 16, out, 64));
	assert_sv(hex_encode(arena, sv_from((const char *)out, 8)), "fdbabe1c9d347200");
	/* NIST SP 800-38A F.2.6, first block. */
	static const uint8_t iv[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	sv key;
	sv cipher;
	assert_true(hex_decode(
	    arena, SV("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"), &key));
	assert_true(hex_decode(arena, SV("f58c4c04d6e5f1ba779eabfb5f7bfbd6"), &cipher));
	assert_true(aes256_cbc_decrypt(arena, (const uint8_t *)key.ptr, iv, cipher, &bytes));
	assert_sv(hex_encode(arena, bytes), "6bc1bee22e409f96e93d7e117393172a");
	assert_false(aes256_cbc_decrypt(arena, (const uint8_t *)key.ptr, iv, SV("short"), &bytes));
}

static void test_gzip(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	size_t size = 300000;
	char *text = arena_alloc_text(arena, size);
	uLong packed_max = compressBound(size) + 12;
	char *packed = arena_alloc_text(arena, packed_max);
	uint32_t noise = 1;

	for (size_t i = 0; i < size; i++) {
		noise = noise * 1664525 + 1013904223;
		text[i] = (char)(noise >> (i < size / 2 ? 24 : 30));
	}
	/* In one piece, where gzip_size takes it in many. */
	z_stream stream = {.next_in = (Bytef *)text,
	                   .avail_in = (uInt)size,
	                   .next_out = (Bytef *)packed,
	                   .avail_out = (uInt)packed_max};
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
	                 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(gzip_size(arena, sv_from(text, size)), stream.total_out);
	deflateEnd(&stream);
	/* yes 'of contract 1' | head -n 3 | gzip -9 -n */
	static const char member[] =
	    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x4f\x53\x48\xce\xcf\x2b\x29\x4a"
	    "\x4c\x2e\x51\x30\xe4\xca\xc7\xc3\x03\x00\x18\x9b\x65\x32\x2a\x00\x00\x00";
	assert_sv(gzip_open(arena, sv_from(member, sizeof(member) - 1), 42),
	          "of contract 1\nof contract 1\nof contract 1\n");
	/* gzip -n </dev/null | wc -c */
	assert_int_equal(gzip_size(arena, (sv){0}), 20);
	assert_int_equal(adler32_of(SV("Wikipedia")), 0x11e60398);
}

static void test_data_url(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	data_url_add(&buf, (sv){0});
	assert_sv(buf_sv(&buf), "data:,");
	buf.len = 0;
	data_url_add(&buf, SV("<MACHINE_NAME>"));
	assert_sv(buf_sv(&buf), "data:,%3CMACHINE_NAME%3E");
	buf.len = 0;
	data_url_add(&buf, SV("a-_.!~*'() /\n\xc3\xa9&\0"));
	assert_sv(buf_sv(&buf), "data:,a-_.!~*'()%20%2F%0A%C3%A9%26%00");
}

UNIT_TESTS(codec_text)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_base64),         cmocka_unit_test(test_base64_digits),
	    cmocka_unit_test(test_base32_and_hex), cmocka_unit_test(test_digests),
	    cmocka_unit_test(test_gzip),           cmocka_unit_test(test_data_url),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
