#include "topics.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

static uint64_t key[2];
static pthread_once_t key_is_made = PTHREAD_ONCE_INIT;

// Without random bytes the key stays 0: then a peer could have more topics than it may, and nothing else.
static void make_key(void) { (void)!getrandom(key, sizeof key, 0); }

void topics_make_key(void) { pthread_once(&key_is_made, make_key); }

static uint64_t rotated(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

static void sip_round(uint64_t v[4]) {
  v[0] += v[1], v[1] = rotated(v[1], 13) ^ v[0], v[0] = rotated(v[0], 32);
  v[2] += v[3], v[3] = rotated(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = rotated(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = rotated(v[1], 17) ^ v[2], v[2] = rotated(v[2], 32);
}

// SipHash-2-4 (Aumasson and Bernstein, 2012).
static uint64_t digest(const uint8_t *topic, uint64_t bytes) {
  uint64_t v[4] = {
      key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
      key[1] ^ 0x7465646279746573};
  // The last word has the rest of the bytes, fewer than eight, and their number.
  for (uint64_t at = 0; at <= bytes; at += 8) {
    uint64_t rest = bytes - at, word = rest < 8 ? bytes << 56 : 0;
    for (uint64_t byte = 0; byte < 8 && byte < rest; byte++) word |= (uint64_t)topic[at + byte] << 8 * byte;
    v[3] ^= word;
    sip_round(v), sip_round(v);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
  for (int round = 0; round < 4; round++) sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// The place of a digest; the number of all where it is not there.
static uint64_t place_of(const struct topics *topics, uint64_t digest) {
  uint64_t place = 0;
  while (place < topics->count && topics->digests[place] != digest) place++;
  return place;
}

bool topics_add(struct topics *topics, const uint8_t *topic, uint64_t bytes, uint64_t most) {
  uint64_t added = digest(topic, bytes);
  if (place_of(topics, added) < topics->count) return true;
  if (topics->count == most) return false;
  if (!topics->digests) topics->digests = malloc(most * sizeof *topics->digests);
  if (!topics->digests) return false;
  topics->digests[topics->count++] = added;
  return true;
}

void topics_remove(struct topics *topics, const uint8_t *topic, uint64_t bytes) {
  uint64_t place = place_of(topics, digest(topic, bytes));
  if (place < topics->count) topics->digests[place] = topics->digests[--topics->count];
}

void topics_clear(struct topics *topics) {
  free(topics->digests);
  *topics = (struct topics){0};
}
