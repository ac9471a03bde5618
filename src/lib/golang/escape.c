/*
 * Percent-encoding: what each part of a URL keeps.
 */
#include "golang/escape.h"

#include "codec/codec.h"
#include "golang/golang.h"

/* Besides letters, digits and "-._~", which no part escapes. */
static const char *const kept[] = {
    [ESCAPE_PATH] = "$&+,/:;=@",          [ESCAPE_SEGMENT] = "$&+:=@",
    [ESCAPE_HOST] = "!\"$&'()*+,:;<=>[]", [ESCAPE_ZONE] = "!\"$&'()*+,:;<=>[]",
    [ESCAPE_USERINFO] = "$&+,;=",         [ESCAPE_QUERY] = "",
    [ESCAPE_FRAGMENT] = "!$&()*+,/:;=?@",
};

bool escape_is_needed(enum escape_mode mode, char c)
{
	return !(ascii_is_alphanumeric(c) || (c && (strchr("-._~", c) || strchr(kept[mode], c))));
}

sv escape_encode(struct arena *arena, enum escape_mode mode, sv text)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == ' ' && mode == ESCAPE_QUERY)
			buf_add_char(&buf, '+');
		else if (escape_is_needed(mode, c))
			percent_add(&buf, c);
		else
			buf_add_char(&buf, c);
	}
	return buf_sv(&buf);
}

/* Hosts may escape only what is not ASCII; zones, also what a host may hold. */
static bool may_be_escaped(enum escape_mode mode, sv escape)
{
	unsigned value = ascii_digit_value(escape.ptr[1]) << 4 | ascii_digit_value(escape.ptr[2]);

	if (sv_eq(escape, SV("%25")))
		return true;
	if (mode == ESCAPE_HOST)
		return value >= 0x80;
	if (mode == ESCAPE_ZONE)
		return value == ' ' || !escape_is_needed(ESCAPE_HOST, (char)value);
	return true;
}

bool escape_decode(struct arena *arena, enum escape_mode mode, sv text, sv *ret_text, sv *ret_error)
{
	struct buf buf = buf_in(arena);
	bool is_host = mode == ESCAPE_HOST || mode == ESCAPE_ZONE;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '%') {
			sv escape = sv_slice(text, i, i + 3);

			if (escape.len < 3 || !ascii_is_hex(escape.ptr[1]) ||
			    !ascii_is_hex(escape.ptr[2]) || !may_be_escaped(mode, escape)) {
				*ret_error = ARENA_CONCAT(arena, SV("invalid URL escape "),
				                          go_strconv_quote(arena, escape));
				return false;
			}
			c = (char)(ascii_digit_value(escape.ptr[1]) << 4 |
			           ascii_digit_value(escape.ptr[2]));
			i += 2;
		} else if (c == '+' && mode == ESCAPE_QUERY) {
			c = ' ';
		} else if (is_host && (uint8_t)c < 0x80 && escape_is_needed(mode, c)) {
			*ret_error = ARENA_CONCAT(arena, SV("invalid character "),
			                          go_strconv_quote(arena, sv_slice(text, i, i + 1)),
			                          SV(" in host name"));
			return false;
		}
		buf_add_char(&buf, c);
	}
	*ret_text = buf_sv(&buf);
	return true;
}

sv go_url_query_escape(struct arena *arena, sv s)
{
	return escape_encode(arena, ESCAPE_QUERY, s);
}

sv go_url_path_escape(struct arena *arena, sv s)
{
	return escape_encode(arena, ESCAPE_SEGMENT, s);
}

bool go_url_query_unescape(struct arena *arena, sv s, sv *ret_text, sv *ret_error)
{
	return escape_decode(arena, ESCAPE_QUERY, s, ret_text, ret_error);
}
