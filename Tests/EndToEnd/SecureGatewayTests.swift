import Foundation
import Testing

extension EndToEnd {
    /// TLS of the gateway and of `http-load`, which only a build with the trait `TLS` has.
    @Suite("Programs with TLS", .timeLimit(.minutes(4)))
    struct SecureGatewayTests {
        /// The Python that `Tests/EndToEnd/Clients/install` installs, with pysensibo.
        private static let python = Lab.path("../../.build/clients/bin/python")

        /// The keys of `fleet load --json` that are read here.
        private struct Result: Decodable {
            let applied: Int
            let offered: Int
        }

        @Test(
            "remote access uses TLS 1.2 or later, SIGHUP renews the certificate, and a key reads its metrics")
        func elsewhere() async throws {
            try await Lab.withFleet(devices: 4, ["--allow-signup"]) { lab in
                let key = try await lab.apiKey("metrics", "--scope", "read")
                try await lab.runBesideGateway("elsewhere.py", [key])
            }
        }

        @Test("pysensibo works over TLS with the gateway in place of Sensibo's cloud")
        func unpatched() async throws {
            try await Lab.withFleet { lab in
                let device = try await lab.device("Bedroom 1")
                let client = [Self.python, Lab.path("Clients/pysensibo_client.py")]
                let key = try await lab.apiKey("unpatched")
                let ended = try await lab.run(
                    Lab.path("Clients/unpatched"),
                    [lab.executable("gateway"), lab.runDirectory] + client
                        + ["https://home.sensibo.com", key, device.id])
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.split(separator: "\n").count > 40, "\(ended.output)")
                #expect(try await lab.device("Bedroom 1").version >= device.version + 8)
            }
        }

        @Test("a closed loop over HTTPS trusts the given certificate only, and toggles change the devices")
        func secure() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                let made = try await lab.run(
                    "/usr/bin/openssl",
                    [
                        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", "/CN=fleet", "-addext",
                        "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "chain.pem",
                    ])
                try #require(made.status == 0, "\(made.talk)")
                let certificate = ["--tls-certificate", "chain.pem", "--tls-key", "key.pem"]
                try await lab.whileRunning(
                    "gateway", ["serve", "--port", "0"] + certificate, log: "gateway.log"
                ) { log in
                    let pattern = /https:\/\/127\.0\.0\.1:\d+/
                    try await lab.eventually("it serves", within: .seconds(20)) { log().contains(pattern) }
                    let address = String(try #require(log().firstMatch(of: pattern)).0)
                    let url = address.replacing("127.0.0.1", with: "localhost")
                    func load(at url: String, _ options: String...) -> [String] {
                        [
                            "load", "--target", "http", "--url", url, "--in-flight", "2", "--connections",
                            "2", "--warmup", "500ms", "--duration", "1s", "--json", "-",
                        ] + options
                    }
                    let ended = try await lab.succeed(load(at: url, "--ca", "chain.pem"))
                    let result = try ended.line(Result.self)
                    #expect(result.applied > 10 && result.applied == result.offered)
                    let text = "cannot connect to \(url): its certificate is not trusted\n  --ca FILE names"
                    try await lab.expect(69, load(at: url), saying: [text])
                    let other = try await lab.fleet(load(at: address, "--ca", "chain.pem"))
                    #expect(other.talk.contains("its certificate is for another host"), "\(other.talk)")
                    try await lab.expect(
                        69, load(at: url, "--ca", "missing.pem"),
                        saying: ["cannot use the certificates in", "--ca takes a readable file"])
                }
            }
        }
    }
}
