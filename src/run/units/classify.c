/*
 * Classifies each changed file, for the class of its unit (plan_class) and for reviewers: does it
 * change user-data, and did a sealed value change or only its recipients?
 */
#include "run/units/classify.h"
#include "run/units/units.h"
#include "yaml/yaml.h"

bool run_is_user_data(enum artifact_role role)
{
	switch (role) {
	case ARTIFACT_BOOTSTRAP:
	case ARTIFACT_PROVISIONING:
		return true;
	case ARTIFACT_CONFIG:
	case ARTIFACT_CREDENTIAL:
	case ARTIFACT_REPORT:
	case ARTIFACT_MACHINES:
	case ARTIFACT_CONFIG_MAP:
	case ARTIFACT_SUPPORT:
		return false;
	}
	BUG("role of an artifact");
}

/* Returns the spec without sealed values. Annotations change with each revision. */
static sv spec_of(struct arena *arena, sv text)
{
	return seal_mask(arena, tree_object_spec(text));
}

/*
 * Compares the two files. If the previous one had other recipients, or text in the other member of
 * the Secret, first seals the new value in the same way.
 */
static enum status has_same_values(struct sink *sink, const struct run_comparison *c,
                                   bool *ret_same)
{
	const struct sealer_format *format = c->seal->recipients->format;
	struct tree_seal_request again = *c->seal;
	struct buf buf = buf_in(c->scratch);
	sv now = c->text;
	bool sealed = true;

	again.uses_string_data = tree_has_string_data(c->text_before);
	if (c->before->other_recipients)
		again.recipients = &c->before->recipients;
	if (c->before->other_recipients || again.uses_string_data != tree_has_string_data(now)) {
		again.ret_ciphertexts = NULL;
		if (run_seal(sink, c->root, c->artifact, &again, c->is_patch, &buf, &sealed) !=
		    STATUS_OK)
			return STATUS_FAILED;
		now = buf_sv(&buf);
	}
	*ret_same = seal_same_values(c->scratch, format, c->text_before, now);
	return STATUS_OK;
}

static enum status compare_sealed(struct sink *sink, const struct run_comparison *c,
                                  unsigned *ret_change)
{
	bool same = true;

	*ret_change = 0;
	if (c->before->other_seed)
		*ret_change |= REPORT_SEALED_SEED;
	if (c->before->other_recipients)
		*ret_change |= REPORT_SEALED_RECIPIENTS;
	if (c->before->other_seed || (c->before->other_recipients && !c->before->can_seal_again)) {
		*ret_change |= REPORT_SEALED_UNKNOWN;
		return STATUS_OK;
	}
	if (has_same_values(sink, c, &same) != STATUS_OK)
		return STATUS_FAILED;
	if (!same)
		*ret_change |= REPORT_SEALED_VALUE;
	return STATUS_OK;
}

/*
 * Returns the number of machines that applying the artifact sets, or -1 if it sets none. A
 * MachineDeployment whose manifest has no number gets 1, as the API server defaults it; `of` is the
 * object of the unit.
 */
static int64_t machines_after(const struct artifact *artifact, const struct value *of)
{
	if (!value_is_null(value_path(&artifact->object, "spec.replicas")))
		return kube_replicas(&artifact->object);
	return artifact->role == ARTIFACT_MACHINES && value_is_null(value_path(of, "spec.replicas"))
	           ? 1
	           : -1;
}

static void add_scale(struct report_scale *scale, int64_t before, int64_t after)
{
	bool are_known = before >= 0 && after >= 0;

	if (!scale->changes)
		*scale = (struct report_scale){.changes = true};
	scale->before = before < 0 || scale->before < 0 ? -1 : scale->before + before;
	scale->after = after < 0 || scale->after < 0 ? -1 : scale->after + after;
	scale->fewer += are_known && after < before ? before - after : 0;
	scale->more += are_known && after > before ? after - before : 0;
}

void run_find_scale(struct arena *scratch, const struct artifact *artifact, sv text_before,
                    struct run_unit *unit)
{
	struct plan_class_facts *facts = &unit->facts;

	if (!sv_eq(artifact->id.kind, SV("MachineDeployment")))
		return;
	const struct value *object = yml_parse_one(scratch, SV("output"), text_before, true);
	bool had_number = !value_is_null(value_path(object, "spec.replicas"));
	bool has_number = !value_is_null(value_path(&artifact->object, "spec.replicas"));
	int64_t before = object ? kube_replicas(object) : -1;
	int64_t after = machines_after(artifact, unit->unit->unit->object->root);
	bool is_unit = artifact->role == ARTIFACT_MACHINES;

	facts->replicas_left |= is_unit && had_number && !has_number;
	/* An autoscaler has the number of a MachineDeployment that is not the unit itself. */
	if ((!had_number && !has_number) || (had_number && before == after) ||
	    (!has_number && !is_unit))
		return;
	add_scale(&facts->scale, before, after);
}

static bool find_derived(void *context, const struct secrecy_place *place UNUSED,
                         const struct secret *secret)
{
	bool *is_found = context;

	*is_found = secrecy_is_derived(secret);
	return !*is_found;
}

/* Returns true if what machines read has a secret that is derived from the seed, and another seed.
 */
static bool has_other_derived(const struct run_comparison *c)
{
	bool is_found = false;

	if (c->before->other_seed)
		secrecy_each(&c->artifact->object, find_derived, &is_found);
	return is_found;
}

enum status run_classify(struct sink *sink, const struct run_comparison *c, struct run_unit *unit)
{
	enum artifact_role role = c->is_patch ? ARTIFACT_SUPPORT : c->artifact->role;
	struct plan_class_facts *facts = &unit->facts;
	bool *user_data_changed = c->artifact->for_new_machines ? &facts->new_user_data_changed
	                                                        : &facts->user_data_changed;
	unsigned change;

	facts->file_changed = true;
	if (!c->was_there) {
		*user_data_changed |= run_is_user_data(role);
		return STATUS_OK;
	}
	if (role == ARTIFACT_CONFIG && !secrecy_redacted_equal(spec_of(c->scratch, c->text_before),
	                                                       spec_of(c->scratch, c->text)))
		facts->config_changed = true;
	if (!c->is_patch)
		run_find_scale(c->scratch, c->artifact, c->text_before, unit);
	if (!c->is_sealed) {
		*user_data_changed |= run_is_user_data(role);
		return STATUS_OK;
	}
	if (compare_sealed(sink, c, &change) != STATUS_OK)
		return STATUS_FAILED;
	if (run_is_user_data(role)) {
		*user_data_changed |= (change & REPORT_SEALED_VALUE) != 0 || has_other_derived(c);
		facts->user_data_unknown |= (change & REPORT_SEALED_UNKNOWN) != 0;
	}
	VEC_PUSH(c->results, &unit->sealed, ((struct run_sealed_change){c->path, change}));
	return STATUS_OK;
}

/* ---- templates ---------------------------------------------------------------------------- */

/* A file of the unit itself. */
struct written_unit {
	const struct dialect *dialect;
	struct kube_object object; /* without a root if the file is damaged */
	sv roll;
};

static struct written_unit read_written_unit(const struct run_comparison *c,
                                             const struct dialect *dialect, sv text)
{
	struct value *root = yml_parse_one(c->scratch, SV("output"), text, false);
	struct written_unit read = {.dialect = dialect, .object.root = root};

	if (!root)
		return read;
	read.object.id = kube_id_of(root);
	read.roll = dialect->roll_value(root);
	return read;
}

/* Returns the template as machine-controller compares it, with the roll annotation of that value.
 */
static sv template_with(const struct run_comparison *c, const struct written_unit *of, sv roll)
{
	struct kube_object object = of->object;
	struct value root;

	if (!sv_empty(roll)) {
		root = of->dialect->with_roll(c->scratch, &of->object, roll);
		object.root = &root;
	}
	return of->dialect->template_text(c->scratch, &object).string;
}

void run_compare_templates(const struct run_comparison *c, const struct previous *previous,
                           struct run_unit *unit)
{
	const struct dialect *dialect = unit->unit->unit->dialect;
	struct plan_class_facts *facts = &unit->facts;
	bool is_masked = c->before->other_seed || c->before->other_recipients;
	sv before_text = is_masked ? seal_mask(c->scratch, c->text_before) : c->text_before;
	sv now_text = is_masked ? seal_mask(c->scratch, c->text) : c->text;

	if (!dialect->roll_value || !dialect->template_text)
		return;
	if (!c->was_there) {
		/* The index lists the file, so that the object may be in the cluster. */
		facts->is_rolled |= set_has(&previous->paths, c->path_before) &&
		                    facts->template != PLAN_TEMPLATE_SAME;
		return;
	}
	facts->was_there = true;
	const struct written_unit before = read_written_unit(c, dialect, before_text);
	const struct written_unit now = read_written_unit(c, dialect, now_text);
	if (!before.object.root || !now.object.root) {
		facts->is_rolled = true;
		return;
	}
	sv roll = sv_empty(now.roll) ? before.roll : now.roll;
	sv rest_before = template_with(c, &before, roll);
	sv rest_now = template_with(c, &now, roll);
	bool has_same_rest = is_masked ? secrecy_redacted_equal(rest_before, rest_now)
	                               : sv_eq(rest_before, rest_now);

	if (!sv_eq(before.roll, now.roll))
		facts->is_rolled |= has_same_rest;
	if (!sv_eq(before.roll, now.roll) || !secrecy_redacted_equal(rest_before, rest_now))
		facts->template = PLAN_TEMPLATE_CHANGED;
}

/* ---- effect on running machines ----------------------------------------------------------- */

static struct report_names copy_names(struct arena *arena, const sv *names, size_t count)
{
	sv *copies = ARENA_ARRAY(arena, sv, count + 1);

	for (size_t i = 0; i < count; i++)
		copies[i] = arena_dup(arena, names[i]);
	return (struct report_names){copies, count};
}

/* Returns true if running machines apply something, even if they are replaced later. */
static bool applies_change(const struct plan_class_facts *facts)
{
	enum report_class class = plan_class(facts);

	/* Its class is not known yet. */
	if (facts->lacks_seed)
		return facts->is_applied;
	return class == REPORT_CLASS_IN_PLACE ||
	       (class == REPORT_CLASS_ROLL && facts->is_applied && facts->config_changed);
}

void run_find_applied(const struct run_applied *a, struct run_unit *unit)
{
	const struct dialect *dialect = unit->unit->unit->dialect;
	const struct seal_fingerprint_key key = {a->root, unit->unit->cluster->fleet->name};
	struct redaction redaction = seal_redaction(&key);
	struct dialect_applied applied = {0};
	struct value object = {0};
	const struct value *before = NULL;
	const struct value *now = NULL;

	if (!dialect->applied || !applies_change(&unit->facts))
		return;
	/* If only user-data changed, both are the config of this run. */
	VEC_EACH (artifact, a->artifacts) {
		if (artifact->role != ARTIFACT_CONFIG)
			continue;
		object = secrecy_redact_all(a->scratch, &redaction, &artifact->object);
		before = now = &object;
	}
	for (size_t i = 0; i < a->changed_count; i++) {
		if (!a->changed[i].is_config)
			continue;
		before = yml_parse_one(a->scratch, SV("output"), a->changed[i].before, false);
		now = yml_parse_one(a->scratch, SV("output"), a->changed[i].after, false);
	}
	if (!before || !now)
		return;
	dialect->applied(a->scratch, before, now, &applied);
	unit->row.restarts = copy_names(a->results, applied.restarts.items, applied.restarts.count);
	unit->row.stops = copy_names(a->results, applied.stops.items, applied.stops.count);
}
