/*
 * Mistakes in SOPS files that osm-gen reports, whether it decrypts the file or the program sops.
 */
#include "seal/sops.h"

void sops_leaf_error(struct arena *arena, struct sink *sink, const struct secrecy_place *place,
                     const char *what)
{
	sv path = secrecy_path(arena, place);
	struct diag *diag = diag_report(sink, DIAG_SOPS_FORMAT, value_position(place->value),
	                                "%.*s %s", SV_ARG(path), what);

	diag_set_help(sink, diag, "decrypt and encrypt the file again with sops");
}

void sops_mac_error(struct sink *sink, const struct value *mac)
{
	struct diag *diag = diag_report(
	    sink, DIAG_SOPS_MAC, value_position(mac),
	    "the message authentication code does not match: a value was changed, moved or removed "
	    "without sops");

	diag_set_help(sink, diag,
	              "go back to the last version that sops wrote, then edit with `sops`");
}
