// What the drivers of the peers share: four hops, from a client over a peer's server to a device and back.
//
//   DRIVER PORT KIND IN_FLIGHT MESSAGES   sends so many messages, and says "per_second N" and "p50_us N"
//   DRIVER version                        says the version of the peer's client library
//
// The server is whoever listens on that port of the loopback. Client and device are a thread each, with a
// connection each, beside whatever threads the library has. Every wait is bounded, and so is the whole.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { HOPS_BODY_BYTES = 64, HOPS_TIMEOUT_MS = 5000 };

/// One run, as its client sees it.
struct hops {
    size_t in_flight, messages, sent, received;
    /// The nanoseconds of each round trip, in the order of their return.
    uint64_t *round_trips;
};

/// Whether another message is to leave now; if so the body carries the time at which it does.
int hops_leave(struct hops *hops, char body[HOPS_BODY_BYTES]);

/// Notes a message that has come back; false where it is none of this run's.
int hops_return(struct hops *hops, const void *body, size_t length);

/// Whether everything is back.
int hops_is_over(const struct hops *hops);

// What each driver gives.

/// The version of the client library.
const char *peer_version(void);

/// Connects client and device to the server, and gets ready for a run.
///
/// Returns 0, or says on the standard error what failed.
int peer_open(int port, const char *kind, size_t in_flight);

/// Sends and receives until the run is over.
///
/// Returns 0, or says on the standard error what failed.
int peer_run(struct hops *hops);

/// Ends the device and both connections.
///
/// Returns 0, or says on the standard error what failed.
int peer_close(void);
