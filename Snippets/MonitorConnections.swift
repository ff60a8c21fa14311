// Prints the events of a server's connections while a client connects and disconnects.
import Bus
import Foundation

let path = FileManager.default.temporaryDirectory.appending(path: "monitor-\(getpid()).ipc").path
let endpoint = try Endpoint.ipc(path: path)
try await Loop.withThread(name: "monitor") { loop in
    let (server, events) = try await listen(on: loop)
    let client = try await AsyncSocket(.dealer, on: loop) { try $0.connect(endpoint) }
    for await report in events {
        print("\(report.number): \(report.event)")
        if report.event == .handshakeSucceeded { await client.close() }
        if report.event == .disconnected { break }
    }
    await server.close()
}

/// Binds a ROUTER, and returns it with the events of its connections.
func listen(on loop: Loop) async throws -> (AsyncSocket, ConnectionEvents) {
    let server = try await AsyncSocket(.router, on: loop) { _ in }
    let events = try await server.withSocket { socket in
        // Made before the bind, so that it misses no event.
        let events = try socket.monitor([.handshakes, .disconnects]).events(on: loop)
        try socket.bind(endpoint)
        return events
    }
    return (server, events)
}
