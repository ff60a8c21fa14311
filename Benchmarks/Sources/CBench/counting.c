// Counts by interposition: symbols of the executable precede those of the C library.
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local uint64_t allocations;

void *malloc(size_t size) {
    allocations += 1;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations += 1;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    allocations += 1;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations += 1;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    allocations += 1;
    *block = __libc_memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

uint64_t bench_allocations(void) { return allocations; }

uint64_t bench_heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int bench_open_instructions(void) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

uint64_t bench_read_instructions(int counter) {
    uint64_t count = 0;
    return read(counter, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t bench_now(void) { return nanoseconds(CLOCK_MONOTONIC); }

uint64_t bench_processor_time(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }
