import Testing

@testable import Bus

@Suite("Keys of CURVE, and what an authenticated peer's messages say")
struct CurveTests {
    @Test("a key is 64 hexadecimal digits, and its pair follows from the secret key")
    func keys() throws {
        let pair = try CurveKeyPair.generate()
        let same = try CurveKeyPair(secretKey: pair.secretKey)
        #expect(same == pair)
        #expect(CurvePublicKey(hexadecimal: pair.description) == pair.publicKey)
        #expect(CurvePublicKey(hexadecimal: pair.description.uppercased()) == pair.publicKey)
        let other = try CurveKeyPair.generate()
        #expect(other != pair)
    }

    @Test(
        "texts that are not keys are refused",
        arguments: ["", "ab", "g" + String(repeating: "0", count: 63)])
    func malformed(text: String) { #expect(CurvePublicKey(hexadecimal: text) == nil) }

    @Test("a secret key of another length is refused")
    func short() {
        expectError(.invalidArgument) { try CurveKeyPair(secretKey: [1, 2, 3]) }
    }

    @Test("a server's domain has 1 to 255 bytes", arguments: [0, 256])
    func domain(length: Int) throws {
        let keys = try CurveKeyPair.generate()
        expectError(.invalidArgument) {
            try CurveServer(keys: keys, domain: String(repeating: "a", count: length))
        }
    }

    @Test("a message over CURVE has its sender's key and address; one without CURVE has no key")
    func sender() throws {
        try CurveSite.run(handler: .admitting) { site in
            let keys = try CurveKeyPair.generate()
            let socket = try site.connect(as: .client(server: site.keys.publicKey, keys: keys))
            let sender = try site.sender(of: socket)
            #expect(sender?.key == keys.publicKey)
            #expect(sender?.address == "127.0.0.1")
        }
        let (bound, connected) = try Fixture.pair(.router, .dealer)
        #expect(try connected.send([1]) == .sent)
        var frames = Frames()
        #expect(try bound.receiveWaiting(into: &frames))
        #expect(frames.senderKey == nil && frames.senderAddress == nil)
    }
}
