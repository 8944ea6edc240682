// glibc's settings of its own memory, and what it has mapped of files, which the Glibc module leaves out. Only
// SystemPorts imports it.
#pragma once
#include <link.h>
#include <malloc.h>

// The head of `struct dl_phdr_info`, which <link.h> has for those only who define _GNU_SOURCE. To define it here would
// give this module other structures than the Glibc module has, for whichever of the two is built first.
struct cmalloc_object {
    ElfW(Addr) address;
    const char *name;
    const ElfW(Phdr) *segments;
    ElfW(Half) segments_count;
};

// dl_iterate_phdr(3).
int cmalloc_each_object(int (*look)(struct cmalloc_object *object, size_t size, void *context), void *context)
    __asm__("dl_iterate_phdr");
