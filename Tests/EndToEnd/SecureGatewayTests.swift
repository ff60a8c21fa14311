import Foundation
import Subprocess
import SystemPackage
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
            try await Lab.withLab { lab in
                let client = [
                    Self.python, Lab.path("Clients/pysensibo_client.py"), "https://home.sensibo.com",
                ]
                let ended = try await lab.run(
                    Lab.path("Clients/unpatched"), [lab.executables.string] + client)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.split(separator: "\n").count > 40, "\(ended.output)")
            }
        }

        @Test("a client with a fixed host and strict checks trusts only the authority of --tls-name")
        func named() async throws {
            try await Lab.withLab { lab in
                let name = ["--tls-name", "home.sensibo.com"]
                var bare = lab
                bare.variables["PATH"] = lab.directory
                try await bare.expect(69, ["up", "--detach"] + name, saying: ["needs the program openssl"])
                let started = try await lab.up(devices: 4, gateway: true, name)
                let port = try #require(try lab.word("gateway-url").firstMatch(of: /localhost:(\d+)/)?.1)
                for words in ["127.0.0.1 home.sensibo.com", "=\(lab.file("authority.pem"))"] {
                    #expect(started.talk.contains(words), "\(started.talk)")
                }
                for file in ["authority-key.pem", "authority.pem"] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: lab.file(file))
                    #expect(attributes[.posixPermissions] as? Int == 0o600)
                }
                let client = [Lab.path("Clients/strict_tls.py"), lab.file("authority.pem"), String(port)]
                let ended = try await lab.run(Self.python, client)
                #expect(
                    ended.output.split(separator: "\n") == [
                        "home.sensibo.com 200", "localhost 200", "127.0.0.1 200", "www.sensibo.com refused",
                    ], "\(ended)")
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
