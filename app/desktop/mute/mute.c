// A library in the place of Flite and its voices. WebKitGTK speaks with Flite where a page asks it to, is linked with it,
// and so each of its three processes loads 13 libraries, whose addresses cost it 6 MB. Conch's page never speaks. Each
// library of the file `libraries` is made of this file. These are the functions that WebKit names; none of them is called.
#include <stddef.h>

int flite_init(void) { return 0; }
int flite_add_lang(void) { return 0; }
void usenglish_init(void) {}
void *cmulex_init(void) { return NULL; }
void *flite_text_to_wave(void) { return NULL; }
void cst_wave_resample(void) {}
void delete_wave(void) {}
void delete_voice(void) {}
void *register_cmu_us_awb(void) { return NULL; }
void *register_cmu_us_kal(void) { return NULL; }
void *register_cmu_us_rms(void) { return NULL; }
void *register_cmu_us_slt(void) { return NULL; }
