/*
 * Compares the hosts that nodes reach without the proxy with the API server's host. The rules are
 * those of golang.org/x/net/http/httpproxy, which kubelet and containerd use.
 */
#include "golang/golang.h"
#include "osm/cluster.h"
#include "osm/osm.h"
#include "osm/settings.h"

enum { ADDRESS_BITS = 128, IPV4_BITS = 32, BYTE_BITS = 8, DECIMAL = 10 };

/* The API server's address, as nodes use it. */
struct target {
	sv host; /* without port and brackets */
	sv port; /* never empty */
	bool is_address;
	struct ip address;
};

/* Reads a prefix length of at most `most` bits. Returns false for other strings. */
static bool read_bits(sv text, size_t most, size_t *ret_bits)
{
	size_t bits = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (!ascii_is_digit(text.ptr[i]) || bits > most)
			return false;
		bits = bits * DECIMAL + (size_t)(text.ptr[i] - '0');
	}
	*ret_bits = bits;
	return text.len > 0 && bits <= most;
}

static bool is_ipv4_address(const struct ip *address)
{
	static const uint8_t mapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

	return memcmp(address->bytes, mapped, sizeof(mapped)) == 0;
}

/* Reads a network such as 10.0.0.0/8. Returns false for other strings. */
static bool read_network(sv entry, struct ip *ret_network, size_t *ret_bits)
{
	size_t slash = sv_find_char(entry, '/');
	bool is_ipv4 = sv_find_char(entry, ':') == SV_NPOS;

	if (slash == SV_NPOS || !go_ip_parse(sv_slice(entry, 0, slash), ret_network) ||
	    !read_bits(sv_from_offset(entry, slash + 1), is_ipv4 ? IPV4_BITS : ADDRESS_BITS,
	               ret_bits))
		return false;
	if (is_ipv4)
		*ret_bits += ADDRESS_BITS - IPV4_BITS;
	return true;
}

/* Returns true for a network that contains the address. */
static bool network_contains(sv entry, const struct ip *address)
{
	struct ip network;
	size_t bits = 0;

	if (!read_network(entry, &network, &bits) ||
	    (sv_find_char(entry, ':') == SV_NPOS) != is_ipv4_address(address))
		return false;
	for (size_t i = 0; i < bits; i++) {
		size_t shift = BYTE_BITS - 1 - i % BYTE_BITS;
		unsigned differing = network.bytes[i / BYTE_BITS] ^ address->bytes[i / BYTE_BITS];

		if (differing >> shift & 1)
			return false;
	}
	return true;
}

/* Splits "host:443" and "[::1]:443". Without a port *ret_port is empty. */
static sv split_port(sv entry, sv *ret_port)
{
	bool has_brackets = sv_starts_with(entry, SV("["));
	size_t end = has_brackets ? sv_find_char(entry, ']') : sv_find_char(entry, ':');

	*ret_port = SV("");
	if (end == SV_NPOS)
		return entry;
	sv rest = sv_from_offset(entry, has_brackets ? end + 1 : end);
	/* "::1" has more than one colon, and no port. */
	if (!has_brackets && sv_find_char(sv_from_offset(rest, 1), ':') != SV_NPOS)
		return entry;
	/* Brackets count only before a port. */
	if (!sv_starts_with(rest, SV(":")))
		return entry;
	*ret_port = sv_from_offset(rest, 1);
	return sv_slice(entry, has_brackets ? 1 : 0, end);
}

static bool domain_contains(sv domain, sv host)
{
	bool is_exact = false;

	if (sv_starts_with(domain, SV("*.")))
		domain = sv_from_offset(domain, 1);
	else
		is_exact = !sv_starts_with(domain, SV("."));
	if (is_exact && sv_eq_fold_ascii(domain, host))
		return true;
	size_t dot = is_exact ? 1 : 0;
	if (host.len <= domain.len + dot)
		return false;
	size_t from = host.len - domain.len;
	return sv_eq_fold_ascii(sv_from_offset(host, from), domain) &&
	       (!is_exact || host.ptr[from - 1] == '.');
}

static bool entry_matches(sv entry, const struct target *target)
{
	struct ip address;
	sv port;

	if (sv_eq(entry, SV("*")))
		return true;
	if (target->is_address && network_contains(entry, &target->address))
		return true;
	sv host = split_port(entry, &port);
	if (sv_empty(host) || (!sv_empty(port) && !sv_eq(port, target->port)))
		return false;
	if (go_ip_parse(host, &address))
		return target->is_address &&
		       memcmp(address.bytes, target->address.bytes, sizeof(address.bytes)) == 0;
	return domain_contains(host, target->host);
}

static bool is_loopback(const struct target *target)
{
	static const struct ip loopback = {.bytes = {[ADDRESS_BITS / BYTE_BITS - 1] = 1}};

	if (!target->is_address)
		return sv_eq(target->host, SV("localhost"));
	return network_contains(SV("127.0.0.0/8"), &target->address) ||
	       memcmp(target->address.bytes, loopback.bytes, sizeof(loopback.bytes)) == 0;
}

bool osm_is_without_proxy(sv no_proxy, sv host, sv port)
{
	struct target target = {.host = host, .port = port};
	struct sv_splitter entries = sv_split(no_proxy, ',');
	sv entry;

	target.is_address = go_ip_parse(host, &target.address);
	if (is_loopback(&target))
		return true;
	while (sv_split_next(&entries, &entry))
		if (entry_matches(sv_trim_space(entry), &target))
			return true;
	return false;
}

void osm_check_proxy(struct arena *arena, struct sink *sink, const struct osm_cluster *cluster)
{
	const struct value *proxy = &cluster->settings->http_proxy;
	const struct value *no_proxy = &cluster->settings->no_proxy;
	const struct value *server = &cluster->server_url;
	struct url url;
	sv ignored;

	/* A warning would show if an encrypted list has the host; its stand-in never has. */
	if (sv_empty(value_text(proxy)) || no_proxy->taint ||
	    !go_url_parse(arena, value_text(server), &url, &ignored) || sv_empty(url.host))
		return;
	sv host = go_url_hostname(&url);
	sv port = go_url_port(&url);
	if (sv_empty(port))
		port = sv_eq(url.scheme, SV("http")) ? SV("80") : SV("443");
	if (osm_is_without_proxy(value_text(no_proxy), host, port))
		return;
	/* An address that came from a secret is not printed. */
	sv shown = server->taint ? SV("HOST") : host;
	sv list = value_text(no_proxy);
	struct diag *diag =
	    diag_report(sink, DIAG_PROXY_API_SERVER, value_position(proxy),
	                "nodes reach the API server%s%.*s through the proxy: nodeNoProxy does not "
	                "have its host",
	                server->taint ? "" : " at ", SV_ARG(server->taint ? SV("") : host));
	diag_set_help(sink, diag, "set nodeNoProxy: \"%.*s%s%.*s\"%s", SV_ARG(list),
	              sv_empty(list) ? "" : ",", SV_ARG(shown),
	              sv_find_char(list, '/') == SV_NPOS
	                  ? ", and add the networks of the cluster's Pods and Services"
	                  : "");
}

/* ---- the setting ------------------------------------------------------------------------- */

/* Returns why no program matches the entry with a host, or null if one may. */
static const char *no_proxy_mistake(sv entry)
{
	struct ip network;
	size_t bits;
	sv port;

	if (sv_eq(entry, SV("*")) || read_network(entry, &network, &bits))
		return NULL;
	if (sv_contains(entry, SV("://")))
		return "an entry is a URL, which programs ignore";
	if (sv_find_char(entry, '/') != SV_NPOS)
		return "an entry with a / is not a network, and programs ignore it";
	sv host = split_port(entry, &port);
	if (!sv_empty(port) && !form_is_port(port))
		return "an entry has a port that is not from 1 to 65535";
	if (sv_starts_with(host, SV("*.")))
		host = sv_from_offset(host, 1);
	if (sv_starts_with(host, SV(".")))
		host = sv_from_offset(host, 1);
	for (size_t i = 0; i < host.len; i++)
		if ((unsigned char)host.ptr[i] >= 0x80)
			return NULL; /* an international name */
	return form_is_host(host)
	           ? NULL
	           : "an entry is neither a host nor an address, and programs ignore it";
}

enum status osm_check_no_proxy(const struct setter *s, const struct value *v,
                               struct position at UNUSED)
{
	enum { MOST_WARNINGS = 20 };
	struct sv_splitter it = sv_split(value_text(v), ',');
	size_t offset = 0;
	int warnings = 0;
	sv part;

	/* A part that was joined into it may be a placeholder, too. */
	if (!setter_has_form(v) || (v->taint && secrecy_stands_in(taint_secret(v->taint))))
		return STATUS_OK;
	while (warnings < MOST_WARNINGS && sv_split_next(&it, &part)) {
		sv entry = sv_trim_space(part);
		const char *problem = sv_empty(entry) ? NULL : no_proxy_mistake(entry);

		if (problem) {
			setter_warn(s, setter_item_position(v, offset, part.len), problem,
			            "write hosts, .domains, addresses and networks such as "
			            "10.0.0.0/8, with commas between them");
			warnings++;
		}
		offset += part.len + 1;
	}
	return STATUS_OK;
}
