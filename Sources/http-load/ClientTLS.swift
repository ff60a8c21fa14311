import LoadCore
import NIOCore
import UserText

#if TLS
import NIOSSL

struct ClientTLS: Sendable {
    /// The reason in BoringSSL's error for a certificate that does not lead to a trusted one.
    private static let unverified = "CERTIFICATE_VERIFY_FAILED"

    private let context: NIOSSLContext
    private let serverName: String?

    /// Reads the certificates to trust: those of the opening's file, or the system's.
    init(_ opening: HTTPLoadOpening) throws(HTTPLoadFailure) {
        // TLS does not send an address as a server name; the certificate must then have the address.
        serverName = IPAddress(opening.url.host.name) == nil ? opening.url.host.name : nil
        var configuration = TLSConfiguration.makeClientConfiguration()
        do {
            if let file = opening.certificates {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            }
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw HTTPLoadFailure(
                .certificateFile,
                "cannot use the certificates in \(opening.certificates ?? "the system"): \(error)")
        }
    }

    func secure(_ channel: any Channel) throws {
        let handler = try NIOSSLClientHandler(context: context, serverHostname: serverName)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    static func failure(in error: any Error) -> HTTPLoadFailure? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return HTTPLoadFailure(.otherHost, "its certificate is for another host")
        }
        guard case .handshakeFailed(let failure)? = error as? NIOSSLError,
            "\(failure)".contains(unverified)
        else { return nil }
        return HTTPLoadFailure(.untrusted, "its certificate is not trusted")
    }
}
#else
/// No TLS: this program was built without the trait `TLS`.
struct ClientTLS: Sendable {
    private static let failure = HTTPLoadFailure(.builtWithoutTLS, "this http-load was built without TLS")

    init(_ opening: HTTPLoadOpening) throws(HTTPLoadFailure) { throw Self.failure }

    func secure(_ channel: any Channel) throws { throw Self.failure }

    /// Returns nil: no error is one of TLS.
    static func failure(in error: any Error) -> HTTPLoadFailure? { nil }
}
#endif
