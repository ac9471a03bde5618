/*
 * Outcomes and changes in words; the user-data that is nearest to its limit.
 */
#include "report/render.h"

size_t report_count_files(const struct report_summary *summary, enum report_change change)
{
	size_t count = change == REPORT_UNCHANGED ? summary->unchanged_file_count : 0;

	VEC_EACH (file, &summary->files)
		count += file->change == change;
	return count;
}

sv render_change_word(enum report_change change)
{
	switch (change) {
	case REPORT_UNCHANGED:
		return SV("unchanged");
	case REPORT_ADDED:
		return SV("added");
	case REPORT_CHANGED:
		return SV("changed");
	case REPORT_REMOVED:
		return SV("removed");
	}
	BUG("change");
}

sv render_outcome_word(enum report_outcome outcome)
{
	switch (outcome) {
	case REPORT_COMMITTED:
		return SV("committed");
	case REPORT_WRITTEN:
		return SV("written");
	case REPORT_NOTHING:
		return SV("unchanged");
	case REPORT_DIFFERS:
		return SV("differs");
	case REPORT_VALID:
		return SV("valid");
	case REPORT_FAILED:
		return SV("failed");
	}
	BUG("outcome");
}

/* Compares bytes/limit of both without division. */
bool render_is_fuller(const struct report_unit *a, const struct report_unit *b)
{
	return (double)a->bootstrap_bytes * (double)b->bootstrap_limit >
	       (double)b->bootstrap_bytes * (double)a->bootstrap_limit;
}

const struct report_unit *render_fullest(const struct report_summary *summary)
{
	const struct report_unit *fullest = NULL;

	VEC_EACH (row, &summary->units) {
		if (row->bootstrap_limit > 0 && (!fullest || render_is_fuller(row, fullest)))
			fullest = row;
	}
	return fullest;
}
