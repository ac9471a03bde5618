/*
 * The inventory and a mirror: the files that a mirror lacks, and the script that downloads them.
 */
#include "internal.h"

#include "codec/codec.h"
#include "os/os.h"
#include "report/report.h"

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

static enum status check_file(struct sink *sink, sv mirror, const struct inventory_item *item,
                              struct buf *buf, bool *lacks)
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
static enum status read_list(struct arena *arena, struct sink *sink, sv path, struct map *ret_urls)
{
	struct map urls = map_in(arena);
	sv text;

	if (os_read_file(arena, sink, path, LIST_MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;
	while (sv_split_next(&lines, &line))
		map_put(&urls, sv_trim_space(line), &urls);
	*ret_urls = urls;
	return STATUS_OK;
}

enum status inventory_check_mirror(struct arena *arena, struct sink *sink,
                                   const struct inventory *inventory, sv mirror, struct buf *buf,
                                   bool *ret_lacks)
{
	bool is_folder = os_kind(mirror) == OS_FOLDER;
	struct map urls = map_in(arena);
	struct map seen = map_in(arena);
	size_t others = 0;
	size_t checked = 0;
	bool lacks = false;

	if (!is_folder && read_list(arena, sink, mirror, &urls) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (item, &inventory->items) {
		if (!inventory_is_file(*item)) {
			others += sv_eq((*item)->fetch.kind, SV("package")) ||
			          sv_eq((*item)->fetch.kind, SV("image"));
			continue;
		}
		sv source = inventory_source(arena, *item);

		/* Clusters with a mirror and clusters without share one copy in the folder. */
		if (is_folder && map_get(&seen, source))
			continue;
		map_put(&seen, source, *item);
		checked++;
		if (is_folder) {
			if (check_file(sink, mirror, *item, buf, &lacks) != STATUS_OK)
				return STATUS_FAILED;
		} else if (!map_get(&urls, (*item)->fetch.url) &&
		           !map_get(&urls, inventory_bare(arena, (*item)->fetch.url))) {
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

/* Adds a word to a comment. People copy commands from there, so it is quoted too. */
static void add_comment_word(struct buf *buf, sv word)
{
	struct buf visible = buf_in(buf->arena);

	report_add_visible(&visible, word);
	report_add_shell_word(buf, buf_sv(&visible));
}

static void add_download(struct buf *buf, const struct inventory *inventory,
                         const struct inventory_item *item)
{
	sv source = inventory_source(buf->arena, item);
	sv place = inventory_place(source);
	bool is_published =
	    sv_empty(item->fetch.sha256) && inventory_checksum(inventory, item) != NULL;

	if (sv_eq(item->fetch.kind, SV("checksum")))
		return;
	if (sv_empty(place)) {
		BUF_ADD_LIT(buf, "# Has no place in a folder: ");
		add_comment_word(buf, source);
		buf_add_char(buf, '\n');
		return;
	}
	buf_add(buf, is_published ? SV("get_published ") : SV("get "));
	report_add_shell_word(buf, place);
	buf_add_char(buf, ' ');
	report_add_shell_word(buf, source);
	if (!sv_empty(item->fetch.sha256)) {
		buf_add_char(buf, ' ');
		report_add_shell_word(buf, item->fetch.sha256);
	}
	buf_add_char(buf, '\n');
}

static void add_packages(struct buf *buf, const struct inventory *inventory)
{
	BUF_ADD_LIT(buf, "\n# Packages, to be mirrored with their repositories (apt-mirror, dnf "
	                 "reposync --download-metadata):\n");
	VEC_EACH (item, &inventory->items) {
		const struct dialect_fetch *fetch = &(*item)->fetch;

		if (!sv_eq(fetch->kind, SV("package")) && !sv_eq(fetch->kind, SV("repository")))
			continue;
		BUF_ADD_LIT(buf, "#   ");
		buf_add(buf, fetch->kind);
		buf_add_char(buf, ' ');
		add_comment_word(buf, fetch->name);
		if (!sv_empty(fetch->version)) {
			buf_add_char(buf, ' ');
			add_comment_word(buf, fetch->version);
		}
		if (!sv_empty(fetch->url) || !sv_empty(fetch->from)) {
			BUF_ADD_LIT(buf, " from ");
			add_comment_word(buf, sv_empty(fetch->url) ? fetch->from : fetch->url);
		}
		buf_add_char(buf, '\n');
	}
}

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

static void add_images(struct buf *buf, const struct inventory *inventory)
{
	BUF_ADD_LIT(buf,
	            "\n# Images; REGISTRY is the mirror's, containerd chooses the tag of one that "
	            "names none:\n");
	VEC_EACH (item, &inventory->items) {
		sv name = image_reference(buf->arena, &(*item)->fetch);

		if (!sv_eq((*item)->fetch.kind, SV("image")))
			continue;
		BUF_ADD_LIT(buf, "#   skopeo copy --all --preserve-digests ");
		add_comment_word(buf, ARENA_CONCAT(buf->arena, SV("docker://"), name));
		buf_add_char(buf, ' ');
		add_comment_word(buf, ARENA_CONCAT(buf->arena, SV("docker://REGISTRY/"), name));
		buf_add_char(buf, '\n');
	}
}

void inventory_add_script(struct buf *buf, const struct inventory *inventory)
{
	struct map seen = map_in(buf->arena);

	buf_add(buf, (sv){inventory_scripts[0].text, inventory_scripts[0].len});
	buf_add_char(buf, '\n');
	VEC_EACH (item, &inventory->items) {
		sv source = inventory_source(buf->arena, *item);

		if (!inventory_is_file(*item) || map_get(&seen, source))
			continue;
		map_put(&seen, source, *item);
		add_download(buf, inventory, *item);
	}
	add_packages(buf, inventory);
	add_images(buf, inventory);
	VEC_EACH (unit, &inventory->unknown) {
		BUF_ADD_LIT(buf, "# Not inventoried: ");
		add_comment_word(buf, *unit);
		buf_add_char(buf, '\n');
	}
}
