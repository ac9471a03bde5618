/* A repository's .sops.yaml: rules, expressions, recipients. */
#include "seal/seal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_rule(struct arena *arena, const struct seal_creation_rule *rule)
{
	struct sink sink = sink_in(arena);
	struct seal_rule_recipients read;
	struct seal_recipients recipients;
	enum status status = seal_creation_rule_read(arena, &sink, rule, &read);

	if ((status == STATUS_FAILED) != (sink.error_count > 0))
		abort();
	if (status != STATUS_OK)
		return;
	(void)seal_creation_rule_names(read.rule, SV("data"));
	(void)seal_creation_rule_names(read.rule, SV("metadata"));
	if (seal_recipients_parse(arena, &sink, sealer_format_find(SV("sops")), SV("c"), read.items,
	                          read.count, &recipients) == STATUS_OK &&
	    recipients.count > read.count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct source *source =
	    source_new(arena, SV(".sops.yaml"), sv_from((const char *)data, size), false);
	const struct seal_sops_config *config;
	enum status status = seal_sops_config_parse(arena, &sink, source, &config);

	if ((status == STATUS_FAILED) != (sink.error_count > 0))
		abort();
	if (status != STATUS_OK)
		return 0;
	static const char *const paths[] = {"out/prod/worker/ns/secret-a.yaml", "a.yaml", ""};

	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		const struct seal_creation_rule *rule =
		    seal_sops_config_find(config, sv_from_cstr(paths[i]));

		if (rule)
			read_rule(arena, rule);
	}
	return 0;
}
