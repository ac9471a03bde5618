/*
 * The forms of hosts, URLs and images that the programs of nodes read. Part of dialect.h.
 */
#ifndef OSM_GEN_DIALECT_FORM_H
#define OSM_GEN_DIALECT_FORM_H

#include "base/base.h"

/* Returns true for a name of DNS, with or without _, or an address without brackets. */
bool form_is_host(sv text);
/* Returns true for a port from 1 to 65535. */
bool form_is_port(sv text);
/* Returns true for HOST and HOST:PORT. An IPv6 address is in brackets. */
bool form_is_host_port(sv text);
/* Returns true for a registry as containerd's hosts.toml has it: HOST[:PORT][/PATH], *, _default.
 */
bool form_is_registry(sv text);
/*
 * Returns true for a reference to an image, by the grammar of
 * https://github.com/distribution/reference: [REGISTRY/]NAME[:TAG][@DIGEST].
 */
bool form_is_image(sv text);
/*
 * Returns a message about a URL that no program of nodes takes ("names no host"), or null.
 * `schemes` are those that are taken, in lower case, ending with null; `wanted` is the message
 * about any other.
 */
const char *form_url_mistake(struct arena *arena, sv url, const char *const *schemes,
                             const char *wanted);

#endif
