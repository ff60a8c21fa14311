import Glibc

/// The size of a terminal, in characters.
public struct TerminalSize: Equatable, Sendable {
    /// The number of columns.
    public let columns: Int
    /// The number of lines.
    public let lines: Int

    /// Reads the size of a terminal; nil if the descriptor is not one, or its size is not known.
    public init?(of descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        (columns, lines) = (Int(size.ws_col), Int(size.ws_row))
    }
}
