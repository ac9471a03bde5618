/*
 * fuzz-seeds NAME FILE...: runs the harness of tests/fuzz/NAME_fuzz.c over files and folders,
 * without a fuzzer. `make test` replays the seeds this way.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* fuzz_harnesses.def has a line FUZZ(NAME) for each harness; the Makefile writes it, and renames
 * the harnesses. */
#define FUZZ(name) int fuzz_##name(const uint8_t *data, size_t size);
#include "fuzz_harnesses.def"
#undef FUZZ

typedef int fuzz_harness(const uint8_t *data, size_t size);

static const struct {
	const char *name;
	fuzz_harness *run;
} harnesses[] = {
#define FUZZ(name) {#name, fuzz_##name},
#include "fuzz_harnesses.def"
#undef FUZZ
};

static int run_file(fuzz_harness *harness, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat info;

	if (!file || fstat(fileno(file), &info) != 0) {
		perror(path);
		return 1;
	}
	size_t size = (size_t)info.st_size;
	/* Exactly as large as the input, so that the sanitizer sees one byte too many. */
	uint8_t *data = malloc(size ? size : 1);
	size_t got = data ? fread(data, 1, size, file) : 0;

	fclose(file);
	printf("%s\n", path);
	fflush(stdout);
	if (got == size)
		harness(data, size);
	free(data);
	return got != size;
}

static int run(fuzz_harness *harness, const char *path)
{
	DIR *folder = opendir(path);
	int failed = 0;

	if (!folder)
		return run_file(harness, path);
	for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		failed |= run(harness, name);
	}
	closedir(folder);
	return failed;
}

int main(int argc, char **argv)
{
	fuzz_harness *harness = NULL;
	int failed = 0;

	for (size_t i = 0; argc > 2 && i < sizeof(harnesses) / sizeof(harnesses[0]); i++) {
		if (strcmp(harnesses[i].name, argv[1]) == 0)
			harness = harnesses[i].run;
	}
	if (!harness) {
		fprintf(stderr, "usage: fuzz-seeds NAME FILE...; NAME of tests/fuzz/NAME_fuzz.c\n");
		return 64;
	}
	for (int i = 2; i < argc; i++)
		failed |= run(harness, argv[i]);
	return failed;
}
