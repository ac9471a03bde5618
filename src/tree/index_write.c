/*
 * Writes index.json. A fleet has megabytes of it, so the document is written as it goes, without a
 * tree of values: two spaces a level, one member a line, as json_doc_write has it.
 */
#include "tree/index.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

struct writer {
	struct buf *buf;
	size_t depth;
	bool is_empty; /* nothing is in the list or map that is open */
};

static void begin_item(struct writer *w)
{
	buf_add(w->buf, w->is_empty ? SV("\n") : SV(",\n"));
	buf_add_repeat(w->buf, ' ', 2 * w->depth);
	w->is_empty = false;
}

static void begin_member(struct writer *w, sv key)
{
	begin_item(w);
	buf_add_char(w->buf, '"');
	buf_add(w->buf, key);
	BUF_ADD_LIT(w->buf, "\": ");
}

static void begin_group(struct writer *w, char bracket)
{
	buf_add_char(w->buf, bracket);
	w->depth++;
	w->is_empty = true;
}

static void end_group(struct writer *w, char bracket)
{
	w->depth--;
	if (!w->is_empty) {
		buf_add_char(w->buf, '\n');
		buf_add_repeat(w->buf, ' ', 2 * w->depth);
	}
	buf_add_char(w->buf, bracket);
	w->is_empty = false;
}

static bool is_plain_json(sv text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
			return false;
	}
	return true;
}

static void add_json_escaped(struct buf *buf, uint32_t rune, sv bytes)
{
	static const char shorts[] = "\bb\ff\nn\rr\tt\"\"\\\\";

	for (size_t i = 0; i + 1 < sizeof(shorts); i += 2)
		if (rune == (unsigned char)shorts[i]) {
			buf_add_char(buf, '\\');
			buf_add_char(buf, shorts[i + 1]);
			return;
		}
	if (rune < 0x20)
		buf_printf(buf, "\\u%04x", (unsigned)rune);
	else if (rune == UTF8_REPLACEMENT)
		BUF_ADD_LIT(buf, "\xEF\xBF\xBD");
	else
		buf_add(buf, bytes);
}

static void add_string(struct writer *w, sv text)
{
	buf_add_char(w->buf, '"');
	if (is_plain_json(text)) {
		buf_add(w->buf, text);
	} else {
		while (text.len > 0) {
			size_t width;
			uint32_t rune = utf8_decode(text, &width);

			add_json_escaped(w->buf, rune, sv_slice(text, 0, width));
			text = sv_from_offset(text, width);
		}
	}
	buf_add_char(w->buf, '"');
}

static void write_text_member(struct writer *w, sv key, sv text)
{
	begin_member(w, key);
	add_string(w, text);
}

static void set_text_if(struct writer *w, sv key, sv text)
{
	if (!sv_empty(text))
		write_text_member(w, key, text);
}

static void set_size(struct writer *w, sv key, size_t size)
{
	begin_member(w, key);
	buf_add_decimal(w->buf, size);
}

/* ---- files --------------------------------------------------------------------------------- */

/* `key` is "object", or "patchOf" for a patch, which is not an object of its own. */
static void set_object(struct writer *w, sv key, const struct kube_id *id,
                       const struct tree_file *file)
{
	begin_member(w, key);
	begin_group(w, '{');
	set_text_if(w, SV("apiVersion"), id->api_version);
	set_text_if(w, SV("kind"), id->kind);
	set_text_if(w, SV("namespace"), id->namespace);
	set_text_if(w, SV("name"), id->name);
	end_group(w, '}');
	set_text_if(w, SV("role"), artifact_role_name(file->role));
	set_text_if(w, SV("source"), file->source);
	begin_member(w, SV("sealed"));
	buf_add(w->buf, file->sealed ? SV("true") : SV("false"));
}

/* Only configs and user-data depend on the template and the profile. */
static bool holds_revision(enum artifact_role role)
{
	switch (role) {
	case ARTIFACT_CONFIG:
	case ARTIFACT_BOOTSTRAP:
	case ARTIFACT_PROVISIONING:
		return true;
	case ARTIFACT_CREDENTIAL:
	case ARTIFACT_REPORT:
	case ARTIFACT_MACHINES:
	case ARTIFACT_CONFIG_MAP:
	case ARTIFACT_SUPPORT:
		return false;
	}
	BUG("role of an artifact");
}

static void set_unit(struct writer *w, sv cluster, const struct tree_file *file)
{
	const struct tree_unit *unit = file->unit;

	begin_member(w, SV("unit"));
	begin_group(w, '{');
	set_text_if(w, SV("cluster"), cluster);
	set_text_if(w, SV("kind"), unit->kind);
	set_text_if(w, SV("namespace"), unit->namespace);
	set_text_if(w, SV("name"), unit->name);
	end_group(w, '}');
	if (!holds_revision(file->role))
		return;
	set_text_if(w, SV("revision"), unit->revision);
	set_text_if(w, SV("templateDigest"), unit->template_digest);
	if (file->role == ARTIFACT_PROVISIONING) {
		set_text_if(w, SV("configMap"), unit->config_maps.now);
		set_text_if(w, SV("configMapBefore"), unit->config_maps.before);
	}
	if (sv_empty(unit->profile))
		return;
	begin_member(w, SV("profile"));
	begin_group(w, '{');
	set_text_if(w, SV("name"), unit->profile);
	set_text_if(w, SV("version"), unit->profile_version);
	end_group(w, '}');
}

static void add_file_entry(struct writer *w, const struct tree_index_request *request,
                           const struct tree_file *file)
{
	begin_item(w);
	begin_group(w, '{');
	set_text_if(w, SV("path"), sv_from_offset(file->path, request->folder.len + 1));
	if (!sv_empty(file->object.kind))
		set_object(w, SV("object"), &file->object, file);
	if (file->patch_of)
		set_object(w, SV("patchOf"), file->patch_of, file);
	if (file->unit)
		set_unit(w, request->cluster, file);
	if (file->user_data_bytes > 0) {
		begin_member(w, SV("userData"));
		begin_group(w, '{');
		set_size(w, SV("bytes"), file->user_data_bytes);
		if (file->user_data_limit > 0)
			set_size(w, SV("budget"), file->user_data_limit);
		end_group(w, '}');
	}
	end_group(w, '}');
}

/* Its paths are relative to the output folder, since they are outside of the cluster's. */
static void add_delivery(struct writer *w, const struct tree_file *file)
{
	begin_item(w);
	begin_group(w, '{');
	write_text_member(w, SV("path"), file->path);
	if (!sv_empty(file->object.kind))
		set_object(w, SV("object"), &file->object, file);
	end_group(w, '}');
}

/* Begins an entry that names the unit by its own members. */
static void begin_owned(struct writer *w, const struct tree_unit *unit)
{
	begin_item(w);
	begin_group(w, '{');
	set_text_if(w, SV("kind"), unit->kind);
	set_text_if(w, SV("namespace"), unit->namespace);
	set_text_if(w, SV("name"), unit->name);
}

static void add_proof(struct writer *w, const struct tree_proof *proof)
{
	begin_owned(w, proof->unit);
	set_text_if(w, SV("provider"), proof->provider);
	set_text_if(w, SV("operatingSystem"), proof->operating_system);
	set_text_if(w, SV("kubelet"), proof->kubelet_version);
	write_text_member(w, SV("proof"), proof->proof);
	end_group(w, '}');
}

static void add_roll(struct writer *w, const struct tree_roll *roll)
{
	begin_owned(w, roll->unit);
	set_text_if(w, SV("by"), roll->by);
	set_text_if(w, SV("contract"), roll->contract);
	set_text_if(w, SV("seedId"), roll->seed);
	set_text_if(w, SV("digest"), roll->digest);
	set_text_if(w, SV("value"), roll->value);
	end_group(w, '}');
}

/* ---- the document -------------------------------------------------------------------------- */

static void set_texts(struct writer *w, sv key, const sv *texts, size_t count)
{
	begin_member(w, key);
	begin_group(w, '[');
	for (size_t i = 0; i < count; i++) {
		begin_item(w);
		add_string(w, texts[i]);
	}
	end_group(w, ']');
}

static void add_head(struct writer *w, const struct tree_index_request *request)
{
	set_size(w, SV("formatVersion"), TREE_INDEX_FORMAT);
	write_text_member(w, SV("generator"), SV("osm-gen"));
	write_text_member(w, SV("cluster"), request->cluster);
	set_text_if(w, SV("seedId"), request->seed_id);
	set_texts(w, SV("recipients"), request->recipients, request->recipient_count);
	set_text_if(w, SV("recipientsDigest"), request->recipients_digest);
	if (request->sealed_setting_count > 0)
		set_texts(w, SV("encryptedSettings"), request->sealed_settings,
		          request->sealed_setting_count);
	if (request->cut > 0)
		set_size(w, SV("cut"), request->cut);
}

void tree_add_index(struct buf *buf, const struct tree_index_request *request)
{
	struct writer w = {.buf = buf};

	begin_group(&w, '{');
	add_head(&w, request);
	if (request->delivery && request->delivery->count > 0) {
		begin_member(&w, SV("delivery"));
		begin_group(&w, '[');
		VEC_EACH (file, request->delivery)
			add_delivery(&w, *file);
		end_group(&w, ']');
	}
	begin_member(&w, SV("files"));
	begin_group(&w, '[');
	VEC_EACH (file, request->files)
		add_file_entry(&w, request, *file);
	end_group(&w, ']');
	if (request->proofs && request->proofs->count > 0) {
		begin_member(&w, SV("proofs"));
		begin_group(&w, '[');
		VEC_EACH (proof, request->proofs)
			add_proof(&w, proof);
		end_group(&w, ']');
	}
	if (request->rolls && request->rolls->count > 0) {
		begin_member(&w, SV("rolls"));
		begin_group(&w, '[');
		VEC_EACH (roll, request->rolls)
			add_roll(&w, roll);
		end_group(&w, ']');
	}
	end_group(&w, '}');
	buf_add_char(buf, '\n');
}
