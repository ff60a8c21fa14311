import FleetProtocol
import UserText

/// The further identifiers of a pod, which all follow from its ID and never change.
struct PodIdentity {
    /// The number of possible IDs: 62⁸.
    private static let podNumbers: UInt64 = 218_340_105_584_896
    /// The unique number of this device; below ``podNumbers`` for a pod.
    private let number: UInt64

    init(of device: DeviceID) { number = device.index(inFleetOf: 0) }

    /// The identity of a pod's room sensor, with a number that no pod has.
    init(ofRoomSensorAt device: DeviceID) { number = device.index(inFleetOf: 0) + Self.podNumbers }

    /// Appends the serial number: fifteen digits, unique for each device.
    func appendSerial(to output: inout [UInt8]) { output.append(decimal: number, digits: 15) }

    /// Appends a locally administered MAC address (IEEE 802), from 46 bits of the number: collisions are
    /// unlikely among a million devices.
    func appendMACAddress(to output: inout [UInt8]) {
        let first = UInt8(truncatingIfNeeded: number >> 40) & 0xfc | 0x02
        output.append(hexadecimal: first)
        for shift in stride(from: UInt64(32), through: 0, by: -8) {
            output.append(UInt8(ascii: ":"))
            output.append(hexadecimal: UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends the QR code: ten capital letters.
    func appendQRCode(to output: inout [UInt8]) {
        var rest = SeededGenerator.mixed(number)
        for _ in 0..<10 {
            output.append(UInt8(ascii: "A") + UInt8(rest % 26))
            rest /= 26
        }
    }
}

/// A hash of texts as ten letters and digits: the IDs of Sensibo's locations, timers and changes.
struct ShortID: Equatable, JSONWritable {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let length = 10

    private let mixed: UInt64

    init(_ words: UInt64...) { mixed = words.reduce(0) { SeededGenerator.mixed($0 ^ $1) } }

    func append(to output: inout [UInt8]) {
        var rest = mixed
        for _ in 0..<Self.length {
            output.append(Self.alphabet[Int(rest % 62)])
            rest /= 62
        }
    }

    func write(to json: inout JSONWriter) { json.plain { append(to: &$0) } }
}

extension [UInt8] {
    /// Appends a byte as two hexadecimal digits, in capitals.
    fileprivate mutating func append(hexadecimal byte: UInt8) {
        for digit in [byte >> 4, byte & 0xf] {
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
    }
}
