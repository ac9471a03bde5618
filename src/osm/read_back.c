/*
 * Reports what consumers of the rendered files misread (read_back.h).
 *
 * COMPAT: the bytes stay those of the controller, whose YAML is unquoted. People can quote the
 * value themselves.
 */
#include "osm/read_back.h"

#include "userdata/userdata.h"

/* ---- words ------------------------------------------------------------------------------- */

/* Returns what is wrong, as messages name it: "the file PATH", "rhelActivationKey". */
static sv misread_name(struct arena *arena, const struct userdata_misread *misread)
{
	sv name = misread->name;
	sv setting;

	switch (misread->part) {
	case USERDATA_HOSTNAME:
		return SV("the name of the machine");
	case USERDATA_SSH_KEY:
		return SV("this SSH key");
	case USERDATA_FILE_PATH:
		return SV("this path of a file");
	case USERDATA_FILE_ENCODING:
		return ARENA_CONCAT(arena, SV("the encoding of the file "), name);
	case USERDATA_FILE_CONTENT:
	case USERDATA_KUBELET:
	case USERDATA_CONTAINERD:
		return ARENA_CONCAT(arena, SV("the file "), name);
	case USERDATA_UNIT:
		return ARENA_CONCAT(arena, SV("the unit "), name);
	case USERDATA_BOOTCMD:
		return SV("this command of bootcmd");
	case USERDATA_RUNCMD:
		return SV("this command of runcmd");
	case USERDATA_REPOSITORY:
		return ARENA_CONCAT(arena, name, SV(" of a repository"));
	case USERDATA_SUBSCRIPTION:
		break;
	}
	setting = osm_system_setting_of(name);
	return sv_empty(setting)
	           ? ARENA_CONCAT(arena, SV("rh_subscription's "), name)
	           : ARENA_CONCAT(arena, setting, SV(" (rh_subscription's "), name, SV(")"));
}

static const char *kind_text(enum yml_python kind)
{
	switch (kind) {
	case YML_PYTHON_NULL:
		return "as null";
	case YML_PYTHON_BOOL:
		return "as true or false";
	case YML_PYTHON_INT:
	case YML_PYTHON_FLOAT:
		return "as another number";
	case YML_PYTHON_TIME:
		return "as a time";
	case YML_PYTHON_LIST:
		return "as a list";
	case YML_PYTHON_MAP:
		return "as a map";
	case YML_PYTHON_STRING:
	case YML_PYTHON_REFUSED:
		break;
	}
	return "as another string";
}

static const char *consumer_of(enum userdata_piece part)
{
	return part == USERDATA_KUBELET      ? "the kubelet"
	       : part == USERDATA_CONTAINERD ? "containerd"
	                                     : "cloud-init";
}

static void set_help(struct sink *sink, struct diag *diag, const struct userdata_misread *misread)
{
	switch (misread->part) {
	case USERDATA_SUBSCRIPTION:
	case USERDATA_REPOSITORY:
		diag_set_help(sink, diag,
		              "put quotes into the string, which YAML then takes away: "
		              "'\"VALUE\"'; the controller writes it without any");
		break;
	case USERDATA_BOOTCMD:
	case USERDATA_RUNCMD:
		diag_set_help(sink, diag,
		              "put the command into quotes inside of the string, '\"COMMAND\"', or "
		              "move it into a file of the profile and run that");
		break;
	case USERDATA_FILE_CONTENT:
	case USERDATA_UNIT:
		diag_set_help(sink, diag,
		              "the first line that is not blank must have the least indentation "
		              "of all, names need no quotes or backslashes, and no control "
		              "character may be there; for any bytes use the encoding b64");
		break;
	case USERDATA_KUBELET:
	case USERDATA_CONTAINERD:
		diag_set_help(sink, diag, "correct the template, or the value that it writes");
		break;
	case USERDATA_HOSTNAME:
	case USERDATA_SSH_KEY:
	case USERDATA_FILE_PATH:
	case USERDATA_FILE_ENCODING:
		diag_set_help(sink, diag,
		              "write it without quotes and line breaks, and so that "
		              "YAML takes it for a string");
		break;
	}
}

/* ---- places ------------------------------------------------------------------------------ */

static bool is_content(const struct userdata_misread *misread)
{
	return misread->part == USERDATA_FILE_CONTENT || misread->part == USERDATA_KUBELET ||
	       misread->part == USERDATA_CONTAINERD;
}

/* Returns the place in the profile's template, the value's, or else the MachineDeployment's. */
static struct position file_place(const struct osm_read_back *check, const struct node_config *node,
                                  const struct userdata_misread *misread)
{
	struct position at = NOWHERE;

	if (is_content(misread)) {
		if (misread->file < check->template_count)
			at = tmpl_profile_trace(check->arena, check->templates, check->data,
			                        check->options, misread->file, misread->offset);
		if (!at.source)
			at = value_position(&node->files[misread->file].path);
	} else if (misread->text->origin.source) {
		at = value_text_position(misread->text, misread->offset);
	}
	if (!at.source)
		return kube_object_position(check->machine);
	return misread->text->taint ? position_without_line(check->sink->arena, at) : at;
}

/*
 * Returns " in line 3 after rendering" for a rendered file; empty elsewhere, and for a secret, of
 * which it would show how many lines it has.
 */
static sv line_text(struct arena *arena, const struct userdata_misread *misread)
{
	size_t line = 1;

	if (!is_content(misread) || misread->text->taint)
		return SV("");
	for (size_t i = 0; i < misread->offset; i++)
		line += value_text(misread->text).ptr[i] == '\n';
	return arena_printf(arena, " in line %zu after rendering", line);
}

static sv problem_text(struct arena *arena, const struct userdata_misread *misread)
{
	return sv_empty(misread->problem) ? SV("")
	                                  : ARENA_CONCAT(arena, SV(": "), misread->problem);
}

/* ------------------------------------------------------------------------------------------ */

static sv unreadable_text(struct arena *arena, const struct userdata_misread *misread)
{
	sv name = misread_name(arena, misread);
	sv line = line_text(arena, misread);

	if (!is_content(misread) || misread->part == USERDATA_FILE_CONTENT)
		return arena_printf(
		    arena, "cloud-init cannot read the user-data: %.*s breaks its YAML%.*s",
		    SV_ARG(name), SV_ARG(line));
	return arena_printf(arena, "%s cannot read %.*s%.*s%.*s", consumer_of(misread->part),
	                    SV_ARG(name), SV_ARG(line), SV_ARG(problem_text(arena, misread)));
}

static void report_misread(const struct osm_read_back *check, const struct node_config *node,
                           const struct userdata_misread *misread)
{
	struct arena *arena = check->arena;
	sv name = misread_name(arena, misread);
	sv line = line_text(arena, misread);
	sv problem = problem_text(arena, misread);
	struct position at = file_place(check, node, misread);
	struct diag *diag;

	if (misread->is_fatal)
		diag = (check->warns ? diag_warn
		                     : diag_report)(check->sink, DIAG_READ_NOTHING, at, "%.*s",
		                                    SV_ARG(unreadable_text(arena, misread)));
	else
		/* The type that a secret is read as would reveal something of it. */
		diag = diag_report(check->sink, DIAG_READ_OTHERWISE, at, "%s reads %.*s %s%.*s%.*s",
		                   consumer_of(misread->part), SV_ARG(name),
		                   misread->text->taint ? "as another value"
		                                        : kind_text(misread->kind),
		                   SV_ARG(line), SV_ARG(problem));
	set_help(check->sink, diag, misread);
}

void osm_read_back(const struct osm_read_back *check, const struct node_config *node)
{
	struct userdata_misreads misreads = {0};

	if (check->is_cloud_init)
		userdata_read_back(check->arena, node, check->is_bootstrap, &misreads);
	userdata_read_files(check->arena, check->steps, node, check->known, &misreads);
	/* SAFETY: skip mistakes that depend on a secret's value. By a template that makes a mistake
	 * for some values alone, its author could find out the value. */
	VEC_EACH (misread, &misreads)
		if (!misread->by_secret)
			report_misread(check, node, misread);
}
