#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

// Limits the resources that peers use in libzmq, where libzmq has no limit of its own: see
// docs/explanation/connection-guard.md.
//
// libzmq accepts, reads, writes and closes with accept4, recv, send and close, and decrypts with libsodium's
// crypto_box_open and crypto_box_open_easy_afternm. guard.c defines these for the executable that it is linked
// into, so libzmq's calls arrive here. Calls for a descriptor that belongs to no guarded listener have no other
// effect than usual.
//
// All connections of a guarded listener belong to one I/O thread of libzmq, which alone calls these
// functions for them. The functions below are for the thread that owns the ZeroMQ socket.

/// One of the defined calls, which Swift's Glibc module lacks.
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/// The limits for the connections of one listener; 0 is no limit.
struct guard_bounds {
  /// Connections at a time.
  uint32_t connections;
  /// Bytes of a message that is not complete.
  uint64_t partial_bytes;
  /// Bytes of complete messages of one connection that were not handled yet.
  uint64_t unread_bytes;
  /// The same over all connections of the listener.
  uint64_t all_unread_bytes;
  /// Bytes for one connection that were not written to the system yet.
  uint64_t unsent_bytes;
  /// The same over all connections of the listener.
  uint64_t all_unsent_bytes;
  /// Whether the connections are encrypted with CURVE; otherwise they have no security.
  bool is_encrypted;
};

/// Counts of a guarded listener.
struct guard_counts {
  /// Connections that are open.
  uint32_t open;
  /// Connections that were accepted.
  uint64_t accepted;
  /// Connections that were closed at once, because a limit was reached.
  uint64_t refused;
  /// Connections that were ended in favour of new ones, because they were quiet the longest.
  uint64_t displaced;
  /// Connections that were ended because they exceeded a limit, or by guard_end.
  uint64_t ended;
};

/// The bytes of memory that libzmq uses for a frame, besides its content.
enum { GUARD_FRAME_BYTES = 64 };

/// Whether libzmq's calls arrive here.
bool guard_is_installed(void);

/// Guards the connections that a listening descriptor accepts from now on. Returns the listener's number, or -1
/// if there are too many.
///
/// The descriptor may be closed at any time. The number is valid until guard_release.
int guard_listener(int descriptor, const struct guard_bounds *bounds);

/// Releases the listener's number; its connections stay limited until they close.
void guard_release(int number);

struct guard_counts guard_counts(int number);

/// The progress of a listener.
struct guard_progress {
  /// Bytes of complete messages that were received so far, each frame with GUARD_FRAME_BYTES.
  uint64_t received;
  /// Connections that were closed before everything that they sent was handled.
  uint64_t closed;
};

struct guard_progress guard_progress(int number);

/// A connection: descriptors are reused, their serial numbers are not.
struct guard_connection {
  int descriptor;
  uint32_t serial;
};

/// The sender of a message.
struct guard_sender {
  /// Whether the connection was ended because it exceeded a limit, or by guard_end.
  bool is_cut;
  /// The serial number of the connection; 0 if it is not known.
  uint32_t serial;
};

/// Records that messages of that many bytes, received over a descriptor, were handled; -1 for libzmq's own.
struct guard_sender guard_handled(int number, int descriptor, uint64_t bytes);

/// Records that everything received up to `progress`, a result of guard_progress, was handled.
void guard_emptied(int number, struct guard_progress progress);

/// Returns the serial number of the open connection with a descriptor; 0 for none.
uint32_t guard_serial(int number, int descriptor);

/// Ends a connection, unless it is closed: what it sent and was not received is dropped. Returns whether it was open.
bool guard_end(int number, int descriptor, uint32_t serial);

/// Writes the open connections of a listener to an array, as many as there is room for; returns their number.
uint32_t guard_connections(int number, struct guard_connection *connections, uint32_t most);

/// Whether a connection is open and that many bytes more are within its limit; records nothing.
bool guard_may_send(int number, int descriptor, uint32_t serial, uint64_t bytes);

/// Whether that many bytes more are within a connection's limit; records them if so. True for a closed one.
bool guard_send_begins(int number, int descriptor, uint32_t serial, uint64_t bytes);

/// Reverts a guard_send_begins: libzmq refused the message.
void guard_send_failed(int number, int descriptor, uint32_t serial, uint64_t bytes);
