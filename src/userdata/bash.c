/*
 * Writes a bash script (docs/spec/userdata.md 6.2). It runs the commands of struct node_script and
 * adds none: a daemon-reload happens only if node_script has it.
 *
 * One function of the script writes each file from its standard input, which is base64, or a quoted
 * here-document if the content must be readable. The shell never expands any part of a content.
 */
#include "userdata/userdata.h"
#include "userdata/writer.h"

static const sv shebang = SV_INIT("#!/bin/bash\n");

static const sv guard = SV_INIT("if [ -e /var/lib/osc/provision-osc-applied ]; then\n"
                                "  echo 'Provision OSC already applied, exiting...'\n"
                                "  exit 0\n"
                                "fi\n");

static const sv mark = SV_INIT("mkdir -p /var/lib/osc\n"
                               "touch /var/lib/osc/provision-osc-applied\n");

/* Writes to a temporary file in the same folder, readable by root alone, then renames it. */
static const sv put_function = SV_INIT(
    "# PATH MODE COMMAND...: what the command prints becomes the file, or the script ends.\n"
    "osc_put() {\n"
    "  local path=$1 mode=$2 new\n"
    "  shift 2\n"
    "  (umask 0022 && mkdir -p \"${path%/*}/\") || exit 1\n"
    "  new=$(mktemp \"${path%/*}/.osc.XXXXXXXX\") || exit 1\n"
    "  \"$@\" >\"$new\" && chmod \"$mode\" \"$new\" && mv -fT \"$new\" \"$path\" && return\n"
    "  rm -f \"$new\"\n"
    "  exit 1\n"
    "}\n");

static const sv link_function =
    SV_INIT("# PATH TARGET: a symbolic link, or the script ends.\n"
            "osc_link() {\n"
            "  (umask 0022 && mkdir -p \"${1%/*}/\") && ln -sfT -- \"$2\" \"$1\" || exit 1\n"
            "}\n");

/* ---- files --------------------------------------------------------------------------------- */

/*
 * Returns a word that does not occur in the content. If the first choice occurs in a content that
 * has secrets, the word that is written reveals that. The whole script is then as secret as they
 * are.
 */
static sv delimiter_for(struct userdata_writer *w, const struct value *text)
{
	sv delimiter = SV("OSC_TEXT");

	for (unsigned n = 2; sv_contains(value_text(text), delimiter); n++) {
		delimiter = arena_printf(w->arena, "OSC_TEXT_%u", n);
		if (text->taint)
			text_mark_derived(&w->out, w->out.buf.len, taint_secret(text->taint));
	}
	return delimiter;
}

/* Adds a line break, which `head` removes again, so that the text need not end with one. */
static void add_readable(struct userdata_writer *w, const struct value *text)
{
	sv delimiter = delimiter_for(w, text);

	TEXT_ADD_LIT(&w->out, " head -c -1 <<'");
	text_add(&w->out, delimiter);
	TEXT_ADD_LIT(&w->out, "'\n");
	text_add_value(&w->out, text);
	TEXT_ADD_LIT(&w->out, "\n");
	text_add(&w->out, delimiter);
	TEXT_ADD_LIT(&w->out, "\n");
}

static void add_bash_file(struct userdata_writer *w, const struct node_file *file)
{
	int mode = file->mode == NODE_MODE_ABSENT ? NODE_FILE_MODE : file->mode;

	TEXT_ADD_LIT(&w->out, "osc_put ");
	shell_add_word(w, &file->path);
	buf_printf(&w->out.buf, " %04o", (unsigned)mode);
	if (file->is_transparent) {
		add_readable(w, &file->content);
		return;
	}
	TEXT_ADD_LIT(&w->out, " base64 -d <<<'");
	base64_add_value(w, &file->content);
	TEXT_ADD_LIT(&w->out, "'\n");
}

/* ---- links and units ----------------------------------------------------------------------- */

static void add_link(struct userdata_writer *w, const struct value *path,
                     const struct value *target)
{
	TEXT_ADD_LIT(&w->out, "osc_link ");
	shell_add_word(w, path);
	TEXT_ADD_LIT(&w->out, " ");
	shell_add_word(w, target);
	TEXT_ADD_LIT(&w->out, "\n");
}

static void add_unit_file(struct userdata_writer *w, const struct value *path,
                          const struct value *content)
{
	const struct node_file file = {
	    .path = *path, .mode = NODE_UNIT_FILE_MODE, .content = *content};

	add_bash_file(w, &file);
}

static void add_bash_unit(struct userdata_writer *w, const struct node_unit *unit)
{
	struct value path = node_unit_path(w->arena, unit, NULL);
	const struct value nowhere = value_string(SV("/dev/null"));

	if (unit->mask)
		add_link(w, &path, &nowhere);
	else if (value_is_string(&unit->content))
		add_unit_file(w, &path, &unit->content);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		path = node_unit_path(w->arena, unit, &unit->drop_ins[i]);
		add_unit_file(w, &path, &unit->drop_ins[i].content);
	}
}

/* ---- the script ---------------------------------------------------------------------------- */

static void add_functions(struct userdata_writer *w, const struct node_config *node)
{
	bool puts = node->file_count > 0;
	bool links = node->link_count > 0;

	for (size_t i = 0; i < node->unit_count; i++) {
		const struct node_unit *unit = &node->units[i];

		links |= unit->mask;
		puts |= unit->drop_in_count > 0 || (!unit->mask && value_is_string(&unit->content));
	}
	if (puts)
		text_add(&w->out, put_function);
	if (links)
		text_add(&w->out, link_function);
}

enum status userdata_bash(struct arena *arena, struct sink *sink, const struct node_config *node,
                          struct value *ret_text)
{
	static const struct node_script no_script;
	struct userdata_writer w = {.arena = arena, .sink = sink, .out = text_in(arena)};
	const struct node_script *script = node->script ? node->script : &no_script;

	userdata_check_node(&w, node, USERDATA_SCRIPT | USERDATA_LINKS);
	if (w.failed)
		return STATUS_FAILED;
	text_add(&w.out, shebang);
	if (script->once)
		text_add(&w.out, guard);
	shell_add_lines(&w, &script->before);
	add_functions(&w, node);
	for (size_t i = 0; i < node->file_count; i++)
		add_bash_file(&w, &node->files[i]);
	for (size_t i = 0; i < node->link_count; i++)
		add_link(&w, &node->links[i].path, &node->links[i].target);
	for (size_t i = 0; i < node->unit_count; i++)
		add_bash_unit(&w, &node->units[i]);
	shell_add_lines(&w, &script->after);
	for (size_t i = 0; i < script->start_count; i++) {
		shell_add_start(&w, &script->starts[i]);
		TEXT_ADD_LIT(&w.out, "\n");
	}
	if (script->once && script->settles)
		TEXT_ADD_LIT(&w.out,
		             "# A power cut must not leave empty files that count as written.\n"
		             "sync\n");
	if (script->once)
		text_add(&w.out, mark);
	*ret_text = text_value(arena, &w.out);
	return STATUS_OK;
}
