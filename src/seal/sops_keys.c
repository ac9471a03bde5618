/*
 * The keys that the sops block of a file names, of every kind: read, named, and written anew.
 */
#include "seal/age.h"
#include "seal/bech32.h"
#include "seal/sops.h"

/* A part of a key's name: a member of its entry, or a string between two of them. */
struct part {
	const char *before;
	const char *member;
};

/* The names are those that sops itself prints. */
static const struct sops_key_kind kinds[] = {
    [SOPS_AGE] = {"age", "age", {"recipient", "enc"}},
    [SOPS_AWS] = {"kms", "AWS KMS", {"arn", "role", "created_at", "enc", "aws_profile"}},
    [SOPS_GCP] = {"gcp_kms", "Google Cloud KMS", {"resource_id", "created_at", "enc"}},
    [SOPS_AZURE] = {"azure_kv",
                    "Azure Key Vault",
                    {"vault_url", "name", "version", "created_at", "enc"}},
    [SOPS_VAULT] = {"hc_vault",
                    "HashiCorp Vault",
                    {"vault_address", "engine_path", "key_name", "created_at", "enc"}},
    [SOPS_HUAWEI] = {"hckms", "Huawei Cloud KMS", {"key_id", "created_at", "enc"}},
    [SOPS_PGP] = {"pgp", "PGP", {"created_at", "enc", "fp"}},
};

static const struct part names[][3] = {
    [SOPS_AGE] = {{"", "recipient"}},
    [SOPS_AWS] = {{"", "arn"}},
    [SOPS_GCP] = {{"", "resource_id"}},
    [SOPS_AZURE] = {{"", "vault_url"}, {"/keys/", "name"}, {"/", "version"}},
    [SOPS_VAULT] = {{"", "vault_address"}, {"/v1/", "engine_path"}, {"/keys/", "key_name"}},
    [SOPS_HUAWEI] = {{"", "key_id"}},
    [SOPS_PGP] = {{"", "fp"}},
};

static sv sops_key_name(struct arena *arena, enum sops_key_type type, const struct value *entry)
{
	struct buf name = buf_in(arena);

	for (size_t i = 0; i < COUNT_OF(names[type]) && names[type][i].member; i++) {
		const struct part *part = &names[type][i];

		buf_add(&name, sv_from_cstr(part->before));
		buf_add(&name, sv_trim_space(
		                   value_text(value_map_get(entry, sv_from_cstr(part->member)))));
	}
	return buf_sv(&name);
}

/* ---- reading ----------------------------------------------------------------------------- */

static void list_group(struct arena *arena, const struct value *group, struct sops_keys *keys)
{
	for (size_t type = 0; type < COUNT_OF(kinds); type++) {
		const struct value *entries = value_map_get(group, sv_from_cstr(kinds[type].list));

		for (size_t i = 0; value_is_list(entries) && i < value_count(entries); i++) {
			const struct value *entry = value_item(entries, i);
			struct sops_key key = {.type = (enum sops_key_type)type, .entry = entry};

			key.name = sops_key_name(arena, key.type, entry);
			VEC_PUSH(arena, keys, key);
		}
	}
}

/* sops reads the groups, or, if there are none, the lists of the block itself. */
void sops_list_keys(struct arena *arena, const struct value *metadata, struct sops_keys *keys)
{
	const struct value *groups = value_map_get(metadata, SV("key_groups"));

	list_group(arena, metadata, keys);
	for (size_t i = 0; value_is_list(groups) && i < value_count(groups); i++)
		list_group(arena, value_item(groups, i), keys);
}

bool seal_needs_program(struct arena *arena, const struct value *document, sv *ret_kinds)
{
	struct sops_keys keys = {0};
	struct buf kinds_text = buf_in(arena);
	bool has[COUNT_OF(kinds)] = {0};
	bool has_hybrid = false;

	sops_list_keys(arena, value_map_get(document, SV("sops")), &keys);
	VEC_EACH (key, &keys) {
		if (key->type == SOPS_AGE && age_recipient_is_spoken(key->name))
			return false;
		if (key->type == SOPS_AGE && sv_starts_with(key->name, AGE_HYBRID_PREFIX))
			has_hybrid = true;
		else
			has[key->type] = true;
	}
	/* age_recipient_is_spoken is true for them where libcrypto has ML-KEM-768. */
	if (has_hybrid)
		buf_add_item(&kinds_text,
		             SV("post-quantum keys of age (which the static program opens)"));
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (has[i])
			buf_add_item(&kinds_text, i == SOPS_AGE ? SV("plugins of age")
			                                        : sv_from_cstr(kinds[i].what));
	*ret_kinds = buf_sv(&kinds_text);
	return keys.count > 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void copy_text(struct arena *arena, const struct value *from, sv name, struct value *to)
{
	const struct value *v = value_map_get(from, name);

	if (value_is_string(v) && !sv_empty(v->string))
		value_map_set(arena, to, name, *v);
}

/* The encryption context of AWS: a map of strings. */
static void copy_context(struct arena *arena, const struct value *entry, struct value *to)
{
	const struct value *context = value_map_get(entry, SV("context"));
	struct value copy = value_map_new(arena);

	for (size_t i = 0; value_is_map(context) && i < value_count(context); i++)
		copy_text(arena, context, context->map->entries[i].key, &copy);
	if (value_count(&copy) > 0)
		value_map_set(arena, to, SV("context"), copy);
}

static void copy_group(struct arena *arena, const struct value *group, struct value *to)
{
	for (size_t type = 0; type < COUNT_OF(kinds); type++) {
		const struct sops_key_kind *kind = &kinds[type];
		const struct value *entries = value_map_get(group, sv_from_cstr(kind->list));
		struct value list = value_list_new(arena);

		for (size_t i = 0; value_is_list(entries) && i < value_count(entries); i++) {
			const struct value *entry = value_item(entries, i);
			struct value copy = value_map_new(arena);

			for (size_t j = 0; j < COUNT_OF(kind->members) && kind->members[j]; j++)
				copy_text(arena, entry, sv_from_cstr(kind->members[j]), &copy);
			if (type == SOPS_AWS)
				copy_context(arena, entry, &copy);
			value_list_add(arena, &list, copy);
		}
		if (value_count(&list) > 0)
			value_map_set(arena, to, sv_from_cstr(kind->list), list);
	}
}

struct value sops_copy_metadata(struct arena *arena, const struct value *metadata)
{
	static const sv texts[] = {SV_INIT("lastmodified"),     SV_INIT("mac"),
	                           SV_INIT("version"),          SV_INIT("unencrypted_suffix"),
	                           SV_INIT("encrypted_suffix"), SV_INIT("unencrypted_regex"),
	                           SV_INIT("encrypted_regex")};
	const struct value *groups = value_map_get(metadata, SV("key_groups"));
	const struct value *threshold = value_map_get(metadata, SV("shamir_threshold"));
	const struct value *sealed_only = value_map_get(metadata, SV("mac_only_encrypted"));
	struct value copy = value_map_new(arena);

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		copy_text(arena, metadata, texts[i], &copy);
	if (threshold && type_is_signed(threshold->type))
		value_map_set(arena, &copy, SV("shamir_threshold"), *threshold);
	if (value_is(sealed_only, KIND_BOOL))
		value_map_set(arena, &copy, SV("mac_only_encrypted"), *sealed_only);
	copy_group(arena, metadata, &copy);
	if (value_is_list(groups) && value_count(groups) > 0) {
		struct value list = value_list_new(arena);

		for (size_t i = 0; i < value_count(groups); i++) {
			struct value group = value_map_new(arena);

			copy_group(arena, value_item(groups, i), &group);
			value_list_add(arena, &list, group);
		}
		value_map_set(arena, &copy, SV("key_groups"), list);
	}
	return copy;
}
