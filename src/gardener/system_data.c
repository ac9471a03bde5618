/*
 * Makes the data for templates of a system: members of the OSC, but never the contents of its files
 * and units.
 */
#include "base/ascii.h"
#include "gardener/system.h"

#define FIELD(field_name, field_type)                                                              \
	{                                                                                          \
		.name = SV_INIT(field_name), .type = (field_type), .exported = true                \
	}

enum data_field {
	DATA_TYPE,
	DATA_PURPOSE,
	DATA_CRI,
	DATA_CRI_CONFIG,
	DATA_PROVIDER_CONFIG,
	DATA_KUBERNETES_VERSION,
	DATA_IN_PLACE_UPDATES,
	DATA_PATH,
	DATA_NTP,
	DATA_APT,
	DATA_UNATTENDED_UPGRADES,
	DATA_FIELD_COUNT,
};

static const struct type_field fields[DATA_FIELD_COUNT] = {
    [DATA_TYPE] = FIELD("Type", &type_string),
    [DATA_PURPOSE] = FIELD("Purpose", &type_string),
    [DATA_CRI] = FIELD("CRI", &type_string),
    [DATA_CRI_CONFIG] = FIELD("CRIConfig", &type_any_map),
    [DATA_PROVIDER_CONFIG] = FIELD("ProviderConfig", &type_any_map),
    [DATA_KUBERNETES_VERSION] = FIELD("KubernetesVersion", &type_string),
    [DATA_IN_PLACE_UPDATES] = FIELD("InPlaceUpdates", &type_any_map),
    [DATA_PATH] = FIELD("Path", &type_string),
    [DATA_NTP] = FIELD("NTP", &type_any_map),
    [DATA_APT] = FIELD("APT", &type_any_map),
    [DATA_UNATTENDED_UPGRADES] = FIELD("UnattendedUpgrades", &type_bool),
};
static const struct type data_type = {
    .kind = KIND_STRUCT,
    .name = SV_INIT("gardener.Machine"),
    .fields = fields,
    .field_count = DATA_FIELD_COUNT,
};

static struct value map_or_empty(struct arena *arena, const struct value *map)
{
	return map ? *map : value_map_new(arena);
}

static struct value text_or_empty(const struct value *text)
{
	return text->type ? *text : value_string(SV(""));
}

struct value gardener_shell_word(struct arena *arena, const struct value *text)
{
	struct text quoted = text_in(arena);
	bool is_plain = !sv_empty(text->string);
	size_t from = 0;

	for (size_t i = 0; i < text->string.len; i++) {
		char c = text->string.ptr[i];

		is_plain &=
		    ascii_is_alphanumeric((unsigned char)c) || ascii_is_any(c, "@%_+=:,./-");
	}
	if (is_plain)
		return *text;
	TEXT_ADD_LIT(&quoted, "'");
	for (size_t i = 0; i <= text->string.len; i++) {
		bool is_end = i == text->string.len;

		if (!is_end && text->string.ptr[i] != '\'')
			continue;
		text_add_tainted(&quoted, sv_slice(text->string, from, i),
		                 taint_slice(arena, text->taint, from, i));
		text_add(&quoted, is_end ? SV("'") : SV("'\\''"));
		from = i + 1;
	}
	return text_value(arena, &quoted);
}

/* Returns the time client in the form of the extensions' configuration. */
static struct value ntp_value(struct arena *arena, const struct gardener_settings *settings)
{
	struct value ntp = value_map_new(arena);
	struct value ntpd = value_map_new(arena);
	bool is_off = sv_eq(settings->ntp, SV("none"));

	value_map_set(arena, &ntpd, SV("servers"), settings->ntp_servers);
	value_map_set(arena, &ntp, SV("daemon"),
	              value_string(is_off ? SV("systemd-timesyncd") : settings->ntp));
	value_map_set(arena, &ntp, SV("enabled"), value_bool(!is_off));
	value_map_set(arena, &ntp, SV("ntpd"), ntpd);
	return ntp;
}

static struct value apt_value(struct arena *arena, const struct gardener_settings *settings)
{
	struct value apt = value_map_new(arena);

	value_map_set(arena, &apt, SV("mirror"), text_or_empty(&settings->apt_mirror));
	value_map_set(arena, &apt, SV("securityMirror"),
	              text_or_empty(&settings->apt_security_mirror));
	return apt;
}

struct value system_data(struct arena *arena, const struct gardener_osc *osc,
                         const struct gardener_settings *settings)
{
	struct value data = {
	    .type = &data_type,
	    .fields = ARENA_ARRAY(arena, struct value, DATA_FIELD_COUNT),
	};
	struct value path = text_or_empty(&osc->reload_path);

	data.fields[DATA_TYPE] = text_or_empty(&osc->type);
	data.fields[DATA_PURPOSE] = value_string(gardener_purpose_name(osc->purpose));
	data.fields[DATA_CRI] = value_string(osc->cri_name);
	data.fields[DATA_CRI_CONFIG] = map_or_empty(arena, osc->cri);
	data.fields[DATA_PROVIDER_CONFIG] = map_or_empty(arena, osc->provider_config);
	data.fields[DATA_KUBERNETES_VERSION] = value_string(settings->kubernetes_version);
	data.fields[DATA_IN_PLACE_UPDATES] = map_or_empty(arena, osc->in_place_updates);
	data.fields[DATA_NTP] = ntp_value(arena, settings);
	data.fields[DATA_APT] = apt_value(arena, settings);
	data.fields[DATA_UNATTENDED_UPGRADES] = value_bool(settings->unattended_upgrades);
	data.fields[DATA_PATH] = gardener_shell_word(arena, &path);
	return data;
}
