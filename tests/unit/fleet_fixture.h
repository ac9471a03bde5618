/*
 * For the tests of fleet: a repository given as paths and texts, loaded.
 */
#ifndef OSM_GEN_TESTS_UNIT_FLEET_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_FLEET_FIXTURE_H

#include "fleet/fleet.h"

#include "asserts.h"

struct fixture {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink sink;
	struct fleet_options options;
	sv out;
	sv ignore;
	struct fleet fleet;
	VEC(struct fleet_blob) blobs;
};

static inline struct fixture fixture_new(void)
{
	struct fixture f = {.arena = arena_new(ARENA_PLAIN),
	                    .secret_arena = arena_new(ARENA_SECRET)};

	f.sink = sink_in(f.arena);
	return f;
}

static inline void fixture_free(struct fixture *f)
{
	arena_free(f->arena);
	arena_free(f->secret_arena);
}
#define FIXTURE_AUTO CLEANUP(fixture_free) struct fixture

static inline void fixture_add(struct fixture *f, const char *path, const char *text)
{
	VEC_PUSH(f->arena, &f->blobs,
	         (struct fleet_blob){.path = sv_from_cstr(path), .text = sv_from_cstr(text)});
}

/* A file of --secrets DIR. */
static inline void fixture_add_secret(struct fixture *f, const char *path, const char *text)
{
	sv below = sv_from_cstr(path);

	VEC_PUSH(f->arena, &f->blobs,
	         (struct fleet_blob){.path = ARENA_CONCAT(f->arena, SV("/secrets/"), below),
	                             .text = sv_from_cstr(text),
	                             .secrets_path = below});
}

static inline enum status fixture_load(struct fixture *f)
{
	struct fleet_filter *filter = fleet_filter_new(f->arena, f->out, f->ignore);
	struct fleet_file **files = ARENA_ARRAY(f->arena, struct fleet_file *, f->blobs.count);
	bool *taken = ARENA_ARRAY(f->arena, bool, f->blobs.count);
	size_t count = 0;

	for (size_t i = 0; i < f->blobs.count; i++)
		taken[i] = fleet_filter_take(filter, f->blobs.items[i].path);
	for (size_t i = 0; i < f->blobs.count; i++)
		if (taken[i])
			files[count++] =
			    fleet_read_file(f->arena, f->secret_arena, filter, &f->blobs.items[i]);
	return fleet_load(f->arena, f->secret_arena, &f->sink, files, count, &f->options,
	                  &f->fleet);
}

static inline void fixture_must_load(struct fixture *f)
{
	if (fixture_load(f) == STATUS_OK)
		return;
	print_diags(&f->sink);
	fail_msg("the fleet does not load");
}

/* The load fails with exactly these diagnostics, see assert_diags. */
#define fixture_must_fail(f, expected)                                                             \
	do {                                                                                       \
		assert_int_equal(fixture_load(f), STATUS_FAILED);                                  \
		assert_diags(&(f)->sink, (expected));                                              \
	} while (0)

static inline const struct fleet_cluster *fixture_cluster(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->fleet.cluster_count; i++)
		if (sv_eq_cstr(f->fleet.clusters[i].name, name))
			return &f->fleet.clusters[i];
	fail_msg("no cluster %s", name);
	return NULL;
}

/* ---- manifests --------------------------------------------------------------------------- */

#define PROFILE_IN(metadata)                                                                       \
	"apiVersion: operatingsystemmanager.k8c.io/v1alpha1\n"                                     \
	"kind: OperatingSystemProfile\n"                                                           \
	"metadata: " metadata "\n"                                                                 \
	"spec:\n"                                                                                  \
	"  osName: ubuntu\n"                                                                       \
	"  osVersion: '24.04'\n"                                                                   \
	"  version: v1.0.0\n"                                                                      \
	"  supportedCloudProviders: [{name: aws}]\n"                                               \
	"  bootstrapConfig: {files: []}\n"                                                         \
	"  provisioningConfig: {files: []}\n"
#define PROFILE(name) PROFILE_IN("{name: " name ", namespace: kube-system}")

#define MACHINES_WITH(name, annotations)                                                           \
	"apiVersion: cluster.k8s.io/v1alpha1\n"                                                    \
	"kind: MachineDeployment\n"                                                                \
	"metadata: {name: " name ", namespace: kube-system" annotations "}\n"                      \
	"spec: {template: {spec: {versions: {kubelet: 1.33.0}, providerSpec: {value: "             \
	"{cloudProvider: aws, operatingSystem: ubuntu, operatingSystemSpec: {}}}}}}\n"
#define MACHINES(name, profile)                                                                    \
	MACHINES_WITH(name, ", annotations: {k8c.io/operating-system-profile: " profile "}")

#define CLUSTER(name)                                                                              \
	"apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: " name "}\n"
#define FLEET "apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\n"
#define SECRET(namespace, name, value)                                                             \
	"apiVersion: v1\nkind: Secret\nmetadata: {name: " name                                     \
	", namespace: " namespace "}\n"                                                            \
	                          "stringData: {token: " value "}\n"

#endif
