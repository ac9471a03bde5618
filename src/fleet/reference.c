/*
 * Writes docs/settings.md from the tables of settings and of members of osm-gen.yaml.
 */
#include "fleet/internal.h"

static const char *kind_words(const struct setting *setting)
{
	switch (setting->kind) {
	case SETTING_TEXT:
	case SETTING_WORD:
	case SETTING_VERSION:
	case SETTING_NAMESPACE:
	case SETTING_REFERENCE:
	case SETTING_URL:
	case SETTING_IMAGE:
		return "string";
	case SETTING_BOOL:
		return "true or false";
	case SETTING_LIST:
		return "list of strings, or one string with commas";
	case SETTING_REPEAT:
		return "list of strings, or a map of lists";
	case SETTING_MAP:
	case SETTING_SWITCHES:
	case SETTING_LIMITS:
		return "map, or one string with commas";
	case SETTING_NUMBER:
		return "number";
	case SETTING_BUNDLE:
		return "name of a committed file, or its content";
	}
	BUG("setting kind");
}

/* Returns the word for what a member may be. */
static const char *type_word(const struct shape_member *member)
{
	if (member->choices)
		return member->choices;
	if (member->form == SHAPE_LIST)
		return "list of strings";
	if (member->type == SHAPE_TEXT)
		return "string";
	if (member->type == SHAPE_INT)
		return "number";
	return member->type == SHAPE_BOOL ? "true or false" : "map";
}

/* Adds a cell of a table, with "|" escaped, which would end it. */
static void add_cell(struct buf *buf, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			buf_add_char(buf, '\\');
		buf_add_char(buf, *text);
	}
}

static void add_setting(struct buf *buf, const struct setting *setting)
{
	buf_printf(buf, "| `%.*s` | `--%.*s", SV_ARG(setting->name), SV_ARG(setting->flag));
	if (setting_placeholder(setting)) {
		buf_add_char(buf, ' ');
		add_cell(buf, setting_placeholder(setting));
	}
	buf_printf(buf, "` | %s | ", kind_words(setting));
	if (setting->initial)
		buf_printf(buf, "`%s`", setting->initial);
	buf_printf(buf, " | `%s` | ", setting->example);
	add_cell(buf, setting->help);
	BUF_ADD_LIT(buf, " |\n");
}

/* Adds the table of the settings that the controller has as flags, too, or that it lacks. */
static void add_settings(struct buf *buf, bool controller)
{
	size_t count;
	const struct setting *const *list = fleet_settings(buf->arena, &count);

	BUF_ADD_LIT(buf, "| name | flag | type | default | example | what it is for |\n"
	                 "|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < count; i++)
		if (list[i]->controller == controller)
			add_setting(buf, list[i]);
}

/* Adds a chapter with the members of a shape that have the flag, or not. */
static void add_members(struct buf *buf, const char *title, const struct shape *shape,
                        unsigned flag)
{
	buf_printf(buf, "\n### %s\n\n| name | type | what it is for |\n|---|---|---|\n", title);
	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];

		if ((member->flags & FLEET_ONLY) != flag)
			continue;
		buf_printf(buf, "| `%s` | ", member->name);
		add_cell(buf, type_word(member));
		BUF_ADD_LIT(buf, " | ");
		add_cell(buf, member->help);
		BUF_ADD_LIT(buf, " |\n");
	}
}

static const struct shape *map_of(const struct shape *shape, const char *name)
{
	return shape_find(shape, sv_from_cstr(name), 0)->of;
}

static void add_documents(struct buf *buf)
{
	const struct shape *fleet = map_of(&fleet_shape, "spec");
	const struct shape *sealing = map_of(fleet, "sealing");
	const struct shape *delivery = map_of(fleet, "delivery");

	add_members(buf, "spec of a Fleet", fleet, 0);
	add_members(buf, "spec of a Cluster", map_of(&fleet_cluster_shape, "spec"), 0);
	add_members(buf, "sealing", sealing, 0);
	add_members(buf, "sealing of a Fleet", sealing, FLEET_ONLY);
	add_members(buf, "commit", map_of(fleet, "commit"), 0);
	add_members(buf, "limits", map_of(fleet, "limits"), 0);
	add_members(buf, "removalGuard", map_of(fleet, "removalGuard"), 0);
	add_members(buf, "delivery", delivery, 0);
	add_members(buf, "delivery of a Fleet", delivery, FLEET_ONLY);
	add_members(buf, "source", map_of(delivery, "source"), 0);
}

void fleet_add_settings_page(struct buf *buf)
{
	BUF_ADD_LIT(
	    buf,
	    "<!-- Made by `ci/settings` from the program's tables; do not edit. -->\n"
	    "# Settings\n\n"
	    "All settings and members of `osm-gen.yaml`. A flag wins over the setting of a "
	    "Cluster,\n"
	    "that over the Fleet's default, and that over the default below. `osm-gen config "
	    "show`\n"
	    "prints the value in use and where it is set. An example is what follows `name: ` in\n"
	    "the file. Editors check the file against\n"
	    "[osm-gen.schema.json](osm-gen.schema.json), which `osm-gen config schema` prints.\n\n"
	    "## Settings of the controller\n\n"
	    "Flags of operating-system-manager that change the output, under their own names.\n\n");
	add_settings(buf, true);
	BUF_ADD_LIT(buf, "\n## Settings of osm-gen's own\n\n");
	add_settings(buf, false);
	BUF_ADD_LIT(buf, "\n## The documents\n");
	add_documents(buf);
}
