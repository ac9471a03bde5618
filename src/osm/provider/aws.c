/*
 * The legacy cloud-config of AWS (osm.md 8.3).
 */
#include "osm/internal.h"

/* INI text: backslash and double quote escaped, nothing else. */
static void add_quoted(struct text *text, const struct value *string)
{
	struct buf quoted = buf_in(text->buf.arena);
	sv s = value_text(string);

	buf_add_char(&quoted, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' || s.ptr[i] == '"')
			buf_add_char(&quoted, '\\');
		buf_add_char(&quoted, s.ptr[i]);
	}
	buf_add_char(&quoted, '"');
	text_add_secret(text, buf_sv(&quoted), value_secret(string));
}

enum status osm_cloud_config_aws(struct arena *arena, struct sink *sink,
                                 const struct osm_cloud_config_input *input, struct value *ret_text)
{
	static const struct {
		sv member;
		sv key;
	} lines[] = {
	    {SV_INIT("availabilityZone"), SV_INIT("Zone")},
	    {SV_INIT("vpcId"), SV_INIT("VPC")},
	    {SV_INIT("subnetId"), SV_INIT("SubnetID")},
	};
	struct text text = text_in(arena);
	enum status status = STATUS_OK;

	TEXT_ADD_LIT(&text, "[global]\n");
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct value string = value_string(SV(""));

		status |= osm_config_var_string(arena, sink, input->cluster, input->spec,
		                                lines[i].member, &string);
		text_add(&text, lines[i].key);
		TEXT_ADD_LIT(&text, "=");
		add_quoted(&text, &string);
		TEXT_ADD_LIT(&text, "\n");
	}
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
