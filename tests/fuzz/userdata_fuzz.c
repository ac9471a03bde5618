/*
 * The formats that write what a node configuration says: what each wrote is read back, by a shell's
 * rules of quoting, as YAML, as JSON or as MIME, and is the same to the byte; what it does not
 * write it reports.
 *
 * Input: flags, then path, unit's name, drop-in's name and content, with NUL between; the content
 * may hold NUL.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "userdata/userdata.h"
#include "yaml/yaml.h"
#include "json/json.h"

enum { FLAG_TRANSPARENT = 1, FLAG_MASK = 2, FLAG_DROP_IN = 4, FLAG_ONCE = 8, FLAG_UNIT = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What should be found, in the order of writing. */
struct wanted {
	sv path;
	sv content; /* of a link the target */
	bool is_link;
};

struct check {
	struct arena *arena;
	struct wanted wanted[8];
	size_t count;
};

static void want(struct check *check, sv path, sv content, bool is_link)
{
	check->wanted[check->count++] = (struct wanted){path, content, is_link};
}

/* Each must be found once. */
static void found(struct check *check, sv path, sv content, bool is_link)
{
	for (size_t i = 0; i < check->count; i++) {
		struct wanted *w = &check->wanted[i];

		if (!sv_eq(w->path, path) || !sv_eq(w->content, content) || w->is_link != is_link)
			continue;
		check->wanted[i] = check->wanted[--check->count];
		return;
	}
	BUG("what was written is not what was asked for");
}

static sv decoded(struct arena *arena, sv base64)
{
	sv bytes;

	if (!base64_decode_canonical(arena, BASE64_STD, base64, &bytes))
		BUG("no base64");
	return bytes;
}

/* ---- bash ------------------------------------------------------------------------------------ */

static bool take(sv *rest, sv prefix)
{
	if (!sv_starts_with(*rest, prefix))
		return false;
	*rest = sv_from_offset(*rest, prefix.len);
	return true;
}

/* A word of the shell: quoted parts, and quotes behind a backslash. */
static sv take_word(struct arena *arena, sv *rest)
{
	struct buf word = buf_in(arena);

	for (;;) {
		if (take(rest, SV("'"))) {
			size_t end = sv_find_char(*rest, '\'');

			BUG_ON(end == SV_NPOS);
			buf_add(&word, sv_slice(*rest, 0, end));
			*rest = sv_from_offset(*rest, end + 1);
		} else if (take(rest, SV("\\'"))) {
			buf_add_char(&word, '\'');
		} else {
			return buf_sv(&word);
		}
	}
}

/* The lines up to that of the delimiter, without the last line break, as `head -c -1` has it. */
static sv take_document(sv *rest)
{
	size_t quote = sv_find_char(*rest, '\'');
	sv delimiter = sv_slice(*rest, 0, quote);
	sv text = sv_from_offset(*rest, quote + 2);

	for (size_t at = 0; at < text.len;) {
		size_t feed = sv_find_char(sv_from_offset(text, at), '\n');

		BUG_ON(feed == SV_NPOS);
		if (sv_eq(sv_slice(text, at, at + feed), delimiter)) {
			BUG_ON(at == 0);
			*rest = sv_from_offset(text, at + feed + 1);
			return sv_slice(text, 0, at - 1);
		}
		at += feed + 1;
	}
	BUG("a here-document without end");
}

static void check_bash(struct check *check, sv text)
{
	size_t functions = sv_find(text, SV("\n}\n"));
	sv rest = sv_from_offset(text, functions == SV_NPOS ? 0 : functions + 3);

	if (take(&rest, SV("# PATH TARGET"))) {
		functions = sv_find(rest, SV("\n}\n"));
		rest = sv_from_offset(rest, functions + 3);
	}
	for (;;) {
		if (take(&rest, SV("osc_put "))) {
			sv path = take_word(check->arena, &rest);

			rest = sv_from_offset(rest, 5); /* the mode */
			if (take(&rest, SV(" base64 -d <<<")))
				found(check, path,
				      decoded(check->arena, take_word(check->arena, &rest)), false);
			else if (take(&rest, SV(" head -c -1 <<'")))
				found(check, path, take_document(&rest), false);
			else
				BUG("a file is written in another way");
			(void)take(&rest, SV("\n"));
		} else if (take(&rest, SV("osc_link "))) {
			sv path = take_word(check->arena, &rest);

			BUG_ON(!take(&rest, SV(" ")));
			found(check, path, take_word(check->arena, &rest), true);
			BUG_ON(!take(&rest, SV("\n")));
		} else {
			break;
		}
	}
	BUG_ON(!sv_eq(rest, SV("")) && !sv_starts_with(rest, SV("mkdir -p /var/lib/osc\n")));
}

/* ---- YAML and JSON -----------------------------------------------------------------------------
 */

static struct value yaml_of(struct arena *arena, sv text)
{
	struct sink sink = sink_in(arena);
	struct yml_documents documents;

	if (yml_parse(arena, &sink, source_new(arena, SV("out"), text, false), &documents) !=
	    STATUS_OK)
		BUG("no YAML");
	BUG_ON(documents.count != 1);
	return documents.items[0].root;
}

static void check_write_files(struct check *check, const struct value *root)
{
	const struct value *files = value_map_get(root, SV("write_files"));

	for (size_t i = 0; i < value_count(files); i++) {
		const struct value *file = value_item(files, i);
		const struct value *content = value_map_get(file, SV("content"));

		BUG_ON(!value_is_string(content));
		found(check, value_text(value_map_get(file, SV("path"))),
		      value_map_get(file, SV("encoding"))
		          ? decoded(check->arena, value_text(content))
		          : value_text(content),
		      false);
	}
}

/* Links are commands: "mkdir -p 'FOLDER' && ln -sfT -- 'TARGET' 'PATH'". */
static void check_cloud_config(struct check *check, sv text)
{
	struct value root = yaml_of(check->arena, text);
	const struct value *commands = value_map_get(&root, SV("runcmd"));

	check_write_files(check, &root);
	for (size_t i = 0; i < value_count(commands); i++) {
		sv rest = value_text(value_item(commands, i));

		if (!take(&rest, SV("mkdir -p ")))
			continue;
		(void)take_word(check->arena, &rest);
		BUG_ON(!take(&rest, SV(" && ln -sfT -- ")));
		sv target = take_word(check->arena, &rest);
		BUG_ON(!take(&rest, SV(" ")));
		found(check, take_word(check->arena, &rest), target, true);
		BUG_ON(!sv_empty(rest));
	}
}

static sv unit_path(struct arena *arena, const struct value *unit, const struct value *drop_in)
{
	sv name = value_text(value_map_get(unit, SV("name")));

	if (!drop_in)
		return ARENA_CONCAT(arena, SV("/etc/systemd/system/"), name);
	return ARENA_CONCAT(arena, SV("/etc/systemd/system/"), name, SV(".d/"),
	                    value_text(value_map_get(drop_in, SV("name"))));
}

/* Units of CoreOS' cloud-config, and of Ignition with other words. */
static void check_units(struct check *check, const struct value *units, sv content, sv drop_ins)
{
	for (size_t i = 0; i < value_count(units); i++) {
		const struct value *unit = value_item(units, i);
		const struct value *list = value_map_get(unit, drop_ins);

		if (value_map_get(unit, SV("mask")))
			found(check, unit_path(check->arena, unit, NULL), SV("/dev/null"), true);
		if (value_map_get(unit, content))
			found(check, unit_path(check->arena, unit, NULL),
			      value_text(value_map_get(unit, content)), false);
		for (size_t k = 0; k < value_count(list); k++)
			found(check, unit_path(check->arena, unit, value_item(list, k)),
			      value_text(value_map_get(value_item(list, k), content)), false);
	}
}

static void check_coreos(struct check *check, sv text)
{
	struct value root = yaml_of(check->arena, text);

	BUG_ON(sv_contains(text, SV("$private_ipv4")) || sv_contains(text, SV("$public_ipv4")));
	check_write_files(check, &root);
	check_units(check, value_path(&root, "coreos.units"), SV("content"), SV("drop_ins"));
}

static void check_ignition(struct check *check, sv text)
{
	struct sink sink = sink_in(check->arena);
	struct value root;

	if (json_parse(check->arena, &sink, source_new(check->arena, SV("out"), text, false),
	               &root) != STATUS_OK)
		BUG("no JSON");
	const struct value *files = value_path(&root, "storage.files");
	for (size_t i = 0; i < value_count(files); i++) {
		sv source = value_text(value_path(value_item(files, i), "contents.source"));
		sv error;
		sv bytes;

		if (take(&source, SV("data:;base64,")))
			bytes = decoded(check->arena, source);
		else if (!take(&source, SV("data:,")) || sv_find_char(source, '+') != SV_NPOS ||
		         !go_url_query_unescape(check->arena, source, &bytes, &error))
			BUG("no data URL");
		found(check, value_text(value_map_get(value_item(files, i), SV("path"))), bytes,
		      false);
	}
	check_units(check, value_path(&root, "systemd.units"), SV("contents"), SV("dropins"));
}

/* ---- MIME
 * ---------------------------------------------------------------------------------------- */

static sv unquoted_printable(struct arena *arena, sv text)
{
	struct buf out = buf_in(arena);
	sv byte;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '=') {
			buf_add_char(&out, text.ptr[i]);
			continue;
		}
		if (!hex_decode(arena, sv_slice(text, i + 1, i + 3), &byte) || byte.len != 1)
			BUG("no quoted-printable");
		buf_add(&out, byte);
		i += 2;
	}
	return buf_sv(&out);
}

static void check_multipart(struct arena *arena, const struct value *content)
{
	const struct userdata_part parts[] = {{SV("text/x-a"), *content},
	                                      {SV("text/x-b"), *content}};
	sv rest = userdata_multipart(arena, parts, 2).string;
	sv head;
	sv boundary;

	BUG_ON(!take(&rest, SV("Content-Type: multipart/mixed; boundary=\"")));
	BUG_ON(!sv_cut(rest, SV("\"\nMIME-Version: 1.0\n"), &boundary, &rest));
	sv delimiter = ARENA_CONCAT(arena, SV("\n--"), boundary);
	BUG_ON(!sv_cut(rest, delimiter, &head, &rest) || !sv_empty(head));
	for (size_t i = 0; i < 2; i++) {
		sv part;

		BUG_ON(!sv_cut(rest, delimiter, &part, &rest));
		BUG_ON(!sv_cut(part, SV("\n\n"), &head, &part));
		if (sv_contains(head, SV("quoted-printable")))
			part = unquoted_printable(arena, part);
		BUG_ON(!sv_eq(part, content->string));
	}
	BUG_ON(!sv_eq(rest, SV("--\n")));
}

/* ---- all of them
 * --------------------------------------------------------------------------------- */

/* What a format that was given the node must have written. */
static void check_format(struct arena *arena, const struct userdata_format *format,
                         const struct node_config *node)
{
	struct check check = {.arena = arena};
	struct sink sink = sink_in(arena);
	struct value text;

	for (size_t i = 0; i < node->file_count; i++)
		want(&check, node->files[i].path.string, node->files[i].content.string, false);
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct node_unit *unit = &node->units[i];
		sv path = node_unit_path(arena, unit, NULL).string;

		want(&check, path, unit->mask ? SV("/dev/null") : unit->content.string, unit->mask);
		for (size_t k = 0; k < unit->drop_in_count; k++)
			want(&check, node_unit_path(arena, unit, &unit->drop_ins[k]).string,
			     unit->drop_ins[k].content.string, false);
	}
	if (format->write(arena, &sink, node, &text) != STATUS_OK) {
		BUG_ON(sink.error_count == 0);
		return;
	}
	BUG_ON(sink.error_count > 0);
	if (sv_eq(format->name, SV("bash")))
		check_bash(&check, text.string);
	else if (sv_eq(format->name, SV("cloud-config")))
		check_cloud_config(&check, text.string);
	else if (sv_eq(format->name, SV("coreos-cloud-config")))
		check_coreos(&check, text.string);
	else
		check_ignition(&check, text.string);
	BUG_ON(check.count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	sv parts[4] = {0};
	sv name;

	if (size == 0)
		return 0;
	unsigned flags = data[0];
	sv rest = sv_from((const char *)data + 1, size - 1);
	for (size_t i = 0; i < 3; i++) {
		size_t end = sv_find_char(rest, '\0');

		parts[i] = sv_slice(rest, 0, end);
		rest = sv_from_offset(rest, end == SV_NPOS ? rest.len : end + 1);
	}
	parts[3] = rest;
	struct node_file file = {.path = value_string(parts[0]),
	                         .mode = 0600,
	                         .content = value_string(parts[3]),
	                         .is_transparent = flags & FLAG_TRANSPARENT};
	struct node_drop_in drop_in = {value_string(parts[2]), value_string(parts[3])};
	struct node_unit unit = {.name = value_string(parts[1]),
	                         .mask = flags & FLAG_MASK,
	                         .content = value_string(parts[3]),
	                         .drop_ins = &drop_in,
	                         .drop_in_count = flags & FLAG_DROP_IN ? 1 : 0};
	const struct node_script script = {.once = flags & FLAG_ONCE};
	const struct node_config node = {
	    .files = &file,
	    .file_count = 1,
	    .units = &unit,
	    .unit_count = flags & FLAG_UNIT ? 1 : 0,
	    .script = &script,
	};
	struct sv_splitter it = sv_split(SV(USERDATA_FORMATS), '|');
	while (sv_split_next(&it, &name))
		check_format(arena, userdata_format_find(name), &node);
	check_multipart(arena, &file.content);
	(void)node_effect(arena, &node);
	return 0;
}
