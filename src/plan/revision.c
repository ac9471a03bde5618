/*
 * The revision of a unit's template. machine-controller starts no machine unless the user-data's
 * Secret carries the revision that the live object has, a counter that git does not hold.
 */
#include "codec/codec.h"
#include "plan/live.h"

#define MAX_OUTPUT_BYTES    ((size_t)64 * 1024 * 1024)
#define REVISION_ANNOTATION "k8c.io/machine-deployment-revision"

/*
 * machine-controller compares the annotation as a string, and writes numbers from 1 on: with any
 * other string no machine would start.
 */
static bool is_revision(sv text)
{
	int64_t number;

	return !sv_empty(text) && text.ptr[0] >= '1' && text.ptr[0] <= '9' &&
	       sv_parse_int64(text, &number);
}

static enum status report_revision(struct sink *sink, struct position at, sv name)
{
	struct diag *diag = diag_report(
	    sink, DIAG_MD_REVISION, at,
	    "annotation %.*s must be a string with a whole number from 1 on", SV_ARG(name));

	diag_set_help(sink, diag,
	              "remove it, and osm-gen counts by itself; or write the number that the "
	              "cluster has, in quotes");
	return STATUS_FAILED;
}

/* ---- the previous output ----------------------------------------------------------------- */

/*
 * COMPAT: an index of format 1 does not have revisions, but the configs that it lists do: as
 * annotations near their head, each on a line.
 */
static sv written_annotation(sv text, sv name)
{
	enum { HEAD_BYTES = 4096 };
	sv head = sv_slice(text, 0, HEAD_BYTES);
	size_t at = sv_find(head, name);

	if (at == SV_NPOS)
		return (sv){0};
	sv line = sv_from_offset(head, at + name.len);
	line = sv_slice(line, 0, sv_find_char(line, '\n'));
	return sv_trim(line, ": \"'\r");
}

int64_t plan_written_revision(sv config)
{
	int64_t number;
	sv text = written_annotation(config, SV(REVISION_ANNOTATION));

	return is_revision(text) && sv_parse_int64(text, &number) ? number : 0;
}

static enum status read_format_1(struct arena *arena, struct sink *sink,
                                 const struct previous *previous, const struct plan_unit *unit,
                                 struct previous_unit *ret_unit, bool *ret_found)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv text;

	if (set_count(&previous->objects) == 0 || !dialect->config_id)
		return STATUS_OK;
	struct kube_id id = dialect->config_id(arena, unit->view, unit->unit->object);
	sv path = plan_previous_path(previous, tree_object_path(arena, unit->cluster->fleet->name,
	                                                        ARTIFACT_MANAGEMENT, &id));
	const struct git_file *file = git_output_find(previous->output, path);
	if (!file || !set_has(&previous->objects, path))
		return STATUS_OK;
	if (git_output_read(arena, sink, previous->output, file, MAX_OUTPUT_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	*ret_found = true;
	ret_unit->unit.revision = written_annotation(text, SV(REVISION_ANNOTATION));
	ret_unit->unit.template_digest =
	    written_annotation(text, SV("osm-gen.dev/template-digest"));
	return STATUS_OK;
}

/* A unit as an earlier run left it. */
struct before {
	int64_t revision; /* 0 if it is not known */
	enum plan_template template;
};

static enum status read_before(struct arena *arena, struct sink *sink,
                               const struct previous *previous, const struct plan_unit *unit,
                               struct previous_unit *ret_before, bool *ret_found)
{
	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct previous_unit *known;

	*ret_before = (struct previous_unit){0};
	*ret_found = false;
	if (!previous)
		return STATUS_OK;
	known = map_get(&previous->units, plan_unit_key(arena, unit->cluster->fleet->name, &id));
	*ret_found = known != NULL;
	if (!known)
		return read_format_1(arena, sink, previous, unit, ret_before, ret_found);
	*ret_before = *known;
	return STATUS_OK;
}

/* `digest` is that of the unit's template now. */
static struct before judge_before(const struct previous_unit *unit, sv digest)
{
	struct before before = {
	    .template = plan_compare_templates(unit->unit.template_digest, digest),
	};
	int64_t number;

	if (sv_parse_int64(unit->unit.revision, &number) && number >= 1 && number < INT64_MAX)
		before.revision = number;
	return before;
}

static bool is_another_template(const struct before *before)
{
	return before->template == PLAN_TEMPLATE_CHANGED;
}

/* Returns the revision that follows from the previous output alone. */
static sv count_on(struct arena *arena, const struct before *before)
{
	if (before->revision == 0)
		return SV("1");
	return arena_printf(arena, "%lld",
	                    (long long)before->revision + is_another_template(before));
}

/* ---- the annotation ---------------------------------------------------------------------- */

/*
 * Returns true if the annotation is out of date. It was copied from a live object once, and is
 * right until the template changes: then machine-controller increments it in the cluster, but
 * nobody does in git. If it is higher than in the previous output, it was copied again. If it is
 * lower, under the same template, the output has been incremented since, and must not go back.
 */
static bool is_stale(sv annotation, const struct before *before)
{
	int64_t number;

	if (before->revision == 0 || !sv_parse_int64(annotation, &number))
		return false;
	return number < before->revision ||
	       (number == before->revision && is_another_template(before));
}

static void report_stale(struct sink *sink, const struct plan_unit *unit,
                         const struct value *annotation, sv used)
{
	struct diag *diag = diag_report(
	    sink, DIAG_REVISION_STALE, value_position(annotation),
	    "annotation %.*s has revision %.*s, which is not the template's any more: %.*s is used",
	    SV_ARG(unit->unit->dialect->revision_annotation), SV_ARG(value_text(annotation)),
	    SV_ARG(used));

	/*
	 * Word the note so that it is equal in all later runs: a run with nothing to do repeats it.
	 */
	diag_add_note(
	    sink, diag, NOWHERE,
	    "spec.template has changed since: machine-controller counts on in the cluster, "
	    "and new machines wait for a Secret of its number");
	diag_set_help(sink, diag,
	              "remove the annotation, and osm-gen counts by itself; or write the number "
	              "that the cluster has; or set revisionAnnotation: pin where the annotation "
	              "is always right");
}

/* ---- both -------------------------------------------------------------------------------- */

/*
 * Returns the digest of the template, 32 hex digits, or "SEED:DIGEST" if it holds a secret: an
 * unkeyed digest would confirm guesses of it. Without the seed the template counts as unchanged.
 */
static sv keyed_digest(struct arena *arena, const struct plan *plan, const struct plan_unit *unit,
                       sv digest_before, struct value text)
{
	const struct kube_object *object = unit->unit->object;
	struct seal_token_owner owner = {unit->cluster->fleet->name, object->id.namespace,
	                                 object->id.name, SV("")};

	if (text.taint && !plan->root)
		return digest_before;
	if (text.taint)
		return ARENA_CONCAT(arena, seal_seed_id(arena, plan->root), SV(":"),
		                    seal_change_digest(arena, plan->root, &owner, text.string));
	return sv_slice(digest_hex(arena, DIGEST_SHA256, text.string), 0, 32);
}

/*
 * Returns the digest of the template with the roll annotation's value `roll`. If an earlier version
 * of osm-gen made another one of the same template, that one stays, so that the output does not
 * change.
 */
static sv template_digest(struct arena *arena, const struct plan *plan,
                          const struct plan_unit *unit, sv roll, sv digest_before)
{
	const struct dialect *dialect = unit->unit->dialect;
	const struct kube_object *object = unit->unit->object;
	struct kube_object rolled = *object;
	struct value root;

	if (!sv_empty(roll)) {
		root = dialect->with_roll(arena, object, roll);
		rolled.root = &root;
		object = &rolled;
	}
	sv digest =
	    keyed_digest(arena, plan, unit, digest_before, dialect->template_text(arena, object));

	if (sv_empty(digest_before) || sv_eq(digest, digest_before) ||
	    !dialect->template_text_before)
		return digest;
	sv earlier = keyed_digest(arena, plan, unit, digest_before,
	                          dialect->template_text_before(arena, object));
	return sv_eq(earlier, digest_before) ? earlier : digest;
}

static enum status given_revision(struct arena *arena, struct sink *sink,
                                  const struct plan_unit *unit, const struct value *annotation,
                                  const struct before *before, sv *ret_revision)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv text = value_text(annotation);

	if (!is_revision(text))
		return report_revision(sink, value_position(annotation),
		                       dialect->revision_annotation);
	*ret_revision = text;
	if ((dialect->revision_pins && dialect->revision_pins(unit->view->settings)) ||
	    !is_stale(text, before))
		return STATUS_OK;
	*ret_revision = count_on(arena, before);
	report_stale(sink, unit, annotation, *ret_revision);
	return STATUS_OK;
}

enum status plan_find_revision(struct arena *arena, struct sink *sink, const struct plan *plan,
                               const struct previous *previous, const struct plan_unit *unit,
                               const struct plan_roll *roll, struct plan_revision *ret_revision)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv annotation = dialect->revision_annotation;
	const struct value *given =
	    value_map_get(value_path(unit->unit->object->root, "metadata.annotations"), annotation);
	const struct plan_live_revision *live = plan_live_find(arena, unit);
	struct previous_unit known;

	*ret_revision = (struct plan_revision){.roll = *roll};
	if (read_before(arena, sink, previous, unit, &known, &ret_revision->was_there) != STATUS_OK)
		return STATUS_FAILED;
	ret_revision->template = PLAN_TEMPLATE_SAME;
	if (!dialect->template_text)
		return STATUS_OK;
	ret_revision->template_digest =
	    template_digest(arena, plan, unit, roll->record.value, known.unit.template_digest);
	struct before before = judge_before(&known, ret_revision->template_digest);
	if (!plan->root && dialect->template_text(arena, unit->unit->object).taint)
		before.template = PLAN_TEMPLATE_UNKNOWN;
	ret_revision->template = before.template;
	if (is_another_template(&before) && !sv_eq(roll->record.value, roll->value_before))
		ret_revision->is_rolled =
		    plan_compare_templates(known.unit.template_digest,
		                           template_digest(arena, plan, unit, roll->value_before,
		                                           known.unit.template_digest)) ==
		    PLAN_TEMPLATE_SAME;
	ret_revision->revision = count_on(arena, &before);
	if (live) {
		ret_revision->revision = live->text;
		if (is_revision(live->text))
			return STATUS_OK;
		return report_revision(sink, live->at, annotation);
	}
	/* The type of annotations is checked when the machine is read. */
	if (sv_empty(value_text(given)))
		return STATUS_OK;
	return given_revision(arena, sink, unit, given, &before, &ret_revision->revision);
}
