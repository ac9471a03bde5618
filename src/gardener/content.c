/*
 * Resolves the contents of files, from inline data and from Secrets, which stay tainted
 * (docs/spec/gardener.md 1.6). Contents are literal: they are not templates and have no variables.
 */
#include "codec/codec.h"
#include "gardener/internal.h"
#include "seal/seal.h"

void gardener_osc_want(const struct kube_object *object, struct dialect_wants *wants)
{
	const struct value *files = value_path(object->root, "spec.files");

	for (size_t i = 0; value_is_list(files) && i < value_count(files); i++) {
		const struct value *reference =
		    value_path(value_item(files, i), "content.secretRef");
		sv name = value_text(value_map_get(reference, SV("name")));

		if (!sv_empty(name))
			dialect_want(wants, SV("Secret"), object->id.namespace, name);
	}
}

struct finder {
	struct arena *arena;
	struct sink *sink;
	const struct kube_objects *objects;
	sv namespace;
	bool secrets_may_be_absent;
};

/* ---- inline ------------------------------------------------------------------------------ */

/* Returns true for a letter of base64's standard alphabet (RFC 4648 section 4). */
static bool is_letter(char c)
{
	return ascii_is_alphanumeric((unsigned char)c) || c == '+' || c == '/';
}

/* Returns true if base64 is incomplete at its end: padding or letters are missing. */
static bool is_cut_off(sv text, size_t error_at)
{
	size_t letters = 0;

	for (size_t i = error_at; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\r' || c == '\n')
			continue;
		if (!is_letter(c))
			return false;
		letters++;
	}
	return letters < 4 && sv_find_char(text, '=') == SV_NPOS;
}

static enum status decode(const struct finder *f, const struct value *data,
                          struct gardener_file *file)
{
	struct value decoded = *data;
	size_t error_at = 0;

	if (!base64_decode(f->arena, BASE64_STD, data->string, &decoded.string, &error_at)) {
		bool is_short = is_cut_off(data->string, error_at);
		struct diag *diag = diag_report(
		    f->sink, DIAG_GARDENER_BASE64,
		    is_short ? value_position(data) : value_text_position(data, error_at),
		    "the data of %.*s is not base64: %s", SV_ARG(value_text(&file->path)),
		    is_short ? "its end is missing" : "this does not belong to it");

		diag_set_help(
		    f->sink, diag,
		    "encode it with `base64 -w0`; or set encoding: \"\" if the data is plain text");
		return STATUS_FAILED;
	}
	decoded.taint = taint_whole(f->arena, decoded.string.len, secrecy_find(data));
	file->content = decoded;
	return STATUS_OK;
}

static enum status find_inline(const struct finder *f, struct gardener_file *file)
{
	const struct value *data = value_map_get(file->inline_, SV("data"));

	if (!value_is_string(data))
		return STATUS_FAILED;
	if (sv_eq(value_text(&file->encoding), SV("b64")))
		return decode(f, data, file);
	file->content = *data;
	return STATUS_OK;
}

/* ---- Secrets ----------------------------------------------------------------------------- */

static enum status find_secret(const struct finder *f, struct gardener_file *file)
{
	const struct value *name = value_map_get(file->secret, SV("name"));
	const struct value *key = value_map_get(file->secret, SV("dataKey"));
	const struct kube_object *secret;

	if (sv_empty(value_text(name)) || sv_empty(value_text(key)))
		return STATUS_FAILED;
	secret = kube_objects_find(f->objects, SV("Secret"), f->namespace, name->string);
	/* Names of keys are clear in an encrypted Secret, too: a key that is missing is reported.
	 */
	if (f->secrets_may_be_absent &&
	    (secret ? kube_secret_is_unfilled(secret, key->string) ||
	                  (kube_secret_has(secret, key->string) && seal_is_sealed(secret->root))
	            : kube_secret_may_come(f->arena, f->sink, f->objects, f->namespace,
	                                   name->string, value_position(name)))) {
		file->content =
		    kube_absent_value(f->arena, f->namespace, name->string, key->string);
		return STATUS_OK;
	}
	if (secret)
		return kube_secret_value(f->arena, f->sink, secret, key->string,
		                         value_position(key), &file->content);
	if (kube_objects_is_failed(f->objects, SV("Secret"), f->namespace, name->string))
		return STATUS_FAILED;
	struct diag *diag = diag_report(f->sink, DIAG_OBJECT_MISSING, value_position(name),
	                                "Secret %.*s/%.*s is not among the manifests",
	                                SV_ARG(f->namespace), SV_ARG(name->string));
	kube_objects_help_missing(f->arena, f->sink, diag, f->objects,
	                          &(struct kube_id){.kind = SV("Secret"),
	                                            .namespace = f->namespace,
	                                            .name = name->string});
	return STATUS_FAILED;
}

/* ---- both -------------------------------------------------------------------------------- */

/* Fails if a file that is readable in user-data, inside a shell script or YAML, has a NUL. */
static enum status check_transparent(const struct finder *f, const struct gardener_file *file)
{
	size_t at = sv_find_char(value_text(&file->content), '\0');
	bool is_as_given = file->inline_ && sv_empty(value_text(&file->encoding));

	if (!file->is_transparent || at == SV_NPOS)
		return STATUS_OK;
	struct diag *diag =
	    diag_report(f->sink, DIAG_GARDENER_TEXT,
	                is_as_given ? value_text_position(&file->content, at)
	                            : value_position(file->inline_ ? file->inline_ : file->secret),
	                "%.*s: a file with transmitUnencoded cannot hold a NUL byte",
	                SV_ARG(value_text(&file->path)));
	diag_set_help(f->sink, diag, "remove the NUL, or transmitUnencoded");
	return STATUS_FAILED;
}

enum status gardener_osc_contents(struct arena *arena, struct sink *sink,
                                  const struct kube_objects *objects, bool secrets_may_be_absent,
                                  struct gardener_osc *osc)
{
	const struct finder f = {arena, sink, objects, osc->object->id.namespace,
	                         secrets_may_be_absent};
	bool failed = false;

	for (size_t i = 0; i < osc->file_count; i++) {
		struct gardener_file *file = &osc->files[i];

		if (file->inline_)
			failed |= find_inline(&f, file) != STATUS_OK;
		else if (file->secret)
			failed |= find_secret(&f, file) != STATUS_OK;
		failed |= check_transparent(&f, file) != STATUS_OK;
	}
	return failed ? STATUS_FAILED : STATUS_OK;
}
