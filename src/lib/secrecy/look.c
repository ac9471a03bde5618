/*
 * Strings that look like secrets, for callers that are about to write a string in the clear. It
 * prefers false positives to a published token.
 */
#include "codec/codec.h"
#include "secrecy/internal.h"

enum {
	RANDOM_WORD = 20, /* letters and digits: a shorter one may be a name with a number */
	RANDOM_MIXED = 32,
	HEX_SECRET = 32, /* digits of 16 bytes */
	UNIT = 4, /* of a random word: letters of one case, or digits, in a row, on average */
	UUID_SIZE = 36,
	SHORTEST_VALUE = 4,
	SHORTEST_LITERAL = 8,
	AFTER_NAME = 48, /* between "name: PASSWORD" and its "value:" */
};

struct looking {
	struct arena *arena;
	enum secrecy_text_kind kind;
	struct secrecy_finding found;
};

static bool is_alnum(sv text, size_t at)
{
	return at < text.len && ascii_is_alphanumeric((uint8_t)text.ptr[at]);
}

static bool is_one_of(sv text, size_t at, const char *set)
{
	return at < text.len && text.ptr[at] != '\0' && strchr(set, text.ptr[at]);
}

static size_t span(sv text, size_t from, const char *more)
{
	size_t end = from;

	while (is_alnum(text, end) || is_one_of(text, end, more))
		end++;
	return end;
}

/* ---- what is public ---------------------------------------------------------------------- */

static bool is_uuid(sv text, size_t at)
{
	for (size_t i = 0; i < UUID_SIZE; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (at + i >= text.len ||
		    (is_dash ? text.ptr[at + i] != '-' : !ascii_is_hex((uint8_t)text.ptr[at + i])))
			return false;
	}
	return !is_alnum(text, at + UUID_SIZE) && (at == 0 || !is_alnum(text, at - 1));
}

/* "sha256:" and 64 digits, an image's digest. */
static size_t digest_end(sv text, size_t at)
{
	static const sv names[] = {SV_INIT("sha256:"), SV_INIT("sha512:"), SV_INIT("sha1:"),
	                           SV_INIT("sha256-"), SV_INIT("sha512-"), SV_INIT("md5:"),
	                           SV_INIT("MD5:"),    SV_INIT("SHA256:")};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (sv_starts_with(sv_from_offset(text, at), names[i]))
			return span(text, at + names[i].len, "+/=:");
	return 0;
}

/* "age1...", somebody's public key. */
static size_t recipient_end(sv text, size_t at)
{
	size_t end = span(text, at, "");

	return sv_starts_with(sv_from_offset(text, at), SV("age1")) && end - at == 62 ? end : 0;
}

/*
 * "ssh-ed25519 AAAA...": the blob repeats the type, as RFC 4253 section 6.6 has it; a private key's
 * blob, or any other text, does not.
 */
static size_t ssh_key_end(struct arena *arena, sv text, size_t at)
{
	size_t type_end = span(text, at, "-@.");
	sv type = sv_slice(text, at, type_end);
	size_t error_at;
	sv blob;

	if (!(sv_starts_with(type, SV("ssh-")) || sv_starts_with(type, SV("ecdsa-")) ||
	      sv_starts_with(type, SV("sk-"))) ||
	    !is_one_of(text, type_end, " "))
		return 0;
	size_t end = span(text, type_end + 1, "+/=");
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

/* A copy with blanks in place of what is public though it looks random. */
static sv without_public(struct arena *arena, sv text)
{
	char *copy = arena_alloc_text(arena, text.len + 1);

	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	for (size_t at = 0; at < text.len;) {
		char c = text.ptr[at];
		size_t end = 0;

		if (ascii_is_hex((uint8_t)c) && is_uuid(text, at))
			end = at + UUID_SIZE;
		else if (at > 0 && is_alnum(text, at - 1))
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

/* ---- words ------------------------------------------------------------------------------- */

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

static bool has_kinds(sv word, bool all)
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
	return word.len >= RANDOM_WORD && has_kinds(word, false) &&
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
	    span(word, 0, "") == 20)
		return "an access key of AWS";
	return NULL;
}

/* Classifies a word of [A-Za-z0-9._+/~-]; returns a description, or null. */
static const char *what_word_is(struct arena *arena, sv word, enum secrecy_text_kind kind)
{
	sv bare = sv_trim(word, "./=~-+");

	/* "NAMESPACE/NAME", "metadata.NAME" */
	for (size_t at = 0; at < bare.len; at++) {
		if (!is_alnum(bare, at) || (at > 0 && is_alnum(bare, at - 1)))
			continue;
		sv part = sv_slice(bare, at, span(bare, at, "._-"));
		const char *vendor = vendor_of(part);

		if (vendor)
			return vendor;
		if (is_jwt(part))
			return "a JSON Web Token";
		if (is_bootstrap_token(sv_slice(part, 0, 23)) && !is_alnum(part, 23))
			return "a bootstrap token";
	}
	for (size_t at = 0; at < word.len;) {
		size_t end = span(word, at, "");
		sv run = sv_slice(word, at, end);

		at = end + 1;
		if (is_hex(run) && run.len >= HEX_SECRET && has_kinds(run, false)) {
			if (kind == SECRECY_FIELD)
				return "a long hexadecimal number";
			continue;
		}
		/* Clouds name their objects by random letters of one case. */
		if (is_random_word(run) && (kind != SECRECY_IDENTIFIER || has_kinds(run, true)) &&
		    !is_hex(run) && !is_encoded_text(arena, word) && !is_encoded_text(arena, run))
			return "a random word";
	}
	size_t size = 0;
	for (size_t i = 0; i < bare.len; i++)
		size += ascii_is_alphanumeric((uint8_t)bare.ptr[i]);
	if (size >= RANDOM_MIXED && has_kinds(bare, true) && count_units(bare) * 3 >= size &&
	    sv_find_char(bare, '.') == SV_NPOS && !is_encoded_text(arena, word))
		return "a random word";
	return NULL;
}

/* ---- values after names ------------------------------------------------------------------ */

#define NAMED_VALUE "a value after a credential's name"

static size_t skip(sv text, size_t at, const char *set)
{
	while (is_one_of(text, at, set))
		at++;
	return at;
}

/* A value as people and formats delimit it. */
static sv value_at(sv text, size_t at)
{
	size_t start = skip(text, at, " \t\\");
	size_t end;

	if (is_one_of(text, start, "\"'")) {
		char quote = text.ptr[start++];

		for (end = start; end < text.len && text.ptr[end] != quote; end++)
			;
		return sv_trim_right(sv_slice(text, start, end), "\\");
	}
	for (end = start; end < text.len && !strchr(" \t\r\n,;\"'`|<>&", text.ptr[end]); end++)
		;
	sv value = sv_slice(text, start, end);
	return sv_contains(value, SV("{{")) ? value : sv_trim_right(value, "}])\\");
}

static bool is_filled_in(sv value)
{
	return sv_contains(value, SV("{{")) || sv_find_char(value, '$') != SV_NPOS ||
	       sv_starts_with(value, SV("<")) || sv_starts_with(value, SV("***"));
}

/* Returns true if the value after a credential's name may be a password. */
static bool is_credential_value(sv value, enum secrecy_text_kind kind)
{
	static const sv none[] = {SV_INIT("none"),   SV_INIT("null"),     SV_INIT("true"),
	                          SV_INIT("false"),  SV_INIT("disabled"), SV_INIT("enabled"),
	                          SV_INIT("Bearer"), SV_INIT("Basic")};

	if (value.len < SHORTEST_VALUE || is_filled_in(value) || value.ptr[0] == '/' ||
	    (sv_contains(value, SV("://")) && !secrecy_holds_userinfo(value)))
		return false;
	for (size_t i = 0; i < COUNT_OF(none); i++)
		if (sv_eq(value, none[i]))
			return false;
	if (kind != SECRECY_PROGRAM)
		return true;
	return value.len >= SHORTEST_LITERAL && has_kinds(value, false) &&
	       sv_find_char(value, '(') == SV_NPOS && sv_find_char(value, '[') == SV_NPOS;
}

/* "name: DB_PASSWORD", whose value follows under a key of its own. */
static size_t value_key_after(sv text, size_t at)
{
	sv near = sv_slice(text, at, at + AFTER_NAME);
	size_t found = sv_find(near, SV("value"));

	if (found == SV_NPOS || sv_find_char(sv_slice(near, 0, found), '=') != SV_NPOS)
		return SV_NPOS;
	size_t end = skip(text, at + found + strlen("value"), "\"'\\ \t");
	return is_one_of(text, end, ":=") ? end + 1 : SV_NPOS;
}

/* Where the value of the name text[start, end) begins; SV_NPOS: it has none. */
static size_t value_start(sv text, size_t start, size_t end)
{
	size_t at = skip(text, end, "\"'\\ \t");

	if (is_one_of(text, at, ":="))
		return skip(text, at, ":=>");
	if (start > 0 && text.ptr[start - 1] == '-' && is_one_of(text, end, " "))
		return end;
	return value_key_after(text, end);
}

/* Looks at the last part of a dotted name. */
static bool means_credential(sv name)
{
	sv last = sv_trim_right(sv_after_last(name, '.'), "-");

	return secrecy_names_credential(sv_empty(last) ? name : last);
}

static bool find_named(struct looking *l, sv text, size_t *ret_at)
{
	for (size_t at = 0; at < text.len;) {
		size_t start = skip(text, at, "-");
		size_t end = span(text, start, "_.-");

		if (end == start) {
			at = start + 1;
			continue;
		}
		at = end;
		sv name = sv_slice(text, start, end);
		if (!means_credential(name))
			continue;
		size_t value = value_start(text, start, end);
		if (value == SV_NPOS || !is_credential_value(value_at(text, value), l->kind))
			continue;
		*ret_at = start;
		return true;
	}
	return false;
}

/* "Bearer TOKEN", "Basic BASE64" */
static bool find_scheme(const struct looking *l, sv text, size_t *ret_at)
{
	static const sv schemes[] = {SV_INIT("earer "), SV_INIT("asic "), SV_INIT("EARER "),
	                             SV_INIT("Token token=")};
	size_t least = l->kind == SECRECY_PROGRAM ? 12 : SHORTEST_LITERAL;

	for (size_t i = 0; i < COUNT_OF(schemes); i++)
		for (size_t at = sv_find(text, schemes[i]); at != SV_NPOS;) {
			size_t from = at + schemes[i].len;
			size_t end = span(text, from, "._+/~-");
			sv value = sv_slice(text, from, end);

			if (value.len >= least && has_kinds(value, false)) {
				*ret_at = from;
				return true;
			}
			size_t next = sv_find(sv_from_offset(text, from), schemes[i]);
			at = next == SV_NPOS ? SV_NPOS : from + next;
		}
	return false;
}

/* "$6$SALT$HASH", as crypt(5) writes passwords. */
static bool find_hash(sv text, size_t *ret_at)
{
	static const sv methods[] = {SV_INIT("$1$"),  SV_INIT("$5$"),   SV_INIT("$6$"),
	                             SV_INIT("$y$"),  SV_INIT("$2a$"),  SV_INIT("$2b$"),
	                             SV_INIT("$2y$"), SV_INIT("$gy$"),  SV_INIT("$argon2"),
	                             SV_INIT("$7$"),  SV_INIT("$apr1$")};

	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		size_t at = sv_find(text, methods[i]);

		if (at != SV_NPOS && span(text, at + 1, "$./=,+") - at >= 24) {
			*ret_at = at;
			return true;
		}
	}
	return false;
}

/* In a script "USER:PASSWORD@" needs the scheme before it, and may be filled in. */
static bool find_url(const struct looking *l, sv text, size_t *ret_at)
{
	size_t start = 0;
	size_t end = 0;

	while (secrecy_find_userinfo(text, end, &start, &end)) {
		sv userinfo = sv_slice(text, start, end);
		bool has_scheme = sv_ends_with(sv_slice(text, 0, start), SV("//"));

		*ret_at = start;
		if (l->kind != SECRECY_PROGRAM ||
		    (has_scheme && sv_find_char(userinfo, ':') != SV_NPOS &&
		     !is_filled_in(userinfo) && !strpbrk(arena_cstr(l->arena, userinfo), "[<\\|")))
			return true;
	}
	return false;
}

/* ---- strings ------------------------------------------------------------------------------- */

static bool holds_private_key(const struct looking *l, sv text)
{
	static const sv marks[] = {SV_INIT("PuTTY-User-Key-File"), SV_INIT("openssh-key-v1")};
	size_t at = sv_find(text, SV("PRIVATE KEY-----"));

	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (sv_contains(text, marks[i]))
			return true;
	if (!secrecy_holds_private_key(text))
		return false;
	if (l->kind != SECRECY_PROGRAM || at == SV_NPOS)
		return true;
	/* A script may name the mark, to look for it. */
	sv body = sv_slice(text, at + strlen("PRIVATE KEY-----"), at + 400);
	for (size_t i = 0; i < body.len;) {
		size_t end = span(body, i, "+/=");

		if (end - i >= RANDOM_WORD)
			return true;
		i = end + 1;
	}
	return false;
}

/* Looks at one layer. A private key inside is a better finding than a random-looking wrapping. */
static bool look_at_layer(void *context, sv text, unsigned depth)
{
	struct looking *l = context;
	size_t at = 0;

	if (holds_private_key(l, text)) {
		l->found = (struct secrecy_finding){SECRECY_LOOKS_PRIVATE_KEY, "a private key", 0};
		return false;
	}
	if (l->found.look != SECRECY_LOOKS_PLAIN)
		return true;
	text = without_public(l->arena, text);
	const char *what = find_hash(text, &at)        ? "the hash of a password"
	                   : find_scheme(l, text, &at) ? "a token or password of HTTP"
	                   : find_url(l, text, &at)    ? "user and password of a URL"
	                   : find_named(l, text, &at)  ? NAMED_VALUE
	                                               : NULL;
	for (size_t from = 0; !what && from < text.len;) {
		size_t end = span(text, from, "._+/~-");

		what = what_word_is(l->arena, sv_slice(text, from, end), l->kind);
		at = from;
		from = end + 1;
	}
	if (what)
		l->found =
		    (struct secrecy_finding){SECRECY_LOOKS_SECRET, what, depth == 0 ? at : 0};
	return true;
}

struct secrecy_finding secrecy_look_at(sv text, enum secrecy_text_kind kind)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct looking l = {.arena = arena, .kind = kind};

	if (!secrecy_each_layer(text, look_at_layer, &l) && l.found.look == SECRECY_LOOKS_PLAIN)
		return (struct secrecy_finding){SECRECY_LOOKS_PACKED,
		                                "more nested encodings than are opened", 0};
	return l.found;
}

struct secrecy_finding secrecy_look_at_named(sv name, sv text, enum secrecy_text_kind kind)
{
	struct secrecy_finding finding = secrecy_look_at(text, kind);

	if (finding.look != SECRECY_LOOKS_PLAIN || !means_credential(sv_after_last(name, '/')) ||
	    !is_credential_value(sv_trim_space(text), kind))
		return finding;
	return (struct secrecy_finding){SECRECY_LOOKS_SECRET, NAMED_VALUE, 0};
}

/* "WORD" in a message, or all up to the next space. */
static size_t message_word_end(sv text, size_t at)
{
	bool is_quoted = text.ptr[at] == '"';
	size_t end = at + 1;

	while (end < text.len && (is_quoted ? text.ptr[end] != '"' : text.ptr[end] != ' '))
		end++;
	return is_quoted && end < text.len ? end + 1 : end;
}

sv secrecy_mask_looks(struct arena *arena, sv text)
{
	struct buf out = buf_in(arena);

	for (size_t at = 0; at < text.len;) {
		size_t end = message_word_end(text, at);
		sv word = sv_slice(text, at, end);

		if (secrecy_look_at(word, SECRECY_FIELD).look == SECRECY_LOOKS_PLAIN)
			buf_add(&out, word);
		else
			BUF_ADD_LIT(&out, "***");
		if (end < text.len && text.ptr[end] == ' ')
			buf_add_char(&out, text.ptr[end++]);
		at = end;
	}
	return buf_sv(&out);
}
