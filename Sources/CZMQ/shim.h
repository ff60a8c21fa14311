#pragma once
#include <zmq.h>
// eventfd wakes a thread that waits in poll; Swift's Glibc module leaves it out.
#include <sys/eventfd.h>
#include <pthread.h>
// A GNU extension of pthread.h, which Swift reads without _GNU_SOURCE.
extern int pthread_setname_np(pthread_t thread, const char *name);
