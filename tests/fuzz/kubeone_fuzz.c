/*
 * Terraform's output, merged into a KubeOneCluster: whatever it is, the result is
 * MachineDeployments or an error with a position and a help. The input is tf.json, or a manifest, a
 * line "%%", and tf.json.
 */
#include "osm/kubeone/kubeone.h"

#include "yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const sv manifest =
    SV_INIT("apiVersion: kubeone.k8c.io/v1beta2\n"
            "kind: KubeOneCluster\n"
            "name: fen\n"
            "versions: {kubernetes: \"1.35.4\"}\n"
            "cloudProvider: {aws: {}}\n"
            "dynamicWorkers:\n"
            "- {name: a, replicas: 1, providerSpec: {}}\n"
            "- name: b\n"
            "  replicas: 2\n"
            "  providerSpec: {cloudProviderSpec: {region: x, tags: null}}\n");

static bool read_file(const void *context, const struct value *path, sv *ret_text)
{
	(void)context;
	(void)path;
	*ret_text = SV("no certificate");
	return true;
}

static bool is_given(const void *context, sv setting)
{
	(void)context;
	return setting.len > 5;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};
	struct dialect_expanded expanded = {0};
	struct dialect_expansion expansion = {.is_given = is_given, .read_file = read_file};
	sv text = sv_from((const char *)data, size);
	sv yaml = manifest;
	sv head;
	sv tail;

	if (sv_cut(text, SV("\n%%\n"), &head, &tail)) {
		yaml = head;
		text = tail;
	}
	expansion.source = source_new(arena, SV("kubeone.yaml"), yaml, false);
	expansion.terraform = source_new(arena, SV("tf.json"), text, false);
	if (yml_parse(arena, &sink, expansion.source, &documents) != STATUS_OK ||
	    documents.count == 0 || !value_is_map(&documents.items[0].root) ||
	    !value_is_string(value_map_get(&documents.items[0].root, SV("kind"))))
		return 0;
	expansion.root = &documents.items[0].root;
	osm_kubeone_expand(arena, &sink, &expansion, &expanded);
	VEC_EACH (diag, &sink.diags)
		BUG_ON(!(*diag)->at.source);
	VEC_EACH (unit, &expanded.units) {
		struct kube_object object;

		/* A name that is no name is the only mistake that is left. */
		if (kube_object_read(arena, &sink, expansion.source, *unit, &object) != STATUS_OK)
			continue;
		BUG_ON(!sv_eq(object.id.kind, SV("MachineDeployment")));
		BUG_ON(!value_path(*unit, "spec.template.spec.providerSpec.value.cloudProvider"));
	}
	return 0;
}
