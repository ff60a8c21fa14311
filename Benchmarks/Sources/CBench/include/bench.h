#pragma once
#include <stddef.h>
#include <stdint.h>

// Counting, of the calling thread.

/// Heap allocations so far: every malloc, calloc, realloc, posix_memalign and aligned_alloc of the process,
/// the Swift runtime's and libzmq's too.
uint64_t bench_allocations(void);

/// Bytes of the heap that the process has and has not given back.
uint64_t bench_heap_bytes(void);

/// A counter of the processor's instructions in user space, or -1 where the kernel or the machine has none.
int bench_open_instructions(void);

/// Instructions since the counter was opened.
uint64_t bench_read_instructions(int counter);

/// Nanoseconds of the monotonic clock.
uint64_t bench_now(void);

/// Nanoseconds of processor time that the calling thread has had.
uint64_t bench_processor_time(void);

// Bare libzmq, the baseline. Each returns 0, or what failed as an error number of libzmq's.

/// The options that both sides of a comparison set.
enum { BENCH_MARK = 100000, BENCH_TIMEOUT_MS = 5000, BENCH_BODY_BYTES = 64, BENCH_DRAIN = 1024 };

/// Messages from a PUSH to a PULL, a thread and a context each, over an endpoint; gives the nanoseconds from
/// the first message sent to the last one received.
int bench_bare_one_way(const char *endpoint, size_t messages, uint64_t *nanoseconds);

/// Messages from a client (DEALER) over a broker (two ROUTERs) to a device (DEALER) and back, a thread, a
/// context and a poll loop each; gives the nanoseconds from the first sent to the last back. The endpoints are
/// those to bind to, with a port of `*` where any will do.
///
/// `round_trips` has room for the nanoseconds of each, in the order of their return.
int bench_bare_four_hops(const char *clients, const char *devices, size_t in_flight, size_t messages,
                         uint64_t *round_trips, uint64_t *nanoseconds);
