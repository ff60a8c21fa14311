import GatewayCore
import Testing

@Suite("Client addresses")
struct IPAddressTests {
    @Test(
        "an address stands for one subscriber: an IPv4 address, or 64 bits of an IPv6 address",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("127.0.0.1", "127.0.0.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
            ("2001:db8::", "2001:db8:0:0::/64"), ("::1", "0:0:0:0::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"),
        ])
    func subscribers(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).subscriber == expected)
    }

    @Test("an IPv6 address has a site of 48 bits")
    func sites() throws {
        #expect(try #require(IPAddress("2001:db8:12:34:5::1")).site == "2001:db8:12::/48")
        #expect(try #require(IPAddress("::ffff:192.0.2.1")).site == nil)
        #expect(try #require(IPAddress("192.0.2.1")).site == nil)
    }

    @Test(
        "a malformed address is refused",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.-4", "+1.2.3.4", "a.b.c.d", ":", ":::", "1::2::3",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "1:2:3:4:5:6:7:8::", "::+1", "localhost",
        ])
    func refused(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "a network contains exactly the addresses with its prefix, of any length",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.128/25", "192.0.2.129", true), ("192.0.2.128/25", "192.0.2.127", false),
            ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ])
    func networks(network: String, address: String, isIn: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(
        "a network with an invalid prefix is refused",
        arguments: ["10.0.0.0/33", "10.0.0.0/", "x/8", "::/129"])
    func noNetworks(text: String) {
        #expect(IPNetwork(text) == nil)
    }

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
