/*
 * net/url of Go 1.26: parsing and printing. Escapes are in escape.c, queries in query.c.
 */
#include "golang/golang.h"

#include "golang/escape.h"

static sv quoted_message(struct arena *arena, const char *before, sv quoted, const char *after)
{
	struct buf buf = buf_in(arena);

	buf_add_cstr(&buf, before);
	go_strconv_quote_add(&buf, quoted);
	buf_add_cstr(&buf, after);
	return buf_sv(&buf);
}

/* Takes the scheme before the first colon, if it is one. Returns false if the colon comes first. */
static bool take_scheme(sv text, sv *ret_scheme, sv *ret_rest)
{
	*ret_scheme = (sv){0};
	*ret_rest = text;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (ascii_is_letter(c))
			continue;
		if (c == ':') {
			*ret_scheme = sv_slice(text, 0, i);
			*ret_rest = sv_from_offset(text, i + 1);
			return i > 0;
		}
		if (i == 0 || !(ascii_is_digit(c) || c == '+' || c == '-' || c == '.'))
			return true;
	}
	return true;
}

static bool is_optional_port(sv port)
{
	if (port.len == 0)
		return true;
	if (port.ptr[0] != ':')
		return false;
	for (size_t i = 1; i < port.len; i++)
		if (!ascii_is_digit(port.ptr[i]))
			return false;
	return true;
}

/* One group of hexadecimal digits or a dotted IPv4 tail; the count of 16-bit units, 0 for none. */
static unsigned address_unit(sv unit, bool last)
{
	unsigned dots = 0;
	unsigned number = 0;
	size_t digits = 0;

	if (sv_find_char(unit, '.') == SV_NPOS) {
		for (size_t i = 0; i < unit.len; i++)
			if (!ascii_is_hex(unit.ptr[i]))
				return 0;
		return unit.len >= 1 && unit.len <= 4 ? 1 : 0;
	}
	for (size_t i = 0; i <= unit.len; i++) {
		if (i == unit.len || unit.ptr[i] == '.') {
			if (digits == 0 || number > 255)
				return 0;
			dots += i < unit.len;
			number = 0;
			digits = 0;
			continue;
		}
		if (!ascii_is_digit(unit.ptr[i]) || (digits > 0 && number == 0))
			return 0;
		number = number * 10 + (unsigned)(unit.ptr[i] - '0');
		if (++digits > 3)
			return 0;
	}
	return last && dots == 3 ? 2 : 0;
}

/* RFC 4291 2.2, with an optional zone that must not be empty. */
static bool is_ipv6(sv address)
{
	sv zone;
	sv head = address;
	unsigned units = 0;
	bool has_gap = false;

	if (sv_cut(address, SV("%"), &head, &zone) && zone.len == 0)
		return false;
	if (sv_find_char(head, ':') == SV_NPOS)
		return false;
	if (sv_starts_with(head, SV("::"))) {
		has_gap = true;
		head = sv_from_offset(head, 2);
	}
	while (head.len > 0) {
		size_t colon = sv_find_char(head, ':');
		unsigned count = address_unit(sv_slice(head, 0, colon), colon == SV_NPOS);

		if (count == 0)
			return false;
		units += count;
		if (colon == SV_NPOS)
			break;
		head = sv_from_offset(head, colon + 1);
		if (head.len == 0)
			return false;
		if (head.ptr[0] == ':') {
			if (has_gap)
				return false;
			has_gap = true;
			head = sv_from_offset(head, 1);
		}
	}
	return has_gap ? units < 8 : units == 8;
}

/* "[...]" and an optional port. */
static bool parse_ip_literal(struct arena *arena, sv text, sv *ret_host, sv *ret_error)
{
	size_t closing = sv_rfind_char(text, ']');
	sv name;
	sv zone = {0};
	sv port;

	if (closing == SV_NPOS) {
		*ret_error = SV("missing ']' in host");
		return false;
	}
	port = sv_from_offset(text, closing + 1);
	if (!is_optional_port(port)) {
		*ret_error = quoted_message(arena, "invalid port ", port, " after host");
		return false;
	}
	name = sv_slice(text, 1, closing);
	size_t zone_at = sv_find(name, SV("%25"));

	if (zone_at != SV_NPOS) {
		zone = sv_from_offset(name, zone_at);
		name = sv_slice(name, 0, zone_at);
		if (!escape_decode(arena, ESCAPE_ZONE, zone, &zone, ret_error))
			return false;
	}
	if (!escape_decode(arena, ESCAPE_HOST, name, &name, ret_error))
		return false;
	name = ARENA_CONCAT(arena, name, zone);
	if (address_unit(name, true) == 2) {
		*ret_error = SV("invalid IP-literal");
		return false;
	}
	if (!is_ipv6(name)) {
		/* Go's netip names the very mistake; this is its last word. */
		*ret_error = quoted_message(arena, "invalid host: ParseAddr(", name,
		                            "): unable to parse IP");
		return false;
	}
	*ret_host = ARENA_CONCAT(arena, SV("["), name, SV("]"), port);
	return true;
}

static bool parse_host(struct arena *arena, sv scheme, sv text, sv *ret_host, sv *ret_error)
{
	size_t bracket = sv_rfind_char(text, '[');
	size_t colon = sv_find_char(text, ':');

	if (bracket != SV_NPOS && bracket > 0) {
		*ret_error = SV("invalid IP-literal");
		return false;
	}
	if (bracket == 0)
		return parse_ip_literal(arena, text, ret_host, ret_error);
	if (colon != SV_NPOS) {
		/* Only other schemes may have colons in the host's name. */
		if (!sv_eq(scheme, SV("http")) && !sv_eq(scheme, SV("https")))
			colon = sv_rfind_char(text, ':');
		sv port = sv_from_offset(text, colon);

		if (!is_optional_port(port)) {
			*ret_error = quoted_message(arena, "invalid port ", port, " after host");
			return false;
		}
	}
	return escape_decode(arena, ESCAPE_HOST, text, ret_host, ret_error);
}

static bool is_userinfo(sv text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (ascii_is_alphanumeric(c))
			continue;
		if (c == '\0' || !strchr("-._:~!$&'()*+,;=%@", c))
			return false;
	}
	return true;
}

static bool parse_authority(struct arena *arena, sv text, struct url *url, sv *ret_error)
{
	size_t at = sv_rfind_char(text, '@');
	sv host = at == SV_NPOS ? text : sv_from_offset(text, at + 1);

	if (!parse_host(arena, url->scheme, host, &url->host, ret_error))
		return false;
	if (at == SV_NPOS)
		return true;
	sv userinfo = sv_slice(text, 0, at);

	if (!is_userinfo(userinfo)) {
		*ret_error = SV("net/url: invalid userinfo");
		return false;
	}
	url->has_user = true;
	url->has_password = sv_cut(userinfo, SV(":"), &url->username, &url->password);
	return escape_decode(arena, ESCAPE_USERINFO, url->username, &url->username, ret_error) &&
	       (!url->has_password ||
	        escape_decode(arena, ESCAPE_USERINFO, url->password, &url->password, ret_error));
}

/* Decodes; *ret_raw is the text when encoding again would not give it back. */
static bool decode_part(struct arena *arena, enum escape_mode mode, sv text, sv *ret_decoded,
                        sv *ret_raw, sv *ret_error)
{
	sv decoded;

	if (!escape_decode(arena, mode, text, &decoded, ret_error))
		return false;
	*ret_decoded = decoded;
	bool same = sv_eq(escape_encode(arena, mode, decoded), text);
	*ret_raw = same ? sv_from(NULL, 0) : text;
	return true;
}

static bool parse_hierarchy(struct arena *arena, sv rest, struct url *url, sv *ret_error)
{
	if (sv_starts_with(rest, SV("//")) &&
	    (url->scheme.len > 0 || !sv_starts_with(rest, SV("///")))) {
		sv authority = sv_from_offset(rest, 2);
		size_t slash = sv_find_char(authority, '/');

		rest = slash == SV_NPOS ? SV("") : sv_from_offset(authority, slash);
		if (!parse_authority(arena, sv_slice(authority, 0, slash), url, ret_error))
			return false;
	} else if (url->scheme.len > 0 && sv_starts_with(rest, SV("/"))) {
		url->omit_host = true;
	}
	return decode_part(arena, ESCAPE_PATH, rest, &url->path, &url->raw_path, ret_error);
}

static bool parse_without_fragment(struct arena *arena, sv text, struct url *url, sv *ret_error)
{
	sv rest;
	sv scheme;

	for (size_t i = 0; i < text.len; i++) {
		if ((uint8_t)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
			*ret_error = SV("net/url: invalid control character in URL");
			return false;
		}
	}
	if (sv_eq(text, SV("*"))) {
		url->path = text;
		return true;
	}
	if (!take_scheme(text, &scheme, &rest)) {
		*ret_error = SV("missing protocol scheme");
		return false;
	}
	url->scheme = arena_lower_ascii(arena, scheme);
	size_t mark = sv_find_char(rest, '?');

	if (mark != SV_NPOS) {
		url->force_query = mark + 1 == rest.len;
		url->raw_query = sv_from_offset(rest, mark + 1);
		rest = sv_slice(rest, 0, mark);
	}
	if (!sv_starts_with(rest, SV("/"))) {
		if (url->scheme.len > 0) {
			url->opaque = rest;
			return true;
		}
		if (sv_find_char(sv_slice(rest, 0, sv_find_char(rest, '/')), ':') != SV_NPOS) {
			*ret_error = SV("first path segment in URL cannot contain colon");
			return false;
		}
	}
	return parse_hierarchy(arena, rest, url, ret_error);
}

static sv parse_error(struct arena *arena, sv text, sv error)
{
	return ARENA_CONCAT(arena, SV("parse "), go_strconv_quote(arena, text), SV(": "), error);
}

bool go_url_parse(struct arena *arena, sv text, struct url *ret_url, sv *ret_error)
{
	struct url url = {0};
	sv before;
	sv fragment = {0};
	sv error;

	bool has_fragment = sv_cut(text, SV("#"), &before, &fragment);

	if (!parse_without_fragment(arena, before, &url, &error)) {
		*ret_error = parse_error(arena, before, error);
		return false;
	}
	if (has_fragment && !decode_part(arena, ESCAPE_FRAGMENT, fragment, &url.fragment,
	                                 &url.raw_fragment, &error)) {
		*ret_error = parse_error(arena, text, error);
		return false;
	}
	*ret_url = url;
	return true;
}

/* Returns true if text is a valid encoding, although perhaps not the default one. */
static bool is_encoded(enum escape_mode mode, sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!(text.ptr[i] && strchr("!$&'()*+,;=:@[]%", text.ptr[i])) &&
		    escape_is_needed(mode, text.ptr[i]))
			return false;
	return true;
}

static sv encode_part(struct arena *arena, enum escape_mode mode, sv decoded, sv raw)
{
	sv again;
	sv error;

	if (raw.len > 0 && is_encoded(mode, raw) &&
	    escape_decode(arena, mode, raw, &again, &error) && sv_eq(again, decoded))
		return raw;
	return escape_encode(arena, mode, decoded);
}

/* URL.EscapedPath */
static sv escaped_path(struct arena *arena, const struct url *url)
{
	if (url->raw_path.len == 0 && sv_eq(url->path, SV("*")))
		return url->path;
	return encode_part(arena, ESCAPE_PATH, url->path, url->raw_path);
}

sv go_url_userinfo(struct arena *arena, const struct url *url)
{
	sv username = escape_encode(arena, ESCAPE_USERINFO, url->username);

	if (!url->has_password)
		return username;
	return ARENA_CONCAT(arena, username, SV(":"),
	                    escape_encode(arena, ESCAPE_USERINFO, url->password));
}

static void add_authority(struct buf *buf, const struct url *url)
{
	if (url->scheme.len == 0 && url->host.len == 0 && !url->has_user)
		return;
	if (url->omit_host && url->host.len == 0 && !url->has_user)
		return;
	if (url->host.len > 0 || url->path.len > 0 || url->has_user)
		BUF_ADD_LIT(buf, "//");
	if (url->has_user) {
		buf_add(buf, go_url_userinfo(buf->arena, url));
		buf_add_char(buf, '@');
	}
	buf_add(buf, escape_encode(buf->arena, ESCAPE_HOST, url->host));
}

sv go_url_format(struct arena *arena, const struct url *url)
{
	struct buf buf = buf_in(arena);

	if (url->scheme.len > 0) {
		buf_add(&buf, url->scheme);
		buf_add_char(&buf, ':');
	}
	if (url->opaque.len > 0) {
		buf_add(&buf, url->opaque);
	} else {
		sv path = escaped_path(arena, url);

		add_authority(&buf, url);
		if (path.len > 0 && path.ptr[0] != '/' && url->host.len > 0)
			buf_add_char(&buf, '/');
		/* A colon in the first segment would read as a scheme. */
		if (buf.len == 0 &&
		    sv_find_char(sv_slice(path, 0, sv_find_char(path, '/')), ':') != SV_NPOS)
			BUF_ADD_LIT(&buf, "./");
		buf_add(&buf, path);
	}
	if (url->force_query || url->raw_query.len > 0) {
		buf_add_char(&buf, '?');
		buf_add(&buf, url->raw_query);
	}
	if (url->fragment.len > 0) {
		buf_add_char(&buf, '#');
		buf_add(&buf,
		        encode_part(arena, ESCAPE_FRAGMENT, url->fragment, url->raw_fragment));
	}
	return buf_sv(&buf);
}

/* Offset of the colon before the port, or SV_NPOS. */
static size_t port_colon(const struct url *url)
{
	size_t colon = sv_rfind_char(url->host, ':');

	if (colon != SV_NPOS && !is_optional_port(sv_from_offset(url->host, colon)))
		return SV_NPOS;
	return colon;
}

sv go_url_hostname(const struct url *url)
{
	sv host = sv_slice(url->host, 0, port_colon(url));

	if (sv_starts_with(host, SV("[")) && sv_ends_with(host, SV("]")))
		return sv_slice(host, 1, host.len - 1);
	return host;
}

sv go_url_port(const struct url *url)
{
	size_t colon = port_colon(url);

	return colon == SV_NPOS ? SV("") : sv_from_offset(url->host, colon + 1);
}
