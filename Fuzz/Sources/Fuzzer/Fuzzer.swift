import CFuzz
import FleetProtocol
import Foundation
public import FuzzSupport

/// libFuzzer in an executable with several targets.
public enum Fuzzer {
    nonisolated(unsafe) fileprivate static var target: FuzzTarget?
    private static let heap = HeapMeter(begin: fuzz_heap_begin, peak: { Int(fuzz_heap_peak()) })

    /// Runs libFuzzer with the target that the environment's `SENSIBUS_FUZZ` names.
    ///
    /// libFuzzer reads the command line, also in processes that it starts itself.
    public static func run(_ targets: [FuzzTarget]) -> Never {
        let name = ProcessInfo.processInfo.environment["SENSIBUS_FUZZ"]
        target = targets.first { $0.name == name }
        guard target != nil else {
            print(targets.map(\.name).joined(separator: "\n"))
            exit(name == nil ? 0 : 2)
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
                do {
                    let input = [UInt8](UnsafeBufferPointer(start: bytes, count: size))
                    try Fuzzer.target?.run(input, heap: Fuzzer.heap)
                } catch {
                    fatalError("\(error)")
                }
                return 0
            })
    }
}

/// libFuzzer calls it in place of its own mutations.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ size: Int, _ maxSize: Int, _ seed: UInt32) -> Int {
    // Mutations of bytes also combine inputs, and know the constants that the decoder compares with.
    guard Fuzzer.target?.isProtobuf == true, seed % 4 > 0 else {
        return LLVMFuzzerMutate(bytes, size, maxSize)
    }
    var mutation = ProtobufMutation(random: SeededGenerator(seed: UInt64(seed))) { bytes in
        var room = bytes + [UInt8](repeating: 0, count: 64)
        let size = LLVMFuzzerMutate(&room, bytes.count, room.count)
        return Array(room.prefix(size))
    }
    let output = mutation.mutated([UInt8](UnsafeBufferPointer(start: bytes, count: size))).prefix(maxSize)
    for (offset, byte) in output.enumerated() { bytes[offset] = byte }
    return output.count
}
