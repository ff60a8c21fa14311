import CZMQ
import Testing

@testable import Bus

@Suite("Hazard: CURVE admits everyone", .serialized)
struct OpenCurveTests {
    /// What answers libzmq's question who may connect.
    enum Handler: CaseIterable {
        case none, denying, ended, silent
    }

    /// A set-up of a server, in which a peer with a random key connects.
    struct SetUp: CustomTestStringConvertible {
        let handler: Handler
        let domain: String

        var testDescription: String {
            "\(handler) handler, \(domain.isEmpty ? "no domain" : "domain \(domain)")"
        }

        static let all = Handler.allCases.flatMap { handler in
            ["", "bus"].map { SetUp(handler: handler, domain: $0) }
        }
    }

    @Test("as libzmq documents it, a stranger gets in without a domain or a handler")
    func open() throws {
        let admitted = try SetUp.all.filter { setUp in
            try isAdmitted(by: setUp) { server, keys in
                try server.set(ZMQ_CURVE_SERVER, to: 1, name: "server")
                try server.set(ZMQ_CURVE_SECRETKEY, to: keys.secretKey, name: "key")
                guard !setUp.domain.isEmpty else { return }
                try server.set(ZMQ_ZAP_DOMAIN, to: Array(setUp.domain.utf8), name: "domain")
            }
        }
        #expect(
            Set(admitted.map(\.testDescription)) == [
                "none handler, no domain", "none handler, domain bus", "ended handler, no domain",
                "ended handler, domain bus",
            ])
    }

    @Test("with our options a stranger stays outside in all eight set-ups", arguments: SetUp.all)
    func closed(setUp: SetUp) throws {
        let isAdmitted = try isAdmitted(by: setUp) { server, keys in
            try server.apply(.server(CurveServer(keys: keys, domain: setUp.domain)))
        }
        #expect(!isAdmitted)
    }

    @Test("a peer without CURVE, and one that expects another server, stay outside")
    func mismatched() throws {
        let misled = try SocketSecurity.client(server: CurveKeyPair.generate().publicKey, keys: .generate())
        try CurveSite.run(handler: .admitting) { site in
            for stranger in [SocketSecurity.none, misled] { #expect(try !site.isAdmitted(as: stranger)) }
            let honest = try SocketSecurity.client(server: site.keys.publicKey, keys: .generate())
            #expect(try site.isAdmitted(as: honest))
        }
    }

    @Test("a socket that was denied never connects again, and a new one does")
    func denied() throws {
        try CurveSite.run(handler: .denying) { site in
            let keys = try CurveKeyPair.generate()
            let security = SocketSecurity.client(server: site.keys.publicKey, keys: keys)
            let socket = try site.connect(as: security)
            #expect(try !site.hears(socket))
            site.admit(keys.publicKey)
            #expect(try !site.hears(socket))
            #expect(try site.isAdmitted(as: security))
        }
    }

    /// Whether a stranger's message arrives, in a set-up whose socket the closure secures.
    private func isAdmitted(by setUp: SetUp, _ secure: (Socket, CurveKeyPair) throws -> Void) throws -> Bool {
        do {
            return try CurveSite.run(handler: .init(setUp.handler), secure) { site in
                try site.isAdmitted(as: .client(server: site.keys.publicKey, keys: .generate()))
            }
        } catch let error as BusError where error.code == .invalidArgument && setUp.domain.isEmpty {
            return false
        }
    }
}
