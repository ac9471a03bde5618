/*
 * Strings that look like secrets, for callers that are about to write a string in the clear. It
 * prefers false positives to a published token.
 */
#include "secrecy/look.h"
#include "codec/codec.h"
#include "secrecy/internal.h"

enum {
	SHORTEST_VALUE = 4,
	SHORTEST_LITERAL = 8,
	AFTER_NAME = 48, /* between "name: PASSWORD" and its "value:" */
};

struct looking {
	struct arena *arena;
	enum secrecy_text_kind kind;
	struct secrecy_finding found;
};

/* ---- values after names ------------------------------------------------------------------ */

#define NAMED_VALUE "a value after a credential's name"

static size_t skip(sv text, size_t at, const char *set)
{
	while (look_is_one_of(text, at, set))
		at++;
	return at;
}

/* A value as people and formats delimit it. */
static sv value_at(sv text, size_t at)
{
	size_t start = skip(text, at, " \t\\");
	size_t end;

	if (look_is_one_of(text, start, "\"'")) {
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
	return value.len >= SHORTEST_LITERAL && look_has_kinds(value, false) &&
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
	return look_is_one_of(text, end, ":=") ? end + 1 : SV_NPOS;
}

/* Where the value of the name text[start, end) begins; SV_NPOS: it has none. */
static size_t value_start(sv text, size_t start, size_t end)
{
	size_t at = skip(text, end, "\"'\\ \t");

	if (look_is_one_of(text, at, ":="))
		return skip(text, at, ":=>");
	if (start > 0 && text.ptr[start - 1] == '-' && look_is_one_of(text, end, " "))
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
		size_t end = look_span(text, start, "_.-");

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
			size_t end = look_span(text, from, "._+/~-");
			sv value = sv_slice(text, from, end);

			if (value.len >= least && look_has_kinds(value, false)) {
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

		if (at != SV_NPOS && look_span(text, at + 1, "$./=,+") - at >= 24) {
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
		size_t end = look_span(body, i, "+/=");

		if (end - i >= LOOK_RANDOM_WORD)
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
	text = look_without_public(l->arena, text);
	const char *what = find_hash(text, &at)        ? "the hash of a password"
	                   : find_scheme(l, text, &at) ? "a token or password of HTTP"
	                   : find_url(l, text, &at)    ? "user and password of a URL"
	                   : find_named(l, text, &at)  ? NAMED_VALUE
	                                               : NULL;
	for (size_t from = 0; !what && from < text.len;) {
		size_t end = look_span(text, from, "._+/~-");

		what = look_at_word(l->arena, sv_slice(text, from, end), l->kind);
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
