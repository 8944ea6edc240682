// glibc's settings of its own memory, which the Glibc module leaves out. Only alertbot imports it.
#pragma once
#include <malloc.h>
