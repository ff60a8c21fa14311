#include "hops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// The kernel ends a driver that runs longer.
enum { TIMEOUT_SECONDS = 30 };

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int hops_leave(struct hops *hops, char body[HOPS_BODY_BYTES]) {
    if (hops->sent == hops->messages || hops->sent - hops->received == hops->in_flight) return 0;
    uint64_t sent_at = now();
    memset(body, 0, HOPS_BODY_BYTES);
    memcpy(body, &sent_at, sizeof sent_at);
    hops->sent++;
    return 1;
}

int hops_return(struct hops *hops, const void *body, size_t length) {
    uint64_t sent_at;
    if (length != HOPS_BODY_BYTES || hops->received == hops->sent) return 0;
    memcpy(&sent_at, body, sizeof sent_at);
    hops->round_trips[hops->received++] = now() - sent_at;
    return 1;
}

int hops_is_over(const struct hops *hops) { return hops->received == hops->messages; }

static int compare(const void *one, const void *other) {
    uint64_t first = *(const uint64_t *)one, second = *(const uint64_t *)other;
    return (first > second) - (first < second);
}

static int measure(int port, const char *kind, size_t in_flight, size_t messages) {
    uint64_t *round_trips = calloc(messages, sizeof *round_trips);
    struct hops first = {1, 1, 0, 0, round_trips}, hops = {in_flight, messages, 0, 0, round_trips};
    if (round_trips == NULL || peer_open(port, kind, in_flight) != 0) return 1;
    // One message in advance, so that all connections exist before the measurement begins.
    if (peer_run(&first) != 0) return 1;
    uint64_t began = now();
    if (peer_run(&hops) != 0) return 1;
    double per_second = (double)messages / ((double)(now() - began) / 1e9);
    if (peer_close() != 0) return 1;
    qsort(round_trips, messages, sizeof *round_trips, compare);
    printf("per_second %.0f\np50_us %.1f\n", per_second, (double)round_trips[messages / 2] / 1e3);
    free(round_trips);
    return 0;
}

int main(int count, char **arguments) {
    alarm(TIMEOUT_SECONDS);
    if (count == 2 && strcmp(arguments[1], "version") == 0) {
        puts(peer_version());
        return 0;
    }
    int port = count == 5 ? atoi(arguments[1]) : 0;
    long in_flight = count == 5 ? atol(arguments[3]) : 0, messages = count == 5 ? atol(arguments[4]) : 0;
    if (port <= 0 || in_flight <= 0 || messages <= 0) {
        fprintf(stderr, "usage: DRIVER PORT KIND IN_FLIGHT MESSAGES, or DRIVER version\n");
        return 64;
    }
    return measure(port, arguments[2], (size_t)in_flight, (size_t)messages);
}
