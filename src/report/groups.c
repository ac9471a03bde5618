/*
 * Machines of units, and fields of groups.
 */
#include "report/render.h"

bool report_count_machines(const struct report_summary *summary, const size_t *units, size_t count,
                           size_t *ret_machines)
{
	bool is_exact = true;
	size_t machines = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t own = render_row_machines(&summary->units.items[units[i]]);

		is_exact &= own >= 0;
		machines += own > 0 ? (size_t)own : 0;
	}
	*ret_machines = machines;
	return is_exact;
}

bool render_heading_has_all(const struct report_group *group)
{
	size_t count = 0;

	for (size_t i = 0; i < group->field_count; i++) {
		const struct report_field *field = &group->fields[i];

		if (field->is_detail)
			continue;
		count++;
		if (field->before.len > HEADING_VALUE_MAX || field->after.len > HEADING_VALUE_MAX)
			return false;
	}
	return count <= HEADING_FIELDS;
}
