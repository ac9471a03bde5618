/*
 * sprig's cryptography that gives the same result each time. (The rest: refused.c.)
 */
#include "codec/codec.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"

/* ---- derivePassword: Master Password, version 1
 * --------------------------------------------------- */

/* A password's shape; each letter stands for a set of characters. */
static const struct shapes {
	sv name;
	const char *shapes[22]; /* ends with null */
} password_types[] = {
    {SV_INIT("maximum"), {"anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"}},
    {SV_INIT("long"),
     {"CvcvnoCvcvCvcv", "CvcvCvcvnoCvcv", "CvcvCvcvCvcvno", "CvccnoCvcvCvcv", "CvccCvcvnoCvcv",
      "CvccCvcvCvcvno", "CvcvnoCvccCvcv", "CvcvCvccnoCvcv", "CvcvCvccCvcvno", "CvcvnoCvcvCvcc",
      "CvcvCvcvnoCvcc", "CvcvCvcvCvccno", "CvccnoCvccCvcv", "CvccCvccnoCvcv", "CvccCvccCvcvno",
      "CvcvnoCvccCvcc", "CvcvCvccnoCvcc", "CvcvCvccCvccno", "CvccnoCvcvCvcc", "CvccCvcvnoCvcc",
      "CvccCvcvCvccno"}},
    {SV_INIT("medium"), {"CvcnoCvc", "CvcCvcno"}},
    {SV_INIT("short"), {"Cvcn"}},
    {SV_INIT("basic"), {"aaanaaan", "aannaaan", "aaannaaa"}},
    {SV_INIT("pin"), {"nnnn"}},
};

static sv characters_of(char letter)
{
	switch (letter) {
	case 'V':
		return SV("AEIOU");
	case 'C':
		return SV("BCDFGHJKLMNPQRSTVWXYZ");
	case 'v':
		return SV("aeiou");
	case 'c':
		return SV("bcdfghjklmnpqrstvwxyz");
	case 'A':
		return SV("AEIOUBCDFGHJKLMNPQRSTVWXYZ");
	case 'a':
		return SV("AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz");
	case 'n':
		return SV("0123456789");
	case 'o':
		return SV("@&%?,=[]_:-+*$#!'^~;()/.");
	case 'x':
		return SV(
		    "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()");
	}
	BUG("letter of a password's shape");
}

#define SCOPE "com.lyndir.masterpassword"

static void add_wire_number(struct buf *buf, uint32_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_add_char(buf, (char)(number >> shift));
}

static enum status fn_derive_password(struct tmpl_call *call)
{
	uint32_t counter = (uint32_t)call->args[0].v->unsigned_integer;
	sv type = arg_string(call, 1);
	sv user = arg_string(call, 3);
	sv site = arg_string(call, 4);
	const struct shapes *shapes = NULL;
	struct buf salt = buf_in(call->arena);
	struct buf message = buf_in(call->arena);
	struct buf password = buf_in(call->arena);
	uint8_t key[64];
	uint8_t seed[32];
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(password_types); i++)
		if (sv_eq(password_types[i].name, type))
			shapes = &password_types[i];
	if (!shapes)
		return tmpl_return_string(
		    call, ARENA_CONCAT(call->arena, SV("cannot find password template "), type));
	/* The work of one derivation, in steps: some 150 ms; and its salt is hashed 64 times. */
	TRY(exec_charge_fixed(call->run, 3000000));
	TRY(exec_charge(call->run, user.len * 64 / EXEC_BYTES_PER_STEP));
	BUF_ADD_LIT(&salt, SCOPE);
	add_wire_number(&salt, (uint32_t)user.len);
	buf_add(&salt, user);
	if (!scrypt_derive(arg_string(call, 2), buf_sv(&salt), 32768, 8, 2, key, sizeof(key)))
		return tmpl_return_string(call, SV("failed to derive password: scrypt"));
	BUF_ADD_LIT(&message, SCOPE);
	add_wire_number(&message, (uint32_t)site.len);
	buf_add(&message, site);
	add_wire_number(&message, counter);
	hmac_sha256(sv_from_bytes(key, sizeof(key)), buf_sv(&message), seed);
	while (shapes->shapes[count])
		count++;
	const char *shape = shapes->shapes[seed[0] % count];
	for (size_t i = 0; shape[i]; i++) {
		sv set = characters_of(shape[i]);
		buf_add_char(&password, set.ptr[seed[i + 1] % set.len]);
	}
	return tmpl_return_string(call, buf_sv(&password));
}

/* ---- decryptAES
 * ------------------------------------------------------------------------------------ */

#define BLOCK 16

static enum status fn_decrypt_aes(struct tmpl_call *call)
{
	sv key_text = arg_string(call, 0);
	sv encoded = arg_string(call, 1);
	uint8_t key[32] = {0};
	size_t at;
	sv bytes;
	sv plain;

	if (encoded.len == 0)
		return tmpl_return_string(call, SV(""));
	if (key_text.len > 0)
		memcpy(key, key_text.ptr, key_text.len < sizeof(key) ? key_text.len : sizeof(key));
	if (!base64_decode(call->arena, BASE64_STD, encoded, &bytes, &at))
		return tmpl_fail(call, "illegal base64 data at input byte %zu", at);
	size_t capacity = encoded.len / 4 * 3;
	if (capacity < BLOCK)
		return tmpl_fail(call,
		                 "runtime error: slice bounds out of range [:16] with capacity %zu",
		                 capacity);
	if (bytes.len < BLOCK)
		return tmpl_fail(call, "runtime error: slice bounds out of range [16:%zu]",
		                 bytes.len);
	sv sealed = sv_from_offset(bytes, BLOCK);
	if (sealed.len % BLOCK != 0)
		return tmpl_fail(call, "crypto/cipher: input not full blocks");
	if (sealed.len == 0)
		return tmpl_fail(call, "runtime error: index out of range [-1]");
	if (!aes256_cbc_decrypt(call->arena, key, (const uint8_t *)bytes.ptr, sealed, &plain))
		return tmpl_fail(call, "decryption failed");
	size_t padding = (unsigned char)plain.ptr[plain.len - 1];
	if (padding > plain.len)
		return tmpl_fail(call, "runtime error: slice bounds out of range [:-%zu]",
		                 padding - plain.len);
	return tmpl_return_string(call, sv_slice(plain, 0, plain.len - padding));
}

/* ---- buildCustomCert --------------------------------------------------------------------- */

static const struct type_field certificate_fields[] = {
    {.name = SV_INIT("Cert"), .type = &type_string, .exported = true},
    {.name = SV_INIT("Key"), .type = &type_string, .exported = true},
};
static const struct type type_certificate = {.kind = KIND_STRUCT,
                                             .name = SV_INIT("sprig.certificate"),
                                             .fields = certificate_fields,
                                             .field_count = COUNT_OF(certificate_fields)};

/* Parsing a key or a certificate. */
#define STEPS_PER_KEY 2000

/* A DSA key is completed by raising a number of its length to another: that is cubic. */
static enum status charge_key(struct tmpl_call *call, size_t len)
{
	size_t words = len / 32;

	return exec_charge(call->run, words < 100000 ? words * words * words : SIZE_MAX);
}

/* COMPAT: there is one message for keys that cannot be parsed, where Go has many. */
static enum status check_private_key(struct tmpl_call *call, sv text)
{
	static const struct {
		sv label;
		enum private_key_form form;
		const char *problem;
	} forms[] = {
	    {SV_INIT("PRIVATE KEY"), PRIVATE_KEY_PKCS8, "decoding PEM as PKCS#8"},
	    {SV_INIT("RSA PRIVATE KEY"), PRIVATE_KEY_RSA, "parsing RSA private key from PEM"},
	    {SV_INIT("EC PRIVATE KEY"), PRIVATE_KEY_EC, "parsing EC private key from PEM"},
	    {SV_INIT("DSA PRIVATE KEY"), PRIVATE_KEY_DSA, "parsing DSA private key from PEM"},
	};
	sv label;
	sv der;

	if (!pem_find(call->arena, text, &label, &der))
		return tmpl_fail(call, "error parsing private key: no PEM data in input");
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (!sv_eq(label, forms[i].label))
			continue;
		TRY(charge_key(call, der.len));
		if (x509_is_private_key(forms[i].form, der))
			return STATUS_OK;
		return tmpl_fail(call, "error parsing private key: %s: malformed key",
		                 forms[i].problem);
	}
	if (!sv_ends_with(label, SV(" PRIVATE KEY")))
		return tmpl_fail(
		    call,
		    "error parsing private key: no private key data in PEM block of type %.*s",
		    SV_ARG(label));
	return tmpl_fail(call, "error parsing private key: invalid private key type %.*s",
	                 SV_ARG(label));
}

/* Each beginning that has no end, or holds no base64, is looked through up to the last end. */
static enum status charge_pem(struct tmpl_call *call, sv text)
{
	const sv mark = SV("-----BEGIN ");
	size_t count = 0;
	size_t at;

	for (sv s = text; (at = sv_find(s, mark)) != SV_NPOS; s = sv_from_offset(s, at + mark.len))
		count++;
	TRY(exec_charge(call->run, STEPS_PER_KEY + count * text.len / EXEC_BYTES_PER_STEP));
	return exec_room(call->run, count * text.len);
}

static enum status fn_build_custom_cert(struct tmpl_call *call)
{
	struct value *fields = ARENA_ARRAY(call->arena, struct value, 2);
	struct value v = {.type = &type_certificate};
	size_t at;
	sv cert;
	sv key;
	sv label;
	sv der;

	if (!base64_decode(call->arena, BASE64_STD, arg_string(call, 0), &cert, &at))
		return tmpl_fail(call, "unable to decode base64 certificate");
	if (!base64_decode(call->arena, BASE64_STD, arg_string(call, 1), &key, &at))
		return tmpl_fail(call, "unable to decode base64 private key");
	TRY(charge_pem(call, cert));
	TRY(charge_pem(call, key));
	if (!pem_find(call->arena, cert, &label, &der))
		return tmpl_fail(call, "unable to decode certificate");
	if (!x509_is_certificate(der))
		return tmpl_fail(call, "error parsing certificate: decodedCert.Bytes: "
		                       "x509: malformed certificate");
	TRY(check_private_key(call, key));
	fields[0] = value_string(cert);
	fields[1] = value_string(key);
	v.fields = fields;
	return tmpl_return(call, v);
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("buildCustomCert", "ss>o", fn_build_custom_cert),
    TMPL_FUNC("decryptAES", "ss>s", fn_decrypt_aes),
    TMPL_FUNC("derivePassword", "ussss>s", fn_derive_password),
};

const struct tmpl_func_table tmpl_funcs_crypto = TMPL_TABLE(funcs);
