/*
 * Renders containerd's config.toml (docs/spec/containerd.md 1), the same for all nodes of a
 * cluster.
 */
#include "osm/cluster.h"
#include "osm/osm.h"
#include "value/text.h"

static void add_escaped(struct buf *out, sv s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		switch (c) {
		case '"':
		case '\\':
			buf_add_char(out, '\\');
			buf_add_char(out, (char)c);
			break;
		case '\b':
			BUF_ADD_LIT(out, "\\b");
			break;
		case '\t':
			BUF_ADD_LIT(out, "\\t");
			break;
		case '\n':
			BUF_ADD_LIT(out, "\\n");
			break;
		case '\f':
			BUF_ADD_LIT(out, "\\f");
			break;
		case '\r':
			BUF_ADD_LIT(out, "\\r");
			break;
		default:
			if (c < 0x20 || c == 0x7f)
				buf_printf(out, "\\u%04x", c);
			else
				buf_add_char(out, (char)c);
		}
	}
}

void osm_toml_add_string(struct text *text, const struct value *string)
{
	struct buf escaped = buf_in(text->buf.arena);

	TEXT_ADD_LIT(text, "\"");
	add_escaped(&escaped, value_text(string));
	if (sv_eq(buf_sv(&escaped), value_text(string)))
		text_add_value(text, string);
	else /* Escapes shift offsets, so taint the whole string. */
		text_add_secret(text, buf_sv(&escaped), secrecy_find(string));
	TEXT_ADD_LIT(text, "\"");
}

void osm_toml_add_key(struct text *text, sv key)
{
	bool bare = key.len > 0;

	for (size_t i = 0; i < key.len && bare; i++)
		bare = ascii_is_alphanumeric(key.ptr[i]) || key.ptr[i] == '_' || key.ptr[i] == '-';
	if (bare) {
		text_add(text, key);
	} else {
		struct value string = value_string(key);

		osm_toml_add_string(text, &string);
	}
}

#define IMAGES  "[plugins.\"io.containerd.cri.v1.images\""
#define RUNTIME "[plugins.\"io.containerd.cri.v1.runtime\""

static void add_credentials(struct text *text, const struct osm_registry_credentials *credentials)
{
	if (credentials->count == 0)
		return;
	TEXT_ADD_LIT(text, IMAGES ".registry.configs]\n");
	for (size_t i = 0; i < credentials->count; i++) {
		const struct osm_registry_credential *item = &credentials->items[i];
		const struct {
			sv key;
			const struct value *string;
		} lines[] = {
		    {SV("username"), &item->username},
		    {SV("password"), &item->password},
		    {SV("auth"), &item->auth},
		    {SV("identitytoken"), &item->identity_token},
		};

		TEXT_ADD_LIT(text, IMAGES ".registry.configs.");
		osm_toml_add_key(text, item->host);
		TEXT_ADD_LIT(text, "]\n" IMAGES ".registry.configs.");
		osm_toml_add_key(text, item->host);
		TEXT_ADD_LIT(text, ".auth]\n");
		for (size_t k = 0; k < COUNT_OF(lines); k++) {
			if (sv_empty(value_text(lines[k].string)))
				continue;
			text_add(text, lines[k].key);
			TEXT_ADD_LIT(text, " = ");
			osm_toml_add_string(text, lines[k].string);
			TEXT_ADD_LIT(text, "\n");
		}
	}
}

struct value osm_containerd_config(struct arena *arena, const struct osm_settings *settings,
                                   const struct osm_registry_credentials *credentials)
{
	struct text text = text_in(arena);

	TEXT_ADD_LIT(&text,
	             "version = 3\n\n[metrics]\naddress = \"127.0.0.1:1338\"\n\n[plugins]\n");
	TEXT_ADD_LIT(&text, IMAGES "]\ndiscard_unpacked_layers = false\n");
	if (!sv_empty(settings->pause_image.string)) {
		TEXT_ADD_LIT(&text, IMAGES ".pinned_images]\nsandbox = ");
		osm_toml_add_string(&text, &settings->pause_image);
		TEXT_ADD_LIT(&text, "\n");
	}
	TEXT_ADD_LIT(&text, IMAGES ".registry]\nconfig_path = \"/etc/containerd/certs.d\"\n");
	add_credentials(&text, credentials);
	TEXT_ADD_LIT(&text, RUNTIME "]\ndevice_ownership_from_security_context = ");
	text_add(&text, settings->device_ownership ? SV("true") : SV("false"));
	TEXT_ADD_LIT(&text, "\n" RUNTIME ".containerd]\n");
	TEXT_ADD_LIT(&text, RUNTIME ".containerd.runtimes]\n");
	TEXT_ADD_LIT(&text, RUNTIME ".containerd.runtimes.runc]\n");
	TEXT_ADD_LIT(&text, "runtime_type = \"io.containerd.runc.v2\"\n");
	TEXT_ADD_LIT(&text, RUNTIME ".containerd.runtimes.runc.options]\nSystemdCgroup = true\n");
	TEXT_ADD_LIT(&text, RUNTIME ".cni]\nbin_dirs = [\"/opt/cni/bin\"]\n");
	TEXT_ADD_LIT(&text, "conf_dir = \"/etc/cni/net.d\"\n");
	return text_value(arena, &text);
}
