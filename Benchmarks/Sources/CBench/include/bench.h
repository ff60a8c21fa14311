#pragma once
#include <stddef.h>
#include <stdint.h>

// Counters of the calling thread.

/// Heap allocations so far: every malloc, calloc, realloc, posix_memalign and aligned_alloc, including those
/// of the Swift runtime and libzmq.
uint64_t bench_allocations(void);

/// Bytes of the heap that are allocated and not freed.
uint64_t bench_heap_bytes(void);

/// Opens a counter of instructions in user space; returns -1 if the kernel or the machine has none.
int bench_open_instructions(void);

/// Instructions since the counter was opened.
uint64_t bench_read_instructions(int counter);

/// Nanoseconds of the monotonic clock.
uint64_t bench_now(void);

/// Nanoseconds of processor time of the calling thread.
uint64_t bench_processor_time(void);

// The baseline with libzmq in C. Each function returns 0 or an error number of libzmq.

/// The socket options and bounds of both sides of a comparison.
enum { BENCH_MARK = 100000, BENCH_TIMEOUT_MS = 5000, BENCH_BODY_BYTES = 64, BENCH_DRAIN = 1024 };

/// Sends messages from a PUSH to a PULL, each with a thread and a context, over an endpoint. Returns the
/// nanoseconds from the first sent message to the last received one.
int bench_bare_one_way(const char *endpoint, size_t messages, uint64_t *nanoseconds);

/// Sends messages from a client (DEALER) through a broker (two ROUTERs) to a device (DEALER) and back, each
/// with a thread, a context and a poll loop. Returns the nanoseconds from the first sent message to the last
/// returned one. The broker binds to the endpoints; a port of `*` means any port. Encrypted means CURVE.
///
/// `round_trips` has room for the round-trip time of each message in nanoseconds, in the order of their
/// return.
int bench_bare_four_hops(const char *clients, const char *devices, int is_encrypted, size_t in_flight,
                         size_t messages, uint64_t *round_trips, uint64_t *nanoseconds);
