/*
 * Words and commands for a shell, used by several formats.
 */
#include "userdata/writer.h"

/* Adds the text with each single quote as '\'', to be put between single quotes. */
static void add_shell_escaped(struct text *out, sv text)
{
	struct sv_splitter it = sv_split(text, '\'');
	bool first = true;
	sv part;

	while (!sv_empty(text) && sv_split_next(&it, &part)) {
		if (!first)
			TEXT_ADD_LIT(out, "'\\''");
		text_add(out, part);
		first = false;
	}
}

void shell_add_word(struct userdata_writer *w, const struct value *text)
{
	sv s = value_text(text);
	size_t at = 0;

	TEXT_ADD_LIT(&w->out, "'");
	for (size_t i = 0; text->taint && i < text->taint->count; i++) {
		const struct taint_span *span = &text->taint->spans[i];

		add_shell_escaped(&w->out, sv_slice(s, at, span->start));
		size_t from = w->out.buf.len;
		add_shell_escaped(&w->out, sv_slice(s, span->start, span->end));
		text_mark_secret(&w->out, from, span->secret);
		at = span->end;
	}
	if (taint_derived_from(text->taint))
		text_mark_taint(&w->out, w->out.buf.len, text->taint);
	add_shell_escaped(&w->out, sv_from_offset(s, at));
	TEXT_ADD_LIT(&w->out, "'");
}

static void add_systemctl(struct userdata_writer *w, const char *verb, const char *option,
                          const struct value *name)
{
	TEXT_ADD_LIT(&w->out, "systemctl ");
	text_add(&w->out, sv_from_cstr(verb));
	text_add(&w->out, sv_from_cstr(option));
	/* A name such as -.mount looks like an option. */
	text_add(&w->out, sv_starts_with(value_text(name), SV("-")) ? SV(" -- ") : SV(" "));
	shell_add_word(w, name);
}

void shell_add_start(struct userdata_writer *w, const struct node_start *start)
{
	bool is_both = !start->enable_verb && !start->run_verb;
	const char *enable = is_both ? "enable" : start->enable_verb;
	const char *run = is_both ? "restart" : start->run_verb;

	if (enable)
		add_systemctl(w, enable, "", &start->name);
	if (enable && run)
		TEXT_ADD_LIT(&w->out, " && ");
	if (run)
		add_systemctl(w, run, start->no_block ? " --no-block" : "", &start->name);
}

void shell_add_link(struct userdata_writer *w, const struct value *path, const struct value *target)
{
	size_t end = sv_rfind_char(value_text(path), '/') + 1;
	struct value folder = *path;

	folder.string = sv_slice(value_text(path), 0, end);
	folder.taint = taint_slice(w->arena, path->taint, 0, end);
	TEXT_ADD_LIT(&w->out, "mkdir -p ");
	shell_add_word(w, &folder);
	TEXT_ADD_LIT(&w->out, " && ln -sfT -- ");
	shell_add_word(w, target);
	TEXT_ADD_LIT(&w->out, " ");
	shell_add_word(w, path);
}

void shell_add_lines(struct userdata_writer *w, const struct value *text)
{
	sv s = value_text(text);

	text_add_value(&w->out, text);
	if (!sv_empty(s) && !sv_ends_with(s, SV("\n")))
		TEXT_ADD_LIT(&w->out, "\n");
}
