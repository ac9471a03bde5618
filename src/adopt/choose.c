/*
 * Chooses the objects of a live cluster that are taken, and reports why others are left out.
 */
#include "adopt/internal.h"

#include "fleet/fleet.h"
#include "golang/golang.h"

/* A unit that is taken. */
struct taken {
	size_t dialect; /* its number */
	const struct kube_object *live;
	struct kube_object *unit; /* with the manifest for git as its root */
	struct value *manifest;
};

struct choosing {
	struct arena *arena;
	struct sink *sink;
	const struct adopt_request *request;
	unsigned contract; /* the output contract of the repository */
	struct adopt_lines *lines;
	struct adopt_choice *choice;
	/* One for each dialect, as fleet/ would make them from the folder. */
	struct dialect_cluster *clusters;
	size_t cluster_count;
	const void **states; /* one for each dialect: of `begin` of its adoption; may be null */
	VEC(struct taken) units;
	struct adopt_clear_files clear_files;
	struct dialect_wants wants;
	struct adopt_leaving leaving;
	struct adopt_scan scan;
	struct set made;                    /* paths of files */
	struct adopt_names generated;       /* Secrets that the controller made */
	struct adopt_names expiring_tokens; /* likewise, with an expiration */
	struct adopt_names unwanted_secrets;
	struct adopt_names unwanted_maps;
	bool failed;
};

static void add_fate(struct choosing *c, enum adopt_fate fate, const struct kube_object *object,
                     sv why)
{
	adopt_add_line(c->arena, c->lines, fate, kube_object_describe(c->arena, object), why);
}

static void add_name(struct choosing *c, struct adopt_names *names,
                     const struct kube_object *object)
{
	VEC_PUSH(c->arena, names, kube_object_describe(c->arena, object));
}

/* Adds a line such as "2 Secrets that the controller made: osm-gen makes them". */
static void add_left_names(struct choosing *c, const struct adopt_names *names, sv kind,
                           const char *which, const char *why)
{
	adopt_add_names(
	    c->arena, c->lines,
	    ARENA_CONCAT(c->arena, kind, names->count == 1 ? SV("") : SV("s"), sv_from_cstr(which)),
	    names, why);
}

/* ---- files ------------------------------------------------------------------------------- */

/* Returns "kube-system/machinedeployment-workers.yaml": files are named as those of the output. */
static sv file_path(struct arena *arena, const struct kube_id *id)
{
	return ARENA_CONCAT(arena, id->namespace, SV("/"), arena_lower_ascii(arena, id->kind),
	                    SV("-"), id->name, SV(".yaml"));
}

static void add_adopted_file(struct choosing *c, const struct kube_id *id,
                             const struct value *object, struct position at, bool sealed)
{
	sv path = file_path(c->arena, id);

	set_add(&c->made, path);
	VEC_PUSH(c->arena, &c->choice->files, (struct adopt_file){path, *object, at, sealed});
}

static void take_object(struct choosing *c, const struct kube_object *object, bool sealed,
                        const char *why)
{
	struct value clean = adopt_clean(c->arena, &c->leaving, object);

	add_adopted_file(c, &object->id, &clean, kube_object_position(object), sealed);
	add_fate(c, ADOPT_TAKEN, object, sv_from_cstr(why));
}

/* ---- units ----------------------------------------------------------------------------------- */

static sv number_or_empty(sv text)
{
	int64_t number;

	return sv_parse_int64(text, &number) ? text : SV("");
}

static void take_revision(struct choosing *c, const struct dialect *dialect,
                          const struct kube_object *unit)
{
	sv annotation = dialect->revision_annotation;
	sv own = number_or_empty(adopt_annotation(unit, annotation));
	sv revision = number_or_empty(adopt_live_revision(c->request->live, dialect, unit));

	if (!sv_empty(own) && !sv_eq(own, revision))
		add_fate(c, ADOPT_NOTE, unit,
		         arena_printf(c->arena,
		                      "its revision is %.*s, but that of its MachineSets is %.*s, "
		                      "which adopt uses: export after a roll-out has ended",
		                      SV_ARG(own), SV_ARG(revision)));
	if (sv_empty(revision))
		add_fate(c, ADOPT_NOTE, unit,
		         SV("it has no revision yet: osm-gen begins with 1, as machine-controller "
		            "does"));
	else
		VEC_PUSH(c->arena, &c->choice->revisions,
		         (struct adopt_revision){unit->id.namespace, unit->id.name, annotation,
		                                 revision});
}

static void add_credentials(struct choosing *c, const struct kube_object *unit,
                            const struct value *secret)
{
	struct kube_id id = kube_id_of(secret);

	add_adopted_file(c, &id, secret, kube_object_position(unit), true);
	adopt_add_line(c->arena, c->lines, ADOPT_TAKEN, kube_id_describe(c->arena, &id),
	               SV("new: credentials from the MachineDeployment itself"));
	add_fate(c, ADOPT_NOTE, unit,
	         SV("the manifest in git names that Secret, so its template differs from the live "
	            "one: applying the manifest rolls the machines; leaving the live object as it "
	            "is does not"));
}

static void find_unit(struct choosing *c, size_t dialect, const struct kube_object *object)
{
	struct value *manifest = ARENA_NEW(c->arena, struct value);
	struct kube_object *unit = ARENA_NEW(c->arena, struct kube_object);

	if (value_path(object->root, "metadata.deletionTimestamp")) {
		add_fate(c, ADOPT_LEFT, object, SV("it is being deleted"));
		return;
	}
	*manifest = adopt_clean(c->arena, &c->leaving, object);
	*unit = *object;
	unit->root = manifest;
	VEC_PUSH(c->arena, &c->clusters[dialect].units, unit);
	VEC_PUSH(c->arena, &c->units, (struct taken){dialect, object, unit, manifest});
}

static void find_units(struct choosing *c)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	VEC_EACH (object, &c->request->live->objects) {
		struct adopt_kind found = adopt_kind_of(&(*object)->id);

		for (size_t i = 0; i < count; i++)
			if (all[i] == found.dialect && found.row->part == DIALECT_LIVE_UNIT)
				find_unit(c, i, *object);
	}
	if (c->units.count > 0)
		return;
	struct diag *diag =
	    diag_report(c->sink, DIAG_ADOPT_NOTHING, NOWHERE, "the exports hold no %.*s to adopt",
	                SV_ARG(adopt_unit_kinds(c->arena)));
	diag_set_help(c->sink, diag,
	              "export the cluster whose machines they make: kubectl get "
	              "machinedeployments.cluster.k8s.io -A -o yaml > FILE; with Gardener: kubectl "
	              "get operatingsystemconfigs.extensions.gardener.cloud,secrets -n NAMESPACE");
	c->failed = true;
}

static void begin_choosing(struct choosing *c)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	c->states = ARENA_ARRAY(c->arena, const void *, count);
	for (size_t i = 0; i < count; i++) {
		c->states[i] = NULL;
		if (all[i]->adoption && all[i]->adoption->begin &&
		    all[i]->adoption->begin(c->arena, c->sink, &c->clusters[i], &c->states[i]) !=
		        STATUS_OK)
			c->failed = true;
	}
}

/* Moves credentials to a Secret. Fails if one cannot be moved. */
static enum status move_credentials(struct choosing *c, const struct taken *taken,
                                    struct value *ret_secret)
{
	const struct dialect *dialect = c->clusters[taken->dialect].dialect;

	*ret_secret = VALUE_INVALID;
	if (!dialect->credentials)
		return STATUS_OK;
	struct value tainted = dialect->credentials(c->arena, taken->live);
	known_secrets_add_value(c->choice->secrets, &tainted);
	if (adopt_move_credentials(&c->scan, dialect, taken->live, taken->manifest, ret_secret) !=
	    STATUS_OK)
		return STATUS_FAILED;
	known_secrets_add_value(c->choice->secrets, ret_secret);
	return STATUS_OK;
}

static void take_unit(struct choosing *c, const struct taken *taken)
{
	const struct dialect *dialect = c->clusters[taken->dialect].dialect;
	struct dialect_decision decision = {0};
	struct value secret;

	if (move_credentials(c, taken, &secret) != STATUS_OK) {
		c->failed = true;
		return;
	}
	if (dialect->adoption->decide_unit)
		dialect->adoption->decide_unit(c->arena, c->states[taken->dialect], taken->manifest,
		                               &decision);
	add_fate(c, ADOPT_TAKEN, taken->live, decision.why);
	if (value_is_map(&secret))
		add_credentials(c, taken->live, &secret);
	if (dialect->template_text)
		take_revision(c, dialect, taken->live);
}

/* Adds the unit's file when all Secrets of the exports are known: its own files may have them. */
static void add_adopted_unit(struct choosing *c, const struct taken *taken)
{
	const struct dialect *dialect = c->clusters[taken->dialect].dialect;
	struct position at = kube_object_position(taken->live);
	struct value secret = VALUE_INVALID;

	if (dialect->adoption->move_files)
		secret = adopt_move_files(&c->scan, dialect, taken->live, taken->manifest,
		                          &c->clear_files);
	add_adopted_file(c, &taken->live->id, taken->manifest, at, false);
	if (!value_is_map(&secret))
		return;
	struct kube_id id = kube_id_of(&secret);
	add_adopted_file(c, &id, &secret, at, true);
	size_t count = value_count(value_map_get(&secret, SV("data")));
	adopt_add_line(c->arena, c->lines, ADOPT_TAKEN, kube_id_describe(c->arena, &id),
	               arena_printf(c->arena,
	                            "new: %zu file%s of %.*s that may hold a secret; nodes get the "
	                            "same bytes",
	                            count, count == 1 ? "" : "s",
	                            SV_ARG(kube_object_describe(c->arena, taken->live))));
}

/* Lines of moved files that clear files have, too, are not looked for. */
static void publish_clear_files(struct choosing *c)
{
	VEC_EACH (content, &c->clear_files)
		known_secrets_publish(c->choice->secrets, content);
	VEC_EACH (taken, &c->units)
		if (c->clusters[taken->dialect].dialect->adoption->move_files)
			known_secrets_publish(c->choice->secrets, taken->manifest);
}

/* ---- definitions ------------------------------------------------------------------------- */

static void take_definition(struct choosing *c, const struct dialect *dialect, const void *state,
                            const struct kube_object *object)
{
	const struct dialect_adoption *adoption = dialect->adoption;
	struct dialect_decision decision = {0};
	sv useless = adoption->passes_over(c->arena, state, object);

	if (!sv_empty(useless)) {
		add_fate(c, ADOPT_LEFT, object, useless);
		return;
	}
	struct value clean = adopt_clean(c->arena, &c->leaving, object);
	adoption->decide(c->arena, state, object, &clean, &decision);
	if (decision.is_taken)
		add_adopted_file(c, &object->id, &clean, kube_object_position(object), false);
	add_fate(c, decision.is_taken ? ADOPT_TAKEN : ADOPT_LEFT, object, decision.why);
	if (!sv_empty(decision.dropped))
		adopt_add_line(c->arena, c->lines, ADOPT_LEFT,
		               ARENA_CONCAT(c->arena, decision.dropped, SV(" of "),
		                            kube_object_describe(c->arena, object)),
		               decision.dropped_why);
}

static void take_definitions(struct choosing *c)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		VEC_EACH (object, &c->request->live->objects) {
			struct adopt_kind found = adopt_kind_of(&(*object)->id);

			if (found.dialect == all[i] && found.row->part == DIALECT_LIVE_DEFINITION)
				take_definition(c, all[i], c->states[i], *object);
		}
}

/* ---- looked-up objects ------------------------------------------------------------------- */

static bool is_wanted(const struct choosing *c, const struct kube_object *object)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	if (dialect_is_wanted(&c->wants, &object->id))
		return true;
	for (size_t i = 0; i < count; i++)
		if (all[i]->wants && all[i]->wants(&c->clusters[i], object))
			return true;
	return false;
}

static void find_wanted(struct choosing *c)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		/* Skip dialects without units, which look nothing up. */
		if (c->clusters[i].units.count == 0)
			continue;
		all[i]->want(&c->clusters[i], &c->wants);
		if (!all[i]->want_listed)
			continue;
		VEC_EACH (object, &c->request->live->objects)
			all[i]->want_listed(&c->clusters[i], *object, &c->wants);
	}
}

/* Long numbers may be projects or tenants, which MachineDeployments have in clear text, too. */
static bool is_token(sv key, sv text)
{
	return secrecy_names_credential(key) && text.len < 1024 &&
	       sv_find_char(text, '\n') == SV_NPOS &&
	       secrecy_look_at(text, SECRECY_FIELD).look == SECRECY_LOOKS_SECRET;
}

/*
 * Adds the values of a Secret to those that no clear file may contain. For a Secret that is not
 * taken, `tokens_only`: a word in it may occur in other files by chance.
 */
static void add_to_known(struct choosing *c, const struct kube_object *secret, bool tokens_only)
{
	struct kube_keys keys = kube_secret_keys(c->arena, secret);
	struct sink ignored = sink_in(c->arena);
	struct value text;

	for (size_t i = 0; i < keys.count; i++)
		if (kube_secret_value(c->arena, &ignored, secret, keys.items[i], NOWHERE, &text) ==
		        STATUS_OK &&
		    (!tokens_only || is_token(keys.items[i], text.string)))
			known_secrets_add_data(c->choice->secrets,
			                       kube_secret_name(c->arena, secret->id.namespace,
			                                        secret->id.name, keys.items[i]),
			                       keys.items[i], text.string);
}

static void choose_secret(struct choosing *c, const struct kube_object *secret)
{
	enum dialect_secret_role role = adopt_secret_role(secret);

	if (role == DIALECT_SECRET_GENERATED) {
		add_name(c, &c->generated, secret);
		return;
	}
	bool is_token = role == DIALECT_SECRET_TOKEN;

	if (!is_wanted(c, secret) || role == DIALECT_SECRET_FOREIGN) {
		add_name(c, &c->unwanted_secrets, secret);
		add_to_known(c, secret, true);
		return;
	}
	add_to_known(c, secret, false);
	if (is_token && kube_secret_has(secret, SV("expiration")))
		add_name(c, &c->expiring_tokens, secret);
	else if (is_token)
		take_object(c, secret, true,
		            "it does not expire, so it is kept and no token is derived");
	else
		take_object(c, secret, true, "");
}

static void choose_config_map(struct choosing *c, const struct kube_object *map)
{
	if (!is_wanted(c, map)) {
		add_name(c, &c->unwanted_maps, map);
		return;
	}
	bool hides = adopt_map_holds_credential(c->arena, map, c->clusters, c->cluster_count);
	take_object(c, map, hides, hides ? "encrypted: it seems to hold a credential" : "");
}

static void take_lookups(struct choosing *c)
{
	VEC_EACH (object, &c->request->live->objects) {
		if (adopt_is_kind(*object, "Secret"))
			choose_secret(c, *object);
		else if (adopt_is_kind(*object, "ConfigMap"))
			choose_config_map(c, *object);
		else if (adopt_is_kind(*object, "ServiceAccount") && is_wanted(c, *object))
			take_object(c, *object, false, "");
	}
}

/* Reports wanted objects that are not exported: "KIND NAMESPACE/NAME", as dialect_want has them. */
static void report_missing(struct choosing *c)
{
	for (size_t i = 0; i < set_count(&c->wants.names); i++) {
		sv name = set_item(&c->wants.names, i);
		struct kube_id id = {0};
		sv rest;

		if (map_get(&c->request->live->by_id, name) ||
		    !sv_cut(name, SV(" "), &id.kind, &rest) ||
		    !sv_cut(rest, SV("/"), &id.namespace, &id.name) || sv_empty(id.name) ||
		    set_has(&c->made, file_path(c->arena, &id)))
			continue;
		adopt_add_line(c->arena, c->lines, ADOPT_NOTE, name,
		               SV("another object refers to it, but it is not in the exports: "
		                  "export it, too"));
	}
}

/* Counts the exported objects of one part, kind by kind. */
static void report_part(struct choosing *c, enum dialect_live_part part, const char *why)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		const struct dialect_adoption *adoption = all[i]->adoption;

		for (size_t k = 0; adoption && k < adoption->kind_count; k++) {
			const struct dialect_live_kind *row = &adoption->kinds[k];
			struct adopt_names found = {0};

			if (row->part != part)
				continue;
			VEC_EACH (object, &c->request->live->objects)
				if (adopt_kind_of(&(*object)->id).row == row)
					add_name(c, &found, *object);
			add_left_names(c, &found, row->kind, "", why);
		}
	}
}

/* Each unit has such a token: they share a line. */
static void report_expiring_tokens(struct choosing *c)
{
	static const char why[] =
	    "valid for about an hour: osm-gen derives one that stays. Machines that have joined "
	    "do not need a token; machines that are starting join with this one until it expires, "
	    "or are replaced";
	const struct adopt_names *tokens = &c->expiring_tokens;

	if (tokens->count == 1)
		adopt_add_line(c->arena, c->lines, ADOPT_LEFT, tokens->items[0],
		               ARENA_CONCAT(c->arena, SV("it is the controller's token, "),
		                            sv_from_cstr(why)));
	else
		adopt_add_names(c->arena, c->lines, SV("bootstrap tokens of the controller"),
		                tokens, why);
}

static void report_counts(struct choosing *c)
{
	static const char unwanted[] = "nothing that osm-gen reads refers to it";

	report_expiring_tokens(c);
	report_part(c, DIALECT_LIVE_CONFIG, "osm-gen makes them");
	add_left_names(c, &c->generated, SV("Secret"), " that the controller made",
	               "osm-gen makes them");
	report_part(c, DIALECT_LIVE_SET, "only revisions are taken");
	report_part(c, DIALECT_LIVE_MACHINE, "the cluster makes them");
	report_part(c, DIALECT_LIVE_NODE, "the cluster makes them");
	add_left_names(c, &c->unwanted_secrets, SV("Secret"), "", unwanted);
	add_left_names(c, &c->unwanted_maps, SV("ConfigMap"), "", unwanted);
	VEC_EACH (other, &c->request->live->others) {
		/* A kind may be any string, even a secret. */
		bool is_plain =
		    secrecy_look_at(other->kind, SECRECY_FIELD).look == SECRECY_LOOKS_PLAIN;
		sv kind = is_plain ? other->kind : SV("***");

		adopt_add_line(
		    c->arena, c->lines, ADOPT_LEFT,
		    arena_printf(c->arena, "%zu of kind %.*s", other->count, SV_ARG(kind)),
		    SV("not a kind that osm-gen reads"));
	}
}

/* ---- settings ---------------------------------------------------------------------------- */

/* Sets the settings, so that a wrong one is reported now and not at the first run. */
static void set_up_clusters(struct choosing *c, const struct value *settings)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	c->clusters = ARENA_ARRAY(c->arena, struct dialect_cluster, count);
	c->cluster_count = count;
	for (size_t i = 0; i < count; i++) {
		void *own = settings_new(c->arena, all[i]->settings, NULL);

		for (size_t k = 0; k < all[i]->settings->count; k++) {
			const struct setting *setting = &all[i]->settings->rows[k];
			const struct value *value = value_map_get(settings, setting->name);

			if (value &&
			    setting_set(c->arena, c->sink, own, setting, value) != STATUS_OK)
				c->failed = true;
		}
		c->clusters[i] = (struct dialect_cluster){
		    .dialect = all[i],
		    .name = c->request->cluster,
		    .settings = own,
		    .contract = c->contract,
		};
	}
}

static int compare_files(const void *a, const void *b, void *context)
{
	const struct adopt_file *left = a;
	const struct adopt_file *right = b;

	(void)context;
	return sv_cmp(left->path, right->path);
}

enum status adopt_choose(struct arena *secret_arena, struct sink *sink,
                         const struct adopt_request *request, unsigned contract,
                         struct adopt_lines *lines, struct adopt_choice *ret_choice)
{
	struct adopt_controller controller;
	struct choosing c = {
	    .arena = secret_arena,
	    .sink = sink,
	    .request = request,
	    .contract = contract,
	    .lines = lines,
	    .choice = ret_choice,
	    .wants = {secret_arena, set_in(secret_arena)},
	    .leaving = {secret_arena, map_in(secret_arena)},
	    .made = set_in(secret_arena),
	};

	*ret_choice = (struct adopt_choice){
	    .secrets = known_secrets_new(secret_arena, dialect_public_texts(secret_arena)),
	};
	c.scan = (struct adopt_scan){secret_arena, sink, request, ret_choice->secrets};
	if (adopt_find_controller(secret_arena, sink, request->live, request->cluster, lines,
	                          &controller) != STATUS_OK)
		return STATUS_FAILED;
	ret_choice->settings = controller.settings;
	set_up_clusters(&c, &ret_choice->settings);
	find_units(&c);
	begin_choosing(&c);
	VEC_EACH (taken, &c.units)
		take_unit(&c, taken);
	take_definitions(&c);
	find_wanted(&c);
	take_lookups(&c);
	VEC_EACH (taken, &c.units)
		add_adopted_unit(&c, taken);
	publish_clear_files(&c);
	adopt_add_left_out(&c.leaving, lines);
	report_missing(&c);
	report_counts(&c);
	sort_stable(ret_choice->files.items, ret_choice->files.count,
	            sizeof(*ret_choice->files.items), compare_files, NULL);
	return c.failed ? STATUS_FAILED : STATUS_OK;
}
