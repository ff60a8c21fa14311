#include "bare.h"

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

/// The frames of a message to forward: a peer's routing ID, and a body.
struct message {
    zmq_msg_t peer, body;
};

/// The broker's endpoints: as requested, then as bound by libzmq, for example with a port.
struct places {
    char clients[256], devices[256];
};

struct program {
    void *context;
    struct places *places;
    /// Posted by the broker: when it is bound, and when the device's hello has arrived.
    sem_t *is_ready;
    int is_encrypted;
    int failure;
};

/// Receives one message of two frames; returns false if none is waiting.
static int receive(void *socket, struct message *message) {
    if (zmq_msg_recv(&message->peer, socket, ZMQ_DONTWAIT) < 0) return 0;
    return zmq_msg_recv(&message->body, socket, ZMQ_DONTWAIT) >= 0;
}

/// Forwards the messages of one side to the peer of the other, up to a bound, and records the sender.
static int pass_on(void *from, zmq_msg_t *sender, void *to, zmq_msg_t *recipient, struct message *message) {
    for (int turn = 0; turn < BENCH_DRAIN && receive(from, message); turn++) {
        zmq_msg_copy(sender, &message->peer);
        zmq_msg_copy(&message->peer, recipient);
        if (zmq_msg_send(&message->peer, to, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0
            || zmq_msg_send(&message->body, to, ZMQ_DONTWAIT) < 0)
            return zmq_errno();
    }
    return 0;
}

static int broker_turns(void *clients, void *devices, sem_t *is_ready) {
    zmq_pollitem_t items[] = {{clients, 0, ZMQ_POLLIN, 0}, {devices, 0, ZMQ_POLLIN, 0}};
    zmq_msg_t client, device;
    struct message message;
    int failure = 0;
    zmq_msg_init(&client), zmq_msg_init(&device), zmq_msg_init(&message.peer), zmq_msg_init(&message.body);
    // The device's hello contains its routing ID.
    if (zmq_poll(&items[1], 1, BENCH_TIMEOUT_MS) <= 0 || !receive(devices, &message)) failure = EPROTO;
    zmq_msg_copy(&device, &message.peer);
    sem_post(is_ready);
    while (failure == 0) {
        if (zmq_poll(items, 2, -1) < 0) break;
        if (items[0].revents) failure = pass_on(clients, &client, devices, &device, &message);
        if (items[1].revents && failure == 0) failure = pass_on(devices, &device, clients, &client, &message);
    }
    zmq_msg_close(&client), zmq_msg_close(&device), zmq_msg_close(&message.peer), zmq_msg_close(&message.body);
    return failure;
}

static int bind_to(void *socket, char *place, size_t length) {
    if (zmq_bind(socket, place) != 0) return zmq_errno();
    return zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, place, &length) == 0 ? 0 : zmq_errno();
}

static void *run_broker(void *argument) {
    struct program *program = argument;
    void *clients = bare_socket(program->context, ZMQ_ROUTER);
    void *devices = bare_socket(program->context, ZMQ_ROUTER);
    struct places *places = program->places;
    if (program->is_encrypted) {
        program->failure = bare_encrypt(clients, 1);
        if (program->failure == 0) program->failure = bare_encrypt(devices, 1);
    }
    if (program->failure == 0)
        program->failure = bind_to(clients, places->clients, sizeof places->clients);
    if (program->failure == 0)
        program->failure = bind_to(devices, places->devices, sizeof places->devices);
    sem_post(program->is_ready);
    if (program->failure == 0) program->failure = broker_turns(clients, devices, program->is_ready);
    else sem_post(program->is_ready);
    zmq_close(clients);
    zmq_close(devices);
    return NULL;
}

/// Sends a hello, and echoes every message, until its context is shut down.
static void *run_device(void *argument) {
    struct program *program = argument;
    void *socket = bare_socket(program->context, ZMQ_DEALER);
    zmq_pollitem_t item = {socket, 0, ZMQ_POLLIN, 0};
    zmq_msg_t message;
    zmq_msg_init(&message);
    if (program->is_encrypted) program->failure = bare_encrypt(socket, 0);
    if (zmq_connect(socket, program->places->devices) != 0 || zmq_send(socket, "", 0, 0) < 0)
        program->failure = zmq_errno();
    while (program->failure == 0 && zmq_poll(&item, 1, -1) >= 0) {
        for (int turn = 0; turn < BENCH_DRAIN && zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0; turn++) {
            if (zmq_msg_send(&message, socket, ZMQ_DONTWAIT) < 0) program->failure = zmq_errno();
        }
    }
    zmq_msg_close(&message);
    zmq_close(socket);
    return NULL;
}

/// Sends messages up to the limit in flight, each with its send time, until all have returned.
static int run_client(void *socket, size_t in_flight, size_t messages, uint64_t *round_trips) {
    zmq_pollitem_t item = {socket, 0, ZMQ_POLLIN, 0};
    char body[BENCH_BODY_BYTES] = {0};
    size_t sent = 0, received = 0;
    uint64_t sent_at;
    zmq_msg_t message;
    zmq_msg_init(&message);
    while (received < messages) {
        while (sent < messages && sent - received < in_flight) {
            sent_at = bench_now();
            memcpy(body, &sent_at, sizeof sent_at);
            if (zmq_send(socket, body, sizeof body, ZMQ_DONTWAIT) < 0) return zmq_errno();
            sent++;
        }
        if (zmq_poll(&item, 1, BENCH_TIMEOUT_MS) <= 0) return ETIMEDOUT;
        for (int turn = 0; turn < BENCH_DRAIN && zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0; turn++) {
            memcpy(&sent_at, zmq_msg_data(&message), sizeof sent_at);
            round_trips[received++] = bench_now() - sent_at;
        }
    }
    zmq_msg_close(&message);
    return 0;
}

int bench_bare_four_hops(const char *clients, const char *devices, int is_encrypted, size_t in_flight,
                         size_t messages, uint64_t *round_trips, uint64_t *nanoseconds) {
    void *context = zmq_ctx_new();
    sem_t is_ready;
    sem_init(&is_ready, 0, 0);
    struct places places;
    snprintf(places.clients, sizeof places.clients, "%s", clients);
    snprintf(places.devices, sizeof places.devices, "%s", devices);
    struct program broker = {zmq_ctx_new(), &places, &is_ready, is_encrypted, 0};
    struct program device = {zmq_ctx_new(), &places, &is_ready, is_encrypted, 0};
    pthread_t broker_thread, device_thread;
    pthread_create(&broker_thread, NULL, run_broker, &broker);
    sem_wait(&is_ready);
    pthread_create(&device_thread, NULL, run_device, &device);
    sem_wait(&is_ready);
    void *socket = bare_socket(context, ZMQ_DEALER);
    int failure = is_encrypted ? bare_encrypt(socket, 0) : 0;
    if (failure == 0 && zmq_connect(socket, places.clients) != 0) failure = zmq_errno();
    // One message in advance, so that the connection exists before the measurement begins.
    if (failure == 0) failure = run_client(socket, 1, 1, round_trips);
    uint64_t began = bench_now();
    if (failure == 0) failure = run_client(socket, in_flight, messages, round_trips);
    *nanoseconds = bench_now() - began;
    zmq_close(socket);
    zmq_ctx_shutdown(broker.context);
    zmq_ctx_shutdown(device.context);
    pthread_join(broker_thread, NULL);
    pthread_join(device_thread, NULL);
    zmq_ctx_term(broker.context);
    zmq_ctx_term(device.context);
    zmq_ctx_term(context);
    sem_destroy(&is_ready);
    if (failure == 0) failure = broker.failure != 0 ? broker.failure : device.failure;
    return failure;
}
