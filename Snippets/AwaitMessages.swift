// Tasks that await sockets: one sends no faster than the other reads, and a cancelled wait costs nothing.
import Bus

let context = try Context()
let loop = try Loop.start(name: "work", context: context)
try await exchange(over: Endpoint.inproc("work"))
await loop.shutdown()
context.terminate()

/// The sockets close when nobody has them any more: here, when the function returns.
func exchange(over endpoint: Endpoint) async throws {
    // Ten messages may wait here, and ten at the sender.
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

    // Who stops waiting takes nothing away: the next message is the next caller's.
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
