/* --revisions: what kubectl printed, or what somebody says it did. */
#include "plan/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/revisions_fuzz_XXXXXX";

static void remove_file(void)
{
	(void)unlink(path);
}

/* One file a process: the list is read from a path. */
static void write_file(const uint8_t *data, size_t size)
{
	static bool is_made;

	if (!is_made) {
		int fd = mkstemp(path);

		if (fd < 0)
			abort();
		close(fd);
		(void)atexit(remove_file);
		is_made = true;
	}
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	size_t dialect_count;
	const struct kube_object object = {
	    .id = {.kind = SV("MachineDeployment"), .namespace = SV("a"), .name = SV("b")}};
	struct dialect_unit unit = {.dialect = dialects(&dialect_count)[0], .object = &object};
	/* Whatever is listed as a/b could be of either. */
	const struct fleet_cluster fleets[] = {
	    {.name = SV("one"), .units = &unit, .unit_count = 1},
	    {.name = SV("two"), .units = &unit, .unit_count = 1},
	};
	struct plan_cluster clusters[] = {{.fleet = &fleets[0]}, {.fleet = &fleets[1]}};
	struct plan plan = {.clusters = clusters, .cluster_count = COUNT_OF(clusters)};
	struct plan_request request = {0};

	write_file(data, size);
	request.revisions = sv_from_cstr(path);
	enum status status = plan_live_read(arena, &sink, &request, &plan);
	if ((status == STATUS_OK) != (sink.error_count == 0))
		abort();
	if (status == STATUS_OK && !clusters[1].live_revisions)
		abort();
	return 0;
}
