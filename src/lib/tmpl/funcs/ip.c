/*
 * net.IP and net.IPMask with their methods. An address is four bytes, sixteen, or none (nil); a
 * template may cut one to any length.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "tmpl/exec.h"

enum { V4_BYTES = 4, V6_BYTES = 16, PREFIX_BYTES = V6_BYTES - V4_BYTES };

static const uint8_t v4_prefix[PREFIX_BYTES] = {[10] = 0xff, [11] = 0xff};

static bool is_address(sv ip)
{
	return ip.len == V4_BYTES || ip.len == V6_BYTES;
}

static bool is_mapped(sv ip)
{
	return ip.len == V6_BYTES && memcmp(ip.ptr, v4_prefix, PREFIX_BYTES) == 0;
}

/* The four bytes of an IPv4 address; empty for any other. */
static sv to_v4(sv ip)
{
	if (is_mapped(ip))
		return sv_from_offset(ip, PREFIX_BYTES);
	return ip.len == V4_BYTES ? ip : (sv){NULL, 0};
}

static sv to_v6(struct arena *arena, sv ip)
{
	if (ip.len != V4_BYTES)
		return ip.len == V6_BYTES ? ip : (sv){NULL, 0};
	return ARENA_CONCAT(arena, sv_from_bytes(v4_prefix, PREFIX_BYTES), ip);
}

static bool same_address(sv a, sv b)
{
	sv a4 = to_v4(a);
	sv b4 = to_v4(b);

	return a4.len > 0 && b4.len > 0 ? sv_eq(a4, b4) : sv_eq(a, b);
}

static uint8_t byte_at(sv s, size_t i)
{
	return (uint8_t)s.ptr[i];
}

static sv ip_text(struct arena *arena, const struct value *v)
{
	sv address = v->string;
	struct ip ip;

	if (address.len == 0)
		return SV("<nil>");
	if (!is_address(address))
		return ARENA_CONCAT(arena, SV("?"), hex_encode(arena, address));
	memcpy(ip.bytes, to_v6(arena, address).ptr, sizeof(ip.bytes));
	return go_ip_format(arena, &ip);
}

/* MarshalText: nothing for nil. */
static sv ip_marshal(struct arena *arena, const struct value *v)
{
	return v->string.len > 0 ? ip_text(arena, v) : SV("");
}

static enum status method_append_text(struct tmpl_call *call)
{
	sv ip = call->receiver->string;
	sv before = call->arg_count > 0 ? arg_string(call, 0) : SV("");

	if (ip.len > 0 && !is_address(ip))
		return tmpl_fail(call, "address %.*s: invalid IP address",
		                 SV_ARG(hex_encode(call->arena, ip)));
	return tmpl_return_bytes(
	    call, &type_bytes,
	    ARENA_CONCAT(call->arena, before, ip_marshal(call->arena, call->receiver)));
}

/* ---- kinds of addresses ------------------------------------------------------------------ */

static bool is_unspecified(sv ip)
{
	static const char zero[V6_BYTES];
	sv v4 = to_v4(ip);

	return v4.len > 0 ? memcmp(v4.ptr, zero, V4_BYTES) == 0
	                  : ip.len == V6_BYTES && memcmp(ip.ptr, zero, V6_BYTES) == 0;
}

static bool is_loopback(sv ip)
{
	static const char loopback[V6_BYTES] = {[V6_BYTES - 1] = 1};
	sv v4 = to_v4(ip);

	return v4.len > 0 ? byte_at(v4, 0) == 127
	                  : ip.len == V6_BYTES && memcmp(ip.ptr, loopback, V6_BYTES) == 0;
}

/* 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16; fc00::/7 */
static bool is_private(sv ip)
{
	sv v4 = to_v4(ip);

	if (v4.len == 0)
		return ip.len == V6_BYTES && (byte_at(ip, 0) & 0xfe) == 0xfc;
	return byte_at(v4, 0) == 10 || (byte_at(v4, 0) == 172 && (byte_at(v4, 1) & 0xf0) == 16) ||
	       (byte_at(v4, 0) == 192 && byte_at(v4, 1) == 168);
}

/* 224.0.0.0/4; ff00::/8 */
static bool is_multicast(sv ip)
{
	sv v4 = to_v4(ip);

	return v4.len > 0 ? (byte_at(v4, 0) & 0xf0) == 0xe0
	                  : ip.len == V6_BYTES && byte_at(ip, 0) == 0xff;
}

/* ff.1::/16 */
static bool is_interface_local_multicast(sv ip)
{
	return ip.len == V6_BYTES && byte_at(ip, 0) == 0xff && (byte_at(ip, 1) & 0x0f) == 1;
}

/* 224.0.0.0/24; ff.2::/16 */
static bool is_link_local_multicast(sv ip)
{
	sv v4 = to_v4(ip);

	if (v4.len > 0)
		return byte_at(v4, 0) == 224 && byte_at(v4, 1) == 0 && byte_at(v4, 2) == 0;
	return ip.len == V6_BYTES && byte_at(ip, 0) == 0xff && (byte_at(ip, 1) & 0x0f) == 2;
}

/* 169.254.0.0/16; fe80::/10 */
static bool is_link_local_unicast(sv ip)
{
	sv v4 = to_v4(ip);

	if (v4.len > 0)
		return byte_at(v4, 0) == 169 && byte_at(v4, 1) == 254;
	return ip.len == V6_BYTES && byte_at(ip, 0) == 0xfe && (byte_at(ip, 1) & 0xc0) == 0x80;
}

static bool is_global_unicast(sv ip)
{
	return is_address(ip) && !same_address(ip, SV("\xff\xff\xff\xff")) && !is_unspecified(ip) &&
	       !is_loopback(ip) && !is_multicast(ip) && !is_link_local_unicast(ip);
}

#define ANSWER_METHOD(predicate)                                                                   \
	static enum status method_##predicate(struct tmpl_call *call)                              \
	{                                                                                          \
		return tmpl_return_bool(call, predicate(call->receiver->string));                  \
	}

ANSWER_METHOD(is_unspecified)
ANSWER_METHOD(is_loopback)
ANSWER_METHOD(is_private)
ANSWER_METHOD(is_multicast)
ANSWER_METHOD(is_interface_local_multicast)
ANSWER_METHOD(is_link_local_multicast)
ANSWER_METHOD(is_link_local_unicast)
ANSWER_METHOD(is_global_unicast)

static enum status method_equal(struct tmpl_call *call)
{
	return tmpl_return_bool(call, same_address(call->receiver->string, arg_string(call, 0)));
}

/* ---- other forms, masks ------------------------------------------------------------------ */

static enum status method_to_v4(struct tmpl_call *call)
{
	return tmpl_return_bytes(call, &type_ip, to_v4(call->receiver->string));
}

static enum status method_to_v6(struct tmpl_call *call)
{
	return tmpl_return_bytes(call, &type_ip, to_v6(call->arena, call->receiver->string));
}

/* Returns the mask of the address' class, or nil for IPv6. */
static enum status method_default_mask(struct tmpl_call *call)
{
	sv v4 = to_v4(call->receiver->string);

	return tmpl_return_bytes(call, &type_ip_mask,
	                         v4.len == 0             ? (sv){NULL, 0}
	                         : byte_at(v4, 0) < 0x80 ? SV("\xff\0\0\0")
	                         : byte_at(v4, 0) < 0xc0 ? SV("\xff\xff\0\0")
	                                                 : SV("\xff\xff\xff\0"));
}

static bool starts_with_ones(sv mask)
{
	for (size_t i = 0; i < PREFIX_BYTES; i++)
		if (byte_at(mask, i) != 0xff)
			return false;
	return true;
}

static enum status method_mask(struct tmpl_call *call)
{
	sv ip = call->receiver->string;
	sv mask = arg_string(call, 0);

	if (mask.len == V6_BYTES && ip.len == V4_BYTES && starts_with_ones(mask))
		mask = sv_from_offset(mask, PREFIX_BYTES);
	if (mask.len == V4_BYTES && is_mapped(ip))
		ip = to_v4(ip);
	if (mask.len != ip.len)
		return tmpl_return_bytes(call, &type_ip, (sv){NULL, 0});
	char *masked = arena_alloc_text(call->arena, ip.len);
	for (size_t i = 0; i < ip.len; i++)
		masked[i] = (char)(byte_at(ip, i) & byte_at(mask, i));
	return tmpl_return_bytes(call, &type_ip, sv_from(masked, ip.len));
}

static const struct type_method ip_methods[] = {
    {"AppendText", "y>o", method_append_text},
    {"DefaultMask", ">o", method_default_mask},
    {"Equal", "n>b", method_equal},
    {"IsGlobalUnicast", ">b", method_is_global_unicast},
    {"IsInterfaceLocalMulticast", ">b", method_is_interface_local_multicast},
    {"IsLinkLocalMulticast", ">b", method_is_link_local_multicast},
    {"IsLinkLocalUnicast", ">b", method_is_link_local_unicast},
    {"IsLoopback", ">b", method_is_loopback},
    {"IsMulticast", ">b", method_is_multicast},
    {"IsPrivate", ">b", method_is_private},
    {"IsUnspecified", ">b", method_is_unspecified},
    {"MarshalText", ">o", method_append_text},
    {"Mask", "k>o", method_mask},
    {"String", ">s", tmpl_method_string},
    {"To16", ">o", method_to_v6},
    {"To4", ">o", method_to_v4},
};

const struct type type_ip = {
    .kind = KIND_SLICE,
    .name = SV_INIT("net.IP"),
    .elem = &type_uint8,
    .methods = ip_methods,
    .method_count = COUNT_OF(ip_methods),
    .to_string = ip_text,
    .to_json = ip_marshal,
    .to_text = ip_marshal,
};

static sv mask_text(struct arena *arena, const struct value *v)
{
	return v->string.len > 0 ? hex_encode(arena, v->string) : SV("<nil>");
}

static const struct type_method mask_methods[] = {
    {"Size", ">!invalid function signature for Size: second return value should be error; is int",
     NULL},
    {"String", ">s", tmpl_method_string},
};

const struct type type_ip_mask = {
    .kind = KIND_SLICE,
    .name = SV_INIT("net.IPMask"),
    .elem = &type_uint8,
    .methods = mask_methods,
    .method_count = COUNT_OF(mask_methods),
    .to_string = mask_text,
};
