// A publisher and a subscriber on one thread. The publisher waits for the subscription, because earlier
// messages are lost, and no fixed delay is certain to be long enough.
import Bus

let readings = 10
let context = try Context()
let loop = try Loop(name: "weather", context: context)
let endpoint = try Endpoint.inproc("weather")

let publisher = try Socket(.xpub, context: context)
try publisher.bind(endpoint)
loop.register(publisher) {
    do {
        // An XPUB receives subscriptions: 1 and the prefix, or 0 and the prefix when it ends.
        while let subscription = try publisher.receive() {
            guard subscription.array.first == 1 else { continue }
            for degrees in 1...readings {
                _ = try publisher.send(topic: Array("temperature/oslo".utf8), payload: [UInt8(degrees)])
            }
        }
    } catch {
        print("publisher: \(error)")
        loop.stop()
    }
}

let subscriber = try Socket(.sub, context: context)
try subscriber.connect(endpoint)
try subscriber.subscribe(prefix: "temperature/")
var frames = Frames()
var received = 0
loop.register(subscriber) {
    do {
        while try subscriber.receive(into: &frames) {
            received += 1
            print("\(String(decoding: frames[0], as: UTF8.self)): \(frames[1][0]) °C")
        }
    } catch {
        print("subscriber: \(error)")
        loop.stop()
    }
    if received == readings { loop.stop() }
}

loop.schedule(after: .seconds(5)) { loop.stop() }
loop.run()
publisher.close()
subscriber.close()
context.terminate()
print("\(received) of \(readings) readings received")
