/*
 * PEM blocks, and private keys in DER: the scan for leaks takes any bytes for one. The input is
 * tried as both.
 */
#include "codec/codec.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void try_der(sv der)
{
	unsigned forms = 0;

	for (int form = PRIVATE_KEY_PKCS8; form <= PRIVATE_KEY_DSA; form++)
		forms += x509_is_private_key((enum private_key_form)form, der);
	/* A key begins with a number, a certificate with a sequence. */
	check(forms == 0 || !x509_is_certificate(der));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = sv_from((const char *)data, size);
	sv rest = text;
	sv label;
	sv der;
	sv first_label;
	sv first_der;
	bool found = pem_find(arena, text, &first_label, &first_der);

	if (size > 65536)
		return 0;
	try_der(text);
	for (bool is_first = true; pem_next(arena, &rest, &label, &der); is_first = false) {
		check(found && rest.len < text.len && sv_ends_with(text, rest));
		check(!is_first || (sv_eq(label, first_label) && sv_eq(der, first_der)));
		check(sv_contains(text, label) && sv_find_char(label, '\n') == SV_NPOS);
		check(der.len <= text.len);
		try_der(der);
		found = true;
	}
	return 0;
}
