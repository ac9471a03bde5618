/*
 * Decides what happens to a unit's machines. machine-controller replaces the machines of a
 * MachineDeployment when its template changes. It replaces none when only the user-data changes,
 * which machines read once, as they start, unless the dialect's machines apply it while they run.
 */
#include "plan/plan.h"

/*
 * Digests of templates that hold secrets are keyed and name their seed: under another seed they
 * cannot be compared, and a rotated seed must not look like a rotated template.
 */
enum plan_template plan_compare_templates(sv before, sv now)
{
	sv seed_before;
	sv seed_now;
	sv rest;
	bool keyed_before = sv_cut(before, SV(":"), &seed_before, &rest);
	bool keyed_now = sv_cut(now, SV(":"), &seed_now, &rest);

	if (sv_empty(before) || sv_empty(now) ||
	    (keyed_before && keyed_now && !sv_eq(seed_before, seed_now)))
		return PLAN_TEMPLATE_UNKNOWN;
	return sv_eq(before, now) ? PLAN_TEMPLATE_SAME : PLAN_TEMPLATE_CHANGED;
}

/* Returns the class of a unit that was there before, for a run without the seed. */
static enum report_class class_without_seed(const struct plan_class_facts *facts)
{
	if (facts->template == PLAN_TEMPLATE_CHANGED)
		return REPORT_CLASS_ROLL;
	/* User-data that only new machines read: it names the class of the machines. */
	if (facts->replacement == DIALECT_REPLACES_UNKNOWN && !facts->is_applied &&
	    (facts->config_changed || facts->user_data_changed))
		return REPORT_CLASS_ROLL;
	if (facts->template == PLAN_TEMPLATE_UNKNOWN || facts->roll_unknown ||
	    facts->secrets_unknown || facts->replacement == DIALECT_REPLACES_UNKNOWN)
		return REPORT_CLASS_UNKNOWN;
	if (facts->is_applied && (facts->user_data_changed || facts->config_changed))
		return REPORT_CLASS_IN_PLACE;
	if (facts->user_data_changed || facts->new_user_data_changed)
		return REPORT_CLASS_NEW_NODES;
	return facts->file_changed ? REPORT_CLASS_METADATA : REPORT_CLASS_NONE;
}

/* Returns the class apart from a change of the number of machines. */
static enum report_class class_at_one_size(const struct plan_class_facts *facts)
{
	if (!facts->is_there)
		return REPORT_CLASS_REMOVE;
	/* SAFETY: the machines of a new unit may be those of another one before. */
	if (facts->replacement == DIALECT_REPLACES_MACHINES)
		return REPORT_CLASS_ROLL;
	if (!facts->was_there)
		return REPORT_CLASS_ADD;
	if (facts->lacks_seed)
		return class_without_seed(facts);
	/*
	 * If the template or the user-data cannot be compared, a changed config counts as its
	 * change.
	 */
	if (facts->template == PLAN_TEMPLATE_CHANGED ||
	    (facts->template == PLAN_TEMPLATE_UNKNOWN && facts->config_changed))
		return REPORT_CLASS_ROLL;
	if (facts->user_data_changed ||
	    (facts->config_changed && (facts->user_data_unknown || facts->is_applied)))
		return facts->is_applied ? REPORT_CLASS_IN_PLACE : REPORT_CLASS_NEW_NODES;
	if (facts->new_user_data_changed)
		return REPORT_CLASS_NEW_NODES;
	return facts->file_changed ? REPORT_CLASS_METADATA : REPORT_CLASS_NONE;
}

enum report_class plan_class(const struct plan_class_facts *facts)
{
	enum report_class class = class_at_one_size(facts);

	switch (class) {
	case REPORT_CLASS_NONE:
	case REPORT_CLASS_METADATA:
	case REPORT_CLASS_NEW_NODES:
		return facts->scale.changes ? REPORT_CLASS_SCALE : class;
	case REPORT_CLASS_UNKNOWN:
	case REPORT_CLASS_ADD:
	case REPORT_CLASS_IN_PLACE:
	case REPORT_CLASS_ROLL:
	case REPORT_CLASS_SCALE:
	case REPORT_CLASS_REMOVE:
		return class;
	}
	BUG("class");
}

/* ---- earlier sealing of a cluster -------------------------------------------------------- */

static bool has_same_recipients(const struct tree_index *before, const struct seal_recipients *now)
{
	if (before->recipient_count != now->count)
		return false;
	for (size_t i = 0; i < now->count; i++)
		if (!sv_eq(before->recipients[i], now->items[i].text))
			return false;
	return true;
}

/*
 * Returns false if the old recipients are not known: of a certificate the index has only the
 * digest.
 */
static bool read_earlier_recipients(struct arena *arena, const struct tree_index *before,
                                    const struct seal_recipients *now,
                                    struct seal_recipients *recipients)
{
	struct sink unused = sink_in(arena);
	struct seal_recipient_text *texts =
	    ARENA_ARRAY(arena, struct seal_recipient_text, before->recipient_count);

	if (now->format->takes_certificate || before->recipient_count == 0)
		return false;
	for (size_t i = 0; i < before->recipient_count; i++)
		texts[i] = (struct seal_recipient_text){before->recipients[i], NOWHERE};
	*recipients = *now;
	return seal_recipients_parse(arena, &unused, now->format, SV(""), texts,
	                             before->recipient_count, recipients) == STATUS_OK;
}

struct plan_sealed_before plan_find_sealed_before(struct arena *arena, const struct plan *plan,
                                                  const struct previous *previous,
                                                  const struct plan_cluster *cluster)
{
	const struct tree_index *index = map_get(&previous->indexes, cluster->fleet->name);
	struct plan_sealed_before before = {0};

	if (!index || !plan->root || cluster->recipients.count == 0)
		return before;
	before.other_seed =
	    !sv_empty(index->seed_id) && !sv_eq(index->seed_id, seal_seed_id(arena, plan->root));
	before.other_recipients = !has_same_recipients(index, &cluster->recipients);
	if (before.other_recipients && !before.other_seed)
		before.can_seal_again =
		    read_earlier_recipients(arena, index, &cluster->recipients, &before.recipients);
	return before;
}
