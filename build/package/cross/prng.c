/* bcryptprimitives.dll, which Wine has from version 9 on and Go's programs ask for. try_cross.py lays it into the system
   folder of older ones. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, (ULONG)size); }
