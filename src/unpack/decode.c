/*
 * Decodes what user-data carries encoded: base64, gzip, data URLs, and base64 inside of scripts.
 */
#include "codec/codec.h"
#include "unpack/internal.h"

sv unpack_readable(struct arena *arena, sv bytes)
{
	if (utf8_valid(bytes) && sv_find_char(bytes, '\0') == SV_NPOS)
		return bytes;
	return arena_printf(arena, "(%zu bytes that are not text, sha256 %.*s)\n", bytes.len,
	                    SV_ARG(digest_hex(arena, DIGEST_SHA256, bytes)));
}

sv unpack_expand(struct arena *arena, sv bytes, size_t *left)
{
	sv expanded;

	/* gzip_open_some takes zlib's form, too, which has no mark that text could not have. */
	if (sv_starts_with(bytes, SV("\x1f\x8b")) &&
	    gzip_open_some(arena, bytes, *left, &expanded)) {
		*left -= expanded.len;
		return expanded;
	}
	return bytes;
}

bool unpack_base64(struct arena *arena, sv text, sv *ret_bytes)
{
	size_t unused;

	return base64_decode(arena, BASE64_STD, sv_trim_space(text), ret_bytes, &unused);
}

sv unpack_encoded(struct arena *arena, sv text, sv encoding, size_t *left)
{
	sv bytes = text;

	if ((sv_contains(encoding, SV("b64")) || sv_contains(encoding, SV("base64"))) &&
	    !unpack_base64(arena, text, &bytes))
		return text;
	return sv_starts_with(encoding, SV("gz")) ? unpack_expand(arena, bytes, left) : bytes;
}

/* ---- data URLs ---------------------------------------------------------------------------- */

static sv percent_decoded(struct arena *arena, sv text)
{
	struct buf out = buf_in(arena);
	sv byte;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '%' && hex_decode(arena, sv_slice(text, i + 1, i + 3), &byte) &&
		    byte.len == 1) {
			buf_add(&out, byte);
			i += 2;
		} else {
			buf_add_char(&out, text.ptr[i]);
		}
	}
	return buf_sv(&out);
}

bool unpack_data_url(struct arena *arena, sv url, sv *ret_bytes)
{
	sv head;
	sv data;

	if (!sv_starts_with(url, SV("data:")) || !sv_cut(url, SV(","), &head, &data))
		return false;
	sv bytes = percent_decoded(arena, data);
	if (sv_ends_with(head, SV(";base64")) && !unpack_base64(arena, bytes, &bytes))
		return false;
	*ret_bytes = bytes;
	return true;
}

/* ---- scripts ------------------------------------------------------------------------------ */

/* Shorter words are often names. */
enum { SHORTEST_WORD = 16 };

static bool is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/' || c == '=';
}

/* Returns true for text that people write: words that only look like base64 decode to other bytes.
 */
static bool is_written(sv text)
{
	if (sv_empty(text) || !utf8_valid(text))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if ((c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7F)
			return false;
	}
	return true;
}

static bool decode_word(struct arena *arena, sv word, size_t *left, sv *ret_text)
{
	sv bytes;

	if (word.len < SHORTEST_WORD || word.len % 4 != 0 || !unpack_base64(arena, word, &bytes))
		return false;
	bytes = unpack_expand(arena, bytes, left);
	if (!is_written(bytes))
		return false;
	*ret_text = bytes;
	return true;
}

static void add_lines(struct buf *out, sv text)
{
	struct sv_splitter lines = sv_split(sv_trim_right(text, "\n"), '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		BUF_ADD_LIT(out, "    | ");
		buf_add(out, line);
		buf_add_char(out, '\n');
	}
}

/* Appends a line, then the words of it that are decoded. */
static void add_decoded_line(struct buf *out, sv line, size_t *left)
{
	struct buf decoded = buf_in(out->arena);
	size_t end;
	sv text;

	for (size_t at = 0; at < line.len; at = end) {
		for (end = at; end < line.len && is_base64(line.ptr[end]); end++)
			;
		sv word = sv_slice(line, at, end);
		if (decode_word(out->arena, word, left, &text)) {
			BUF_ADD_LIT(out, "(base64, decoded below)");
			add_lines(&decoded, text);
		} else if (end > at) {
			buf_add(out, word);
		} else {
			buf_add_char(out, line.ptr[end++]);
		}
	}
	buf_add_char(out, '\n');
	buf_add(out, buf_sv(&decoded));
}

sv unpack_script(struct arena *arena, sv script, size_t *left)
{
	struct buf out = buf_in(arena);
	struct sv_splitter lines = sv_split(sv_trim_right(script, "\n"), '\n');
	sv line;

	while (sv_split_next(&lines, &line))
		add_decoded_line(&out, line, left);
	return buf_sv(&out);
}
