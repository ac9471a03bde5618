/*
 * Limits on the work of a whole run.
 */
#include "diag/diag.h"

#include <stdatomic.h>

/* Charges the whole with everything beyond the part's allowance. */
static bool take_of_part(struct quota *part, uint64_t amount)
{
	uint64_t covered = amount < part->part_left ? amount : part->part_left;

	part->part_left -= covered;
	atomic_fetch_add(&part->used, amount < UINT32_MAX ? amount : UINT32_MAX);
	if (covered > 0 && part->whole)
		atomic_fetch_add(&part->whole->all, covered);
	return amount == covered ? !quota_is_exceeded(part->whole)
	                         : quota_take(part->whole, amount - covered);
}

bool quota_take(struct quota *quota, uint64_t amount)
{
	if (!quota)
		return true;
	if (quota->whole)
		return take_of_part(quota, amount);
	uint64_t before = atomic_load(&quota->used);

	/* It stays where it is once it is exceeded, and so cannot overflow. */
	if (before > quota->max)
		return false;
	if (amount > UINT32_MAX)
		amount = UINT32_MAX;
	atomic_fetch_add(&quota->all, amount);
	return atomic_fetch_add(&quota->used, amount) + amount <= quota->max;
}

bool quota_is_exceeded(const struct quota *quota)
{
	if (quota && quota->whole)
		quota = quota->whole;
	return quota && atomic_load(&quota->used) > quota->max;
}

void quota_grow(struct quota *quota, uint64_t amount)
{
	if (quota->grows && amount <= UINT64_MAX - quota->max)
		quota->max += amount;
}

struct quota quota_part(struct quota *whole, uint64_t allowance)
{
	return (struct quota){
	    .whole = whole, .max = UINT64_MAX, .part_left = whole && whole->grows ? allowance : 0};
}

void quota_report(struct sink *sink, const struct quota *quota)
{
	unsigned long long max;
	struct diag *diag;

	if (quota->whole)
		quota = quota->whole;
	max = quota->max;
	if (quota->setting) {
		diag = diag_report(sink, (enum diag_code)quota->code, NOWHERE,
		                   "%s %llu, the most that limits.%s of the Fleet allows",
		                   quota->what, max, quota->setting);
		diag_set_help(sink, diag,
		              "look at the files that the last change adds; if they belong there, "
		              "raise limits.%s in osm-gen.yaml, up to --%s",
		              quota->setting, quota->option);
		return;
	}
	diag = diag_report(sink, (enum diag_code)quota->code, NOWHERE,
	                   "%s %llu, the most that --%s allows", quota->what, max, quota->option);
	diag_set_help(sink, diag,
	              "look at the files that the last change adds; if they belong there, raise "
	              "--%s, or split the fleet into several repositories",
	              quota->option);
}
