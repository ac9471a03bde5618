/*
 * Makes what a run without the seed compares of a unit (struct run_traits): two units with equal
 * traits get equal files from one program under one seed, if the secrets that they lack are equal.
 */
#include "codec/codec.h"
#include "run/output/output.h"
#include "run/units/rendering.h"
#include "run/units/units.h"
#include "json/json.h"

/* ---- the secrets in it --------------------------------------------------------------------- */

struct secrets_of {
	/* const struct secret * by its name: those that the run does not have. */
	struct map lacking;
	bool has_derived; /* a secret among them that osm-gen derives */
};

static bool add_secret(void *context, const struct secrecy_place *place UNUSED,
                       const struct secret *secret)
{
	struct secrets_of *secrets = context;

	if (!secrecy_stands_in(secret))
		return true;
	if (secrecy_is_derived(secret))
		secrets->has_derived = true;
	else
		map_put(&secrets->lacking, secret->name, (void *)(uintptr_t)secret); /* NOLINT */
	return true;
}

/* ---- the digests --------------------------------------------------------------------------- */

static enum secrecy_step add_value_at(void *context, struct secrecy_place *place)
{
	struct buf *buf = context;
	const struct value *v = place->value;

	/* The depth ends a list or a map: a member has the depth of its parent plus one. */
	buf_printf(buf, "%u", place->depth);
	if (place->entry)
		buf_add_field(buf, place->entry->key);
	if (value_is_string(v)) {
		buf_add_field(buf, v->string);
		return SECRECY_OVER;
	}
	if (value_is_map(v) || value_is_list(v)) {
		buf_add_char(buf, value_is_map(v) ? '{' : '[');
		return SECRECY_INTO;
	}
	json_emit(buf, v, 0);
	return SECRECY_OVER;
}

/* Adds a value as it is written: strings as a whole, since most are long. */
static void add_value_as_written(struct buf *buf, const struct value *v)
{
	if (v && v->type)
		(void)!secrecy_visit(v, add_value_at, buf);
	buf_add_char(buf, '\n');
}

static sv hashed(struct arena *arena, const struct buf *buf)
{
	return digest_hex(arena, DIGEST_SHA256, buf_sv(buf));
}

/* Returns the periods of the tokens that osm-gen derives: another one gives another token. */
static struct dialect_token token_of(struct arena *arena, const struct run_job *job,
                                     const struct plan_unit *unit)
{
	const struct dialect *dialect = unit->unit->dialect;
	struct dialect_token token = {0};

	if (!dialect->token ||
	    !dialect->token(arena, unit->view, unit->unit->object, job->now, &token))
		return (struct dialect_token){0};
	return token;
}

static sv sealing_of(struct arena *arena, const struct plan_cluster *cluster)
{
	const struct seal_recipients *recipients = &cluster->recipients;
	struct buf buf = buf_in(arena);

	buf_add_field(&buf, recipients->format ? recipients->format->name : SV(""));
	buf_printf(&buf, "%d %zu %d\n", (int)recipients->scope, recipients->round_lengths,
	           (int)cluster->fleet->delivery.secret_text);
	for (size_t i = 0; i < recipients->count; i++)
		buf_add_field(&buf, seal_recipient_listed(arena, recipients, i));
	add_value_as_written(&buf, recipients->rule ? recipients->rule->map : NULL);
	return buf_sv(&buf);
}

/* Adds a file's place and content. */
static void add_artifact(struct buf *buf, const struct plan_unit *unit,
                         const struct artifact *artifact)
{
	buf_add_field(buf, tree_object_path(buf->arena, unit->cluster->fleet->name, artifact->side,
	                                    &artifact->id));
	buf_printf(buf, "%d %d %d %d\n", (int)artifact->role, (int)artifact->sealing,
	           (int)artifact->has_fixed_keys, (int)artifact->wants_string_data);
	buf_add_field(buf, run_source_name(unit->unit->object));
	add_value_as_written(buf, &artifact->object);
}

/* Adds the values of user-data, which are what a machine gets; annotations are not. */
static void add_user_data(struct buf *buf, const struct plan_unit *unit,
                          const struct artifact *artifact)
{
	buf_add_field(buf, tree_object_path(buf->arena, unit->cluster->fleet->name, artifact->side,
	                                    &artifact->id));
	add_value_as_written(buf, value_map_get(&artifact->object, SV("data")));
	add_value_as_written(buf, value_map_get(&artifact->object, SV("stringData")));
}

/* Adds the text of the template, without the roll annotation. */
static void set_template(struct arena *results, struct arena *scratch, const struct plan_unit *unit,
                         struct run_traits *traits)
{
	const struct dialect *dialect = unit->unit->dialect;

	if (!dialect->template_text)
		return;
	const struct value text = dialect->template_text(scratch, unit->unit->object);
	traits->template = digest_hex(results, DIGEST_SHA256, text.string);
	traits->template_has_secrets = text.taint != NULL;
}

void run_find_traits(struct arena *results, struct arena *scratch, const struct run_job *job,
                     const struct plan_revision *revision, const struct artifacts *artifacts,
                     struct run_unit *unit)
{
	const struct plan_unit *of = unit->unit;
	struct run_traits *traits = ARENA_NEW(results, struct run_traits);
	struct secrets_of secrets = {.lacking = map_in(scratch)};
	struct secrets_of read_at_start = {.lacking = map_in(scratch)};
	const struct dialect_token token = token_of(scratch, job, of);
	struct buf user_data = buf_in(scratch);
	struct buf files = buf_in(scratch);
	sv sealing = sealing_of(scratch, of->cluster);
	sv identity = job->plan->fleet->identity;

	*traits = (struct run_traits){
	    .roll = arena_dup(results, revision->roll.plain_digest),
	    .roll_has_secrets = revision->roll.has_secrets,
	    .sealing = digest_hex(results, DIGEST_SHA256, sealing),
	    .identity = arena_dup(results, identity),
	};
	set_template(results, scratch, of, traits);
	buf_add_field(&files, sealing);
	buf_add_field(&files, identity);
	VEC_EACH (artifact, artifacts) {
		secrecy_each(&artifact->object, add_secret, &secrets);
		if (run_is_user_data(artifact->role)) {
			secrecy_each(&artifact->object, add_secret, &read_at_start);
			add_user_data(&user_data, of, artifact);
		}
		add_artifact(&files, of, artifact);
	}
	/* The values of encrypted settings are placeholders, whatever is made of them. */
	secrecy_each(&of->cluster->fleet->given, add_secret, &secrets);
	if (read_at_start.has_derived) {
		buf_add_field(&user_data, token.rotation);
		buf_add_field(&user_data, identity);
	}
	/* Sealed values of another length are not compared with those before. */
	buf_printf(&user_data, "%zu\n", of->cluster->recipients.round_lengths);
	if (secrets.has_derived) {
		buf_add_field(&files, token.rotation);
		buf_add_field(&files, token.rotation_before);
	}
	traits->user_data = hashed(results, &user_data);
	traits->files = hashed(results, &files);
	for (size_t i = 0; i < secrets.lacking.count; i++) {
		const struct secret *secret = secrets.lacking.entries[i].value;

		VEC_PUSH(
		    results, &traits->lacking,
		    run_copy_lacking(results, &(struct run_lacking){secret->name, secret->owner}));
	}
	unit->traits = traits;
}
