import ArgumentParser
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
}
