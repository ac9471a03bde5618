/*
 * The revision of a unit's template. machine-controller starts no machine unless the user-data's
 * Secret carries the revision that the live object has, a counter that git does not hold.
 */
#include "codec/codec.h"
#include "plan/plan.h"

#define MAX_OUTPUT_BYTES ((size_t)64 * 1024 * 1024)

/*
 * Texts are compared, and machine-controller writes its own as numbers from 1 on: any other one
 * would keep every machine from starting.
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
	    "annotation %.*s is no revision: a whole number from 1 on, as a text", SV_ARG(name));

	diag_set_help(sink, diag,
	              "remove it, and osm-gen counts by itself; or write the number that the "
	              "cluster has, in quotes");
	return STATUS_FAILED;
}

/* ---- the previous output ----------------------------------------------------------------- */

/*
 * COMPAT: an index of format 1 does not hold revisions; the configs that it lists do. Their
 * annotations stand one a line near their head, as they were written then.
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

static enum status read_format_1(struct arena *arena, struct sink *sink,
                                 const struct previous *previous, const struct plan_unit *unit,
                                 struct previous_unit *ret_unit)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv text;

	if (previous->objects.count == 0 || !dialect->config_id)
		return STATUS_OK;
	struct kube_id id = dialect->config_id(arena, unit->view, unit->unit->object);
	sv path = tree_object_path(arena, unit->cluster->fleet->name, ARTIFACT_MANAGEMENT, &id);
	const struct git_file *file = git_output_find(previous->output, path);
	if (!file || !map_get(&previous->objects, path))
		return STATUS_OK;
	if (git_output_read(arena, sink, previous->output, file, MAX_OUTPUT_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	ret_unit->unit.revision =
	    written_annotation(text, SV("k8c.io/machine-deployment-revision"));
	ret_unit->unit.template_digest =
	    written_annotation(text, SV("osm-gen.dev/template-digest"));
	return STATUS_OK;
}

/*
 * Digests of templates that hold secrets are keyed and name their seed: under another seed they
 * cannot be compared, and a rotated seed must not look like a rotated template.
 */
static bool is_another_template(sv before, sv now)
{
	sv seed_before;
	sv seed_now;
	sv rest;
	bool keyed_before = sv_cut(before, SV(":"), &seed_before, &rest);
	bool keyed_now = sv_cut(now, SV(":"), &seed_now, &rest);

	if (sv_empty(before) || (keyed_before && keyed_now && !sv_eq(seed_before, seed_now)))
		return false;
	return !sv_eq(before, now);
}

/* A unit as an earlier run left it. */
struct before {
	int64_t revision; /* 0: there was no such unit, or nothing to be learnt from it */
	bool is_another_template;
};

static enum status read_before(struct arena *arena, struct sink *sink,
                               const struct previous *previous, const struct plan_unit *unit,
                               sv digest, struct before *ret_before)
{
	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct previous_unit *known;
	struct previous_unit before = {0};
	int64_t number;

	*ret_before = (struct before){0};
	if (!previous)
		return STATUS_OK;
	known = map_get(&previous->units, plan_unit_key(arena, unit->cluster->fleet->name, &id));
	if (known)
		before = *known;
	else if (read_format_1(arena, sink, previous, unit, &before) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_parse_int64(before.unit.revision, &number) || number < 1 || number == INT64_MAX)
		return STATUS_OK;
	*ret_before = (struct before){
	    .revision = number,
	    .is_another_template = is_another_template(before.unit.template_digest, digest),
	};
	return STATUS_OK;
}

/* What follows from the previous output alone. */
static sv count_on(struct arena *arena, const struct before *before)
{
	if (before->revision == 0)
		return SV("1");
	return arena_printf(arena, "%lld",
	                    (long long)before->revision + before->is_another_template);
}

/* ---- the annotation ---------------------------------------------------------------------- */

/*
 * The annotation was copied from a live object once. While the template stays it is right; when
 * the template changes, machine-controller counts on in the cluster and nobody does in git. A
 * higher one than the previous output's was copied anew. A lower one under the same template is
 * one that was counted on from before: going back would be as wrong as standing still.
 */
static bool is_stale(sv annotation, const struct before *before)
{
	int64_t number;

	if (before->revision == 0 || !sv_parse_int64(annotation, &number))
		return false;
	return number < before->revision ||
	       (number == before->revision && before->is_another_template);
}

static void report_stale(struct sink *sink, const struct plan_unit *unit,
                         const struct value *annotation, const struct before *before, sv used)
{
	struct diag *diag = diag_report(
	    sink, DIAG_REVISION_STALE, value_position(annotation),
	    "annotation %.*s says revision %.*s, which is not the template's any more: %.*s is "
	    "used",
	    SV_ARG(unit->unit->dialect->revision_annotation), SV_ARG(value_text(annotation)),
	    SV_ARG(used));

	if (before->is_another_template)
		diag_add_note(sink, diag, NOWHERE,
		              "spec.template is another one than in the previous output, which has "
		              "revision %lld: machine-controller counts on, and the machines would "
		              "wait for a Secret of its number",
		              (long long)before->revision);
	else
		diag_add_note(sink, diag, NOWHERE, "the previous output has revision %lld",
		              (long long)before->revision);
	diag_set_help(sink, diag,
	              "remove the annotation, and osm-gen counts by itself; or write the number "
	              "that the cluster has; or set revisionAnnotation: pin where the annotation "
	              "is always right");
}

/* ---- both -------------------------------------------------------------------------------- */

/* 32 hex digits of the template; "SEED:DIGEST" when it holds a secret. */
static sv template_digest(struct arena *arena, const struct plan *plan,
                          const struct plan_unit *unit)
{
	const struct kube_object *object = unit->unit->object;
	struct value text = unit->unit->dialect->template_text(arena, object);
	struct seal_token_owner owner = {unit->cluster->fleet->name, object->id.namespace,
	                                 object->id.name, SV("")};

	if (text.taint && plan->root)
		return ARENA_CONCAT(arena, seal_seed_id(arena, plan->root), SV(":"),
		                    seal_change_digest(arena, plan->root, &owner, text.string));
	return sv_slice(digest_hex(arena, DIGEST_SHA256, text.string), 0, 32);
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
	report_stale(sink, unit, annotation, before, *ret_revision);
	return STATUS_OK;
}

enum status plan_find_revision(struct arena *arena, struct sink *sink, const struct plan *plan,
                               const struct previous *previous, const struct plan_unit *unit,
                               struct plan_revision *ret_revision)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv annotation = dialect->revision_annotation;
	const struct value *given =
	    value_map_get(value_path(unit->unit->object->root, "metadata.annotations"), annotation);
	const struct plan_live_revision *live = plan_live_revision(arena, unit);
	struct before before;

	*ret_revision = (struct plan_revision){0};
	if (!dialect->template_text)
		return STATUS_OK;
	*ret_revision = (struct plan_revision){SV("1"), template_digest(arena, plan, unit)};
	if (live) {
		ret_revision->revision = live->text;
		if (is_revision(live->text))
			return STATUS_OK;
		return report_revision(sink, live->at, annotation);
	}
	/* That every annotation is a text is seen to where the machine is read. */
	if (!value_is_null(given) && !value_is_string(given))
		return STATUS_OK;
	if (read_before(arena, sink, previous, unit, ret_revision->template_digest, &before) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(value_text(given)))
		return given_revision(arena, sink, unit, given, &before, &ret_revision->revision);
	ret_revision->revision = count_on(arena, &before);
	return STATUS_OK;
}
