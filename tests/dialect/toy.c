/*
 * A dialect in one file, for tests: the program serves it as it serves the others. Its units are
 * Greetings, which stand with a Secret:
 *
 *   apiVersion: toy.example/v1
 *   kind: Greeting
 *   metadata: {name: hello, namespace: demo}
 *   spec: {text: good morning, secretName: password}
 *
 * One becomes a ConfigMap on the management side, in which the password is a mark, and a sealed
 * Secret with user-data on the worker side.
 * It is linked in place of src/dialect/registry.c: nothing else names it.
 */
#include "dialect/dialect.h"
#include "value/text.h"

#define GENERATED "toy.example/greeting" /* the type of the Secrets that are made */

extern const struct dialect osm_dialect;

static const struct dialect_kind kinds[] = {
    {SV_INIT("Greeting"), SV_INIT("toy.example"), SV_INIT("v1"), DIALECT_UNIT, .is_unique = true},
    {SV_INIT("Secret"), SV_INIT(""), SV_INIT("v1"), .part = DIALECT_LOOKUP},
};

struct toy_settings {
	struct value sign;
};

static const struct setting rows[] = {
    {.flag = SV_INIT("toy-sign"),
     .name = SV_INIT("toySign"),
     .kind = SETTING_TEXT,
     SETTING_MEMBER(toy_settings, sign),
     .help = "what greetings end with",
     .initial = "!",
     .example = "?"},
};

static const struct setting_table settings = {rows, COUNT_OF(rows), sizeof(struct toy_settings)};

static sv secret_name(const struct kube_object *unit)
{
	return value_text(value_path(unit->root, "spec.secretName"));
}

static void want(const struct dialect_cluster *cluster, struct dialect_wants *wants)
{
	VEC_EACH (unit, &cluster->units)
		dialect_want(wants, SV("Secret"), (*unit)->id.namespace, secret_name(*unit));
}

/* Nothing is shared: what is looked up is looked up by each unit. */
static enum status load(struct arena *secret_arena, struct sink *sink,
                        const struct dialect_cluster *cluster, const struct dialect_load *options,
                        const void **ret_loaded)
{
	(void)secret_arena, (void)sink;
	*ret_loaded = options->secrets_may_be_absent ? NULL : cluster;
	return STATUS_OK;
}

static void add(struct arena *arena, struct artifacts *artifacts, enum artifact_role role,
                struct value object, const struct value *user_data)
{
	bool sealed = role != ARTIFACT_CONFIG;
	struct artifact artifact = {
	    .side = sealed ? ARTIFACT_WORKER : ARTIFACT_MANAGEMENT,
	    .role = role,
	    .sealing = sealed ? ARTIFACT_SEAL_DATA : ARTIFACT_CLEAR,
	    .id = kube_id_of(&object),
	    .object = object,
	};

	if (user_data) {
		artifact.user_data = *user_data;
		artifact.user_data_bytes = user_data->string.len;
		artifact.user_data_limit = 1024;
	}
	VEC_PUSH(arena, artifacts, artifact);
}

static enum status render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                          struct dialect_rendered *ret_rendered)
{
	const struct kube_id *id = &job->unit->object->id;
	const struct value *text = value_path(job->unit->object->root, "spec.text");
	const struct kube_object *secret = kube_objects_find(
	    job->cluster->objects, SV("Secret"), id->namespace, secret_name(job->unit->object));
	struct value data = value_map_new(arena);
	const struct toy_settings *own = job->cluster->settings;
	struct text greeting = text_in(arena);
	struct value password;

	if (!value_is_string(text) || !secret) {
		diag_report(sink, DIAG_OBJECT_MISSING,
		            text ? value_position(text) : kube_object_position(job->unit->object),
		            "a Greeting needs a text and a Secret");
		return STATUS_FAILED;
	}
	if (kube_secret_value(arena, sink, secret, SV("password"), value_position(text),
	                      &password) != STATUS_OK)
		return STATUS_FAILED;
	text_add_value(&greeting, text);
	text_add(&greeting, SV(" "));
	text_add_value(&greeting, &password);
	text_add_value(&greeting, &own->sign);
	struct value user_data = text_value(arena, &greeting);

	value_map_set(arena, &data, SV("greeting"), user_data);
	struct value config = kube_object_new(
	    arena, &(struct kube_id){SV("v1"), SV("ConfigMap"), id->namespace, id->name}, NULL,
	    NULL);
	value_map_set(arena, &config, SV("data"), data);
	const struct kube_secret_request sealed = {id->namespace, id->name, SV(GENERATED),
	                                           .data = &data};
	add(arena, &ret_rendered->artifacts, ARTIFACT_CONFIG, config, NULL);
	add(arena, &ret_rendered->artifacts, ARTIFACT_BOOTSTRAP, kube_secret_new(arena, &sealed),
	    &user_data);
	ret_rendered->provider = SV("toy");
	return STATUS_OK;
}

/* ---- live clusters ----------------------------------------------------------------------- */

static const struct dialect_field metadata[] = {DIALECT_FIELD("name"), DIALECT_FIELD("namespace")};
static const struct dialect_field spec[] = {DIALECT_FIELD("text"), DIALECT_FIELD("secretName")};
static const struct dialect_field fields[] = {DIALECT_FIELD("apiVersion"), DIALECT_FIELD("kind"),
                                              DIALECT_FIELD_OF("metadata", metadata),
                                              DIALECT_FIELD_OF("spec", spec)};

static const struct dialect_live_kind live_kinds[] = {
    {SV_INIT("Greeting"), SV_INIT("toy.example"), DIALECT_LIVE_UNIT, .fields = fields,
     .field_count = COUNT_OF(fields)},
};

static enum dialect_secret_role secret_role(const struct kube_object *secret)
{
	return sv_eq(kube_secret_type(secret), SV(GENERATED)) ? DIALECT_SECRET_GENERATED
	                                                      : DIALECT_SECRET_INPUT;
}

static bool is_made_for(struct arena *arena, const struct kube_object *unit,
                        const struct kube_object *object)
{
	(void)arena;
	return sv_eq(unit->id.namespace, object->id.namespace) &&
	       sv_eq(unit->id.name, object->id.name);
}

/* Greetings in a cluster may be shouted: no other dialect ignores the case of letters. */
static enum dialect_match compare(struct arena *arena, const struct value *ours,
                                  const struct kube_object *live, sv *ret_place)
{
	(void)arena;
	if (sv_eq_fold_ascii(value_text(value_path(ours, "data.greeting")),
	                     value_text(value_path(live->root, "data.greeting"))))
		return DIALECT_MATCH_EQUAL;
	*ret_place = SV("data.greeting");
	return DIALECT_MATCH_DIFFERS;
}

static const char *const ignored[] = {"whether a greeting is shouted"};

static const struct dialect_adoption adoption = {
    .kinds = live_kinds,
    .kind_count = COUNT_OF(live_kinds),
    .secret_role = secret_role,
    .is_made_for = is_made_for,
    .compare = compare,
    .ignored = ignored,
    .ignored_count = COUNT_OF(ignored),
};

static const struct dialect toy_dialect = {
    .name = SV_INIT("toy"),
    .kinds = kinds,
    .kind_count = COUNT_OF(kinds),
    .settings = &settings,
    .want = want,
    .load = load,
    .render = render,
    .adoption = &adoption,
};

const struct dialect *const *dialects(size_t *ret_count)
{
	static const struct dialect *const registry[] = {&osm_dialect, &toy_dialect};

	*ret_count = COUNT_OF(registry);
	return registry;
}
