/*
 * How long sealing takes: so many Secrets of 32 KiB for one recipient, each another, one core.
 * Prints seconds of processor time and the bytes of all files.
 *
 *   bench-seal COUNT
 */
#include "seal/seal.h"

#include "base/buf.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* TEST ONLY: seals nothing real. */
static const char seed[] =
    "OSMGEN-SEED-120JU043JAAT389X7M7W39XJ428G6XTN682GLQEKN6M6Z4ANUY4JSESTCZE";
static const char recipient[] = "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk";

enum { VALUE_BYTES = 32 * 1024 };

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool read_keys(struct arena *arena, struct sink *sink, struct seal_root **ret_root,
                      struct seal_recipients *ret_recipients)
{
	const struct seal_recipient_text text = {sv_from_cstr(recipient), NOWHERE};

	return seal_root_parse(sink, NOWHERE, sv_from_cstr(seed), ret_root) == STATUS_OK &&
	       seal_recipients_parse(arena, sink, sealer_format_find(SV("")), SV("the benchmark"),
	                             &text, 1, ret_recipients) == STATUS_OK;
}

/* A Secret as the controller names them; its text differs from the others' in its number. */
static struct value make_secret(struct arena *arena, sv text, unsigned number)
{
	struct value object = value_map_new(arena), metadata = value_map_new(arena),
	             data = value_map_new(arena);

	value_map_set(arena, &metadata, SV("name"),
	              value_string(arena_printf(arena, "md-%u-bootstrap-config", number)));
	value_map_set(arena, &metadata, SV("namespace"), value_string(SV("cloud-init-settings")));
	value_map_set(arena, &data, SV("cloud-config"),
	              value_string(arena_printf(arena, "%.*s%08u", SV_ARG(text), number)));
	value_map_set(arena, &object, SV("apiVersion"), value_string(SV("v1")));
	value_map_set(arena, &object, SV("kind"), value_string(SV("Secret")));
	value_map_set(arena, &object, SV("metadata"), metadata);
	value_map_set(arena, &object, SV("data"), data);
	return object;
}

int main(int count, char **arguments)
{
	unsigned secrets = count == 2 ? (unsigned)strtoul(arguments[1], NULL, 10) : 0;
	struct arena *arena = arena_new(ARENA_PLAIN), *job = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	SEAL_ROOT_AUTO root = NULL;
	struct seal_recipients recipients;
	size_t bytes = 0;

	if (secrets == 0 || sodium_init() < 0 || !read_keys(arena, &sink, &root, &recipients)) {
		fprintf(stderr, "usage: bench-seal COUNT\n");
		return 1;
	}
	SEALER_AUTO sealer = sealer_new(root);
	char *letters = arena_alloc_text(arena, VALUE_BYTES);
	for (size_t i = 0; i < VALUE_BYTES; i++)
		letters[i] =
		    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[i * 7 % 64];
	sv text = sv_from(letters, VALUE_BYTES - 8);
	double since = seconds();
	for (unsigned i = 0; i < secrets; i++) {
		struct buf out = buf_in(job);
		struct value object = make_secret(job, text, i);
		struct seal_request request = {.cluster = SV("prod"),
		                               .object = &object,
		                               .rule = seal_rule_secret,
		                               .recipients = &recipients,
		                               .first_line = SV("# generated")};

		if (sealer_seal(&sink, sealer, &request, &out) != STATUS_OK)
			return 1;
		bytes += out.len;
		arena_reset(job);
	}
	printf("%.3f %zu\n", seconds() - since, bytes);
	arena_free(job);
	arena_free(arena);
	return 0;
}
