/*
 * cloud-init's #cloud-config as Kubermatic's controller writes it (docs/spec/userdata.md 2). The
 * numbers in comments are the rows of that section's table.
 *
 * COMPAT: keys, names and modules are written without quotes. `write_files:` is written even
 * without files, and a list of units then follows on the same line. Existing machines were started
 * with these bytes.
 */
#include "codec/codec.h"
#include "userdata/userdata.h"
#include "value/text.h"

static void add_cloud_init_file(struct text *text, const struct node_file *file)
{
	TEXT_ADD_LIT(text, "\n- path: '");
	text_add_value(text, &file->path);
	TEXT_ADD_LIT(text, "'\n  permissions: '");
	text_add(text, file->mode_text);
	TEXT_ADD_LIT(text, "'");
	if (!sv_empty(value_text(&file->encoding))) {
		TEXT_ADD_LIT(text, "\n  encoding: '");
		text_add_value(text, &file->encoding);
		TEXT_ADD_LIT(text, "'");
	}
	TEXT_ADD_LIT(text, "\n  content: |-\n");
	if (!sv_empty(file->key)) {
		TEXT_ADD_LIT(text, "    <");
		text_add(text, file->key);
		TEXT_ADD_LIT(text, ">");
	} else if (sv_eq_cstr(value_text(&file->encoding), "b64")) {
		TEXT_ADD_LIT(text, "    ");
		size_t from = text->buf.len;
		base64_add(&text->buf, BASE64_STD, value_text(&file->content));
		/* Base64 mixes neighbouring bytes: all of it is as secret as any of them. */
		text_mark_taint(text, from, file->content.taint);
	} else {
		text_add_indented(text, &file->content, 4);
	}
	TEXT_ADD_LIT(text, "\n");
}

static void add_cloud_init_unit(struct text *text, const struct node_unit *unit)
{
	TEXT_ADD_LIT(text, "\n  - name: \"");
	text_add_value(text, &unit->name);
	TEXT_ADD_LIT(text, "\"\n    enable: ");
	text_add(text, unit->enable == NODE_ENABLE_YES ? SV("true") : SV("false"));
	TEXT_ADD_LIT(text, "\n    ");
	text_add(text, unit->enable == NODE_ENABLE_YES ? SV("command: start") : SV(""));
	TEXT_ADD_LIT(text, "\n    mask: ");
	text_add(text, unit->mask ? SV("true") : SV("false"));
	TEXT_ADD_LIT(text, "\n");
	if (!sv_empty(value_text(&unit->content))) {
		TEXT_ADD_LIT(text, "\n    content: |\n");
		text_add_indented(text, &unit->content, 6);
	}
	TEXT_ADD_LIT(text, "\n");
	if (unit->drop_in_count > 0)
		TEXT_ADD_LIT(text, "\n    drop_ins:");
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		TEXT_ADD_LIT(text, "\n      - name: \"");
		text_add_value(text, &unit->drop_ins[i].name);
		TEXT_ADD_LIT(text, "\"\n        content: |\n");
		text_add_indented(text, &unit->drop_ins[i].content, 10);
	}
}

static void add_command_list(struct text *text, sv key, const struct value *commands, size_t count)
{
	if (count == 0)
		return;
	TEXT_ADD_LIT(text, "\n");
	text_add(text, key);
	TEXT_ADD_LIT(text, ":");
	for (size_t i = 0; i < count; i++) {
		TEXT_ADD_LIT(text, "\n- ");
		text_add_value(text, &commands[i]);
	}
	TEXT_ADD_LIT(text, "\n");
}

static void add_pairs(struct text *text, size_t indent, const struct node_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		TEXT_ADD_LIT(text, "\n");
		buf_add_repeat(&text->buf, ' ', indent);
		text_add(text, pairs[i].key);
		TEXT_ADD_LIT(text, ": ");
		text_add_value(text, &pairs[i].text);
	}
}

static void add_modules(struct text *text, const struct node_modules *modules)
{
	add_command_list(text, SV("bootcmd"), modules->bootcmd, modules->bootcmd_count);
	add_command_list(text, SV("runcmd"), modules->runcmd, modules->runcmd_count);
	if (modules->rh_subscription_count > 0) {
		TEXT_ADD_LIT(text, "\nrh_subscription:");
		add_pairs(text, 4, modules->rh_subscription, modules->rh_subscription_count);
		TEXT_ADD_LIT(text, "\n");
	}
	if (modules->yum_repo_count > 0) {
		TEXT_ADD_LIT(text, "\nyum_repos:");
		for (size_t i = 0; i < modules->yum_repo_count; i++) {
			TEXT_ADD_LIT(text, "\n    ");
			text_add(text, modules->yum_repos[i].name);
			TEXT_ADD_LIT(text, ":");
			add_pairs(text, 7, modules->yum_repos[i].pairs,
			          modules->yum_repos[i].pair_count);
		}
		TEXT_ADD_LIT(text, "\n");
	}
	if (!sv_empty(value_text(&modules->yum_repo_dir))) {
		TEXT_ADD_LIT(text, "\nyum_repo_dir: ");
		text_add_value(text, &modules->yum_repo_dir);
	}
}

/* Adds the files: all of them, or those that are not apart. */
static void add_cloud_init_files(struct text *text, const struct node_config *node,
                                 struct userdata_apart *apart)
{
	struct arena *arena = text->buf.arena;
	struct text list = text_in(arena);
	size_t at = text->buf.len;

	for (size_t i = 0; i < node->file_count; i++) {
		const struct node_file *file = &node->files[i];

		add_cloud_init_file(file->is_apart ? &list : text, file);
		if (!sv_empty(file->key))
			VEC_PUSH(arena, &apart->files,
			         ((struct userdata_apart_file){file->key, file->content}));
	}
	if (!apart)
		return;
	apart->at = at;
	apart->list = text_value(arena, &list);
}

struct value userdata_cloud_init(struct arena *arena, const struct node_config *node,
                                 struct userdata_apart *apart)
{
	struct text text = text_in(arena);
	bool named = !sv_empty(value_text(&node->hostname));

	TEXT_ADD_LIT(&text, "#cloud-config"); /* 1 */
	if (named) {                          /* 2 */
		TEXT_ADD_LIT(&text, "\nhostname: ");
		text_add_value(&text, &node->hostname);
	}
	TEXT_ADD_LIT(&text, "\n\n"); /* 3 */
	if (node->upgrade_packages)  /* 4 */
		TEXT_ADD_LIT(&text, "package_upgrade: true\npackage_reboot_if_required: true\n");
	TEXT_ADD_LIT(&text, "ssh_pwauth: false\n\nssh_authorized_keys:\n"); /* 5 */
	for (size_t i = 0; i < node->ssh_key_count; i++) {                  /* 6 */
		TEXT_ADD_LIT(&text, "- '");
		text_add_value(&text, &node->ssh_keys[i]);
		TEXT_ADD_LIT(&text, "'\n");
	}
	TEXT_ADD_LIT(&text, "write_files:");      /* 7 */
	add_cloud_init_files(&text, node, apart); /* 8 */
	if (named) {                              /* 9 */
		TEXT_ADD_LIT(&text, "\n- path: /etc/machine-name\n  permissions: '0600'\n"
		                    "  content: |-\n        ");
		text_add_value(&text, &node->hostname);
		TEXT_ADD_LIT(&text, "\n");
	}
	if (node->unit_count > 0) /* 10 */
		TEXT_ADD_LIT(&text, "coreos:\n  units:");
	for (size_t i = 0; i < node->unit_count; i++)
		add_cloud_init_unit(&text, &node->units[i]);
	if (node->modules) /* 11 */
		add_modules(&text, node->modules);
	return text_value(arena, &text);
}
