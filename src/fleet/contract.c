/*
 * Chooses the output contract: spec.contract of the Fleet (docs/spec/inputs.md 3).
 */
#include "fleet/internal.h"

/* Returns "contract 1", or "contracts 1 to 3". */
static sv carried(struct arena *arena)
{
	unsigned oldest = dialect_contract_oldest();
	unsigned newest = dialect_contract_newest();

	if (oldest == newest)
		return arena_printf(arena, "contract %u", newest);
	return arena_printf(arena, "contracts %u to %u", oldest, newest);
}

static void report_unknown_contract(struct sink *sink, const struct value *given)
{
	struct diag *diag =
	    diag_report(sink, DIAG_CONTRACT_UNKNOWN, value_position(given),
	                "this osm-gen does not know contract %lld", (long long)given->integer);

	diag_add_note(sink, diag, NOWHERE, "it supports %.*s", SV_ARG(carried(sink->arena)));
	diag_set_help(sink, diag,
	              "run the osm-gen that wrote it, or a newer one: `osm-gen version -o json` "
	              "lists its contracts");
}

static void report_expired(struct sink *sink, const struct value *given)
{
	sv last = dialect_contract_last_version((unsigned)given->integer);
	struct diag *diag = diag_report(sink, DIAG_CONTRACT_EXPIRED, value_position(given),
	                                "this osm-gen does not support contract %lld any more",
	                                (long long)given->integer);

	diag_add_note(sink, diag, NOWHERE, "it supports %.*s; osm-gen %.*s is the last with %lld",
	              SV_ARG(carried(sink->arena)), SV_ARG(last), (long long)given->integer);
	diag_set_help(sink, diag,
	              "`osm-gen upgrade --dry-run` shows what the newest one changes, `osm-gen "
	              "upgrade` writes it; until then run osm-gen %.*s",
	              SV_ARG(last));
}

unsigned fleet_choose_contract(struct sink *sink, const struct fleet_draft *draft,
                               const struct fleet_options *options)
{
	const struct value *given = draft->contract;
	unsigned newest = dialect_contract_newest();

	if (options->contract)
		return options->contract;
	if (!given)
		return newest;
	DIAG_SCOPE(sink, SV("Fleet"), sink->cluster);
	if (given->integer > newest)
		report_unknown_contract(sink, given);
	else if (given->integer < dialect_contract_oldest())
		report_expired(sink, given);
	if (given->integer > newest || given->integer < dialect_contract_oldest())
		return newest; /* go on, to find more mistakes */
	return (unsigned)given->integer;
}
