/*
 * Lines of OpenSSH's authorized_keys as golang.org/x/crypto/ssh reads them (ParseAuthorizedKey):
 * the public keys and certificates of RFC 4253 6.6, RFC 5656 3.1, RFC 8709 4, OpenSSH's
 * PROTOCOL.u2f and PROTOCOL.certkeys.
 *
 * COMPAT: the word before the base64 text is not looked at. The bytes name their type.
 */
#include "codec/codec.h"
#include "golang/golang.h"

enum key_form { FORM_RSA, FORM_DSA, FORM_ECDSA, FORM_SK_ECDSA, FORM_ED25519, FORM_SK_ED25519 };

struct key_type {
	sv name;
	sv certificate; /* the name of a certificate of such a key */
	enum key_form form;
};

static const struct key_type key_types[] = {
    {SV_INIT("ssh-rsa"), SV_INIT("ssh-rsa-cert-v01@openssh.com"), FORM_RSA},
    {SV_INIT("ssh-dss"), SV_INIT("ssh-dss-cert-v01@openssh.com"), FORM_DSA},
    {SV_INIT("ecdsa-sha2-nistp256"), SV_INIT("ecdsa-sha2-nistp256-cert-v01@openssh.com"),
     FORM_ECDSA},
    {SV_INIT("ecdsa-sha2-nistp384"), SV_INIT("ecdsa-sha2-nistp384-cert-v01@openssh.com"),
     FORM_ECDSA},
    {SV_INIT("ecdsa-sha2-nistp521"), SV_INIT("ecdsa-sha2-nistp521-cert-v01@openssh.com"),
     FORM_ECDSA},
    {SV_INIT("sk-ecdsa-sha2-nistp256@openssh.com"),
     SV_INIT("sk-ecdsa-sha2-nistp256-cert-v01@openssh.com"), FORM_SK_ECDSA},
    {SV_INIT("ssh-ed25519"), SV_INIT("ssh-ed25519-cert-v01@openssh.com"), FORM_ED25519},
    {SV_INIT("sk-ssh-ed25519@openssh.com"), SV_INIT("sk-ssh-ed25519-cert-v01@openssh.com"),
     FORM_SK_ED25519},
};

enum { ED25519_BYTES = 32, RSA_MAX_BITS = 8192, EXPONENT_MAX_BITS = 24 };
enum { DSA_P_BITS = 1024, DSA_Q_BITS = 160 }; /* FIPS 186-2 */

/* ---- the wire (RFC 4251 5) --------------------------------------------------------------- */

static bool take_bytes(sv *in, size_t count, sv *ret_bytes)
{
	if (in->len < count)
		return false;
	*ret_bytes = sv_slice(*in, 0, count);
	*in = sv_from_offset(*in, count);
	return true;
}

static bool take_wire_string(sv *in, sv *ret_string)
{
	sv size;

	if (!take_bytes(in, 4, &size))
		return false;
	const unsigned char *b = (const unsigned char *)size.ptr;
	return take_bytes(in, (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3],
	                  ret_string);
}

/* A number as its bytes, most significant first, without leading zeros. */
struct magnitude {
	sv bytes;
	bool is_negative;
};

static bool take_magnitude(sv *in, struct magnitude *ret_number)
{
	sv bytes;

	if (!take_wire_string(in, &bytes))
		return false;
	ret_number->is_negative = bytes.len > 0 && ((unsigned char)bytes.ptr[0] & 0x80) != 0;
	while (bytes.len > 0 && bytes.ptr[0] == 0)
		bytes = sv_from_offset(bytes, 1);
	ret_number->bytes = bytes;
	return true;
}

/* The bits of a negative number's absolute value: those of its two's complement. */
static size_t count_negative_bits(sv bytes)
{
	size_t at = 0;
	bool is_power = true; /* two's complement: -2^n needs one bit less than 2^n */

	while (at < bytes.len && (unsigned char)bytes.ptr[at] == 0xff)
		at++;
	if (at == bytes.len)
		return 1;
	unsigned first = ~(unsigned)(unsigned char)bytes.ptr[at] & 0xff;
	size_t count = (bytes.len - at) * 8;
	for (unsigned bit = 0x80; bit && !(first & bit); bit >>= 1)
		count--;
	/* The complement and one: a carry out of the top makes it longer. */
	if ((first & (first + 1)) != 0)
		is_power = false;
	for (size_t i = at + 1; i < bytes.len; i++)
		is_power = is_power && bytes.ptr[i] == 0;
	return count + (is_power ? 1 : 0);
}

static size_t count_bits(const struct magnitude *number)
{
	size_t count = number->bytes.len * 8;

	if (number->is_negative)
		return count_negative_bits(number->bytes);
	if (count == 0)
		return 0;
	for (unsigned first = (unsigned char)number->bytes.ptr[0]; !(first & 0x80); first <<= 1)
		count--;
	return count;
}

/* Above zero and below limit, neither of which is negative. */
static bool is_inside(const struct magnitude *number, const struct magnitude *limit)
{
	if (number->is_negative || number->bytes.len == 0)
		return false;
	if (number->bytes.len != limit->bytes.len)
		return number->bytes.len < limit->bytes.len;
	return memcmp(number->bytes.ptr, limit->bytes.ptr, limit->bytes.len) < 0;
}

/* ---- keys -------------------------------------------------------------------------------- */

static bool take_rsa(sv *in)
{
	struct magnitude e;
	struct magnitude n;

	if (!take_magnitude(in, &e) || !take_magnitude(in, &n))
		return false;
	if (count_bits(&n) > RSA_MAX_BITS || e.is_negative || count_bits(&e) > EXPONENT_MAX_BITS)
		return false;
	/* 3 at least, and odd. */
	return e.bytes.len > 0 && (e.bytes.len > 1 || (unsigned char)e.bytes.ptr[0] >= 3) &&
	       (e.bytes.ptr[e.bytes.len - 1] & 1) != 0;
}

static bool take_dsa(sv *in)
{
	struct magnitude p;
	struct magnitude q;
	struct magnitude g;
	struct magnitude y;

	if (!take_magnitude(in, &p) || !take_magnitude(in, &q) || !take_magnitude(in, &g) ||
	    !take_magnitude(in, &y))
		return false;
	/* COMPAT: q may be negative. */
	return !p.is_negative && count_bits(&p) == DSA_P_BITS && count_bits(&q) == DSA_Q_BITS &&
	       is_inside(&g, &p) && is_inside(&y, &p);
}

static bool take_ecdsa(sv *in, bool is_sk)
{
	static const sv curves[] = {
	    [CURVE_P256] = SV_INIT("nistp256"),
	    [CURVE_P384] = SV_INIT("nistp384"),
	    [CURVE_P521] = SV_INIT("nistp521"),
	};
	sv curve;
	sv point;
	sv application;

	if (!take_wire_string(in, &curve) || !take_wire_string(in, &point) ||
	    (is_sk && !take_wire_string(in, &application)))
		return false;
	for (size_t i = 0; i < (is_sk ? 1 : COUNT_OF(curves)); i++)
		if (sv_eq(curve, curves[i]))
			return curve_has_point((enum curve_kind)i, point);
	return false;
}

static bool take_ed25519(sv *in, bool is_sk)
{
	sv bytes;
	sv application;

	return take_wire_string(in, &bytes) && (!is_sk || take_wire_string(in, &application)) &&
	       bytes.len == ED25519_BYTES;
}

static bool take_public_key(sv *in, enum key_form form)
{
	switch (form) {
	case FORM_RSA:
		return take_rsa(in);
	case FORM_DSA:
		return take_dsa(in);
	case FORM_ECDSA:
	case FORM_SK_ECDSA:
		return take_ecdsa(in, form == FORM_SK_ECDSA);
	case FORM_ED25519:
	case FORM_SK_ED25519:
		return take_ed25519(in, form == FORM_SK_ED25519);
	}
	return false;
}

/* The bytes of a key and nothing else, which a certificate's signer must have. */
static enum ssh_key_mistake check_plain(sv in)
{
	sv name;

	if (!take_wire_string(&in, &name))
		return SSH_KEY_DAMAGED;
	for (size_t i = 0; i < COUNT_OF(key_types); i++)
		if (sv_eq(name, key_types[i].name))
			return take_public_key(&in, key_types[i].form) && in.len == 0
			           ? SSH_KEY_FINE
			           : SSH_KEY_DAMAGED;
	return SSH_KEY_TYPE;
}

/* ---- certificates ------------------------------------------------------------------------ */

/* Names in order, each with nothing, or with one string inside a string. */
static bool are_options(sv in)
{
	sv last = SV("");

	for (bool is_first = true; in.len > 0; is_first = false) {
		sv name;
		sv value;
		sv inner;

		if (!take_wire_string(&in, &name) || (!is_first && sv_cmp(name, last) <= 0) ||
		    !take_wire_string(&in, &value))
			return false;
		if (value.len > 0 && (!take_wire_string(&value, &inner) || value.len > 0))
			return false;
		last = name;
	}
	return true;
}

static bool are_strings(sv in)
{
	sv string;

	while (in.len > 0)
		if (!take_wire_string(&in, &string))
			return false;
	return true;
}

static bool is_signature(sv in)
{
	sv format;
	sv blob;

	if (!take_wire_string(&in, &format) || !take_wire_string(&in, &blob))
		return false;
	/* Keys in hardware have flags and a counter, too. */
	for (size_t i = 0; i < COUNT_OF(key_types); i++) {
		const struct key_type *type = &key_types[i];

		if ((type->form == FORM_SK_ECDSA || type->form == FORM_SK_ED25519) &&
		    (sv_eq(format, type->name) || sv_eq(format, type->certificate)))
			return true;
	}
	return in.len == 0;
}

static bool is_certificate(sv in, enum key_form form)
{
	sv nonce;
	sv serial_and_type;
	sv id;
	sv principals;
	sv validity;
	sv critical;
	sv extensions;
	sv reserved;
	sv signer;
	sv signature;

	if (!take_wire_string(&in, &nonce) || !take_public_key(&in, form) ||
	    !take_bytes(&in, 8 + 4, &serial_and_type) || !take_wire_string(&in, &id) ||
	    !take_wire_string(&in, &principals) || !take_bytes(&in, 8 + 8, &validity) ||
	    !take_wire_string(&in, &critical) || !take_wire_string(&in, &extensions) ||
	    !take_wire_string(&in, &reserved) || !take_wire_string(&in, &signer) ||
	    !take_wire_string(&in, &signature) || in.len > 0)
		return false;
	return are_strings(principals) && are_options(critical) && are_options(extensions) &&
	       check_plain(signer) == SSH_KEY_FINE && is_signature(signature);
}

/* ---- lines ------------------------------------------------------------------------------- */

static enum ssh_key_mistake check_bytes(sv bytes)
{
	sv in = bytes;
	sv name;

	if (!take_wire_string(&in, &name))
		return SSH_KEY_DAMAGED;
	for (size_t i = 0; i < COUNT_OF(key_types); i++)
		if (sv_eq(name, key_types[i].certificate))
			return is_certificate(in, key_types[i].form) ? SSH_KEY_FINE
			                                             : SSH_KEY_DAMAGED;
	return check_plain(bytes);
}

static bool is_key_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Where the first blank is; the length if there is none. */
static size_t find_blank(sv text)
{
	size_t at = 0;

	while (at < text.len && !is_key_blank(text.ptr[at]))
		at++;
	return at;
}

/* The text after the key's type: base64, and perhaps a comment. */
static enum ssh_key_mistake check_words(struct arena *arena, sv words)
{
	size_t at;
	sv bytes;

	words = go_trim_space(words);
	if (!base64_decode(arena, BASE64_STD, sv_slice(words, 0, find_blank(words)), &bytes, &at))
		return SSH_KEY_NO_BASE64;
	return check_bytes(bytes);
}

/* Skips a line's options, which may have blanks in quotes. */
static sv skip_options(sv line)
{
	bool is_quoted = false;
	size_t at;

	for (at = 0; at < line.len && (is_quoted || !is_key_blank(line.ptr[at])); at++)
		if (line.ptr[at] == '"' && (at == 0 || line.ptr[at - 1] != '\\'))
			is_quoted = !is_quoted;
	while (at < line.len && is_key_blank(line.ptr[at]))
		at++;
	return sv_from_offset(line, at);
}

static enum ssh_key_mistake check_line(struct arena *arena, sv line)
{
	size_t blank = find_blank(line);

	if (line.len == 0 || line.ptr[0] == '#' || blank == line.len)
		return SSH_KEY_NO_LINE;
	enum ssh_key_mistake mistake = check_words(arena, sv_from_offset(line, blank));
	if (mistake == SSH_KEY_FINE)
		return mistake;
	sv rest = skip_options(line);
	blank = find_blank(rest);
	if (blank == rest.len)
		return mistake;
	enum ssh_key_mistake second = check_words(arena, sv_from_offset(rest, blank));
	return second == SSH_KEY_NO_BASE64 ? mistake : second;
}

enum ssh_key_mistake go_ssh_key_check(struct arena *arena, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	enum ssh_key_mistake mistake = SSH_KEY_NO_LINE;
	sv line;

	while (sv_split_next(&lines, &line)) {
		size_t end = sv_find_char(line, '\r');

		if (end != SV_NPOS)
			line = sv_slice(line, 0, end);
		enum ssh_key_mistake found = check_line(arena, go_trim_space(line));
		if (found == SSH_KEY_FINE)
			return found;
		if (found != SSH_KEY_NO_LINE)
			mistake = found;
	}
	return mistake;
}
