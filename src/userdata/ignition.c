/*
 * Ignition 2.3.0, byte for byte what Kubermatic's controller makes of a node by way of a Container
 * Linux Config (docs/spec/userdata.md 3).
 *
 * COMPAT: the controller writes that config as YAML without quoting. ignition_text.c and
 * ignition_scalar.c do to contents and names what YAML does to them. The config has no encodings,
 * modules and package upgrades.
 */
#include "userdata/ignition.h"
#include "userdata/userdata.h"
#include "userdata/writer.h"
#include "value/text.h"
#include "json/json.h"

#define MODE_MAX          4095 /* 07777 */
#define SPECIAL_BITS      07000
#define MACHINE_NAME_MODE 384 /* 0600 */

/* The places of file, unit and drop-in contents in the controller's YAML. */
static const struct ignition_place file_place = {.indent = 10, .parent = 8};
static const struct ignition_place unit_place = {.indent = 6, .parent = 4};
static const struct ignition_place drop_in_place = {.indent = 10, .parent = 8};

struct writer {
	struct arena *arena;
	struct sink *sink;
	struct text out;
	struct ignition_boot boot;
	struct userdata_apart *apart; /* null if no file is apart */
	bool failed;
};

/* ---- reporting --------------------------------------------------------------------------- */

static size_t line_of(sv text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset && i < text.len; i++)
		line += text.ptr[i] == '\n';
	return line;
}

static void fail_text(struct writer *w, const char *what, const struct value *name,
                      const struct value *text, size_t offset, const char *problem)
{
	struct diag *diag =
	    diag_report(w->sink, DIAG_IGNITION_TEXT, userdata_place(text, offset, name),
	                "%s %.*s, line %zu: Ignition cannot carry this content: %s", what,
	                SV_ARG(value_text(name)), line_of(value_text(text), offset), problem);

	diag_set_help(w->sink, diag,
	              "write the content without indentation of its own, with spaces and LF only");
	w->failed = true;
}

static void fail_name(struct writer *w, const char *what, const struct value *name)
{
	struct diag *diag =
	    diag_report(w->sink, DIAG_IGNITION_NAME, value_position(name),
	                "%s cannot be written in the YAML that Ignition is made from", what);

	diag_set_help(w->sink, diag,
	              "take quotes, \": \", \" #\" and control characters out of it");
	w->failed = true;
}

static void fail_unit(struct writer *w, const struct value *name, struct position at,
                      const char *help, const char *problem)
{
	struct diag *diag = diag_report(w->sink, DIAG_IGNITION_UNIT, at, "unit \"%.*s\": %s",
	                                SV_ARG(value_text(name)), problem);

	diag_set_help(w->sink, diag, "%s", help);
	w->failed = true;
}

/* ---- parts of JSON ----------------------------------------------------------------------- */

static void add_string(struct writer *w, const struct value *string)
{
	struct buf quoted = buf_in(w->arena);
	sv text = value_text(string);

	json_emit_string(&quoted, text, JSON_GO);
	sv inner = sv_slice(buf_sv(&quoted), 1, quoted.len - 1);
	TEXT_ADD_LIT(&w->out, "\"");
	size_t from = w->out.buf.len;
	if (sv_eq(inner, text)) {
		text_add_value(&w->out, string);
	} else {
		/* Escapes move bytes: the whole is then as secret as its parts. */
		text_add(&w->out, inner);
		text_mark_taint(&w->out, from, string->taint);
	}
	TEXT_ADD_LIT(&w->out, "\"");
}

/* A key in the place of the content, if it is not empty, goes into a data URL in base64. */
static void add_file_json(struct writer *w, const struct value *path, const struct value *content,
                          long mode, sv key)
{
	TEXT_ADD_LIT(&w->out, "{\"filesystem\":\"root\",\"path\":");
	add_string(w, path);
	TEXT_ADD_LIT(&w->out, ",\"contents\":{\"source\":\"");
	if (sv_empty(key)) {
		ignition_add_data_url(&w->out, content);
	} else {
		TEXT_ADD_LIT(&w->out, "data:;base64,<");
		text_add(&w->out, key);
		TEXT_ADD_LIT(&w->out, ">");
	}
	TEXT_ADD_LIT(&w->out, "\",\"verification\":{}},\"mode\":");
	buf_printf(&w->out.buf, "%ld}", mode);
}

/* ---- files ------------------------------------------------------------------------------- */

/*
 * Reads a mode as YAML 1.1 reads an integer: octal if it begins with a zero and has no 8 or 9.
 * Returns false if it is not an integer, or over MODE_MAX.
 */
static bool read_mode(sv text, long *ret_mode)
{
	bool octal = text.len > 1 && text.ptr[0] == '0';
	int64_t decimal;
	long mode = 0;

	if (!sv_parse_int64(text, &decimal) || decimal < 0 || decimal > INT32_MAX)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] > '7')
			octal = false;
		mode = mode * 8 + (text.ptr[i] - '0');
	}
	*ret_mode = octal ? mode : (long)decimal;
	return *ret_mode <= MODE_MAX;
}

static bool check_ignition_path(struct writer *w, const struct node_file *file,
                                struct value *ret_path)
{
	if (ignition_quoted_path(w->arena, &file->path, ret_path) != IGNITION_SCALAR_TEXT) {
		fail_name(w, "this path", &file->path);
		return false;
	}
	if (sv_starts_with(value_text(ret_path), SV("/")))
		return true;
	struct diag *diag =
	    diag_report(w->sink, DIAG_IGNITION_FILE, value_position(&file->path),
	                "path not absolute: \"%.*s\"", SV_ARG(value_text(ret_path)));
	diag_set_help(w->sink, diag, "begin it with /");
	w->failed = true;
	return false;
}

/*
 * Passes a content through YAML (ignition_text_normalise). Warns about comments that are lost;
 * returns false, with an error, if the YAML is not valid.
 */
static bool carry(struct writer *w, const char *what, const struct value *name,
                  const struct value *text, struct ignition_place place, struct value *ret_text)
{
	struct ignition_text carried;
	const char *problem;
	size_t at;

	if (!ignition_text_normalise(w->arena, text, place, &carried, &problem, &at)) {
		fail_text(w, what, name, text, at, problem);
		return false;
	}
	if (carried.lost_from != SV_NPOS) {
		struct diag *diag = diag_report(
		    w->sink, DIAG_IGNITION_LOST, userdata_place(text, carried.lost_from, name),
		    "%s %.*s: comments from line %zu on vanish on the way to Ignition", what,
		    SV_ARG(value_text(name)), line_of(value_text(text), carried.lost_from));
		diag_set_help(w->sink, diag, "write the content without indentation of its own");
	}
	*ret_text = carried.value;
	return true;
}

/* Warns: every release of Ignition ignores these bits in a config of version 2.3.0. */
static void check_special_bits(struct writer *w, const struct node_file *file, long mode)
{
	if (!(mode & SPECIAL_BITS))
		return;
	struct diag *diag = diag_report(
	    w->sink, DIAG_IGNITION_MODE_BITS, value_position(&file->path),
	    "file %.*s: Ignition sets no setuid, setgid and sticky bits, %.*s becomes %03lo",
	    SV_ARG(value_text(&file->path)), SV_ARG(file->mode_text),
	    (unsigned long)(mode & ~SPECIAL_BITS));
	diag_set_help(w->sink, diag, "set them by a command of a unit, or leave them out");
}

static void add_ignition_file(struct writer *w, const struct node_file *file, bool *first)
{
	struct value path;
	struct value content;
	long mode;
	bool good = check_ignition_path(w, file, &path);

	if (!read_mode(file->mode_text, &mode)) {
		struct diag *diag =
		    diag_report(w->sink, DIAG_IGNITION_FILE, value_position(&file->path),
		                "illegal file mode %.*s of %.*s", SV_ARG(file->mode_text),
		                SV_ARG(value_text(&file->path)));
		diag_set_help(w->sink, diag, "set permissions such as 644 or 755");
		w->failed = true;
		good = false;
	}
	if (good) {
		ignition_boot_file(&w->boot, value_text(&path), &file->path);
		check_special_bits(w, file, mode);
	}
	if (!carry(w, "file", &file->path, &file->content, file_place, &content) || !good)
		return;
	if (!*first)
		TEXT_ADD_LIT(&w->out, ",");
	*first = false;
	if (!sv_empty(file->key))
		VEC_PUSH(w->arena, &w->apart->files,
		         ((struct userdata_apart_file){file->key, content}));
	add_file_json(w, &path, &content, mode, file->key);
}

static void add_ignition_files(struct writer *w, const struct node_config *node, bool is_apart,
                               bool *first)
{
	for (size_t i = 0; i < node->file_count; i++)
		if (node->files[i].is_apart == is_apart)
			add_ignition_file(w, &node->files[i], first);
}

static void set_apart(struct writer *w, const struct node_config *node, bool *first)
{
	struct text whole = w->out;

	w->out = text_in(w->arena);
	add_ignition_files(w, node, true, first);
	w->apart->list = text_value(w->arena, &w->out);
	w->apart->at = whole.buf.len;
	w->out = whole;
}

static void add_storage(struct writer *w, const struct node_config *node)
{
	bool first = true;
	bool named = !sv_empty(value_text(&node->hostname));

	TEXT_ADD_LIT(&w->out, ",\"storage\":{");
	if (named || node->file_count > 0)
		TEXT_ADD_LIT(&w->out, "\"files\":[");
	if (w->apart)
		set_apart(w, node, &first);
	if (named) {
		static const struct value path = {.type = &type_string,
		                                  .string = SV_INIT(IGNITION_MACHINE_NAME_PATH)};

		if (!first)
			TEXT_ADD_LIT(&w->out, ",");
		add_file_json(w, &path, &node->hostname, MACHINE_NAME_MODE, SV(""));
		ignition_boot_file(&w->boot, path.string, &path);
		first = false;
	}
	add_ignition_files(w, node, false, &first);
	if (named || node->file_count > 0)
		TEXT_ADD_LIT(&w->out, "]");
	TEXT_ADD_LIT(&w->out, "}");
}

/* ---- units ------------------------------------------------------------------------------- */

/* Returns what Go's path.Ext does: the last path element from its last dot on. */
static sv extension(sv name)
{
	sv base = sv_after_last(name, '/');
	size_t dot = sv_rfind_char(base, '.');

	return dot == SV_NPOS ? SV("") : sv_from_offset(base, dot);
}

static bool is_unit_type(sv suffix)
{
	static const sv types[] = {
	    SV_INIT(".service"),   SV_INIT(".socket"),   SV_INIT(".device"), SV_INIT(".mount"),
	    SV_INIT(".automount"), SV_INIT(".swap"),     SV_INIT(".target"), SV_INIT(".path"),
	    SV_INIT(".timer"),     SV_INIT(".snapshot"), SV_INIT(".slice"),  SV_INIT(".scope"),
	};

	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (sv_eq(suffix, types[i]))
			return true;
	}
	return false;
}

/* Passes a unit's or drop-in's name through YAML; returns false, with an error, if it breaks. */
static bool carry_name(struct writer *w, const char *what, const struct value *name, size_t column,
                       struct value *ret_name)
{
	switch (ignition_plain_name(w->arena, name, column, ret_name)) {
	case IGNITION_SCALAR_TEXT:
		return true;
	case IGNITION_SCALAR_NULL:
		*ret_name = value_string(SV(""));
		return true;
	case IGNITION_SCALAR_BROKEN:
		fail_name(w, what, name);
		return false;
	}
	return false;
}

/*
 * Checks a unit file. Offsets in `text`, which went through YAML, differ from those in `written`,
 * which the message points to; line numbers are the same.
 */
static bool check_unit_text(struct writer *w, const struct value *name, const struct value *written,
                            sv text, struct unit_file *ret_file)
{
	const char *problem;
	size_t at;

	if (unit_file_read(text, ret_file, &problem, &at))
		return true;
	size_t line = line_of(text, at);
	size_t offset = 0;
	for (size_t i = 1; i < line; i++)
		offset += sv_find_char(sv_from_offset(value_text(written), offset), '\n') + 1;
	fail_unit(w, name, userdata_place(written, offset, name),
	          "correct the text: [Section] lines, then NAME=VALUE lines", problem);
	return false;
}

static void add_drop_in(struct writer *w, const struct node_drop_in *drop_in, bool first)
{
	struct value name;
	struct value content;
	struct unit_file file;

	bool good = carry_name(w, "this name of a drop-in", &drop_in->name, 8, &name);
	good &= carry(w, "drop-in", &drop_in->name, &drop_in->content, drop_in_place, &content);
	if (!good)
		return;
	if (!sv_eq_cstr(extension(value_text(&name)), ".conf"))
		fail_unit(w, &drop_in->name, value_position(&drop_in->name),
		          "let the name end in .conf", "invalid systemd drop-in extension");
	check_unit_text(w, &drop_in->name, &drop_in->content, value_text(&content), &file);
	ignition_boot_drop_in(&w->boot, value_text(&name), &drop_in->name,
	                      !sv_empty(value_text(&content)));
	if (!first)
		TEXT_ADD_LIT(&w->out, ",");
	TEXT_ADD_LIT(&w->out, "{");
	if (!sv_empty(value_text(&content))) {
		TEXT_ADD_LIT(&w->out, "\"contents\":");
		add_string(w, &content);
		TEXT_ADD_LIT(&w->out, ",");
	}
	TEXT_ADD_LIT(&w->out, "\"name\":");
	add_string(w, &name);
	TEXT_ADD_LIT(&w->out, "}");
}

static void check_ignition_unit(struct writer *w, const struct node_unit *unit, sv name, sv content)
{
	struct unit_file file;

	if (!is_unit_type(extension(name)))
		fail_unit(w, &unit->name, value_position(&unit->name),
		          "let the name end in .service, .timer or another unit type",
		          "invalid systemd unit extension");
	if (check_unit_text(w, &unit->name, &unit->content, content, &file) &&
	    unit->enable == NODE_ENABLE_YES && file.has_options && !file.has_install)
		fail_unit(w, &unit->name, userdata_place(&unit->content, 0, &unit->name),
		          "add an [Install] section with WantedBy=multi-user.target, or remove "
		          "enable: true",
		          "is enabled, but has no install section so enable does nothing");
}

static void add_ignition_unit(struct writer *w, const struct node_unit *unit, bool first)
{
	struct value name;
	struct value content = value_string(SV(""));

	bool good = carry_name(w, "this name of a unit", &unit->name, 4, &name);
	/* The controller writes no block for empty content. */
	if (!sv_empty(value_text(&unit->content)))
		good &= carry(w, "unit", &unit->name, &unit->content, unit_place, &content);
	if (good)
		check_ignition_unit(w, unit, value_text(&name), value_text(&content));
	ignition_boot_unit(&w->boot, value_text(good ? &name : &unit->name), &unit->name,
	                   !sv_empty(value_text(&content)));
	if (!first)
		TEXT_ADD_LIT(&w->out, ",");
	TEXT_ADD_LIT(&w->out, "{");
	if (!sv_empty(value_text(&content))) {
		TEXT_ADD_LIT(&w->out, "\"contents\":");
		add_string(w, &content);
		TEXT_ADD_LIT(&w->out, ",");
	}
	if (unit->drop_in_count > 0)
		TEXT_ADD_LIT(&w->out, "\"dropins\":[");
	for (size_t i = 0; i < unit->drop_in_count; i++)
		add_drop_in(w, &unit->drop_ins[i], i == 0);
	if (unit->drop_in_count > 0)
		TEXT_ADD_LIT(&w->out, "],");
	text_add(&w->out, unit->enable == NODE_ENABLE_YES ? SV("\"enabled\":true")
	                                                  : SV("\"enabled\":false"));
	if (unit->mask)
		TEXT_ADD_LIT(&w->out, ",\"mask\":true");
	TEXT_ADD_LIT(&w->out, ",\"name\":");
	if (good)
		add_string(w, &name);
	TEXT_ADD_LIT(&w->out, "}");
}

static void add_systemd(struct writer *w, const struct node_config *node)
{
	TEXT_ADD_LIT(&w->out, ",\"systemd\":{");
	if (node->unit_count > 0)
		TEXT_ADD_LIT(&w->out, "\"units\":[");
	for (size_t i = 0; i < node->unit_count; i++)
		add_ignition_unit(w, &node->units[i], i == 0);
	if (node->unit_count > 0)
		TEXT_ADD_LIT(&w->out, "]");
	TEXT_ADD_LIT(&w->out, "}");
}

/* ---- keys and the whole ------------------------------------------------------------------ */

static void add_passwd(struct writer *w, const struct node_config *node)
{
	struct value *keys;
	size_t count;
	size_t culprit;

	TEXT_ADD_LIT(&w->out, ",\"passwd\":{");
	if (node->ssh_key_count > 0 &&
	    !ignition_plain_keys(w->arena, node->ssh_keys, node->ssh_key_count, &keys, &count,
	                         &culprit)) {
		fail_name(w, "this SSH key", &node->ssh_keys[culprit]);
		return;
	}
	if (node->ssh_key_count > 0) {
		TEXT_ADD_LIT(&w->out, "\"users\":[{\"name\":\"core\"");
		for (size_t i = 0; i < count; i++) {
			text_add(&w->out, i == 0 ? SV(",\"sshAuthorizedKeys\":[") : SV(","));
			add_string(w, &keys[i]);
		}
		text_add(&w->out, count > 0 ? SV("]}]") : SV("}]"));
	}
	TEXT_ADD_LIT(&w->out, "}");
}

enum status userdata_ignition(struct arena *arena, struct sink *sink,
                              const struct node_config *node, struct userdata_apart *apart,
                              struct value *ret_text)
{
	struct writer w = {.arena = arena,
	                   .sink = sink,
	                   .apart = apart,
	                   .out = text_in(arena),
	                   .boot = ignition_boot_in(arena, sink)};

	TEXT_ADD_LIT(&w.out, "{\"ignition\":{\"config\":{},\"security\":{\"tls\":{}},"
	                     "\"timeouts\":{},\"version\":\"2.3.0\"},\"networkd\":{}");
	add_passwd(&w, node);
	add_storage(&w, node);
	add_systemd(&w, node);
	TEXT_ADD_LIT(&w.out, "}");
	if (!ignition_boot_good(&w.boot) || w.failed)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &w.out);
	return STATUS_OK;
}
