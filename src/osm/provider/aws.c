/*
 * The legacy cloud-config of AWS (docs/spec/cloud-config.md 3.1).
 */
#include "osm/provider/provider.h"

enum status osm_cloud_config_aws(struct arena *arena, struct sink *sink,
                                 const struct osm_cloud_config_input *input, struct value *ret_text)
{
	static const struct spec_field fields[] = {
	    {SV_INIT("availabilityZone"), OSM_VAR_STRING},
	    {SV_INIT("vpcId"), OSM_VAR_STRING},
	    {SV_INIT("subnetId"), OSM_VAR_STRING},
	};
	static const char *const heads[] = {"Zone=", "VPC=", "SubnetID="};
	struct spec spec = spec_of(arena, sink, input);
	struct osm_config_var vars[COUNT_OF(fields)];
	struct text text = text_in(arena);

	spec_decode(&spec, SV(""), fields, COUNT_OF(fields), vars);
	TEXT_ADD_LIT(&text, "[global]\n");
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		struct value string = spec_string(&spec, &vars[i]);

		ini_add(&text, heads[i], &string);
	}
	if (spec.failed)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
