import Testing
import UserText

@Suite("IP addresses")
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

    @Test(
        "an address is written in its shortest form",
        arguments: [
            "192.0.2.1", "::", "::1", "1::", "2001:db8::1", "1:0:2::3", "1::2:0:0:3:4", "1:0:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8",
        ])
    func written(text: String) throws {
        #expect(try #require(IPAddress(text)).description == text)
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
}

@Suite("Hosts and their ports")
struct NetworkHostTests {
    @Test(
        "an IPv6 address is read with brackets and without, and written with them",
        arguments: [
            ("::1", "::1", "[::1]"), ("[::1]", "::1", "[::1]"),
            ("[2001:db8::1]", "2001:db8::1", "[2001:db8::1]"),
            ("fe80::1%eth0", "fe80::1%eth0", "[fe80::1%25eth0]"),
            ("[fe80::1%25eth0]", "fe80::1%eth0", "[fe80::1%25eth0]"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.1"),
            ("fleet.example.org", "fleet.example.org", "fleet.example.org"),
            ("my_fleet", "my_fleet", "my_fleet"),
        ])
    func hosts(text: String, name: String, written: String) throws {
        let host = try #require(NetworkHost(text))
        #expect(host.name == name && host.description == written)
        #expect(NetworkHost(written) == host)
        let authority = Authority(host: host, port: 8_701)
        #expect(authority.description == "\(written):8701" && Authority(authority.description) == authority)
        #expect(Authority(written) == Authority(host: host, port: nil))
    }

    @Test(
        "a malformed host is refused",
        arguments: [
            "", "[]", "[::1", "::1]", "[127.0.0.1]", "[name]", "a b", "a/b", "bücher.example", "::1%",
            "::1%a/b",
            "1::2::3", "name%eth0",
        ])
    func noHosts(text: String) { #expect(NetworkHost(text) == nil) }

    @Test(
        "a malformed host with a port is refused",
        arguments: ["::1", "::1:80", "[::1]80", "a:", "a:+1", "a:65536", "a:1:2", ":80", "[::1]:x"])
    func noAuthorities(text: String) { #expect(Authority(text) == nil) }

    @Test(
        "the addresses of all interfaces are reached at the loopback address, however they are written",
        arguments: [
            ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("0:0:0:0:0:0:0:0", "[::1]"), ("::1", "[::1]"),
            ("192.0.2.1", "192.0.2.1"), ("example.org", "example.org"),
        ])
    func reached(text: String, expected: String) throws {
        let host = try #require(NetworkHost(text))
        #expect(host.reached.description == expected)
        #expect(host.reached.isLoopback == (text != "192.0.2.1" && text != "example.org"))
    }
}

@Suite("URLs of gateways")
struct GatewayURLTests {
    @Test(
        "the URL of a gateway has a scheme, a host and a port",
        arguments: [
            ("http://127.0.0.1:8701/", false, "127.0.0.1", 8_701, "127.0.0.1:8701"),
            ("https://fleet.example.org", true, "fleet.example.org", 443, "fleet.example.org"),
            ("http://[::1]:80", false, "::1", 80, "[::1]"),
            ("https://[::1]/", true, "::1", 443, "[::1]"),
            ("http://[fe80::1%25eth0]:8701", false, "fe80::1%eth0", 8_701, "[fe80::1%25eth0]:8701"),
            ("http://my_fleet:8701", false, "my_fleet", 8_701, "my_fleet:8701"),
        ])
    func urls(text: String, isSecure: Bool, host: String, port: Int, authority: String) throws {
        let url = try #require(GatewayURL(text))
        #expect(url.isSecure == isSecure && url.host.name == host && url.port == port)
        #expect(url.authority == authority)
    }

    @Test(
        "a text that is not the URL of a gateway is refused",
        arguments: [
            "", "127.0.0.1:8701", "ftp://a", "http://", "http://a:0", "http://a:70000", "http://a/b",
            "http://a b", "http://::1", "http://u@a",
        ])
    func wrongURLs(text: String) {
        #expect(GatewayURL(text) == nil)
    }
}
