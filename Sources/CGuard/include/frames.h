#pragma once
#include "guard.h"
#include <stddef.h>
#include <sys/types.h>

// Follows the bytes of a connection in the frames of ZMTP 3 (rfc.zeromq.org/spec/23), and counts what libzmq
// keeps of them.
//
// An encrypted connection has two commands, HELLO and INITIATE, and then a MESSAGE per frame, whose content is a
// frame of its own. frames_follow checks the outer frames; frames_count gets the inner ones once they are
// decrypted.

enum { FRAME_MORE = 1, FRAME_COMMAND = 4 };

// Where a connection is in its bytes.
enum stage { GREETING, FLAGS, LENGTH, CONTENT };

struct reading {
  enum stage stage;
  uint8_t flags;
  uint8_t length_bytes;  // Bytes of the length that are still to come.
  uint8_t commands;      // Commands of an encrypted connection so far.
  uint64_t position;     // Bytes of the greeting, or of the content, that came.
  uint64_t length;       // Bytes of the content.
  bool is_ready;         // Whether the first command came, which completes a handshake without security.
  // The beginning of a command while it is being read; otherwise NULL. Slots are never freed, so the buffer is
  // allocated only while it is used.
  uint8_t *content;
  uint64_t bytes;         // The memory of the message's frames so far.
  uint64_t messages;      // Complete messages so far.
  uint64_t message_bytes; // Their memory.
};

// A frame, or the beginning of a long one.
struct frame {
  uint8_t flags;
  const uint8_t *content;
  uint64_t length;
};

// Reads bytes as libzmq is about to; returns whether they are within the bounds.
bool frames_follow(struct reading *reading, const struct guard_bounds *bounds, const uint8_t *bytes, size_t count);

// Counts a complete frame; returns whether it, and the message if that is complete, are within the bounds.
bool frames_count(struct reading *reading, const struct guard_bounds *bounds, struct frame frame);

// Whether the properties of a handshake leave the choice of a routing ID to us.
//
// libzmq 4.3.4 neither reads nor frees what comes from a peer that chose the ID of another.
bool frames_leave_routing_id(const uint8_t *properties, uint64_t count);

// Gives the memory back.
void frames_clear(struct reading *reading);
