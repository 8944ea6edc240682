// glibc's settings of its own memory, and what it has mapped of files, which the Glibc module leaves out. Only
// SystemPorts imports it.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <malloc.h>
