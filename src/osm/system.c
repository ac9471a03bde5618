/*
 * Reads operatingSystemSpec (docs/spec/controller.md 2.7), and derives from it the utility that
 * provisions the machine, and RHEL's subscription.
 */
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/machine.h"
#include "osm/osm.h"
#include "osm/sorted.h"
#include "value/text.h"

enum field_kind { FIELD_BOOL, FIELD_TEXT, FIELD_CREDENTIAL };

/* Each operating system decodes only its own keys; wrong types in other keys are ignored. */
static const struct field {
	sv name;
	sv os_name; /* empty for all operating systems */
	enum field_kind kind;
	size_t offset;
} fields[] = {
    {SV_INIT("distUpgradeOnBoot"), SV_INIT(""), FIELD_BOOL,
     offsetof(struct osm_system, dist_upgrade_on_boot)},
    {SV_INIT("disableAutoUpdate"), SV_INIT("flatcar"), FIELD_BOOL,
     offsetof(struct osm_system, disable_auto_update)},
    {SV_INIT("disableLocksmithD"), SV_INIT("flatcar"), FIELD_BOOL,
     offsetof(struct osm_system, disable_locksmithd)},
    {SV_INIT("disableUpdateEngine"), SV_INIT("flatcar"), FIELD_BOOL,
     offsetof(struct osm_system, disable_update_engine)},
    {SV_INIT("provisioningUtility"), SV_INIT("flatcar"), FIELD_TEXT,
     offsetof(struct osm_system, provisioning_utility)},
    {SV_INIT("rhelSubscriptionManagerUser"), SV_INIT("rhel"), FIELD_TEXT,
     offsetof(struct osm_system, subscription_user)},
    {SV_INIT("rhelSubscriptionManagerPassword"), SV_INIT("rhel"), FIELD_CREDENTIAL,
     offsetof(struct osm_system, subscription_password)},
    {SV_INIT("rhsmOfflineToken"), SV_INIT("rhel"), FIELD_CREDENTIAL,
     offsetof(struct osm_system, offline_token)},
    {SV_INIT("attachSubscription"), SV_INIT("rhel"), FIELD_BOOL,
     offsetof(struct osm_system, attach_subscription)},
    {SV_INIT("rhelUseSatelliteServer"), SV_INIT("rhel"), FIELD_BOOL,
     offsetof(struct osm_system, use_satellite)},
    {SV_INIT("rhelSatelliteServer"), SV_INIT("rhel"), FIELD_TEXT,
     offsetof(struct osm_system, satellite_server)},
    {SV_INIT("rhelOrganizationName"), SV_INIT("rhel"), FIELD_TEXT,
     offsetof(struct osm_system, organization)},
    {SV_INIT("rhelActivationKey"), SV_INIT("rhel"), FIELD_CREDENTIAL,
     offsetof(struct osm_system, activation_key)},
};

static enum status read_field(struct arena *arena, struct sink *sink, const struct field *field,
                              const struct value *v, const struct kube_id *machine,
                              struct osm_system *system)
{
	void *place = (char *)system + field->offset;
	bool right = field->kind == FIELD_BOOL ? value_is(v, KIND_BOOL) : value_is_string(v);

	if (!right) {
		struct diag *diag = diag_report(
		    sink, DIAG_MD_CONFIG, value_position(v), "%.*s must be %s", SV_ARG(field->name),
		    field->kind == FIELD_BOOL ? "true or false" : "a string");
		diag_set_help(sink, diag,
		              field->kind == FIELD_BOOL ? "write it without quotes"
		                                        : "put it in quotes");
		return STATUS_FAILED;
	}
	switch (field->kind) {
	case FIELD_BOOL:
		*(bool *)place = v->boolean;
		break;
	case FIELD_TEXT:
		*(struct value *)place = *v;
		break;
	case FIELD_CREDENTIAL:
		*(struct value *)place = secrecy_taint_string(
		    arena, *v,
		    kube_secret_name(arena, machine->namespace, machine->name,
		                     ARENA_CONCAT(arena, SV("operatingSystemSpec."), field->name)));
		break;
	}
	return STATUS_OK;
}

/* Taints an organisation that is equal to its activation key, a user equal to the password. */
static void hide_names(struct arena *arena, struct osm_system *system)
{
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		struct value *name = (struct value *)((char *)system + fields[i].offset);

		for (size_t k = 0; fields[i].kind == FIELD_TEXT && k < COUNT_OF(fields); k++) {
			if (fields[k].kind == FIELD_CREDENTIAL)
				osm_hide_if_same(
				    arena, name,
				    (struct value *)((char *)system + fields[k].offset));
		}
	}
}

/* Warns of unknown keys, which the controller ignores. */
static void check_names(struct sink *sink, const struct value *spec)
{
	sv names[COUNT_OF(fields)];

	for (size_t i = 0; i < COUNT_OF(fields); i++)
		names[i] = fields[i].name;
	for (size_t i = 0; value_is_map(spec) && i < value_count(spec); i++) {
		const struct value_entry *entry = &spec->map->entries[i];
		bool known = false;

		for (size_t k = 0; k < COUNT_OF(fields); k++)
			known |= go_json_key_is(entry->key, names[k]);
		if (known)
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_MD_SYSTEM_SPELLING, origin_position(entry->key_origin),
		    "operatingSystemSpec has no \"%.*s\": it is ignored", SV_ARG(entry->key));
		sv nearest = diag_nearest(entry->key, names, COUNT_OF(names));
		if (sv_empty(nearest))
			diag_set_help(sink, diag, "remove it");
		else
			diag_set_help(sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
	}
}

enum status osm_system_read(struct arena *arena, struct sink *sink, const struct kube_id *machine,
                            const struct osm_provider_config *config, struct osm_system *ret_system)
{
	const struct value *spec = config->operating_system_spec;
	struct osm_system system = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		if (fields[i].kind != FIELD_BOOL)
			*(struct value *)((char *)&system + fields[i].offset) =
			    value_string(SV(""));
	}
	if (spec && !value_is_map(spec)) {
		diag_report(sink, DIAG_MD_CONFIG, value_position(spec),
		            "operatingSystemSpec must be a map");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		const struct field *field = &fields[i];
		struct go_json_matches matches = go_json_matches(arena, spec, field->name);

		if (field->os_name.len > 0 &&
		    !sv_eq(field->os_name, config->operating_system.string))
			continue;
		VEC_EACH (match, &matches) {
			if (!value_is_null(&(*match)->value))
				status |= read_field(arena, sink, field, &(*match)->value, machine,
				                     &system);
		}
	}
	check_names(sink, spec);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	hide_names(arena, &system);
	*ret_system = system;
	return STATUS_OK;
}

sv osm_system_utility(sv os_name, const struct osm_system *system)
{
	if (!sv_eq_cstr(os_name, "flatcar"))
		return SV("cloud-init");
	if (sv_empty(system->provisioning_utility.string))
		return SV("ignition");
	return system->provisioning_utility.string;
}

/* ---- RHEL's subscription ----------------------------------------------------------------- */

static struct value pulp_url(struct arena *arena, const struct value *server)
{
	struct text text = text_in(arena);

	TEXT_ADD_LIT(&text, "https://");
	text_add_value(&text, server);
	TEXT_ADD_LIT(&text, "/pulp/repos");
	struct value url = text_value(arena, &text);
	/* Messages name the server's line. */
	url.origin = server->origin;
	return url;
}

/* Returns rh_subscription with sorted keys, as in an OperatingSystemConfig, with empty values. */
static struct value subscription(struct arena *arena, const struct osm_system *system)
{
	struct value map = value_map_new(arena);

	if (system->use_satellite) {
		value_map_set(arena, &map, SV("activation-key"), system->activation_key);
		value_map_set(arena, &map, SV("org"), system->organization);
		value_map_set(arena, &map, SV("rhsm-baseurl"),
		              pulp_url(arena, &system->satellite_server));
		value_map_set(arena, &map, SV("server-hostname"), system->satellite_server);
		return map;
	}
	value_map_set(arena, &map, SV("auto-attach"),
	              value_string(system->attach_subscription ? SV("true") : SV("false")));
	value_map_set(arena, &map, SV("password"), system->subscription_password);
	value_map_set(arena, &map, SV("username"), system->subscription_user);
	return map;
}

sv osm_system_setting_of(sv member)
{
	static const struct {
		sv member;
		sv setting;
	} members[] = {
	    {SV_INIT("activation-key"), SV_INIT("rhelActivationKey")},
	    {SV_INIT("org"), SV_INIT("rhelOrganizationName")},
	    {SV_INIT("password"), SV_INIT("rhelSubscriptionManagerPassword")},
	    {SV_INIT("rhsm-baseurl"), SV_INIT("rhelSatelliteServer")},
	    {SV_INIT("server-hostname"), SV_INIT("rhelSatelliteServer")},
	    {SV_INIT("username"), SV_INIT("rhelSubscriptionManagerUser")},
	};

	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (sv_eq(members[i].member, member))
			return members[i].setting;
	return SV("");
}

static bool has_subscription(const struct osm_system *system)
{
	return system->use_satellite || !sv_empty(system->subscription_user.string) ||
	       !sv_empty(system->subscription_password.string);
}

void osm_system_check_subscription(struct sink *sink, const struct osm_provider_config *config,
                                   const struct osm_system *system)
{
	const struct value *at =
	    config->operating_system_spec ? config->operating_system_spec : config->root;

	if (!sv_eq_cstr(config->operating_system.string, "rhel") || has_subscription(system))
		return;
	struct diag *diag = diag_report(sink, DIAG_SUBSCRIPTION_EMPTY, value_position(at),
	                                "no subscription: cloud-init's schema refuses the empty "
	                                "user and password that it gets");
	diag_set_help(sink, diag,
	              "give rhelSubscriptionManagerUser and rhelSubscriptionManagerPassword, or "
	              "set emptySubscription: false");
}

void osm_system_check_support(struct sink *sink, const struct osm_provider_config *config,
                              const struct osm_profile *profile)
{
	/* Amazon Linux 2023 is called amzn2, too, since the CRD has no other name for it. */
	if (!sv_eq_cstr(profile->os_name.string, "amzn2") ||
	    !(sv_eq_cstr(profile->os_version.string, "2") ||
	      sv_starts_with(profile->os_version.string, SV("2."))))
		return;
	struct diag *diag =
	    diag_report(sink, DIAG_SYSTEM_UNSUPPORTED, value_position(&config->operating_system),
	                "Amazon Linux 2 is out of support since 2026-06-30");
	diag_set_help(sink, diag,
	              "use the profile osp-amzn2023, with the annotation "
	              "k8c.io/operating-system-profile and an image of Amazon Linux 2023");
}

const struct value *osm_system_modules(struct arena *arena, sv os_name,
                                       const struct osm_system *system, bool keep_empty,
                                       const struct value *modules)
{
	if (!sv_eq_cstr(os_name, "rhel"))
		return modules;
	/*
	 * COMPAT: the controller writes a user and a password that YAML reads as null. cloud-init's
	 * schema refuses them, though its module then leaves the machine alone.
	 */
	if (!keep_empty && !has_subscription(system))
		return modules;
	struct value changed = value_map_new(arena);

	for (size_t i = 0; i < value_count(modules); i++)
		value_map_set(arena, &changed, modules->map->entries[i].key,
		              modules->map->entries[i].value);
	value_map_set(arena, &changed, SV("rh_subscription"), subscription(arena, system));
	struct value *result = ARENA_NEW(arena, struct value);
	*result = osm_sorted(arena, &changed);
	return result;
}
