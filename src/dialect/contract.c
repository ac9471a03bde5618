/*
 * The output contracts, and the documents that the program has for each (dialect.h, "The output
 * contract"). Only `ci/contract` adds rows here.
 */
#include "dialect/dialect.h"

#include "codec/codec.h"

struct contract {
	unsigned number;
	/* The last version of osm-gen that has it; null if this one has it. */
	const char *last_version;
};

/* One row a number, from 1 on. Contracts that this program no longer has come first. */
static const struct contract contracts[] = {
    {1, NULL},
    {2, NULL},
};

unsigned dialect_contract_newest(void)
{
	return contracts[COUNT_OF(contracts) - 1].number;
}

unsigned dialect_contract_oldest(void)
{
	for (size_t i = 0; i < COUNT_OF(contracts); i++)
		if (!contracts[i].last_version)
			return contracts[i].number;
	BUG("no contract is carried");
}

sv dialect_contract_last_version(unsigned contract)
{
	for (size_t i = 0; i < COUNT_OF(contracts); i++)
		if (contracts[i].number == contract && contracts[i].last_version)
			return sv_from_cstr(contracts[i].last_version);
	return (sv){0};
}

bool dialect_text_holds(const struct dialect_text *text, unsigned contract)
{
	unsigned wanted = contract == dialect_contract_newest() ? 0 : contract;

	return text->contract == wanted;
}

sv dialect_text_open(struct arena *arena, const struct dialect_text *text)
{
	sv bytes = sv_from(text->text, text->len);

	return text->size == 0 ? bytes : gzip_open(arena, bytes, text->size);
}
