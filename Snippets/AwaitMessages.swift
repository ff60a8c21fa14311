// Tasks that await sockets: a slow receiver slows down the sender, and a cancelled wait loses no message.
import Bus

let context = try Context()
let loop = try Loop.start(name: "work", context: context)
try await exchange(over: Endpoint.inproc("work"))
await loop.shutdown()
context.terminate()

/// The sockets close when their last reference goes away: here, when the function returns.
func exchange(over endpoint: Endpoint) async throws {
    // The receiver queues at most ten messages, and so does the sender.
    var options = SocketOptions.defaults(for: .pull)
    options.receiveHighWaterMark = 10
    let work = try await AsyncSocket(.pull, on: loop, options: options) { try $0.bind(endpoint) }
    options = .defaults(for: .push)
    options.sendHighWaterMark = 10
    let source = try await AsyncSocket(.push, on: loop, options: options) { try $0.connect(endpoint) }

    let sender = Task {
        for number in UInt8(1)...100 { _ = try await source.send([[number]]) }
    }
    var sum = 0
    for try await message in work.messages {
        sum += Int(message[0][0])
        if message == [[100]] { break }
    }
    try await sender.value
    print("1 to 100 is \(sum)")

    // A cancelled wait receives no message; the next caller does.
    let impatient = Task { try await work.receive() }
    impatient.cancel()
    do {
        _ = try await impatient.value
    } catch is CancellationError {
        print("cancelled")
    }
    _ = try await source.send([Array("hello".utf8)])
    if let message = try await work.receive(within: .seconds(5)) {
        print(String(decoding: message[0], as: UTF8.self))
    }
}
