/*
 * base64, base32, checksums.
 */
#include "codec/codec.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"

static enum status fn_b64enc(struct tmpl_call *call)
{
	return tmpl_return_string(call,
	                          base64_encode(call->arena, BASE64_STD, arg_string(call, 0)));
}

/* Errors come back as text. */
static enum status fn_b64dec(struct tmpl_call *call)
{
	size_t at;
	sv bytes;

	if (!base64_decode(call->arena, BASE64_STD, arg_string(call, 0), &bytes, &at))
		bytes = arena_printf(call->arena, "illegal base64 data at input byte %zu", at);
	return tmpl_return_string(call, bytes);
}

static enum status fn_b32enc(struct tmpl_call *call)
{
	return tmpl_return_string(call, base32_encode(call->arena, arg_string(call, 0)));
}

static enum status fn_b32dec(struct tmpl_call *call)
{
	size_t at;
	sv bytes;

	if (!base32_decode(call->arena, arg_string(call, 0), &bytes, &at))
		bytes = arena_printf(call->arena, "illegal base32 data at input byte %zu", at);
	return tmpl_return_string(call, bytes);
}

static enum status fn_sha1sum(struct tmpl_call *call)
{
	return tmpl_return_string(call, digest_hex(call->arena, DIGEST_SHA1, arg_string(call, 0)));
}

static enum status fn_sha256sum(struct tmpl_call *call)
{
	return tmpl_return_string(call,
	                          digest_hex(call->arena, DIGEST_SHA256, arg_string(call, 0)));
}

static enum status fn_sha512sum(struct tmpl_call *call)
{
	return tmpl_return_string(call,
	                          digest_hex(call->arena, DIGEST_SHA512, arg_string(call, 0)));
}

static enum status fn_adler32sum(struct tmpl_call *call)
{
	return tmpl_return_string(
	    call, arena_printf(call->arena, "%u", (unsigned)adler32_of(arg_string(call, 0))));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("adler32sum", "s>s", fn_adler32sum), TMPL_FUNC("b32dec", "s>s", fn_b32dec),
    TMPL_FUNC_IMAGE("b32enc", "s>s", fn_b32enc),   TMPL_FUNC("b64dec", "s>s", fn_b64dec),
    TMPL_FUNC_IMAGE("b64enc", "s>s", fn_b64enc),   TMPL_FUNC("sha1sum", "s>s", fn_sha1sum),
    TMPL_FUNC("sha256sum", "s>s", fn_sha256sum),   TMPL_FUNC("sha512sum", "s>s", fn_sha512sum),
};

const struct tmpl_func_table tmpl_funcs_encoding = TMPL_TABLE(funcs);
