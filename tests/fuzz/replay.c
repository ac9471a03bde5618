/*
 * Runs a fuzz harness over files and folders given as arguments, without a fuzzer: what `make test`
 * replays.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
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
		LLVMFuzzerTestOneInput(data, size);
	free(data);
	return got != size;
}

static int run(const char *path)
{
	DIR *folder = opendir(path);
	int failed = 0;

	if (!folder)
		return run_file(path);
	for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		failed |= run(name);
	}
	closedir(folder);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= run(argv[i]);
	return failed;
}
