#define _GNU_SOURCE
#include "guard.h"
#include "topics.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Descriptors with a slot; a connection with a higher number is refused.
enum { SLOTS = 65536, LISTENERS = 256 };
// While all connections of a listener have too much unread or unsent together, each may have this part of its bound.
enum { SHARE = 256 };
// The closed connections of a listener that may hold their descriptors before new connections are refused: a part of
// its limit, and a number more. A descriptor is also released after so many seconds without a handled message,
// because libzmq does not deliver messages after an error of the protocol.
enum { CLOSED_SHARE = 8, CLOSED_LEAST = 8, CLOSED_SECONDS = 1 };

// Where a connection is in the bytes of ZMTP 3 (rfc.zeromq.org/spec/23).
enum stage { GREETING, FLAGS, LENGTH, CONTENT };
enum { GREETING_BYTES = 64, MORE = 1, LONG = 2, COMMAND = 4 };
// The bytes of a frame's content that are inspected: of a command, which may complete a handshake without
// security (libzmq's has 50 bytes), and of a subscription.
enum { CONTENT_BYTES = 256 };

struct reading {
  enum stage stage;
  uint8_t flags;
  uint8_t length_bytes;  // Bytes of the length that are still to come.
  uint64_t position;     // Bytes of the greeting, or of the content, that came.
  uint64_t length;       // Bytes of the content.
  uint64_t frames;       // Frames of the message so far.
  uint64_t bytes;        // Their memory.
  uint64_t messages;     // Complete messages so far.
  bool is_ready;         // Whether the first command came, which completes the handshake.
  // The first CONTENT_BYTES of the frame's content while they are being read; otherwise NULL. Slots are never
  // freed, so the buffer is allocated only while it is used.
  uint8_t *content;
};

// A connection, at the number of its descriptor.
struct slot {
  _Atomic int listener;  // The number of its listener and 1; 0 for no connection.
  _Atomic uint32_t serial;
  // Neighbours in its listener's list of connections, by how long they were quiet; -1 for none. Under `lock`.
  int previous, next;
  // Whether bytes came, and whether a complete message did.
  bool has_greeted, has_spoken, is_closing;
  // Ended because it exceeded a limit. Closed by libzmq before everything that it sent was handled.
  _Atomic bool is_cut, is_closed;
  uint64_t closed_number;  // The number of connections that were closed before it.
  _Atomic time_t closed_progress;  // The second in which it was closed, or a message of it was handled since.
  struct reading reading;  // The I/O thread's, as are the topics.
  struct topics topics;
  // Bytes of complete messages, and those that were handled; bytes to be sent, and those that were written.
  _Atomic uint64_t received, handled, queued, written;
};

// Connections from the one that was quiet the longest; -1 for none.
struct list {
  int first, last;
};

struct listener {
  bool is_used, is_released;  // Under `lock`.
  _Atomic int descriptor;     // -1 once closed.
  struct guard_bounds bounds;
  // Connections that sent nothing, that never completed a message, others, and closed ones; under `lock`.
  struct list silent, greeted, active, closed;
  _Atomic uint32_t closed_count;
  _Atomic uint64_t closed_total;
  struct guard_counts counts;  // Under `lock`.
  _Atomic uint64_t received, handled;
  uint64_t unsent, looked_at;  // The owner's: what all had unsent when it last looked, and added since.
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listener listeners[LISTENERS];
static _Atomic int used_listeners;        // Listeners from here on were never used.
static struct slot *_Atomic slots;        // NULL until a descriptor is guarded; then never freed.
static int spare = -1;                    // Given up for a moment to refuse a connection; under `lock`.

static struct slot *slot_of(int descriptor) {
  struct slot *all = atomic_load_explicit(&slots, memory_order_acquire);
  if (!all || descriptor < 0 || descriptor >= SLOTS) return NULL;
  struct slot *slot = &all[descriptor];
  return atomic_load_explicit(&slot->listener, memory_order_acquire) ? slot : NULL;
}

static struct listener *listener_of(struct slot *slot) {
  return &listeners[atomic_load_explicit(&slot->listener, memory_order_relaxed) - 1];
}

static struct listener *listener_at(int descriptor) {
  int count = atomic_load_explicit(&used_listeners, memory_order_acquire);
  for (int number = 0; number < count; number++)
    if (atomic_load_explicit(&listeners[number].descriptor, memory_order_relaxed) == descriptor)
      return &listeners[number];
  return NULL;
}

static uint64_t difference(uint64_t larger, uint64_t smaller) {
  return larger > smaller ? larger - smaller : 0;
}

static uint64_t unread(struct slot *slot) {
  return difference(atomic_load(&slot->received), atomic_load(&slot->handled));
}

static uint64_t unsent(struct slot *slot) {
  return difference(atomic_load(&slot->queued), atomic_load(&slot->written));
}

// Lists of connections; all of this under `lock`.

static struct list *list_of(struct listener *listener, struct slot *slot) {
  if (slot->is_closed) return &listener->closed;
  if (slot->has_spoken) return &listener->active;
  return slot->has_greeted ? &listener->greeted : &listener->silent;
}

static void append(struct list *list, int descriptor) {
  struct slot *all = slots;
  all[descriptor].previous = list->last;
  all[descriptor].next = -1;
  if (list->last >= 0) all[list->last].next = descriptor;
  else list->first = descriptor;
  list->last = descriptor;
}

static void remove_from(struct list *list, int descriptor) {
  struct slot *all = slots, *slot = &all[descriptor];
  if (slot->previous >= 0) all[slot->previous].next = slot->next;
  else list->first = slot->next;
  if (slot->next >= 0) all[slot->next].previous = slot->previous;
  else list->last = slot->previous;
}

static void free_if_unused(struct listener *listener) {
  if (listener->is_released && listener->counts.open == 0) listener->is_used = false;
}

static time_t now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec;
}

// Releases the descriptor of a closed connection.
static void release(struct listener *listener, struct slot *slot) {
  int descriptor = (int)(slot - slots);
  remove_from(&listener->closed, descriptor);
  atomic_fetch_sub(&listener->closed_count, 1);
  // Before another connection has the descriptor.
  atomic_store_explicit(&slot->listener, 0, memory_order_release);
  syscall(SYS_close, descriptor);
}

// Releases the descriptors of the first connections that were closed, up to that number.
static void release_closed(struct listener *listener, uint64_t ever) {
  struct slot *all = slots;
  while (listener->closed.first >= 0 && all[listener->closed.first].closed_number < ever)
    release(listener, &all[listener->closed.first]);
}

// Closes a connection with messages that were not handled yet, and holds its descriptor until they are.
//
// A handled message names its connection only by the descriptor. If another connection had it meanwhile, messages
// of one would count for the other.
static bool hold_number(struct listener *listener, struct slot *slot) {
  if (listener->is_released || unread(slot) == 0) return false;
  int descriptor = (int)(slot - slots);
  if (spare < 0 || syscall(SYS_dup3, spare, descriptor, O_CLOEXEC) < 0) return false;
  slot->is_closed = true;
  atomic_store(&slot->closed_progress, now_seconds());
  slot->closed_number = atomic_fetch_add(&listener->closed_total, 1);
  atomic_fetch_add(&listener->closed_count, 1);
  append(&listener->closed, descriptor);
  return true;
}

// Ends the connection that was quiet the longest, preferably one that sent nothing, then one that never completed a
// message. So a client completes its handshake among any number of silent connections.
static bool end_quietest(struct listener *listener) {
  struct list *list = listener->silent.first >= 0 ? &listener->silent
      : listener->greeted.first >= 0 ? &listener->greeted : &listener->active;
  int quietest = list->first;
  if (quietest < 0) return false;
  remove_from(list, quietest);
  ((struct slot *)slots)[quietest].is_closing = true;
  // The I/O thread, which is this one, reads the end of the stream next and closes the descriptor. Until then no
  // other connection has it.
  shutdown(quietest, SHUT_RDWR);
  listener->counts.displaced++;
  return true;
}

// Whether few enough connections were closed before their messages were handled. Each has a queue in libzmq, so
// peers that flood, disconnect and reconnect would otherwise have an ever larger share of libzmq's turns.
//
// libzmq serves all queues in turn, so a queue that delivered no message for CLOSED_SECONDS is empty.
static bool are_few_closed(struct listener *listener) {
  uint32_t most = listener->bounds.connections / CLOSED_SHARE + CLOSED_LEAST;
  if (listener->closed_count < most) return true;
  time_t now = now_seconds();
  for (int at = listener->closed.first, next; at >= 0; at = next) {
    struct slot *slot = &((struct slot *)slots)[at];
    next = slot->next;
    if (now - atomic_load(&slot->closed_progress) > CLOSED_SECONDS) release(listener, slot);
  }
  return listener->closed_count < most;
}

// Whether a connection is within the limits; if so, it is guarded from now on.
static bool admit(struct listener *listener, int descriptor) {
  pthread_mutex_lock(&lock);
  // Connections that are being closed have their descriptors until the I/O thread's next turn.
  uint32_t most = listener->bounds.connections;
  bool has_capacity = descriptor < SLOTS && (listener->bounds.connections == 0 || are_few_closed(listener));
  if (has_capacity && most > 0 && listener->counts.open >= most)
    has_capacity = listener->counts.open < most + most / 4 + 1 && end_quietest(listener);
  if (has_capacity) {
    struct slot *slot = &((struct slot *)slots)[descriptor];
    slot->has_greeted = slot->has_spoken = slot->is_closing = slot->is_cut = slot->is_closed = false;
    memset(&slot->reading, 0, sizeof slot->reading);
    slot->topics = (struct topics){0};
    atomic_store(&slot->received, 0);
    atomic_store(&slot->handled, 0);
    atomic_store(&slot->queued, 0);
    atomic_store(&slot->written, 0);
    atomic_fetch_add(&slot->serial, 1);
    append(&listener->silent, descriptor);
    listener->counts.open++;
    listener->counts.accepted++;
    atomic_store_explicit(&slot->listener, (int)(listener - listeners) + 1, memory_order_release);
  } else {
    listener->counts.refused++;
  }
  pthread_mutex_unlock(&lock);
  return has_capacity;
}

// Notes that the first bytes came over a connection, or a complete message.
static void record_progress(struct listener *listener, struct slot *slot, bool is_message) {
  int descriptor = (int)(slot - atomic_load(&slots));
  pthread_mutex_lock(&lock);
  if (!slot->is_closing) {
    remove_from(list_of(listener, slot), descriptor);
    slot->has_greeted = true;
    slot->has_spoken |= is_message;
    append(list_of(listener, slot), descriptor);
  }
  pthread_mutex_unlock(&lock);
}

static void record_end(struct listener *listener) {
  pthread_mutex_lock(&lock);
  listener->counts.ended++;
  pthread_mutex_unlock(&lock);
}

static bool is_command(const struct reading *reading, const char *name) {
  uint64_t length = strlen(name);
  return reading->flags & COMMAND && reading->length >= length
      && memcmp(reading->content, name, length) == 0;
}

// ZMTP 3.1 has commands for subscriptions, with the lengths of their names first; 3.0 has a byte in messages.
static const char SUBSCRIBE[] = "\11SUBSCRIBE", CANCEL[] = "\6CANCEL";

// Whether a frame that libzmq may take for the beginning or the end of a subscription is within the bounds.
static bool count_subscription(struct reading *reading, struct topics *topics, uint64_t most) {
  if (most == 0) return true;
  if (reading->length > CONTENT_BYTES) return false;
  uint64_t prefix = 1;
  bool begins = false;
  if (reading->flags & COMMAND) {
    begins = is_command(reading, SUBSCRIBE);
    prefix = begins ? sizeof SUBSCRIBE - 1 : sizeof CANCEL - 1;
  } else {
    if (reading->length == 0 || reading->content[0] > 1) return true;
    begins = reading->content[0] == 1;
  }
  const uint8_t *topic = reading->content + prefix;
  uint64_t count = reading->length - prefix;
  if (begins) return topics_add(topics, topic, count, most);
  topics_remove(topics, topic, count);
  return true;
}

// Whether a READY command leaves the choice of a routing id to us.
//
// libzmq 4.3.4 neither reads nor frees what comes from a peer that chose the id of another.
static bool leaves_routing_id(const uint8_t *bytes, uint64_t count) {
  if (count < 6 || memcmp(bytes, "\5READY", 6) != 0) return true;
  if (count > CONTENT_BYTES) return false;
  // Each property: a byte and a name of that length, four bytes and a value of that length.
  uint64_t at = 6;
  while (at < count) {
    uint64_t name = at + 1, value = name + bytes[at] + 4;
    if (value > count) return false;
    uint64_t length = 0;
    for (uint64_t digit = value - 4; digit < value; digit++) length = length << 8 | bytes[digit];
    bool is_routing_id = bytes[at] == 8 && strncasecmp((const char *)bytes + name, "Identity", 8) == 0;
    if (length > count - value || (is_routing_id && length > 0)) return false;
    at = value + length;
  }
  return true;
}

// Whether the frame that is complete, and the message if that is, are within their bounds.
static bool is_frame_allowed(
    struct reading *reading, struct topics *topics, const struct guard_bounds *bounds, uint64_t *received) {
  if (reading->flags & COMMAND && !reading->is_ready) {
    reading->is_ready = true;
    return leaves_routing_id(reading->content, reading->length);
  }
  // Of commands only these reach the socket.
  if (reading->flags & COMMAND && !is_command(reading, SUBSCRIBE) && !is_command(reading, CANCEL)) return true;
  reading->frames++;
  reading->bytes += reading->length + GUARD_FRAME_BYTES;
  if (bounds->frames && reading->frames > bounds->frames) return false;
  if (bounds->partial_bytes && reading->bytes > bounds->partial_bytes) return false;
  if (!count_subscription(reading, topics, bounds->subscriptions)) return false;
  if (!(reading->flags & COMMAND) && reading->flags & MORE) return true;
  *received += reading->bytes;
  reading->frames = reading->bytes = 0;
  reading->messages++;
  return true;
}

static void free_content(struct reading *reading) {
  free(reading->content);
  reading->content = NULL;
}

// Ends a complete frame; returns whether it is within the bounds.
static bool finish_frame(
    struct reading *reading, struct topics *topics, const struct guard_bounds *bounds, uint64_t *received) {
  bool is_allowed = is_frame_allowed(reading, topics, bounds, received);
  free_content(reading);
  reading->stage = FLAGS;
  return is_allowed;
}

// Copies the part of the content that is inspected; returns false if memory cannot be allocated.
static bool copy_content(
    struct reading *reading, const struct guard_bounds *bounds, const uint8_t *bytes, size_t count) {
  bool is_read = reading->flags & COMMAND || bounds->subscriptions > 0;
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

// Reads what came over a connection as libzmq is about to; whether it is within the bounds.
static bool follow(
    struct reading *reading, struct topics *topics, const struct guard_bounds *bounds, const uint8_t *bytes,
    size_t count, uint64_t *received) {
  while (count > 0) {
    switch (reading->stage) {
      case GREETING:
        if (!is_greeting(reading->position, *bytes)) return false;
        if (++reading->position == GREETING_BYTES) reading->stage = FLAGS;
        bytes++, count--;
        break;
      case FLAGS:
        reading->flags = *bytes;
        reading->length_bytes = *bytes & LONG ? 8 : 1;
        reading->length = reading->position = 0;
        reading->stage = LENGTH;
        bytes++, count--;
        break;
      case LENGTH:
        reading->length = reading->length << 8 | *bytes;
        bytes++, count--;
        if (--reading->length_bytes > 0) break;
        if (bounds->partial_bytes && reading->length > bounds->partial_bytes) return false;
        reading->stage = CONTENT;
        if (reading->length == 0 && !finish_frame(reading, topics, bounds, received)) return false;
        break;
      case CONTENT: {
        uint64_t rest = reading->length - reading->position;
        size_t step = rest < count ? (size_t)rest : count;
        if (!copy_content(reading, bounds, bytes, step)) return false;
        reading->position += step;
        bytes += step, count -= step;
        if (reading->position == reading->length && !finish_frame(reading, topics, bounds, received)) return false;
        break;
      }
    }
  }
  return true;
}

// Whether what came over a connection may go on to libzmq.
static bool may_pass(struct slot *slot, const uint8_t *bytes, size_t count) {
  struct listener *listener = listener_of(slot);
  const struct guard_bounds *bounds = &listener->bounds;
  uint64_t messages = slot->reading.messages, received = 0;
  bool passes = follow(&slot->reading, &slot->topics, bounds, bytes, count, &received);
  if (passes && received > 0) {
    uint64_t own = unread(slot) + received;
    uint64_t all =
        difference(atomic_load(&listener->received), atomic_load(&listener->handled)) + received;
    passes = !(bounds->unread_bytes && own > bounds->unread_bytes)
        && !(bounds->all_unread_bytes && all > bounds->all_unread_bytes && own > bounds->unread_bytes / SHARE);
  }
  if (!passes) {
    atomic_store(&slot->is_cut, true);
    record_end(listener);
    return false;
  }
  // Counted before libzmq has it, so that it is not handled before it was counted.
  atomic_fetch_add(&slot->received, received);
  atomic_fetch_add(&listener->received, received);
  bool is_message = slot->reading.messages > messages;
  if (is_message || !slot->has_greeted) record_progress(listener, slot, is_message);
  return true;
}

// Takes a connection off the listener's queue and closes it, where the process has no descriptor left.
static void refuse_with_spare(struct listener *listener, int descriptor) {
  pthread_mutex_lock(&lock);
  if (spare >= 0) {
    syscall(SYS_close, spare);
    int made = (int)syscall(SYS_accept4, descriptor, NULL, NULL, SOCK_CLOEXEC);
    if (made >= 0) syscall(SYS_close, made);
    spare = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
    listener->counts.refused++;
  }
  pthread_mutex_unlock(&lock);
}

// libzmq's calls, and everybody's.

int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
  int made = (int)syscall(SYS_accept4, descriptor, address, length, flags);
  struct listener *listener = listener_at(descriptor);
  if (!listener) return made;
  if (made < 0) {
    if (errno != EMFILE) return made;
    refuse_with_spare(listener, descriptor);
  } else {
    if (admit(listener, made)) return made;
    syscall(SYS_close, made);
  }
  // libzmq passes over this one; EMFILE would end the process.
  errno = ECONNABORTED;
  return -1;
}

ssize_t recv(int descriptor, void *bytes, size_t size, int flags) {
  ssize_t count = syscall(SYS_recvfrom, descriptor, bytes, size, flags, NULL, NULL);
  struct slot *slot = slot_of(descriptor);
  if (!slot || count <= 0 || flags & MSG_PEEK || may_pass(slot, bytes, (size_t)count)) return count;
  errno = ECONNRESET;
  return -1;
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags) {
  ssize_t count = syscall(SYS_sendto, descriptor, bytes, size, flags, NULL, 0);
  struct slot *slot = slot_of(descriptor);
  if (slot && count > 0) atomic_fetch_add(&slot->written, (uint64_t)count);
  return count;
}

int close(int descriptor) {
  struct listener *listening = listener_at(descriptor);
  if (listening) atomic_store(&listening->descriptor, -1);
  struct slot *slot = slot_of(descriptor);
  if (slot) {
    struct listener *listener = listener_of(slot);
    pthread_mutex_lock(&lock);
    if (!slot->is_closing) remove_from(list_of(listener, slot), descriptor);
    topics_clear(&slot->topics);
    free_content(&slot->reading);
    listener->counts.open--;
    bool is_held = hold_number(listener, slot);
    if (!is_held) atomic_store_explicit(&slot->listener, 0, memory_order_release);
    free_if_unused(listener);
    pthread_mutex_unlock(&lock);
    if (is_held) return 0;
  }
  return (int)syscall(SYS_close, descriptor);
}

// What the owner of a socket asks for.

bool guard_is_installed(void) {
  return dlsym(RTLD_DEFAULT, "accept4") == (void *)accept4 && dlsym(RTLD_DEFAULT, "recv") == (void *)recv
      && dlsym(RTLD_DEFAULT, "send") == (void *)send && dlsym(RTLD_DEFAULT, "close") == (void *)close;
}

int guard_listener(int descriptor, const struct guard_bounds *bounds) {
  topics_make_key();
  pthread_mutex_lock(&lock);
  if (!slots) slots = calloc(SLOTS, sizeof(struct slot));
  if (spare < 0) spare = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
  int number = 0;
  while (number < LISTENERS && listeners[number].is_used) number++;
  if (!slots || number == LISTENERS) {
    number = -1;
  } else {
    struct listener *listener = &listeners[number];
    listener->is_used = true;
    listener->is_released = false;
    listener->bounds = *bounds;
    listener->silent = listener->greeted = listener->active = listener->closed = (struct list){-1, -1};
    listener->closed_count = 0;
    listener->closed_total = 0;
    listener->counts = (struct guard_counts){0};
    listener->received = listener->handled = 0;
    listener->unsent = listener->looked_at = 0;
    atomic_store(&listener->descriptor, descriptor);
    if (number >= used_listeners) atomic_store_explicit(&used_listeners, number + 1, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  return number;
}

void guard_release(int number) {
  pthread_mutex_lock(&lock);
  listeners[number].is_released = true;
  atomic_store(&listeners[number].descriptor, -1);
  release_closed(&listeners[number], UINT64_MAX);
  free_if_unused(&listeners[number]);
  pthread_mutex_unlock(&lock);
}

struct guard_counts guard_counts(int number) {
  pthread_mutex_lock(&lock);
  struct guard_counts counts = listeners[number].counts;
  pthread_mutex_unlock(&lock);
  return counts;
}

struct guard_progress guard_progress(int number) {
  struct listener *listener = &listeners[number];
  return (struct guard_progress){atomic_load(&listener->received), atomic_load(&listener->closed_total)};
}

bool guard_handled(int number, int descriptor, uint64_t bytes) {
  // libzmq generates the unsubscriptions of a closed subscriber.
  if (descriptor < 0) return false;
  struct listener *listener = &listeners[number];
  atomic_fetch_add(&listener->handled, bytes);
  struct slot *slot = slot_of(descriptor);
  if (!slot || listener_of(slot) != listener) return false;
  atomic_fetch_add(&slot->handled, bytes);
  bool is_cut = atomic_load(&slot->is_cut);
  if (!atomic_load(&slot->is_closed)) return is_cut;
  atomic_store(&slot->closed_progress, now_seconds());
  if (unread(slot) == 0) {
    pthread_mutex_lock(&lock);
    // The I/O thread may have released the descriptor and reused it for another connection.
    if (slot->listener && slot->is_closed && unread(slot) == 0) release(listener_of(slot), slot);
    pthread_mutex_unlock(&lock);
  }
  return is_cut;
}

void guard_emptied(int number, struct guard_progress progress) {
  struct listener *listener = &listeners[number];
  atomic_store(&listener->handled, progress.received);
  if (atomic_load(&listener->closed_count) == 0) return;
  pthread_mutex_lock(&lock);
  release_closed(listener, progress.closed);
  pthread_mutex_unlock(&lock);
}

uint32_t guard_serial(int number, int descriptor) {
  struct slot *slot = slot_of(descriptor);
  bool is_open = slot && listener_of(slot) == &listeners[number] && !atomic_load(&slot->is_closed);
  return is_open ? atomic_load(&slot->serial) : 0;
}

static struct slot *connection(int number, int descriptor, uint32_t serial) {
  return serial != 0 && guard_serial(number, descriptor) == serial ? slot_of(descriptor) : NULL;
}

static uint64_t all_unsent(struct listener *listener) {
  uint64_t sum = 0;
  pthread_mutex_lock(&lock);
  for (int at = listener->silent.first; at >= 0; at = slots[at].next) sum += unsent(&slots[at]);
  for (int at = listener->greeted.first; at >= 0; at = slots[at].next) sum += unsent(&slots[at]);
  for (int at = listener->active.first; at >= 0; at = slots[at].next) sum += unsent(&slots[at]);
  pthread_mutex_unlock(&lock);
  return sum;
}

// Whether a connection may have so many bytes more unsent; what all have is as it was last looked at.
static bool has_capacity(struct listener *listener, struct slot *slot, uint64_t bytes) {
  const struct guard_bounds *bounds = &listener->bounds;
  uint64_t own = unsent(slot);
  if (bounds->unsent_bytes == 0 || own == 0) return true;
  bool are_many = bounds->all_unsent_bytes && listener->unsent > bounds->all_unsent_bytes;
  return own + bytes <= (are_many ? bounds->unsent_bytes / SHARE : bounds->unsent_bytes);
}

bool guard_may_send(int number, int descriptor, uint32_t serial, uint64_t bytes) {
  struct slot *slot = connection(number, descriptor, serial);
  return slot && has_capacity(&listeners[number], slot, bytes);
}

bool guard_send_begins(int number, int descriptor, uint32_t serial, uint64_t bytes) {
  struct listener *listener = &listeners[number];
  const struct guard_bounds *bounds = &listener->bounds;
  struct slot *slot = connection(number, descriptor, serial);
  if (!slot || bounds->unsent_bytes == 0) return true;
  // libzmq wrote all, with bytes of its own that were not counted: begin again from there.
  if (unsent(slot) == 0) atomic_store(&slot->queued, atomic_load(&slot->written));
  // What all have is looked at again whenever a sixteenth of its bound was added.
  listener->looked_at += bytes;
  if (bounds->all_unsent_bytes && listener->looked_at > bounds->all_unsent_bytes / 16) {
    listener->unsent = all_unsent(listener);
    listener->looked_at = 0;
  }
  if (!has_capacity(listener, slot, bytes)) return false;
  atomic_fetch_add(&slot->queued, bytes);
  return true;
}

void guard_send_failed(int number, int descriptor, uint32_t serial, uint64_t bytes) {
  struct slot *slot = connection(number, descriptor, serial);
  if (slot) atomic_fetch_sub(&slot->queued, bytes);
}
