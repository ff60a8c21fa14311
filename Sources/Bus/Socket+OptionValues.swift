internal import CZMQ
internal import Glibc

/// One option at a time, in the three shapes libzmq has: 32 bits, 64 bits, and bytes.
///
/// libzmq copies within each call, so no pointer to a value outlives it.
extension Socket {
    func set(_ option: Int32, to value: Int32, name: String) throws(BusError) {
        var value = value
        let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int32>.size)
        try check(result, "set \(name) to \(value)")
    }

    func setWide(_ option: Int32, to value: Int64, name: String) throws(BusError) {
        var value = value
        let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int64>.size)
        try check(result, "set \(name) to \(value)")
    }

    func set(_ option: Int32, to bytes: [UInt8], name: String) throws(BusError) {
        let result = bytes.withUnsafeBytes { zmq_setsockopt(handle, option, $0.baseAddress, $0.count) }
        try check(result, name)
    }

    func read(_ option: Int32, name: String) throws(BusError) -> Int32 {
        var value: Int32 = 0
        var size = MemoryLayout<Int32>.size
        try check(zmq_getsockopt(handle, option, &value, &size), "read \(name)")
        return value
    }

    func readWide(_ option: Int32, name: String) throws(BusError) -> Int64 {
        var value: Int64 = 0
        var size = MemoryLayout<Int64>.size
        try check(zmq_getsockopt(handle, option, &value, &size), "read \(name)")
        return value
    }

    func readText(_ option: Int32, name: String) throws(BusError) -> String {
        // Longer than any endpoint: a tcp host is the longest part of one, with 253 bytes.
        var bytes = [UInt8](repeating: 0, count: 512)
        var size = bytes.count
        try check(zmq_getsockopt(handle, option, &bytes, &size), "read \(name)")
        // libzmq counts the terminating zero.
        return String(decoding: bytes.prefix(max(size - 1, 0)), as: UTF8.self)
    }

    func readDuration(_ option: Int32, name: String) throws(BusError) -> Duration {
        .milliseconds(try read(option, name: name))
    }

    /// A timeout, which libzmq gives as -1 when there is none.
    func readTimeout(_ option: Int32, name: String) throws(BusError) -> Duration? {
        let milliseconds = try read(option, name: name)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }
}
