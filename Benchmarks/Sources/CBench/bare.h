// Declarations shared by the programs with libzmq in C.
#pragma once
#include "bench.h"

#include <pthread.h>
#include <zmq.h>

/// Creates a socket with the options of both sides; NULL after an error.
void *bare_socket(void *context, int kind);

/// Encrypts a socket with CURVE, as the server or as a client of it, with one pair of keys for all; returns an error
/// number, or 0. Without an authenticator the server admits every key.
int bare_encrypt(void *socket, int is_server);
