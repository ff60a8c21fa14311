import Glibc
import LoadCore
import NIOCore
import NIOPosix
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
            self.init(.unreachable, Self.reason(of: error))
        }
    }

    /// Returns why a connection was not opened, in the system's words: `connection refused`.
    static func reason(of error: any Error) -> String {
        guard let attempts = error as? NIOConnectionError else { return text(of: error) }
        guard let last = attempts.connectionErrors.last else { return "the host's name was not found" }
        return text(of: last.error)
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as IOError:
            let words = String(cString: strerror(error.errnoCode))
            return words.prefix(1).lowercased() + words.dropFirst()
        case ChannelError.connectTimeout: return "no connection within the time limit"
        default: return "\(error)"
        }
    }
}
