/*
 * What a whole run may take.
 */
#include "diag/diag.h"

#include <stdatomic.h>

bool quota_take(struct quota *quota, uint64_t amount)
{
	if (!quota)
		return true;
	uint64_t before = atomic_load(&quota->used);

	/* It stays where it is once it is exceeded, and so cannot overflow. */
	if (before > quota->max)
		return false;
	if (amount > UINT32_MAX)
		amount = UINT32_MAX;
	bool fits = atomic_fetch_add(&quota->used, amount) + amount <= quota->max;
	return quota_take(quota->whole, amount) && fits;
}

bool quota_is_exceeded(const struct quota *quota)
{
	return quota && atomic_load(&quota->used) > quota->max;
}

void quota_report(struct sink *sink, const struct quota *quota)
{
	unsigned long long max = quota->max;
	struct diag *diag;

	if (quota->setting) {
		diag = diag_report(sink, (enum diag_code)quota->code, NOWHERE,
		                   "%s %llu, the most that limits.%s of the Fleet allows",
		                   quota->what, max, quota->setting);
		diag_set_help(sink, diag,
		              "look at what the last change adds; when it is meant to be, raise "
		              "limits.%s in osm-gen.yaml, up to --%s",
		              quota->setting, quota->option);
		return;
	}
	diag = diag_report(sink, (enum diag_code)quota->code, NOWHERE,
	                   "%s %llu, the most that --%s allows", quota->what, max, quota->option);
	diag_set_help(sink, diag,
	              "look at what the last change adds; when it is meant to be, raise --%s, or "
	              "cut the fleet into several repositories",
	              quota->option);
}
