/*
 * Checks of a node configuration that osm-gen's own formats share.
 */
#include "userdata/userdata.h"
#include "userdata/writer.h"

struct position userdata_place(const struct value *text, size_t offset, const struct value *name)
{
	if (text->origin.source)
		return value_text_position(text, offset);
	return value_position(name);
}

void userdata_fail(struct userdata_writer *w, struct userdata_problem problem)
{
	struct position at = userdata_place(problem.text, problem.offset, problem.name);
	sv shown = value_text(problem.name);
	struct diag *diag;

	w->failed = true;
	if (sv_empty(shown) || problem.name->taint || sv_find_char(shown, '\0') != SV_NPOS)
		diag = diag_report(w->sink, DIAG_USERDATA_TEXT, at, "%s: %s", problem.what,
		                   problem.problem);
	else
		diag = diag_report(w->sink, DIAG_USERDATA_TEXT, at, "%s \"%.*s\": %s", problem.what,
		                   SV_ARG(shown), problem.problem);
	diag_set_help(w->sink, diag, "%s", problem.help);
}

/* Checks a string that is written into the user-data unencoded. */
static void check_text(struct userdata_writer *w, const char *what, const struct value *name,
                       const struct value *text)
{
	size_t nul = sv_find_char(value_text(text), '\0');

	if (nul != SV_NPOS)
		userdata_fail(w, (struct userdata_problem){
		                     what, name, text, nul, "the content cannot hold a NUL byte",
		                     "take it out; only files that need not be readable in the "
		                     "user-data may hold any bytes"});
}

static void check_absolute_path(struct userdata_writer *w, const char *what,
                                const struct value *path)
{
	sv s = value_text(path);
	size_t nul = sv_find_char(s, '\0');
	struct userdata_problem problem = {what, path, path,
	                                   0,    NULL, "write the path of a file, from / on"};

	if (nul != SV_NPOS) {
		problem.offset = nul;
		problem.problem = "a path holds no NUL byte";
	} else if (!sv_starts_with(s, SV("/"))) {
		problem.problem = "the path is not absolute";
	} else if (sv_ends_with(s, SV("/")) || sv_ends_with(s, SV("/.")) ||
	           sv_ends_with(s, SV("/.."))) {
		problem.problem = "the path is that of a folder";
	}
	if (problem.problem)
		userdata_fail(w, problem);
}

/* Checks a file name without a folder. */
static void check_file_name(struct userdata_writer *w, const char *what, const struct value *name)
{
	sv s = value_text(name);

	if (sv_empty(s) || sv_find_char(s, '\0') != SV_NPOS || sv_find_char(s, '/') != SV_NPOS ||
	    sv_eq(s, SV(".")) || sv_eq(s, SV("..")))
		userdata_fail(w, (struct userdata_problem){what, name, name, 0,
		                                           "this is not a valid file name",
		                                           "write it without / and NUL bytes"});
}

static void check_link(struct userdata_writer *w, const struct node_link *link)
{
	check_absolute_path(w, "link", &link->path);
	check_text(w, "link", &link->path, &link->target);
	if (sv_empty(value_text(&link->target)))
		userdata_fail(w, (struct userdata_problem){"link", &link->path, &link->target, 0,
		                                           "the link has no target",
		                                           "write the path that it leads to"});
}

/* ---- members without a place in the format ----------------------------------------------- */

static void refuse_member(struct userdata_writer *w, const char *what, const struct value *text,
                          const char *problem)
{
	static const struct value no_name;

	userdata_fail(w, (struct userdata_problem){what, &no_name, text, 0, problem,
	                                           "leave it out, or choose another format"});
}

static void refuse_text(struct userdata_writer *w, const char *what, const struct value *text,
                        const char *problem)
{
	if (!sv_empty(value_text(text)))
		refuse_member(w, what, text, problem);
}

static void check_places(struct userdata_writer *w, const struct node_config *node, unsigned places)
{
	const struct node_script *script = node->script;

	if (script && !(places & USERDATA_SCRIPT)) {
		refuse_text(w, "script", &script->before, "this format runs no commands");
		refuse_text(w, "script", &script->after, "this format runs no commands");
		for (size_t i = 0; i < script->start_count; i++)
			refuse_member(w, "unit", &script->starts[i].name,
			              "this format starts no units by commands");
	}
	for (size_t i = 0; i < node->link_count && !(places & USERDATA_LINKS); i++)
		refuse_member(w, "link", &node->links[i].path, "this format has no links");
	if (!(places & USERDATA_CLOUD_CONFIG))
		refuse_text(w, "cloudInit", &node->cloud_config,
		            "only the format cloud-config supports it");
	if (!(places & USERDATA_REBOOT))
		refuse_text(w, "rebootStrategy", &node->reboot_strategy,
		            "only the format coreos-cloud-config supports it");
}

/* ------------------------------------------------------------------------------------------ */

void userdata_check_utf8(struct userdata_writer *w, const char *what, const struct value *name,
                         const struct value *text)
{
	sv s = value_text(text);
	size_t width;
	size_t at = 0;

	if (utf8_valid(s))
		return;
	while (utf8_decode_at(s, at, &width) != UTF8_REPLACEMENT || width != 1)
		at += width;
	userdata_fail(w, (struct userdata_problem){
	                     what, name, text, at,
	                     "the content is not UTF-8, and the format cannot hold other bytes",
	                     "write it in UTF-8"});
}

void userdata_check_node(struct userdata_writer *w, const struct node_config *node, unsigned places)
{
	/* Only Kubermatic's dialect sets these, and it uses only Kubermatic's two formats. */
	BUG_ON(!sv_empty(value_text(&node->hostname)) || node->upgrade_packages ||
	       node->ssh_key_count > 0 || node->modules);
	for (size_t i = 0; i < node->file_count; i++) {
		const struct node_file *file = &node->files[i];

		check_absolute_path(w, "file", &file->path);
		if (file->is_transparent)
			check_text(w, "file", &file->path, &file->content);
	}
	for (size_t i = 0; i < node->link_count; i++)
		check_link(w, &node->links[i]);
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct node_unit *unit = &node->units[i];

		check_file_name(w, "unit", &unit->name);
		for (size_t j = 0; j < unit->drop_in_count; j++)
			check_file_name(w, "drop-in", &unit->drop_ins[j].name);
	}
	const struct node_script *script = node->script;
	if (script) {
		check_text(w, "script", &script->before, &script->before);
		check_text(w, "script", &script->after, &script->after);
	}
	for (size_t i = 0; script && i < script->start_count; i++)
		check_file_name(w, "unit", &script->starts[i].name);
	check_places(w, node, places);
}
