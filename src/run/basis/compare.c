/*
 * Compares the units of a run with those of the commit that the output was made from.
 */
#include "run/basis/internal.h"
#include "run/units/units.h"

struct comparing {
	const struct run_env *env;
	const struct run_basis *basis;
	const struct run_inputs *inputs;
	struct run_sealed_files sealed;
};

/* ---- what a unit lacks ---------------------------------------------------------------------- */

/* Returns true if the repository has the object, as far as that can be seen without a key. */
static bool is_in_repository(const struct fleet_cluster *cluster, const struct secret_owner *owner)
{
	static const char *const kinds[] = {"Secret", "ConfigMap"};

	if (owner->kind != SECRET_OWNER_OBJECT)
		return owner->kind == SECRET_OWNER_MEMBER;
	for (const struct kube_objects *set = cluster->objects; set; set = set->farther) {
		if (set->has_unopened)
			return true;
		VEC_EACH (id, &set->names)
			if (sv_eq(id->namespace, owner->namespace) && sv_eq(id->name, owner->name))
				return true;
	}
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (kube_objects_find(cluster->objects, sv_from_cstr(kinds[i]), owner->namespace,
		                      owner->name))
			return true;
	return false;
}

/* Returns true if the file may be read for the cluster: it is in its folder, or in nobody's. */
static bool is_read_for(const struct comparing *c, const struct fleet_cluster *cluster, sv path)
{
	const struct fleet *fleet = &c->inputs->fleet;
	struct arena *arena = c->env->scratch;
	bool is_others = false;

	for (size_t i = 0; i < fleet->cluster_count; i++) {
		sv scope = fleet->clusters[i].scope;

		if (!sv_empty(scope) && sv_starts_with(path, ARENA_CONCAT(arena, scope, SV("/")))) {
			if (&fleet->clusters[i] == cluster)
				return true;
			is_others = true;
		}
	}
	return !is_others;
}

/* Returns true if the names of the objects in a file are encrypted, too. */
static bool hides_names(sv text)
{
	return !sv_empty(text) &&
	       (!sv_contains(text, SV("ENC[")) || sv_contains(text, SV("kind: ENC[")) ||
	        sv_contains(text, SV("kind\": \"ENC[")) || sv_contains(text, SV("name: ENC[")) ||
	        sv_contains(text, SV("name\": \"ENC[")));
}

static bool may_hold(const struct comparing *c, sv text, const struct secret_owner *owner)
{
	/* kustomize may give an object another name. */
	return !sv_empty(text) &&
	       (c->inputs->uses_kustomize || hides_names(text) || sv_contains(text, owner->name));
}

/* Returns the file of which a secret may be another one now, or null. */
static const struct run_sealed_file *find_changed(const struct comparing *c,
                                                  const struct fleet_cluster *cluster,
                                                  const struct secret_owner *owner)
{
	VEC_EACH (file, &c->sealed)
		if (is_read_for(c, cluster, file->path) &&
		    (may_hold(c, file->before, owner) || may_hold(c, file->now, owner)))
			return file;
	return NULL;
}

static sv visible(struct arena *arena, sv before, sv text, sv after)
{
	struct buf buf = buf_in(arena);

	buf_add(&buf, before);
	report_add_visible(&buf, text);
	buf_add(&buf, after);
	return buf_sv(&buf);
}

static bool lacks(const struct run_traits *traits, sv name)
{
	VEC_EACH (secret, &traits->lacking)
		if (sv_eq(secret->name, name))
			return true;
	return false;
}

static bool lacks_same(const struct run_traits *a, const struct run_traits *b)
{
	VEC_EACH (secret, &a->lacking)
		if (!lacks(b, secret->name))
			return false;
	return a->lacking.count == b->lacking.count;
}

/* Returns why secrets of the unit may have changed, or an empty string. */
static sv secrets_changed(const struct comparing *c, const struct run_unit *unit,
                          const struct run_basis_unit *before)
{
	struct arena *arena = c->env->arena;

	VEC_EACH (secret, &unit->traits->lacking) {
		bool is_variable = secret->owner.kind == SECRET_OWNER_VARIABLE;

		if (!is_in_repository(unit->unit->cluster->fleet, &secret->owner))
			return visible(arena, is_variable ? SV("variable ") : SV("secret "),
			               is_variable ? secret->owner.name : secret->name,
			               SV(" is not in the repository"));
	}
	VEC_EACH (secret, &unit->traits->lacking) {
		const struct run_sealed_file *file =
		    find_changed(c, unit->unit->cluster->fleet, &secret->owner);

		if (file)
			return visible(arena, SV("encrypted values of "), file->path,
			               SV(" changed"));
	}
	if (!lacks_same(unit->traits, &before->traits))
		return SV("it takes other encrypted values than before");
	return SV("");
}

/* ---- one unit ------------------------------------------------------------------------------- */

/* Compares what does not depend on the secrets that the run lacks, whatever these are. */
static void compare_template(const struct run_traits *before, const struct run_traits *now,
                             bool secrets_are_same, struct plan_class_facts *facts)
{
	if (facts->template == PLAN_TEMPLATE_UNKNOWN && secrets_are_same &&
	    !sv_empty(before->template))
		facts->template = sv_eq(before->template, now->template) ? PLAN_TEMPLATE_SAME
		                                                         : PLAN_TEMPLATE_CHANGED;
	if (!facts->roll_unknown || sv_empty(before->roll) ||
	    ((before->roll_has_secrets || now->roll_has_secrets) && !secrets_are_same))
		return;
	facts->roll_unknown = false;
	if (sv_eq(before->roll, now->roll))
		return;
	facts->is_rolled = facts->template == PLAN_TEMPLATE_SAME;
	facts->template = PLAN_TEMPLATE_CHANGED;
}

/* Returns the path of the unit's file that is named if user-data or recipients change. */
static sv shown_file(const struct run_unit *unit)
{
	VEC_EACH (file, &unit->files)
		if (run_is_user_data(file->role))
			return file->path;
	return unit->files.count > 0 ? unit->files.items[0].path : SV("");
}

/* Sets how the sealed files differ. */
static void compare_files(const struct comparing *c, const struct run_traits *before,
                          struct run_unit *unit)
{
	const struct run_traits *now = unit->traits;
	struct plan_class_facts *facts = &unit->facts;
	unsigned change = 0;

	if (sv_eq(before->files, now->files)) {
		unit->not_compared = 0;
		return;
	}
	facts->file_changed = true;
	if (!sv_eq(before->user_data, now->user_data)) {
		facts->user_data_changed = true;
		change |= REPORT_SEALED_VALUE;
	}
	if (!sv_eq(before->sealing, now->sealing))
		change |= REPORT_SEALED_RECIPIENTS;
	if (!sv_eq(before->identity, now->identity))
		change |= REPORT_SEALED_SEED;
	if (change)
		VEC_PUSH(c->env->arena, &unit->sealed,
		         ((struct run_sealed_change){shown_file(unit), change}));
}

static sv compare_unit(const struct comparing *c, const struct run_basis_unit *before,
                       struct run_unit *unit)
{
	struct plan_class_facts *facts = &unit->facts;
	struct arena *arena = c->env->arena;
	sv commit = sv_slice(c->basis->commit, 0, 12);

	if (!sv_empty(c->basis->why_not))
		return c->basis->why_not;
	if (!before || !before->is_proven)
		return arena_printf(
		    arena,
		    "the output is not what commit %.*s gives here: its run had other "
		    "options, or secrets that are not in the repository",
		    SV_ARG(commit));
	sv why = secrets_changed(c, unit, before);
	compare_template(&before->traits, unit->traits, sv_empty(why), facts);
	if (!sv_empty(why))
		return why;
	facts->secrets_unknown = false;
	compare_files(c, &before->traits, unit);
	/* It is unknown only if user-data differs. */
	if (facts->replacement == DIALECT_REPLACES_UNKNOWN && !facts->user_data_changed &&
	    !facts->config_changed)
		facts->replacement = DIALECT_REPLACES_NONE;
	return facts->replacement == DIALECT_REPLACES_UNKNOWN
	           ? SV("user-data that only new machines read may have changed")
	           : SV("");
}

void run_compare_basis(const struct run_env *env, const struct run_basis *basis,
                       const struct run_inputs *inputs, const struct plan *plan,
                       struct run_rendered *rendered)
{
	struct comparing c = {.env = env, .basis = basis, .inputs = inputs};

	if (sv_empty(basis->why_not))
		run_list_sealed_files(env, basis, inputs, &c.sealed);
	for (size_t i = 0; i < plan->unit_count; i++) {
		struct run_unit *unit = &rendered->units[i];
		const struct tree_unit id = plan_tree_unit(unit->unit->unit);
		sv why;

		if (!unit->traits || !unit->facts.was_there)
			continue;
		sv key = plan_unit_key(env->scratch, unit->unit->cluster->fleet->name, &id);
		why = compare_unit(&c, map_get(&basis->units, key), unit);
		arena_reset(env->scratch);
		enum report_class class = plan_class(&unit->facts);
		if (class == REPORT_CLASS_UNKNOWN)
			unit->row.reason = why;
		if (class != REPORT_CLASS_IN_PLACE && class != REPORT_CLASS_ROLL)
			unit->row.restarts = unit->row.stops = (struct report_names){0};
	}
}
