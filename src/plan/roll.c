/*
 * Decides if a unit's machines are replaced because what its nodes would get has changed (the
 * setting roll; docs/spec/output.md 3.4). machine-controller replaces machines when the template
 * changes, so the template gets an annotation.
 *
 * index.json keeps two things for each unit: the digest of what its nodes got in the last run, and
 * the annotation's value, which counts only if the file of the unit itself is gone. A digest that
 * cannot be compared with the previous one is only kept: the first one, one under another seed or
 * output contract, and one over something else. So nothing rolls because somebody turns the setting
 * on, rotates the seed or upgrades.
 */
#include "codec/codec.h"
#include "plan/plan.h"

static const struct tree_roll *find_roll_before(struct arena *arena,
                                                const struct plan_roll_request *r)
{
	const struct tree_unit id = plan_tree_unit(r->unit->unit);

	return r->previous ? map_get(&r->previous->rolls,
	                             plan_unit_key(arena, r->unit->cluster->fleet->name, &id))
	                   : NULL;
}

/*
 * Finds the annotation that the machines have: of the file that appliers read. Anybody can edit the
 * index, in which no digest covers it; it counts only if the file is gone or damaged.
 */
static enum status find_value_before(struct arena *arena, struct sink *sink,
                                     const struct plan_roll_request *r, sv *value,
                                     bool *ret_is_file)
{
	const struct dialect *dialect = r->unit->unit->dialect;
	const struct kube_object *manifest = r->unit->unit->object;
	struct value object;

	*ret_is_file = false;
	if (plan_read_previous_machines(arena, sink, r->previous, r->unit->cluster->fleet->name,
	                                &manifest->id, &object) != STATUS_OK)
		return STATUS_FAILED;
	*ret_is_file = value_is_map(&object);
	if (!*ret_is_file)
		return STATUS_OK;
	sv there = dialect->roll_value(&object);
	/* A value that the manifest has, and the index does not, is not osm-gen's. */
	if (!sv_empty(*value) || !sv_eq(there, dialect->roll_value(manifest->root)))
		*value = there;
	return STATUS_OK;
}

static bool was_there(struct arena *arena, const struct plan_roll_request *r)
{
	const struct tree_unit id = plan_tree_unit(r->unit->unit);

	return r->previous &&
	       map_get(&r->previous->units,
	               plan_unit_key(arena, r->unit->cluster->fleet->name, &id)) != NULL;
}

static sv roll_digest(struct arena *arena, const struct plan_roll_request *r,
                      const struct value *text)
{
	const struct kube_id *id = &r->unit->unit->object->id;
	struct seal_token_owner owner = {r->unit->cluster->fleet->name, id->namespace, id->name,
	                                 SV("")};

	return seal_roll_digest(arena, r->plan->root, &owner, text->string);
}

static bool is_comparable(const struct tree_roll *before, const struct tree_roll *now)
{
	return sv_eq(before->by, now->by) && sv_eq(before->contract, now->contract) &&
	       sv_eq(before->seed, now->seed);
}

enum status plan_find_roll(struct arena *arena, struct sink *sink,
                           const struct plan_roll_request *request, struct plan_roll *ret_roll)
{
	const struct dialect *dialect = request->unit->unit->dialect;
	struct dialect_roll setting = {0};
	struct tree_roll before = {0};
	struct value text;
	bool is_file;

	*ret_roll = (struct plan_roll){0};
	if (dialect->roll)
		setting = dialect->roll(request->unit->view->settings);
	const struct tree_roll *known = find_roll_before(arena, request);
	if (known)
		before = *known;
	/* The output no longer has the unit: its manifest has no annotation of osm-gen. */
	ret_roll->value_before = before.value;
	if (!setting.is_possible)
		return STATUS_OK;
	if (find_value_before(arena, sink, request, &before.value, &is_file) != STATUS_OK)
		return STATUS_FAILED;
	ret_roll->value_before = before.value;
	/* The value stays if the setting is turned off: without it the machines would roll. */
	ret_roll->record.value = before.value;
	if (sv_empty(setting.by))
		return STATUS_OK;
	if (dialect->roll_text(arena, sink, request->job, &text) != STATUS_OK)
		return STATUS_FAILED;
	ret_roll->record.by = setting.by;
	ret_roll->record.contract = arena_printf(arena, "%u", request->unit->view->contract);
	if (!request->plan->root) {
		/* The seed counts as that of the last run. */
		ret_roll->record.seed = before.seed;
		ret_roll->is_unknown =
		    is_comparable(&before, &ret_roll->record) && !sv_empty(before.digest);
		ret_roll->is_first = !ret_roll->is_unknown && was_there(arena, request);
		ret_roll->plain_digest = digest_hex(arena, DIGEST_SHA256, text.string);
		ret_roll->has_secrets = text.taint != NULL;
		ret_roll->record = before;
		return STATUS_OK;
	}
	ret_roll->record.seed = seal_seed_id(arena, request->plan->root);
	ret_roll->record.digest = roll_digest(arena, request, &text);
	bool is_first = !is_comparable(&before, &ret_roll->record);
	bool is_changed = !is_first && !sv_eq(before.digest, ret_roll->record.digest);
	ret_roll->is_first = is_first && (is_file || was_there(arena, request));
	if (is_changed || (ret_roll->is_first && request->is_allowed))
		ret_roll->record.value = ret_roll->record.digest;
	return STATUS_OK;
}

/* ---- the guard ----------------------------------------------------------------------------- */

enum { NAMED = 20 };

struct rolling {
	const struct plan_machine_guard *request;
	VEC(const struct plan_unit *) units; /* that roll by the annotation */
	VEC(const struct plan_unit *) first; /* whose nodes get something else in the first run */
	int64_t machines;
	int64_t guard; /* the smallest of the clusters that roll */
	sv guard_of;   /* the cluster that has it */
};

/*
 * Returns the machines of a unit that rolls. A smaller number in the same change does not make them
 * fewer, and a number that the output does not determine is one at least.
 */
static int64_t machines_of(const struct plan_rolled *unit)
{
	int64_t before = plan_machines_before(unit);
	int64_t most = before > unit->replicas ? before : unit->replicas;
	bool is_open = most < 0 || before < 0 || unit->facts->lacks_replicas;

	return is_open && most < 1 ? 1 : most;
}

static void add_rolling(struct arena *arena, struct rolling *r, const struct plan_unit *unit,
                        int64_t machines)
{
	const struct dialect *dialect = unit->unit->dialect;
	int64_t guard = dialect->roll(unit->view->settings).guard;

	r->machines += machines;
	if (r->units.count == 0 || guard < r->guard) {
		r->guard = guard;
		r->guard_of = unit->cluster->fleet->name;
	}
	VEC_PUSH(arena, &r->units, unit);
}

static struct rolling find_rolling(struct arena *arena, const struct plan_machine_guard *request)
{
	struct rolling rolling = {.request = request};

	for (size_t i = 0; i < request->plan->unit_count; i++) {
		const struct plan_unit *unit = &request->plan->units[i];
		const struct plan_class_facts *facts = request->units[i].facts;

		if (facts->is_rolled)
			add_rolling(arena, &rolling, unit, machines_of(&request->units[i]));
		else if (facts->is_first_roll && facts->config_changed &&
		         facts->template == PLAN_TEMPLATE_SAME)
			VEC_PUSH(arena, &rolling.first, unit);
	}
	return rolling;
}

static void name_units(struct sink *sink, struct diag *diag, const struct plan_unit *const *units,
                       size_t count)
{
	for (size_t i = 0; i < count && i < NAMED; i++) {
		const struct kube_id *id = &units[i]->unit->object->id;

		diag_add_note(sink, diag, NOWHERE, "%.*s/%.*s/%.*s",
		              SV_ARG(units[i]->cluster->fleet->name), SV_ARG(id->namespace),
		              SV_ARG(id->name));
	}
	if (count > NAMED)
		diag_add_note(sink, diag, NOWHERE, "and %zu more", count - NAMED);
}

static enum diag_code code_of(const struct plan_machine_guard *request)
{
	return request->is_shown ? DIAG_ROLL_AHEAD : DIAG_ROLL_GUARD;
}

enum status plan_check_rolls(struct arena *arena, struct sink *sink,
                             const struct plan_machine_guard *request)
{
	const struct rolling rolling = find_rolling(arena, request);
	bool is_much = rolling.units.count > 0 && rolling.machines > rolling.guard;
	sv kind = plan_unit_kind(request->plan);
	struct diag *diag;

	if (request->is_allowed)
		return STATUS_OK;
	if (is_much) {
		diag = diag_report(sink, code_of(request), NOWHERE,
		                   "%lld machine%s of %zu %.*s%s would roll, more than "
		                   "rollGuard allows in one run (%lld in cluster %.*s)",
		                   (long long)rolling.machines, rolling.machines == 1 ? "" : "s",
		                   rolling.units.count, SV_ARG(kind),
		                   rolling.units.count == 1 ? "" : "s", (long long)rolling.guard,
		                   SV_ARG(rolling.guard_of));
		name_units(sink, diag, rolling.units.items, rolling.units.count);
		diag_set_help(sink, diag,
		              "if that is meant, run with --allow-roll once; or let fewer clusters "
		              "roll at a time, by the setting roll of each");
	}
	if (rolling.first.count > 0) {
		diag =
		    diag_report(sink, code_of(request), NOWHERE,
		                "the first run with the setting roll only takes the digests of "
		                "what nodes get, and this commit changes that, too: it would roll "
		                "nothing");
		name_units(sink, diag, rolling.first.items, rolling.first.count);
		diag_set_help(sink, diag,
		              "turn roll on in a commit of its own, and change the rest after it; "
		              "or run with --allow-roll, which replaces the machines of every %.*s "
		              "whose first digest is taken. If it is not the first run, somebody "
		              "changed rolls of index.json: restore that file from git",
		              SV_ARG(kind));
	}
	return (is_much || rolling.first.count > 0) && !request->is_shown ? STATUS_FAILED
	                                                                  : STATUS_OK;
}

static bool loses_replicas(const struct plan_rolled *unit)
{
	return unit->facts->replicas_left;
}

/* A live object of it may be one that was applied with the number. */
static bool comes_without_replicas(const struct plan_rolled *unit)
{
	return unit->facts->replicas_unset && unit->replicas > 1;
}

static bool starts_with_one(const struct plan_rolled *unit)
{
	return unit->facts->replicas_unset && !unit->facts->was_there && unit->replicas == 0;
}

/* Lists the units at a warning: some by name, then how many more. Null if there are none. */
static struct diag *warn_of(struct sink *sink, const struct plan_machine_guard *request,
                            bool (*is_meant)(const struct plan_rolled *unit), enum diag_code code,
                            const char *what)
{
	const struct plan *plan = request->plan;
	sv kind = plan_unit_kind(plan);
	struct diag *diag = NULL;
	size_t count = 0;

	for (size_t i = 0; i < plan->unit_count; i++)
		count += is_meant(&request->units[i]);
	for (size_t i = 0, named = 0; i < plan->unit_count && named < NAMED; i++) {
		const struct kube_object *object = plan->units[i].unit->object;

		if (!is_meant(&request->units[i]))
			continue;
		if (named++ == 0)
			diag = diag_report(sink, code, kube_object_position(object),
			                   "spec.replicas of %zu %.*s%s %s", count, SV_ARG(kind),
			                   count == 1 ? "" : "s", what);
		diag_add_note(sink, diag, NOWHERE, "%.*s/%.*s/%.*s",
		              SV_ARG(plan->units[i].cluster->fleet->name),
		              SV_ARG(object->id.namespace), SV_ARG(object->id.name));
	}
	if (diag && count > NAMED)
		diag_add_note(sink, diag, NOWHERE, "and %zu more", count - NAMED);
	return diag;
}

static void help_with_managers(struct sink *sink, struct diag *diag)
{
	if (diag)
		diag_set_help(
		    sink, diag,
		    "before the output is applied, give the live number a second manager with "
		    "kubectl apply --server-side: docs/howto/machine-deployments.md, \"Who counts "
		    "the machines\"");
}

void plan_check_replicas(struct sink *sink, const struct plan_machine_guard *request)
{
	struct diag *diag =
	    warn_of(sink, request, loses_replicas, DIAG_REPLICAS_LEFT,
	            "leaves the output: an applier that alone manages the field removes it, and "
	            "the cluster then sets 1");

	help_with_managers(sink, diag);
	diag = warn_of(sink, request, comes_without_replicas, DIAG_REPLICAS_LEFT,
	               "is in the manifest and not in the output: the cluster sets 1 when it "
	               "creates the object, or when an applier that has applied the number "
	               "removes it");
	help_with_managers(sink, diag);
	diag = warn_of(sink, request, starts_with_one, DIAG_MD_STARTS,
	               "is 0 in the manifest and not in the output: the cluster sets 1 when it "
	               "creates the object, and a machine starts");
	if (diag)
		diag_set_help(sink, diag,
		              "if none is to start, use replicas: keep until the "
		              "object exists, then replicas: omit");
}
