/*
 * Lines of authorized_keys as golang.org/x/crypto/ssh reads them. The keys were made by OpenSSH and
 * are TEST-ONLY; tests/oracle/machines compares with the library itself.
 */
#include "golang/golang.h"

#include "asserts.h"

#define ED25519 "AAAAC3NzaC1lZDI1NTE5AAAAILF5tvK5wUvTtz6fXZhjQWqG5DG+vW8nsJbUwEsK/JQ/"
#define ECDSA                                                                                      \
	"AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGo4YNpv1W/sAwGoPXmecpOm"             \
	"ELAb2jsftytkSM04WxzYt/u7iUsNorFhKnczHx6/yNpsmPB/Z0F+qLN8xiT+wVk="
#define OFF_CURVE                                                                                  \
	"AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGo4YNpv1W/sAwGoPXmecpOm"             \
	"ELAb2jsftytkSM04WxzYt/u7iUsNorFhKnczHx6/yNpsmPB/Z0F+qLN8xiT+wVg="
#define RSA                                                                                        \
	"AAAAB3NzaC1yc2EAAAADAQABAAAAgQCojvWo5Nc70HO9M5WCHdJ25ZsIc26MDNh/tSlhtS5fNgzt"             \
	"ZEQfbh3U1btbUQoH56Ny65M19r4SUnhM5AQ2d4I572UCJN7U1xrP+8PbpKlD59fWmIu2OnVwXFR4"             \
	"wcrl4YM+7pHUSVxtMbq2K2sApqjmk7yD+SBFFUydQvs1TBaHTw=="
#define RSA_EVEN                                                                                   \
	"AAAAB3NzaC1yc2EAAAADAQACAAAAgQCojvWo5Nc70HO9M5WCHdJ25ZsIc26MDNh/tSlhtS5fNgzt"             \
	"ZEQfbh3U1btbUQoH56Ny65M19r4SUnhM5AQ2d4I572UCJN7U1xrP+8PbpKlD59fWmIu2OnVwXFR4"             \
	"wcrl4YM+7pHUSVxtMbq2K2sApqjmk7yD+SBFFUydQvs1TBaHTw=="
#define CERTIFICATE                                                                                \
	"AAAAKGVjZHNhLXNoYTItbmlzdHAyNTYtY2VydC12MDFAb3BlbnNzaC5jb20AAAAgi2n+nKiWgvFQ"             \
	"GwfpQvzJqfu1PyreXJkAV7RUwZXBKqkAAAAIbmlzdHAyNTYAAABBBGo4YNpv1W/sAwGoPXmecpOm"             \
	"ELAb2jsftytkSM04WxzYt/u7iUsNorFhKnczHx6/yNpsmPB/Z0F+qLN8xiT+wVkAAAAAAAAAAAAA"             \
	"AAEAAAAJVEVTVC1PTkxZAAAACAAAAARyb290AAAAAAAAAAD//////////wAAAAAAAACCAAAAFXBl"             \
	"cm1pdC1YMTEtZm9yd2FyZGluZwAAAAAAAAAXcGVybWl0LWFnZW50LWZvcndhcmRpbmcAAAAAAAAA"             \
	"FnBlcm1pdC1wb3J0LWZvcndhcmRpbmcAAAAAAAAACnBlcm1pdC1wdHkAAAAAAAAADnBlcm1pdC11"             \
	"c2VyLXJjAAAAAAAAAAAAAAAzAAAAC3NzaC1lZDI1NTE5AAAAILF5tvK5wUvTtz6fXZhjQWqG5DG+"             \
	"vW8nsJbUwEsK/JQ/AAAAUwAAAAtzc2gtZWQyNTUxOQAAAEAO7dsHwdwnY9vHsv44a6IjEG/fQqKQ"             \
	"QprgMk0LONT1Vz5HitjXm0w9x7ZpVxsnLdEQt/D+D0SlYXROWF3sYOAB"

struct key_case {
	const char *text;
	enum ssh_key_mistake mistake;
};

static void check(const struct key_case *cases, size_t count)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < count; i++)
		assert_int_equal(go_ssh_key_check(arena, sv_from_cstr(cases[i].text)),
		                 cases[i].mistake);
}

static void keys(void **state)
{
	static const struct key_case cases[] = {
	    {"ssh-ed25519 " ED25519, SSH_KEY_FINE},
	    {"ssh-rsa " RSA " somebody@example.com\n", SSH_KEY_FINE},
	    {"ecdsa-sha2-nistp256 " ECDSA, SSH_KEY_FINE},
	    {"ecdsa-sha2-nistp256-cert-v01@openssh.com " CERTIFICATE, SSH_KEY_FINE},
	    {"ecdsa-sha2-nistp256 " OFF_CURVE, SSH_KEY_DAMAGED},
	    {"ssh-rsa " RSA_EVEN, SSH_KEY_DAMAGED},
	    {"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", SSH_KEY_DAMAGED},
	    {"ssh-ed25519 AAAA", SSH_KEY_DAMAGED},
	    {"ssh-quantum AAAAC3NzaC1xdWFudHVt", SSH_KEY_TYPE},
	};

	(void)state;
	check(cases, COUNT_OF(cases));
}

static void lines(void **state)
{
	static const struct key_case cases[] = {
	    {"", SSH_KEY_NO_LINE},
	    {"# " ED25519, SSH_KEY_NO_LINE},
	    {ED25519, SSH_KEY_NO_LINE},
	    {"~/.ssh/id_ed25519.pub", SSH_KEY_NO_LINE},
	    {"<< YOUR_PUBLIC_KEY >>", SSH_KEY_NO_BASE64},
	    {"ssh-ed25519 " ED25519 "=", SSH_KEY_NO_BASE64},
	    /* The bytes name their type. */
	    {"anything " ED25519, SSH_KEY_FINE},
	    {"no-pty,command=\"echo \\\"a b\\\"\" ssh-ed25519 " ED25519, SSH_KEY_FINE},
	    {"command=\"echo ssh-ed25519 " ED25519, SSH_KEY_NO_BASE64},
	    {"# comment\r\n\n\tssh-ed25519\t" ED25519 "\r\n", SSH_KEY_FINE},
	    {"no key\nssh-ed25519 " ED25519, SSH_KEY_FINE},
	    {"ssh-ed25519\302\240" ED25519, SSH_KEY_NO_LINE},
	};

	(void)state;
	check(cases, COUNT_OF(cases));
}

UNIT_TESTS(golang_ssh_key)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys),
	    cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
