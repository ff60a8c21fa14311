// The functions of libFuzzer that `fuzz` calls, and a meter of the heap.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with command-line arguments and a function that handles an input.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*handle)(const uint8_t *input, size_t size));

/// Mutates bytes in place with libFuzzer's mutations of bytes; returns the new size.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t max_size);

/// Starts to measure the heap of this thread.
void fuzz_heap_begin(void);

/// Returns the most bytes that were allocated at the same time since fuzz_heap_begin.
int64_t fuzz_heap_peak(void);
