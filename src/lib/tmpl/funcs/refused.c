/*
 * The controller's functions that are not reproducible. The parser accepts them; only a call is
 * refused, so that they do no harm in a branch that is not taken.
 */
#include "tmpl/func.h"

#define ENVIRONMENT(name, signature) TMPL_FUNC_REFUSED(name, signature, FUNC_ENVIRONMENT)
#define RANDOM(name, signature)      TMPL_FUNC_REFUSED(name, signature, FUNC_RANDOM)

static const struct tmpl_func funcs[] = {
    ENVIRONMENT("env", "s>s"),
    ENVIRONMENT("expandenv", "s>s"),
    ENVIRONMENT("getHostByName", "s>s"),
    RANDOM("bcrypt", "s>s"),
    RANDOM("encryptAES", "ss>s"),
    RANDOM("genCA", "si>o"),
    RANDOM("genCAWithKey", "sis>o"),
    RANDOM("genPrivateKey", "s>s"),
    RANDOM("genSelfSignedCert", "slli>o"),
    RANDOM("genSelfSignedCertWithKey", "sllis>o"),
    RANDOM("genSignedCert", "sllia>o"),
    RANDOM("genSignedCertWithKey", "sllias>o"),
    RANDOM("htpasswd", "ss>s"),
    RANDOM("randAlpha", "i>s"),
    RANDOM("randAlphaNum", "i>s"),
    RANDOM("randAscii", "i>s"),
    RANDOM("randBytes", "i>s"),
    RANDOM("randInt", "ii>i"),
    RANDOM("randNumeric", "i>s"),
    RANDOM("shuffle", "s>s"),
    RANDOM("uuidv4", ">s"),
};

const struct tmpl_func_table tmpl_funcs_refused = TMPL_TABLE(funcs);
