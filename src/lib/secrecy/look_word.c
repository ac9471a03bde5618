/*
 * Single words that look like secrets: tokens of known services, and words that look random.
 */
#include "codec/codec.h"
#include "secrecy/look.h"

enum {
	RANDOM_MIXED = 32,
	HEX_SECRET = 32, /* digits of 16 bytes */
	UNIT = 4, /* of a random word: letters of one case, or digits, in a row, on average */
};

/* Letters of one case in a row, or digits; a capital belongs to what follows, as in camelCase. */
static size_t count_units(sv word)
{
	size_t units = 0;
	int before = 0;
	size_t length = 0;

	for (size_t i = 0; i < word.len; i++) {
		uint8_t c = (uint8_t)word.ptr[i];
		int now = ascii_is_digit(c) ? 1 : ascii_is_upper(c) ? 2 : ascii_is_lower(c) ? 3 : 0;

		if (now == 0) {
			before = 0;
			continue;
		}
		if (now != before && !(before == 2 && now == 3 && length == 1)) {
			units++;
			length = 0;
		}
		length++;
		before = now;
	}
	return units;
}

bool look_has_kinds(sv word, bool all)
{
	bool digit = false;
	bool upper = false;
	bool lower = false;

	for (size_t i = 0; i < word.len; i++) {
		digit |= ascii_is_digit((uint8_t)word.ptr[i]);
		upper |= ascii_is_upper((uint8_t)word.ptr[i]);
		lower |= ascii_is_lower((uint8_t)word.ptr[i]);
	}
	return all ? digit && upper && lower : digit && (upper || lower);
}

static bool is_hex(sv word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!ascii_is_hex((uint8_t)word.ptr[i]))
			return false;
	return true;
}

/* Returns true if the word is an encoded string, which is looked at by itself. */
static bool is_encoded_text(struct arena *arena, sv word)
{
	size_t error_at;
	size_t spaces = 0;
	sv bytes;

	word = sv_trim_right(word, "=");
	if (word.len < 24 || (!base64_decode(arena, BASE64_STD_RAW, word, &bytes, &error_at) &&
	                      !base64_decode(arena, BASE64_URL_RAW, word, &bytes, &error_at)))
		return false;
	if (sv_starts_with(bytes, SV("\x1f\x8b")))
		return true;
	for (size_t i = 0; i < bytes.len; i++) {
		uint8_t c = (uint8_t)bytes.ptr[i];

		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f)
			return false;
		spaces += c == ' ' || c == '\n' || c == '{';
	}
	return utf8_valid(bytes) && spaces > 0;
}

static bool is_random_word(sv word)
{
	return word.len >= LOOK_RANDOM_WORD && look_has_kinds(word, false) &&
	       count_units(word) * UNIT >= word.len;
}

static bool is_jwt(sv word)
{
	sv header;
	sv rest;
	sv claims;
	sv signature;

	return sv_starts_with(word, SV("eyJ")) && sv_cut(word, SV("."), &header, &rest) &&
	       sv_cut(rest, SV("."), &claims, &signature) && header.len >= 12 && claims.len >= 2 &&
	       signature.len >= 4;
}

/* "abcdef.0123456789abcdef" */
static bool is_bootstrap_token(sv word)
{
	bool digit = false;

	if (word.len != 23 || word.ptr[6] != '.')
		return false;
	for (size_t i = 0; i < word.len; i++) {
		uint8_t c = (uint8_t)word.ptr[i];

		if (i != 6 && !ascii_is_digit(c) && !ascii_is_lower(c))
			return false;
		digit |= i > 6 && ascii_is_digit(c);
	}
	return digit;
}

static const char *vendor_of(sv word)
{
	static const struct {
		sv prefix;
		size_t least;
		const char *what;
	} vendors[] = {
	    {SV_INIT("ghp_"), 30, "a token of GitHub"},
	    {SV_INIT("gho_"), 30, "a token of GitHub"},
	    {SV_INIT("ghu_"), 30, "a token of GitHub"},
	    {SV_INIT("ghs_"), 30, "a token of GitHub"},
	    {SV_INIT("ghr_"), 30, "a token of GitHub"},
	    {SV_INIT("github_pat_"), 30, "a token of GitHub"},
	    {SV_INIT("glpat-"), 20, "a token of GitLab"},
	    {SV_INIT("gldt-"), 20, "a token of GitLab"},
	    {SV_INIT("glrt-"), 20, "a token of GitLab"},
	    {SV_INIT("xoxb-"), 20, "a token of Slack"},
	    {SV_INIT("xoxp-"), 20, "a token of Slack"},
	    {SV_INIT("xapp-"), 20, "a token of Slack"},
	    {SV_INIT("dckr_pat_"), 20, "a token of Docker Hub"},
	    {SV_INIT("hvs."), 20, "a token of Vault"},
	    {SV_INIT("hvb."), 20, "a token of Vault"},
	    {SV_INIT("npm_"), 30, "a token of npm"},
	    {SV_INIT("pypi-"), 30, "a token of PyPI"},
	    {SV_INIT("dop_v1_"), 30, "a token of DigitalOcean"},
	    {SV_INIT("AIza"), 35, "an API key of Google"},
	    {SV_INIT("ya29."), 20, "a token of Google"},
	    {SV_INIT("sk_live_"), 20, "a key of Stripe"},
	    {SV_INIT("rk_live_"), 20, "a key of Stripe"},
	    {SV_INIT("SG."), 40, "a key of SendGrid"},
	};

	for (size_t i = 0; i < COUNT_OF(vendors); i++)
		if (word.len >= vendors[i].least && sv_starts_with(word, vendors[i].prefix))
			return vendors[i].what;
	if ((sv_starts_with(word, SV("AKIA")) || sv_starts_with(word, SV("ASIA"))) &&
	    look_span(word, 0, "") == 20)
		return "an access key of AWS";
	return NULL;
}

const char *look_at_word(struct arena *arena, sv word, enum secrecy_text_kind kind)
{
	sv bare = sv_trim(word, "./=~-+");

	/* "NAMESPACE/NAME", "metadata.NAME" */
	for (size_t at = 0; at < bare.len; at++) {
		if (!look_is_alnum(bare, at) || (at > 0 && look_is_alnum(bare, at - 1)))
			continue;
		sv part = sv_slice(bare, at, look_span(bare, at, "._-"));
		const char *vendor = vendor_of(part);

		if (vendor)
			return vendor;
		if (is_jwt(part))
			return "a JSON Web Token";
		if (is_bootstrap_token(sv_slice(part, 0, 23)) && !look_is_alnum(part, 23))
			return "a bootstrap token";
	}
	for (size_t at = 0; at < word.len;) {
		size_t end = look_span(word, at, "");
		sv run = sv_slice(word, at, end);

		at = end + 1;
		if (is_hex(run) && run.len >= HEX_SECRET && look_has_kinds(run, false)) {
			if (kind == SECRECY_FIELD)
				return "a long hexadecimal number";
			continue;
		}
		/* Clouds name their objects by random letters of one case. */
		if (is_random_word(run) &&
		    (kind != SECRECY_IDENTIFIER || look_has_kinds(run, true)) && !is_hex(run) &&
		    !is_encoded_text(arena, word) && !is_encoded_text(arena, run))
			return "a random word";
	}
	size_t size = 0;
	for (size_t i = 0; i < bare.len; i++)
		size += ascii_is_alphanumeric((uint8_t)bare.ptr[i]);
	if (size >= RANDOM_MIXED && look_has_kinds(bare, true) && count_units(bare) * 3 >= size &&
	    sv_find_char(bare, '.') == SV_NPOS && !is_encoded_text(arena, word))
		return "a random word";
	return NULL;
}
