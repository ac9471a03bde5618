/*
 * Admission of a MachineDeployment into the cluster: the API server checks its metadata, and
 * machine-controller's webhook decodes and checks the whole object (docs/spec/controller.md 2.9).
 * Reports the errors that they would, except those for which the webhook asks the cloud.
 */
#include "golang/golang.h"
#include "osm/admission/admission.h"
#include "osm/machine.h"
#include "osm/spelling.h"

#define WEBHOOK "machine-controller's webhook"
#define REFUSED WEBHOOK " refuses it"

struct admission {
	struct arena *arena;
	struct sink *sink;
	const struct kube_object *object;
	bool failed;
};

static void note(struct admission *a, enum status status)
{
	a->failed |= status != STATUS_OK;
}

/* ---- types ------------------------------------------------------------------------------- */

/* Checks metadata's types, except of members that kube_object_read and machine.c check. */
static enum status check_metadata_types(struct admission *a, const struct value *metadata)
{
	static const char *const elsewhere[] = {
	    "metadata.name",
	    "metadata.namespace",
	    "metadata.annotations",
	    NULL,
	};
	const struct osm_decoding_rules rules = {
	    .code = DIAG_MD_TYPE,
	    .reader = "the API server",
	    .is_exact = true,
	    .elsewhere = elsewhere,
	};
	const struct shape_place place = {.name = SV("metadata")};

	return osm_decode(a->arena, a->sink, &rules, &osm_meta_shape, &place, metadata);
}

static enum status check_types(struct admission *a)
{
	static const char *const elsewhere[] = {
	    "kind", "apiVersion", "metadata", "spec.template.spec.versions.kubelet", NULL,
	};
	const struct osm_decoding_rules rules = {
	    .code = DIAG_MD_TYPE,
	    .reader = WEBHOOK,
	    .elsewhere = elsewhere,
	};

	return osm_decode(a->arena, a->sink, &rules, &osm_machine_shape, NULL, a->object->root);
}

/* ---- spec -------------------------------------------------------------------------------- */

static void refuse_machine(struct admission *a, const struct value *v, const char *help,
                           const char *problem)
{
	struct diag *diag =
	    diag_report(a->sink, DIAG_MD_REFUSED, value_position(v), "%s: " REFUSED, problem);

	diag_set_help(a->sink, diag, "%s", help);
	a->failed = true;
}

static int64_t number_of(const struct value *v)
{
	if (v->type == &type_int64)
		return v->integer;
	return v->type == &type_float64 ? (int64_t)v->real : 0;
}

/* maxSurge or maxUnavailable: a number or a percentage. The webhook checks it for 100 machines. */
struct amount {
	int64_t number;
	bool is_percent; /* digits and % */
	bool is_wrong;
};

static struct amount read_amount(struct arena *arena, const struct value *v)
{
	struct amount amount = {0};
	struct buf digits = buf_in(arena);
	sv text = value_text(v);

	if (!value_is_string(v)) {
		amount.number = number_of(v);
		return amount;
	}
	/* COMPAT: every % is removed, wherever it is; it is a percentage even without one. */
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '%')
			buf_add_char(&digits, text.ptr[i]);
	amount.is_wrong = !sv_parse_int64(buf_sv(&digits), &amount.number);
	amount.is_percent = text.len > 1 && text.ptr[text.len - 1] == '%';
	for (size_t i = 0; i + 1 < text.len; i++)
		amount.is_percent = amount.is_percent && ascii_is_digit((unsigned char)text.ptr[i]);
	return amount;
}

#define AMOUNT_HELP "write a number such as 1, or a percentage such as \"25%\""

static int64_t check_amount(struct admission *a, const struct value *v, const char *name,
                            bool is_limited)
{
	struct amount amount = read_amount(a->arena, v);
	sv problem = SV("");

	if (amount.is_wrong)
		problem = SV("neither a whole number nor a percentage");
	else if (amount.number < 0)
		problem = SV("negative");
	else if (is_limited && amount.is_percent && amount.number > 100)
		problem = SV("more than 100%");
	if (!sv_empty(problem))
		refuse_machine(
		    a, v, AMOUNT_HELP,
		    arena_cstr(a->arena,
		               arena_printf(a->arena, "spec.strategy.rollingUpdate.%s is %.*s",
		                            name, SV_ARG(problem))));
	return amount.is_wrong ? -1 : amount.number;
}

static void check_strategy(struct admission *a, const struct value *spec)
{
	const struct value *strategy = go_json_member(spec, SV("strategy"));
	const struct value *type = go_json_member(strategy, SV("type"));
	const struct value *update = go_json_member(strategy, SV("rollingUpdate"));
	const struct value *unavailable = go_json_member(update, SV("maxUnavailable"));
	const struct value *surge = go_json_member(update, SV("maxSurge"));

	if (!sv_empty(value_text(type)) && !sv_eq_cstr(type->string, "RollingUpdate")) {
		refuse_machine(a, type, "write RollingUpdate, or remove spec.strategy",
		               "spec.strategy.type is not RollingUpdate");
		return;
	}
	/* The webhook's defaults: one machine more, none less. */
	int64_t less = unavailable ? check_amount(a, unavailable, "maxUnavailable", true) : 0;
	int64_t more = surge ? check_amount(a, surge, "maxSurge", false) : 1;
	if (less == 0 && more == 0)
		refuse_machine(
		    a, unavailable ? unavailable : surge,
		    "let maxSurge or maxUnavailable be 1 at least",
		    "maxSurge and maxUnavailable are both 0, so that no machine could ever be "
		    "replaced");
}

static void check_spec(struct admission *a, const struct value *spec)
{
	const struct value *replicas = go_json_member(spec, SV("replicas"));
	const struct value *template = go_json_member(spec, SV("template"));
	const struct value *labels =
	    go_json_member(go_json_member(template, SV("metadata")), SV("labels"));
	const struct value *source =
	    go_json_member(go_json_member(template, SV("spec")), SV("configSource"));
	struct position at = spec ? value_position(spec) : kube_object_position(a->object);

	note(a, osm_check_selector(a->arena, a->sink, go_json_member(spec, SV("selector")), labels,
	                           at));
	if (replicas && number_of(replicas) < 0)
		refuse_machine(a, replicas, "write 0 or more", "spec.replicas is negative");
	check_strategy(a, spec);
	if (source)
		refuse_machine(
		    a, source,
		    "remove it; annotations of the MachineDeployment hold settings "
		    "of the kubelet",
		    "spec.template.spec.configSource is set, which Kubernetes no longer supports");
}

/* ---- providerSpec.value ------------------------------------------------------------------ */

static const char *ssh_key_problem(enum ssh_key_mistake mistake)
{
	switch (mistake) {
	case SSH_KEY_NO_LINE:
		return "has no line of a type, a blank and a key";
	case SSH_KEY_NO_BASE64:
		return "is not base64 after its type";
	case SSH_KEY_DAMAGED:
		return "is damaged: its bytes are not those of a key";
	case SSH_KEY_TYPE:
		return "is of a type that is not known there";
	case SSH_KEY_FINE:
		break;
	}
	BUG("a key without a mistake");
}

static bool is_path(sv text)
{
	return sv_starts_with(text, SV("~/")) || sv_starts_with(text, SV("/")) ||
	       sv_starts_with(text, SV("./")) || sv_ends_with(text, SV(".pub"));
}

/* Returns true for a string that is not a secret: a path, a placeholder, the begin of a key. */
static bool is_harmless(sv text)
{
	static const char *const beginnings[] = {"ssh-", "ecdsa-", "sk-", "<", "$"};

	for (size_t i = 0; i < COUNT_OF(beginnings); i++)
		if (sv_starts_with(text, sv_from_cstr(beginnings[i])))
			return true;
	return is_path(text);
}

/*
 * Returns the key's position, or, if it is not a public key, one whose line is not shown: somebody
 * may have pasted a secret there.
 */
static struct position place_of_key(struct admission *a, const struct value *key,
                                    const struct value *keys)
{
	struct position at = value_position(key->origin.source ? key : keys);

	if (!is_harmless(go_trim_space(value_text(key))))
		at = position_without_line(a->sink->arena, at);
	return at;
}

static void check_ssh_keys(struct admission *a, const struct osm_provider_config *config)
{
	const struct value *keys = &config->ssh_public_keys;

	for (size_t i = 0; i < value_count(keys); i++) {
		const struct value *key = value_item(keys, i);
		sv text = go_trim_space(value_text(key));
		enum ssh_key_mistake mistake = go_ssh_key_check(a->arena, value_text(key));

		/* config_json.c refuses private ones. */
		if (mistake == SSH_KEY_FINE || secrecy_holds_private_key(text))
			continue;
		struct diag *diag =
		    diag_report(a->sink, DIAG_MD_SSH_KEY, place_of_key(a, key, keys),
		                "sshPublicKeys[%zu] is not an SSH public key (it %s): " REFUSED, i,
		                ssh_key_problem(mistake));
		if (is_path(text))
			diag_set_help(a->sink, diag,
			              "write the line that is in the file, not the file's path");
		else
			diag_set_help(a->sink, diag,
			              "write the line of a .pub file: \"ssh-ed25519 AAAA... "
			              "comment\"; for no key at all write sshPublicKeys: []");
		a->failed = true;
	}
}

static void check_cloud_spec(struct admission *a, const struct osm_provider_config *config)
{
	const struct shape *shape = osm_cloud_shape(config->cloud_provider.string);
	const struct value *spec = config->cloud_provider_spec;
	const struct osm_decoding_rules rules = {
	    .code = DIAG_MD_CLOUD_SPEC,
	    .reader = WEBHOOK,
	    .unknown = DIAG_MD_CLOUD_MEMBER,
	};
	const struct shape_place place = {.name = SV("cloudProviderSpec")};

	if (!shape)
		return;
	if (spec) {
		note(a, osm_decode(a->arena, a->sink, &rules, shape, &place, spec));
		return;
	}
	struct diag *diag =
	    diag_report(a->sink, DIAG_MD_CLOUD_SPEC, value_position(config->root),
	                "providerSpec.value has no cloudProviderSpec: " REFUSED " for %.*s",
	                SV_ARG(config->cloud_provider.string));
	diag_set_help(a->sink, diag, "add cloudProviderSpec, with the settings of the cloud");
	a->failed = true;
}

/* Warns of a version that the webhook accepts only with a flag. */
static void check_kubelet_settings(struct admission *a, const struct value *spec)
{
	const struct value *text = value_path(spec, "template.spec.versions.kubelet");
	struct semver version;
	sv error;

	/* machine.c reports what is not a version. */
	if (!value_is_string(text) ||
	    !go_semver_parse(a->arena, value_text(text), &version, &error) ||
	    sv_empty(version.prerelease))
		return;
	struct diag *diag =
	    diag_report(a->sink, DIAG_KUBELET_PRERELEASE, value_position(text),
	                "kubelet %.*s is a pre-release: " WEBHOOK " refuses those as long as its "
	                "flag -kubernetes-version-constraints is not set",
	                SV_ARG(value_text(text)));
	diag_set_help(a->sink, diag, "use a released version, or set the flag to \">=0.0.0-0\"");
}

static void check_config(struct admission *a)
{
	const struct value *root =
	    value_path(a->object->root, "spec.template.spec.providerSpec.value");
	struct sink ignored = sink_in(a->arena);
	struct osm_provider_config config;

	/* A missing or wrong value is reported by machine.c, which reads it. */
	if (value_is_null(root) ||
	    osm_provider_config_read(a->arena, &ignored, root, OSM_LENIENT, &config) != STATUS_OK)
		return;
	check_ssh_keys(a, &config);
	check_cloud_spec(a, &config);
}

enum status osm_machine_admit(struct arena *arena, struct sink *sink,
                              const struct kube_object *machine_deployment)
{
	struct admission a = {.arena = arena, .sink = sink, .object = machine_deployment};
	const struct value *root = machine_deployment->root;
	const struct value *metadata = value_map_get(root, SV("metadata"));
	const struct value *spec = go_json_member(root, SV("spec"));
	DIAG_SCOPE(sink, kube_object_describe(arena, machine_deployment), sink->cluster);

	note(&a, check_metadata_types(&a, metadata));
	note(&a, osm_check_metadata(arena, sink, metadata));
	bool is_typed = check_types(&a) == STATUS_OK;
	a.failed |= !is_typed;
	/* The webhook accepts every object that is being deleted. */
	bool is_deleted = !value_is_null(value_map_get(metadata, SV("deletionTimestamp")));
	if (is_typed && !is_deleted) {
		check_spec(&a, spec);
		osm_check_later(arena, sink, spec);
	}
	if (!is_deleted) {
		check_config(&a);
		check_kubelet_settings(&a, spec);
	}
	osm_check_template_annotations(sink, root);
	return a.failed ? STATUS_FAILED : STATUS_OK;
}
