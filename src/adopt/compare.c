/*
 * Compares rendered objects with live ones, one by one.
 */
#include "adopt/internal.h"

#include "yaml/yaml.h"

struct adopt_comparing {
	struct arena *arena;
	const struct adopt_live *live;
	const struct fleet_cluster *cluster;
	struct adopt_masks masks;
	struct set seen;   /* live objects that are dealt with */
	struct set shared; /* ConfigMaps that are dealt with */
	struct adopt_comparison comparison;
};

#define TOKEN_TYPE "bootstrap.kubernetes.io/token"

static void see(struct adopt_comparing *c, const struct kube_id *id)
{
	set_add(&c->seen, adopt_key(c->arena, id));
}

static void add_finding(struct adopt_comparing *c, const struct adopt_finding *finding)
{
	VEC_PUSH(c->arena, &c->comparison.findings, *finding);
}

struct adopt_comparing *adopt_comparing_new(struct arena *secret_arena,
                                            const struct adopt_live *live,
                                            const struct fleet_cluster *cluster,
                                            const struct known_secrets *known)
{
	struct adopt_comparing *c = ARENA_NEW(secret_arena, struct adopt_comparing);

	*c = (struct adopt_comparing){
	    .arena = secret_arena,
	    .live = live,
	    .cluster = cluster,
	    .masks = {secret_arena, adopt_mask_new(secret_arena, live, known)},
	    .seen = set_in(secret_arena),
	    .shared = set_in(secret_arena),
	    .comparison = {.cluster = cluster->name},
	};
	return c;
}

bool adopt_can_compare(const struct dialect_unit *unit)
{
	return unit->dialect->adoption != NULL;
}

void adopt_pass_over(struct adopt_comparing *c, const struct dialect_unit *unit)
{
	add_finding(c, &(struct adopt_finding){.kind = ADOPT_NOT_COMPARED,
	                                       .id = unit->object->id,
	                                       .but = SV("osm-gen cannot compare this kind")});
}

/* ---- tokens ------------------------------------------------------------------------------ */

/* Returns the Secret of the bootstrap token that the live controller made for a unit, or null. */
static const struct kube_object *live_token_secret(const struct adopt_comparing *c,
                                                   const struct dialect_unit *unit)
{
	const struct dialect_adoption *adoption = unit->dialect->adoption;

	if (!adoption->is_token_of)
		return NULL;
	VEC_EACH (object, &c->live->objects) {
		if (adopt_is_kind(*object, "Secret") &&
		    adoption->is_token_of(c->arena, unit->object, *object) &&
		    !adopt_is_ours(*object))
			return *object;
	}
	return NULL;
}

static sv secret_text(const struct adopt_comparing *c, const struct kube_object *secret, sv key)
{
	struct sink ignored = sink_in(c->arena);
	struct value text;

	return kube_secret_has(secret, key) && kube_secret_value(c->arena, &ignored, secret, key,
	                                                         NOWHERE, &text) == STATUS_OK
	           ? text.string
	           : SV("");
}

/* Returns the token in a kubelet's kubeconfig, for units whose token's own Secret is gone. */
static sv token_of_kubeconfig(const struct adopt_comparing *c, const struct dialect_unit *unit)
{
	const struct kube_id id = unit->dialect->adoption->kubeconfig(c->arena, unit->object);
	const struct kube_object *secret = adopt_live_find(c->live, id.kind, id.namespace, id.name);
	struct yml_documents documents = {0};
	struct sink ignored = sink_in(c->arena);

	if (!secret || adopt_is_ours(secret))
		return SV("");
	sv text = secret_text(c, secret, SV("kubeconfig"));
	const struct source *source = source_new(c->arena, id.name, text, true);
	if (yml_parse(c->arena, &ignored, source, &documents) != STATUS_OK || documents.count == 0)
		return SV("");
	const struct value *users = value_map_get(&documents.items[0].root, SV("users"));
	if (!value_is_list(users) || value_count(users) == 0)
		return SV("");
	return value_text(value_path(value_item(users, 0), "user.token"));
}

struct value adopt_live_token(struct adopt_comparing *c, const struct dialect_unit *unit)
{
	const struct kube_object *secret = live_token_secret(c, unit);
	sv text;

	if (!unit->dialect->adoption->is_token_of)
		return VALUE_INVALID;
	if (secret)
		text = ARENA_CONCAT(c->arena, secret_text(c, secret, SV("token-id")), SV("."),
		                    secret_text(c, secret, SV("token-secret")));
	else
		text = token_of_kubeconfig(c, unit);
	if (text.len <= 1)
		return VALUE_INVALID;
	struct secret *token = ARENA_NEW(c->arena, struct secret);
	*token = (struct secret){.name = SV("live bootstrap token"), .text = text};
	return value_secret_string(c->arena, text, token);
}

/* ---- one object -------------------------------------------------------------------------- */

static const struct artifact *same_artifact(const struct artifacts *artifacts,
                                            const struct artifact *of)
{
	for (size_t i = 0; artifacts && i < artifacts->count; i++)
		if (kube_id_compare(&artifacts->items[i].id, &of->id) == 0)
			return &artifacts->items[i];
	return NULL;
}

static bool is_token(const struct artifact *artifact)
{
	return sv_eq(artifact->id.kind, SV("Secret")) &&
	       sv_eq(value_text(value_map_get(&artifact->object, SV("type"))), SV(TOKEN_TYPE));
}

/* The derived token is not live as long as the controller has its own. */
static void find_token(struct adopt_comparing *c, const struct adopt_rendering *r,
                       const struct artifact *artifact)
{
	struct adopt_finding finding = {.kind = ADOPT_ONLY_HERE, .id = artifact->id};
	const struct kube_object *live = live_token_secret(c, r->unit);

	if (r->with_live_token) {
		finding.kind = ADOPT_NOT_COMPARED;
		finding.but = SV("the derived token; live is the controller's own");
	}
	if (live)
		see(c, &live->id);
	add_finding(c, &finding);
}

/* Returns the object as it is in the output, where marks replace the secrets of a config. */
static struct artifact as_written(struct adopt_comparing *c, const struct adopt_rendering *r,
                                  const struct artifact *artifact)
{
	struct artifact written = *artifact;

	if (artifact->sealing == ARTIFACT_CLEAR || artifact->sealing == ARTIFACT_SEAL_PATCH)
		written.object = secrecy_redact_all(c->arena, r->redaction, &artifact->object);
	return written;
}

static struct adopt_sides sides_of(const struct adopt_comparing *c, const struct dialect *dialect,
                                   bool live_is_ours)
{
	return (struct adopt_sides){&c->masks, dialect, c->cluster->objects, live_is_ours};
}

static bool differ_from_ours(struct adopt_comparing *c, const struct adopt_rendering *r,
                             const struct artifact *artifact, const struct kube_object *live,
                             struct adopt_difference *difference)
{
	const struct adopt_sides sides = sides_of(c, r->unit->dialect, true);
	struct artifact written = as_written(c, r, artifact);
	struct adopt_difference ignored = {0};

	/* With `osc: patch`, Flux puts the sealed parts in. */
	return adopt_differ(&sides, &written, live, difference) &&
	       (artifact->sealing != ARTIFACT_SEAL_PATCH ||
	        adopt_differ(&sides, artifact, live, &ignored));
}

/* Completes a finding, with the difference or null. */
static void find_result(struct adopt_comparing *c, struct adopt_finding *finding,
                        const struct adopt_difference *difference)
{
	if (difference) {
		finding->kind = ADOPT_DIFFERS;
		finding->but = SV("");
		finding->place = difference->place;
		finding->line = difference->line;
		finding->here = difference->here;
		finding->there = difference->there;
	} else if (!sv_empty(finding->but)) {
		finding->kind = ADOPT_EQUAL_BUT;
	}
	add_finding(c, finding);
}

static void compare_artifact(struct adopt_comparing *c, const struct adopt_rendering *r,
                             const struct artifact *artifact)
{
	const struct adopt_sides sides = sides_of(c, r->unit->dialect, false);
	const struct kube_object *live =
	    adopt_live_find(c->live, artifact->id.kind, artifact->id.namespace, artifact->id.name);
	const struct artifact *other = same_artifact(r->with_live_token, artifact);
	struct adopt_finding finding = {.kind = ADOPT_EQUAL, .id = artifact->id};
	struct adopt_difference difference = {0};
	bool differs;

	if (!live && is_token(artifact)) {
		find_token(c, r, artifact);
		return;
	}
	if (!live) {
		finding.kind = ADOPT_ONLY_HERE;
		add_finding(c, &finding);
		return;
	}
	see(c, &live->id);
	if (adopt_is_ours(live)) {
		differs = differ_from_ours(c, r, artifact, live, &difference);
	} else {
		differs = adopt_differ(&sides, artifact, live, &difference);
		if (differs && other) {
			differs = adopt_differ(&sides, other, live, &difference);
			finding.but = SV("the bootstrap token");
		}
		if (difference.moved)
			finding.but = sv_empty(finding.but)
			                  ? SV("credentials that git holds in a Secret")
			                  : SV("the bootstrap token, and credentials that git "
			                       "holds in a Secret");
	}
	find_result(c, &finding, differs ? &difference : NULL);
}

/*
 * Compares a ConfigMap that units share, once. The exports may be without ConfigMaps: as every
 * namespace has some, one of the namespace shows that they are not.
 */
static void compare_config_map(struct adopt_comparing *c, const struct adopt_rendering *r,
                               const struct artifact *artifact)
{
	struct adopt_finding finding = {
	    .kind = ADOPT_NOT_COMPARED,
	    .id = artifact->id,
	    .but = SV("the exports have no ConfigMaps of its namespace"),
	};

	if (!set_add(&c->shared, adopt_key(c->arena, &artifact->id)))
		return;
	VEC_EACH (object, &c->live->objects) {
		if (adopt_is_kind(*object, "ConfigMap") &&
		    sv_eq((*object)->id.namespace, artifact->id.namespace)) {
			compare_artifact(c, r, artifact);
			return;
		}
	}
	add_finding(c, &finding);
}

const struct kube_object *adopt_live_whole(const struct adopt_comparing *c,
                                           const struct artifacts *artifacts)
{
	const struct kube_object *whole = NULL;
	bool is_split = false;

	VEC_EACH (artifact, artifacts) {
		is_split |= artifact->role == ARTIFACT_CONFIG_MAP;
		if (artifact->role != ARTIFACT_BOOTSTRAP && artifact->role != ARTIFACT_PROVISIONING)
			continue;
		const struct kube_object *live = adopt_live_find(
		    c->live, artifact->id.kind, artifact->id.namespace, artifact->id.name);
		if (live && !adopt_is_ours(live))
			whole = live;
	}
	return is_split ? whole : NULL;
}

/* ---- one unit ---------------------------------------------------------------------------- */

/* Returns the unit as the output has it, or null if the output does not have it. */
static const struct artifact *written_unit(const struct adopt_rendering *r)
{
	VEC_EACH (artifact, &r->artifacts[0])
		if (artifact->role == ARTIFACT_MACHINES)
			return artifact;
	return NULL;
}

static struct adopt_unit compare_machines(struct adopt_comparing *c,
                                          const struct adopt_rendering *r,
                                          const struct kube_object *live)
{
	const struct artifact *written = written_unit(r);
	const struct adopt_sides sides = sides_of(c, r->unit->dialect, false);
	struct kube_object here = *r->unit->object;
	struct value root =
	    written ? written->object : adopt_tainted_manifest(c->arena, r->unit->object);

	here.root = &root;
	return adopt_unit_of(&sides, &here, live, written != NULL);
}

struct adopt_unit adopt_compare_template(struct adopt_comparing *c, const struct dialect_unit *unit,
                                         bool is_applied, sv roll)
{
	const struct adopt_sides sides = sides_of(c, unit->dialect, false);
	const struct kube_id *id = &unit->object->id;
	struct kube_object here = *unit->object;
	struct value root = adopt_tainted_manifest(c->arena, unit->object);

	here.root = &root;
	struct value rolled = root;
	if (!sv_empty(roll))
		rolled = unit->dialect->with_roll(c->arena, &here, roll);
	here.root = &rolled;
	struct adopt_unit found = adopt_unit_of(
	    &sides, &here, adopt_live_find(c->live, id->kind, id->namespace, id->name), is_applied);
	found.replicas_here = -1;
	return found;
}

/* Returns true if the exports have units of the dialect. */
static bool has_units(const struct adopt_comparing *c, const struct dialect *dialect)
{
	VEC_EACH (object, &c->live->objects)
		if (adopt_is_part(*object, DIALECT_LIVE_UNIT) &&
		    adopt_kind_of(&(*object)->id).dialect == dialect)
			return true;
	return false;
}

/* Returns the unit with the status that the output has for it, or null. */
static const struct artifact *written_status(const struct adopt_rendering *r)
{
	VEC_EACH (artifact, &r->artifacts[0])
		if (artifact->side == ARTIFACT_STATUS &&
		    kube_id_compare(&artifact->id, &r->unit->object->id) == 0)
			return artifact;
	return NULL;
}

/*
 * Compares the unit itself, which is an input: people take it from the cluster, or apply it.
 * Without a live status nobody writes one.
 */
static void compare_input(struct adopt_comparing *c, const struct adopt_rendering *r,
                          const struct kube_object *live)
{
	const struct adopt_sides sides = sides_of(c, r->unit->dialect, false);
	const struct artifact ours = {.id = r->unit->object->id, .object = *r->unit->object->root};
	const struct artifact *status = written_status(r);
	struct adopt_finding finding = {.kind = ADOPT_EQUAL, .id = ours.id};
	struct adopt_difference difference = {0};

	/* The cluster has no unit that osm-gen made of another, nor any that nobody applies. */
	if (r->unit->object->made_of || !has_units(c, r->unit->dialect))
		return;
	if (!live) {
		finding.kind = ADOPT_ONLY_HERE;
		add_finding(c, &finding);
		return;
	}
	bool differs = adopt_differ(&sides, &ours, live, &difference);
	if (difference.moved)
		finding.but = SV("files that git holds in a Secret");
	if (!differs && status && value_is_map(value_map_get(live->root, SV("status")))) {
		struct artifact written = as_written(c, r, status);

		differs = adopt_differ_in_status(&sides, &written.object, live, &difference);
	}
	find_result(c, &finding, differs ? &difference : NULL);
}

void adopt_compare(struct adopt_comparing *c, const struct adopt_rendering *r)
{
	const struct kube_id *id = &r->unit->object->id;
	const struct kube_object *live =
	    adopt_live_find(c->live, id->kind, id->namespace, id->name);

	VEC_EACH (artifact, &r->artifacts[0]) {
		if (artifact->role == ARTIFACT_CONFIG_MAP)
			compare_config_map(c, r, artifact);
		/* Skip the side of the status: nobody applies it. */
		else if (artifact->side != ARTIFACT_STATUS &&
		         (artifact->role == ARTIFACT_CONFIG ||
		          sv_eq(artifact->id.kind, SV("Secret"))))
			compare_artifact(c, r, artifact);
	}
	if (live)
		see(c, &live->id);
	if (!r->unit->dialect->template_text) {
		compare_input(c, r, live);
		return;
	}
	struct adopt_unit unit = compare_machines(c, r, live);
	unit.revision_here = arena_dup(c->arena, r->revision);
	unit.revision_there = live ? adopt_live_revision(c->live, r->unit->dialect, live) : SV("");
	VEC_PUSH(c->arena, &c->comparison.units, unit);
}

/* ---- live objects that the output lacks -------------------------------------------------- */

/* Returns the live units that are being deleted. */
static struct kube_object_list deleted_units(const struct adopt_comparing *c)
{
	struct kube_object_list units = {0};

	VEC_EACH (object, &c->live->objects)
		if (value_path((*object)->root, "metadata.deletionTimestamp") &&
		    adopt_is_part(*object, DIALECT_LIVE_UNIT))
			VEC_PUSH(c->arena, &units, *object);
	return units;
}

/* Returns the unit of the list that the object is, or was made for; or null. */
static const struct kube_object *unit_of(const struct adopt_comparing *c,
                                         const struct kube_object_list *units,
                                         const struct kube_object *object)
{
	VEC_EACH (unit, units) {
		const struct dialect *dialect = adopt_kind_of(&(*unit)->id).dialect;

		if (*unit == object || dialect->adoption->is_made_for(c->arena, *unit, object))
			return *unit;
	}
	return NULL;
}

/* Bootstrap tokens are Secrets of kube-system; one elsewhere has no effect. */
static bool is_compared(const struct kube_object *object)
{
	if (adopt_is_part(object, DIALECT_LIVE_CONFIG) || adopt_is_part(object, DIALECT_LIVE_UNIT))
		return true;
	if (!adopt_is_kind(object, "Secret"))
		return false;
	enum dialect_secret_role role = adopt_secret_role(object);
	return role == DIALECT_SECRET_GENERATED ||
	       (role == DIALECT_SECRET_TOKEN && sv_eq(object->id.namespace, SV("kube-system")));
}

/* A token that the repository gives is an input, not output. */
static bool is_input(const struct adopt_comparing *c, const struct kube_object *object)
{
	return adopt_is_kind(object, "Secret") &&
	       kube_objects_find(c->cluster->objects, SV("Secret"), object->id.namespace,
	                         object->id.name);
}

static int compare_findings(const void *a, const void *b, void *context)
{
	const struct adopt_finding *left = a;
	const struct adopt_finding *right = b;

	(void)context;
	return kube_id_compare(&left->id, &right->id);
}

void adopt_comparing_end(struct adopt_comparing *c, struct adopt_comparison *ret_comparison)
{
	struct adopt_comparison *comparison = &c->comparison;
	const struct kube_object_list deleted = deleted_units(c);

	VEC_EACH (object, &c->live->objects) {
		struct adopt_finding finding = {.kind = ADOPT_ONLY_THERE, .id = (*object)->id};

		if (!is_compared(*object) ||
		    set_has(&c->seen, adopt_key(c->arena, &(*object)->id)) || is_input(c, *object))
			continue;
		const struct kube_object *unit = unit_of(c, &deleted, *object);
		if (unit) {
			finding.kind = ADOPT_NOT_COMPARED;
			finding.but = ARENA_CONCAT(c->arena, SV("its "), unit->id.kind,
			                           SV(" is being deleted"));
		}
		add_finding(c, &finding);
	}
	sort_stable(comparison->findings.items, comparison->findings.count,
	            sizeof(*comparison->findings.items), compare_findings, NULL);
	VEC_EACH (finding, &comparison->findings)
		comparison->counts[finding->kind]++;
	comparison->differs = comparison->counts[ADOPT_DIFFERS] +
	                          comparison->counts[ADOPT_ONLY_HERE] +
	                          comparison->counts[ADOPT_ONLY_THERE] >
	                      0;
	VEC_EACH (unit, &comparison->units)
		comparison->differs |= adopt_moves_machines(unit);
	comparison->appliers = adopt_find_appliers(c->arena, c->live);
	*ret_comparison = *comparison;
}
