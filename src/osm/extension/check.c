/*
 * Checks that the readers of an extension's members share.
 */
#include "codec/codec.h"
#include "osm/extension/internal.h"
#include "tmpl/tmpl.h"

#include <stdarg.h>

struct diag *extension_report(struct schema *schema, struct position at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(schema->arena, format, args);
	va_end(args);
	schema->failed = true;
	return diag_report(schema->sink, DIAG_EXTENSION, at, "%.*s", SV_ARG(text));
}

void extension_check_template(struct schema *schema, sv name, const struct value *text)
{
	const struct tmpl_source source = {name, text};
	struct tmpl_set *set;

	if (text->type && tmpl_parse(schema->arena, schema->sink, &tmpl_funcs_profile, &source,
	                             &set, NULL) != STATUS_OK)
		schema->failed = true;
}

/* Returns true for a template, whose result is not known before rendering. */
bool extension_is_template(sv text)
{
	return sv_find(text, SV("{{")) != SV_NPOS;
}

bool extension_is_word(sv text, const char *others)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)text.ptr[i]) &&
		    !ascii_is_any(text.ptr[i], others))
			return false;
	return text.len > 0 && text.ptr[0] != '-';
}

const struct value *extension_member(const struct value *map, const char *key, enum type_kind kind)
{
	const struct value *v = value_map_get(map, sv_from_cstr(key));

	return value_is(v, kind) ? v : NULL;
}

struct value extension_text(const struct value *map, const char *key)
{
	const struct value *v = extension_member(map, key, KIND_STRING);

	return v ? *v : VALUE_INVALID;
}

bool extension_is_true(const struct value *map, const char *key)
{
	const struct value *v = extension_member(map, key, KIND_BOOL);

	return v && v->boolean;
}

void extension_report_text(struct schema *schema, const struct value *text, const char *key)
{
	struct diag *diag = extension_report(schema, value_position(text),
	                                     "%s must hold strings that are not empty", key);

	diag_set_help(schema->sink, diag,
	              "put it in quotes when it looks like a number, or remove it");
}

const struct value *extension_texts(struct schema *schema, const struct value *map, const char *key)
{
	const struct value *list = extension_member(map, key, KIND_SLICE);
	bool is_right = true;

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (value_is_string(item) && !sv_empty(sv_trim_space(item->string)))
			continue;
		is_right = false;
		if (value_is_string(item))
			extension_report_text(schema, item, key);
	}
	return is_right ? list : NULL;
}

/* ---- certificates ------------------------------------------------------------------------ */

/* Checks that each PEM block is a certificate. Returns the mistake, or null. */
static const char *mistake_of(struct arena *arena, sv text)
{
	size_t count = 0;
	sv rest = text;
	sv label;
	sv der;

	while (pem_next(arena, &rest, &label, &der)) {
		if (!sv_eq(label, SV("CERTIFICATE")))
			return "has a PEM block that is not a certificate";
		if (!x509_is_certificate(der))
			return "has a certificate that is damaged";
		count++;
	}
	for (sv left = text; sv_cut(left, SV("-----BEGIN "), &rest, &left);)
		if (count-- == 0)
			return "has a PEM block that is damaged";
	return sv_find(text, SV("-----BEGIN ")) == SV_NPOS ? "has no PEM block CERTIFICATE" : NULL;
}

void extension_check_certificates(struct schema *schema, const struct value *list)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (extension_is_template(item->string)) {
			extension_check_template(schema, SV("caCertificates"), item);
			continue;
		}
		const char *mistake = mistake_of(schema->arena, item->string);
		if (!mistake)
			continue;
		struct diag *diag =
		    extension_report(schema, value_position(item), "this value %s", mistake);
		diag_set_help(schema->sink, diag,
		              "write certificates in PEM, as `openssl x509` prints them, and "
		              "nothing else: no private key");
	}
}
