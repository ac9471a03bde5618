/*
 * The coins of one object (docs/spec/sealing.md 3.2), its data key for each recipient, and its MAC.
 */
#include "seal/sops_job.h"

void sops_set_identity(struct sops_job *job)
{
	const struct value *object = job->request->object;

	job->identity[0] = job->request->cluster;
	job->identity[1] = value_text(value_map_get(object, SV("apiVersion")));
	job->identity[2] = value_text(value_map_get(object, SV("kind")));
	job->identity[3] = value_text(value_path(object, "metadata.namespace"));
	job->identity[4] = value_text(value_path(object, "metadata.name"));
}

static int compare_leaves(const void *a, const void *b, void *context)
{
	const struct sops_leaf *left = *(const struct sops_leaf *const *)a;
	const struct sops_leaf *right = *(const struct sops_leaf *const *)b;
	int order = sv_cmp(left->path, right->path);

	(void)context;
	if (order == 0)
		order = sv_cmp(left->type, right->type);
	return order ? order : sv_cmp(left->text, right->text);
}

void sops_sort_leaves(struct sops_job *job)
{
	size_t count = job->leaves.count;

	job->sorted = ARENA_ARRAY(job->writer->scratch, const struct sops_leaf *, count);
	for (size_t i = 0; i < count; i++)
		job->sorted[i] = &job->leaves.items[i];
	sort_stable(job->sorted, count, sizeof(*job->sorted), compare_leaves, NULL);
	for (size_t i = 1; i < count; i++) {
		const struct sops_leaf *leaf = job->sorted[i];
		size_t index = (size_t)(leaf - job->leaves.items);

		if (compare_leaves(&job->sorted[i - 1], &leaf, NULL) == 0)
			job->leaves.items[index].occurrence = job->sorted[i - 1]->occurrence + 1;
	}
}

static void add_identity(struct derivation *derivation, const struct sops_job *job)
{
	for (size_t i = 0; i < SOPS_ID_FIELDS; i++)
		derive_field(derivation, job->identity[i]);
}

static void derive_from_recipients(struct derivation *derivation,
                                   const struct seal_recipients *recipients)
{
	derive_number(derivation, recipients->count);
	for (size_t i = 0; i < recipients->count; i++)
		derive_field(derivation, recipients->items[i].text);
}

void sops_derive_data_key(struct sops_job *job)
{
	const struct seal_recipients *recipients = job->request->recipients;
	struct derivation derivation;
	size_t count = job->leaves.count;

	job->data_key = (uint8_t *)arena_alloc(job->writer->scratch, GCM_KEY_SIZE);
	derive_begin(&derivation, job->writer->root, DERIVE_SOPS_DATA_KEY, GCM_KEY_SIZE,
	             1 + SOPS_ID_FIELDS + 1 + recipients->count + 1 + 3 * (uint64_t)count);
	derive_field(&derivation, SV("sops"));
	add_identity(&derivation, job);
	derive_from_recipients(&derivation, recipients);
	derive_number(&derivation, count);
	for (size_t i = 0; i < count; i++) {
		derive_field(&derivation, job->sorted[i]->path);
		derive_field(&derivation, job->sorted[i]->type);
		derive_field(&derivation, job->sorted[i]->text);
	}
	derive_end(&derivation, job->data_key);
	gcm_set_key(job->writer->gcm, job->data_key);
}

static sv data_key_sv(const struct sops_job *job)
{
	return sv_from_bytes(job->data_key, GCM_KEY_SIZE);
}

void sops_derive_value_iv(const struct sops_job *job, const struct sops_leaf *leaf,
                          uint8_t iv[GCM_IV_SIZE])
{
	struct derivation derivation;

	derive_begin(&derivation, job->writer->root, DERIVE_SOPS_IV, GCM_IV_SIZE,
	             SOPS_ID_FIELDS + 5);
	add_identity(&derivation, job);
	derive_field(&derivation, data_key_sv(job));
	derive_number(&derivation, leaf->occurrence);
	derive_field(&derivation, leaf->path);
	derive_field(&derivation, leaf->type);
	derive_field(&derivation, leaf->text);
	derive_end(&derivation, iv);
}

void sops_derive_mac_iv(const struct sops_job *job, sv mac, uint8_t iv[GCM_IV_SIZE])
{
	struct derivation derivation;

	derive_begin(&derivation, job->writer->root, DERIVE_SOPS_MAC_IV, GCM_IV_SIZE,
	             SOPS_ID_FIELDS + 3);
	add_identity(&derivation, job);
	derive_field(&derivation, data_key_sv(job));
	derive_field(&derivation, SOPS_LAST_MODIFIED);
	derive_field(&derivation, mac);
	derive_end(&derivation, iv);
}

static void derive_age_coin(const struct sops_job *job, enum derive_purpose purpose,
                            const struct seal_recipient *recipient, uint8_t *out, size_t size)
{
	const struct seal_recipients *recipients = job->request->recipients;
	struct derivation derivation;

	derive_begin(&derivation, job->writer->root, purpose, size,
	             1 + SOPS_ID_FIELDS + 1 + recipients->count + 2);
	derive_field(&derivation, SV("sops"));
	add_identity(&derivation, job);
	derive_from_recipients(&derivation, recipients);
	derive_field(&derivation, recipient->text);
	derive_field(&derivation, data_key_sv(job));
	derive_end(&derivation, out);
}

void sops_add_age_file(const struct sops_job *job, const struct seal_recipient *recipient,
                       struct buf *file)
{
	struct age_coins *coins = ARENA_NEW(job->writer->scratch, struct age_coins);
	const struct age_recipient *key = recipient->key;

	derive_age_coin(job, DERIVE_AGE_FILE_KEY, recipient, coins->file_key,
	                sizeof(coins->file_key));
	derive_age_coin(job, DERIVE_AGE_NONCE, recipient, coins->nonce, sizeof(coins->nonce));
	if (key->kind == AGE_SSH_RSA)
		derive_age_coin(job, DERIVE_AGE_PADDING, recipient, coins->padding,
		                sizeof(coins->padding));
	else
		derive_age_coin(job, DERIVE_AGE_EPHEMERAL, recipient, coins->ephemeral,
		                sizeof(coins->ephemeral));
	if (key->kind == AGE_HYBRID)
		derive_age_coin(job, DERIVE_AGE_ENCAPSULATION, recipient, coins->encapsulation,
		                sizeof(coins->encapsulation));
	age_encrypt(file, key, coins, data_key_sv(job));
}

sv sops_finish_mac(struct sops_job *job, char mac[SOPS_MAC_HEX_SIZE])
{
	static const char hex[] = "0123456789ABCDEF";
	uint8_t digest[SOPS_MAC_HEX_SIZE / 2];

	digest_finish(job->writer->digest, digest);
	for (size_t i = 0; i < sizeof(digest); i++) {
		mac[2 * i] = hex[digest[i] >> 4];
		mac[2 * i + 1] = hex[digest[i] & 15];
	}
	return sv_from(mac, SOPS_MAC_HEX_SIZE);
}
