#pragma once
#include <stdbool.h>
#include <stdint.h>

// The topics to which one connection subscribes: libzmq has an entry for each, until the subscription ends.
//
// A count of the messages would not do: libzmq ignores a second subscription to a topic, and the end of one that
// never began.

struct topics {
  uint64_t *digests;  // Room for the most there may be; NULL before the first.
  uint64_t count;
};

// Adds a topic unless it is there; false for one more than `most`, which is the same at each call.
bool topics_add(struct topics *topics, const uint8_t *topic, uint64_t bytes, uint64_t most);

// Removes a topic if it is there.
void topics_remove(struct topics *topics, const uint8_t *topic, uint64_t bytes);

// Removes all, and gives their memory back.
void topics_clear(struct topics *topics);

// Makes the key of the digests, once: a peer that does not know it finds no two topics with one digest.
void topics_make_key(void);
