/*
 * Points of the NIST curves (FIPS 186-4, D.1.2). libcrypto knows whether one is on its curve.
 */
#include "codec/codec.h"

#include <openssl/ec.h>
#include <openssl/obj_mac.h>

/* SEC 1, 2.3.3: the first byte of a point whose two coordinates follow. */
#define UNCOMPRESSED 4

static int nid_of(enum curve_kind kind)
{
	switch (kind) {
	case CURVE_P256:
		return NID_X9_62_prime256v1;
	case CURVE_P384:
		return NID_secp384r1;
	case CURVE_P521:
		return NID_secp521r1;
	}
	BUG("no such curve");
}

bool curve_has_point(enum curve_kind kind, sv bytes)
{
	if (bytes.len == 0 || bytes.ptr[0] != UNCOMPRESSED)
		return false;
	EC_GROUP *group = EC_GROUP_new_by_curve_name(nid_of(kind));
	EC_POINT *point = group ? EC_POINT_new(group) : NULL;
	bool found = point && EC_POINT_oct2point(group, point, (const unsigned char *)bytes.ptr,
	                                         bytes.len, NULL) == 1;

	EC_POINT_free(point);
	EC_GROUP_free(group);
	return found;
}
