import Bus
import Foundation
import Testing

@Suite("Endpoint")
struct EndpointTests {
    @Test(
        "endpoints in ZeroMQ's notation are accepted unchanged",
        arguments: [
            "tcp://127.0.0.1:5555", "tcp://*:5555", "tcp://localhost:*", "tcp://[::1]:65535",
            "tcp://some_host.example-1.org:1", "ipc://relative/path", "ipc:///run/fleet/stream", "inproc://a",
        ])
    func accepts(text: String) throws {
        #expect(try Endpoint(text).description == text)
    }

    @Test(
        "other text is refused as an invalid endpoint",
        arguments: [
            "", "stream", "tcp:/127.0.0.1:1", "TCP://127.0.0.1:1", "tcp://", "tcp://127.0.0.1",
            "tcp://127.0.0.1:", "tcp://:5555",
            "tcp://127.0.0.1:65536", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:+1", "tcp://127.0.0.1:1x",
            "tcp://a b:1", "tcp://eth0;127.0.0.1:1", "tcp://[::1:1", "tcp://[host]:1", "tcp://::1:1",
            "ipc://", "ipc://*", "ipc://@abstract", "ipc://a\0b", "inproc://", "inproc://a\0b",
        ])
    func refuses(text: String) {
        expectError(.invalidEndpoint) { try Endpoint(text) }
    }

    @Test("a tcp port of 0 is a wildcard")
    func portZero() throws {
        #expect(try Endpoint.tcp(host: "127.0.0.1", port: 0).description == "tcp://127.0.0.1:*")
    }

    @Test("an endpoint made of parts equals the one made of text")
    func parts() throws {
        #expect(try Endpoint.tcp(host: "h", port: 9) == Endpoint("tcp://h:9"))
        #expect(try Endpoint.ipc(path: "/run/s") == Endpoint("ipc:///run/s"))
        #expect(try Endpoint.inproc("n") == Endpoint("inproc://n"))
    }

    @Test("an ipc path of 107 bytes is accepted, and one of 108 is refused with the limit and its length")
    func pathLimit() throws {
        let longest = "/" + String(repeating: "p", count: 106)
        #expect(try Endpoint.ipc(path: longest).ipcPath == longest)
        let error = expectError(.pathTooLong) { try Endpoint.ipc(path: longest + "p") }
        #expect(error?.description.contains("108 bytes where 107 are the limit") == true)
    }

    @Test("a path's limit counts bytes, not characters")
    func pathLimitInBytes() {
        let path = String(repeating: "é", count: 54)
        expectError(.pathTooLong) { try Endpoint.ipc(path: path) }
    }

    @Test("an inproc name has at most 255 bytes")
    func nameLimit() throws {
        _ = try Endpoint.inproc(String(repeating: "n", count: 255))
        #expect(throws: BusError.self) { try Endpoint.inproc(String(repeating: "n", count: 256)) }
    }

    @Test("only ipc endpoints have a path")
    func path() throws {
        #expect(try Endpoint("ipc:///run/s").ipcPath == "/run/s")
        #expect(try Endpoint("tcp://h:1").ipcPath == nil)
        #expect(try Endpoint("inproc://n").ipcPath == nil)
    }

    @Test(
        "loopback is 127.0.0.0/8, localhost and [::1], for tcp only",
        arguments: [
            ("tcp://127.0.0.1:1", true), ("tcp://127.255.0.9:1", true), ("tcp://localhost:1", true),
            ("tcp://LocalHost:1", true), ("tcp://[::1]:1", true), ("tcp://128.0.0.1:1", false),
            ("tcp://127.example.org:1", false), ("tcp://*:1", false), ("tcp://0.0.0.0:1", false),
            ("tcp://[0:0::1]:1", true), ("tcp://[::]:1", false), ("tcp://localhost.example.org:1", false),
            ("ipc:///127.0.0.1", false),
            ("inproc://localhost", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try Endpoint(text).isLoopback == isLoopback)
    }

    @Test("the address of this machine is one of its interfaces', but not the loopback's; nil without one")
    func thisMachine() throws {
        // A line with an address, and one that says what it is.
        let lines = try String(contentsOfFile: "/proc/net/fib_trie", encoding: .utf8).split(separator: "\n")
        let addresses = zip(lines, lines.dropFirst()).filter { $1.contains("/32 host LOCAL") }
            .compactMap { $0.0.split(separator: " ").last }.filter { !$0.hasPrefix("127.") }
        if let address = Endpoint.addressOfThisMachine {
            #expect(addresses.contains { $0 == address })
        } else {
            #expect(addresses.isEmpty)
        }
    }
}
