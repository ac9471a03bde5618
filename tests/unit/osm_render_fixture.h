/*
 * One MachineDeployment from manifests to objects, for the tests of osm_render: PLAY renders it
 * with a profile and a cluster.
 */
#ifndef OSM_GEN_TESTS_UNIT_OSM_RENDER_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_OSM_RENDER_FIXTURE_H

#include "codec/codec.h"
#include "osm/cluster.h"
#include "osm_fixture.h"

#define CLUSTER_INFO                                                                               \
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-info, namespace: "              \
	"kube-public}\n"                                                                           \
	"data:\n  kubeconfig: |\n    clusters:\n    - name: ''\n      cluster:\n"                  \
	"        server: https://api:6443\n        certificate-authority-data: Y2EK\n"
#define GETTER                                                                                     \
	"apiVersion: v1\nkind: Secret\n"                                                           \
	"metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}\n"              \
	"stringData: {token: getter-token-text}\n"
#define PROFILE(template)                                                                          \
	"apiVersion: operatingsystemmanager.k8c.io/v1alpha1\nkind: OperatingSystemProfile\n"       \
	"metadata: {name: osp, namespace: kube-system}\nspec:\n  osName: ubuntu\n"                 \
	"  osVersion: '24.04'\n  version: v1.0.0\n"                                                \
	"  supportedCloudProviders: [{name: aws}, {name: hetzner}, {name: edge}]\n"                \
	"  bootstrapConfig:\n    files:\n    - path: /boot\n      permissions: 755\n"              \
	"      content: {inline: {data: '{{ .Token }} {{ .ServerURL }} {{ .SecretName }}'}}\n"     \
	"  provisioningConfig:\n    templates: {t: 'v={{ .KubeVersion }}'}\n    files:\n"          \
	"    - path: /setup\n      content:\n        inline:\n          encoding: b64\n"           \
	"          data: |\n" template
#define TEMPLATE                                                                                   \
	"            {{- template \"t\" }}\n            {{ .CloudProviderName }} {{ .Token }}\n"
#define MACHINE(value, annotations)                                                                \
	"apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata:\n"                \
	"  name: md\n  namespace: ns\n  annotations: {" annotations "}\n"                          \
	"spec:\n  template:\n    spec:\n      versions: {kubelet: '1.33'}\n"                       \
	"      providerSpec:\n        value: " value "\n"
#define AWS                                                                                        \
	"{operatingSystem: ubuntu, cloudProvider: aws, cloudProviderSpec: "                        \
	"{region: eu, secretAccessKey: very-secret-key}, sshPublicKeys: [k]}"

struct scene {
	struct fixture f;
	struct osm_profile *profile;
	const struct osm_cluster *cluster;
	struct dialect_rendered rendered;
	/* The contents of its artifacts. */
	struct value osc;
	struct value bootstrap;
	struct value provisioning;
	struct value kubelet_kubeconfig; /* without taint */
	enum status status;
	bool secrets_may_be_absent;
	bool without_token;
};

static inline void scene_free(struct scene *s)
{
	fixture_free(&s->f);
}
#define SCENE_AUTO CLEANUP(scene_free) struct scene

static inline void find_contents(struct scene *s)
{
	VEC_EACH (output, &s->rendered.artifacts) {
		const struct value *kubeconfig = value_path(&output->object, "data.kubeconfig");

		if (output->role == ARTIFACT_CONFIG)
			s->osc = output->object;
		if (output->role == ARTIFACT_BOOTSTRAP)
			s->bootstrap = output->user_data;
		if (output->role == ARTIFACT_PROVISIONING)
			s->provisioning = output->user_data;
		if (value_is_string(kubeconfig)) {
			s->kubelet_kubeconfig = value_string(SV(""));
			assert_true(base64_decode_canonical(s->f.arena, BASE64_STD,
			                                    kubeconfig->string,
			                                    &s->kubelet_kubeconfig.string));
		}
	}
}

/* Renders manifests: the MachineDeployment, the profile, then any others. */
static inline void play(struct scene *s, const char *const *manifests, size_t count)
{
	static const char *const paths[] = {"md.yaml", "osp.yaml", "a.yaml", "b.yaml", "c.yaml"};

	if (!s->f.arena)
		s->f = fixture_new();
	for (size_t i = 0; i < count; i++)
		fixture_add(&s->f, paths[i], manifests[i]);
	const struct osm_cluster_input input = {
	    .name = SV("prod"),
	    .settings = &s->f.settings,
	    .objects = &s->f.objects,
	    .at = kube_object_position(s->f.all.items[0]),
	    .secrets_may_be_absent = s->secrets_may_be_absent,
	};
	s->status = osm_profile_load(s->f.arena, &s->f.sink, s->f.all.items[1], &s->profile);
	s->status |= osm_cluster_load(s->f.arena, &s->f.sink, &input, &s->cluster);
	if (s->status != STATUS_OK)
		return;
	const sv token = SV("abcdef.0123456789abcdef");
	const struct dialect_unit unit = {.object = s->f.all.items[0], .resolved = s->profile};
	const struct dialect_job job = {
	    .loaded = s->cluster,
	    .unit = &unit,
	    .revision = SV("7"),
	    .template_digest = SV("d1ge57"),
	    .token = s->without_token
	                 ? VALUE_INVALID
	                 : secrecy_taint_string(s->f.arena, value_string(token), SV("derived")),
	};
	s->status = osm_render(s->f.arena, &s->f.sink, &job, &s->rendered);
	if (s->status == STATUS_OK)
		find_contents(s);
}
#define PLAY(s, ...)                                                                               \
	play((s), (const char *const[]){__VA_ARGS__},                                              \
	     COUNT_OF(((const char *const[]){__VA_ARGS__})))

static inline sv outputs_of(struct scene *s)
{
	struct buf out = buf_in(s->f.arena);

	VEC_EACH (output, &s->rendered.artifacts)
		buf_printf(&out, "%s %.*s%s\n", output->side == ARTIFACT_WORKER ? "worker" : "mgmt",
		           SV_ARG(kube_id_describe(s->f.arena, &output->id)),
		           output->sealing == ARTIFACT_SEAL_DATA ? " sealed" : "");
	return buf_sv(&out);
}

static inline const struct value *object_of(struct scene *s, const char *kind, const char *name)
{
	VEC_EACH (output, &s->rendered.artifacts) {
		if (sv_eq_cstr(output->id.kind, kind) && sv_eq_cstr(output->id.name, name))
			return &output->object;
	}
	fail_msg("no %s %s", kind, name);
	return NULL;
}

static inline const struct value *member(const struct value *v, const char *path, const char *key)
{
	return value_map_get(value_path(v, path), sv_from_cstr(key));
}

#endif
