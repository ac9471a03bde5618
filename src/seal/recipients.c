/*
 * Recipients of age, as people write them down.
 */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/bech32.h"
#include "seal/derive.h"
#include "seal/xwing.h"

#include <sodium.h>
#include <stdlib.h>

#define IDENTITY_PREFIX SV("AGE-SECRET-KEY-")
#define SEED_PREFIX     SV("OSMGEN-SEED-")

/* ---- recipients -------------------------------------------------------------------------- */

/* Returns the kind of a recipient that age knows and osm-gen does not implement, or null. */
static const char *foreign_recipient(sv text)
{
	if (sv_starts_with(text, SV("age1tag1")) || sv_starts_with(text, SV("age1tagpq1")))
		return "a hardware tag recipient";
	if (sv_starts_with(text, SV("age1")) && !sv_starts_with(text, SV("age1pq1")) &&
	    sv_find_char(sv_from_offset(text, 4), '1') != SV_NPOS)
		return "a plugin's recipient";
	if (sv_starts_with(text, SV("ssh-")) || sv_starts_with(text, SV("ecdsa-")) ||
	    sv_starts_with(text, SV("sk-")))
		return "an SSH key of another type than ssh-ed25519 and ssh-rsa";
	return NULL;
}

static bool is_ssh(sv text)
{
	return sv_starts_with(text, SV("ssh-ed25519")) || sv_starts_with(text, SV("ssh-rsa"));
}

static bool is_hybrid(sv text)
{
	return sv_starts_with(text, SV("age1pq1"));
}

bool age_recipient_is_spoken(sv text)
{
	if (is_hybrid(text))
		return xwing_is_available();
	return is_ssh(text) || !foreign_recipient(text);
}

sv seal_recipient_shown(struct arena *arena, sv text)
{
	enum { LONGEST = 100, BEGIN = 24, END = 16 };

	if (text.len <= LONGEST)
		return text;
	return ARENA_CONCAT(arena, sv_slice(text, 0, BEGIN), SV("..."),
	                    sv_from_offset(text, text.len - END));
}

static enum status recipient_error(struct sink *sink, const struct seal_recipient_text *text,
                                   enum diag_code code, const char *what)
{
	struct diag *diag = diag_report(sink, code, text->at, "recipient %.*s%s is %s",
	                                SV_ARG(sv_slice(text->text, 0, 24)),
	                                text->text.len > 24 ? "..." : "", what);

	diag_set_help(sink, diag,
	              "use an X25519 recipient, age1 and 58 more characters: `osm-gen keygen "
	              "identity` and `age-keygen` print one as the public key; or age1pq1... of "
	              "`age-keygen -pq`, or an ssh-ed25519 or ssh-rsa key");
	return STATUS_FAILED;
}

/* Reports a recipient that another libcrypto could seal to. */
static enum status report_no_lattice(struct sink *sink, const struct seal_recipient_text *text)
{
	struct diag *diag = diag_report(
	    sink, DIAG_POST_QUANTUM, text->at,
	    "recipient %.*s... is post-quantum, and this system's libcrypto %s lacks ML-KEM-768",
	    SV_ARG(sv_slice(text->text, 0, 24)), codec_crypto_version());

	diag_set_help(
	    sink, diag,
	    "use the static program, which has OpenSSL 3.5 in it, or a system that has it "
	    "(Debian 13, Ubuntu 26.04); or name an X25519 recipient, age1...");
	return STATUS_FAILED;
}

/* Returns the kind of a private key given in place of a recipient, or null. Files would show it. */
static const char *secret_recipient(sv text)
{
	if (sv_starts_with(text, IDENTITY_PREFIX))
		return "a secret key, not its recipient";
	if (sv_starts_with(text, SEED_PREFIX))
		return "a sealing seed, which is secret";
	return NULL;
}

static const char *bech32_mistake(enum bech32_result result)
{
	switch (result) {
	case BECH32_FINE:
		return NULL;
	case BECH32_CHECKSUM:
		return "mistyped or cut off: its checksum is wrong";
	case BECH32_FORM:
	case BECH32_PREFIX:
	case BECH32_LENGTH:
		return "not an age recipient";
	}
	BUG("unknown result");
}

static const char *read_hybrid(struct arena *arena, sv text, struct age_recipient *key)
{
	uint8_t *bytes = (uint8_t *)arena_alloc_text(arena, XWING_PUBLIC_SIZE);
	const char *mistake =
	    bech32_mistake(bech32_decode(text, AGE_HYBRID_PREFIX, bytes, XWING_PUBLIC_SIZE));

	if (mistake)
		return mistake;
	if (xwing_is_available() && !xwing_is_public(bytes))
		return "not a key: its bytes are not those of ML-KEM-768 and X25519";
	key->kind = AGE_HYBRID;
	key->key = sv_from_bytes(bytes, XWING_PUBLIC_SIZE);
	return NULL;
}

static const char *read_x25519(sv text, struct age_recipient *key)
{
	static const uint8_t any_scalar[32] = {1};
	uint8_t shared[32];
	const char *mistake =
	    bech32_mistake(bech32_decode(text, AGE_RECIPIENT_PREFIX, key->point, AGE_KEY_SIZE));

	if (mistake)
		return mistake;
	return crypto_scalarmult(shared, any_scalar, key->point) == 0
	           ? NULL
	           : "a point of low order: everybody could decrypt";
}

/* *ret_text is the recipient as files have it: without an SSH key's comment. */
static enum status parse_recipient(struct arena *arena, struct sink *sink,
                                   const struct seal_recipient_text *text,
                                   struct age_recipient *key, sv *ret_text)
{
	const char *secret = secret_recipient(text->text);
	const char *foreign = is_ssh(text->text) ? NULL : foreign_recipient(text->text);
	const char *mistake = NULL;

	*ret_text = arena_dup(arena, text->text);
	if (secret) {
		/* Its text must not be shown; a file that holds one is confidential. */
		struct diag *diag = diag_report(sink, DIAG_RECIPIENT_INVALID, text->at,
		                                "a recipient is %s", secret);
		diag_set_help(sink, diag,
		              "name the public key, age1..., of an identity instead, and treat the "
		              "key that was here as known to others");
		return STATUS_FAILED;
	}
	if (is_hybrid(text->text)) {
		mistake = read_hybrid(arena, text->text, key);
		if (!mistake && !xwing_is_available())
			return report_no_lattice(sink, text);
	} else if (is_ssh(text->text)) {
		mistake = age_ssh_parse(arena, text->text, key, ret_text);
	} else if (foreign) {
		return recipient_error(sink, text, DIAG_RECIPIENT_TYPE, foreign);
	} else {
		mistake = read_x25519(text->text, key);
	}
	return mistake ? recipient_error(sink, text, DIAG_RECIPIENT_INVALID, mistake) : STATUS_OK;
}

void seal_report_no_recipients(struct sink *sink, sv wanted_by, struct position at)
{
	struct diag *diag = diag_report(sink, DIAG_RECIPIENTS_MISSING, at,
	                                "no recipients to seal to for %.*s", SV_ARG(wanted_by));

	diag_set_help(sink, diag,
	              "name some in osm-gen.yaml at the repository's root; `osm-gen keygen "
	              "identity` makes one\n"
	              "  apiVersion: osm-gen.dev/v1alpha1\n"
	              "  kind: Fleet\n"
	              "  spec: {sealing: {recipients: [age1...]}}");
}

enum status age_recipients_parse(struct arena *arena, struct sink *sink, sv wanted_by,
                                 const struct seal_recipient_text *texts, size_t count,
                                 struct seal_recipients *ret_recipients)
{
	struct seal_recipient *items = ARENA_ARRAY(arena, struct seal_recipient, count);
	enum status status = STATUS_OK;
	size_t kept = 0;

	seal_init();
	if (count == 0) {
		seal_report_no_recipients(sink, wanted_by, NOWHERE);
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < count; i++) {
		struct age_recipient *key = ARENA_NEW(arena, struct age_recipient);

		items[i].key = key;
		if (parse_recipient(arena, sink, &texts[i], key, &items[i].text) != STATUS_OK)
			status = STATUS_FAILED;
	}
	if (status != STATUS_OK)
		return status;
	sort_stable(items, count, sizeof(*items), sort_compare_sv, NULL);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || !sv_eq(items[i].text, items[kept - 1].text))
			items[kept++] = items[i];
	*ret_recipients = (struct seal_recipients){.items = items, .count = kept};
	return STATUS_OK;
}
