/*
 * Hosts, URLs and images as the programs of nodes read them.
 */
#include "base/ascii.h"
#include "dialect/dialect.h"
#include "golang/golang.h"

enum {
	LABEL_MAX_BYTES = 63,
	NAME_MAX_BYTES = 253,
	PORT_MAX_DIGITS = 5,
	PORT_MAX = 65535,
	TAG_MAX_BYTES = 128,
	DIGEST_MIN_DIGITS = 32,
	SHA256_DIGITS = 64,
	SHA512_DIGITS = 128,
};

static bool consists_of(sv text, const char *others)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)text.ptr[i]) &&
		    !ascii_is_any(text.ptr[i], others))
			return false;
	return true;
}

/* ---- hosts ------------------------------------------------------------------------------- */

static bool is_label(sv label)
{
	return label.len > 0 && label.len <= LABEL_MAX_BYTES && consists_of(label, "-_") &&
	       label.ptr[0] != '-' && label.ptr[label.len - 1] != '-';
}

static bool is_number(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_digit((unsigned char)text.ptr[i]))
			return false;
	return text.len > 0;
}

/* Refuses a name that ends with a number: it is an address with a mistake. */
static bool is_name(sv text)
{
	struct sv_splitter labels;
	sv label = {0};

	if (sv_ends_with(text, SV(".")))
		text = sv_slice(text, 0, text.len - 1);
	if (text.len > NAME_MAX_BYTES)
		return false;
	labels = sv_split(text, '.');
	while (sv_split_next(&labels, &label))
		if (!is_label(label))
			return false;
	return !is_number(label);
}

bool form_is_host(sv text)
{
	struct ip address;

	return go_ip_parse(text, &address) || is_name(text);
}

bool form_is_port(sv text)
{
	int64_t port;

	return is_number(text) && text.len <= PORT_MAX_DIGITS && sv_parse_int64(text, &port) &&
	       port > 0 && port <= PORT_MAX;
}

bool form_is_host_port(sv text)
{
	size_t end = sv_find_char(text, ']');
	struct ip address;
	sv host;
	sv port;

	if (sv_starts_with(text, SV("["))) {
		if (end == SV_NPOS || !go_ip_parse(sv_slice(text, 1, end), &address))
			return false;
		port = sv_from_offset(text, end + 1);
		return sv_empty(port) ||
		       (port.ptr[0] == ':' && form_is_port(sv_from_offset(port, 1)));
	}
	if (!sv_cut(text, SV(":"), &host, &port))
		return form_is_host(text);
	return form_is_host(host) && form_is_port(port);
}

bool form_is_registry(sv text)
{
	sv host = text;
	sv path = {0};

	if (sv_eq(text, SV("*")) || sv_eq(text, SV("_default")))
		return true;
	(void)sv_cut(text, SV("/"), &host, &path);
	return form_is_host_port(host) && consists_of(path, "/._-~");
}

/* ---- images ------------------------------------------------------------------------------ */

static bool is_lower_or_digit(char c)
{
	return ascii_is_lower((unsigned char)c) || ascii_is_digit((unsigned char)c);
}

/* Checks a part of a path: words of a-z and 0-9 between one of ".", "_", "__" and any "-". */
static bool is_path_part(sv part)
{
	size_t at = 0;

	while (at < part.len) {
		size_t word = at;

		while (at < part.len && is_lower_or_digit(part.ptr[at]))
			at++;
		if (at == word)
			return false;
		if (at == part.len)
			return true;
		size_t separator = at;
		while (at < part.len && part.ptr[at] == part.ptr[separator] &&
		       ascii_is_any(part.ptr[at], "._-"))
			at++;
		size_t most = part.ptr[separator] == '.' ? 1 : 2;
		if (part.ptr[separator] != '-' && at - separator > most)
			return false;
	}
	return false;
}

/* Returns true if the first part of a name is a registry, and not a part of the path. */
static bool names_registry(sv first)
{
	if (sv_find_char(first, '.') != SV_NPOS || sv_find_char(first, ':') != SV_NPOS ||
	    sv_eq(first, SV("localhost")))
		return true;
	for (size_t i = 0; i < first.len; i++)
		if (ascii_is_upper((unsigned char)first.ptr[i]))
			return true;
	return false;
}

static bool is_digest(sv digest)
{
	sv algorithm;
	sv digits;

	if (!sv_cut(digest, SV(":"), &algorithm, &digits) || sv_empty(algorithm) ||
	    !consists_of(algorithm, "+._-"))
		return false;
	for (size_t i = 0; i < digits.len; i++)
		if (!ascii_is_digit((unsigned char)digits.ptr[i]) &&
		    (digits.ptr[i] < 'a' || digits.ptr[i] > 'f'))
			return false;
	if (sv_eq(algorithm, SV("sha256")))
		return digits.len == SHA256_DIGITS;
	if (sv_eq(algorithm, SV("sha512")))
		return digits.len == SHA512_DIGITS;
	return digits.len >= DIGEST_MIN_DIGITS;
}

static bool is_tag(sv tag)
{
	return tag.len > 0 && tag.len <= TAG_MAX_BYTES && consists_of(tag, "_.-") &&
	       tag.ptr[0] != '.' && tag.ptr[0] != '-';
}

bool form_is_image(sv text)
{
	sv name = text;
	sv digest;
	sv first;
	sv rest;

	if (sv_cut(text, SV("@"), &name, &digest) && !is_digest(digest))
		return false;
	if (sv_cut(name, SV("/"), &first, &rest) && names_registry(first)) {
		if (!form_is_host_port(first))
			return false;
		name = rest;
	}
	size_t colon = sv_rfind_char(name, ':');
	if (colon != SV_NPOS) {
		if (!is_tag(sv_from_offset(name, colon + 1)))
			return false;
		name = sv_slice(name, 0, colon);
	}
	struct sv_splitter parts = sv_split(name, '/');
	sv part;
	while (sv_split_next(&parts, &part))
		if (!is_path_part(part))
			return false;
	return true;
}

/* ---- URLs -------------------------------------------------------------------------------- */

const char *form_url_mistake(struct arena *arena, sv url, const char *const *schemes,
                             const char *wanted)
{
	struct url parsed;
	sv error;
	sv scheme;
	sv rest;
	bool is_wanted = false;

	/* Braces are not of a URL either, but {arch} is a mark of osm-gen's. */
	if (!consists_of(url, "-._~:/?#[]@!$&()*+,;=%{}"))
		return "has a blank, a quote or another character that no URL has";
	if (!sv_cut(url, SV(":"), &scheme, &rest))
		return wanted;
	for (size_t i = 0; schemes[i]; i++)
		is_wanted |= sv_eq_cstr(scheme, schemes[i]);
	if (!is_wanted)
		return wanted;
	if (!sv_starts_with(rest, SV("//")) || !go_url_parse(arena, url, &parsed, &error))
		return "is not a URL";
	if (sv_empty(parsed.host))
		return "names no host";
	/* Brackets of "[::1]" are part of the host; "host:" has an empty port. */
	sv host = go_url_hostname(&parsed);
	sv port = go_url_port(&parsed);
	if (!sv_empty(port) && !form_is_port(port))
		return "has a port that is not from 1 to 65535";
	return form_is_host(host) && !sv_ends_with(parsed.host, SV(":"))
	           ? NULL
	           : "has a host that is neither a name nor an address";
}
