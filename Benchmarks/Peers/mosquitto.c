// MQTT with libmosquitto. Kinds: qos0, without acknowledgements, and qos1, where the broker acknowledges each
// publication, and client and device each delivery.
#include "hops.h"

#include <mosquitto.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A connection, and the received bodies that are not handled yet.
struct party {
    struct mosquitto *connection;
    const char *source, *destination;
    char (*bodies)[HOPS_BODY_BYTES];
    size_t waiting, capacity;
    int is_subscribed, is_ended, has_overflowed;
};

static struct party client, device;
static pthread_t device_thread;
static int qos;

static int fail(const char *what, int error) {
    fprintf(stderr, "mosquitto: %s: %s\n", what, mosquitto_strerror(error));
    return 1;
}

static void received(struct mosquitto *connection, void *argument, const struct mosquitto_message *message) {
    struct party *party = argument;
    (void)connection;
    if (message->payloadlen != HOPS_BODY_BYTES) party->is_ended = 1;
    else if (party->waiting == party->capacity) party->has_overflowed = 1;
    else memcpy(party->bodies[party->waiting++], message->payload, HOPS_BODY_BYTES);
}

static void subscribed(struct mosquitto *connection, void *argument, int id, int count, const int *granted) {
    struct party *party = argument;
    (void)connection, (void)id, (void)count, (void)granted;
    party->is_subscribed = 1;
}

/// Waits for a bounded time until the connection is readable, or writable if output is waiting.
///
/// Messages are sent between turns and not in the receiving callback, so that they leave at once. A run ends
/// before the library has to send a keep-alive.
static int turn(struct party *party) {
    short events = mosquitto_want_write(party->connection) ? POLLIN | POLLOUT : POLLIN;
    struct pollfd item = {mosquitto_socket(party->connection), events, 0};
    if (poll(&item, 1, HOPS_TIMEOUT_MS) <= 0) return fail("no answer", MOSQ_ERR_CONN_LOST);
    int error = mosquitto_loop_read(party->connection, 1);
    if (error == MOSQ_ERR_SUCCESS && item.revents & POLLOUT)
        error = mosquitto_loop_write(party->connection, 1);
    if (error == MOSQ_ERR_SUCCESS && party->has_overflowed) error = MOSQ_ERR_OVERSIZE_PACKET;
    return error == MOSQ_ERR_SUCCESS ? 0 : fail("connection", error);
}

static int publish(struct party *party, const char *body, int length) {
    int error = mosquitto_publish(party->connection, NULL, party->destination, length, body, qos, false);
    return error == MOSQ_ERR_SUCCESS ? 0 : fail("publish", error);
}

static int open_party(struct party *party, const char *name, int port, size_t in_flight) {
    party->capacity = in_flight;
    party->bodies = calloc(in_flight, sizeof *party->bodies);
    party->connection = mosquitto_new(name, true, party);
    if (party->bodies == NULL || party->connection == NULL) return fail("memory", MOSQ_ERR_NOMEM);
    mosquitto_int_option(party->connection, MOSQ_OPT_TCP_NODELAY, 1);
    // Without these calls, at most 20 acknowledgements can be outstanding.
    mosquitto_int_option(party->connection, MOSQ_OPT_SEND_MAXIMUM, 65535);
    mosquitto_int_option(party->connection, MOSQ_OPT_RECEIVE_MAXIMUM, 65535);
    mosquitto_message_callback_set(party->connection, received);
    mosquitto_subscribe_callback_set(party->connection, subscribed);
    int error = mosquitto_connect(party->connection, "127.0.0.1", port, 60);
    if (error == MOSQ_ERR_SUCCESS) error = mosquitto_subscribe(party->connection, NULL, party->source, qos);
    if (error != MOSQ_ERR_SUCCESS) return fail("connect", error);
    while (!party->is_subscribed) {
        if (turn(party) != 0) return 1;
    }
    return 0;
}

static void *run_device(void *argument) {
    (void)argument;
    while (!device.is_ended) {
        if (turn(&device) != 0) exit(1);
        for (size_t next = 0; next < device.waiting; next++) {
            if (publish(&device, device.bodies[next], HOPS_BODY_BYTES) != 0) exit(1);
        }
        device.waiting = 0;
    }
    return NULL;
}

const char *peer_version(void) {
    static char text[32];
    int major, minor, revision;
    mosquitto_lib_version(&major, &minor, &revision);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, revision);
    return text;
}

int peer_open(int port, const char *kind, size_t in_flight) {
    qos = strcmp(kind, "qos1") == 0;
    mosquitto_lib_init();
    client.destination = device.source = "commands";
    client.source = device.destination = "answers";
    if (open_party(&client, "client", port, in_flight) != 0) return 1;
    if (open_party(&device, "device", port, in_flight) != 0) return 1;
    int error = pthread_create(&device_thread, NULL, run_device, NULL);
    return error == 0 ? 0 : fail("thread", MOSQ_ERR_ERRNO);
}

int peer_run(struct hops *hops) {
    char body[HOPS_BODY_BYTES];
    while (!hops_is_over(hops)) {
        while (hops_leave(hops, body)) {
            if (publish(&client, body, HOPS_BODY_BYTES) != 0) return 1;
        }
        if (turn(&client) != 0) return 1;
        for (size_t next = 0; next < client.waiting; next++) {
            if (!hops_return(hops, client.bodies[next], HOPS_BODY_BYTES))
                return fail("answer", MOSQ_ERR_PROTOCOL);
        }
        client.waiting = 0;
    }
    return 0;
}

int peer_close(void) {
    // An empty message ends the device.
    if (publish(&client, "", 0) != 0) return 1;
    while (mosquitto_want_write(client.connection)) {
        if (turn(&client) != 0) return 1;
    }
    pthread_join(device_thread, NULL);
    mosquitto_disconnect(client.connection);
    mosquitto_disconnect(device.connection);
    mosquitto_destroy(client.connection);
    mosquitto_destroy(device.connection);
    free(client.bodies);
    free(device.bodies);
    mosquitto_lib_cleanup();
    return 0;
}
