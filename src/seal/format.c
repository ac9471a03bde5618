/*
 * The formats of sealed files: one line each, and what is the same for all of them.
 */
#include "seal/derive.h"
#include "seal/sealed_secret.h"
#include "seal/sops.h"

#include <sodium.h>

/* The first one holds where none is named. */
static const struct sealer_format *const formats[] = {
    &sops_format,
    &sealed_secret_format,
};

/* ---- the format of a name ---------------------------------------------------------------- */

const struct sealer_format *sealer_format_find(sv name)
{
	if (sv_empty(name))
		return formats[0];
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (sv_eq(name, formats[i]->name))
			return formats[i];
	return NULL;
}

const sv *sealer_format_names(struct arena *arena, size_t *ret_count)
{
	sv *names = ARENA_ARRAY(arena, sv, COUNT_OF(formats));

	for (size_t i = 0; i < COUNT_OF(formats); i++)
		names[i] = formats[i]->name;
	*ret_count = COUNT_OF(formats);
	return names;
}

const struct sealer_format *sealer_format_of(const struct value *document)
{
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		const struct sealer_format *format = formats[i];

		BUG_ON(!format);
		if (format->is_sealed(document))
			return format;
	}
	return NULL;
}

bool seal_is_sealed(const struct value *document)
{
	return sealer_format_of(document) != NULL;
}

bool seal_is_input(const struct value *document)
{
	const struct sealer_format *format = sealer_format_of(document);

	return format && format->is_input;
}

bool seal_is_sealed_text(sv text)
{
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (formats[i]->is_sealed_text && formats[i]->is_sealed_text(text))
			return true;
	return false;
}

bool seal_may_hide_kind(sv text)
{
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (formats[i]->may_hide_kind && formats[i]->may_hide_kind(text))
			return true;
	return false;
}

/* ---- sealing ----------------------------------------------------------------------------- */

enum status seal_recipients_parse(struct arena *arena, struct sink *sink,
                                  const struct sealer_format *format, sv wanted_by,
                                  const struct seal_recipient_text *texts, size_t count,
                                  struct seal_recipients *ret_recipients)
{
	struct seal_recipients recipients = {0};

	if (format->parse_recipients(arena, sink, wanted_by, texts, count, &recipients) !=
	    STATUS_OK)
		return STATUS_FAILED;
	recipients.format = format;
	*ret_recipients = recipients;
	return STATUS_OK;
}

sv seal_scope_name(enum seal_scope scope)
{
	switch (scope) {
	case SEAL_SCOPE_STRICT:
		return SV("strict");
	case SEAL_SCOPE_NAMESPACE:
		return SV("namespace-wide");
	case SEAL_SCOPE_CLUSTER:
		return SV("cluster-wide");
	}
	BUG("unknown scope");
}

sv seal_recipient_listed(struct arena *arena, const struct seal_recipients *recipients, size_t i)
{
	sv text = recipients->items[i].text;

	if (recipients->scope != SEAL_SCOPE_STRICT)
		text = ARENA_CONCAT(arena, text, SV(" "), seal_scope_name(recipients->scope));
	if (recipients->rule && recipients->rule->mac_only_encrypted)
		text = ARENA_CONCAT(arena, text, SV(" " SEAL_LISTED_MAC_ONLY));
	return text;
}

void seal_recipients_check_time(struct sink *sink, const struct seal_recipients *recipients,
                                struct position at, int64_t now)
{
	if (recipients->count > 0 && recipients->format->check_time)
		recipients->format->check_time(sink, recipients, at, now);
}

/* States are made when a format is first sealed to. */
struct sealer {
	const struct seal_root *root;
	void *states[COUNT_OF(formats)];
};

struct sealer *sealer_new(const struct seal_root *root)
{
	struct sealer *sealer;

	BUG_ON(!root);
	seal_init();
	sealer = sodium_malloc(sizeof(*sealer));
	if (!sealer)
		base_out_of_memory();
	*sealer = (struct sealer){.root = root};
	return sealer;
}

void sealer_free(struct sealer *sealer)
{
	if (!sealer)
		return;
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (sealer->states[i])
			formats[i]->state_free(sealer->states[i]);
	sodium_free(sealer);
}

/* The worker's state of the request's format. */
static void *state_of(struct sealer *sealer, const struct sealer_format *format)
{
	size_t i = 0;

	while (i < COUNT_OF(formats) && formats[i] != format)
		i++;
	BUG_ON(i == COUNT_OF(formats));
	if (!sealer->states[i])
		sealer->states[i] = format->state_new(sealer->root);
	return sealer->states[i];
}

enum status sealer_seal(struct sink *sink, struct sealer *sealer,
                        const struct seal_request *request, struct buf *out)
{
	const struct sealer_format *format = request->recipients->format;

	return format->seal(sink, state_of(sealer, format), request, out);
}

enum status sealer_seal_bytes(struct sink *sink, struct sealer *sealer,
                              const struct seal_request *request, sv text, struct buf *out)
{
	const struct sealer_format *format = request->recipients->format;

	return format->seal_bytes(sink, state_of(sealer, format), request, text, out);
}

/* ---- reading ----------------------------------------------------------------------------- */

enum status seal_open(struct arena *secret_arena, struct sink *sink, const struct value *documents,
                      size_t count, const struct seal_identities *identities,
                      struct value *ret_documents)
{
	struct value *opened = ARENA_ARRAY(secret_arena, struct value, count);
	enum status status = STATUS_OK;

	for (size_t i = 0, end; i < count; i = end) {
		const struct sealer_format *format = sealer_format_of(&documents[i]);

		for (end = i + 1; end < count; end++)
			if (sealer_format_of(&documents[end]) != format)
				break;
		if (!format)
			memcpy(opened + i, documents + i, (end - i) * sizeof(*opened));
		else if (format->read(secret_arena, sink, documents + i, end - i, identities,
		                      opened + i) != STATUS_OK)
			status = STATUS_FAILED;
	}
	if (status == STATUS_OK && count > 0)
		memcpy(ret_documents, opened, count * sizeof(*opened));
	return status;
}

void seal_list_recipients(struct arena *arena, const struct value *document,
                          struct seal_texts *recipients)
{
	const struct sealer_format *format = sealer_format_of(document);

	if (format && format->list_recipients)
		format->list_recipients(arena, document, recipients);
}

void seal_list_marks(struct arena *arena, const struct value *document, struct seal_texts *marks)
{
	const struct sealer_format *format = sealer_format_of(document);

	if (format && format->list_marks)
		format->list_marks(arena, document, marks);
}

bool seal_same_values(struct arena *arena, const struct sealer_format *format, sv before, sv now)
{
	struct buf left = buf_in(arena);
	struct buf right = buf_in(arena);

	format->add_values(&left, before);
	format->add_values(&right, now);
	return sv_eq(buf_sv(&left), buf_sv(&right));
}

sv seal_mask(struct arena *arena, sv text)
{
	sv masked;

	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (formats[i]->mask(arena, text, &masked))
			return masked;
	return text;
}
