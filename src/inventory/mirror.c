/*
 * The inventory and a mirror: the files that a mirror lacks, and the script that downloads them.
 */
#include "internal.h"

#include "codec/codec.h"
#include "os/os.h"
#include "report/report.h"
#include "tmpl/tmpl.h"

enum { LIST_MAX_BYTES = 64 * 1024 * 1024 };
#define FILE_MAX_BYTES ((size_t)1024 * 1024 * 1024)

/* ---- files that a mirror lacks ------------------------------------------------------------ */

static void add_lack(struct buf *buf, const char *what, sv url)
{
	buf_printf(buf, "%s  ", what);
	report_add_visible(buf, url);
	buf_add_char(buf, '\n');
}

static bool is_sum(sv text)
{
	bool is_hex = text.len == 64;

	for (size_t i = 0; i < text.len; i++)
		is_hex &= ascii_is_hex((uint8_t)text.ptr[i]);
	return is_hex;
}

/*
 * Returns the checksum that a file must have: the pinned one, else the one in the file
 * "PATH.sha256". Returns an empty string if it has neither, as keys and checksum files do.
 */
static enum status expected_sum(struct arena *arena, struct sink *sink, sv path,
                                const struct inventory_item *item, sv *ret_sum)
{
	sv beside = ARENA_CONCAT(arena, path, SV(".sha256"));
	sv text = {0};

	*ret_sum = item->fetch.sha256;
	if (!sv_empty(*ret_sum) || sv_eq(item->fetch.kind, SV("key")) ||
	    sv_eq(item->fetch.kind, SV("checksum")) || os_kind(beside) != OS_FILE)
		return STATUS_OK;
	if (os_read_file(arena, sink, beside, LIST_MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	*ret_sum = text.len < 64 ? SV("none") : sv_slice(text, 0, 64);
	return STATUS_OK;
}

static enum status check_mirrored_file(struct sink *sink, sv mirror,
                                       const struct inventory_item *item, struct buf *buf,
                                       bool *lacks)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv source = inventory_source(arena, item);
	sv place = inventory_place(source);
	sv path = ARENA_CONCAT(arena, mirror, SV("/"), place);
	sv sum;
	sv bytes;

	if (sv_empty(place) || os_kind(path) != OS_FILE) {
		add_lack(buf, "missing", source);
		*lacks = true;
		return STATUS_OK;
	}
	if (expected_sum(arena, sink, path, item, &sum) != STATUS_OK)
		return STATUS_FAILED;
	if (sv_empty(sum))
		return STATUS_OK;
	if (os_read_file(arena, sink, path, FILE_MAX_BYTES, &bytes) != STATUS_OK)
		return STATUS_FAILED;
	/* A string that is not a checksum is what is left of one that was cut short. */
	if (!is_sum(sum) || !sv_eq_fold_ascii(digest_hex(arena, DIGEST_SHA256, bytes), sum)) {
		add_lack(buf, "damaged", source);
		*lacks = true;
	}
	return STATUS_OK;
}

/* Reads the lines of a list of URLs, as a set. */
static enum status read_urls(struct arena *arena, struct sink *sink, sv path, struct set *ret_urls)
{
	struct set urls = set_in(arena);
	sv text;

	if (os_read_file(arena, sink, path, LIST_MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;
	while (sv_split_next(&lines, &line))
		set_add(&urls, sv_trim_space(line));
	*ret_urls = urls;
	return STATUS_OK;
}

enum status inventory_check_mirror(struct arena *arena, struct sink *sink,
                                   const struct inventory *inventory, sv mirror, struct buf *buf,
                                   bool *ret_lacks)
{
	bool is_folder = os_kind(mirror) == OS_FOLDER;
	struct set urls = set_in(arena);
	struct set seen = set_in(arena);
	size_t others = 0;
	size_t checked = 0;
	bool lacks = false;

	if (!is_folder && read_urls(arena, sink, mirror, &urls) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (item, &inventory->items) {
		if (!inventory_is_file(*item)) {
			others += sv_eq((*item)->fetch.kind, SV("package")) ||
			          sv_eq((*item)->fetch.kind, SV("image"));
			continue;
		}
		sv source = inventory_source(arena, *item);

		/* Clusters with a mirror and clusters without share one copy in the folder. */
		if (!set_add(&seen, source) && is_folder)
			continue;
		checked++;
		if (is_folder) {
			if (check_mirrored_file(sink, mirror, *item, buf, &lacks) != STATUS_OK)
				return STATUS_FAILED;
		} else if (!set_has(&urls, (*item)->fetch.url) &&
		           !set_has(&urls, inventory_bare(arena, (*item)->fetch.url))) {
			add_lack(buf, "missing", (*item)->fetch.url);
			lacks = true;
		}
	}
	buf_printf(buf, "%zu files checked; %zu packages and images are not looked for\n", checked,
	           others);
	*ret_lacks = lacks || inventory->unknown.count > 0;
	return STATUS_OK;
}

/* ---- the script that fills one -------------------------------------------------------------- */

/*
 * Returns NAME:TAG, or NAME@DIGEST without a tag: skopeo takes only one of them, and machines ask
 * the mirror for the tag.
 */
static sv image_reference(struct arena *arena, const struct dialect_fetch *fetch)
{
	if (!sv_empty(fetch->version))
		return ARENA_CONCAT(arena, fetch->name, SV(":"), fetch->version);
	if (!sv_empty(fetch->sha256))
		return ARENA_CONCAT(arena, fetch->name, SV("@sha256:"), fetch->sha256);
	return fetch->name;
}

static struct value download(struct arena *arena, const struct inventory *inventory,
                             const struct inventory_item *item)
{
	sv source = inventory_source(arena, item);
	bool is_published =
	    sv_empty(item->fetch.sha256) && inventory_checksum(inventory, item) != NULL;

	return VALUE_MAP(arena, {"place", value_string_if(inventory_place(source))},
	                 {"source", value_string(source)},
	                 {"sha256", value_string_if(item->fetch.sha256)},
	                 {"isPublished", value_bool(is_published)});
}

void inventory_add_script(struct buf *buf, const struct inventory *inventory)
{
	struct arena *arena = buf->arena;
	struct set seen = set_in(arena);
	struct value files = value_list_new(arena);
	struct value packages = value_list_new(arena);
	struct value images = value_list_new(arena);

	VEC_EACH (item, &inventory->items) {
		const struct dialect_fetch *fetch = &(*item)->fetch;
		sv source = inventory_source(arena, *item);

		if (sv_eq(fetch->kind, SV("image")))
			value_list_add(arena, &images, value_string(image_reference(arena, fetch)));
		if (sv_eq(fetch->kind, SV("package")) || sv_eq(fetch->kind, SV("repository")))
			value_list_add(arena, &packages,
			               VALUE_MAP(arena, {"kind", tmpl_word(fetch->kind)},
			                         {"name", value_string(fetch->name)},
			                         {"version", value_string_if(fetch->version)},
			                         {"from", value_string_if(sv_empty(fetch->url)
			                                                      ? fetch->from
			                                                      : fetch->url)}));
		if (!inventory_is_file(*item) || !set_add(&seen, source))
			continue;
		if (!sv_eq(fetch->kind, SV("checksum")))
			value_list_add(arena, &files, download(arena, inventory, *item));
	}
	const struct value root =
	    VALUE_MAP(arena, {"files", files}, {"packages", packages}, {"images", images},
	              {"notInventoried",
	               value_strings(arena, inventory->unknown.items, inventory->unknown.count)});
	buf_add(buf, (sv){inventory_scripts[0].text, inventory_scripts[0].len});
	report_form(buf, "mirror", REPORT_SHELL, &root);
}
