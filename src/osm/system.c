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

/* Each operating system decodes only its own keys; wrong types in other keys are ignored. */
enum { FLATCAR_ONLY = SHAPE_OWN, RHEL_ONLY = SHAPE_OWN << 1 };

static const struct shape_member system_members[] = {
    {.name = "distUpgradeOnBoot",
     .type = SHAPE_BOOL,
     .initial = "false",
     .help = "true to upgrade all packages when a machine boots for the first time"},
    {.name = "disableAutoUpdate",
     .type = SHAPE_BOOL,
     .flags = FLATCAR_ONLY,
     .initial = "false",
     .help = "true to switch off automatic updates"},
    {.name = "disableLocksmithD",
     .type = SHAPE_BOOL,
     .flags = FLATCAR_ONLY,
     .initial = "false",
     .help = "true to switch off locksmithd, which reboots after updates"},
    {.name = "disableUpdateEngine",
     .type = SHAPE_BOOL,
     .flags = FLATCAR_ONLY,
     .initial = "false",
     .help = "true to switch off update-engine, which downloads updates"},
    {.name = "provisioningUtility",
     .flags = FLATCAR_ONLY,
     .pattern = "^(ignition|cloud-init)?$",
     .initial = "ignition",
     .help = "the program that reads the user-data: ignition or cloud-init"},
    {.name = "rhelSubscriptionManagerUser",
     .flags = RHEL_ONLY,
     .help = "user of the Red Hat subscription"},
    {.name = "rhelSubscriptionManagerPassword",
     .flags = RHEL_ONLY | SHAPE_SECRET,
     .help = "the user's password"},
    {.name = "rhsmOfflineToken",
     .flags = RHEL_ONLY | SHAPE_SECRET,
     .help = "token of Red Hat's API, with which machine-controller ends subscriptions"},
    {.name = "attachSubscription",
     .type = SHAPE_BOOL,
     .flags = RHEL_ONLY,
     .initial = "false",
     .help = "true to attach a subscription automatically"},
    {.name = "rhelUseSatelliteServer",
     .type = SHAPE_BOOL,
     .flags = RHEL_ONLY,
     .initial = "false",
     .help = "true to register with a Satellite server"},
    {.name = "rhelSatelliteServer",
     .flags = RHEL_ONLY,
     .help = "host name of the Satellite server"},
    {.name = "rhelOrganizationName",
     .flags = RHEL_ONLY,
     .help = "organization on the Satellite server"},
    {.name = "rhelActivationKey",
     .flags = RHEL_ONLY | SHAPE_SECRET,
     .help = "activation key of the organization"},
};
const struct shape osm_system_shape = SHAPE("OperatingSystemSpec", system_members);

unsigned osm_system_absent(sv os_name)
{
	return (sv_eq_cstr(os_name, "flatcar") ? 0 : FLATCAR_ONLY) |
	       (sv_eq_cstr(os_name, "rhel") ? 0 : RHEL_ONLY);
}

/* ---- reading ----------------------------------------------------------------------------- */

struct system_reading {
	struct sink *sink;
	bool failed;
};

static void report_system_problem(struct shape_reader *r, const struct shape_problem *problem)
{
	struct system_reading *reading = r->context;
	const struct shape_member *member = problem->member;

	if (problem->kind == SHAPE_UNKNOWN) {
		/* The controller ignores it. */
		struct diag *diag =
		    diag_report(reading->sink, DIAG_MD_SYSTEM_SPELLING,
		                origin_position(problem->entry->key_origin),
		                "operatingSystemSpec has no \"%.*s\": it is ignored",
		                SV_ARG(problem->entry->key));
		sv nearest = shape_nearest(r->arena, problem->shape, problem->entry->key, 0);

		diag_help_quoted(reading->sink, diag, nearest, "remove it");
	}
	if (problem->kind != SHAPE_WRONG_TYPE)
		return;
	struct diag *diag =
	    diag_report(reading->sink, DIAG_MD_CONFIG, value_position(problem->value),
	                "%s must be %.*s", problem->place ? member->name : "operatingSystemSpec",
	                SV_ARG(shape_wanted(r->arena, member, false)));

	reading->failed = true;
	if (member->type != SHAPE_MAP)
		diag_set_help(reading->sink, diag,
		              member->type == SHAPE_BOOL ? "write it without quotes"
		                                         : "put it in quotes");
}

/*
 * Taints the credentials of a map of `system_members`, then an organisation that is equal to its
 * activation key, and a user equal to the password.
 */
static void taint_system(struct arena *arena, const struct kube_id *machine, struct value *taken)
{
	for (size_t i = 0; i < COUNT_OF(system_members); i++) {
		sv name = sv_from_cstr(system_members[i].name);
		struct value *v = value_map_get_mutable(taken, name);

		if (v && system_members[i].flags & SHAPE_SECRET)
			*v = secrecy_taint_string(
			    arena, *v,
			    kube_secret_name(
			        arena, machine->namespace, machine->name,
			        ARENA_CONCAT(arena, SV("operatingSystemSpec."), name)));
	}
	for (size_t i = 0; i < COUNT_OF(system_members); i++) {
		const struct value *v = value_map_get(taken, sv_from_cstr(system_members[i].name));

		for (size_t k = 0;
		     v && system_members[i].flags & SHAPE_SECRET && k < value_count(taken); k++)
			if (value_is_string(&taken->map->entries[k].value))
				osm_hide_if_same(arena, &taken->map->entries[k].value, v);
	}
}

static struct value taken_text(const struct value *taken, const char *name)
{
	const struct value *v = value_map_get(taken, sv_from_cstr(name));

	return v ? *v : value_string(SV(""));
}

static bool taken_bool(const struct value *taken, const char *name)
{
	const struct value *v = value_map_get(taken, sv_from_cstr(name));

	return v && v->boolean;
}

enum status osm_system_read(struct arena *arena, struct sink *sink, const struct kube_id *machine,
                            const struct osm_provider_config *config, struct osm_system *ret_system)
{
	struct system_reading reading = {.sink = sink};
	struct shape_reader reader = {
	    .arena = arena,
	    .options = SHAPE_FOLDS_CASE,
	    .absent = osm_system_absent(config->operating_system.string),
	    .report = report_system_problem,
	    .context = &reading,
	};
	struct value taken;

	/* Checks first: taking has the order of sorted keys. */
	(void)shape_check(&reader, &osm_system_shape, NULL, config->operating_system_spec);
	if (reading.failed)
		return STATUS_FAILED;
	reader.report = NULL;
	taken = shape_take(&reader, &osm_system_shape, NULL, config->operating_system_spec);
	taint_system(arena, machine, &taken);
	*ret_system = (struct osm_system){
	    .dist_upgrade_on_boot = taken_bool(&taken, "distUpgradeOnBoot"),
	    .disable_auto_update = taken_bool(&taken, "disableAutoUpdate"),
	    .disable_locksmithd = taken_bool(&taken, "disableLocksmithD"),
	    .disable_update_engine = taken_bool(&taken, "disableUpdateEngine"),
	    .provisioning_utility = taken_text(&taken, "provisioningUtility"),
	    .subscription_user = taken_text(&taken, "rhelSubscriptionManagerUser"),
	    .subscription_password = taken_text(&taken, "rhelSubscriptionManagerPassword"),
	    .offline_token = taken_text(&taken, "rhsmOfflineToken"),
	    .attach_subscription = taken_bool(&taken, "attachSubscription"),
	    .use_satellite = taken_bool(&taken, "rhelUseSatelliteServer"),
	    .satellite_server = taken_text(&taken, "rhelSatelliteServer"),
	    .organization = taken_text(&taken, "rhelOrganizationName"),
	    .activation_key = taken_text(&taken, "rhelActivationKey"),
	};
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
