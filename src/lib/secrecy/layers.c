/*
 * Strings inside strings: undoes base64, hexadecimal, gzip, percent-encoding and backslashes,
 * nested in any order.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "secrecy/internal.h"

enum {
	DEEPEST = 8,
	SHORTEST_RUN = 12,             /* characters of base64: a shorter one hides little */
	MOST_BYTES = 16 * 1024 * 1024, /* of all layers of one text */
	MOST_OF_ONE = 8 * 1024 * 1024, /* what gzip makes of one */
	MOST_RUNS = 200000,            /* runs that are tried */
};

struct unpacking {
	struct arena *arena;
	secrecy_layer *layer;
	void *context;
	struct set seen;
	size_t bytes;
	size_t runs;
	bool ended;
	bool is_over;
};

/* CIRCLE: what is inside of a layer is a layer. */
static void open_layer(struct unpacking *u, sv text, unsigned depth);

static void found_layer(struct unpacking *u, sv text, unsigned depth)
{
	u->bytes += text.len;
	if (u->bytes > MOST_BYTES || depth > DEEPEST)
		u->is_over = true;
	else if (set_add(&u->seen, text))
		open_layer(u, text, depth);
}

/* ---- base64 and hexadecimal -------------------------------------------------------------- */

/* Several "-" are the frame of a PEM block. */
static bool is_base64(sv text, size_t at)
{
	char c = text.ptr[at];

	if (c == '-')
		return (at == 0 || text.ptr[at - 1] != '-') &&
		       (at + 1 == text.len || text.ptr[at + 1] != '-');
	return ascii_is_alphanumeric((uint8_t)c) || c == '+' || c == '/' || c == '_';
}

/* A run may go on in the next line, after white space; its end, and the run without that. */
static size_t take_run(struct arena *arena, sv text, size_t from, sv *ret_run)
{
	struct buf joined = buf_in(arena);
	size_t at = from;
	size_t end;

	for (;;) {
		end = at;
		while (end < text.len && is_base64(text, end))
			end++;
		buf_add(&joined, sv_slice(text, at, end));
		size_t next = end;
		while (next < text.len && strchr(" \t\r", text.ptr[next]) && text.ptr[next])
			next++;
		if (end - at < SHORTEST_RUN || next == text.len || text.ptr[next] != '\n')
			break;
		while (next < text.len && strchr(" \t\r\n", text.ptr[next]) && text.ptr[next])
			next++;
		if (next == text.len || !is_base64(text, next))
			break;
		at = next;
	}
	*ret_run = buf_sv(&joined);
	return end;
}

/* Text for people, or a form that holds one; an encoder's input, and not chance. */
static bool is_meant(sv bytes)
{
	size_t odd = 0;

	if (bytes.len < 4)
		return false;
	if (sv_starts_with(bytes, SV("\x1f\x8b")) || sv_starts_with(bytes, SV("\x78\x9c")) ||
	    sv_starts_with(bytes, SV("\x78\xda")) || sv_starts_with(bytes, SV("\x78\x01")) ||
	    sv_starts_with(bytes, SV("openssh-key-v1")))
		return true;
	for (size_t i = 0; i < bytes.len; i++) {
		uint8_t c = (uint8_t)bytes.ptr[i];

		odd += c < 0x20 ? !strchr("\t\n\r", (char)c) || c == 0 : c >= 0x7f;
	}
	return odd * 8 <= bytes.len;
}

bool secrecy_is_der(sv der)
{
	if (der.len < 4 || (uint8_t)der.ptr[0] != 0x30)
		return false;
	uint8_t first = (uint8_t)der.ptr[1];
	size_t count = first & 0x7f;
	size_t length = first;
	if (first & 0x80) {
		length = 0;
		for (size_t i = 0; i < count && i < 4 && 2 + i < der.len; i++)
			length = length << 8 | (uint8_t)der.ptr[2 + i];
		return count > 0 && count < 4 && length == der.len - 2 - count;
	}
	return length == der.len - 2;
}

static bool is_private_key(sv bytes)
{
	return secrecy_is_der(bytes) && (x509_is_private_key(PRIVATE_KEY_PKCS8, bytes) ||
	                                 x509_is_private_key(PRIVATE_KEY_RSA, bytes) ||
	                                 x509_is_private_key(PRIVATE_KEY_EC, bytes) ||
	                                 x509_is_private_key(PRIVATE_KEY_DSA, bytes));
}

static void try_run(struct unpacking *u, sv run, unsigned depth)
{
	bool is_url = sv_find_char(run, '-') != SV_NPOS || sv_find_char(run, '_') != SV_NPOS;
	sv bytes;
	size_t error_at;

	/* Other characters of base64 may precede it, such as the "/" of a path. */
	for (size_t from = 0; from < 4 && run.len >= from + SHORTEST_RUN; from++) {
		sv part = sv_from_offset(run, from);

		part = sv_slice(part, 0, part.len - (part.len % 4 == 1));
		if (!base64_decode(u->arena, is_url ? BASE64_URL_RAW : BASE64_STD_RAW, part, &bytes,
		                   &error_at))
			continue;
		if (from == 0 && is_private_key(bytes))
			bytes = SV("-----BEGIN PRIVATE KEY-----");
		if (is_meant(bytes))
			found_layer(u, bytes, depth + 1);
	}
	if (hex_decode(u->arena, run, &bytes) && is_meant(bytes))
		found_layer(u, bytes, depth + 1);
}

/*
 * Opens each line by itself, and the lines of a wrapped string together: from the first one, and
 * from the second, since the first may begin with another word.
 */
static void open_runs(struct unpacking *u, sv text, unsigned depth)
{
	size_t joined_end = 0;
	unsigned joins = 0;

	for (size_t at = 0; at < text.len && !u->is_over && !u->ended;) {
		size_t end = at;
		sv run = SV("");

		while (end < text.len && is_base64(text, end))
			end++;
		if (end - at < SHORTEST_RUN) {
			at = end + 1;
			continue;
		}
		joins = at < joined_end ? joins + 1 : 0;
		if (joins < 2)
			joined_end = take_run(u->arena, text, at, &run);
		u->bytes += run.len;
		if (++u->runs > MOST_RUNS)
			u->is_over = true;
		try_run(u, sv_slice(text, at, end), depth);
		if (run.len > end - at)
			try_run(u, run, depth);
		at = end;
	}
}

/* ---- percent signs and backslashes ------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int hex_byte(sv text, size_t at)
{
	if (at + 2 > text.len)
		return -1;
	int high = hex_digit(text.ptr[at]);
	int low = hex_digit(text.ptr[at + 1]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* Undoes percent-encoding. Invalid escapes stay unchanged. */
static bool without_percent(struct arena *arena, sv text, sv *ret_text)
{
	struct buf out = buf_in(arena);
	bool changed = false;

	for (size_t i = 0; i < text.len; i++) {
		int byte = text.ptr[i] == '%' ? hex_byte(text, i + 1) : -1;

		buf_add_char(&out, byte < 0 ? text.ptr[i] : (char)byte);
		changed |= byte >= 0;
		i += byte >= 0 ? 2 : 0;
	}
	*ret_text = buf_sv(&out);
	return changed;
}

/*
 * Decodes escapes of JSON, YAML and shells: \n, \x41, \u0041. Any other one is the character alone.
 */
static bool without_backslashes(struct arena *arena, sv text, sv *ret_text)
{
	struct buf out = buf_in(arena);

	if (sv_find_char(text, '\\') == SV_NPOS)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '\\' || i + 1 == text.len) {
			buf_add_char(&out, text.ptr[i]);
			continue;
		}
		char c = text.ptr[++i];
		int byte = c == 'x' ? hex_byte(text, i + 1) : -1;
		if (byte >= 0) {
			buf_add_char(&out, (char)byte);
			i += 2;
		} else if (c == 'u' && hex_byte(text, i + 1) >= 0 && hex_byte(text, i + 3) >= 0) {
			buf_add_rune(&out, (uint32_t)hex_byte(text, i + 1) << 8 |
			                       (uint32_t)hex_byte(text, i + 3));
			i += 4;
		} else {
			buf_add_char(&out, c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c);
		}
	}
	*ret_text = buf_sv(&out);
	return true;
}

/* ---- all of them ------------------------------------------------------------------------- */

static void open_layer(struct unpacking *u, sv text, unsigned depth)
{
	sv inner;

	if (u->ended || u->is_over)
		return;
	if (!u->layer(u->context, text, depth)) {
		u->ended = true;
		return;
	}
	if (depth > 0 &&
	    (sv_starts_with(text, SV("\x1f\x8b")) || sv_starts_with(text, SV("\x78"))) &&
	    gzip_open_some(u->arena, text, MOST_OF_ONE, &inner)) {
		u->is_over |= inner.len == MOST_OF_ONE;
		found_layer(u, inner, depth + 1);
	}
	open_runs(u, text, depth);
	if (without_percent(u->arena, text, &inner))
		found_layer(u, inner, depth + 1);
	if (without_backslashes(u->arena, text, &inner))
		found_layer(u, inner, depth + 1);
}

bool secrecy_each_layer(sv text, secrecy_layer *layer, void *context)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct unpacking u = {
	    .arena = arena,
	    .layer = layer,
	    .context = context,
	    .seen = set_in(arena),
	};

	open_layer(&u, text, 0);
	return !u.is_over;
}
