import GatewayCore
import Testing
import UserText

@Suite("Client addresses")
struct ClientAddressTests {
    @Test(
        "a client's address is taken from the right of X-Forwarded-For, as far as proxies are trusted",
        arguments: [
            // The peer is not a trusted proxy.
            ("198.51.100.7", ["10.9.9.9"], "198.51.100.7"),
            // The proxy reports the client.
            ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
            // The client's own entry is to the left.
            ("10.0.0.1", ["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", ["1.1.1.1", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            // A proxy with a missing or invalid header counts as the client.
            ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ])
    func forwarded(peer: String, headers: [String], expected: String) throws {
        let proxies = [try #require(IPNetwork("10.0.0.0/8"))]
        let client = IPAddress.client(
            behind: try #require(IPAddress(peer)), forwarded: headers, trusting: proxies)
        #expect(client == IPAddress(expected))
    }
}

@Suite("Allowed host names")
struct AllowedHostsTests {
    @Test(
        "allowed hosts are this machine's names, the bound address, and the public names",
        arguments: [
            ("localhost", true), ("LOCALHOST:8701", true), ("fleet.localhost", true),
            ("127.0.0.1:8701", true),
            ("127.9.9.9", true), ("[::1]:8701", true), ("Fleet.Example.org:443", true),
            ("fleet.example.org.", true), ("evil.example", false), ("evil.example:8701", false),
            ("fleet.example.org.evil.example", false), ("localhost.evil.example", false),
            ("192.168.1.2", false), ("[2001:db8::1]", false), ("127.0.0.1.evil.example", false), ("", false),
            ("127.evil.example.com", false), ("localhost, evil.example", false), ("localhost/", false),
            ("localhost?x", false), ("localhost#x", false), ("user@localhost", false),
            ("localhost:http", false), ("localhost:65536", false), ("localhost:", false), ("[::1", false),
            ("[::1]x", false), ("::1", false), ("localhost ", false),
        ])
    func local(authority: String, isAllowed: Bool) {
        let hosts = AllowedHosts(bound: "127.0.0.1", publicNames: ["fleet.example.org"])
        #expect(hosts.allows(authority) == isAllowed)
    }

    @Test("a gateway bound to all addresses allows any address, and otherwise the bound one")
    func bound() {
        for all in ["0.0.0.0", "::"] {
            let hosts = AllowedHosts(bound: all, publicNames: [])
            #expect(hosts.allows("192.168.1.2:8701") && hosts.allows("[2001:db8::1]:8701"))
            #expect(!hosts.allows("evil.example"))
        }
        let hosts = AllowedHosts(bound: "192.168.1.2", publicNames: [])
        #expect(hosts.allows("192.168.1.2:8701") && !hosts.allows("192.168.1.3"))
        #expect(AllowedHosts(bound: "gateway.lan", publicNames: []).allows("gateway.lan:8701"))
        // Behind a proxy that browsers reach by its address.
        let proxied = AllowedHosts(bound: "127.0.0.1", publicNames: ["198.51.100.7", "Fleet.example.org."])
        #expect(proxied.allows("198.51.100.7") && proxied.allows("fleet.example.org"))
        #expect(!AllowedHosts(bound: "::1", publicNames: []).allows(""))
    }
}
