// What the bare programs share.
#pragma once
#include "bench.h"

#include <pthread.h>
#include <zmq.h>

/// A socket with the options of both sides; NULL when it cannot be made.
void *bare_socket(void *context, int kind);
