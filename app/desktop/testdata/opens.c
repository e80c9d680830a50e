// Opens a library with all its functions, and prints what is loaded then.
#include <dlfcn.h>
#include <stdio.h>

int main(int count_of_words, char **words) {
	if (count_of_words < 2 || dlopen(words[1], RTLD_NOW) == NULL) {
		puts(dlerror());
		return 1;
	}
	FILE *maps = fopen("/proc/self/maps", "r");
	for (char line[4096]; maps != NULL && fgets(line, sizeof line, maps) != NULL;) {
		fputs(line, stdout);
	}
	return 0;
}
