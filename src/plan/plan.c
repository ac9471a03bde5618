/*
 * Plans a run: the seed, recipients, looked-up objects and derived tokens that jobs share, and the
 * secrets that must not be in clear files.
 */
#include "plan/live.h"

struct planner {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink *sink;
	const struct plan_request *request;
	struct plan *plan;
	struct dialect_environment environment; /* the request's, tainted */
	struct arena *opened;                   /* secret: the values of the units at hand */
	const struct plan_cluster *parsed;      /* whose recipients were parsed last; may be null */
	VEC(const struct secret *) tokens;      /* derived for units */
};

/* ---- the seed ---------------------------------------------------------------------------- */

static enum status read_seed(struct planner *p)
{
	const struct plan_key *seed = &p->request->seed;
	struct secret *secret;

	if (p->request->purpose == PLAN_VALIDATE)
		return STATUS_OK;
	if (plan_parse_seed(p->secret_arena, p->sink, seed, &p->plan->root) != STATUS_OK)
		return STATUS_FAILED;
	seal_root_bind(p->plan->root, p->request->fleet->identity);
	secret = ARENA_NEW(p->secret_arena, struct secret);
	*secret = (struct secret){
	    .name = seed->name,
	    .text = plan_seed_line(p->secret_arena, seed->text),
	    .high_entropy = true,
	};
	known_secrets_add(p->plan->secrets, secret);
	return STATUS_OK;
}

/* ---- clusters ---------------------------------------------------------------------------- */

/* Returns true if none of several clusters has recipients: that is one mistake, of the Fleet. */
static bool fleet_lacks_recipients(const struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->cluster_count; i++)
		if (fleet->clusters[i].sealing.recipient_count > 0)
			return false;
	return fleet->cluster_count != 1;
}

/* Returns true if the recipients of both are the same text: most clusters have those of the Fleet.
 */
static bool have_same_recipients(const struct fleet_sealing *one, const struct fleet_sealing *other)
{
	if (one->format != other->format || one->recipient_count != other->recipient_count)
		return false;
	for (size_t i = 0; i < one->recipient_count; i++)
		if (!sv_eq(one->recipients[i].text, other->recipients[i].text))
			return false;
	return true;
}

/* Parses the recipients, unless another cluster has the same: each takes a scalar multiplication.
 */
static enum status parse_texts(struct planner *p, sv wanted_by, struct plan_cluster *cluster)
{
	const struct fleet_sealing *sealing = &cluster->fleet->sealing;
	size_t count = sealing->recipient_count;
	struct seal_recipient_text *texts =
	    ARENA_ARRAY(p->arena, struct seal_recipient_text, count);

	if (p->parsed && have_same_recipients(&p->parsed->fleet->sealing, sealing)) {
		cluster->recipients = p->parsed->recipients;
		return STATUS_OK;
	}
	for (size_t i = 0; i < count; i++)
		texts[i] = (struct seal_recipient_text){sealing->recipients[i].text,
		                                        sealing->recipients[i].at};
	if (seal_recipients_parse(p->arena, p->sink, sealing->format, wanted_by, texts, count,
	                          &cluster->recipients) != STATUS_OK)
		return STATUS_FAILED;
	p->parsed = cluster;
	return STATUS_OK;
}

static enum status parse_recipients(struct planner *p, struct plan_cluster *cluster)
{
	const struct fleet_sealing *sealing = &cluster->fleet->sealing;
	bool is_of_fleet = fleet_lacks_recipients(p->request->fleet);
	sv wanted_by = is_of_fleet ? SV("any cluster")
	                           : ARENA_CONCAT(p->arena, SV("cluster "), cluster->fleet->name);
	/* A wrong recipient is one mistake, of its file, however many clusters have it. */
	DIAG_SCOPE(p->sink, p->sink->object, SV(""));
	size_t reported = p->sink->diags.count;
	enum status status = STATUS_FAILED;
	if (sealing->recipient_count == 0 && !sealing->format->takes_certificate)
		seal_report_no_recipients(p->sink, wanted_by,
		                          is_of_fleet          ? NOWHERE
		                          : sealing->at.source ? sealing->at
		                                               : cluster->fleet->at);
	else
		status = parse_texts(p, wanted_by, cluster);
	for (size_t i = reported; sealing->rule && i < p->sink->diags.count; i++)
		diag_add_note(p->sink, p->sink->diags.items[i], NOWHERE,
		              "sealing.recipients in osm-gen.yaml would take the place of the "
		              "recipients of .sops.yaml");
	cluster->recipients.scope = sealing->scope;
	cluster->recipients.rule = sealing->rule;
	cluster->recipients.round_lengths = sealing->round_lengths;
	if (status == STATUS_OK && p->request->now != 0)
		seal_recipients_check_time(p->sink, &cluster->recipients, sealing->recipients[0].at,
		                           p->request->now);
	return status;
}

static enum status read_cluster_recipients(struct planner *p, struct plan_cluster *cluster)
{
	const struct fleet_sealing *sealing = &cluster->fleet->sealing;
	enum plan_purpose purpose = p->request->purpose;

	/* A cluster without sealed files needs no recipients. */
	if (purpose == PLAN_SHOW || cluster->fleet->unit_count == 0)
		return STATUS_OK;
	if (sealing->is_wrong)
		return STATUS_FAILED;
	/* Inputs can be validated before anybody decides on recipients. */
	if (purpose == PLAN_VALIDATE && sealing->recipient_count == 0)
		return STATUS_OK;
	return parse_recipients(p, cluster);
}

static enum status load_cluster(struct planner *p, struct plan_cluster *cluster)
{
	const struct fleet_cluster *fleet = cluster->fleet;

	cluster->environment = plan_environment_of(p->secret_arena, &p->environment, fleet->name);
	/* Without a seed the inputs are checked with stand-ins for Secrets, as validate does. */
	const struct dialect_load options = {
	    .secrets_may_be_absent = !p->plan->root,
	    .environment = cluster->environment,
	};
	size_t errors = p->sink->error_count;

	DIAG_SCOPE(p->sink, p->sink->object,
	           p->request->fleet->cluster_count > 1 || fleet->at.source ? fleet->name : SV(""));
	if (read_cluster_recipients(p, cluster) != STATUS_OK)
		errors = SIZE_MAX;
	cluster->loaded = ARENA_ARRAY(p->arena, const void *, fleet->dialect_count);
	for (size_t i = 0; i < fleet->dialect_count; i++) {
		const struct dialect_cluster *view = &fleet->dialects[i];

		if (view->units.count == 0)
			continue;
		kube_object_list_open(p->opened, &view->units);
		if (view->dialect->load(p->secret_arena, p->sink, view, &options,
		                        &cluster->loaded[i]) != STATUS_OK)
			errors = SIZE_MAX;
		kube_object_list_close(&view->units);
		arena_reset(p->opened);
	}
	return errors == p->sink->error_count ? STATUS_OK : STATUS_FAILED;
}

/* ---- units ------------------------------------------------------------------------------- */

const struct plan_cluster *plan_find_cluster(const struct plan *plan, sv name)
{
	for (size_t i = 0; i < plan->cluster_count; i++)
		if (sv_eq(plan->clusters[i].fleet->name, name))
			return &plan->clusters[i];
	return NULL;
}

sv plan_unit_key(struct arena *arena, sv cluster, const struct tree_unit *unit)
{
	return ARENA_CONCAT(arena, cluster, SV("/"), unit->kind, SV("/"), unit->namespace, SV("/"),
	                    unit->name);
}

/* `name` ends the secret's name. */
static struct value derive_token(struct planner *p, const struct plan_unit *unit,
                                 const struct dialect_token *token, sv name, sv rotation)
{
	const struct kube_id *id = &unit->unit->object->id;
	const struct seal_token_owner owner = {unit->cluster->fleet->name, id->namespace,
	                                       sv_empty(token->owner) ? id->name : token->owner,
	                                       rotation};
	struct secret *secret = ARENA_NEW(p->secret_arena, struct secret);

	*secret = (struct secret){
	    .name = ARENA_CONCAT(p->secret_arena, SV(SECRECY_DERIVED_PREFIX), token->key, name),
	    .text = seal_bootstrap_token(p->secret_arena, p->plan->root, &owner),
	    .high_entropy = true,
	};
	VEC_PUSH(p->arena, &p->tokens, secret);
	return value_secret_string(p->secret_arena, secret->text, secret);
}

static void derive_tokens(struct planner *p, struct plan_unit *unit)
{
	const struct dialect *dialect = unit->unit->dialect;
	struct dialect_token token = {0};

	if (!dialect->token(p->secret_arena, unit->view, unit->unit->object, p->request->now,
	                    &token))
		return;
	unit->token = derive_token(p, unit, &token, SV(":token"), token.rotation);
	if (!sv_empty(token.rotation_before))
		unit->token_before =
		    derive_token(p, unit, &token, SV(":token-before"), token.rotation_before);
	if (!sv_empty(token.join))
		unit->join = derive_token(p, unit, &token, SV(":token-join"), token.join);
	if (!sv_empty(token.join_before))
		unit->join_before =
		    derive_token(p, unit, &token, SV(":token-join-before"), token.join_before);
}

static void make_units(struct planner *p)
{
	struct plan *plan = p->plan;

	VEC_RESERVE(p->arena, &p->tokens, plan->fleet->unit_count);
	plan->units = ARENA_ARRAY(p->arena, struct plan_unit, plan->fleet->unit_count);
	for (size_t i = 0; i < plan->cluster_count; i++) {
		struct plan_cluster *cluster = &plan->clusters[i];

		cluster->units = &plan->units[plan->unit_count];
		cluster->unit_count = cluster->fleet->unit_count;
		cluster->first_unit = plan->unit_count;
		for (size_t j = 0; j < cluster->fleet->unit_count; j++) {
			struct plan_unit *unit = &plan->units[plan->unit_count++];
			const struct dialect_cluster *view =
			    fleet_view(cluster->fleet, cluster->fleet->units[j].dialect);

			*unit = (struct plan_unit){
			    .cluster = cluster,
			    .unit = &cluster->fleet->units[j],
			    .view = view,
			    .loaded = cluster->loaded[view - cluster->fleet->dialects],
			};
			if (!plan->root || !unit->unit->dialect->token)
				continue;
			(void)kube_object_open(p->opened, unit->unit->object);
			derive_tokens(p, unit);
			kube_object_close(unit->unit->object);
			arena_reset(p->opened);
		}
	}
	/* The derived tokens are secrets, too. Their number is known now. */
	known_secrets_expect(p->plan->secrets, p->tokens.count);
	VEC_EACH (token, &p->tokens)
		known_secrets_add(p->plan->secrets, *token);
}

/* Returns the kinds of units: "MachineDeployment (cluster.k8s.io/v1alpha1) or ...". */
static sv unit_kinds(struct arena *arena, const struct fleet *fleet)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < fleet->dialect_count; i++) {
		const struct dialect *dialect = fleet->dialects[i].dialect;

		for (size_t j = 0; j < dialect->kind_count; j++) {
			const struct dialect_kind *kind = &dialect->kinds[j];

			if (kind->part == DIALECT_UNIT)
				buf_printf(&buf, "%s%.*s (%.*s/%.*s)", buf.len ? " or " : "",
				           SV_ARG(kind->kind), SV_ARG(kind->group),
				           SV_ARG(kind->version));
		}
	}
	return buf_sv(&buf);
}

sv plan_unit_kind(const struct plan *plan)
{
	sv kind = {0};

	for (size_t i = 0; i < plan->unit_count; i++) {
		sv unit_kind = plan->units[i].unit->object->id.kind;

		if (!sv_empty(kind) && !sv_eq(kind, unit_kind))
			return SV("unit");
		kind = unit_kind;
	}
	return sv_empty(kind) ? dialect_unit_kind() : kind;
}

/* Reports that all MachineDeployments belong to another system, such as Cluster API. */
static void report_foreign(struct arena *arena, struct sink *sink, const struct fleet *fleet)
{
	const struct dialect_kind *kind = fleet->foreign_kind;
	struct diag *diag = diag_report(
	    sink, DIAG_FLEET_OTHER_SYSTEM, fleet->foreign_at,
	    "the %.*ss here (%zu) are %s's, of %.*s: there is none of %.*s/%.*s, nothing to render",
	    SV_ARG(kind->kind), fleet->foreign_count, kind->other_system, SV_ARG(kind->other_group),
	    SV_ARG(kind->group), SV_ARG(kind->version));

	diag_set_help(sink, diag,
	              "export the other kind: kubectl get %.*ss.%.*s -A -o yaml; or, when the "
	              "clusters are %s's, osm-gen has nothing to do with them",
	              SV_ARG(arena_lower_ascii(arena, kind->kind)), SV_ARG(kind->group),
	              kind->other_system);
}

enum status plan_check_units(struct arena *arena, struct sink *sink, const struct plan *plan,
                             sv repo, bool must_find)
{
	const struct fleet *fleet = plan->fleet;
	bool is_here = fleet->spec || fleet->clusters[0].at.source;
	sv kind = plan_unit_kind(plan);
	sv place = sv_eq(repo, SV(".")) ? SV("this repository") : repo;
	struct diag *diag;

	if (plan->unit_count > 0)
		return STATUS_OK;
	if (fleet->foreign_count > 0) {
		report_foreign(arena, sink, fleet);
	} else if (is_here || !must_find) {
		diag = diag_report(sink, DIAG_NOTHING_FOUND, NOWHERE,
		                   "there is no %.*s in %.*s: nothing to render", SV_ARG(kind),
		                   SV_ARG(place));
		diag_set_help(sink, diag, "commit manifests of kind %.*s, or check %s%s",
		              SV_ARG(unit_kinds(arena, fleet)), FLEET_IGNORE_FILE,
		              is_here ? "" : "; `osm-gen init .` adds an example");
	}
	if (is_here || !must_find)
		return STATUS_OK;
	diag = diag_report(sink, DIAG_NOTHING_HERE, NOWHERE,
	                   "%.*s has no %.*s and no osm-gen.yaml: nothing is written",
	                   SV_ARG(place), SV_ARG(kind));
	diag_set_help(sink, diag,
	              "name the repository with --repo, or check " FLEET_IGNORE_FILE
	              "; `osm-gen init .` makes an osm-gen.yaml");
	return STATUS_FAILED;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Makes a plan of the clusters, without what they hold, and reads the seed. */
static enum status begin_plan(struct planner *p)
{
	const struct fleet *fleet = p->request->fleet;

	*p->plan = (struct plan){
	    .fleet = fleet,
	    .secrets = known_secrets_new(p->secret_arena, dialect_public_texts(p->secret_arena)),
	    .clusters = ARENA_ARRAY(p->arena, struct plan_cluster, fleet->cluster_count),
	    .cluster_count = fleet->cluster_count,
	};
	for (size_t i = 0; i < fleet->cluster_count; i++)
		p->plan->clusters[i].fleet = &fleet->clusters[i];
	return read_seed(p);
}

/*
 * Charges what a cluster keeps: a list of the Fleet's settings may be kept once for each cluster.
 * A cluster takes some 50 KB; each byte above FREE_BYTES is charged, so that the steps of a run end
 * before 512 MiB are used.
 */
static bool charge_kept(struct quota *steps, size_t bytes)
{
	enum { FREE_BYTES = 256 * 1024 };

	return bytes <= FREE_BYTES || quota_take(steps, bytes - FREE_BYTES);
}

/* Loads all clusters. Returns false if there are too many for this run: none is planned then. */
static bool load_clusters(struct planner *p, enum status *status)
{
	for (size_t i = 0; i < p->plan->cluster_count; i++) {
		size_t before = arena_used(p->secret_arena);

		if (load_cluster(p, &p->plan->clusters[i]) != STATUS_OK)
			*status = STATUS_FAILED;
		if (!charge_kept(p->request->steps, arena_used(p->secret_arena) - before))
			return false;
	}
	return true;
}

enum status plan_make(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                      const struct plan_request *request, struct plan *ret_plan)
{
	ARENA_AUTO opened = arena_new(ARENA_SECRET);
	struct planner p = {
	    .arena = arena,
	    .secret_arena = secret_arena,
	    .sink = sink,
	    .request = request,
	    .plan = ret_plan,
	    .opened = opened,
	    .environment = dialect_taint_environment(secret_arena, request->environment),
	};
	enum status status = plan_check_environment(arena, sink, request);

	if (begin_plan(&p) != STATUS_OK)
		status = STATUS_FAILED;
	plan_add_secrets(secret_arena, request, &p.environment, ret_plan->secrets);
	if (!load_clusters(&p, &status))
		return STATUS_FAILED;
	if (plan_live_read(arena, sink, request, ret_plan) != STATUS_OK)
		status = STATUS_FAILED;
	make_units(&p);
	return status;
}

enum status plan_make_recipients(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                                 const struct plan_request *request, struct plan *ret_plan)
{
	struct planner p = {
	    .arena = arena,
	    .secret_arena = secret_arena,
	    .sink = sink,
	    .request = request,
	    .plan = ret_plan,
	};
	bool sound = true;

	if (begin_plan(&p) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < ret_plan->cluster_count; i++) {
		struct plan_cluster *cluster = &ret_plan->clusters[i];

		if (!cluster->fleet->gets_sealed_settings)
			continue;
		/* A cluster that is sealed to nobody needs no guard. */
		sound &= !cluster->fleet->sealing.is_wrong &&
		         (cluster->fleet->sealing.recipient_count == 0 ||
		          parse_recipients(&p, cluster) == STATUS_OK);
	}
	return sound ? STATUS_OK : STATUS_FAILED;
}

void plan_free(struct plan *plan)
{
	seal_root_free(plan->root);
	plan->root = NULL;
}
