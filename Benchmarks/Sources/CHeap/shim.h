// How much of the heap is in use; Swift's Glibc leaves malloc.h out.
#include <malloc.h>
