/*
 * In the static program libgit2 calls these instead of mbed TLS's functions (-Wl,--wrap): see
 * src/git/library.c. No certificate authority is parsed, or trusted.
 */
int __wrap_mbedtls_x509_crt_parse_file(void *chain,
                                       const char *path); /* NOLINT(bugprone-reserved-identifier) */
int __wrap_mbedtls_x509_crt_parse_path(void *chain,
                                       const char *path); /* NOLINT(bugprone-reserved-identifier) */

int __wrap_mbedtls_x509_crt_parse_file(void *chain,
                                       const char *path) /* NOLINT(bugprone-reserved-identifier) */
{
	(void)chain;
	(void)path;
	return 0;
}

int __wrap_mbedtls_x509_crt_parse_path(void *chain,
                                       const char *path) /* NOLINT(bugprone-reserved-identifier) */
{
	(void)chain;
	(void)path;
	return 0;
}
