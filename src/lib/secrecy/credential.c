/*
 * Recognizes secrets by their name or by their form.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "secrecy/internal.h"

#define WORD_MAX 24 /* a longer string is not a word */

/* ---- strings ----------------------------------------------------------------------------- */

/*
 * Finds user and password of the first URL from offset `from` on (secrecy_find_userinfo).
 */
static bool find_userinfo(sv text, size_t from, size_t *ret_start, size_t *ret_end)
{
	size_t start = from;   /* after the last character that neither of them may have */
	bool password = false; /* a colon since then */

	for (size_t at = from; at < text.len; at++) {
		char c = text.ptr[at];

		if (strchr("/ ,\t\r\n\"'", c)) {
			start = at + 1;
			password = false;
		}
		password |= c == ':';
		if (c != '@' || start == at)
			continue;
		bool scheme = sv_ends_with(sv_slice(text, 0, start), SV("//"));
		bool at_start = start == 0 || text.ptr[start - 1] != '/';
		/* An "@" also precedes an image's digest, and occurs in a shell's ${x[@]}. */
		bool other =
		    sv_starts_with(sv_from_offset(text, at), SV("@sha")) || text.ptr[at - 1] == '[';

		if (scheme || (password && at_start && !other)) {
			*ret_start = start;
			*ret_end = at;
			return true;
		}
	}
	return false;
}

bool secrecy_find_userinfo(sv text, size_t from, size_t *ret_start, size_t *ret_end)
{
	size_t end;

	if (!find_userinfo(text, from, ret_start, &end))
		return false;
	for (size_t i = end + 1; i < text.len && !strchr("/?# ,\t\r\n\"'", text.ptr[i]); i++)
		if (text.ptr[i] == '@')
			end = i;
	*ret_end = end;
	return true;
}

bool secrecy_holds_userinfo(sv text)
{
	size_t start;
	size_t end;

	return find_userinfo(text, 0, &start, &end);
}

sv secrecy_mask_userinfo(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);
	size_t done = 0;
	size_t start;
	size_t end;

	while (secrecy_find_userinfo(text, done, &start, &end)) {
		buf_add(&buf, sv_slice(text, done, start));
		BUF_ADD_LIT(&buf, "***");
		done = end;
	}
	buf_add(&buf, sv_from_offset(text, done));
	return buf_sv(&buf);
}

/* Returns true if the part of a URL before its last "@" has only what RFC 3986 allows there. */
static bool is_clean_userinfo(sv userinfo)
{
	for (size_t i = 0; i < userinfo.len; i++) {
		char c = userinfo.ptr[i];

		if (c == '%' && i + 2 < userinfo.len && ascii_is_hex(userinfo.ptr[i + 1]) &&
		    ascii_is_hex(userinfo.ptr[i + 2]))
			i += 2;
		else if (!ascii_is_alphanumeric((unsigned char)c) &&
		         !ascii_is_any(c, "-._~!$&()*+;=:@"))
			return false;
	}
	return userinfo.len > 0;
}

/* Returns true for "http:USER:PASSWORD@HOST", which lacks its slashes. */
static bool begins_with_bare_scheme(sv url)
{
	static const sv schemes[] = {SV_INIT("http"), SV_INIT("https"), SV_INIT("socks5")};
	sv first = sv_slice(url, 0, sv_find_char(url, ':'));

	for (size_t i = 0; i < COUNT_OF(schemes); i++)
		if (sv_eq_fold_ascii(first, schemes[i]))
			return true;
	return false;
}

bool secrecy_userinfo_is_unclear(sv url)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	size_t last = sv_rfind_char(url, '@');
	size_t scheme = sv_find(url, SV("://"));
	bool has_scheme = scheme < last;
	size_t start = has_scheme ? scheme + strlen("://") : 0;
	size_t ignored;
	struct url parsed;
	sv error;

	if (last == SV_NPOS)
		return false;
	if (last < start || !is_clean_userinfo(sv_slice(url, start, last)) ||
	    !secrecy_find_userinfo(url, 0, &ignored, &ignored))
		return true;
	if (has_scheme)
		return !go_url_parse(arena, url, &parsed, &error) || sv_empty(parsed.host);
	return begins_with_bare_scheme(url) ||
	       !go_url_parse(arena, ARENA_CONCAT(arena, SV("http://"), url), &parsed, &error) ||
	       sv_empty(parsed.host);
}

/*
 * Returns true if a line contains the "@" of a host after a colon of "USER:PASSWORD". A key's colon
 * has a blank after it, a scheme's a slash. A shell's "$@" and "[@]" have no host after them.
 */
static bool line_may_hold_userinfo(sv line)
{
	size_t last = sv_rfind_char(line, '@');

	if (last == SV_NPOS || last == 0 || last + 1 == line.len ||
	    !(ascii_is_alphanumeric((unsigned char)line.ptr[last + 1]) ||
	      line.ptr[last + 1] == '[') ||
	    sv_starts_with(sv_from_offset(line, last), SV("@sha")) ||
	    sv_starts_with(sv_trim_space(line), SV("#")))
		return false;
	for (size_t i = 0; i + 1 < last; i++)
		if (line.ptr[i] == ':' && !ascii_is_any(line.ptr[i + 1], " \t/"))
			return true;
	return false;
}

bool secrecy_may_hold_userinfo(sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	if (secrecy_holds_userinfo(text))
		return true;
	while (sv_split_next(&lines, &line))
		if (line_may_hold_userinfo(line))
			return true;
	return false;
}

bool secrecy_holds_private_key(sv text)
{
	return sv_contains(text, SV("PRIVATE KEY-----")) ||
	       sv_contains(text, SV("PRIVATE KEY BLOCK-----")) ||
	       sv_contains(text, SV("AGE-SECRET-KEY-")) || sv_contains(text, SV("OSMGEN-SEED-1"));
}

bool secrecy_is_certificates(struct arena *arena, sv text)
{
	const sv end = SV("-----END CERTIFICATE-----");
	sv label;
	sv der;
	size_t at;

	for (text = sv_trim_space(text);; text = sv_trim_space(text)) {
		at = sv_find(text, end);
		if (!sv_starts_with(text, SV("-----BEGIN CERTIFICATE-----")) || at == SV_NPOS ||
		    !pem_find(arena, sv_slice(text, 0, at + end.len), &label, &der) ||
		    !x509_is_certificate(der))
			return false;
		text = sv_from_offset(text, at + end.len);
		if (sv_empty(sv_trim_space(text)))
			return true;
	}
}

static bool all_of(sv s, const char *set)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\0' || !strchr(set, s.ptr[i]))
			return false;
	}
	return true;
}

#define DIGITS     "0123456789"
#define LOWER      "abcdefghijklmnopqrstuvwxyz"
#define UPPER      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define JWT_SHORT  100 /* a signed token is never shorter: header, claims, 32 bytes of signature */
#define HEX_RANDOM 32  /* digits of 16 bytes */

bool secrecy_is_random(sv text)
{
	sv id;
	sv rest;

	if (sv_cut(text, SV("."), &id, &rest) && id.len == 6 && rest.len == 16)
		return all_of(id, DIGITS LOWER) && all_of(rest, DIGITS LOWER);
	if (text.len >= JWT_SHORT && sv_starts_with(text, SV("ey")) &&
	    sv_find_char(rest, '.') != SV_NPOS)
		return all_of(text, DIGITS LOWER UPPER "-_.");
	return text.len >= HEX_RANDOM &&
	       (all_of(text, DIGITS "abcdef") || all_of(text, DIGITS "ABCDEF"));
}

bool secrecy_is_public_url(sv text)
{
	size_t start = sv_find(text, SV("://"));

	if (start == SV_NPOS || sv_find_char(text, '\n') != SV_NPOS)
		return false;
	sv rest = sv_from_offset(text, start + 3);
	size_t slash = sv_find_char(rest, '/');
	/* A path or a query may be what opens the door: chat services' hooks are such. */
	return sv_find_char(rest, '@') == SV_NPOS && sv_find_char(rest, '?') == SV_NPOS &&
	       (slash == SV_NPOS || slash + 1 == rest.len);
}

bool secrecy_is_public_word(const struct secrecy_public *public, sv text)
{
	if (text.len > WORD_MAX)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(ascii_is_letter(c) || c == '-' || c == '.'))
			return false;
	}
	for (size_t i = 0; i < public->count; i++)
		if (sv_contains(public->texts[i], text))
			return true;
	return false;
}

/* ---- names ------------------------------------------------------------------------------- */

bool secrecy_is_public_key(sv key)
{
	static const sv names[] = {
	    SV_INIT("ca.crt"),       SV_INIT("tls.crt"),     SV_INIT("namespace"),
	    SV_INIT("username"),     SV_INIT("user"),        SV_INIT("token-id"),
	    SV_INIT("description"),  SV_INIT("expiration"),  SV_INIT("auth-extra-groups"),
	    SV_INIT("name"),         SV_INIT("server"),      SV_INIT("type"),
	    SV_INIT("identity.pub"), SV_INIT("known_hosts"),
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_eq(key, names[i]))
			return true;
	return sv_starts_with(key, SV("usage-bootstrap-"));
}

/* A name as encoding/json folds it, without - and _; only the end of a very long one. */
struct folded {
	char text[128];
	size_t len;
};

static sv fold_name(struct folded *out, sv name)
{
	if (name.len > sizeof(out->text))
		name = sv_from_offset(name, name.len - sizeof(out->text));
	out->len = 0;
	while (!sv_empty(name)) {
		char c = go_json_take_folded(&name);

		if (c != '-' && c != '_')
			out->text[out->len++] = c;
	}
	return sv_from(out->text, out->len);
}

/* Returns true if one of the words is in the name. Most letters of a name begin no word. */
static bool has_any(sv name, const sv *words, size_t count)
{
	uint32_t initials = 0;

	for (size_t i = 0; i < count; i++)
		initials |= 1u << (words[i].ptr[0] - 'a');
	for (size_t at = 0; at < name.len; at++) {
		char c = name.ptr[at];

		if (!ascii_is_lower(c) || !(initials >> (c - 'a') & 1))
			continue;
		for (size_t i = 0; i < count; i++)
			if (words[i].ptr[0] == c &&
			    sv_starts_with(sv_from_offset(name, at), words[i]))
				return true;
	}
	return false;
}

static bool ends_with_any(sv name, const sv *endings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_ends_with(name, endings[i]))
			return true;
	return false;
}

bool secrecy_names_reference(sv name)
{
	return go_json_key_is(name, SV("secretKeyRef")) ||
	       go_json_key_is(name, SV("configMapKeyRef"));
}

bool secrecy_names_credential(sv name)
{
	/* A name with one of these words means a credential... */
	static const sv words[] = {
	    SV_INIT("password"),   SV_INIT("passwd"),        SV_INIT("passphrase"),
	    SV_INIT("passcode"),   SV_INIT("secret"),        SV_INIT("token"),
	    SV_INIT("credential"), SV_INIT("kubeconfig"),    SV_INIT("dockerconfig"),
	    SV_INIT("privatekey"), SV_INIT("authorization"), SV_INIT("bearer"),
	    SV_INIT("cookie"),
	};
	/* ...unless it ends with one of these, which describe it. */
	static const sv about[] = {
	    SV_INIT("name"),   SV_INIT("names"),  SV_INIT("namespace"),  SV_INIT("ref"),
	    SV_INIT("id"),     SV_INIT("url"),    SV_INIT("uri"),        SV_INIT("path"),
	    SV_INIT("file"),   SV_INIT("type"),   SV_INIT("policy"),     SV_INIT("version"),
	    SV_INIT("ttl"),    SV_INIT("expiry"), SV_INIT("expiration"), SV_INIT("mode"),
	    SV_INIT("length"), SV_INIT("size"),   SV_INIT("enabled"),
	};
	static const sv endings[] = {
	    SV_INIT("key"),       SV_INIT("keys"),  SV_INIT("keypem"),         SV_INIT("keydata"),
	    SV_INIT("keybase64"), SV_INIT("creds"), SV_INIT("serviceaccount"),
	};
	static const sv public_endings[] = {
	    SV_INIT("publickey"),
	    SV_INIT("publickeys"),
	    SV_INIT("sshkey"),
	    SV_INIT("sshkeys"),
	};
	static const sv whole[] = {
	    SV_INIT("pass"), SV_INIT("pwd"), SV_INIT("pw"),
	    SV_INIT("overwritecloudconfig"), /* it contains cloud credentials */
	};
	struct folded buffer;
	sv folded = fold_name(&buffer, name);

	if (ends_with_any(folded, public_endings, COUNT_OF(public_endings)))
		return false;
	if (has_any(folded, words, COUNT_OF(words)))
		return !ends_with_any(folded, about, COUNT_OF(about));
	for (size_t i = 0; i < COUNT_OF(whole); i++)
		if (sv_eq(folded, whole[i]))
			return true;
	return ends_with_any(folded, endings, COUNT_OF(endings));
}
