/*
 * A repository as one text, files parted by lines "@@ PATH": whatever it holds, the fleet loads or
 * says why, and all that is said can be shown.
 */
#include "fleet/fleet.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_FILES 32

/* The next file off *rest. */
static bool next_file(sv *rest, sv *ret_path, sv *ret_text)
{
	if (!sv_starts_with(*rest, SV("@@ ")))
		return false;
	sv file = sv_from_offset(*rest, 3);
	size_t end = sv_find(file, SV("\n@@ "));

	*rest = end == SV_NPOS ? SV("") : sv_from_offset(file, end + 1);
	file = end == SV_NPOS ? file : sv_slice(file, 0, end + 1);
	(void)sv_cut(file, SV("\n"), ret_path, ret_text);
	if (ret_text->len == file.len)
		*ret_text = SV("");
	return true;
}

static void check_shown(const struct buf *buf)
{
	BUG_ON(!utf8_valid(buf_sv(buf)));
	for (size_t i = 0; i < buf->len; i++)
		BUG_ON((unsigned char)buf->ptr[i] < 0x20 && buf->ptr[i] != '\n');
}

static void show(struct arena *arena, const struct sink *sink)
{
	struct report_style style = {.width = 40};
	struct report_summary summary = {.command = SV("validate"), .outcome = REPORT_FAILED};
	struct buf text = buf_in(arena);
	struct buf markdown = buf_in(arena);
	struct buf json = buf_in(arena);

	report_diags_text(&text, sink, &style);
	check_shown(&text);
	report_markdown(&markdown, &summary, sink, &style);
	check_shown(&markdown);
	report_json(&json, &summary, sink, &style);
	check_shown(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret_arena = arena_new(ARENA_SECRET);
	struct sink sink = sink_in(arena);
	struct fleet_options options = {0};
	struct fleet_file *files[MAX_FILES];
	struct fleet fleet;
	size_t count = 0;
	sv rest = sv_from((const char *)data, size);
	struct fleet_blob blob = {0};
	struct fleet_filter *filter = fleet_filter_new(arena, SV("out"), SV(""));

	/*
	 * Reading the embedded profiles takes longer than all the rest and depends on nothing in
	 * the input: only now and then.
	 */
	struct value settings = value_map_new(arena);
	value_map_set(arena, &settings, SV("disableDefaultOSPs"), value_string(SV("true")));
	if (size % 256 != 0)
		options.flag_settings = &settings;
	while (count < MAX_FILES && next_file(&rest, &blob.path, &blob.text)) {
		bool taken = fleet_filter_take(filter, blob.path);

		blob.secrets_path = sv_starts_with(blob.path, SV("secrets/"))
		                        ? sv_from_offset(blob.path, strlen("secrets/"))
		                        : SV("");
		if (taken)
			files[count++] = fleet_read_file(arena, secret_arena, filter, &blob);
	}
	enum status status = fleet_load(arena, secret_arena, &sink, files, count, &options, &fleet);
	BUG_ON((status == STATUS_OK) != (sink.error_count == 0));
	BUG_ON(fleet.cluster_count == 0);
	show(arena, &sink);
	return 0;
}
