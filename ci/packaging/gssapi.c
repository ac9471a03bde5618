/*
 * What Debian's libgit2.a wants of GSSAPI, for which there is no static library: HTTP's
 * "Negotiate". osm-gen connects to nobody, so that none of it is called; a call would be a mistake
 * of ours and ends the program.
 */
void gss_delete_sec_context(void);
void gss_display_status(void);
void gss_import_name(void);
void gss_indicate_mechs(void);
void gss_init_sec_context(void);
void gss_release_buffer(void);
void gss_release_name(void);
void gss_release_oid_set(void);

const void *GSS_C_NT_HOSTBASED_SERVICE = 0;

void gss_delete_sec_context(void)
{
	__builtin_trap();
}

void gss_display_status(void)
{
	__builtin_trap();
}

void gss_import_name(void)
{
	__builtin_trap();
}

void gss_indicate_mechs(void)
{
	__builtin_trap();
}

void gss_init_sec_context(void)
{
	__builtin_trap();
}

void gss_release_buffer(void)
{
	__builtin_trap();
}

void gss_release_name(void)
{
	__builtin_trap();
}

void gss_release_oid_set(void)
{
	__builtin_trap();
}
