/*
 * net.IP: parsing and printing.
 */
#include "golang/golang.h"

#include <arpa/inet.h>

#define MAX_IP_TEXT 45

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

bool go_ip_parse(sv text, struct ip *ret_ip)
{
	char terminated[MAX_IP_TEXT + 1];
	uint8_t v4[4];

	if (text.len == 0 || text.len > MAX_IP_TEXT || memchr(text.ptr, '\0', text.len))
		return false;
	memcpy(terminated, text.ptr, text.len);
	terminated[text.len] = '\0';
	if (inet_pton(AF_INET, terminated, v4) == 1) {
		memcpy(ret_ip->bytes, mapped_prefix, sizeof(mapped_prefix));
		memcpy(ret_ip->bytes + sizeof(mapped_prefix), v4, sizeof(v4));
		return true;
	}
	return inet_pton(AF_INET6, terminated, ret_ip->bytes) == 1;
}

/* The longest run of at least two zero groups, the first of equal ones (RFC 5952 4.2). */
static size_t longest_zero_run(const unsigned group[8], size_t *ret_start)
{
	size_t best = 1;

	for (size_t i = 0; i < 8;) {
		size_t end = i;

		while (end < 8 && group[end] == 0)
			end++;
		if (end - i > best) {
			best = end - i;
			*ret_start = i;
		}
		i = end > i ? end : i + 1;
	}
	return best > 1 ? best : 0;
}

sv go_ip_format(struct arena *arena, const struct ip *ip)
{
	const uint8_t *b = ip->bytes;
	struct buf out = buf_in(arena);
	unsigned group[8];
	size_t run_start = 8;

	if (memcmp(b, mapped_prefix, sizeof(mapped_prefix)) == 0)
		return arena_printf(arena, "%d.%d.%d.%d", b[12], b[13], b[14], b[15]);
	for (size_t i = 0; i < 8; i++)
		group[i] = (unsigned)b[2 * i] << 8 | b[2 * i + 1];
	size_t run = longest_zero_run(group, &run_start);
	for (size_t i = 0; i < 8; i++) {
		if (run > 0 && i == run_start) {
			BUF_ADD_LIT(&out, "::");
			i += run - 1;
			continue;
		}
		if (i > 0 && (run == 0 || i != run_start + run))
			buf_add_char(&out, ':');
		buf_printf(&out, "%x", group[i]);
	}
	return buf_sv(&out);
}
