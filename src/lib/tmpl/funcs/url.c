/*
 * sprig's urlParse and urlJoin: a URL as a dict.
 */
#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"

static enum status fn_url_parse(struct tmpl_call *call)
{
	struct value dict = value_map_new(call->arena);
	struct url url;
	sv error;

	if (!go_url_parse(call->arena, arg_string(call, 0), &url, &error))
		return tmpl_fail(call, "unable to parse url: %.*s", SV_ARG(error));
	const struct {
		sv key;
		sv text;
	} parts[] = {
	    {SV("scheme"), url.scheme},
	    {SV("host"), url.host},
	    {SV("hostname"), go_url_hostname(&url)},
	    {SV("path"), url.path},
	    {SV("query"), url.raw_query},
	    {SV("opaque"), url.opaque},
	    {SV("fragment"), url.fragment},
	    {SV("userinfo"), url.has_user ? go_url_userinfo(call->arena, &url) : SV("")},
	};
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		value_map_set(call->arena, &dict, parts[i].key, value_string(parts[i].text));
	return tmpl_return(call, dict);
}

static enum status part_of(struct tmpl_call *call, const char *key, sv *ret_text)
{
	const struct value *v = value_map_get(call->args[0].v, sv_from_cstr(key));

	*ret_text = SV("");
	if (!v)
		return STATUS_OK;
	if (value_is_null(v))
		return tmpl_fail(call, "runtime error: invalid memory address or nil pointer "
		                       "dereference");
	if (v->type->kind != KIND_STRING) {
		sv kind = type_kind_name(v->type->kind);
		return tmpl_fail(call,
		                 "unable to parse %s key, must be of type string, but %.*s found",
		                 key, SV_ARG(kind));
	}
	*ret_text = v->string;
	return STATUS_OK;
}

static enum status fn_url_join(struct tmpl_call *call)
{
	struct url url = {0};
	struct url user;
	sv userinfo;
	sv error;

	TRY(part_of(call, "scheme", &url.scheme));
	TRY(part_of(call, "host", &url.host));
	TRY(part_of(call, "path", &url.path));
	TRY(part_of(call, "query", &url.raw_query));
	TRY(part_of(call, "opaque", &url.opaque));
	TRY(part_of(call, "fragment", &url.fragment));
	TRY(part_of(call, "userinfo", &userinfo));
	if (userinfo.len > 0) {
		sv text = ARENA_CONCAT(call->arena, SV("proto://"), userinfo, SV("@host"));
		if (!go_url_parse(call->arena, text, &user, &error))
			return tmpl_fail(call, "unable to parse userinfo in dict: %.*s",
			                 SV_ARG(error));
		url.has_user = user.has_user;
		url.username = user.username;
		url.has_password = user.has_password;
		url.password = user.password;
	}
	return tmpl_return_string(call, go_url_format(call->arena, &url));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("urlJoin", "m>s", fn_url_join),
    TMPL_FUNC("urlParse", "s>m", fn_url_parse),
};

const struct tmpl_func_table tmpl_funcs_url = TMPL_TABLE(funcs);
