/*
 * For the tests of legacy cloud-configs: one made from a cloudProviderSpec.
 */
#ifndef OSM_GEN_TESTS_UNIT_CLOUD_FIXTURE_H
#define OSM_GEN_TESTS_UNIT_CLOUD_FIXTURE_H

#include "golang/golang.h"
#include "osm/cloud.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm_fixture.h"

#define OBJECTS                                                                                    \
	"apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ns}\n"                       \
	"stringData: {zone: zzz, nay: 'F', odd: maybe, url: 'https://10.0.0.7:8443/x', empty: "    \
	"''}\n"                                                                                    \
	"---\n"                                                                                    \
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ns}\n"                    \
	"data: {vpc: vvv, yea: 'T', odd: maybe}\n"
#define SECRET(key)     "{secretKeyRef: {name: s, namespace: ns, key: " key "}}"
#define CONFIG_MAP(key) "{configMapKeyRef: {name: c, namespace: ns, key: " key "}}"

struct machine_case {
	const char *provider;
	const char *spec; /* cloudProviderSpec; null: none */
	const char *environment;
	const char *kubelet; /* null: "1.28.0" */
	bool external;
	bool secrets_may_be_absent;
};

/* {NAME: text}, as a cluster sees the variables that are bound to it. */
static inline struct value tainted_environment(struct fixture *f, const char *yaml)
{
	const struct value *given = fixture_yaml(f, yaml);
	size_t count = value_count(given);
	struct dialect_binding *bindings = ARENA_ARRAY(f->arena, struct dialect_binding, count);
	struct value seen = value_map_new(f->arena);

	for (size_t i = 0; i < count; i++) {
		const struct value_entry *entry = &given->map->entries[i];

		bindings[i] = (struct dialect_binding){DIALECT_EVERY_CLUSTER, entry->key,
		                                       entry->key, entry->value};
	}
	struct dialect_environment tainted =
	    dialect_taint_environment(f->arena, &(struct dialect_environment){bindings, count});
	for (size_t i = 0; i < tainted.count; i++)
		value_map_set(f->arena, &seen, tainted.items[i].name, tainted.items[i].text);
	return seen;
}

static inline enum status render(struct fixture *f, const struct machine_case *c,
                                 struct value *text)
{
	struct osm_cluster cluster = {.settings = &f->settings, .objects = &f->objects};
	struct kube_object object = {.id = {SV("v1"), SV("M"), SV("ns"), SV("md")}};
	struct osm_machine machine = {.object = &object, .provider_spec = value_null()};
	const char *kubelet = c->kubelet ? c->kubelet : "1.28.0";
	struct value environment;
	sv error;

	fixture_add(f, "a.yaml", OBJECTS);
	f->settings.external_cloud_provider = c->external;
	cluster.secrets_may_be_absent = c->secrets_may_be_absent;
	if (c->environment) {
		environment = tainted_environment(f, c->environment);
		cluster.environment = &environment;
	}
	machine.config.cloud_provider = value_string(sv_from_cstr(c->provider));
	machine.kubelet_text = value_string(sv_from_cstr(kubelet));
	assert_true(
	    go_semver_parse(f->arena, sv_from_cstr(kubelet), &machine.kubelet_version, &error));
	if (c->spec) {
		machine.config.cloud_provider_spec = fixture_yaml(f, c->spec);
		machine.provider_spec =
		    osm_taint_credentials(f->arena, sv_from_cstr(c->provider),
		                          machine.config.cloud_provider_spec, SV("ns/md:spec"));
	}
	return osm_cloud_config_text(f->arena, &f->sink, &cluster, &machine, text);
}

/* The text with its secrets in [brackets]. */
static inline void assert_renders(const struct machine_case *c, const char *want)
{
	FIXTURE_AUTO f = fixture_new();
	struct value text = VALUE_INVALID;

	if (render(&f, c, &text) != STATUS_OK)
		fail_msg("%s %s: %.*s", c->provider, c->spec, SV_ARG(f.sink.diags.items[0]->text));
	assert_sv(show_taint(f.arena, &text), want);
	assert_diag_count(&f.sink, 0);
}

/* Exactly these diagnostics, a line each: code, place, text. */
static inline void assert_refuses(const struct machine_case *c, const char *want)
{
	FIXTURE_AUTO f = fixture_new();
	struct value text;
	struct buf got;

	if (render(&f, c, &text) == STATUS_OK)
		fail_msg("%s %s: %.*s", c->provider, c->spec, SV_ARG(text.string));
	got = buf_in(f.arena);
	VEC_EACH (diag, &f.sink.diags) {
		struct line_column at = position_line_column((*diag)->at);

		buf_printf(&got, "OSG%04d %zu:%zu %.*s\n", (int)(*diag)->code, at.line, at.column,
		           SV_ARG((*diag)->text));
		assert_true((*diag)->help.len > 0);
	}
	assert_sv(buf_sv(&got), want);
}

/* ---- specifications, and what becomes of them -------------------------------------------- */

#define AZURE_ALL "tenantID: t, subscriptionID: s, clientID: c, clientSecret: x"

#define VSPHERE(more)                                                                              \
	"{username: username, password: password, allowInsecure: true, datacenter: datacenter, "   \
	"datastore: datastore, datastoreCluster: other, cluster: test, " more "}"

#define OPENSTACK(head, rest)                                                                      \
	"[Global]\nauth-url    = \"u\"\n" head "region      = \"\"\n\n[LoadBalancer]\n" rest
#define OPENSTACK_REST                                                                             \
	"manage-security-groups = true\n\n[BlockStorage]\nignore-volume-az  = true\n"              \
	"trust-device-path = false\nbs-version        = \"auto\"\n"
#define OPENSTACK_USER(name, id)                                                                   \
	"username    = \"me\"\npassword    = [\"pw\"]\ntenant-name = \"" name "\"\n"               \
	"tenant-id   = \"" id "\"\ndomain-name = \"d\"\n"
#define USER "identityEndpoint: u, username: me, password: pw, domainName: d"

#endif
