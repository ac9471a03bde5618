/*
 * The formats by name.
 */
#include "userdata/userdata.h"
#include "userdata/writer.h"

static const struct userdata_format table[] = {
    {SV_INIT("bash"), userdata_bash},
    {SV_INIT("cloud-config"), userdata_cloud_config},
    {SV_INIT("coreos-cloud-config"), userdata_coreos},
    {SV_INIT("ignition"), userdata_ignition3},
};

const struct userdata_format *userdata_format_ignition2(void)
{
	static const struct userdata_format format = {SV_INIT("ignition"), userdata_ignition2};

	return &format;
}

const struct userdata_format *userdata_format_find(sv name)
{
	for (size_t i = 0; i < COUNT_OF(table); i++)
		if (sv_eq(table[i].name, name))
			return &table[i];
	return NULL;
}
