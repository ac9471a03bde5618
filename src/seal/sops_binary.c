/*
 * Bytes as a SOPS file of binary form: JSON with the text in `data`, as sops lays it out.
 */
#include "seal/sops.h"
#include "seal/sops_job.h"
#include "json/json.h"

#include <sodium.h>

/* JSON's string of an ENC[...], whose letters need no quoting. */
static struct ciphertext add_sealed(struct sops_job *job, struct buf *out,
                                    const uint8_t iv[GCM_IV_SIZE], sv path, sv text)
{
	buf_add_char(out, '"');
	struct ciphertext written =
	    gcm_add_sealed(job->writer->scratch, out, job->writer->gcm, iv, path, SV("str"), text);
	buf_add_char(out, '"');
	return written;
}

static void add_sops_recipients(struct sops_job *job, struct buf *out)
{
	const struct seal_recipients *recipients = job->request->recipients;

	for (size_t i = 0; i < recipients->count; i++) {
		struct buf file = buf_in(job->writer->scratch);
		struct buf armour = buf_in(job->writer->scratch);

		sops_add_age_file(job, &recipients->items[i], &file);
		age_armor_add(&armour, buf_sv(&file), 0);
		buf_add_cstr(out, i > 0 ? ",\n\t\t\t{\n" : "\n\t\t\t{\n");
		BUF_ADD_LIT(out, "\t\t\t\t\"enc\": ");
		json_emit_string(out, buf_sv(&armour), 0);
		BUF_ADD_LIT(out, ",\n\t\t\t\t\"recipient\": ");
		json_emit_string(out, recipients->items[i].text, 0);
		BUF_ADD_LIT(out, "\n\t\t\t}");
	}
}

/* Flux looks for `"mac": "ENC[` with that one blank. */
static void add_sops_file(struct sops_job *job, struct buf *out, sv mac)
{
	const struct sops_leaf *leaf = &job->leaves.items[0];
	uint8_t iv[GCM_IV_SIZE];

	BUF_ADD_LIT(out, "{\n\t\"data\": ");
	sops_derive_value_iv(job, leaf, iv);
	struct ciphertext written = add_sealed(job, out, iv, leaf->path, leaf->text);
	if (job->request->ret_ciphertexts)
		VEC_PUSH(out->arena, job->request->ret_ciphertexts, written);
	BUF_ADD_LIT(out, ",\n\t\"sops\": {\n\t\t\"age\": [");
	add_sops_recipients(job, out);
	BUF_ADD_LIT(out, "\n\t\t],\n\t\t\"lastmodified\": \"");
	buf_add(out, SOPS_LAST_MODIFIED);
	BUF_ADD_LIT(out, "\",\n\t\t\"mac\": ");
	sops_derive_mac_iv(job, mac, iv);
	add_sealed(job, out, iv, SOPS_LAST_MODIFIED, mac);
	BUF_ADD_LIT(out, ",\n\t\t\"unencrypted_suffix\": \"_unencrypted\",\n\t\t\"version\": \"");
	buf_add(out, SOPS_VERSION);
	BUF_ADD_LIT(out, "\"\n\t}\n}\n");
}

enum status sops_seal_bytes(struct sink *sink, void *state, const struct seal_request *request,
                            sv text, struct buf *out)
{
	struct sops_writer *writer = state;
	struct sops_job job = {.writer = writer, .sink = sink, .request = request};
	char mac[SOPS_MAC_HEX_SIZE];

	BUG_ON(text.len == 0 || request->recipients->count == 0);
	arena_reset(writer->scratch);
	sops_set_identity(&job);
	/* Never the coins of the object that the bytes belong to. */
	job.identity[1] = ARENA_CONCAT(writer->scratch, SV("bytes of "), job.identity[1]);
	digest_restart(writer->digest);
	digest_add(writer->digest, text);
	VEC_PUSH(writer->scratch, &job.leaves,
	         ((struct sops_leaf){.path = SV("data:"), .type = SV("str"), .text = text}));
	sops_sort_leaves(&job);
	sops_derive_data_key(&job);
	add_sops_file(&job, out, sops_finish_mac(&job, mac));
	sodium_memzero(mac, sizeof(mac));
	return STATUS_OK;
}
