// Measures the heap: with hooks of the address sanitizer, and otherwise by interposition, because symbols of
// the executable precede those of the C library.
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <malloc.h>

static _Thread_local int64_t live, peak;

static void grow(int64_t size) {
    live += size;
    if (live > peak) peak = live;
}

void fuzz_heap_begin(void) { live = peak = 0; }

int64_t fuzz_heap_peak(void) { return peak; }

#if __has_feature(address_sanitizer)

extern int __sanitizer_install_malloc_and_free_hooks(
    void (*allocated)(const volatile void *, size_t), void (*freed)(const volatile void *));
extern size_t __sanitizer_get_allocated_size(const volatile void *block);

static void allocated(const volatile void *block, size_t size) {
    if (block != NULL) grow((int64_t)size);
}

static void freed(const volatile void *block) {
    if (block != NULL) live -= (int64_t)__sanitizer_get_allocated_size(block);
}

__attribute__((constructor)) static void install(void) {
    __sanitizer_install_malloc_and_free_hooks(allocated, freed);
}

#else

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static void *counted(void *block) {
    grow((int64_t)malloc_usable_size(block));
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
    live -= (int64_t)malloc_usable_size(block);
    return counted(__libc_realloc(block, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = counted(__libc_memalign(alignment, size));
    return *block == NULL ? ENOMEM : 0;
}

void free(void *block) {
    live -= (int64_t)malloc_usable_size(block);
    __libc_free(block);
}

#endif
