/*
 * Warns of placeholders that machines would get unchanged: template actions that nothing renders,
 * and variables that Flux or envsubst would fill in. The controller accepts both.
 */
#include "osm/unfilled.h"

#include "osm/data_types.h"

/* ---- actions of templates ---------------------------------------------------------------- */

static bool is_word_char(char c)
{
	return c == '_' || ascii_is_alphanumeric((uint8_t)c);
}

static size_t word_length(sv text)
{
	size_t len = 0;

	while (len < text.len && is_word_char(text.ptr[len]))
		len++;
	return len;
}

/* Returns true if the data's type, or one embedded in it, has a field of this name. */
static bool has_field(const struct type *type, sv name)
{
	while (type->kind == KIND_POINTER)
		type = type->elem;
	for (size_t i = 0; i < type->field_count; i++) {
		const struct type_field *field = &type->fields[i];

		if (field->embedded ? has_field(field->type, name) : sv_eq(field->name, name))
			return true;
	}
	return false;
}

/* Returns true if an action reads a field of the data: .Token, $.Token. */
static bool reads_data(sv action)
{
	for (size_t i = 0; i < action.len; i++) {
		bool begins = i == 0 || !(is_word_char(action.ptr[i - 1]) ||
		                          action.ptr[i - 1] == '.' || action.ptr[i - 1] == ')');
		sv rest = sv_from_offset(action, i + 1);

		if (action.ptr[i] == '.' && begins &&
		    has_field(osm_type_files_data_ptr.elem, sv_slice(rest, 0, word_length(rest))))
			return true;
	}
	return false;
}

/* Returns true if an action calls one of the profile's templates: template "NAME". */
static bool calls_template(const struct tmpl_profile *templates, sv action)
{
	sv rest = action;
	sv name;

	if (sv_starts_with(rest, SV("-")))
		rest = sv_from_offset(rest, 1);
	rest = sv_trim_space(rest);
	if (!sv_starts_with(rest, SV("template")))
		return false;
	rest = sv_trim_space(sv_from_offset(rest, strlen("template")));
	if (!sv_starts_with(rest, SV("\"")) ||
	    !sv_cut(sv_from_offset(rest, 1), SV("\""), &name, &rest))
		return false;
	return templates && tmpl_profile_has_template(templates, name);
}

/* Returns true if a byte of the range belongs to a secret. */
static bool is_secret(const struct value *text, size_t from, size_t to)
{
	for (size_t i = 0; text->taint && i < text->taint->count; i++)
		if (text->taint->spans[i].start < to && text->taint->spans[i].end > from)
			return true;
	return false;
}

/*
 * Finds the first action in a string that reads the data or calls a template. Other actions belong
 * to other programs, such as the formats of crictl and kubectl. Skips parts that are derived from a
 * secret, since a finding would reveal something of the secret.
 */
static bool find_action(const struct tmpl_profile *templates, const struct value *text,
                        size_t *ret_at, sv *ret_action)
{
	sv s = value_text(text);
	size_t from = 0;

	if (taint_derived_from(text->taint))
		return false;
	for (;;) {
		size_t found = sv_find(sv_from_offset(s, from), SV("{{"));
		if (found == SV_NPOS)
			return false;
		size_t start = from + found;
		size_t length = sv_find(sv_from_offset(s, start), SV("}}"));
		if (length == SV_NPOS)
			return false;
		sv inside = sv_slice(s, start + 2, start + length);
		from = start + 2;
		if (sv_find_char(inside, '\n') != SV_NPOS ||
		    is_secret(text, start, start + length + 2) ||
		    !(reads_data(inside) || calls_template(templates, inside)))
			continue;
		*ret_at = start;
		*ret_action = sv_slice(s, start, start + length + 2);
		return true;
	}
}

static void check_file(const struct osm_unfilled_check *check, size_t index,
                       const struct osm_rendered_file *file)
{
	size_t offset;
	sv action;

	if (!find_action(check->templates, &file->data, &offset, &action))
		return;
	struct position at = tmpl_profile_trace(check->arena, check->templates, check->data,
	                                        check->options, index, offset);
	if (!at.source)
		at = value_position(&file->path);
	struct diag *diag = diag_report(
	    check->sink, DIAG_TEMPLATE_LEFT, at,
	    "the file %.*s holds %.*s after rendering: nothing runs it any more, machines get the "
	    "braces",
	    SV_ARG(value_text(&file->path)), SV_ARG(action));
	diag_set_help(check->sink, diag,
	              "write %.*s there without {{ ` ` }} around it; a profile from an addon of "
	              "KubeOne or a chart of Helm is escaped for their own templates: unescape it, "
	              "and set disableTemplating: true for the addon",
	              SV_ARG(action));
}

/* Checks each string of units or modules. */
static void check_plain(const struct osm_unfilled_check *check, const struct value *v,
                        const char *what)
{
	size_t offset;
	sv action;

	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++)
		check_plain(check, value_item(v, i), what);
	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++)
		check_plain(check, &v->map->entries[i].value, what);
	if (!value_is_string(v) || !find_action(check->templates, v, &offset, &action))
		return;
	struct diag *diag = diag_report(
	    check->sink, DIAG_TEMPLATE_LEFT, value_text_position(v, offset),
	    "%.*s is not rendered here: %s of a profile are not templates, machines get the braces",
	    SV_ARG(action), what);
	diag_set_help(check->sink, diag,
	              "move the text into a file of the profile, which is rendered, and refer to "
	              "that file here");
}

/*
 * Warns of $${NAME} in a script: Flux would make ${NAME} of it, a shell reads $$ as its process id.
 */
static void check_script(const struct osm_unfilled_check *check, size_t index,
                         const struct osm_rendered_file *file)
{
	sv text = value_text(&file->data);
	sv first = sv_slice(
	    text, 0, sv_find_char(text, '\n') == SV_NPOS ? text.len : sv_find_char(text, '\n'));
	size_t from = 0;
	size_t length;
	size_t at;

	if (!sv_starts_with(first, SV("#!")) || !sv_ends_with(sv_trim_space(first), SV("sh")) ||
	    taint_derived_from(file->data.taint))
		return;
	for (; kube_variable_find(text, from, &at, &length); from = at + length) {
		if (at == 0 || text.ptr[at - 1] != '$' ||
		    is_secret(&file->data, at - 1, at + length))
			continue;
		struct position where = tmpl_profile_trace(
		    check->arena, check->templates, check->data, check->options, index, at - 1);
		struct diag *diag = diag_report(check->sink, DIAG_VARIABLE_LEFT,
		                                where.source ? where : value_position(&file->path),
		                                "the script %.*s holds $%.*s: Flux would make %.*s "
		                                "of it, osm-gen leaves it as it "
		                                "is",
		                                SV_ARG(value_text(&file->path)),
		                                SV_ARG(sv_slice(text, at, at + length)),
		                                SV_ARG(sv_slice(text, at, at + length)));
		diag_set_help(check->sink, diag,
		              "write one $, and annotate the profile with "
		              "kustomize.toolkit.fluxcd.io/substitute: disabled");
		return;
	}
}

void osm_check_unfilled(const struct osm_unfilled_check *check,
                        const struct osm_rendered_config *config)
{
	for (size_t i = 0; i < config->file_count; i++) {
		check_file(check, i, &config->files[i]);
		check_script(check, i, &config->files[i]);
	}
	check_plain(check, config->units, "units");
	check_plain(check, config->modules, "modules");
}

/* ---- variables --------------------------------------------------------------------------- */

void osm_check_variables(struct sink *sink, const struct value *v)
{
	sv text = value_is_string(v) ? v->string : SV("");
	size_t length;
	size_t from;

	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++)
		osm_check_variables(sink, value_item(v, i));
	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++)
		osm_check_variables(sink, &v->map->entries[i].value);
	if (!kube_variable_find(text, 0, &from, &length))
		return;
	/* A password may contain "${NAME}" by chance: only a whole one is reported. */
	if (v->taint && length != text.len)
		return;
	struct position at = value_text_position(v, from);
	if (at.source && v->origin.style == ORIGIN_EXACT)
		at.length = length;
	struct diag *diag = diag_report(sink, DIAG_VARIABLE_LEFT, at,
	                                "nothing fills in %.*s, so machines get it unchanged",
	                                SV_ARG(sv_slice(text, from, from + length)));
	diag_set_help(
	    sink, diag,
	    "write the value itself, or a reference to a Secret or ConfigMap where the field "
	    "takes one: osm-gen reads what is in git, before Flux or envsubst fills it in");
}
