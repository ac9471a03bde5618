/* A kubeconfig that is read gives a bootstrap kubeconfig that is read again, the same. */
#include "kube/kube.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct sink sink = sink_in(arena);
	struct value text = value_string(sv_from((const char *)data, size));
	const struct value token = value_string(SV("abcdef.0123456789abcdef"));
	struct kube_config config;
	struct kube_config again;

	if (kube_config_parse(arena, &sink, &text, &config) != STATUS_OK) {
		BUG_ON(sink.error_count == 0);
		return 0;
	}
	if (config.cluster_count == 0)
		return 0;
	/* Another cluster may have the name that the first one gets. */
	config.cluster_count = 1;
	struct value first;
	struct value second;
	if (kube_config_bootstrap(arena, &sink, &config, &token, &first) != STATUS_OK) {
		BUG_ON(sink.error_count == 0); /* a key that is too long */
		return 0;
	}
	if (kube_config_parse(arena, &sink, &first, &again) != STATUS_OK ||
	    kube_config_bootstrap(arena, &sink, &again, &token, &second) != STATUS_OK)
		BUG("what was written does not read");
	BUG_ON(!sv_eq(first.string, second.string));
	return 0;
}
