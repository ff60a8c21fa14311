import Foundation
import Testing

extension EndToEnd {
    /// TLS of the gateway and of `http-load`, which only a build with the trait `TLS` has.
    @Suite("Programs with TLS")
    struct SecureGatewayTests {
        private static let clients = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Clients")
        /// The directory that `Tests/EndToEnd/Clients/install` creates.
        private static let python = clients.appending(path: "../../../.build/clients/bin/python").path()

        /// The keys of `fleet load --json` that are read here.
        private struct Result: Decodable {
            let applied: Int
            let offered: Int
        }

        @Test(
            "remote access uses TLS 1.2 or later, SIGHUP renews the certificate, and a key reads its metrics",
            .timeLimit(.minutes(2)))
        func elsewhere() async throws {
            try await Lab.withFleet(devices: 4, ["--allow-signup"]) { lab in
                let key = try await lab.fleet("apikey", "create", "metrics", "--scope", "read")
                try #require(key.status == 0, "\(key.talk)")
                try await lab.runBesideGateway(
                    "elsewhere.py", key.output.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }

        @Test(
            "pysensibo works over TLS with the gateway in place of Sensibo's cloud",
            .timeLimit(.minutes(4)))
        func unpatched() async throws {
            try await Lab.withFleet(gateway: false) { lab in
                let key = try await lab.fleet("apikey", "create", "unpatched")
                let device = try await lab.device("Bedroom 1")
                let script = Self.clients.appending(path: "pysensibo_client.py").path()
                let ended = try await lab.run(
                    Self.clients.appending(path: "unpatched").path(),
                    [
                        lab.executable("gateway"), lab.file(""), Self.python, script,
                        "https://home.sensibo.com", key.output.trimmingCharacters(in: .newlines), device.id,
                    ])
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.split(separator: "\n").count > 40, "\(ended.output)")
                #expect(try await lab.device("Bedroom 1").version >= device.version + 8)
            }
        }

        @Test(
            "a closed loop over HTTPS trusts the given certificate only, and toggles change the devices",
            .timeLimit(.minutes(2)))
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
                let gateway = [
                    "serve", "--port", "0", "--tls-certificate", "chain.pem", "--tls-key", "key.pem",
                ]
                try await lab.whileRunning("gateway", gateway, log: "gateway.log") { log in
                    let pattern = /https:\/\/127\.0\.0\.1:\d+/
                    try await lab.eventually("it serves", within: .seconds(20)) {
                        log().contains(pattern)
                    }
                    let address = String(try #require(log().firstMatch(of: pattern)).0)
                    let url = address.replacing("127.0.0.1", with: "localhost")
                    let load = [
                        "load", "--target", "http", "--url", url, "--in-flight", "2", "--connections", "2",
                        "--warmup", "500ms", "--duration", "1s", "--json", "-",
                    ]
                    let ended = try await lab.fleet(load + ["--ca", "chain.pem"])
                    #expect(ended.status == 0, "\(ended.talk)")
                    let result = try ended.line(Result.self)
                    #expect(result.applied > 10 && result.applied == result.offered)
                    let untrusted = try await lab.fleet(load)
                    #expect(untrusted.status == 69)
                    #expect(
                        untrusted.talk.contains(
                            "cannot connect to \(url): its certificate is not trusted\n  --ca FILE names"),
                        "\(untrusted.talk)")
                    let other = try await lab.fleet(
                        load.map { $0 == url ? address : $0 }
                            + ["--ca", "chain.pem"])
                    #expect(
                        other.talk.contains("its certificate is for another host"), "\(other.talk)")
                }
            }
        }

        @Test("a load over HTTP with certificates that cannot be read says so", .timeLimit(.minutes(1)))
        func noCertificates() async throws {
            try await Lab.withFleet(devices: 2) { lab in
                let ended = try await lab.fleet(
                    "load", "--target", "http", "--url", "https://127.0.0.1:1", "--ca", "missing.pem")
                #expect(ended.status == 69)
                #expect(ended.talk.contains("cannot use the certificates in"), "\(ended.talk)")
                #expect(ended.talk.contains("--ca takes a readable file"), "\(ended.talk)")
            }
        }
    }
}
