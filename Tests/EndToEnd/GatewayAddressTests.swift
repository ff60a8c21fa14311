import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The gateway's address", .timeLimit(.minutes(2)))
    struct GatewayAddressTests {
        /// Kills the supervised gateway, and waits until its successor serves at the address of before.
        private static func killGateway(in lab: Lab) async throws {
            let (before, url) = (try await lab.processID("gateway"), try lab.gatewayURL())
            kill(before, SIGKILL)
            try await lab.eventually("the gateway serves again", within: .seconds(10)) {
                guard let now = try await lab.status().processes.first(where: { $0.name == "gateway" })?.pid,
                    now != before
                else { return false }
                return try await lab.curl("healthz").status == 200
            }
            #expect(try lab.gatewayURL() == url)
        }

        @Test("if port 8701 is taken, the gateway uses the next port, also after kill -9 and a restart")
        func occupied() async throws {
            let occupied = TCPListener(port: 8_701)
            defer { occupied.close() }
            try await Lab.withLab { lab in
                let up = try await lab.succeed("up", "--detach", "--devices", "4")
                let url = try lab.gatewayURL()
                #expect(url != "http://127.0.0.1:8701/")
                #expect(up.talk.contains("port 8701 was taken, so the gateway uses port "), "\(up.talk)")
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
                try await lab.succeed("down")
                occupied.close()
                try await lab.succeed("up", "--detach", "--devices", "4")
                #expect(try lab.gatewayURL() == url)
            }
        }

        @Test("a --gateway-port that is taken is an error that says how to choose another")
        func namedPort() async throws {
            let occupied = TCPListener()
            defer { occupied.close() }
            try await Lab.withLab { lab in
                try await lab.expect(
                    69, "up", "--detach", "--devices", "4", "--gateway-port", "\(occupied.port)",
                    saying: ["cannot listen on 127.0.0.1:\(occupied.port)", "--gateway-port"])
                try await lab.expect(69, "status")
            }
        }

        @Test("a gateway started by hand does not change the supervised one's address, also after a kill")
        func second() async throws {
            try await Lab.withFleet(devices: 4, gateway: true) { lab in
                let url = try lab.gatewayURL()
                let serve = ["serve", "--run-dir", lab.runDirectory, "--port", "0"]
                try await lab.whileRunning("gateway", serve, log: "second.log") { log in
                    try await lab.eventually("it serves", within: .seconds(20)) { log().contains("url=") }
                    #expect(try lab.gatewayURL() == url)
                    try await Self.killGateway(in: lab)
                }
                #expect(try lab.gatewayURL() == url)
            }
        }
    }
}
