/*
 * The list of --allow-recipients: a cluster is let through only when a line of the list names its
 * recipient, for it or for every cluster; a list with a line that is none lets nobody through.
 */
#include "plan/plan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECIPIENT "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"

/* Whether some line is the cluster, or "*", white space, and the recipient. */
static bool names(sv list)
{
	struct sv_splitter lines = sv_split(list, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		size_t end = line.len - SV(RECIPIENT).len;
		sv cluster = sv_trim_space(sv_slice(line, 0, end));

		if (sv_ends_with(line, SV(RECIPIENT)) &&
		    (sv_eq(cluster, SV("*")) || sv_eq(cluster, SV("c"))))
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct seal_recipient recipient = {SV_INIT(RECIPIENT), NULL};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct seal_root *root = NULL;
	const uint8_t seed[SEAL_SEED_SIZE] = {1, 2, 3};
	struct fleet_cluster named = {.name = SV("c")};
	const struct fleet fleet = {.clusters = &named, .cluster_count = 1};
	struct plan_cluster cluster = {.fleet = &named,
	                               .recipients = {.items = &recipient, .count = 1}};
	struct previous previous = {.indexes = map_in(arena)};
	struct plan_recipient_changes changes;

	if (seal_root_parse(&sink, NOWHERE, seal_seed_format(arena, seed), &root) != STATUS_OK)
		abort();
	const struct plan plan = {
	    .fleet = &fleet, .root = root, .clusters = &cluster, .cluster_count = 1};
	const struct plan_guard guard = {
	    .plan = &plan,
	    .previous = &previous,
	    .allowed = {size > 0 ? sv_from((const char *)data, size) : SV(""), SV("list")},
	};
	if (plan_check_recipients(arena, &sink, &guard, &changes) == STATUS_OK) {
		if (sink.error_count > 0 || !names(guard.allowed.text))
			abort();
	} else if (sink.error_count == 0)
		abort();
	seal_root_free(root);
	return 0;
}
