// The driver of LLVM's libFuzzer. It is linked into a program that is built with -sanitize=fuzzer, as scripts/fuzz does;
// weak, so that every other build of the same program links without it. Only fuzz imports it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int (*cfuzzer_callback)(const uint8_t *bytes, size_t count);

__attribute__((weak)) int LLVMFuzzerRunDriver(int *argc, char ***argv, cfuzzer_callback callback);

static inline bool cfuzzer_is_there(void) { return LLVMFuzzerRunDriver != NULL; }

// The driver's exit code; -1 where there is none.
static inline int cfuzzer_run(int argc, char **argv, cfuzzer_callback callback) {
    return LLVMFuzzerRunDriver == NULL ? -1 : LLVMFuzzerRunDriver(&argc, &argv, callback);
}
