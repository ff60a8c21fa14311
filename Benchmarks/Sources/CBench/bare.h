// Declarations shared by the programs with libzmq in C.
#pragma once
#include "bench.h"

#include <pthread.h>
#include <zmq.h>

/// Creates a socket with the options of both sides; NULL after an error.
void *bare_socket(void *context, int kind);
