#include "bare.h"

#include <string.h>

void *bare_socket(void *context, int kind) {
    void *socket = zmq_socket(context, kind);
    int mark = BENCH_MARK, timeout = BENCH_TIMEOUT_MS, linger = 0;
    if (socket == NULL) return NULL;
    zmq_setsockopt(socket, ZMQ_SNDHWM, &mark, sizeof mark);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &mark, sizeof mark);
    zmq_setsockopt(socket, ZMQ_SNDTIMEO, &timeout, sizeof timeout);
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &timeout, sizeof timeout);
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    return socket;
}

int bare_encrypt(void *socket, int is_server) {
    static char public_key[41], secret_key[41];
    if (public_key[0] == 0 && zmq_curve_keypair(public_key, secret_key) != 0) return zmq_errno();
    int failure = zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret_key, sizeof secret_key);
    if (is_server) {
        failure |= zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &is_server, sizeof is_server);
    } else {
        failure |= zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, public_key, sizeof public_key);
        failure |= zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, public_key, sizeof public_key);
    }
    return failure == 0 ? 0 : zmq_errno();
}

struct push {
    void *socket;
    size_t messages;
    uint64_t began;
    int failure;
};

static void *push_all(void *argument) {
    struct push *push = argument;
    char body[BENCH_BODY_BYTES];
    memset(body, 1, sizeof body);
    push->began = bench_now();
    for (size_t sent = 0; sent < push->messages; sent++) {
        if (zmq_send(push->socket, body, sizeof body, 0) < 0) {
            push->failure = zmq_errno();
            return NULL;
        }
    }
    return NULL;
}

static int pull_all(void *socket, size_t messages) {
    int failure = 0;
    zmq_msg_t message;
    zmq_msg_init(&message);
    for (size_t received = 0; received < messages && failure == 0; received++) {
        if (zmq_msg_recv(&message, socket, 0) < 0) failure = zmq_errno();
    }
    zmq_msg_close(&message);
    return failure;
}

int bench_bare_one_way(const char *endpoint, size_t messages, uint64_t *nanoseconds) {
    void *pulling = zmq_ctx_new(), *pushing = zmq_ctx_new();
    void *pull = bare_socket(pulling, ZMQ_PULL);
    struct push push = {bare_socket(pushing, ZMQ_PUSH), messages, 0, 0};
    pthread_t thread;
    int failure = 0;
    if (zmq_bind(pull, endpoint) != 0 || zmq_connect(push.socket, endpoint) != 0) failure = zmq_errno();
    // One message in advance, so that the connection exists before the measurement begins.
    if (failure == 0 && zmq_send(push.socket, "", 0, 0) < 0) failure = zmq_errno();
    if (failure == 0) failure = pull_all(pull, 1);
    if (failure == 0) failure = pthread_create(&thread, NULL, push_all, &push);
    if (failure == 0) {
        failure = pull_all(pull, messages);
        uint64_t ended = bench_now();
        pthread_join(thread, NULL);
        if (failure == 0) failure = push.failure;
        *nanoseconds = ended - push.began;
    }
    zmq_close(push.socket);
    zmq_close(pull);
    zmq_ctx_term(pushing);
    zmq_ctx_term(pulling);
    return failure;
}
