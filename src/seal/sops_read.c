/*
 * A SOPS file as values: data key, leaves, MAC.
 */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/derive.h"
#include "seal/gcm.h"
#include "seal/keyring.h"
#include "seal/sops.h"
#include "seal/sops_rule.h"

#include <sodium.h>
#include <stdlib.h>

enum { MAC_HEX_SIZE = 128 };

struct opener {
	struct arena *arena; /* secret */
	struct sink *sink;
	struct gcm *gcm;
	struct digest *digest;
	struct rule rule;
	bool hash_sealed_only;        /* mac_only_encrypted */
	const struct value *document; /* the one being read */
	bool failed;
	struct sops_plain plain; /* the leaves, if the program sops decrypted them */
	bool is_plain;
	size_t leaf; /* the number of leaves that were read */
};

static enum status format_error(struct sink *sink, const struct value *at, const char *what)
{
	struct diag *diag = diag_report(sink, DIAG_SOPS_FORMAT, value_position(at), "%s", what);

	diag_set_help(sink, diag, "decrypt and encrypt the file again with sops");
	return STATUS_FAILED;
}

/* ---- the data key ------------------------------------------------------------------------ */

/* `tried` lists identities that do not open the file. */
static struct diag *report_key(struct opener *opener, const struct value *metadata,
                               const char *what, const char *help, sv tried)
{
	struct sink *sink = opener->sink;
	struct diag *diag = diag_report(sink, DIAG_SOPS_KEY, value_position(metadata), "%s", what);
	const struct value *entries = value_map_get(metadata, SV("age"));

	for (size_t i = 0; value_is_list(entries) && i < value_count(entries); i++) {
		const struct value *entry = value_item(entries, i);
		sv recipient = value_text(value_map_get(entry, SV("recipient")));

		diag_add_note(sink, diag, value_position(entry), "encrypted to %.*s",
		              SV_ARG(seal_recipient_shown(opener->arena, recipient)));
	}
	if (!sv_empty(tried))
		diag_add_note(sink, diag, NOWHERE, "tried %.*s", SV_ARG(tried));
	diag_set_help(sink, diag, "%s", help);
	return diag;
}

static enum status key_error(struct opener *opener, const struct value *metadata, const char *what,
                             const char *help)
{
	(void)report_key(opener, metadata, what, help, SV(""));
	return STATUS_FAILED;
}

/* Tries one age entry. STATUS_OK with an empty key: it is for somebody else. */
static enum status open_entry(struct opener *opener, const struct value *entry,
                              const struct seal_identities *identities, sv *ret_key)
{
	const struct value *enc = value_map_get(entry, SV("enc"));
	sv file;
	sv key;

	if (!value_is_string(enc) || !age_armor_decode(opener->arena, enc->string, &file))
		return format_error(opener->sink, enc ? enc : entry,
		                    "this age entry of the sops block is not an armoured age file");
	switch (age_decrypt(opener->arena, file, identities, &key)) {
	case AGE_NO_MATCH:
		*ret_key = (sv){0};
		return STATUS_OK;
	case AGE_FORM:
		return format_error(opener->sink, enc,
		                    "this age entry of the sops block is not an age file");
	case AGE_AUTHENTICITY:
		return format_error(opener->sink, enc,
		                    "this age entry of the sops block is damaged");
	case AGE_FINE:
		break;
	}
	if (key.len != GCM_KEY_SIZE)
		return format_error(opener->sink, enc, "the data key is not 32 bytes long");
	*ret_key = key;
	return STATUS_OK;
}

/* Reports that no identity opens the file, and names a command that would have printed one. */
static enum status identity_error(struct opener *opener, const struct value *metadata,
                                  const struct seal_identities *identities, const char *what,
                                  const char *help)
{
	const char *command = seal_key_command(identities);
	sv tried = seal_identities_count(identities) > 0
	               ? seal_identities_listed(opener->arena, identities)
	               : SV("");
	struct diag *diag = report_key(opener, metadata, what, help, tried);

	if (command)
		diag_add_note(
		    opener->sink, diag, NOWHERE,
		    "%s is set, but osm-gen runs no command that a variable names: it would "
		    "see the seed; run the command before, and give what it prints as SOPS_AGE_KEY",
		    command);
	return STATUS_FAILED;
}

/* Reports a file that no identity opens. `kinds` are its kinds of keys, if none is age's. */
static enum status report_no_key(struct opener *opener, const struct value *metadata, sv kinds,
                                 const struct seal_identities *identities)
{
	const struct value *entries = value_map_get(metadata, SV("age"));

	if (value_count(value_map_get(metadata, SV("key_groups"))) > 0)
		return key_error(
		    opener, metadata,
		    "the data key is split over key groups, which osm-gen does not join",
		    "encrypt the file with one group of keys, or let sops decrypt it: "
		    "--allow-program sops");
	if (!sv_empty(kinds)) {
		sv what = ARENA_CONCAT(opener->arena, SV("the file is encrypted for "), kinds,
		                       SV(" only, and osm-gen itself uses no network"));

		return key_error(opener, metadata, arena_cstr(opener->arena, what),
		                 "let the program sops decrypt it: --allow-program sops for a "
		                 "run, `sops decrypt` by hand; or give the Secret with --secrets, "
		                 "or add an age recipient with `sops updatekeys`");
	}
	if (!value_is_list(entries) || value_count(entries) == 0)
		return key_error(opener, metadata, "the sops block names no key at all",
		                 "encrypt the file again with sops");
	if (seal_identities_count(identities) == 0)
		return identity_error(opener, metadata, identities,
		                      "the file is encrypted, and no age identity was given",
		                      "give one with SOPS_AGE_KEY, SOPS_AGE_KEY_FILE or "
		                      "SOPS_AGE_SSH_PRIVATE_KEY_FILE");
	const char *unused = seal_passed_over(identities);
	sv help = ARENA_CONCAT(
	    opener->arena,
	    SV("give the identity of one of its recipients, or add yours with `sops updatekeys`"),
	    unused ? SV("; among the keys that were given is ") : SV(""),
	    unused ? sv_from_cstr(unused) : SV(""),
	    unused ? SV(": the program sops uses it, with --allow-program sops") : SV(""));
	return identity_error(opener, metadata, identities,
	                      "none of the age identities given can decrypt the file",
	                      arena_cstr(opener->arena, help));
}

/* Sets *ret_found to false if no identity opens the file. */
static enum status find_data_key(struct opener *opener, const struct value *metadata,
                                 const struct seal_identities *identities, bool *ret_found)
{
	const struct value *entries = value_map_get(metadata, SV("age"));
	bool is_split = value_count(value_map_get(metadata, SV("key_groups"))) > 0;
	sv key = {0};

	for (size_t i = 0; !is_split && value_is_list(entries) && i < value_count(entries); i++)
		if (key.len == 0 && seal_identities_count(identities) > 0 &&
		    open_entry(opener, value_item(entries, i), identities, &key) != STATUS_OK)
			return STATUS_FAILED;
	if (key.len > 0)
		gcm_set_key(opener->gcm, (const uint8_t *)key.ptr);
	*ret_found = key.len > 0;
	return STATUS_OK;
}

/* ---- leaves
 * -------------------------------------------------------------------------------------- */

/* "NAMESPACE/NAME:KEY" for a Kubernetes object, else the path. */
static sv secret_name(struct opener *opener, const struct secrecy_place *place)
{
	sv namespace = value_text(value_path(opener->document, "metadata.namespace"));
	sv name = value_text(value_path(opener->document, "metadata.name"));
	sv path = secrecy_path(opener->arena, place);
	sv first;
	sv rest;

	if (name.len == 0)
		return path;
	if (sv_cut(path, SV("."), &first, &rest) && rest.len > 0 &&
	    (sv_eq(first, SV("data")) || sv_eq(first, SV("stringData"))))
		path = rest;
	return ARENA_CONCAT(opener->arena, namespace, namespace.len ? SV("/") : SV(""), name,
	                    SV(":"), path);
}

/* The bytes that a Secret's value stands for: the secret is those, not their base64. */
static sv secret_text(struct opener *opener, const struct secrecy_place *place, sv plain)
{
	sv kind = value_text(value_map_get(opener->document, SV("kind")));
	sv path = sops_path(opener->arena, place);
	size_t error_at;
	sv decoded;

	if (sv_eq(kind, SV("Secret")) && sv_starts_with(path, SV("data:")) &&
	    base64_decode(opener->arena, BASE64_STD, plain, &decoded, &error_at))
		return decoded;
	return plain;
}

static struct value decrypted_value(struct opener *opener, const struct secrecy_place *place,
                                    sv plain, sv type)
{
	struct secret *secret = ARENA_NEW(opener->arena, struct secret);
	struct value v;
	int64_t integer;

	*secret = (struct secret){.name = secret_name(opener, place),
	                          .text = secret_text(opener, place, plain)};
	if (sv_eq(type, SV("int")) && sv_parse_int64(plain, &integer)) {
		v = value_int(integer);
		v.type = &type_int64;
	} else if (sv_eq(type, SV("bool"))) {
		v = value_bool(sv_eq(plain, SV("True")) || sv_eq(plain, SV("true")));
	} else if (sv_eq(type, SV("float"))) {
		v = value_float(strtod(arena_cstr(opener->arena, plain), NULL));
	} else {
		v = value_secret_string(opener->arena, plain, secret);
	}
	if (!value_is_string(&v))
		v.taint = taint_whole(opener->arena, 1, secret);
	v.origin = place->value->origin;
	return v;
}

static struct value leaf_error(struct opener *opener, const struct secrecy_place *place,
                               const char *what)
{
	sops_leaf_error(opener->arena, opener->sink, place, what);
	opener->failed = true;
	return value_null();
}

/* place->marked: a key above it matched. */
static struct value open_leaf(struct opener *opener, const struct secrecy_place *place)
{
	const struct value *leaf = place->value;
	size_t number = opener->leaf++;
	sv plain;
	sv type;

	if (value_is_null(leaf))
		return *leaf;
	if (!rule_seals(&opener->rule, place->marked, leaf)) {
		if (!opener->hash_sealed_only)
			digest_add(opener->digest, mac_bytes(opener->arena, leaf));
		return value_copy(opener->arena, leaf);
	}
	if (value_is_string(leaf) && leaf->string.len == 0)
		return *leaf; /* emptiness is not sealed */
	if (!value_is_string(leaf))
		return leaf_error(opener, place, "should be encrypted and is not a string");
	if (opener->is_plain) {
		plain = opener->plain.texts[number];
		digest_add(opener->digest, plain);
		return decrypted_value(opener, place, plain, seal_sealed_type(leaf->string));
	}
	switch (gcm_open_sealed(opener->arena, opener->gcm, sops_path(opener->arena, place),
	                        leaf->string, &plain, &type)) {
	case GCM_FINE:
		digest_add(opener->digest, plain);
		return decrypted_value(opener, place, plain, type);
	case GCM_FORM:
		return leaf_error(opener, place, "should be encrypted but is in the clear");
	case GCM_AUTHENTICITY:
		return leaf_error(opener, place, "does not decrypt: it was changed or moved");
	}
	BUG("unknown result");
}

static enum secrecy_step open_place(void *context, struct secrecy_place *place,
                                    struct value *ret_copy)
{
	struct opener *opener = context;
	const struct value *v = place->value;

	BUG_ON(place->depth > SOPS_MAX_DEPTH);
	if (!rule_enter(&opener->rule, place))
		return SECRECY_OMIT;
	if (value_is_map(v) || value_is_list(v))
		return SECRECY_INTO;
	*ret_copy = open_leaf(opener, place);
	return SECRECY_OVER;
}

/* ---- the whole
 * -------------------------------------------------------------------------------------- */

/* Decrypts the MAC of the sops block. */
static enum status open_mac(struct opener *opener, const struct value *metadata, sv *ret_mac)
{
	const struct value *mac = value_map_get(metadata, SV("mac"));
	sv modified = value_text(value_map_get(metadata, SV("lastmodified")));
	sv type;

	if (!value_is_string(mac) || modified.len == 0)
		return format_error(opener->sink, metadata,
		                    "the sops block lacks mac or lastmodified");
	switch (
	    gcm_open_sealed(opener->arena, opener->gcm, modified, mac->string, ret_mac, &type)) {
	case GCM_FINE:
		return STATUS_OK;
	case GCM_FORM:
		return format_error(opener->sink, mac, "the mac of the sops block is malformed");
	case GCM_AUTHENTICITY:
		return format_error(
		    opener->sink, mac,
		    "the mac of the sops block does not decrypt: it or lastmodified was changed");
	}
	BUG("unknown result");
}

static enum status check_mac(struct opener *opener, const struct value *metadata)
{
	uint8_t digest[DIGEST_MAX_SIZE];
	sv bytes;
	sv want = opener->plain.mac;

	digest_finish(opener->digest, digest);
	if (!opener->is_plain && open_mac(opener, metadata, &want) != STATUS_OK)
		return STATUS_FAILED;
	if (want.len == MAC_HEX_SIZE && hex_decode(opener->arena, want, &bytes) &&
	    sodium_memcmp(bytes.ptr, digest, sizeof(digest)) == 0)
		return STATUS_OK;
	sops_mac_error(opener->sink, value_map_get(metadata, SV("mac")));
	return STATUS_FAILED;
}

/* Finds the data key, or lets the program sops decrypt the documents if it may. */
static enum status unlock(struct opener *opener, const struct value *documents, size_t count,
                          const struct seal_identities *identities)
{
	const struct value *metadata = value_map_get(&documents[0], SV("sops"));
	bool is_found;
	sv kinds;

	opener->is_plain = false;
	opener->leaf = 0;
	if (find_data_key(opener, metadata, identities, &is_found) != STATUS_OK)
		return STATUS_FAILED;
	if (is_found)
		return STATUS_OK;
	bool needs_program = seal_needs_program(opener->arena, &documents[0], &kinds);
	if (!seal_program_of(identities))
		return report_no_key(opener, metadata, needs_program ? kinds : SV(""), identities);
	if (sops_program_open(opener->arena, opener->sink, identities, &opener->rule, documents,
	                      count, &opener->plain) != STATUS_OK)
		return STATUS_FAILED;
	opener->is_plain = true;
	return STATUS_OK;
}

/* Documents that sops wrote together share one mac; the first one's metadata counts. */
static enum status open_group(struct opener *opener, const struct value *documents, size_t count,
                              const struct seal_identities *identities, struct value *ret_documents)
{
	const struct value *metadata = value_map_get(&documents[0], SV("sops"));
	const struct value *sealed_only = value_map_get(metadata, SV("mac_only_encrypted"));

	if (!rule_read(metadata, &opener->rule))
		return format_error(opener->sink, metadata, "the sops block has two rules");
	opener->hash_sealed_only = value_is(sealed_only, KIND_BOOL) && sealed_only->boolean;
	if (unlock(opener, documents, count, identities) != STATUS_OK)
		return STATUS_FAILED;
	sops_digest_start(opener->digest, opener->hash_sealed_only);
	opener->failed = false;
	for (size_t i = 0; i < count; i++) {
		opener->document = &documents[i];
		ret_documents[i] = secrecy_copy(opener->arena, &documents[i], open_place, opener);
	}
	/* The MAC cannot be checked if a value did not decrypt, which was reported. */
	if (opener->failed)
		return STATUS_FAILED;
	return check_mac(opener, metadata);
}

static sv mac_text(const struct value *document)
{
	return value_text(value_map_get(value_map_get(document, SV("sops")), SV("mac")));
}

enum status sops_read(struct arena *secret_arena, struct sink *sink, const struct value *documents,
                      size_t count, const struct seal_identities *identities,
                      struct value *ret_documents)
{
	GCM_AUTO gcm = gcm_new();
	DIGEST_AUTO digest = digest_new(DIGEST_SHA512);
	struct opener opener = {
	    .arena = secret_arena,
	    .sink = sink,
	    .gcm = gcm,
	    .digest = digest,
	};
	enum status status = STATUS_OK;

	seal_init();
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (!sv_eq(mac_text(&documents[end]), mac_text(&documents[i])))
				break;
		if (open_group(&opener, documents + i, end - i, identities, ret_documents + i) !=
		    STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}
