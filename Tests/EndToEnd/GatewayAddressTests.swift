import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The gateway's address")
    struct GatewayAddressTests {
        /// Listens at a port of this machine until closed; another program may already listen there.
        private final class OccupiedPort: Sendable {
            private let descriptor: Int32

            init(_ port: UInt16) {
                descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
                let size = socklen_t(MemoryLayout<sockaddr_in>.size)
                _ = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
                }
                listen(descriptor, 1)
            }

            /// The port, if the system chose it.
            var number: UInt16 {
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                _ = withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        getsockname(descriptor, $0, &size)
                    }
                }
                return UInt16(bigEndian: address.sin_port)
            }

            func free() { close(descriptor) }
        }

        private static func url(in lab: Lab) throws -> String {
            try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }

        /// Kills the supervised gateway, and waits until its successor serves.
        private static func killGateway(in lab: Lab) async throws {
            let before = try await lab.processID("gateway")
            kill(before, SIGKILL)
            try await lab.eventually("the gateway serves again", within: .seconds(10)) {
                guard let now = try await lab.status().processes.first(where: { $0.name == "gateway" })?.pid,
                    now != before
                else { return false }
                return try await serves(lab)
            }
        }

        /// Whether the gateway answers at the address in the run directory.
        private static func serves(_ lab: Lab) async throws -> Bool {
            let answer = try await lab.run(
                "/usr/bin/curl",
                [
                    "--silent", "--fail", "--output", "/dev/null", "--max-time", "5",
                    try url(in: lab) + "healthz",
                ])
            return answer.status == 0
        }

        @Test(
            "if port 8701 is taken, the gateway uses the next port, also after kill -9 and a restart",
            .timeLimit(.minutes(2)))
        func occupied() async throws {
            let occupied = OccupiedPort(8_701)
            defer { occupied.free() }
            try await Lab.withLab { lab in
                let up = try await lab.fleet("up", "--detach", "--devices", "4")
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let url = try Self.url(in: lab)
                #expect(url != "http://127.0.0.1:8701/")
                #expect(
                    up.talk.contains("port 8701 was taken, so the gateway uses port "), "\(up.talk)")
                let first = try await lab.processID("gateway")
                // In an earlier version it ended with status 0 after a second, and was restarted again and
                // again.
                let half = try await lab.run(
                    "/usr/bin/curl",
                    ["--silent", "--max-time", "8", "telnet://\(url.dropFirst(7).dropLast())"])
                #expect(half.status == 0, "the gateway ends a silent connection after 5 s: \(half.status)")
                #expect(try await lab.processID("gateway") == first)
                #expect(try !lab.logs().contains("gateway exited"))
                try await Self.killGateway(in: lab)
                #expect(try Self.url(in: lab) == url)
                #expect(try await lab.fleet("down").status == 0)
                occupied.free()
                let again = try await lab.fleet("up", "--detach", "--devices", "4")
                try #require(again.status == 0, "fleet up: \(again.talk)")
                #expect(try Self.url(in: lab) == url)
            }
        }

        @Test(
            "a --gateway-port that is taken is an error that says how to choose another",
            .timeLimit(.minutes(1)))
        func namedPort() async throws {
            let occupied = OccupiedPort(0)
            defer { occupied.free() }
            try await Lab.withLab { lab in
                let up = try await lab.fleet(
                    "up", "--detach", "--devices", "4", "--gateway-port", "\(occupied.number)")
                #expect(up.status == 69)
                #expect(up.talk.contains("cannot listen on 127.0.0.1:\(occupied.number)"), "\(up.talk)")
                #expect(up.talk.contains("--gateway-port"), "\(up.talk)")
                #expect(try await lab.fleet("status").status == 69)
            }
        }

        @Test(
            "a gateway started by hand does not change the supervised one's address, also after a kill",
            .timeLimit(.minutes(2)))
        func second() async throws {
            try await Lab.withFleet(devices: 4, gateway: true) { lab in
                let url = try Self.url(in: lab)
                let output = try LiveOutput()
                let other = try await lab.run(
                    "/bin/sh",
                    [
                        "-c",
                        "exec \(lab.executable("gateway")) serve --run-dir \(lab.file("")) --port 0 2>&1",
                    ], output: output.writing
                ) { processID in
                    defer { kill(processID, SIGTERM) }
                    var lines = output.lines.makeAsyncIterator()
                    while let line = await lines.next(), !line.contains("url=") {}
                    #expect(try Self.url(in: lab) == url)
                    try await Self.killGateway(in: lab)
                    #expect(try Self.url(in: lab) == url)
                }
                #expect(other.status == 0)
                #expect(try Self.url(in: lab) == url)
            }
        }

        @Test(
            "the documented steps for Sensibo's host name restart their own gateway only",
            .timeLimit(.minutes(2)))
        func steps() async throws {
            try await Lab.withFleet(devices: 4, gateway: true) { lab in
                let url = try Self.url(in: lab)
                let gateway = "\(lab.directory)/gateway"
                try """
                #!/bin/sh
                echo $$ >\(lab.directory)/number
                exec \(lab.executable("gateway")) "$@"
                """.write(toFile: gateway, atomically: true, encoding: .utf8)
                try #require(chmod(gateway, 0o755) == 0)
                let ask = """
                    curl --silent --fail --cacert ca.pem --retry 20 --retry-all-errors --retry-delay 1 \
                      https://home.sensibo.com/healthz
                    """
                let client = "\(ask) && kill -9 $(cat \(lab.directory)/number) && \(ask)"
                let ended = try await lab.run(
                    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Clients/unpatched")
                        .path(),
                    [gateway, lab.file(""), "/bin/sh", "-c", client])
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(try Self.url(in: lab) == url)
                let number = try String(contentsOfFile: "\(lab.directory)/number", encoding: .utf8)
                let last = try #require(Int32(number.trimmingCharacters(in: .newlines)))
                try await lab.eventually("the gateway of the steps has ended", within: .seconds(5)) {
                    _ = try await lab.fleet("status")
                    // A process that has ended has no command line, even while its entry exists.
                    let line = try? String(contentsOfFile: "/proc/\(last)/cmdline", encoding: .utf8)
                    return line?.isEmpty ?? true
                }
                try await Self.killGateway(in: lab)
                #expect(try Self.url(in: lab) == url)
            }
        }
    }
}
