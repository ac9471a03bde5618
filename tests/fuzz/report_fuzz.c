/* Every report, and the commit's message, of a run whose names and texts are all the input's. */
#include "../unit/hostile_reports.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= 512)
		check_hostile_reports(sv_from((const char *)data, size));
	return 0;
}
