/*
 * Finds the settings for osm-gen.yaml: the controller's arguments, as its Deployment has them, and
 * what live objects show.
 */
#include "adopt/internal.h"

#include "fleet/fleet.h"
#include "golang/golang.h"

struct argument {
	sv flag;
	const struct setting *setting; /* null if it has no effect on the output */
	sv text;
};

struct arguments {
	struct arena *arena;
	const struct dialect_adoption *adoption;
	sv cluster; /* its name in git */
	struct adopt_lines *lines;
	struct value *settings;
	const struct value *variables; /* the env of the container */
	VEC(sv) words;
	size_t next;
	VEC(struct argument) list;
};

/* ---- the controller's Deployment --------------------------------------------------------- */

static void report_two(struct sink *sink, const struct kube_object *first,
                       const struct kube_object *second)
{
	struct diag *diag =
	    diag_report(sink, DIAG_EXPORT_CLUSTERS, kube_object_position(second),
	                "the exports hold the controllers of two clusters: in %.*s and in %.*s",
	                SV_ARG(first->id.namespace), SV_ARG(second->id.namespace));

	diag_add_note(sink, diag, kube_object_position(first), "the other one");
	diag_set_help(sink, diag,
	              "export the management side of one cluster at a time: kubectl get -n "
	              "NAMESPACE, not -A");
}

/* ---- arguments --------------------------------------------------------------------------- */

static void add_words(struct arguments *a, const struct value *list)
{
	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++)
		VEC_PUSH(a->arena, &a->words, value_text(value_item(list, i)));
}

/* Returns true for flags that are not settings and take no value. */
static bool is_switch(const struct arguments *a, sv flag)
{
	for (size_t i = 0; i < a->adoption->switch_count; i++)
		if (sv_eq(flag, a->adoption->switches[i]))
			return true;
	return false;
}

/* Reports that a flag is left out, once for a repeated flag. */
static void leave_out(struct arguments *a, sv flag, const char *why)
{
	sv what = ARENA_CONCAT(a->arena, SV("argument -"), flag);

	VEC_EACH (line, a->lines) {
		if (sv_eq(line->what, what))
			return;
	}
	adopt_add_line(a->arena, a->lines, ADOPT_LEFT, what, sv_from_cstr(why));
}

static void set_one(struct arguments *a, const struct setting *setting, sv text)
{
	struct value value = value_string(text);
	bool is_true;
	sv error;

	if (setting->kind == SETTING_BOOL &&
	    go_strconv_parse_bool(a->arena, text, &is_true, &error))
		value = value_bool(is_true);
	if (setting->kind == SETTING_REPEAT) {
		struct value *before = value_map_get_mutable(a->settings, setting->name);
		struct value item = value;

		value = before ? *before : value_list_new(a->arena);
		value_list_add(a->arena, &value, item);
	}
	value_map_set(a->arena, a->settings, setting->name, value);
}

/* Kubernetes expands only variables that the container has. */
static bool takes_variable(const struct arguments *a, sv text)
{
	for (size_t i = 0; value_is_list(a->variables) && i < value_count(a->variables); i++) {
		sv name = value_text(value_map_get(value_item(a->variables, i), SV("name")));

		if (!sv_empty(name) &&
		    sv_contains(text, ARENA_CONCAT(a->arena, SV("$("), name, SV(")"))))
			return true;
	}
	return false;
}

/* A flag in CI replaces the whole setting, so all values of a repeated flag go there. */
static bool holds_password(const struct arguments *a, const struct setting *setting)
{
	VEC_EACH (argument, &a->list) {
		if (argument->setting == setting && secrecy_may_hold_userinfo(argument->text))
			return true;
	}
	return false;
}

static bool looks_secret(const struct arguments *a, const struct setting *setting)
{
	VEC_EACH (argument, &a->list) {
		if (argument->setting == setting &&
		    secrecy_look_at(argument->text, SECRECY_FIELD).look != SECRECY_LOOKS_PLAIN)
			return true;
	}
	return false;
}

static void take_setting(struct arguments *a, const struct setting *setting, sv text)
{
	if (setting->kind == SETTING_BUNDLE && !sv_empty(text))
		leave_out(a, setting->flag,
		          "it names a file of the controller's container: commit the certificates "
		          "and name the committed file in the setting");
	else if (takes_variable(a, text))
		leave_out(a, setting->flag,
		          "it uses a variable of the container: write the variable's value");
	else if (holds_password(a, setting))
		leave_out(
		    a, setting->flag,
		    "it holds a password: give its whole value in CI, as a flag of that name");
	else if (looks_secret(a, setting))
		leave_out(a, setting->flag,
		          "it looks like a secret: give its whole value in CI, as a flag of that "
		          "name; if it is not a secret, write it as the setting");
	else if (setting->kind != SETTING_BUNDLE)
		set_one(a, setting, text);
}

/*
 * Reads flags as Go's flag package does: -x or --x, "=" or the next word. Ends at the first other
 * word.
 */
static bool read_one(struct arguments *a)
{
	sv word = a->words.items[a->next++];
	sv flag;
	sv text;

	if (word.len < 2 || word.ptr[0] != '-' || sv_eq(word, SV("--")))
		return false;
	word = sv_from_offset(word, sv_starts_with(word, SV("--")) ? 2 : 1);
	bool has_text = sv_cut(word, SV("="), &flag, &text);
	const struct setting *setting = fleet_setting_by_flag(flag);
	bool is_flag = setting ? setting->kind == SETTING_BOOL : is_switch(a, flag);
	if (!has_text)
		text = is_flag ? SV("true") : SV("");
	if (!has_text && !is_flag && a->next < a->words.count)
		text = a->words.items[a->next++];
	VEC_PUSH(a->arena, &a->list,
	         (struct argument){flag, setting && setting->controller ? setting : NULL, text});
	return true;
}

static void read_arguments(struct arguments *a)
{
	/* Skip the program, and a shell's words before it. */
	while (a->next < a->words.count && !sv_starts_with(a->words.items[a->next], SV("-")))
		a->next++;
	while (a->next < a->words.count && read_one(a))
		;
	VEC_EACH (argument, &a->list) {
		if (argument->setting)
			take_setting(a, argument->setting, argument->text);
		else
			leave_out(a, argument->flag, "it has no effect without a controller");
	}
}

/* Reports variables with credentials of clouds, which the controller puts into cloud-configs. */
static void report_variables(struct arguments *a)
{
	const struct value *list = a->variables;
	struct buf names = buf_in(a->arena);
	size_t count;
	const sv *known = dialect_variable_names(a->arena, &count);

	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++) {
		sv name = value_text(value_map_get(value_item(list, i), SV("name")));

		for (size_t k = 0; k < count; k++)
			if (sv_eq(name, known[k]))
				buf_printf(&names, "%s%.*s:%.*s", names.len ? "," : "",
				           SV_ARG(a->cluster), SV_ARG(name));
	}
	if (names.len > 0)
		adopt_add_line(a->arena, a->lines, ADOPT_NOTE,
		               ARENA_CONCAT(a->arena, SV("--allow-env "), buf_sv(&names)),
		               SV("the controller has these variables: set them in CI and give "
		                  "this option if cloudProviderSpec lacks a credential"));
}

/* Reads the arguments of one dialect's controller. *ret_found is null if it is not exported. */
static enum status read_controller(struct arena *arena, struct sink *sink,
                                   const struct adopt_live *live, struct arguments *a,
                                   const struct kube_object **ret_found)
{
	const struct kube_object *found = NULL;
	const struct value *container = NULL;
	enum status status = STATUS_OK;

	VEC_EACH (object, &live->objects) {
		const struct value *runs =
		    adopt_is_kind(*object, "Deployment") ? a->adoption->controller(*object) : NULL;

		if (runs && found) {
			report_two(sink, found, *object);
			status = STATUS_FAILED;
		} else if (runs) {
			found = *object;
			container = runs;
		}
	}
	*ret_found = found;
	if (status != STATUS_OK || !found)
		return status;
	a->variables = value_map_get(container, SV("env"));
	add_words(a, value_map_get(container, SV("command")));
	add_words(a, value_map_get(container, SV("args")));
	read_arguments(a);
	report_variables(a);
	adopt_add_line(arena, a->lines, ADOPT_LEFT, kube_object_describe(arena, found),
	               SV("its arguments are the cluster's settings"));
	return STATUS_OK;
}

/* Adds what live objects show of each dialect's settings, and notes. */
static void find_settings(struct arena *arena, const struct adopt_live *live,
                          struct adopt_lines *lines, struct value *settings)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	struct dialect_notes notes = {0};

	for (size_t i = 0; i < count; i++)
		if (all[i]->adoption && all[i]->adoption->find_settings)
			all[i]->adoption->find_settings(arena, &live->objects, settings, &notes);
	VEC_EACH (note, &notes)
		adopt_add_line(arena, lines, ADOPT_NOTE, note->what, note->why);
}

/* Returns true if the exports have units of a dialect whose controller's arguments are settings. */
static bool wants_controller(const struct adopt_live *live)
{
	VEC_EACH (object, &live->objects) {
		struct adopt_kind kind = adopt_kind_of(&(*object)->id);

		if (kind.row && kind.row->part == DIALECT_LIVE_UNIT &&
		    kind.dialect->adoption->controller)
			return true;
	}
	return false;
}

enum status adopt_find_controller(struct arena *arena, struct sink *sink,
                                  const struct adopt_live *live, sv cluster,
                                  struct adopt_lines *lines,
                                  struct adopt_controller *ret_controller)
{
	const struct kube_object *found = NULL;
	struct value settings = value_map_new(arena);
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count && !found; i++) {
		struct arguments a = {.arena = arena,
		                      .adoption = all[i]->adoption,
		                      .cluster = cluster,
		                      .lines = lines,
		                      .settings = &settings};

		if (a.adoption && a.adoption->controller &&
		    read_controller(arena, sink, live, &a, &found) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (!found && wants_controller(live))
		adopt_add_line(arena, lines, ADOPT_NOTE, SV("settings"),
		               SV("the controller's Deployment is not in the exports: its defaults "
		                  "apply unless osm-gen.yaml sets others"));
	find_settings(arena, live, lines, &settings);
	*ret_controller = (struct adopt_controller){found, settings};
	return STATUS_OK;
}
