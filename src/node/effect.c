/*
 * Lists the effect of a node configuration on a machine, one line each.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "node/node.h"
#include "value/text.h"

static bool is_printable_word(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~' || s.ptr[i] == '"')
			return false;
	return s.len > 0;
}

/* Returns true for one line that a terminal shows as it is. */
static bool is_text(sv s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7F)
			return false;
	return utf8_valid(s);
}

/* Appends the string unchanged if it is one word of printable ASCII, else quoted as Go does. */
static void add_word(struct text *out, const struct value *word)
{
	size_t from = out->buf.len;

	if (is_printable_word(value_text(word))) {
		text_add_value(out, word);
		return;
	}
	go_strconv_quote_add(&out->buf, value_text(word));
	text_mark_taint(out, from, word->taint);
}

static void add_file_effect(struct text *out, const struct value *path, int mode,
                            const struct value *content)
{
	sv bytes = value_text(content);

	TEXT_ADD_LIT(out, "file ");
	add_word(out, path);
	if (mode == NODE_MODE_ABSENT)
		TEXT_ADD_LIT(out, " ----");
	else
		buf_printf(&out->buf, " %04o", (unsigned)mode);
	TEXT_ADD_LIT(out, " ");
	/* Size and digest would reveal something about a secret. */
	size_t from = out->buf.len;
	buf_printf(&out->buf, "%zu sha256:", bytes.len);
	text_add(out, digest_hex(out->buf.arena, DIGEST_SHA256, bytes));
	text_mark_taint(out, from, content->taint);
	TEXT_ADD_LIT(out, "\n");
}

static void add_link(struct text *out, const struct value *path, const struct value *target)
{
	TEXT_ADD_LIT(out, "link ");
	add_word(out, path);
	TEXT_ADD_LIT(out, " ");
	add_word(out, target);
	TEXT_ADD_LIT(out, "\n");
}

static void add_unit_files(struct text *out, const struct node_unit *unit)
{
	struct arena *arena = out->buf.arena;
	const struct value nowhere = value_string(SV("/dev/null"));
	struct value path = node_unit_path(arena, unit, NULL);

	if (unit->mask)
		add_link(out, &path, &nowhere);
	else if (value_is_string(&unit->content))
		add_file_effect(out, &path, NODE_UNIT_FILE_MODE, &unit->content);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		path = node_unit_path(arena, unit, &unit->drop_ins[i]);
		add_file_effect(out, &path, NODE_UNIT_FILE_MODE, &unit->drop_ins[i].content);
	}
}

/* Adds the line of a unit's own settings: enabled or disabled, and its command. */
static void add_unit_wants(struct text *out, const struct node_unit *unit)
{
	if (unit->enable == NODE_ENABLE_UNSAID && sv_empty(unit->command))
		return;
	TEXT_ADD_LIT(out, "unit ");
	add_word(out, &unit->name);
	if (unit->enable != NODE_ENABLE_UNSAID)
		text_add(out, unit->enable == NODE_ENABLE_YES ? SV(" enable") : SV(" disable"));
	if (!sv_empty(unit->command)) {
		const struct value command = value_string(unit->command);

		TEXT_ADD_LIT(out, " ");
		add_word(out, &command);
	}
	TEXT_ADD_LIT(out, "\n");
}

/* Adds the script's lines that are not blank. A line with a secret in it is secret. */
static void add_script_commands(struct text *out, const struct value *script)
{
	sv s = value_text(script);
	size_t next;

	for (size_t at = 0; at < s.len; at = next) {
		size_t feed = sv_find_char(sv_from_offset(s, at), '\n');
		size_t end = feed == SV_NPOS ? s.len : at + feed;
		sv line = sv_trim_space(sv_slice(s, at, end));

		next = end + 1;
		if (sv_empty(line))
			continue;
		size_t from = out->buf.len;
		TEXT_ADD_LIT(out, "run ");
		if (is_text(line))
			text_add(out, line);
		else
			go_strconv_quote_add(&out->buf, line);
		text_mark_taint(out, from, taint_slice(out->buf.arena, script->taint, at, end));
		TEXT_ADD_LIT(out, "\n");
	}
}

static void add_systemctl(struct text *out, const char *verb, const struct value *name)
{
	TEXT_ADD_LIT(out, "run systemctl ");
	text_add(out, sv_from_cstr(verb));
	TEXT_ADD_LIT(out, " ");
	add_word(out, name);
	TEXT_ADD_LIT(out, "\n");
}

static void add_start(struct text *out, const struct node_start *start)
{
	bool is_both = !start->enable_verb && !start->run_verb;
	const char *run = is_both ? "restart" : start->run_verb;

	if (is_both || start->enable_verb)
		add_systemctl(out, is_both ? "enable" : start->enable_verb, &start->name);
	if (run)
		add_systemctl(
		    out,
		    arena_cstr(out->buf.arena, arena_printf(out->buf.arena, "%s%s", run,
		                                            start->no_block ? " --no-block" : "")),
		    &start->name);
}

struct value node_effect(struct arena *arena, const struct node_config *node)
{
	struct text out = text_in(arena);
	const struct node_script *script = node->script;

	for (size_t i = 0; i < node->file_count; i++)
		add_file_effect(&out, &node->files[i].path, node->files[i].mode,
		                &node->files[i].content);
	for (size_t i = 0; i < node->link_count; i++)
		add_link(&out, &node->links[i].path, &node->links[i].target);
	for (size_t i = 0; i < node->unit_count; i++)
		add_unit_files(&out, &node->units[i]);
	for (size_t i = 0; i < node->unit_count; i++)
		add_unit_wants(&out, &node->units[i]);
	if (!script)
		return text_value(arena, &out);
	add_script_commands(&out, &script->before);
	add_script_commands(&out, &script->after);
	for (size_t i = 0; i < script->start_count; i++)
		add_start(&out, &script->starts[i]);
	return text_value(arena, &out);
}
