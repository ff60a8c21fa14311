#pragma once
#include <stdbool.h>
#include <stdint.h>

// Bounds what peers make libzmq take, where libzmq has no bound: see docs/decisions/0033-connection-guard.md.
//
// libzmq accepts, reads, writes and closes with accept4, recv, send and close. guard.c defines these four for
// the executable that it is linked into, so libzmq's calls arrive here. A descriptor that belongs to no guarded
// listener goes straight to the system.
//
// All connections of a guarded listener belong to one I/O thread of libzmq, which alone calls accept4, recv,
// send and close on them. The functions below are for the thread that owns the ZeroMQ socket.

/// What the connections of one listener may take; 0 is no bound.
struct guard_bounds {
  /// Connections at a time.
  uint32_t connections;
  /// Frames of one message.
  uint32_t frames;
  /// Topics to which one connection subscribes at a time; with this bound frames of more than 256 bytes end it.
  uint64_t subscriptions;
  /// Bytes of a message that is not complete.
  uint64_t partial_bytes;
  /// Bytes of complete messages of one connection that were not taken yet.
  uint64_t unread_bytes;
  /// The same over all connections of the listener.
  uint64_t all_unread_bytes;
  /// Bytes for one connection that the system did not take yet.
  uint64_t unsent_bytes;
  /// The same over all connections of the listener.
  uint64_t all_unsent_bytes;
};

/// What a guarded listener did so far.
struct guard_counts {
  /// Connections that are open.
  uint32_t open;
  /// Connections that were accepted.
  uint64_t accepted;
  /// Connections that were closed at once, for want of room.
  uint64_t refused;
  /// Connections that were quiet the longest, and were ended to make room.
  uint64_t displaced;
  /// Connections that were ended because they went beyond a bound.
  uint64_t ended;
};

/// Bytes that a frame takes in libzmq beside its content.
enum { GUARD_FRAME_BYTES = 64 };

/// Whether libzmq's calls arrive here.
bool guard_is_installed(void);

/// Guards what a listening descriptor accepts from now on; its number, or -1 where there are too many.
///
/// The descriptor may be closed at any time. The number is valid until guard_release.
int guard_listener(int descriptor, const struct guard_bounds *bounds);

/// Forgets the listener; its connections stay bounded until they close.
void guard_release(int number);

struct guard_counts guard_counts(int number);

/// How far a listener is.
struct guard_progress {
  /// Bytes of complete messages that came so far, each frame with GUARD_FRAME_BYTES.
  uint64_t received;
  /// Connections that had gone before everything they sent was taken.
  uint64_t closed;
};

struct guard_progress guard_progress(int number);

/// Notes that messages of so many bytes were taken, which came over a descriptor; -1 for libzmq's own.
///
/// Returns whether that connection was ended because it went beyond a bound.
bool guard_handled(int number, int descriptor, uint64_t bytes);

/// Notes that nothing is left of what had come when guard_progress gave `progress`.
void guard_emptied(int number, struct guard_progress progress);

/// Which of the connections that had or will have a descriptor's number it has now; 0 for none.
uint32_t guard_serial(int number, int descriptor);

/// Whether a connection is there and has room for so many bytes more; notes nothing.
bool guard_may_send(int number, int descriptor, uint32_t serial, uint64_t bytes);

/// Whether a connection has room for so many bytes more; notes them if so. True for one that has gone.
bool guard_send_begins(int number, int descriptor, uint32_t serial, uint64_t bytes);

/// Takes back what guard_send_begins noted: libzmq refused the message.
void guard_send_failed(int number, int descriptor, uint32_t serial, uint64_t bytes);
