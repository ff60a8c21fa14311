#include "frames.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GREETING_BYTES = 64, LONG = 2 };
// HELLO and INITIATE.
enum { HANDSHAKE_COMMANDS = 2 };
// The bytes of a command that are inspected: it may complete a handshake without security. libzmq's has 50 bytes.
enum { CONTENT_BYTES = 256 };

// ZMTP 3.1 has commands for subscriptions, with the lengths of their names first; 3.0 has a byte in messages.
static const char READY[] = "\5READY", SUBSCRIBE[] = "\11SUBSCRIBE", CANCEL[] = "\6CANCEL";

static bool has_name(struct frame frame, const char *name) {
  uint64_t length = strlen(name);
  return frame.flags & FRAME_COMMAND && frame.length >= length && memcmp(frame.content, name, length) == 0;
}

// The bytes before the topic in a command that begins or ends a subscription; 0 in any other frame.
static uint64_t command_prefix(struct frame frame) {
  if (has_name(frame, SUBSCRIBE)) return sizeof SUBSCRIBE - 1;
  return has_name(frame, CANCEL) ? sizeof CANCEL - 1 : 0;
}

bool frames_leave_routing_id(const uint8_t *properties, uint64_t count) {
  // Each property: a byte and a name of that length, four bytes and a value of that length.
  uint64_t at = 0;
  while (at < count) {
    uint64_t name = at + 1, value = name + properties[at] + 4;
    if (value > count) return false;
    uint64_t length = 0;
    for (uint64_t digit = value - 4; digit < value; digit++) length = length << 8 | properties[digit];
    bool is_routing_id =
        properties[at] == 8 && strncasecmp((const char *)properties + name, "Identity", 8) == 0;
    if (length > count - value || (is_routing_id && length > 0)) return false;
    at = value + length;
  }
  return true;
}

// Whether a command that completes a handshake without security is allowed.
static bool is_ready_allowed(struct frame frame) {
  uint64_t prefix = sizeof READY - 1;
  if (!has_name(frame, READY)) return true;
  return frame.length <= CONTENT_BYTES
      && frames_leave_routing_id(frame.content + prefix, frame.length - prefix);
}

bool frames_count(struct reading *reading, const struct guard_bounds *bounds, struct frame frame) {
  bool is_command = frame.flags & FRAME_COMMAND;
  if (is_command && !reading->is_ready && !bounds->is_encrypted) {
    reading->is_ready = true;
    return is_ready_allowed(frame);
  }
  uint64_t prefix = command_prefix(frame);
  // Of commands only subscriptions reach the socket: with one byte before the topic.
  if (is_command && prefix == 0) return true;
  reading->bytes += (is_command ? frame.length - prefix + 1 : frame.length) + GUARD_FRAME_BYTES;
  if (bounds->partial_bytes && reading->bytes > bounds->partial_bytes) return false;
  if (!is_command && frame.flags & FRAME_MORE) return true;
  reading->message_bytes += reading->bytes;
  reading->bytes = 0;
  reading->messages++;
  return true;
}

// Whether an encrypted connection may have a frame with these flags now.
//
// libzmq keeps the flags of an outer frame when it decrypts it, although its own have none.
static bool are_outer_flags_allowed(struct reading *reading) {
  if (reading->commands == HANDSHAKE_COMMANDS) return !(reading->flags & (FRAME_MORE | FRAME_COMMAND));
  reading->commands++;
  return reading->flags & FRAME_COMMAND;
}

// Ends a complete frame; returns whether it is within the bounds.
static bool finish_frame(struct reading *reading, const struct guard_bounds *bounds) {
  struct frame frame = {reading->flags, reading->content, reading->length};
  bool is_allowed = bounds->is_encrypted || frames_count(reading, bounds, frame);
  frames_clear(reading);
  reading->stage = FLAGS;
  return is_allowed;
}

// Copies the part of the content that is inspected; returns false if memory cannot be allocated.
static bool copy_content(
    struct reading *reading, const struct guard_bounds *bounds, const uint8_t *bytes, size_t count) {
  bool is_read = !bounds->is_encrypted && reading->flags & FRAME_COMMAND;
  if (!is_read || reading->position >= CONTENT_BYTES) return true;
  if (!reading->content) reading->content = malloc(CONTENT_BYTES);
  if (!reading->content) return false;
  size_t space = CONTENT_BYTES - (size_t)reading->position;
  memcpy(reading->content + reading->position, bytes, count < space ? count : space);
  return true;
}

// Whether a greeting is one of ZMTP 3; older ones have other frames.
static bool is_greeting(uint64_t position, uint8_t byte) {
  if (position == 0) return byte == 0xff;
  if (position == 9) return byte & 1;
  return position != 10 || byte >= 3;
}

// Reads one byte before a frame's content.
static bool follow_head(struct reading *reading, const struct guard_bounds *bounds, uint8_t byte) {
  if (reading->stage == GREETING) {
    if (!is_greeting(reading->position, byte)) return false;
    if (++reading->position == GREETING_BYTES) reading->stage = FLAGS;
    return true;
  }
  if (reading->stage == FLAGS) {
    reading->flags = byte;
    reading->length_bytes = byte & LONG ? 8 : 1;
    reading->length = reading->position = 0;
    reading->stage = LENGTH;
    return !bounds->is_encrypted || are_outer_flags_allowed(reading);
  }
  reading->length = reading->length << 8 | byte;
  if (--reading->length_bytes > 0) return true;
  if (bounds->partial_bytes && reading->length > bounds->partial_bytes) return false;
  reading->stage = CONTENT;
  return reading->length > 0 || finish_frame(reading, bounds);
}

bool frames_follow(struct reading *reading, const struct guard_bounds *bounds, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    size_t step = 1;
    if (reading->stage == CONTENT) {
      uint64_t rest = reading->length - reading->position;
      step = rest < count ? (size_t)rest : count;
      if (!copy_content(reading, bounds, bytes, step)) return false;
      reading->position += step;
      if (reading->position == reading->length && !finish_frame(reading, bounds)) return false;
    } else if (!follow_head(reading, bounds, *bytes)) {
      return false;
    }
    bytes += step, count -= step;
  }
  return true;
}

void frames_clear(struct reading *reading) {
  free(reading->content);
  reading->content = NULL;
}
