/*
 * Which lists of hosts have the API server's: what httpproxy of golang.org/x/net v0.33.0 decides.
 */
#include "osm/osm.h"

#include "asserts.h"

static const struct {
	const char *host;
	const char *port;
} servers[] = {
    {"api.example.com", "6443"},
    {"api.example.com", "443"},
    {"10.1.2.3", "6443"},
    {"fd00::5", "6443"},
    {"localhost", "6443"},
    {"127.0.0.1", "6443"},
    {"::1", "6443"},
    {"API.example.com", "6443"},
    {"example.com", "6443"},
};

/* For each list, "1" for each server that nodes reach without the proxy. */
static const struct {
	const char *no_proxy;
	const char *without_proxy;
} lists[] = {
    {"", "000011100"},
    {".svc,.cluster.local,localhost,127.0.0.1", "000011100"},
    {"api.example.com", "110011110"},
    {"example.com", "110011111"},
    {".example.com", "110011110"},
    {"*.example.com", "110011110"},
    {"*", "111111111"},
    {"api.example.com:6443", "100011110"},
    {"api.example.com:443", "010011100"},
    {"10.1.2.3", "001011100"},
    {"10.1.2.3:6443", "001011100"},
    {"10.0.0.0/8", "001011100"},
    {"10.1.2.0/24", "001011100"},
    {"10.1.3.0/24", "000011100"},
    {"fd00::/8", "000111100"},
    {"fd00::5", "000111100"},
    {"[fd00::5]:6443", "000111100"},
    {"pi.example.com", "000011100"},
    {" api.example.com , x", "110011110"},
    {"10.0.0.0/33", "000011100"},
    {"0.0.0.0/0", "001011100"},
    {"::/0", "000111100"},
    {"EXAMPLE.com", "110011111"},
    {"*example.com", "000011100"},
    {":6443", "000011100"},
    {"[fd00::5]", "000011100"},
    {"10.0.0.0/x", "000011100"},
    {"10.0.0.0/", "000011100"},
};

static void as_httpproxy_decides(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		for (size_t j = 0; j < COUNT_OF(servers); j++) {
			bool got = osm_is_without_proxy(sv_from_cstr(lists[i].no_proxy),
			                                sv_from_cstr(servers[j].host),
			                                sv_from_cstr(servers[j].port));

			if (got != (lists[i].without_proxy[j] == '1'))
				fail_msg("%s and %s:%s", lists[i].no_proxy, servers[j].host,
				         servers[j].port);
		}
}

UNIT_TESTS(osm_proxy)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_httpproxy_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
