import LoadCore
import NIOSSL

extension HTTPLoadFailure {
    /// The reason in BoringSSL's error for a certificate that does not lead to a trusted one.
    private static let unverified = "CERTIFICATE_VERIFY_FAILED"

    /// The failure of a connection that was not opened, or that has ended.
    init(connecting error: any Error) {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            self.init(.otherHost, "its certificate is for another host")
        } else if case .handshakeFailed(let failure)? = error as? NIOSSLError,
            "\(failure)".contains(Self.unverified)
        {
            self.init(.untrusted, "its certificate is not trusted")
        } else {
            self.init(.unreachable, "\(error)")
        }
    }
}
