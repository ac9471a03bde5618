/*
 * Percent-encoding as net/url does it for each part of a URL. Private to golang.
 */
#ifndef OSM_GEN_GOLANG_ESCAPE_H
#define OSM_GEN_GOLANG_ESCAPE_H

#include "base/base.h"

enum escape_mode {
	ESCAPE_PATH,
	ESCAPE_SEGMENT,
	ESCAPE_HOST,
	ESCAPE_ZONE,
	ESCAPE_USERINFO,
	ESCAPE_QUERY,
	ESCAPE_FRAGMENT,
};

bool escape_is_needed(enum escape_mode mode, char c);
sv escape_encode(struct arena *arena, enum escape_mode mode, sv text);
/* The error is Go's: `invalid URL escape "%zz"`, `invalid character " " in host name`. */
MUST_CHECK bool escape_decode(struct arena *arena, enum escape_mode mode, sv text, sv *ret_text,
                              sv *ret_error);

#endif
