// Makes a display of EGL as WebKit does, its web process without a screen and the program with one, and prints who made it,
// and whether a configuration can draw.
#include <dlfcn.h>
#include <stdio.h>

enum { SURFACELESS = 0x31DD, X11 = 0x31D5, VENDOR = 0x3053 };

int main(int count_of_words, char **words) {
	void *egl = dlopen("libEGL.so.1", RTLD_NOW);
	if (egl == NULL) {
		puts(dlerror());
		return 1;
	}
	void *(*function)(const char *) = (void *(*)(const char *))dlsym(egl, "eglGetProcAddress");
	void *(*make)(unsigned, void *, const int *) = (void *(*)(unsigned, void *, const int *))function("eglGetPlatformDisplayEXT");
	unsigned (*begin)(void *, int *, int *) = (unsigned (*)(void *, int *, int *))dlsym(egl, "eglInitialize");
	unsigned (*choose)(void *, const int *, void **, int, int *) = (unsigned (*)(void *, const int *, void **, int, int *))dlsym(egl, "eglChooseConfig");
	void *(*context)(void *, void *, void *, const int *) = (void *(*)(void *, void *, void *, const int *))dlsym(egl, "eglCreateContext");
	const char *(*text)(void *, int) = (const char *(*)(void *, int))dlsym(egl, "eglQueryString");
	unsigned (*end)(void *) = (unsigned (*)(void *))dlsym(egl, "eglTerminate");
	char screen[1024] = {0};
	int on_screen = count_of_words > 1;
	void *display = make(on_screen ? X11 : SURFACELESS, on_screen ? screen : NULL, NULL), *one = NULL;
	int major = 0, minor = 0, count = -1;
	if (display == NULL || !begin(display, &major, &minor) || !choose(display, NULL, &one, 1, &count)) {
		puts("no display");
		return 1;
	}
	void *drawn = context(display, NULL, NULL, NULL);
	printf("%s %d.%d, %d configurations, %s context\n", text(display, VENDOR), major, minor, count, drawn == NULL ? "no" : "a");
	FILE *maps = fopen("/proc/self/maps", "r");
	for (char line[4096]; maps != NULL && fgets(line, sizeof line, maps) != NULL;) {
		fputs(line, stdout);
	}
	return end(display) ? 0 : 1;
}
