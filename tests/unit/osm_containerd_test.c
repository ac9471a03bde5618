/*
 * config.toml, hosts.toml and registry credentials (docs/spec/containerd.md). Cases are those of
 * the controller's TestContainerd_Configs.
 */
#include "osm/cluster.h"
#include "osm_fixture.h"

static enum status set(struct fixture *f, const char *name, const char *yaml)
{
	return setting_set(f->arena, &f->sink, &f->settings, fixture_setting(name),
	                   fixture_yaml(f, yaml));
}

/* All hosts.toml files as "PATH\nTEXT". */
static void assert_hosts(const char *mirrors, const char *insecure, const char *want)
{
	FIXTURE_AUTO f = fixture_new();
	struct buf got = buf_in(f.arena);

	assert_int_equal(set(&f, "nodeContainerdRegistryMirrors", mirrors), STATUS_OK);
	assert_int_equal(set(&f, "nodeInsecureRegistries", insecure), STATUS_OK);
	struct osm_hosts_files files = osm_containerd_hosts(f.arena, &f.settings);
	VEC_EACH (file, &files) {
		buf_add(&got, file->path);
		buf_add_char(&got, '\n');
		buf_add(&got, file->text.string);
	}
	assert_sv(buf_sv(&got), want);
}

#define CERTS "/etc/containerd/certs.d/"
#define DOCKER                                                                                     \
	CERTS "docker.io/hosts.toml\n"                                                             \
	      "server = \"https://registry-1.docker.io\"\n\n"                                      \
	      "[host.\"https://registry-1.docker.io\"]\n" CAPABLE
#define CAPABLE "capabilities = [\"pull\", \"resolve\"]\n"

static void docker_is_always_there(void **state)
{
	(void)state;
	assert_hosts("[]", "[]", DOCKER);
}

static void override_path_is_taken_from_the_parameter(void **state)
{
	(void)state;
	assert_hosts("['reg.tld=https://override.tld?kubermatic=override_path%3Dtrue']", "[]",
	             DOCKER CERTS "reg.tld/hosts.toml\nserver = \"reg.tld\"\n\n"
	                          "[host.\"https://override.tld\"]\n" CAPABLE
	                          "override_path = true\n");
	assert_hosts("['reg.tld=https://empty.tld?kubermatic=']", "[]",
	             DOCKER CERTS "reg.tld/hosts.toml\nserver = \"reg.tld\"\n\n"
	                          "[host.\"https://empty.tld\"]\n" CAPABLE);
	assert_hosts("['reg.tld=https://broken.tld?kubermatic=override_path%3Dzzzz']", "[]",
	             DOCKER CERTS "reg.tld/hosts.toml\nserver = \"reg.tld\"\n\n"
	                          "[host.\"https://broken.tld\"]\n" CAPABLE);
	/* The other parameters are sorted and kept. */
	assert_hosts("['r=https://h:8443/p?b=2&kubermatic=override_path%3Dtrue&a=1']", "[]",
	             DOCKER CERTS "r/hosts.toml\nserver = \"r\"\n\n"
	                          "[host.\"https://h:8443/p?a=1&b=2\"]\n" CAPABLE
	                          "override_path = true\n");
}

static void hosts_are_sorted_by_url(void **state)
{
	(void)state;
	assert_hosts("['ghcr.io=https://harbor.example.com/v2/proxy-ghcr-io?kubermatic=override_"
	             "path%3Dtrue', 'ghcr.io=https://harbor.example.com']",
	             "[]",
	             DOCKER CERTS "ghcr.io/hosts.toml\nserver = \"ghcr.io\"\n\n"
	                          "[host.\"https://harbor.example.com\"]\n" CAPABLE
	                          "[host.\"https://harbor.example.com/v2/proxy-ghcr-io\"]\n" CAPABLE
	                          "override_path = true\n");
}

static void a_mirror_replaces_dockers_own_endpoint(void **state)
{
	(void)state;
	assert_hosts("['docker.io=https://harbor.example.com', 'docker.io=mirror.example.com']",
	             "[]",
	             CERTS "docker.io/hosts.toml\nserver = \"https://registry-1.docker.io\"\n\n"
	                   "[host.\"https://harbor.example.com\"]\n" CAPABLE
	                   "[host.\"mirror.example.com\"]\n" CAPABLE);
}

static void insecure_registries(void **state)
{
	(void)state;
	assert_hosts("[]", "[insecure.example.com]",
	             DOCKER CERTS "insecure.example.com/hosts.toml\n"
	                          "server = \"insecure.example.com\"\n\n"
	                          "[host.\"insecure.example.com\"]\n" CAPABLE
	                          "skip_verify = true\n");
	assert_hosts("['insecure.example.com=https://mirror.example.com/v2/proxy?kubermatic="
	             "override_path%3Dtrue']",
	             "[insecure.example.com]",
	             DOCKER CERTS "insecure.example.com/hosts.toml\n"
	                          "server = \"insecure.example.com\"\n\n"
	                          "[host.\"https://mirror.example.com/v2/proxy\"]\n" CAPABLE
	                          "skip_verify = true\noverride_path = true\n");
	assert_hosts("[]", "['*']",
	             CERTS "_default/hosts.toml\n[host.\"\"]\n" CAPABLE
	                   "skip_verify = true\n" DOCKER);
}

static void wildcards_and_paths_share_folders(void **state)
{
	(void)state;
	assert_hosts("['*=https://mirror.example.com']", "[]",
	             CERTS
	             "_default/hosts.toml\n[host.\"https://mirror.example.com\"]\n" CAPABLE DOCKER);
	/* Of two registries of one host the later one's file stays. */
	assert_hosts("['gitlab.com/x=https://one', 'gitlab.com/y=https://two']", "[]",
	             DOCKER CERTS "gitlab.com/hosts.toml\nserver = \"gitlab.com/y\"\n\n"
	                          "[host.\"https://two\"]\n" CAPABLE);
}

#define HEAD                                                                                       \
	"version = 3\n\n[metrics]\naddress = \"127.0.0.1:1338\"\n\n[plugins]\n"                    \
	"[plugins.\"io.containerd.cri.v1.images\"]\ndiscard_unpacked_layers = false\n"
#define REGISTRY                                                                                   \
	"[plugins.\"io.containerd.cri.v1.images\".registry]\n"                                     \
	"config_path = \"/etc/containerd/certs.d\"\n"
#define TAIL(ownership)                                                                            \
	"[plugins.\"io.containerd.cri.v1.runtime\"]\n"                                             \
	"device_ownership_from_security_context = " ownership "\n"                                 \
	"[plugins.\"io.containerd.cri.v1.runtime\".containerd]\n"                                  \
	"[plugins.\"io.containerd.cri.v1.runtime\".containerd.runtimes]\n"                         \
	"[plugins.\"io.containerd.cri.v1.runtime\".containerd.runtimes.runc]\n"                    \
	"runtime_type = \"io.containerd.runc.v2\"\n"                                               \
	"[plugins.\"io.containerd.cri.v1.runtime\".containerd.runtimes.runc.options]\n"            \
	"SystemdCgroup = true\n"                                                                   \
	"[plugins.\"io.containerd.cri.v1.runtime\".cni]\n"                                         \
	"bin_dirs = [\"/opt/cni/bin\"]\nconf_dir = \"/etc/cni/net.d\"\n"

static void config_without_anything(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct osm_registry_credentials none = {0};
	struct value got = osm_containerd_config(f.arena, &f.settings, &none);

	(void)state;
	assert_sv(got.string, HEAD REGISTRY TAIL("false"));
	assert_null(got.taint);
}

static void config_with_image_and_ownership(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct osm_registry_credentials none = {0};

	(void)state;
	assert_int_equal(set(&f, "pauseImage", "'r:5000/pause:v3.1'"), STATUS_OK);
	assert_int_equal(set(&f, "deviceOwnershipFromSecurityContext", "true"), STATUS_OK);
	struct value got = osm_containerd_config(f.arena, &f.settings, &none);
	assert_sv(got.string, HEAD "[plugins.\"io.containerd.cri.v1.images\".pinned_images]\n"
	                           "sandbox = \"r:5000/pause:v3.1\"\n" REGISTRY TAIL("true"));
}

static enum status read_credentials(struct fixture *f, const char *yaml,
                                    struct osm_registry_credentials *ret)
{
	fixture_add(f, "secret.yaml", yaml);
	return osm_registry_credentials_read(f->arena, &f->sink, f->all.items[0], NOWHERE, ret);
}

#define CONFIGS "[plugins.\"io.containerd.cri.v1.images\".registry.configs"

static void credentials_are_tainted(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_registry_credentials credentials;

	(void)state;
	assert_int_equal(read_credentials(&f,
	                                  "apiVersion: v1\nkind: Secret\n"
	                                  "metadata: {name: c, namespace: ns}\nstringData:\n"
	                                  "  https://quay.io/v1/: '{\"auth\": \"YTpi\"}'\n"
	                                  "  gcr.io: '{\"username\": \"me\", \"password\": "
	                                  "\"hunter2\\\\\"}'\n",
	                                  &credentials),
	                 STATUS_OK);
	struct value got = osm_containerd_config(f.arena, &f.settings, &credentials);
	assert_sv(show_taint(f.arena, &got), HEAD REGISTRY CONFIGS
	          "]\n" CONFIGS ".\"gcr.io\"]\n" CONFIGS
	          ".\"gcr.io\".auth]\nusername = \"me\"\npassword = \"[hunter2\\\\]\"\n" CONFIGS
	          ".\"quay.io\"]\n" CONFIGS
	          ".\"quay.io\".auth]\nauth = \"[YTpi]\"\n" TAIL("false"));
}

static void docker_config_json(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_registry_credentials credentials;

	(void)state;
	assert_int_equal(
	    read_credentials(
	        &f,
	        "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/dockerconfigjson\n"
	        "metadata: {name: c, namespace: ns}\nstringData:\n"
	        "  .dockerconfigjson: '{\"auths\": {\"index.docker.io/v1/\": "
	        "{\"identitytoken\": \"t\"}, \"https://r:5000\": {\"auth\": \"x\"}}}'\n",
	        &credentials),
	    STATUS_OK);
	assert_int_equal(credentials.count, 2);
	assert_sv(credentials.items[0].host, "index.docker.io/v1/");
	assert_sv(credentials.items[0].identity_token.string, "t");
	assert_sv(credentials.items[1].host, "r:5000");
}

#define DOCKER_SECRET                                                                              \
	"apiVersion: v1\nkind: Secret\ntype: kubernetes.io/dockerconfigjson\n"                     \
	"metadata: {name: c, namespace: ns}\nstringData:\n  .dockerconfigjson: "

/* What the controller's decoder makes of it: a list is no map, a null is one. */
static void forms_of_docker_config_json(void **state)
{
	static const struct {
		const char *json;
		size_t count; /* SIZE_MAX: refused */
	} cases[] = {
	    {"'{}'", 0},
	    {"'null'", 0},
	    {"'{\"auths\": null}'", 0},
	    {"'{\"auths\": {\"r\": null}}'", 1},
	    {"'{\"auths\": {\"r\": {}}, \"Auths\": {\"s\": {}}}'", 2},
	    {"'{\"auths\": {\"r\": {}}, \"AUTHS\": null, \"Auths\": {\"s\": {}}}'", 1},
	    {"'[]'", SIZE_MAX},
	    {"'{\"auths\": []}'", SIZE_MAX},
	    {"'{\"auths\": [{}]}'", SIZE_MAX},
	    {"'{\"auths\": 5, \"Auths\": {}}'", SIZE_MAX},
	    {"'{\"auths\": {\"r\": []}}'", SIZE_MAX},
	    {"'{\"auths\": {\"r\": {\"auth\": 5, \"Auth\": \"x\"}}}'", SIZE_MAX},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct osm_registry_credentials credentials = {0};
		sv yaml =
		    ARENA_CONCAT(f.arena, SV(DOCKER_SECRET), sv_from_cstr(cases[i].json), SV("\n"));
		enum status status = read_credentials(&f, arena_cstr(f.arena, yaml), &credentials);

		assert_int_equal(status, cases[i].count == SIZE_MAX ? STATUS_FAILED : STATUS_OK);
		assert_int_equal(f.sink.error_count, status == STATUS_OK ? 0 : 1);
		if (status == STATUS_OK)
			assert_int_equal(credentials.count, cases[i].count);
	}
}

static void unreadable_credentials(void **state)
{
	static const char *const values[] = {"'{'", "'[]'", "'{\"auth\": 5}'"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct osm_registry_credentials credentials;
		char yaml[256];

		snprintf(yaml, sizeof(yaml),
		         "apiVersion: v1\nkind: Secret\nmetadata: {name: c, namespace: ns}\n"
		         "stringData: {gcr.io: %s}\n",
		         values[i]);
		assert_int_equal(read_credentials(&f, yaml, &credentials), STATUS_FAILED);
		assert_int_equal(f.sink.error_count, 1);
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_REGISTRY_CREDENTIALS);
	}
}

UNIT_TESTS(osm_containerd)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(docker_is_always_there),
	    cmocka_unit_test(override_path_is_taken_from_the_parameter),
	    cmocka_unit_test(hosts_are_sorted_by_url),
	    cmocka_unit_test(a_mirror_replaces_dockers_own_endpoint),
	    cmocka_unit_test(insecure_registries),
	    cmocka_unit_test(wildcards_and_paths_share_folders),
	    cmocka_unit_test(config_without_anything),
	    cmocka_unit_test(config_with_image_and_ownership),
	    cmocka_unit_test(credentials_are_tainted),
	    cmocka_unit_test(docker_config_json),
	    cmocka_unit_test(forms_of_docker_config_json),
	    cmocka_unit_test(unreadable_credentials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
