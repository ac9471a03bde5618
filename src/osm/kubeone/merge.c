/*
 * Merges the cloudProviderSpec that Terraform's output has for a worker set of the manifest: a key
 * that the manifest lacks is set, if it has a value (docs/spec/kubeone.md 3).
 */
#include "osm/kubeone/internal.h"

#include "secrecy/secrecy.h"

static const struct kubeone_merged {
	const char *provider;
	enum kubeone_map map;       /* KUBEONE_NO_MAP: KubeOne has no list of keys */
	const char *cannot_because; /* KubeOne fails where it merges; null if it does not */
} merged[] = {
    {"aws", KUBEONE_SPEC_AWS, NULL},
    {"azure", KUBEONE_SPEC_AZURE, "it does not know the type of imageReference"},
    {"digitalocean", KUBEONE_SPEC_DIGITALOCEAN, NULL},
    {"gce", KUBEONE_SPEC_GCE, NULL},
    {"hetzner", KUBEONE_SPEC_HETZNER, NULL},
    {"kubevirt", KUBEONE_NO_MAP, "it has no rule for this cloud"},
    {"nutanix", KUBEONE_SPEC_NUTANIX, "it does not know the type of cpus"},
    {"openstack", KUBEONE_SPEC_OPENSTACK, NULL},
    {"equinixmetal", KUBEONE_SPEC_EQUINIXMETAL, NULL},
    {"vmwareCloudDirector", KUBEONE_SPEC_VMWARE_CLOUD_DIRECTOR,
     "it does not know the type of cpus"},
    {"vsphere", KUBEONE_SPEC_VSPHERE, NULL},
};

static const struct kubeone_merged *find_provider(sv provider)
{
	for (size_t i = 0; i < COUNT_OF(merged); i++)
		if (sv_eq_cstr(provider, merged[i].provider))
			return &merged[i];
	return NULL;
}

static void warn_of_merge(const struct kubeone *k, struct position at,
                          const struct kubeone_merged *rule)
{
	struct diag *diag = diag_report(
	    k->sink, DIAG_KUBEONE_MERGE, at,
	    "KubeOne 1.14 cannot merge Terraform's output into a worker set of the manifest on %s: "
	    "%s",
	    rule->provider, rule->cannot_because);

	diag_set_help(
	    k->sink, diag,
	    "osm-gen merges as KubeOne does on other clouds; for KubeOne itself, write "
	    "the worker set in one place only: in dynamicWorkers or in Terraform's output");
}

/* Returns true for a value that KubeOne takes for set. */
static bool is_set(const struct kubeone_field *field, const struct value *v)
{
	if (!v || (field->flags & KUBEONE_APART))
		return false;
	/* The value is not known before it is decrypted; few are zero or false. */
	if (v->taint && secrecy_stands_in(taint_secret(v->taint)))
		return true;
	if (field->type == KUBEONE_TEXTS)
		return value_count(v) > 0;
	if ((field->flags & KUBEONE_NULLABLE) || field->type == KUBEONE_BOOL ||
	    field->type == KUBEONE_TEXT_MAP)
		return true;
	if (field->type == KUBEONE_TEXT)
		return !sv_empty(value_text(v));
	return v->integer != 0;
}

static void set_if_missing(const struct kubeone *k, struct value *into, sv key, struct value v)
{
	if (!value_map_find(into, key))
		value_map_set(k->arena, into, key, v);
}

/* Sets each known key. A boolean that is not nullable is set to false if it is missing. */
static void merge_known(const struct kubeone *k, enum kubeone_map map, const struct value *from,
                        struct value *into)
{
	for (size_t i = 0; i < kubeone_field_count; i++) {
		const struct kubeone_field *field = &kubeone_fields[i];
		sv key = sv_from_cstr(field->name);
		const struct value *v = value_map_get(from, key);
		struct value no = value_bool(false);

		if (field->map != map)
			continue;
		no.origin = from->origin;
		if (is_set(field, v))
			set_if_missing(k, into, key, *v);
		else if (field->type == KUBEONE_BOOL && !(field->flags & KUBEONE_NULLABLE))
			set_if_missing(k, into, key, no);
	}
}

static void merge_any(const struct kubeone *k, const struct value *from, struct value *into)
{
	for (size_t i = 0; i < value_count(from); i++) {
		const struct value_entry *entry = &from->map->entries[i];

		if (!value_is_null(&entry->value))
			set_if_missing(k, into, entry->key, entry->value);
	}
}

/* Returns a copy of the manifest's spec, to which keys can be added. */
static struct value copy_of(struct arena *arena, const struct kubeone_worker_set *worker)
{
	struct value copy = value_map_new(arena);

	for (size_t i = 0; i < value_count(&worker->spec); i++) {
		const struct value_entry *entry = &worker->spec.map->entries[i];

		value_map_set_at(arena, &copy, entry->key, entry->key_origin, entry->value);
	}
	copy.origin = worker->spec.origin;
	return copy;
}

enum status kubeone_merge(struct kubeone *k, struct kubeone_worker_set *into,
                          const struct value *from, sv path)
{
	const struct kubeone_merged *rule = find_provider(k->provider);
	const struct value *given = value_path(from, "providerSpec.cloudProviderSpec");
	const struct kubeone_decoder decoder = kubeone_terraform_decoder(k);
	size_t errors = k->sink->error_count;
	struct value spec;
	struct value merging;

	/* Without a cloud, and with `none`, validation reports it. */
	if (!rule)
		return STATUS_OK;
	if (!given || (!value_is_map(given) && !value_is_null(given))) {
		struct diag *diag = diag_report(
		    k->sink, DIAG_KUBEONE_TERRAFORM, value_position(given ? given : from),
		    "Terraform's output has no cloudProviderSpec for the worker set %.*s",
		    SV_ARG(value_text(&into->name)));
		diag_set_help(k->sink, diag,
		              "add cloudProviderSpec to the worker set in Terraform's output "
		              "kubeone_workers, or remove the set from there");
		return STATUS_FAILED;
	}
	/* The manifest's is reported when the MachineDeployment is made. */
	if (into->spec.type && !value_is_map(&into->spec) && !value_is_null(&into->spec))
		return STATUS_OK;
	if (rule->cannot_because)
		warn_of_merge(k, value_position(given), rule);
	spec = value_map_new(k->arena);
	if (value_is_map(given))
		spec = rule->map == KUBEONE_NO_MAP
		           ? *given
		           : kubeone_decode(&decoder, rule->map, given, path);
	spec.origin = given->origin;
	if (k->sink->error_count > errors)
		return STATUS_FAILED;
	merging = copy_of(k->arena, into);
	if (rule->map == KUBEONE_NO_MAP)
		merge_any(k, &spec, &merging);
	else
		merge_known(k, rule->map, &spec, &merging);
	if (value_count(&merging) > 0)
		into->spec = merging;
	return STATUS_OK;
}
