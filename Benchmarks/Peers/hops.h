// Declarations shared by the drivers of peers: four hops, from a client through a server to a device and
// back.
//
//   DRIVER PORT KIND IN_FLIGHT MESSAGES   sends MESSAGES, and prints "per_second N" and "p50_us N"
//   DRIVER version                        prints the version of the peer's client library
//
// The server listens on that loopback port. Client and device each have a thread and a connection; the
// library may have more threads. Every wait and the whole run have a timeout.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { HOPS_BODY_BYTES = 64, HOPS_TIMEOUT_MS = 5000 };

/// The client's state of one run.
struct hops {
    size_t in_flight, messages, sent, received;
    /// The round-trip times in nanoseconds, in the order of their return.
    uint64_t *round_trips;
};

/// Returns whether to send another message now; if so, its body contains the send time.
int hops_leave(struct hops *hops, char body[HOPS_BODY_BYTES]);

/// Records a returned message; returns false if it does not belong to this run.
int hops_return(struct hops *hops, const void *body, size_t length);

/// Returns whether all messages have returned.
int hops_is_over(const struct hops *hops);

// The functions that each driver defines.

/// The version of the client library.
const char *peer_version(void);

/// Connects client and device to the server, and prepares a run.
///
/// Returns 0; after an error, another value with a message on standard error.
int peer_open(int port, const char *kind, size_t in_flight);

/// Sends and receives until the run is over.
///
/// Returns 0; after an error, another value with a message on standard error.
int peer_run(struct hops *hops);

/// Ends the device and both connections.
///
/// Returns 0; after an error, another value with a message on standard error.
int peer_close(void);
