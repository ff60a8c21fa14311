import ArgumentParser
import GatewayCore
import Testing

@testable import gateway

@Suite("gateway serve")
struct ServeTests {
    @Test("is for this machine alone, unless it has a certificate")
    func loopback() throws {
        for host in ["127.0.0.1", "127.9.9.9", "::1", "localhost"] {
            _ = try Serve.parse(["--host", host])
        }
        for host in ["0.0.0.0", "192.168.1.2", "example.org", "::"] {
            #expect(throws: (any Error).self) { try Serve.parse(["--host", host]) }
            _ = try Serve.parse(["--host", host, "--tls-certificate", "a.pem", "--tls-key", "b.pem"])
        }
        #expect(throws: (any Error).self) { try Serve.parse(["--tls-certificate", "a.pem"]) }
    }

    @Test("is watched without a key on this machine alone, and not through a proxy")
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

    @Test("takes networks of proxies, and nothing else for one")
    func proxies() throws {
        let proxies = try Self.exposure(["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1"])
            .trustedProxies
        #expect(proxies == [IPNetwork("10.0.0.0/8"), IPNetwork("::1")])
        #expect(throws: (any Error).self) { try Serve.parse(["--trusted-proxy", "proxy.example"]) }
    }

    @Test("has room for as many connections as it has descriptors, less those that it needs itself")
    func connections() {
        #expect(WebLimits.connections(descriptors: 1_024) == 896)
        #expect(WebLimits.connections(descriptors: 1_048_576) == 4_096)
        #expect(WebLimits.connections(descriptors: 64) == 16)
    }
}
