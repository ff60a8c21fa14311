import CSodium
import FleetClient
import FleetProtocol
import GatewayCore

/// Who a request is from.
///
/// The gateway keeps no sessions: a browser's cookie, a Bearer token and an API key are each what the
/// controller knows, and it is asked with every request. So whatever ends there ends here at once. For
/// those who came before, what they want is begun while the controller is being asked, which saves a round
/// trip; nothing is answered before it has said who they are.
struct Access: Sendable {
    /// Whoever asks, and how the controller knows.
    struct Visitor: Sendable {
        let session: Session
        let credentials: Credentials
        let mirror: FleetMirror
    }

    /// Why nobody is let in.
    enum Refused: Error {
        /// The controller does not know the token.
        case unknown
        /// The controller cannot be asked; why, in words.
        case unavailable(String)
    }

    /// How long the controller may take to say who it is.
    private static let patience: Duration = .seconds(2)

    let client: FleetClient
    let mirrors: FleetMirrors
    private let known = KnownVisitors()

    init(client: FleetClient, mirrors: FleetMirrors) {
        self.client = client
        self.mirrors = mirrors
    }

    /// Whom a token stood for when the controller was asked last; nil where it never was.
    ///
    /// Nothing may be told them before ``visitor(with:)-(Token)`` has found that it is still so.
    func formerVisitor(with token: Token) -> Visitor? { known.visitor(with: token) }

    /// Whom a text of 64 hexadecimal digits stands for.
    ///
    /// - Throws: ``Refused``.
    func visitor(with text: String) async throws(Refused) -> Visitor {
        guard let token = Token(hexadecimal: text) else { throw .unknown }
        return try await visitor(with: token)
    }

    /// Whom a token stands for.
    ///
    /// - Throws: ``Refused``.
    func visitor(with token: Token) async throws(Refused) -> Visitor {
        let session: Session
        do throws(FleetError) {
            session = try await client.who(has: token, patience: Self.patience)
        } catch {
            if case .refused(.unauthenticated) = error {
                known.forget(token)
                throw .unknown
            }
            throw .unavailable(error.description)
        }
        let credentials = Credentials(user: session.email, token: token)
        // The mirror goes on after the visitor has left, which must not keep the session from ending.
        guard let mirror = await mirrors.mirror(of: session.account, as: credentials.unattended) else {
            throw .unavailable(
                "the gateway serves \(MirrorPlaces.withDevices) accounts already, all of them in use: "
                    + "try again in a minute")
        }
        let visitor = Visitor(session: session, credentials: credentials, mirror: mirror)
        known.note(visitor)
        return visitor
    }

    /// What the page shows with whatever changes something: nobody but who has the cookie's token can make
    /// it.
    ///
    /// It is a keyed hash of a fixed text, so it tells nothing of the token.
    static func csrf(of token: Token) -> String {
        let text = Array("sensibus page".utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_auth_BYTES))
        crypto_auth(&hash, text, UInt64(text.count), token.bytes)
        return hash.hexadecimal
    }

    /// Whether that is the token's; it takes as long whatever it is.
    static func isCSRF(_ text: String, of token: Token) -> Bool { isSame(text, as: csrf(of: token)) }

    /// Whether two texts are the same; it takes as long for any two of one length.
    static func isSame(_ text: String, as other: String) -> Bool {
        let (given, right) = (Array(text.utf8), Array(other.utf8))
        return given.count == right.count && sodium_memcmp(given, right, right.count) == 0
    }
}
