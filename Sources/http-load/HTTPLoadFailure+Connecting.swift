import Glibc
import LoadCore
import NIOCore
import NIOPosix

extension HTTPLoadFailure {
    /// The failure of a connection that was not opened, or that has ended.
    init(connecting error: any Error) {
        self = ClientTLS.failure(in: error) ?? HTTPLoadFailure(.unreachable, Self.reason(of: error))
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
