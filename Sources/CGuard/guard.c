#define _GNU_SOURCE
#include "guard.h"
#include "frames.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
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

// How far a connection has come: nothing came over it; bytes did; under encryption, a HELLO of a peer that knows the
// server's key; a complete message, which under encryption has an authenticated sender.
enum progress { SILENT, GREETED, INTRODUCED, ACTIVE, PROGRESSES };

// A connection, at the number of its descriptor.
struct slot {
  _Atomic int listener;  // The number of its listener and 1; 0 for no connection.
  _Atomic uint32_t serial;
  // Neighbours in its listener's list of connections, by how long they were quiet; -1 for none. Under `lock`.
  int previous, next;
  enum progress progress;
  bool is_closing;
  // Ended because it exceeded a limit, or by the owner. Closed by libzmq before everything that it sent was handled.
  _Atomic bool is_cut, is_closed;
  uint64_t closed_number;  // The number of connections that were closed before it.
  _Atomic time_t closed_progress;  // The second in which it was closed, or a message of it was handled since.
  struct reading reading;  // The I/O thread's.
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
  struct list open[PROGRESSES], closed;  // Connections, under `lock`.
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
// The encrypted connection whose bytes this I/O thread received last: libzmq decrypts them before it receives others.
static _Thread_local struct slot *decrypting;
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
  return slot->is_closed ? &listener->closed : &listener->open[slot->progress];
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

// Ends a connection. The I/O thread reads the end of its stream next and closes the descriptor. It takes `lock` for
// that, so until then no other connection has the descriptor.
static void end(struct listener *listener, struct slot *slot) {
  int descriptor = (int)(slot - slots);
  remove_from(list_of(listener, slot), descriptor);
  slot->is_closing = true;
  shutdown(descriptor, SHUT_RDWR);
}

// Ends the connection that was quiet the longest among those that came the least far. So a client completes its
// handshake among any number of silent connections.
static bool end_quietest(struct listener *listener) {
  int progress = SILENT;
  while (progress < ACTIVE && listener->open[progress].first < 0) progress++;
  int quietest = listener->open[progress].first;
  if (quietest < 0) return false;
  end(listener, &((struct slot *)slots)[quietest]);
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
    slot->progress = SILENT;
    slot->is_closing = slot->is_cut = slot->is_closed = false;
    slot->reading = (struct reading){0};
    atomic_store(&slot->received, 0);
    atomic_store(&slot->handled, 0);
    atomic_store(&slot->queued, 0);
    atomic_store(&slot->written, 0);
    atomic_fetch_add(&slot->serial, 1);
    append(&listener->open[SILENT], descriptor);
    listener->counts.open++;
    listener->counts.accepted++;
    atomic_store_explicit(&slot->listener, (int)(listener - listeners) + 1, memory_order_release);
  } else {
    listener->counts.refused++;
  }
  pthread_mutex_unlock(&lock);
  return has_capacity;
}

// Notes how far a connection came, and that it is not quiet.
static void record_progress(struct listener *listener, struct slot *slot, enum progress progress) {
  int descriptor = (int)(slot - atomic_load(&slots));
  pthread_mutex_lock(&lock);
  if (!slot->is_closing) {
    remove_from(list_of(listener, slot), descriptor);
    if (progress > slot->progress) slot->progress = progress;
    append(list_of(listener, slot), descriptor);
  }
  pthread_mutex_unlock(&lock);
}

// Counts the messages that are complete since the last call; whether they are within the bounds.
static bool count_messages(struct listener *listener, struct slot *slot) {
  const struct guard_bounds *bounds = &listener->bounds;
  uint64_t received = slot->reading.message_bytes;
  if (received == 0) return true;
  slot->reading.message_bytes = 0;
  uint64_t own = unread(slot) + received;
  uint64_t all = difference(atomic_load(&listener->received), atomic_load(&listener->handled)) + received;
  if (bounds->unread_bytes && own > bounds->unread_bytes) return false;
  bool are_many = bounds->all_unread_bytes && all > bounds->all_unread_bytes;
  if (are_many && own > bounds->unread_bytes / SHARE) return false;
  // Counted before libzmq has it, so that it is not handled before it was counted.
  atomic_fetch_add(&slot->received, received);
  atomic_fetch_add(&listener->received, received);
  return true;
}

// Ends a connection that exceeded a limit, by failing the call of libzmq that is under way.
static void cut(struct listener *listener, struct slot *slot) {
  pthread_mutex_lock(&lock);
  if (!slot->is_cut) listener->counts.ended++;
  slot->is_cut = true;
  pthread_mutex_unlock(&lock);
}

// Whether what came over a connection may go on to libzmq.
static bool may_pass(struct slot *slot, const uint8_t *bytes, size_t count) {
  struct listener *listener = listener_of(slot);
  uint64_t messages = slot->reading.messages;
  if (!frames_follow(&slot->reading, &listener->bounds, bytes, count) || !count_messages(listener, slot)) {
    cut(listener, slot);
    return false;
  }
  bool is_message = slot->reading.messages > messages;
  if (is_message) record_progress(listener, slot, ACTIVE);
  else if (slot->progress == SILENT) record_progress(listener, slot, GREETED);
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
  struct slot *slot = slot_of(descriptor);
  decrypting = slot && listener_of(slot)->bounds.is_encrypted ? slot : NULL;
  bool is_cut = slot && atomic_load(&slot->is_cut);
  ssize_t count = is_cut ? 0 : syscall(SYS_recvfrom, descriptor, bytes, size, flags, NULL, NULL);
  if (!slot || (!is_cut && (count <= 0 || flags & MSG_PEEK || may_pass(slot, bytes, (size_t)count)))) return count;
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
    if (slot == decrypting) decrypting = NULL;
    pthread_mutex_lock(&lock);
    if (!slot->is_closing) remove_from(list_of(listener, slot), descriptor);
    frames_clear(&slot->reading);
    listener->counts.open--;
    bool is_held = hold_number(listener, slot);
    if (!is_held) atomic_store_explicit(&slot->listener, 0, memory_order_release);
    free_if_unused(listener);
    pthread_mutex_unlock(&lock);
    if (is_held) return 0;
  }
  return (int)syscall(SYS_close, descriptor);
}

// libzmq's calls of libsodium, and everybody's.

// Opens a box: of a peer's HELLO, which needs the server's key, or of its INITIATE.
int crypto_box_open(
    unsigned char *message, const unsigned char *box, unsigned long long size, const unsigned char *nonce,
    const unsigned char *public_key, const unsigned char *secret_key) {
  int result = crypto_box_curve25519xsalsa20poly1305_open(message, box, size, nonce, public_key, secret_key);
  struct slot *slot = decrypting;
  if (result != 0 || !slot) return result;
  if (memcmp(nonce, "CurveZMQHELLO---", 16) == 0) record_progress(listener_of(slot), slot, INTRODUCED);
  if (memcmp(nonce, "CurveZMQINITIATE", 16) != 0) return 0;
  // Zeros, the client's key, a nonce and a box that vouch for it, and the properties.
  uint64_t prefix = crypto_box_ZEROBYTES + 32 + 16 + 80;
  if (size >= prefix && frames_leave_routing_id(message + prefix, size - prefix)) return 0;
  cut(listener_of(slot), slot);
  return -1;
}

// Opens the box of a MESSAGE: a byte of flags, and the content of a frame.
int crypto_box_open_easy_afternm(
    unsigned char *message, const unsigned char *box, unsigned long long size, const unsigned char *nonce,
    const unsigned char *key) {
  enum { TAG = crypto_box_MACBYTES, INNER_COMMAND = 2 };
  if (size < TAG) return -1;
  int result = crypto_box_open_detached_afternm(message, box + TAG, box, size - TAG, nonce, key);
  struct slot *slot = decrypting;
  if (result != 0 || !slot || size == TAG) return result;
  struct listener *listener = listener_of(slot);
  uint8_t flags = (message[0] & FRAME_MORE) | (message[0] & INNER_COMMAND ? FRAME_COMMAND : 0);
  uint64_t messages = slot->reading.messages;
  bool is_allowed = !slot->is_cut
      && frames_count(&slot->reading, &listener->bounds, (struct frame){flags, message + 1, size - TAG - 1})
      && count_messages(listener, slot);
  if (!is_allowed) {
    cut(listener, slot);
    return -1;
  }
  if (slot->reading.messages > messages) record_progress(listener, slot, ACTIVE);
  return 0;
}

// What the owner of a socket asks for.

static bool leads_here(const char *name, void *function) { return dlsym(RTLD_DEFAULT, name) == function; }

bool guard_is_installed(void) {
  return leads_here("accept4", accept4) && leads_here("recv", recv) && leads_here("send", send)
      && leads_here("close", close) && leads_here("crypto_box_open", crypto_box_open)
      && leads_here("crypto_box_open_easy_afternm", crypto_box_open_easy_afternm);
}

int guard_listener(int descriptor, const struct guard_bounds *bounds) {
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
    for (int progress = SILENT; progress < PROGRESSES; progress++)
      listener->open[progress] = (struct list){-1, -1};
    listener->closed = (struct list){-1, -1};
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

struct guard_sender guard_handled(int number, int descriptor, uint64_t bytes) {
  struct guard_sender sender = {0};
  // libzmq generates the unsubscriptions of a closed subscriber.
  if (descriptor < 0) return sender;
  struct listener *listener = &listeners[number];
  atomic_fetch_add(&listener->handled, bytes);
  struct slot *slot = slot_of(descriptor);
  if (!slot || listener_of(slot) != listener) return sender;
  // Read before its bytes are handled: the number may be another connection's after that.
  sender.serial = atomic_load(&slot->serial);
  // An encrypted message that was not counted: this libzmq decrypts in a way that the guard does not see.
  bool is_uncounted = listener->bounds.is_encrypted && atomic_load(&slot->received) == 0;
  sender.is_cut = is_uncounted || atomic_load(&slot->is_cut);
  atomic_fetch_add(&slot->handled, bytes);
  if (!atomic_load(&slot->is_closed)) return sender;
  atomic_store(&slot->closed_progress, now_seconds());
  if (unread(slot) == 0) {
    pthread_mutex_lock(&lock);
    // The I/O thread may have released the descriptor and reused it for another connection.
    if (slot->listener && slot->is_closed && unread(slot) == 0) release(listener_of(slot), slot);
    pthread_mutex_unlock(&lock);
  }
  return sender;
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

bool guard_end(int number, int descriptor, uint32_t serial) {
  pthread_mutex_lock(&lock);
  struct slot *slot = connection(number, descriptor, serial);
  if (slot && !slot->is_cut) {
    struct listener *listener = &listeners[number];
    slot->is_cut = true;
    listener->counts.ended++;
    if (!slot->is_closing) end(listener, slot);
  }
  pthread_mutex_unlock(&lock);
  return slot;
}

uint32_t guard_connections(int number, struct guard_connection *connections, uint32_t most) {
  struct listener *listener = &listeners[number];
  uint32_t count = 0;
  pthread_mutex_lock(&lock);
  for (int progress = SILENT; progress < PROGRESSES; progress++)
    for (int at = listener->open[progress].first; at >= 0 && count < most; at = slots[at].next)
      connections[count++] = (struct guard_connection){at, slots[at].serial};
  pthread_mutex_unlock(&lock);
  return count;
}

static uint64_t all_unsent(struct listener *listener) {
  uint64_t sum = 0;
  pthread_mutex_lock(&lock);
  for (int progress = SILENT; progress < PROGRESSES; progress++)
    for (int at = listener->open[progress].first; at >= 0; at = slots[at].next) sum += unsent(&slots[at]);
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
