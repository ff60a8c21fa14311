// NATS with its C client. Kinds:
//
//   core    one subject for commands and one for answers, without acknowledgements
//   stream  JetStream: both subjects belong to one stream in files, which the server writes without waiting for
//           the disk. It acknowledges each publication. Client and device send the next without waiting, but all
//           acknowledgements must arrive before the end. Each has a consumer, and acknowledges each delivery.
#include "hops.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const stream = "hops";

/// A connection, with the subjects that it receives and sends.
struct party {
    natsConnection *connection;
    natsSubscription *subscription;
    jsCtx *jet_stream;
    const char *source, *destination;
};

static struct party client = {.source = "answers", .destination = "commands"};
static struct party device = {.source = "commands", .destination = "answers"};
static pthread_t device_thread;
static int is_stream;
/// Whether sent messages are buffered until nothing is left to read: less time for each, more latency for the
/// first.
static int is_collecting;
static atomic_int refused;

static int fail(const char *what, natsStatus status) {
    fprintf(stderr, "nats: %s: %s\n", what, natsStatus_GetText(status));
    return 1;
}

static void count_refusal(jsCtx *context, jsPubAckErr *error, void *argument) {
    (void)context, (void)error, (void)argument;
    refused++;
}

static natsStatus publish(struct party *party, const void *body, int length) {
    if (is_stream) return js_PublishAsync(party->jet_stream, party->destination, body, length, NULL);
    return natsConnection_Publish(party->connection, party->destination, body, length);
}

/// Flushes sent messages: the library's thread would wait a millisecond for more.
static natsStatus flush(struct party *party) {
    return is_collecting ? natsConnection_FlushTimeout(party->connection, HOPS_TIMEOUT_MS) : NATS_OK;
}

/// Waits for a message, and acknowledges it if it belongs to a stream.
static natsStatus receive(struct party *party, natsMsg **message) {
    natsStatus status = natsSubscription_NextMsg(message, party->subscription, 0);
    if (status == NATS_TIMEOUT) {
        status = flush(party);
        if (status == NATS_OK) status = natsSubscription_NextMsg(message, party->subscription, HOPS_TIMEOUT_MS);
    }
    if (status == NATS_OK && is_stream) status = natsMsg_Ack(*message, NULL);
    return status;
}

static natsStatus connect_party(struct party *party, const char *url) {
    natsOptions *options = NULL;
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK) status = natsOptions_SetURL(options, url);
    if (status == NATS_OK) status = natsOptions_SetTimeout(options, HOPS_TIMEOUT_MS);
    if (status == NATS_OK) status = natsOptions_SetAllowReconnect(options, false);
    if (status == NATS_OK) status = natsOptions_SetSendAsap(options, !is_collecting);
    if (status == NATS_OK) status = natsConnection_Connect(&party->connection, options);
    natsOptions_Destroy(options);
    return status;
}

static natsStatus open_stream(void) {
    const char *subjects[] = {client.destination, device.destination};
    jsStreamConfig configuration;
    natsStatus status = jsStreamConfig_Init(&configuration);
    configuration.Name = stream;
    configuration.Subjects = subjects;
    configuration.SubjectsLen = 2;
    configuration.Storage = js_FileStorage;
    jsOptions options;
    if (status == NATS_OK) status = jsOptions_Init(&options);
    options.PublishAsync.ErrHandler = count_refusal;
    if (status == NATS_OK) status = natsConnection_JetStream(&client.jet_stream, client.connection, &options);
    if (status == NATS_OK) status = natsConnection_JetStream(&device.jet_stream, device.connection, &options);
    if (status == NATS_OK) status = js_AddStream(NULL, client.jet_stream, &configuration, NULL, NULL);
    return status;
}

static natsStatus subscribe(struct party *party) {
    natsSubscription **place = &party->subscription;
    jsSubOptions options;
    natsStatus status;
    if (is_stream) {
        status = jsSubOptions_Init(&options);
        options.Stream = stream;
        options.Config.AckPolicy = js_AckExplicit;
        options.Config.MaxAckPending = 65536;
        if (status == NATS_OK)
            status = js_SubscribeSync(place, party->jet_stream, party->source, NULL, &options, NULL);
    } else {
        status = natsConnection_SubscribeSync(place, party->connection, party->source);
    }
    if (status == NATS_OK) status = natsSubscription_SetPendingLimits(party->subscription, -1, -1);
    // The server replies after it has processed the subscription.
    if (status == NATS_OK) status = natsConnection_FlushTimeout(party->connection, HOPS_TIMEOUT_MS);
    return status;
}

/// Echoes every message, until an empty one arrives.
static void *run_device(void *argument) {
    natsStatus status = NATS_OK;
    int is_ended = 0;
    (void)argument;
    while (status == NATS_OK && !is_ended) {
        natsMsg *message = NULL;
        status = receive(&device, &message);
        if (status != NATS_OK) break;
        is_ended = natsMsg_GetDataLength(message) == 0;
        if (!is_ended) status = publish(&device, natsMsg_GetData(message), natsMsg_GetDataLength(message));
        natsMsg_Destroy(message);
    }
    if (status != NATS_OK) exit(fail("device", status));
    return NULL;
}

const char *peer_version(void) { return nats_GetVersion(); }

int peer_open(int port, const char *kind, size_t in_flight) {
    char url[64];
    is_collecting = in_flight > 1;
    is_stream = strcmp(kind, "stream") == 0;
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    natsStatus status = connect_party(&client, url);
    if (status == NATS_OK) status = connect_party(&device, url);
    if (status == NATS_OK && is_stream) status = open_stream();
    if (status == NATS_OK) status = subscribe(&client);
    if (status == NATS_OK) status = subscribe(&device);
    if (status != NATS_OK) return fail("connect", status);
    if (pthread_create(&device_thread, NULL, run_device, NULL) != 0) return fail("thread", NATS_ERR);
    return 0;
}

int peer_run(struct hops *hops) {
    char body[HOPS_BODY_BYTES];
    natsStatus status = NATS_OK;
    while (status == NATS_OK && !hops_is_over(hops)) {
        natsMsg *message = NULL;
        while (status == NATS_OK && hops_leave(hops, body)) status = publish(&client, body, sizeof body);
        if (status == NATS_OK) status = receive(&client, &message);
        if (status != NATS_OK) break;
        size_t length = (size_t)natsMsg_GetDataLength(message);
        if (!hops_return(hops, natsMsg_GetData(message), length)) status = NATS_MISMATCH;
        natsMsg_Destroy(message);
    }
    if (status != NATS_OK) return fail("client", status);
    return 0;
}

/// Waits until the server has acknowledged all publications.
static natsStatus await_acknowledgements(struct party *party) {
    jsPubOptions options;
    natsStatus status = jsPubOptions_Init(&options);
    options.MaxWait = HOPS_TIMEOUT_MS;
    return status == NATS_OK ? js_PublishAsyncComplete(party->jet_stream, &options) : status;
}

int peer_close(void) {
    // An empty message ends the device.
    natsStatus status = publish(&client, "", 0);
    if (status == NATS_OK) status = flush(&client);
    if (status == NATS_OK) pthread_join(device_thread, NULL);
    if (status == NATS_OK && is_stream) status = await_acknowledgements(&client);
    if (status == NATS_OK && is_stream) status = await_acknowledgements(&device);
    if (status == NATS_OK && refused != 0) status = NATS_ERR;
    if (status == NATS_OK && is_stream) status = js_DeleteStream(client.jet_stream, stream, NULL, NULL);
    if (status != NATS_OK) return fail("end", status);
    natsSubscription_Destroy(client.subscription);
    natsSubscription_Destroy(device.subscription);
    jsCtx_Destroy(client.jet_stream);
    jsCtx_Destroy(device.jet_stream);
    natsConnection_Destroy(client.connection);
    natsConnection_Destroy(device.connection);
    nats_Close();
    return 0;
}
