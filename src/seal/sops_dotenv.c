/*
 * SOPS files in the formats dotenv, whose sops block is KEY=VALUE lines too, and binary, which is
 * JSON around one string. They hold no manifests; the command unseal reads them.
 */
#include "seal/seal.h"

#define PREFIX "sops_"

/* ---- dotenv ------------------------------------------------------------------------------ */

bool seal_is_dotenv(sv text)
{
	return sv_starts_with(text, SV(PREFIX "mac=")) || sv_contains(text, SV("\n" PREFIX "mac="));
}

struct reader {
	struct arena *arena; /* secret */
	struct sink *sink;
	const struct source *source;
	struct value root;
	struct value block;
	bool failed;
};

static void report_line(struct reader *reader, sv line, const char *what)
{
	struct position at = {reader->source, (size_t)(line.ptr - reader->source->text.ptr),
	                      line.len};
	struct diag *diag = diag_report(reader->sink, DIAG_SOPS_FORMAT, at, "%s", what);

	diag_set_help(reader->sink, diag, "decrypt and encrypt the file again with sops");
	reader->failed = true;
}

/* "\n" stands for a line break, and nothing else for anything else. */
static struct value line_value(struct reader *reader, sv text)
{
	struct buf out = buf_in(reader->arena);
	struct value v;
	sv rest = text;
	sv part;

	while (sv_cut(rest, SV("\\n"), &part, &rest)) {
		buf_add(&out, part);
		buf_add_char(&out, '\n');
	}
	buf_add(&out, part);
	v = value_string(buf_sv(&out));
	v.origin = (struct origin){
	    .source = reader->source,
	    .offset = (uint32_t)(text.ptr - reader->source->text.ptr),
	    .length = (uint32_t)text.len,
	};
	return v;
}

/* Reads the N of "list_N"; returns false for another name. */
static bool list_place(sv part, size_t *ret_place)
{
	int64_t number;

	if (!sv_starts_with(part, SV("list_")) ||
	    !sv_parse_int64(sv_from_offset(part, SV("list_").len), &number) || number < 0)
		return false;
	*ret_place = (size_t)number;
	return true;
}

/* "age__list_0__map_enc" is age[0].enc; deeper ones belong to key groups. */
static void set_in_list(struct reader *reader, sv line, sv key, struct value v)
{
	struct value *list;
	size_t place;
	sv name;
	sv rest;
	sv part;

	sv_cut(key, SV("__"), &name, &rest);
	if (!sv_cut(rest, SV("__map_"), &part, &rest) || !list_place(part, &place)) {
		report_line(reader, line, "sops writes no line of this name into its block");
		return;
	}
	list = value_map_get_mutable(&reader->block, name);
	if (!list) {
		value_map_set(reader->arena, &reader->block, name, value_list_new(reader->arena));
		list = value_map_get_mutable(&reader->block, name);
	}
	if (!value_is_list(list) || place > value_count(list)) {
		report_line(reader, line, "a list in the sops block skips an index");
		return;
	}
	if (place == value_count(list))
		value_list_add(reader->arena, list, value_map_new(reader->arena));
	value_map_set(reader->arena, value_item_mutable(list, place), rest, v);
}

static void set_in_block(struct reader *reader, sv line, sv key, struct value v)
{
	if (sv_contains(key, SV("__")))
		set_in_list(reader, line, key, v);
	else if (sv_eq(key, SV("mac_only_encrypted")))
		value_map_set(reader->arena, &reader->block, key,
		              value_bool(sv_eq(v.string, SV("true"))));
	else
		value_map_set(reader->arena, &reader->block, key, v);
}

static void read_line(struct reader *reader, sv line)
{
	sv key;
	sv text;

	/* Comments, sealed ones too, are not part of the MAC. */
	if (sv_empty(line) || line.ptr[0] == '#')
		return;
	if (!sv_cut(line, SV("="), &key, &text) || sv_empty(key)) {
		report_line(reader, line, "this line is neither KEY=VALUE nor a comment");
		return;
	}
	struct value v = line_value(reader, text);
	if (sv_starts_with(key, SV(PREFIX)))
		set_in_block(reader, line, sv_from_offset(key, SV(PREFIX).len), v);
	else if (value_map_get(&reader->root, key))
		report_line(reader, line, "this key occurs twice");
	else
		value_map_set(reader->arena, &reader->root, key, v);
}

enum status seal_dotenv_parse(struct arena *secret_arena, struct sink *sink,
                              const struct source *source, struct value *ret_document)
{
	struct reader reader = {
	    .arena = secret_arena,
	    .sink = sink,
	    .source = source,
	    .root = value_map_new(secret_arena),
	    .block = value_map_new(secret_arena),
	};
	struct sv_splitter lines = sv_split(source->text, '\n');
	sv line;

	while (sv_split_next(&lines, &line))
		read_line(&reader, line);
	if (reader.failed)
		return STATUS_FAILED;
	reader.block.origin = (struct origin){.source = source};
	value_map_set(secret_arena, &reader.root, SV("sops"), reader.block);
	*ret_document = reader.root;
	return STATUS_OK;
}

void seal_dotenv_add(struct buf *buf, const struct value *document)
{
	for (size_t i = 0; i < value_count(document); i++) {
		const struct value_entry *entry = &document->map->entries[i];
		sv rest = value_text(&entry->value);
		sv part;

		buf_add(buf, entry->key);
		buf_add_char(buf, '=');
		while (sv_cut(rest, SV("\n"), &part, &rest)) {
			buf_add(buf, part);
			BUF_ADD_LIT(buf, "\\n");
		}
		buf_add(buf, part);
		buf_add_char(buf, '\n');
	}
}

/* ---- binary ------------------------------------------------------------------------------ */

bool seal_is_binary(const struct value *document)
{
	const struct value *data = value_map_get(document, SV("data"));

	return seal_is_sealed(document) && value_count(document) == 2 && value_is_string(data);
}
