import Glibc

/// Why a message to a user cannot be handed over.
enum OutboxError: Error, Equatable, CustomStringConvertible {
    /// Nothing can be put into the directory.
    case directory(String, errno: Int32)
    /// There are as many messages in it as may be.
    case full(String)
    /// The program cannot be run.
    case command(String, errno: Int32)
    /// It did not end in time, and was ended.
    case late(String)
    /// It ended, and not well; how, in words.
    case refused(String, String)
    /// The address is none that mail goes to.
    case noMailbox

    /// What failed, and what to do; never the message.
    var description: String {
        switch self {
        case .directory(let path, let number):
            "messages cannot be put into \(path): \(Self.words(for: number)); name a directory with --outbox "
                + "that this user may write to"
        case .full(let path):
            "\(path) has \(Outbox.filesAtMost) files: send them on, and take them out"
        case .command(let executable, let number):
            "\(executable) cannot be run: \(Self.words(for: number)); name an executable with --outbox-command"
        case .late(let executable): "\(executable) took too long, and was ended"
        case .refused(let executable, let end): "\(executable) did not take it: \(end)"
        case .noMailbox: "mail does not go to such an address: give the user another"
        }
    }

    private static func words(for number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "errno \(number)"
    }
}
