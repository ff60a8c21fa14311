import ArgumentParser
import FleetProtocol
import Foundation
import GatewayCore
import Glibc
import ProcessSupport
import TestSupport
import Testing
import UserText

@testable import gateway

@Suite("gateway serve")
struct ServeTests {
    @Test("the gateway serves this machine only, unless it has a certificate")
    func loopback() throws {
        for host in ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"] {
            _ = try Serve.parse(["--host", host])
        }
        let others = [
            "0.0.0.0", "192.168.1.2", "example.org", "::", "127.evil.example.com", "127.0.0.256", "127.a.b.c",
        ]
        for host in others {
            #expect(throws: (any Error).self) { try Serve.parse(["--host", host]) }
            _ = try Serve.parse(["--host", host, "--tls-certificate", "a.pem", "--tls-key", "b.pem"])
        }
        #expect(throws: (any Error).self) { try Serve.parse(["--tls-certificate", "a.pem"]) }
    }

    @Test("an address is served as a URL has it", arguments: ["::1", "[::1]"])
    func version6(host: String) throws {
        let serve = try Serve.parse(["--host", host])
        #expect(serve.reach.host.name == "::1" && serve.exposure.hosts.allows("[::1]:8701"))
        let taken = GatewayError.cannotListen(Authority(host: serve.reach.host, port: 8_701), why: "taken")
        #expect(taken.description.hasPrefix("cannot listen on [::1]:8701: taken."))
        #expect(throws: (any Error).self) { try Serve.parse(["--host", "[::1"]) }
    }

    @Test(
        "clients on this machine can open the written address",
        arguments: [
            ("--host ::1", "http://[::1]:8701"), ("--host localhost", "http://localhost:8701"),
            ("--public-name fleet", "http://127.0.0.1:8701"),
            ("--host 0.0.0.0 --tls-certificate a --tls-key b", "https://127.0.0.1:8701"),
            ("--host :: --tls-certificate a --tls-key b", "https://[::1]:8701"),
            ("--host :: --public-name fleet --tls-certificate a --tls-key b", "https://fleet:8701"),
        ])
    func address(line: String, url: String) throws {
        let serve = try Serve.parse(line.split(separator: " ").map(String.init))
        #expect(serve.reach.url(port: 8_701).description == url)
    }

    @Test("metrics need no key on this machine only, and not behind a proxy")
    func watching() throws {
        let tls = ["--tls-certificate", "a.pem", "--tls-key", "b.pem"]
        #expect(try Self.exposure([]).isLocal)
        #expect(try Self.exposure(tls + ["--public-name", "home.sensibo.com"]).isLocal)
        #expect(try !Self.exposure(tls + ["--host", "0.0.0.0"]).isLocal)
        #expect(try !Self.exposure(["--trusted-proxy", "127.0.0.1"]).isLocal)
    }

    private static func exposure(_ arguments: [String]) throws -> Exposure {
        try Serve.parse(arguments).exposure
    }

    @Test("trusted proxies are networks, and other values are refused")
    func proxies() throws {
        let proxies = try Self.exposure(["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1"])
            .trustedProxies
        #expect(proxies == [IPNetwork("10.0.0.0/8"), IPNetwork("::1")])
        #expect(throws: (any Error).self) { try Serve.parse(["--trusted-proxy", "proxy.example"]) }
    }

    #if TLS
    @Test("an unusable certificate or key is reported with its file and the cause")
    func certificates() throws {
        let program = CommandLine.arguments[0]
        let directory = try TemporaryDirectory()
        let (closed, open) = ("\(directory.path)/closed.pem", "\(directory.path)/open.pem")
        for (file, mode) in [(closed, 0o600), (open, 0o644)] as [(String, mode_t)] {
            try "".write(toFile: file, atomically: true, encoding: .utf8)
            try #require(chmod(file, mode) == 0)
        }
        for (chain, key, problem) in [
            ("/nope.pem", program, "/nope.pem: No such file or directory"),
            (program, "/nope.key", "/nope.key: No such file or directory"),
            (program, closed, "\(program): not a PEM certificate"),
            (program, open, "\(open) is open to other users (mode 644): chmod 600 \(open)"),
        ] {
            let error = #expect(throws: GatewayError.self) {
                try Certificates(chainFile: chain, keyFile: key)
            }
            #expect(error?.description.contains("key: \(problem). Check") == true)
        }
    }
    #else
    @Test("a certificate for a gateway that was built without TLS is refused with advice")
    func withoutTLS() throws {
        let error = #expect(throws: GatewayError.self) {
            try Certificates(chainFile: "chain.pem", keyFile: "key.pem")
        }
        #expect(error?.description.contains("built without TLS: build it with `make build`") == true)
    }
    #endif

    @Test("the connection limit is the number of descriptors less those for the gateway itself")
    func connections() {
        #expect(WebLimits.connections(descriptors: 1_024) == 896)
        #expect(WebLimits.connections(descriptors: 1_048_576) == 4_096)
        #expect(WebLimits.connections(descriptors: WebLimits.neededDescriptors) == 16)
    }
}

@Suite("Ports that a gateway tries")
struct PortChoiceTests {
    @Test("a named port is the only one, whatever the gateway used before")
    func named() {
        #expect(PortChoice(8_080, orNext: false, former: nil).ports == [8_080])
        #expect(PortChoice(8_080, orNext: false, former: 8_702).ports == [8_080])
    }

    @Test("a port that may move is followed by its neighbours, and then by any free port")
    func next() {
        let ports = PortChoice(8_701, orNext: true, former: nil).ports
        #expect(ports == Array(8_701...8_800) + [0])
        #expect(PortChoice(65_535, orNext: true, former: nil).ports == [65_535, 0])
    }

    @Test("the port used before is tried first, and once")
    func former() {
        let ports = PortChoice(8_701, orNext: true, former: 8_703).ports
        #expect(ports.prefix(4) == [8_703, 8_701, 8_702, 8_704])
        #expect(ports.count == 101)
        #expect(PortChoice(0, orNext: false, former: 40_123).ports == [40_123, 0])
        #expect(PortChoice(0, orNext: false, former: nil).ports == [0])
    }
}

@Suite("Times at which a gateway reads the sites")
struct SiteReadingTests {
    @Test("sites are read at the start and then once a second, never during another reading")
    func once() {
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var reading = SiteReading()
        #expect(reading.isDue(at: start) && reading.nextDue == nil)
        let began = reading.begin(at: start)
        #expect(began)
        #expect(!reading.isDue(at: start.advanced(by: .seconds(5))) && reading.nextDue == nil)
        let beganAgain = reading.begin(at: start.advanced(by: .seconds(5)))
        #expect(!beganAgain)
        reading.end()
        #expect(reading.nextDue == start.advanced(by: .seconds(1)))
        #expect(!reading.isDue(at: start.advanced(by: .milliseconds(999))))
        #expect(reading.isDue(at: start.advanced(by: .seconds(1))))
    }
}
