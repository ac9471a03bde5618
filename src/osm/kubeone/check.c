/*
 * The rules of KubeOne's validation for what MachineDeployments are made of: worker sets, versions,
 * clouds (docs/spec/kubeone.md 4).
 */
#include "osm/kubeone/internal.h"

#include "golang/golang.h"

/* The range of versions of Kubernetes that KubeOne 1.14 accepts. */
enum { OLDEST_MINOR = 34, NEWEST_MINOR = 36 };

/* ---- worker sets --------------------------------------------------------------------------- */

static struct diag *refuse_set(const struct kubeone *k, const struct kubeone_worker_set *worker,
                               const struct value *at, const char *problem)
{
	sv name = value_text(&worker->name);
	struct position position = at ? value_position(at) : value_position(&worker->name);

	if (!position.source)
		position = worker->at;
	return diag_report(k->sink, DIAG_KUBEONE_WORKERS, position, "the worker set%s%.*s %s",
	                   sv_empty(name) ? "" : " ", SV_ARG(name), problem);
}

static void check_set_family(const struct kubeone *k, const struct kubeone_worker_set *worker)
{
	const struct value *family = value_path(&worker->set, "providerSpec.network.ipFamily");
	sv text = value_text(family);
	struct diag *diag = NULL;

	if (sv_eq(text, SV("IPv6")) || sv_eq(text, SV("IPv6+IPv4")))
		diag =
		    refuse_set(k, worker, family, "has an ipFamily that KubeOne does not support");
	else if (sv_eq(text, SV("IPv4+IPv6")) && !sv_eq(k->provider, SV("aws")) &&
	         !sv_eq(k->provider, SV("vsphere")))
		diag = refuse_set(k, worker, family,
		                  "has an ipFamily that KubeOne supports on aws and vsphere only");
	if (diag)
		diag_set_help(k->sink, diag, "write IPv4, or leave it out");
}

static void check_worker_set(const struct kubeone *k, const struct kubeone_worker_set *worker)
{
	const struct value *replicas = value_map_get(&worker->set, SV("replicas"));
	struct diag *diag;

	if (sv_empty(value_text(&worker->name))) {
		diag = refuse_set(k, worker, NULL, "has no name");
		diag_set_help(k->sink, diag, "add name: it becomes that of the MachineDeployment");
	}
	if (!replicas || replicas->integer < 0 || replicas->integer > INT32_MAX) {
		diag =
		    refuse_set(k, worker, replicas,
		               replicas ? "has an invalid number of replicas" : "has no replicas");
		diag_set_help(k->sink, diag, "write replicas: a number from 0 on");
	}
	check_set_family(k, worker);
	if (worker->spec.type)
		return;
	diag = refuse_set(k, worker, value_map_get(&worker->set, SV("providerSpec")),
	                  "has no cloudProviderSpec");
	kubeone_help(k, diag, "add providerSpec.cloudProviderSpec");
}

/* COMPAT: KubeOne decides before Terraform's output, which may name the cloud, is merged. */
static bool deploys_machines(const struct kubeone *k)
{
	const struct value *controller = kubeone_at(k, "machineController");

	return controller ? kubeone_is_true(value_map_get(controller, SV("deploy")))
	                  : !k->has_none_at_first;
}

static void check_worker_sets(struct kubeone *k)
{
	const struct value *at = kubeone_at(k, "machineController");
	struct diag *diag;

	k->deploys_machines = deploys_machines(k);
	if (k->deploys_machines) {
		VEC_EACH (worker, &k->workers)
			check_worker_set(k, worker);
	} else if (k->workers.count > 0) {
		diag = refuse_set(k, &k->workers.items[0], NULL,
		                  "is not allowed without machine-controller");
		diag_add_note(k->sink, diag, at ? kubeone_place(k, at) : k->provider_at,
		              "machine-controller is turned off here");
		diag_set_help(k->sink, diag, "remove dynamicWorkers, or %s",
		              sv_eq(k->provider, SV("none"))
		                  ? "name the cluster's cloud in cloudProvider"
		                  : "set machineController.deploy: true");
	}
}

/* ---- versions ------------------------------------------------------------------------------ */

static void check_kubernetes_version(struct kubeone *k)
{
	const struct value *at = &k->version;
	struct semver version;
	struct diag *diag;
	sv error;

	if (!go_semver_parse(k->arena, at->string, &version, &error) ||
	    sv_starts_with(at->string, SV("v")) || !sv_empty(version.prerelease)) {
		diag = diag_report(k->sink, DIAG_KUBEONE_WORKERS, kubeone_place(k, at),
		                   sv_empty(at->string)
		                       ? "the KubeOneCluster has no versions.kubernetes"
		                       : "versions.kubernetes must be the version of a release");
		diag_set_help(k->sink, diag, "write a version such as \"1.35.4\", in quotes");
		return;
	}
	k->has_version = true;
	k->minor = version.minor;
	if (version.major == 1 && version.minor >= OLDEST_MINOR && version.minor <= NEWEST_MINOR)
		return;
	diag = diag_report(k->sink, DIAG_KUBEONE_RELEASE, kubeone_place(k, at),
	                   "KubeOne 1.14 accepts Kubernetes 1.%d to 1.%d, not %.*s", OLDEST_MINOR,
	                   NEWEST_MINOR, SV_ARG(at->string));
	diag_set_help(k->sink, diag,
	              "osm-gen renders it nevertheless, since another release of KubeOne may "
	              "accept it; if yours does not, choose a version that it supports");
}

/* ---- clouds -------------------------------------------------------------------------------- */

static void require_text(const struct kubeone *k, const char *path, const char *text,
                         const char *help)
{
	const struct value *given = kubeone_at(k, path);

	if (sv_empty(value_text(given)))
		kubeone_refuse(k, given ? given : kubeone_at(k, "cloudProvider"), text, help);
}

static void check_csi(const struct kubeone *k)
{
	const struct value *csi = kubeone_at(k, "cloudProvider.csiConfig");
	bool is_disabled = kubeone_is_true(kubeone_at(k, "cloudProvider.disableBundledCSIDrivers"));
	bool is_vsphere = sv_eq(k->provider, SV("vsphere"));

	if (is_vsphere && !is_disabled)
		require_text(k, "cloudProvider.csiConfig", "vsphere needs cloudProvider.csiConfig",
		             "add the configuration of vSphere's CSI driver");
	if (sv_empty(value_text(csi)))
		return;
	if (is_disabled)
		kubeone_refuse(k, csi, "csiConfig is useless with disableBundledCSIDrivers",
		               "remove one of them");
	if (!is_vsphere)
		kubeone_refuse(k, csi, "csiConfig is for vsphere only", "remove it");
}

static void check_cloud(const struct kubeone *k)
{
	static const char *const with_config[] = {"azure", "openstack", "vsphere"};
	struct diag *diag;

	if (sv_empty(k->provider)) {
		diag = diag_report(k->sink, DIAG_KUBEONE_CLUSTER,
		                   kubeone_place(k, kubeone_at(k, "cloudProvider")),
		                   "the KubeOneCluster has no cloud");
		kubeone_help(k, diag,
		             "name it in cloudProvider, as in cloudProvider: {hetzner: {}}");
		return;
	}
	for (size_t i = 0; i < COUNT_OF(with_config); i++)
		if (sv_eq_cstr(k->provider, with_config[i]))
			require_text(k, "cloudProvider.cloudConfig",
			             "this cloud needs cloudProvider.cloudConfig",
			             "add the cloud-config of the cloud controller manager");
	check_csi(k);
	if (sv_eq(k->provider, SV("kubevirt")))
		require_text(k, "cloudProvider.kubevirt.infraNamespace",
		             "kubevirt needs cloudProvider.kubevirt.infraNamespace",
		             "name the namespace of the machines in the infrastructure cluster");
	if (sv_eq(k->provider, SV("vmwareCloudDirector")) && k->external_at_first)
		kubeone_refuse(
		    k, kubeone_at(k, "cloudProvider"),
		    "KubeOne has no external cloud provider for vmwareCloudDirector",
		    "name the cloud in the manifest, cloudProvider: {vmwareCloudDirector: "
		    "{}}, without external");
	if (kubeone_at(k, "cloudProvider.hetzner.controlPlane") &&
	    !value_path(&k->tf, "kubeone_hosts.value.control_plane.network_id"))
		require_text(k, "cloudProvider.hetzner.networkID",
		             "a control plane on hetzner needs cloudProvider.hetzner.networkID",
		             "name the network");
	if (sv_eq(k->provider, SV("none")) && k->deploys_machines)
		kubeone_refuse(k, kubeone_at(k, "machineController"),
		               "machine-controller needs a cloud",
		               "set machineController.deploy: false, or name a cloud");
}

void kubeone_check(struct kubeone *k)
{
	check_worker_sets(k);
	check_kubernetes_version(k);
	if (kubeone_has_placeholder(k))
		return;
	check_cloud(k);
	kubeone_check_rules(k);
}
