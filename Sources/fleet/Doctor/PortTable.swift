/// The TCP ports of the machine at which programs listen, as `/proc/net/tcp` and `/proc/net/tcp6` list them.
struct PortTable: Equatable, Sendable {
    /// The state of a socket that listens.
    private static let listening = "0A"

    private let ports: Set<UInt16>

    /// The ports in those texts: lines such as `0: 0100007F:21FD 00000000:0000 0A …`.
    init(_ texts: String...) {
        ports = Set(
            texts.flatMap { $0.split(separator: "\n") }.compactMap { line in
                let words = line.split(separator: " ")
                guard words.count >= 4, words[3] == Self.listening else { return nil }
                return words[1].split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
            })
    }

    /// Whether a program listens at a port.
    func has(_ port: UInt16) -> Bool { ports.contains(port) }
}
