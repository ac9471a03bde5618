/* The seed and what is derived from it, Bech32, age: known answers of docs/spec/sealing.md 6 and
 * CCTV. */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/bech32.h"
#include "seal/derive.h"
#include "seal/seal.h"
#include "seal/xwing.h"

#include "asserts.h"
#include "stack_marks.h"

#include <signal.h>
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#define CCTV_IDENTITY "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0"
/* tests/keys/TEST-ONLY-ssh-ed25519.pub */
#define SSH_RECIPIENT                                                                              \
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjbfEa6J8gbkf595i7tDToqSOOfBqucgTIxXxC6UKTt"
#define HYBRID_IDENTITY                                                                            \
	"AGE-SECRET-KEY-PQ-1HZLGZUPT4ETPKDEV8HSGFDCYZ4E522W0A7PU2LHT8EH9W6YLNC3SW78XKG"
#define CCTV_RECIPIENT "age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef"

static struct arena *arena;
static struct sink sink;

static int set_up(void **state)
{
	(void)state;
	seal_init();
	arena = arena_new(ARENA_SECRET);
	sink = sink_in(arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static sv counting_seed_text(void)
{
	uint8_t seed[SEAL_SEED_SIZE];

	for (size_t i = 0; i < sizeof(seed); i++)
		seed[i] = (uint8_t)i;
	return seal_seed_format(arena, seed);
}

static struct seal_root *counting_root(void)
{
	struct seal_root *root;

	assert_int_equal(seal_root_parse(&sink, NOWHERE, counting_seed_text(), &root), STATUS_OK);
	return root;
}

static sv derived(const struct seal_root *root, enum derive_purpose purpose, size_t size,
                  const sv *fields, size_t count)
{
	struct derivation derivation;
	uint8_t out[64];

	derive_begin(&derivation, root, purpose, size, count);
	for (size_t i = 0; i < count; i++)
		derive_field(&derivation, fields[i]);
	derive_end(&derivation, out);
	return hex_encode(arena, sv_from((const char *)out, size));
}

static void test_derivation(void **state)
{
	(void)state;
	SEAL_ROOT_AUTO root = counting_root();
	const sv a_bc[] = {SV_INIT("a"), SV_INIT("bc")};
	const sv ab_c[] = {SV_INIT("ab"), SV_INIT("c")};

	assert_sv(hex_encode(arena, sv_from((const char *)root, 32)),
	          "1ad79d1b66a26f8fc9e73c2520a4798e7cd8d1d32a6de87cbf4ddfc6e5473f7d");
	assert_sv(derived(root, DERIVE_SOPS_DATA_KEY, 32, NULL, 0),
	          "0663fb6c37cb5a74700d6c2d0becc72bd8a94b891f63c4419721f12033191e5c");
	assert_sv(derived(root, DERIVE_SOPS_DATA_KEY, 32, a_bc, 2),
	          "504da44849d573d513042cd5eb70336832e09e482286714797be380f9339c492");
	assert_sv(derived(root, DERIVE_SOPS_DATA_KEY, 32, ab_c, 2),
	          "10554aac71ecf1125eb1b1985457fbbc0e228299bc590415a0dc1a2e13f34380");
	assert_sv(derived(root, DERIVE_SOPS_IV, 32, a_bc, 2),
	          "5f6a5ef044b5af819529f30467ea78a029a3f07d42d8665b963598e632f00197");
	assert_sv(derived(root, DERIVE_AGE_FILE_KEY, 16, a_bc, 2),
	          "ab2bc22b06917b076d108b30a692b694");
	assert_sv(seal_seed_id(arena, root), "bb98d69ac0ba3949");
}

/* Fleets of one seed share nothing; without a name all is as it always was. */
static void test_fleet(void **state)
{
	(void)state;
	SEAL_ROOT_AUTO root = counting_root();
	SEAL_ROOT_AUTO unnamed = counting_root();
	SEAL_ROOT_AUTO a = counting_root();
	SEAL_ROOT_AUTO b = counting_root();
	const struct seal_token_owner owner = {SV_INIT("c"), SV_INIT("n"), SV_INIT("m"),
	                                       SV_INIT("")};
	const sv recipients[] = {SV_INIT("age1a"), SV_INIT("age1b")};
	const struct seal_root *roots[] = {root, a, b};

	seal_root_bind(unnamed, SV(""));
	seal_root_bind(a, SV("a"));
	seal_root_bind(b, SV("b"));
	assert_true(sv_eq(seal_seed_id(arena, unnamed), seal_seed_id(arena, root)));
	/* BLAKE2b-256 keyed with the root of test_derivation, personal "fleet", over the size 32,
	 * one field, its length 1 and "a": from Python's hashlib. */
	assert_sv(hex_encode(arena, sv_from((const char *)a, 32)),
	          "142f09d829206d945b8313f2db426e3452cea0ec1cbf4e22e57f80385aff521a");
	for (int purpose = 0; purpose <= DERIVE_RECIPIENTS_DIGEST; purpose++)
		for (size_t i = 0; i < COUNT_OF(roots); i++)
			for (size_t j = 0; j < i; j++)
				assert_false(sv_eq(derived(roots[i], purpose, 32, recipients, 2),
				                   derived(roots[j], purpose, 32, recipients, 2)));
	assert_false(
	    sv_eq(seal_bootstrap_token(arena, a, &owner), seal_bootstrap_token(arena, b, &owner)));
	/* It names what it is about: another cluster's, or another order of fields, is another. */
	assert_false(sv_eq(seal_recipients_digest(arena, a, SV("c"), recipients, 2),
	                   seal_recipients_digest(arena, a, SV("d"), recipients, 2)));
	assert_false(sv_eq(seal_recipients_digest(arena, a, SV("c"), recipients, 2),
	                   seal_recipients_digest(arena, a, SV("c"), recipients, 1)));
	assert_false(sv_eq(seal_recipients_digest(arena, a, SV("c"), recipients, 2),
	                   seal_recipients_digest(arena, b, SV("c"), recipients, 2)));
}

/* Replaces libsodium's: fails if `no_memory` is set. */
static bool no_memory;
void *sodium_allocarray(size_t count, size_t size)
{
	return no_memory ? NULL : sodium_malloc(count * size);
}

/* Memory for keys is a kind of its own, which a system may limit further. */
static void test_no_memory_for_keys(void **state)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct source *keys = source_new(arena, SV("k"), SV(CCTV_IDENTITY), true);
	int status = 0;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		close(STDERR_FILENO);
		no_memory = true;
		_exit(seal_identities_add(&sink, identities, keys) == STATUS_OK ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_int_equal(seal_identities_add(&sink, identities, keys), STATUS_OK);
}

/* Nothing writes to a key by mistake: its page is read only. */
static void test_read_only(void **state)
{
	(void)state;
	SEAL_ROOT_AUTO root = counting_root();
	SEAL_ROOT_AUTO bound = counting_root();
	struct seal_root *const roots[] = {root, bound};

	seal_root_bind(bound, SV("fleet"));
	for (size_t i = 0; i < COUNT_OF(roots); i++) {
		int status = 0;
		pid_t child = fork();

		if (child == 0) {
			signal(SIGSEGV, SIG_DFL);
			*(volatile char *)roots[i] = 0;
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
	}
}

enum { DIGEST_KINDS = 6 };

/* One of the digests that proofs are made of, of as many of the fields as it has. */
static sv digest_of_kind(unsigned kind, const struct seal_root *root, const sv fields[3])
{
	switch (kind) {
	case 0:
		return seal_inputs_digest(arena, root, fields[0], fields[1]);
	case 1:
		return seal_statement_digest(arena, root, fields[0], fields[1]);
	case 2:
		return seal_rendered_digest(arena, root, fields[0], fields[1], fields[2]);
	case 3:
		return seal_unit_context(arena, root, fields[0]);
	case 4:
		return seal_unit_proof(arena, root, fields[0], fields[1], fields[2]);
	default:
		return seal_recipients_digest(arena, root, fields[0], fields + 1, 2);
	}
}

/* Each digest depends on each field, and no two kinds of digests meet. */
static void test_digests(void **state)
{
	(void)state;
	static const unsigned fields_of[DIGEST_KINDS] = {2, 2, 3, 1, 3, 3};
	SEAL_ROOT_AUTO root = counting_root();
	const sv given[] = {SV_INIT("a"), SV_INIT("bc"), SV_INIT("d")};
	const sv moved[] = {SV_INIT("ab"), SV_INIT("c"), SV_INIT("d")};
	sv digests[DIGEST_KINDS];

	for (unsigned kind = 0; kind < DIGEST_KINDS; kind++) {
		digests[kind] = digest_of_kind(kind, root, given);
		assert_int_equal(digests[kind].len, 32);
		assert_true(sv_eq(digest_of_kind(kind, root, given), digests[kind]));
		assert_false(sv_eq(digest_of_kind(kind, root, moved), digests[kind]));
		for (unsigned i = 0; i < kind; i++)
			assert_false(sv_eq(digests[i], digests[kind]));
		for (unsigned i = 0; i < fields_of[kind]; i++) {
			sv other[] = {given[0], given[1], given[2]};

			other[i] = SV("x");
			assert_false(sv_eq(digest_of_kind(kind, root, other), digests[kind]));
		}
	}
	/* Inputs and statements are compared between fleets of one seed; nothing else is. */
	seal_root_bind(root, SV("fleet"));
	for (unsigned kind = 0; kind < DIGEST_KINDS; kind++)
		assert_int_equal(sv_eq(digest_of_kind(kind, root, given), digests[kind]), kind < 2);
}

/* The error code of the only diagnostic, which must not repeat the seed. */
static unsigned seed_error(sv text)
{
	struct sink own = sink_in(arena);
	struct seal_root *root = NULL;

	assert_int_equal(seal_root_parse(&own, NOWHERE, text, &root), STATUS_FAILED);
	assert_null(root);
	assert_diag_count(&own, 1);
	assert_int_equal(sink_exit_status(&own), 3);
	assert_true(own.diags.items[0]->help.len > 0);
	if (text.len > 20)
		assert_false(sv_contains(own.diags.items[0]->text, sv_slice(text, 15, 25)));
	return own.diags.items[0]->code;
}

static void test_seed_text(void **state)
{
	(void)state;
	sv text = counting_seed_text();
	struct seal_root *root;
	uint8_t equal[SEAL_SEED_SIZE];
	struct buf buf = buf_in(arena);
	char changed[128];

	assert_true(sv_starts_with(text, SV("OSMGEN-SEED-1")));
	sv spaced = ARENA_CONCAT(arena, SV(" \n"), text, SV("\r\n"));
	assert_int_equal(seal_root_parse(&sink, NOWHERE, spaced, &root), STATUS_OK);
	seal_root_free(root);

	assert_int_equal(seed_error(SV("")), DIAG_SEED_INVALID);
	assert_int_equal(seed_error(SV("OSMGEN-SEED-1")), DIAG_SEED_INVALID);
	assert_int_equal(seed_error(SV(CCTV_IDENTITY)), DIAG_SEED_INVALID);
	assert_int_equal(seed_error(SV(CCTV_RECIPIENT)), DIAG_SEED_INVALID);
	assert_int_equal(seed_error(sv_slice(text, 0, text.len - 1)), DIAG_SEED_INVALID);
	/* Any one character changed is noticed. */
	for (size_t i = 0; i < text.len; i++) {
		memcpy(changed, text.ptr, text.len);
		changed[i] = changed[i] == 'Q' ? 'P' : 'Q';
		assert_int_equal(seed_error(sv_from(changed, text.len)), DIAG_SEED_INVALID);
	}
	memset(equal, 0x5a, sizeof(equal));
	assert_int_equal(seed_error(seal_seed_format(arena, equal)), DIAG_SEED_INVALID);
	bech32_add(&buf, SV("OSMGEN-SEED-"), equal, 31);
	assert_int_equal(seed_error(buf_sv(&buf)), DIAG_SEED_INVALID);
	/* A seed in lower case is another text than the one that scanners look for. */
	for (size_t i = 0; i < text.len; i++)
		changed[i] = (char)(text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? text.ptr[i] + 32
		                                                             : text.ptr[i]);
	assert_int_equal(seed_error(sv_from(changed, text.len)), DIAG_SEED_INVALID);

	struct sink own = sink_in(arena);
	seal_report_seed_missing(&own, SV(""));
	assert_int_equal(own.diags.items[0]->code, DIAG_SEED_MISSING);
	assert_contains(own.diags.items[0]->help, "osm-gen keygen seed");
	assert_int_equal(own.diags.items[0]->notes.count, 0);
	own = sink_in(arena);
	seal_report_seed_missing(&own, SV("OSM_GEN_SEAL_SEED"));
	assert_int_equal(own.diags.items[0]->notes.count, 1);
	assert_contains(own.diags.items[0]->notes.items[0].text,
	                "OSM_GEN_SEAL_SEED is set, but empty");
}

static void test_bootstrap_tokens(void **state)
{
	(void)state;
	SEAL_ROOT_AUTO root = counting_root();
	const struct seal_token_owner owners[] = {
	    {SV_INIT("c"), SV_INIT("kube-system"), SV_INIT("md"), SV_INIT("")},
	    {SV_INIT("d"), SV_INIT("kube-system"), SV_INIT("md"), SV_INIT("")},
	    {SV_INIT("c"), SV_INIT("other"), SV_INIT("md"), SV_INIT("")},
	    {SV_INIT("c"), SV_INIT("kube-system"), SV_INIT("md2"), SV_INIT("")},
	    {SV_INIT("c"), SV_INIT("kube-system"), SV_INIT("md"), SV_INIT("1")},
	    {SV_INIT("c"), SV_INIT("kube-systemm"), SV_INIT("d"), SV_INIT("")},
	};
	sv tokens[COUNT_OF(owners)];

	for (size_t i = 0; i < COUNT_OF(owners); i++) {
		tokens[i] = seal_bootstrap_token(arena, root, &owners[i]);
		assert_int_equal(tokens[i].len, 23);
		for (size_t j = 0; j < tokens[i].len; j++)
			assert_int_equal(tokens[i].ptr[j] == '.', j == 6);
		for (size_t j = 0; j < tokens[i].len; j++)
			assert_non_null(strchr(".bcdfghjklmnpqrstvwxz2456789", tokens[i].ptr[j]));
		for (size_t j = 0; j < i; j++)
			assert_false(
			    sv_eq(sv_slice(tokens[i], 0, 6), sv_slice(tokens[j], 0, 6)) ||
			    sv_eq(sv_from_offset(tokens[i], 7), sv_from_offset(tokens[j], 7)));
	}
	assert_true(sv_eq(tokens[0], seal_bootstrap_token(arena, root, &owners[0])));

	/* Every letter about equally often: chi-squared of 27 letters, 26 degrees of freedom. */
	unsigned counts[256] = {0};
	double chi = 0;
	const unsigned words = 2000;
	for (unsigned i = 0; i < words; i++) {
		struct seal_token_owner owner = owners[0];
		sv token;

		owner.rotation = arena_printf(arena, "%u", i);
		token = seal_bootstrap_token(arena, root, &owner);
		for (size_t j = 7; j < token.len; j++)
			counts[(uint8_t)token.ptr[j]]++;
	}
	for (const char *c = "bcdfghjklmnpqrstvwxz2456789"; *c; c++) {
		double expected = words * 16 / 27.0;
		double difference = counts[(uint8_t)*c] - expected;

		chi += difference * difference / expected;
	}
	assert_true(chi < 60); /* 1 in 10,000 tables is above */
}

static void test_bech32(void **state)
{
	(void)state;
	uint8_t key[32];
	struct buf buf = buf_in(arena);
	sv recipient = SV(CCTV_RECIPIENT);

	assert_int_equal(bech32_decode(recipient, SV("age"), key, 32), BECH32_FINE);
	bech32_add(&buf, SV("age"), key, 32);
	assert_sv(buf_sv(&buf), CCTV_RECIPIENT);
	assert_int_equal(bech32_decode(recipient, SV("age"), key, 31), BECH32_LENGTH);
	assert_int_equal(bech32_decode(recipient, SV("agf"), key, 32), BECH32_PREFIX);
	assert_int_equal(bech32_decode(SV(CCTV_IDENTITY), SV("AGE-SECRET-KEY-"), key, 32),
	                 BECH32_FINE);
	/* BIP 173: valid, invalid checksum, mixed case, no separator, invalid character. */
	uint8_t none[1];
	assert_int_equal(bech32_decode(SV("A12UEL5L"), SV("A"), none, 0), BECH32_FINE);
	assert_int_equal(bech32_decode(SV("A1G7SGD8"), SV("A"), none, 0), BECH32_CHECKSUM);
	assert_int_equal(bech32_decode(SV("a12UEL5L"), SV("a"), none, 0), BECH32_FORM);
	assert_int_equal(bech32_decode(SV("pzry9x0s0muk"), SV("a"), none, 0), BECH32_FORM);
	assert_int_equal(bech32_decode(SV("x1b4n0q5v"), SV("x"), none, 0), BECH32_FORM);
	assert_int_equal(bech32_decode(SV("1pzry9x0s0muk"), SV(""), none, 0), BECH32_FORM);
	assert_int_equal(bech32_decode(SV("li1dgmt3"), SV("li"), none, 0), BECH32_FORM);
}

static struct seal_identities *identities_of(const char *text)
{
	struct seal_identities *identities = seal_identities_new();
	struct source *source = source_new(arena, SV("keys.txt"), sv_from_cstr(text), true);

	assert_int_equal(seal_identities_add(&sink, identities, source), STATUS_OK);
	return identities;
}

/* The bytes as a recipient, until the next call. */
static const struct age_recipient *x25519(const uint8_t point[32])
{
	static struct age_recipient recipient;

	memcpy(recipient.point, point, 32);
	return &recipient;
}

/*
 * CCTV's x25519 vector: file key "YELLOW SUBMARINE", all other randomness the ChaCha20 key stream
 * of a fixed key.
 */
static void test_age_vector(void **state)
{
	(void)state;
	static const uint8_t zero_nonce[crypto_stream_chacha20_ietf_NONCEBYTES] = {0};
	uint8_t stream[48];
	uint8_t recipient[32];
	struct age_coins coins;
	struct buf file = buf_in(arena);
	SEAL_IDENTITIES_AUTO identities = identities_of(CCTV_IDENTITY "\n");
	uint8_t digest[32];
	sv plain;

	crypto_stream_chacha20_ietf(stream, sizeof(stream), zero_nonce,
	                            (const uint8_t *)"TEST RANDOMNESS TEST RANDOMNESS!");
	memcpy(coins.file_key, "YELLOW SUBMARINE", 16);
	memcpy(coins.ephemeral, stream, 32);
	memcpy(coins.nonce, stream + 32, 16);
	assert_int_equal(bech32_decode(SV(CCTV_RECIPIENT), SV("age"), recipient, 32), BECH32_FINE);
	age_encrypt(&file, x25519(recipient), &coins, SV("age"));
	digest_of(DIGEST_SHA256, buf_sv(&file), digest);
	assert_sv(hex_encode(arena, sv_from((const char *)digest, 32)),
	          "10eb4d4d006859f5034d75db70d43c3761795824f9cf9377edda42172e21211d");
	assert_int_equal(age_decrypt(arena, buf_sv(&file), identities, &plain), AGE_FINE);
	assert_sv(plain, "age");
}

static struct age_coins test_coins(uint8_t fill)
{
	struct age_coins coins;

	memset(&coins, fill, sizeof(coins));
	return coins;
}

/* A file for an SSH key with known coins. age 1.1.1 opens it with
 * tests/keys/TEST-ONLY-ssh-ed25519.key.
 */
static void test_age_ssh(void **state)
{
	(void)state;
	struct age_recipient recipient;
	struct age_coins coins = test_coins(7);
	struct buf file = buf_in(arena);
	uint8_t digest[32];
	sv text;

	assert_null(age_ssh_parse(arena, SV(SSH_RECIPIENT " a comment"), &recipient, &text));
	assert_sv(text, SSH_RECIPIENT);
	age_encrypt(&file, &recipient, &coins, SV("plain"));
	assert_true(sv_starts_with(buf_sv(&file), SV("age-encryption.org/v1\n-> ssh-ed25519 ")));
	digest_of(DIGEST_SHA256, buf_sv(&file), digest);
	assert_sv(hex_encode(arena, sv_from((const char *)digest, 32)),
	          "27df52964fbafbe17f9b5c04fa199f1c38560d0b07448048b0429cab24a2648b");
}

/* tests/keys/TEST-ONLY-ssh-ed25519.key */
static const char ssh_key[] =
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n"
    "QyNTUxOQAAACAY23xGuifIG5H+feYu7Q06KkjjnwarnIEyMV8QulCk7QAAAJBlhw0gZYcN\n"
    "IAAAAAtzc2gtZWQyNTUxOQAAACAY23xGuifIG5H+feYu7Q06KkjjnwarnIEyMV8QulCk7Q\n"
    "AAAEDMLlKpU4n9eOPp5I6qrCOhKYQDchXGYNEtoWl2ffIlpRjbfEa6J8gbkf595i7tDToq\n"
    "SOOfBqucgTIxXxC6UKTtAAAACVRFU1QtT05MWQECAwQ=\n"
    "-----END OPENSSH PRIVATE KEY-----\n";
/* Keys of ssh-keygen, for nothing else: of Ed25519 with a passphrase, and of ECDSA. */
static const char ssh_key_locked[] =
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    "b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDksPZyoh\n"
    "agp3oWHXw5/eFnAAAAAQAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIGsl6SPs4GSQhlBA\n"
    "khB91NlihIAcqRBKzBkNs7DMZcfJAAAAkPR4zxlyHC9gyLV4GiBCcmuYLMIiXibzFcBrLe\n"
    "KJwY3xriiFKat02HrAXCPMjhh/FJ54cUna6KarLOhm+z8dA6z6tq18eaE8VZMu4qiGb2wX\n"
    "sdY0lbI32g82K+AdFjr4FcILyq+K1kWTHZ78g1/gacrd0U+5Y/Sk0lW1KzLKXCP41gkt1W\n"
    "axa2GWFG7xY9Ph6Q==\n"
    "-----END OPENSSH PRIVATE KEY-----\n";
static const char ssh_key_ecdsa[] =
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAaAAAABNlY2RzYS\n"
    "1zaGEyLW5pc3RwMjU2AAAACG5pc3RwMjU2AAAAQQRqY1PqUe0J0AZtSUVwH01Kz/CTkFIv\n"
    "qWK2ztVimBBWYMVg/QDT4TcnEo3UeVyf6UqgUjpX6yCcWzQny2xljuBIAAAAqKZ7IgCmey\n"
    "IAAAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGpjU+pR7QnQBm1J\n"
    "RXAfTUrP8JOQUi+pYrbO1WKYEFZgxWD9ANPhNycSjdR5XJ/pSqBSOlfrIJxbNCfLbGWO4E\n"
    "gAAAAgUPXHvZN/ubUxSfZlGja2LlQEYk/bLh+bZdwNKWnEmIsAAAAJVEVTVC1PTkxZAQID\n"
    "BAUGBw==\n"
    "-----END OPENSSH PRIVATE KEY-----\n";
/* age 1.1.1's file for the first of them. */
static const char ssh_file[] = "-----BEGIN AGE ENCRYPTED FILE-----\n"
                               "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNzaC1lZDI1NTE5IGtwU3dhdyA2OUI0\n"
                               "dEtPOHY1QVBNWjFwM1h3bXJuS0NMZkFndUJNR3BJWjB3RFNYVFM4Cld3aHdqZ3FW\n"
                               "eVlKMG9BemszczgvUURBRWJPZ3dqaDc3RDllZ2VWYTJUejAKLS0tIFp4NmYwUUxs\n"
                               "Z3dpVG16L1llbU5WM1ZuUithb2RSd2lzSVJVZ21UOWs3M3cK14o3V555VTL64XzP\n"
                               "JRUvC0ljGlp+T4DDnRb0p7A+hYQDx+bXQA==\n"
                               "-----END AGE ENCRYPTED FILE-----\n";

static void test_age_ssh_identity(void **state)
{
	(void)state;
	SEAL_IDENTITIES_AUTO identities = identities_of(ssh_key);
	SEAL_IDENTITIES_AUTO other = identities_of(CCTV_IDENTITY "\n");
	const struct seal_identity *identity = seal_identity_at(identities, 0);
	sv file;
	sv plain;

	assert_int_equal(seal_identities_count(identities), 1);
	assert_sv(seal_identities_recipient(arena, identities), SSH_RECIPIENT);
	assert_true(age_armor_decode(arena, sv_from_cstr(ssh_file), &file));
	assert_int_equal(age_decrypt(arena, file, identities, &plain), AGE_FINE);
	assert_sv(plain, "plain");
	assert_int_equal(age_decrypt(arena, file, other, &plain), AGE_NO_MATCH);
	/* The X25519 key that is made of it is no identity of its own. */
	struct age_coins coins = test_coins(7);
	struct buf buf = buf_in(arena);
	age_encrypt(&buf, x25519(identity->point), &coins, SV("plain"));
	assert_int_equal(age_decrypt(arena, buf_sv(&buf), identities, &plain), AGE_NO_MATCH);
	/* A stanza that is no form of an SSH key's is another's. */
	for (size_t i = 20; i < file.len; i++) {
		char *copy = arena_alloc_text(arena, file.len);

		memcpy(copy, file.ptr, file.len);
		copy[i] ^= 1;
		assert_int_not_equal(
		    age_decrypt(arena, sv_from(copy, file.len), identities, &plain), AGE_FINE);
	}
	/* Identities of a list of recipients. */
	struct seal_texts names = {0};
	VEC_PUSH(arena, &names, SV(SSH_RECIPIENT));
	struct seal_identities *named = seal_identities_of(arena, identities, &names);
	assert_int_equal(seal_identities_count(named), 1);
	seal_identities_free(named);
}

static void check_key_file(sv text, size_t keys, const char *diags)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink own = sink_in(arena);
	struct buf buf = buf_in(arena);
	enum status status =
	    seal_identities_add(&own, identities, source_new(arena, SV("keys.txt"), text, true));

	VEC_EACH (diag, &own.diags)
		buf_printf(&buf, "%zu: %.*s\n", position_line_column((*diag)->at).line,
		           SV_ARG((*diag)->text));
	assert_sv(buf_sv(&buf), diags);
	assert_int_equal(status, *diags ? STATUS_FAILED : STATUS_OK);
	assert_int_equal(seal_identities_count(identities), keys);
}

static void test_key_files(void **state)
{
	(void)state;
	sv ssh = sv_from_cstr(ssh_key);
	sv locked = sv_from_cstr(ssh_key_locked);
	sv ecdsa = sv_from_cstr(ssh_key_ecdsa);

	check_key_file(ARENA_CONCAT(arena, SV("# one\n"), ssh, SV("\n" CCTV_IDENTITY)), 2, "");
	/* Keys that osm-gen does not use are passed over beside one that it uses. */
	check_key_file(SV(HYBRID_IDENTITY "\n" CCTV_IDENTITY "\nAGE-PLUGIN-X-1\n"),
	               xwing_is_available() ? 2 : 1, "");
	check_key_file(ARENA_CONCAT(arena, locked, ecdsa, SV(CCTV_IDENTITY)), 1, "");
	check_key_file(
	    ARENA_CONCAT(arena, SV("\n"), locked, ecdsa), 0,
	    "2: this line is an SSH key with a passphrase\n"
	    "10: this line is an SSH key of another type than ssh-ed25519 and ssh-rsa\n");
	check_key_file(
	    SV("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0,
	    "1: this line is the beginning of a private key that is damaged or cut off\n");
	/* What is damaged is an error in any company. */
	check_key_file(
	    ARENA_CONCAT(arena, sv_slice(ssh, 0, 200), SV("\n" CCTV_IDENTITY)), 0,
	    "1: this line is the beginning of a private key that is damaged or cut off\n");
	for (size_t i = 40; i < ssh.len - 40; i++) {
		SEAL_IDENTITIES_AUTO identities = seal_identities_new();
		struct sink own = sink_in(arena);
		char *copy = arena_alloc_text(arena, ssh.len);

		memcpy(copy, ssh.ptr, ssh.len);
		copy[i] = copy[i] == 'A' ? 'B' : 'A';
		/* Of the comment, the check numbers and the padding nothing depends. */
		if (seal_identities_add(&own, identities,
		                        source_new(arena, SV("k"), sv_from(copy, ssh.len), true)) ==
		    STATUS_OK)
			assert_sv(seal_identities_recipient(arena, identities), SSH_RECIPIENT);
	}
}

static void test_age_tampering(void **state)
{
	(void)state;
	SEAL_IDENTITIES_AUTO identities = identities_of("# a comment\n\n" CCTV_IDENTITY "\r\n");
	struct age_coins coins = test_coins(7);
	struct buf file = buf_in(arena);
	const struct seal_identity *identity = seal_identity_at(identities, 0);
	sv plain;

	age_encrypt(&file, x25519(identity->point), &coins, SV("0123456789abcdef0123456789abcdef"));
	assert_int_equal(file.len, 232);
	for (size_t i = 0; i < file.len; i++) {
		file.ptr[i] ^= 1;
		assert_int_not_equal(age_decrypt(arena, buf_sv(&file), identities, &plain),
		                     AGE_FINE);
		file.ptr[i] ^= 1;
		assert_int_not_equal(
		    age_decrypt(arena, sv_slice(buf_sv(&file), 0, i), identities, &plain),
		    AGE_FINE);
	}
	assert_int_equal(age_decrypt(arena, buf_sv(&file), identities, &plain), AGE_FINE);
	assert_int_equal(age_decrypt(arena, buf_sv(&file), NULL, &plain), AGE_NO_MATCH);
	uint8_t other[32] = {9};
	uint8_t other_recipient[32];
	crypto_scalarmult_base(other_recipient, other);
	file.len = 0;
	age_encrypt(&file, x25519(other_recipient), &coins, SV("x"));
	assert_int_equal(age_decrypt(arena, buf_sv(&file), identities, &plain), AGE_NO_MATCH);
}

/* Signs a header, which ends with "---", as the format describes it: HKDF-SHA256 of the file key.
 */
static sv header_mac_of(const struct age_coins *coins, sv header)
{
	static const char no_salt[32];
	uint8_t extracted[32];
	uint8_t key[32];
	uint8_t mac[32];

	hmac_sha256(sv_from(no_salt, 32), sv_from((const char *)coins->file_key, AGE_FILE_KEY_SIZE),
	            extracted);
	hmac_sha256(sv_from((const char *)extracted, 32), SV("header\x01"), key);
	hmac_sha256(sv_from((const char *)key, 32), header, mac);
	return base64_encode(arena, BASE64_STD_RAW, sv_from((const char *)mac, 32));
}

/* A file may have stanzas of any kind besides; the form of each is checked. */
static void test_age_stanzas_of_others(void **state)
{
	static const struct {
		sv stanza;
		enum age_result want;
	} cases[] = {
	    {SV_INIT("-> ! ~\n\n"), AGE_FINE},
	    {SV_INIT("-> ssh-rsa a!~}\nAAAA\n"), AGE_FINE},
	    {SV_INIT("-> x\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\n"),
	     AGE_FINE},
	    {SV_INIT("-> x\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"),
	     AGE_FORM},
	    {SV_INIT("-> x\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\n"),
	     AGE_FORM},
	    {SV_INIT("-> x  y\n\n"), AGE_FORM},
	    {SV_INIT("-> x \n\n"), AGE_FORM},
	    {SV_INIT("-> \n\n"), AGE_FORM},
	    {SV_INIT("-> x\x7f\n\n"), AGE_FORM},
	    {SV_INIT("-> x\x1f\n\n"), AGE_FORM},
	    {SV_INIT("-> x\xc3\xa4\n\n"), AGE_FORM},
	    {SV_INIT("-> x\nA\n"), AGE_FORM},
	    {SV_INIT("-> x\nAB\n"), AGE_FORM},
	};
	SEAL_IDENTITIES_AUTO identities = identities_of(CCTV_IDENTITY "\n");
	struct age_coins coins = test_coins(7);
	struct buf file = buf_in(arena);
	sv version;
	sv rest;
	sv own;
	sv payload;

	(void)state;
	age_encrypt(&file, x25519(seal_identity_at(identities, 0)->point), &coins, SV("plain"));
	assert_true(sv_cut(buf_sv(&file), SV("\n"), &version, &rest));
	assert_true(sv_cut(rest, SV("--- "), &own, &payload));
	assert_true(sv_cut(payload, SV("\n"), &rest, &payload));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		for (int order = 0; order < 2; order++) {
			sv first = order ? own : cases[i].stanza;
			sv second = order ? cases[i].stanza : own;
			sv header =
			    ARENA_CONCAT(arena, version, SV("\n"), first, second, SV("---"));
			sv whole = ARENA_CONCAT(arena, header, SV(" "),
			                        header_mac_of(&coins, header), SV("\n"), payload);
			sv plain = {0};
			enum age_result result = age_decrypt(arena, whole, identities, &plain);

			if (result != cases[i].want)
				fail_msg("stanza %zu, order %d: %d", i, order, (int)result);
			if (result == AGE_FINE)
				assert_sv(plain, "plain");
		}
	}
	/* As age does, osm-gen tries the stanzas of its kind up to the first one that opens. */
	sv header = ARENA_CONCAT(arena, version, SV("\n-> X25519 x\n\n"), own, SV("---"));
	sv whole =
	    ARENA_CONCAT(arena, header, SV(" "), header_mac_of(&coins, header), SV("\n"), payload);
	assert_int_equal(age_decrypt(arena, whole, identities, &rest), AGE_FORM);
}

static void test_armor(void **state)
{
	(void)state;
	char bytes[200];
	sv file;

	memset(bytes, 'x', sizeof(bytes));
	for (size_t len = 1; len <= sizeof(bytes); len++) {
		struct buf armor = buf_in(arena);

		age_armor_add(&armor, sv_from(bytes, len), 0);
		assert_true(age_armor_decode(arena, buf_sv(&armor), &file));
		assert_true(sv_eq(file, sv_from(bytes, len)));
	}
	static const char *const bad[] = {
	    "",
	    "-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----\n",
	    "-----BEGIN AGE ENCRYPTED FILE-----\neHg=\n",
	    "-----BEGIN AGE ENCRYPTED FILE-----\neHg\n-----END AGE ENCRYPTED FILE-----\n",
	    "-----BEGIN AGE ENCRYPTED FILE-----\neHh=\n-----END AGE ENCRYPTED FILE-----\n",
	    "-----BEGIN AGE ENCRYPTED FILE-----\neHg=\n\n-----END AGE ENCRYPTED FILE-----\n",
	    "-----BEGIN AGE ENCRYPTED FILE-----\nA: b\n\neHg=\n-----END AGE ENCRYPTED FILE-----\n",
	    "-----BEGIN AGE ENCRYPTED FILE-----\neHh4\neHg=\n-----END AGE ENCRYPTED FILE-----\n",
	    "-----BEGIN AGE ENCRYPTED FILE-----\neHg=\n-----END AGE ENCRYPTED FILE-----\nx",
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(age_armor_decode(arena, sv_from_cstr(bad[i]), &file));
}

static enum diag_code recipient_error(const char *text)
{
	struct sink own = sink_in(arena);
	struct seal_recipient_text given = {.text = sv_from_cstr(text)};
	struct seal_recipients recipients;

	assert_int_equal(seal_recipients_parse(arena, &own, sealer_format_find(SV("sops")),
	                                       SV("cluster c"), &given, 1, &recipients),
	                 STATUS_FAILED);
	assert_diag_count(&own, 1);
	assert_int_equal(sink_exit_status(&own), 2);
	return own.diags.items[0]->code;
}

static void test_recipients(void **state)
{
	(void)state;
	struct sink own = sink_in(arena);
	uint8_t key[32] = {0};
	struct buf low_order = buf_in(arena);
	struct seal_recipients recipients;
	const char *second = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
	struct seal_recipient_text texts[] = {
	    {.text = sv_from_cstr(second)},
	    {.text = SV_INIT(CCTV_RECIPIENT)},
	    {.text = sv_from_cstr(second)},
	};

	assert_int_equal(seal_recipients_parse(arena, &own, sealer_format_find(SV("sops")), SV("c"),
	                                       texts, 3, &recipients),
	                 STATUS_OK);
	assert_int_equal(recipients.count, 2);
	assert_sv(recipients.items[0].text, CCTV_RECIPIENT);
	assert_sv(recipients.items[1].text, second);

	assert_int_equal(seal_recipients_parse(arena, &own, sealer_format_find(SV("sops")),
	                                       SV("cluster c"), NULL, 0, &recipients),
	                 STATUS_FAILED);
	assert_int_equal(own.diags.items[0]->code, DIAG_RECIPIENTS_MISSING);
	assert_contains(own.diags.items[0]->text, "cluster c");

	assert_int_equal(recipient_error("age1tag1xyz"), DIAG_RECIPIENT_TYPE);
	assert_int_equal(recipient_error("age1yubikey1xyz"), DIAG_RECIPIENT_TYPE);
	assert_int_equal(recipient_error("ssh-rsa AAAA"), DIAG_RECIPIENT_INVALID);
	assert_int_equal(recipient_error("ecdsa-sha2-nistp256 AAAA"), DIAG_RECIPIENT_TYPE);
	assert_int_equal(recipient_error("sk-ssh-ed25519@openssh.com AAAA"), DIAG_RECIPIENT_TYPE);
	assert_int_equal(recipient_error("ssh-ed25519"), DIAG_RECIPIENT_INVALID);
	assert_int_equal(recipient_error("ssh-ed25519 AAAA"), DIAG_RECIPIENT_INVALID);
	/* A point of low order, and one that is on no curve. */
	assert_int_equal(recipient_error("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAA"
	                                 "AAAAAAAAAAAAAAAAAAAAAAAA"),
	                 DIAG_RECIPIENT_INVALID);
	assert_int_equal(recipient_error("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAIAAAAAAAAAAAAAAAAA"
	                                 "AAAAAAAAAAAAAAAAAAAAAAAA"),
	                 DIAG_RECIPIENT_INVALID);
	/* The comment is nobody's business; the same key twice is one recipient. */
	struct seal_recipient_text ssh[] = {{.text = SV_INIT(SSH_RECIPIENT " x@y")},
	                                    {.text = SV_INIT(SSH_RECIPIENT)},
	                                    {.text = SV_INIT(CCTV_RECIPIENT)}};
	assert_int_equal(seal_recipients_parse(arena, &own, sealer_format_find(SV("sops")), SV("c"),
	                                       ssh, 3, &recipients),
	                 STATUS_OK);
	assert_int_equal(recipients.count, 2);
	assert_sv(recipients.items[1].text, SSH_RECIPIENT);
	assert_int_equal(recipient_error("age1"), DIAG_RECIPIENT_INVALID);
	assert_int_equal(recipient_error("hello"), DIAG_RECIPIENT_INVALID);
	assert_int_equal(recipient_error(CCTV_IDENTITY), DIAG_RECIPIENT_INVALID);
	assert_int_equal(recipient_error("AGE1XMWWC06LY3EE5RYTXM9MFLAZ2U56JJJ36S0MYPDRWSVLUL66MV4Q4"
	                                 "7RYEF"),
	                 DIAG_RECIPIENT_INVALID);
	assert_int_equal(recipient_error("age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q4"
	                                 "7ryeg"),
	                 DIAG_RECIPIENT_INVALID);
	bech32_add(&low_order, SV("age"), key, 32);
	assert_int_equal(recipient_error(arena_cstr(arena, buf_sv(&low_order))),
	                 DIAG_RECIPIENT_INVALID);
}

static void test_recipients_that_are_spoken(void **state)
{
	(void)state;
	assert_true(age_recipient_is_spoken(SV(CCTV_RECIPIENT)));
	assert_true(age_recipient_is_spoken(SV("ssh-ed25519 AAAA")));
	assert_true(age_recipient_is_spoken(SV("ssh-rsa AAAA")));
	assert_false(age_recipient_is_spoken(SV("ecdsa-sha2-nistp256 AAAA")));
	assert_int_equal(age_recipient_is_spoken(SV("age1pq1qqqq")), xwing_is_available());
	assert_false(age_recipient_is_spoken(SV("age1tag1qqqq")));
	assert_false(age_recipient_is_spoken(SV("age1yubikey1qqqq")));
	assert_false(age_recipient_is_spoken(SV("age11qqqq")));
}

static void test_identities(void **state)
{
	(void)state;
	uint8_t random[32];
	struct sink own = sink_in(arena);

	assert_int_equal(bech32_decode(SV(CCTV_IDENTITY), SV("AGE-SECRET-KEY-"), random, 32),
	                 BECH32_FINE);
	assert_sv(seal_identity_format(arena, random, SV("2026-01-02T03:04:05Z")),
	          "# created: 2026-01-02T03:04:05Z\n# public key: " CCTV_RECIPIENT
	          "\n" CCTV_IDENTITY "\n");
	assert_sv(seal_identity_format(arena, random, (sv){0}),
	          "# public key: " CCTV_RECIPIENT "\n" CCTV_IDENTITY "\n");

	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct source *source = source_new(
	    arena, SV("keys.txt"), SV(CCTV_IDENTITY "\nAGE-PLUGIN-YUBIKEY-1XYZ\nnonsense\n"), true);
	assert_int_equal(seal_identities_add(&own, identities, source), STATUS_FAILED);
	assert_diag_count(&own, 1);
	assert_int_equal(own.diags.items[0]->code, DIAG_IDENTITY_INVALID);
	assert_int_equal(position_line_column(own.diags.items[0]->at).line, 3);
	assert_int_equal(seal_identities_count(identities), 1);
	for (unsigned i = 0; i < 20; i++) {
		source =
		    source_new(arena, SV("k"), seal_identity_format(arena, random, (sv){0}), true);
		assert_int_equal(seal_identities_add(&own, identities, source), STATUS_OK);
	}
	assert_int_equal(seal_identities_count(identities), 21);
	/* Those that sops has to open are for the program. */
	seal_identities_allow(identities, seal_program_new(arena, NULL, 0, (sv){0}));
	source = source_new(arena, SV("keys.txt"),
	                    SV("AGE-PLUGIN-YUBIKEY-1XYZ\n" HYBRID_IDENTITY "\n"), true);
	assert_int_equal(seal_identities_add(&own, identities, source), STATUS_OK);
	assert_int_equal(seal_identities_count(identities), xwing_is_available() ? 22 : 21);
	source = source_new(arena, SV("keys.txt"), SV("nonsense\n"), true);
	assert_int_equal(seal_identities_add(&own, identities, source), STATUS_FAILED);
}

/* ---- what is left on the stack ------------------------------------------------------------- */

/* Returns 1 KiB of marks. */
static sv marked_text(void)
{
	uint64_t *words = ARENA_ARRAY(arena, uint64_t, 1024 / sizeof(*words));

	for (size_t i = 0; i < 1024 / sizeof(*words); i++)
		words[i] = mark;
	return sv_from((const char *)words, 1024);
}

static void hashes_leave_no_text_on_the_stack(void **state)
{
	const struct seal_token_owner owner = {SV("c"), SV("n"), SV("m"), SV("")};
	struct seal_root *root = counting_root();
	uint8_t digest[DIGEST_MAX_SIZE];
	sv text = marked_text();

	(void)state;
	(void)seal_change_digest(arena, root, &owner, text);
	assert_int_equal(count_marks(), 0);
	digest_of(DIGEST_SHA256, text, digest);
	assert_int_equal(count_marks(), 0);
	hmac_sha256(text, text, digest);
	assert_int_equal(count_marks(), 0);
	for (enum digest_kind kind = DIGEST_SHA1; kind <= DIGEST_SHA512; kind++) {
		DIGEST_AUTO parts = digest_new(kind);

		digest_add(parts, text);
		digest_add(parts, sv_slice(text, 0, 56));
		digest_finish(parts, digest);
		assert_int_equal(count_marks(), 0);
	}
	seal_root_free(root);
}

UNIT_TESTS(seal_crypto)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_derivation, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_fleet, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_read_only, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_no_memory_for_keys, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_digests, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_seed_text, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bootstrap_tokens, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_bech32, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_age_vector, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_age_ssh, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_age_ssh_identity, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_key_files, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_age_tampering, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_age_stanzas_of_others, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_armor, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_recipients, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_recipients_that_are_spoken, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_identities, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(hashes_leave_no_text_on_the_stack, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
