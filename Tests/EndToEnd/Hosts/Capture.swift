import FleetProtocol
import Foundation
import Glibc
import TestSupport
import Testing
import ZMTPFrames

/// The packets between the hosts of a lab, as tshark captured them.
struct Capture {
    /// All bytes of the file.
    let bytes: [UInt8]
    /// The payload of each direction of each tcp connection, in order.
    let flows: [[UInt8]]

    /// Captures while work runs.
    static func of<Value>(
        _ lab: Lab, at interface: String, _ work: () async throws -> Value
    ) async throws -> (Capture, Value) {
        let file = "\(lab.directory)/capture.pcapng"
        let process = Box<Int32>()
        async let ended = lab.run("/usr/bin/tshark", ["-q", "-i", interface, "-w", file]) {
            process.value = $0
        }
        let began = await Pace.look(for: .seconds(20).slowed) {
            (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int).map { $0 > 0 } ?? false
        }
        try #require(began != nil, "tshark does not capture")
        let value = try await withCleanup(work) {
            // The last packets are written.
            await Pace.wait(.seconds(1))
            if let process = process.value { kill(process, SIGINT) }
        }
        let status = try await ended
        try #require(status.status == 0, "tshark: \(status.talk)")
        return (try await Capture(file, lab), value)
    }

    private init(_ file: String, _ lab: Lab) async throws {
        bytes = Array(try Data(contentsOf: URL(filePath: file)))
        let fields = ["tcp.stream", "tcp.srcport", "tcp.payload"].flatMap { ["-e", $0] }
        let listed = try await lab.run(
            "/usr/bin/tshark",
            ["-r", file, "-Y", "tcp.len > 0 && !tcp.analysis.retransmission", "-T", "fields"] + fields)
        try #require(listed.status == 0, "tshark: \(listed.talk)")
        var flows: [Substring: [UInt8]] = [:]
        for line in listed.output.split(separator: "\n") {
            let end = try #require(line.lastIndex(of: "\t"))
            flows[line[..<end], default: []] += try #require(
                [UInt8](hexadecimal: String(line[line.index(after: end)...])))
        }
        self.flows = flows.sorted { $0.key < $1.key }.map(\.value)
    }

    func contains(_ needle: [UInt8]) -> Bool { Data(bytes).firstRange(of: Data(needle)) != nil }

    /// What the flows consist of: greetings, handshakes of CURVE, encrypted messages, and `plain` pieces.
    func pieces() -> [String: Int] {
        var counts: [String: Int] = [:]
        for flow in flows {
            var parser = FrameParser()
            for piece in parser.append(flow) {
                counts[Self.name(of: piece, mechanism: parser.mechanism), default: 0] += 1
            }
        }
        return counts
    }

    private static func name(of piece: FrameParser.Piece, mechanism: String?) -> String {
        guard mechanism == "CURVE" else { return "plain" }
        // Flags and a length, in two bytes or nine, and a name after its length.
        let isLong = piece.bytes[0] & 2 != 0
        let name = piece.bytes.dropFirst(isLong ? 9 : 2)
        func isNamed(_ text: String) -> Bool {
            name.starts(with: [UInt8(text.utf8.count)] + Array(text.utf8))
        }
        switch piece.kind {
        case .greeting: return "greeting"
        case .command where ["HELLO", "WELCOME", "INITIATE", "READY", "ERROR"].contains(where: isNamed):
            return "handshake"
        case .frame(hasMore: false) where isNamed("MESSAGE"): return "encrypted"
        case .command, .frame, .opaque: return "plain"
        }
    }
}
