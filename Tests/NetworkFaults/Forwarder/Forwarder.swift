import FleetProtocol
import Glibc

/// A switch with one port for each interface: a packet goes to the port that is the last byte of its IPv4
/// destination, over the link between the two ports.
///
/// So every host may have several addresses, such as 10.77.0.2 and 10.77.1.2 at port 2.
struct Forwarder {
    /// The packets of a port that are read in one turn, so that no port waits for another.
    private static let readAtOnce = 64
    /// The destination in an IPv4 header.
    private static let destination = 16..<20

    private let devices: [TunDevice]
    /// From each port to each port, by `from * devices.count + to`.
    private var links: [Link]
    private var buffer = [UInt8](repeating: 0, count: TunDevice.packetAtMost)
    private var input = CommandInput()

    init(_ devices: [TunDevice], seed: UInt64) {
        self.devices = devices
        links = (0..<devices.count * devices.count).map {
            Link(seed: SeededGenerator.mixed(seed &+ UInt64($0)))
        }
    }

    /// Forwards until the input ends.
    mutating func run() {
        var descriptors = Descriptors()
        while !input.isOver {
            descriptors.removeAll()
            descriptors.add(CommandInput.descriptor, POLLIN)
            for device in devices { descriptors.add(device.descriptor, POLLIN) }
            descriptors.wait(untilUs: links.lazy.compactMap(\.nextDueUs).min())
            if descriptors.events(at: 0) != 0 { answer() }
            for port in devices.indices where descriptors.events(at: port + 1) & POLLIN != 0 { accept(port) }
            deliver()
        }
    }

    private mutating func accept(_ port: Int) {
        let now = Descriptors.nowUs()
        for _ in 0..<Self.readAtOnce {
            guard let packet = devices[port].read(over: &buffer) else { return }
            guard let target = Self.port(of: packet), target < devices.count else { continue }
            links[port * devices.count + target].send(packet, atUs: now)
        }
    }

    private mutating func deliver() {
        let now = Descriptors.nowUs()
        for index in links.indices {
            while let packet = links[index].receive(atUs: now) {
                devices[index % devices.count].write(packet)
            }
        }
    }

    /// The port of a packet, counted from 0; nil if it is none of IPv4.
    static func port(of packet: [UInt8]) -> Int? {
        guard packet.count >= destination.upperBound, packet[0] >> 4 == 4 else {
            return nil
        }
        let last = packet[destination.upperBound - 1]
        return last > 0 ? Int(last) - 1 : nil
    }

    private mutating func answer() {
        var input = input
        input.answer { try perform($0) }
        self.input = input
    }

    /// `link FROM TO [PROPERTY NUMBER]...`, where `*` is every port, or `counts`.
    private mutating func perform(_ words: [Substring]) throws -> String {
        switch words.first {
        case "link":
            guard words.count >= 3 else { throw Refused("link needs two ports") }
            let rule = try LinkRule(words[3...])
            for from in try ports(words[1]) {
                for target in try ports(words[2]) { links[from * devices.count + target].rule = rule }
            }
            return "ok"
        case "counts":
            var sum = Link.Counts()
            for link in links { sum += link.counts }
            return "forwarded \(sum.forwarded) lost \(sum.lost) duplicated \(sum.duplicated) "
                + "reordered \(sum.reordered) overflowed \(sum.overflowed)"
        default: throw Refused("unknown command")
        }
    }

    private func ports(_ word: Substring) throws -> [Int] {
        if word == "*" { return Array(devices.indices) }
        guard let port = Int(word), 1...devices.count ~= port else { throw Refused("no port \(word)") }
        return [port - 1]
    }
}
