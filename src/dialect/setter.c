/*
 * Reads a setting's value as a string, a boolean or a list, and checks URLs, hosts and registries.
 */
#include "dialect/dialect.h"

#include "golang/golang.h"

enum status setter_report(const struct setter *s, struct position at, const char *problem,
                          const char *help)
{
	struct diag *diag = diag_report(s->sink, DIAG_SETTING_VALUE, at, "%.*s: %s",
	                                SV_ARG(s->setting->name), problem);

	diag_set_help(s->sink, diag, "%s", help);
	return STATUS_FAILED;
}

void setter_warn(const struct setter *s, struct position at, const char *problem, const char *help)
{
	struct diag *diag = diag_report(s->sink, DIAG_SETTING_DOUBT, at, "%.*s: %s",
	                                SV_ARG(s->setting->name), problem);

	diag_set_help(s->sink, diag, "%s", help);
}

bool setter_has_form(const struct value *text)
{
	size_t length;
	size_t at;

	return !secrecy_is_absent(text) && !kube_variable_find(value_text(text), 0, &at, &length);
}

/* Says nothing of the value, not even its line: it may be a password. */
static enum status report_unshown(const struct setter *s, struct position at, const char *problem,
                                  const char *help)
{
	return setter_report(s, position_without_line(s->sink->arena, at), problem, help);
}

enum status setter_check_url(const struct setter *s, const struct value *url, struct position at)
{
	if (url->taint || !secrecy_userinfo_is_unclear(value_text(url)))
		return STATUS_OK;
	return report_unshown(
	    s, at, "has @, but is not a URL that user and password can be read from",
	    "write SCHEME://USER:PASSWORD@HOST:PORT/PATH, and write characters of user, password "
	    "and path other than letters, digits and -._~ as %XX, such as %2F for / and %40 for @");
}

enum status setter_check_host(const struct setter *s, const struct value *host, struct position at,
                              const char *help)
{
	if (host->taint || sv_find_char(value_text(host), '@') == SV_NPOS)
		return STATUS_OK;
	return report_unshown(s, at, "has @, which no name of a host has", help);
}

struct position setter_item_position(const struct value *v, size_t offset, size_t len)
{
	struct position at = value_text_position(v, offset);

	if (at.source && v->origin.style == ORIGIN_EXACT && len > 0)
		at.length = len;
	return at;
}

enum status setter_check_items(const struct setter *s, const struct value *v, bool split,
                               setter_check *check)
{
	struct sv_splitter it = sv_split(value_text(v), ',');
	enum status status = STATUS_OK;
	size_t offset = 0;
	sv part;

	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++)
		if (value_is_string(value_item(v, i)))
			status |= check(s, value_item(v, i), value_position(value_item(v, i)));
	if (value_is_string(v) && (!split || v->taint))
		return check(s, v, value_position(v));
	while (value_is_string(v) && sv_split_next(&it, &part)) {
		struct value item = value_string(sv_trim_space(part));

		status |= check(s, &item, setter_item_position(v, offset, part.len));
		offset += part.len + 1;
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* Flux substitutes nothing in osm-gen.yaml before osm-gen reads it. */
static void check_variable(const struct setter *s, const struct value *v)
{
	size_t length;
	size_t at;

	if (!kube_variable_find(value_text(v), 0, &at, &length))
		return;
	struct diag *diag =
	    diag_report(s->sink, DIAG_VARIABLE_LEFT, setter_item_position(v, at, length),
	                "%.*s: nothing fills in %.*s, so machines get it unchanged",
	                SV_ARG(s->setting->name), SV_ARG(sv_slice(v->string, at, at + length)));
	diag_set_help(
	    s->sink, diag,
	    "write the value itself; put values that differ between clusters into each cluster's "
	    "osm-gen.yaml, and pass values that only CI knows with a flag or its variable");
}

/* Reports a value that sops has encrypted. In osm-gen.yaml placeholders take its place. */
static bool is_ciphertext(const struct setter *s, const struct value *v)
{
	if (v->taint || !sv_contains(value_text(v), SV("ENC[AES256_GCM,")))
		return false;
	(void)setter_report(s, value_position(v), "is encrypted by sops",
	                    "give the value in the clear, or encrypt it in osm-gen.yaml "
	                    "(docs/howto/settings.md)");
	return true;
}

enum status setter_take_text(const struct setter *s, const struct value *v, struct value *ret)
{
	if (value_is_null(v)) {
		*ret = value_string(SV(""));
		return STATUS_OK;
	}
	if (!value_is_string(v))
		return setter_report(s, value_position(v), "must be a string",
		                     "put it in quotes when it looks like a number or a boolean");
	if (is_ciphertext(s, v))
		return STATUS_FAILED;
	check_variable(s, v);
	*ret = *v;
	return STATUS_OK;
}

enum status setter_take_bool(const struct setter *s, const struct value *v, bool *ret)
{
	sv error;

	if (value_is(v, KIND_BOOL)) {
		*ret = v->boolean;
		return STATUS_OK;
	}
	if (value_is_string(v) && go_strconv_parse_bool(s->arena, v->string, ret, &error))
		return STATUS_OK;
	return setter_report(s, value_position(v), "must be true or false",
	                     "write true or false, without quotes");
}

static void add_item(const struct setter *s, struct setter_items *items, const struct value *v,
                     sv part, size_t offset, bool trim)
{
	struct value text = *v;
	sv trimmed = trim ? sv_trim_space(part) : part;

	if (trimmed.len > 0)
		offset += (size_t)(trimmed.ptr - part.ptr);
	check_variable(s, v);
	text.string = trimmed;
	text.taint = taint_slice(s->arena, v->taint, offset, offset + trimmed.len);
	VEC_PUSH(s->arena, items,
	         (struct setter_item){text, setter_item_position(v, offset, trimmed.len)});
}

enum status setter_take_list(const struct setter *s, const struct value *v, bool split,
                             struct setter_items *ret_items)
{
	struct setter_items items = {0};
	enum status status = STATUS_OK;

	if (is_ciphertext(s, v))
		return STATUS_FAILED;
	if (value_is_string(v)) {
		struct sv_splitter it = sv_split(v->string, ',');
		size_t offset = 0;
		sv part;

		if (!split)
			add_item(s, &items, v, v->string, 0, false);
		while (split && sv_split_next(&it, &part)) {
			add_item(s, &items, v, part, offset, true);
			offset += part.len + 1;
		}
	} else if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value *item = value_item(v, i);

			if (is_ciphertext(s, item))
				status = STATUS_FAILED;
			else if (value_is_string(item))
				add_item(s, &items, item, item->string, 0, split);
			else
				status |=
				    setter_report(s, value_position(item), "items must be strings",
				                  "put it in quotes");
		}
	} else if (!value_is_null(v)) {
		return setter_report(s, value_position(v), "must be a list of strings",
		                     "write a list, or one string with commas between");
	}
	*ret_items = items;
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

enum status setter_check_url_form(const struct setter *s, const struct value *url,
                                  struct position at, const struct setter_url *form)
{
	/* SAFETY: parts of an encrypted URL stay in locked memory, and are wiped. */
	ARENA_AUTO secret = arena_new(ARENA_SECRET);
	sv text = value_text(url);
	size_t user_end = sv_rfind_char(text, '@');
	const char *problem;

	if (!setter_has_form(url))
		return STATUS_OK;
	if (user_end != SV_NPOS)
		at = position_without_line(s->sink->arena, at);
	if (form->scheme_help && !sv_contains(text, SV("://")) &&
	    form_is_host_port(sv_from_offset(text, user_end == SV_NPOS ? 0 : user_end + 1))) {
		setter_warn(s, at, "has no scheme", form->scheme_help);
		return STATUS_OK;
	}
	problem =
	    form_url_mistake(url->taint ? secret : s->arena, text, form->schemes, form->problem);
	if (!problem && form->has_no_query &&
	    (sv_find_char(text, '?') != SV_NPOS || sv_find_char(text, '#') != SV_NPOS))
		problem = "has a query or a fragment";
	return problem ? setter_report(s, at, problem, form->help) : STATUS_OK;
}

const struct setter_url setter_url_of_server = {
    .schemes = (const char *const[]){"https", NULL},
    .problem = "must be an https URL",
    .help = "write the API server as https://HOST:PORT",
    .has_no_query = true,
};

enum status setter_check_registry(const struct setter *s, const struct value *name,
                                  struct position at)
{
	if (!setter_has_form(name) || form_is_registry(value_text(name)))
		return STATUS_OK;
	return setter_report(s, at, "must be the name of a registry",
	                     "write HOST or HOST:PORT, without http:// and blanks");
}
