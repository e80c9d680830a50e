// A vendor library of EGL that has one display and draws nothing. On a machine without a GPU the window paints without
// OpenGL. But WebKit's web process wants a display of EGL and ends without one, and WebKit in the program asks the display
// of the screen which device draws. With Mesa's library both load LLVM: 44 MB in the web process, 24 MB in the program, and
// a tenth of a second at the start. The interface is libglvnd's, version 0 (libeglabi.h). It is repeated here, so that its
// headers are not needed.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	SUCCESS = 0x3000, // EGL_SUCCESS
	VENDOR = 0x3053,  // EGL_VENDOR
	VERSION = 0x3054, // EGL_VERSION
	EXTENSIONS = 0x3055,
	CLIENT_APIS = 0x308D,
	SURFACELESS = 0x31DD, // EGL_PLATFORM_SURFACELESS_MESA, the platform that WebKit's web process asks for first
	X11 = 0x31D5,	      // EGL_PLATFORM_X11_KHR, one that the program asks for
	WAYLAND = 0x31D8,     // EGL_PLATFORM_WAYLAND_KHR, the other one
	OPENGL_ES = 0x30A0,
	OPENGL = 0x30A2,
	PLATFORM_EXTENSIONS = 0, // __EGL_VENDOR_STRING_PLATFORM_EXTENSIONS
	VERSION_OF_INTERFACE = 0,
};

// What libglvnd asks of a vendor library (__EGLapiImports). What follows may be left out.
struct imports {
	void *(*display)(unsigned platform, void *native, const intptr_t *attributes);
	unsigned (*supports)(unsigned api);
	const char *(*text)(int name);
	void *(*function)(const char *name);
	void *(*dispatch)(const char *name);
	void (*set_index)(const char *name, int index);
};

#define PLATFORMS "EGL_MESA_platform_surfaceless EGL_KHR_platform_x11 EGL_EXT_platform_x11 EGL_KHR_platform_wayland EGL_EXT_platform_wayland"

static char the_display;

static void *display(unsigned platform, void *native, const intptr_t *attributes) {
	return platform == SURFACELESS || platform == X11 || platform == WAYLAND ? &the_display : NULL;
}

static unsigned supports(unsigned api) { return api == OPENGL_ES || api == OPENGL; }

static const char *text(int name) { return name == PLATFORM_EXTENSIONS ? PLATFORMS : NULL; }

static unsigned initialize(void *display, int *major, int *minor) {
	if (major != NULL) {
		*major = 1;
	}
	if (minor != NULL) {
		*minor = 5;
	}
	return 1;
}

static unsigned terminate(void *display) { return 1; }

static int error(void) { return SUCCESS; }

static const char *query(void *display, int name) {
	switch (name) {
	case VENDOR:
		return "Conch";
	case VERSION:
		return "1.5";
	case CLIENT_APIS:
		return "";
	case EXTENSIONS:
		return display != NULL ? "" : "EGL_EXT_client_extensions EGL_EXT_platform_base " PLATFORMS;
	}
	return NULL;
}

// There is no way to draw.
static unsigned configs(void *display, void **list, int size, int *count) {
	if (count != NULL) {
		*count = 0;
	}
	return 1;
}

static unsigned choose(void *display, const int *wanted, void **list, int size, int *count) {
	return configs(display, list, size, count);
}

// Every other function of EGL fails: it gives no context, no surface and no image.
static void *fail(void) { return NULL; }

static const struct {
	const char *name;
	void *function;
} functions[] = {
	{"eglInitialize", initialize}, {"eglTerminate", terminate}, {"eglQueryString", query},
	{"eglGetError", error},        {"eglGetConfigs", configs},  {"eglChooseConfig", choose},
};

// Functions of extensions end with the name of who made them. This library has none.
static int is_extension(const char *name) {
	static const char *const makers[] = {"KHR", "EXT", "MESA", "ANDROID", "NV", "WL", "NOK", "HI", "ANGLE"};
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
		size_t end = strlen(makers[i]);
		if (length > end && strcmp(name + length - end, makers[i]) == 0) {
			return 1;
		}
	}
	return 0;
}

static void *function(const char *name) {
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		if (strcmp(name, functions[i].name) == 0) {
			return functions[i].function;
		}
	}
	return strncmp(name, "egl", 3) == 0 && !is_extension(name) ? (void *)fail : NULL;
}

static void *dispatch(const char *name) { return NULL; }

static void set_index(const char *name, int index) {}

// libglvnd's entry.
unsigned __egl_Main(uint32_t version, const void *exports, void *vendor, struct imports *imports) {
	if (version >> 16 != VERSION_OF_INTERFACE) {
		return 0;
	}
	*imports = (struct imports){display, supports, text, function, dispatch, set_index};
	return 1;
}
