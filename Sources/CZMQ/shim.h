#pragma once
#include <zmq.h>
// eventfd wakes a thread that waits in poll; Swift's Glibc module leaves it out.
#include <sys/eventfd.h>
#include <pthread.h>
// A GNU extension of pthread.h, which Swift reads without _GNU_SOURCE.
extern int pthread_setname_np(pthread_t thread, const char *name);

// A wait that is bounded to the nanosecond, likewise.
#include <poll.h>
#include <signal.h>
#include <time.h>
extern int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit, const sigset_t *mask);

// prctl takes any number of arguments, which Swift cannot call.
#include <sys/prctl.h>
static inline int sensibus_set_timer_slack(unsigned long nanoseconds) {
  return prctl(PR_SET_TIMERSLACK, nanoseconds, 0UL, 0UL, 0UL);
}

// An option of libzmq 4.3 that zmq.h declares only for drafts: a peer is refused while nobody answers for its domain.
#ifndef ZMQ_ZAP_ENFORCE_DOMAIN
#define ZMQ_ZAP_ENFORCE_DOMAIN 93
#endif
