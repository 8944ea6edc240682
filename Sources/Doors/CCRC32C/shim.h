// The processor's own CRC-32C instruction, which Swift has no name for. Only Journal imports it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

// Whether the processor has the instruction (SSE 4.2). Slow inside virtual machines: ask once.
static inline bool crc32c_instruction_is_there(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}

// Goes on with a checksum as it is inside, without the inversions at its beginning and end. Only where the instruction is.
__attribute__((target("sse4.2")))
static inline uint32_t crc32c_by_instruction(uint32_t crc, const uint8_t *bytes, size_t count) {
    uint64_t wide = crc;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; count > 0; bytes++, count--) crc = __builtin_ia32_crc32qi(crc, *bytes);
    return crc;
}
#else
static inline bool crc32c_instruction_is_there(void) { return false; }
static inline uint32_t crc32c_by_instruction(uint32_t crc, const uint8_t *bytes, size_t count) {
    (void)bytes, (void)count;
    return crc;
}
#endif
