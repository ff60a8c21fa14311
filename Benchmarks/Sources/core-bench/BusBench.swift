import Bus

/// Messages of 64 bytes from one socket to another within the process.
enum BusBench {
    private static let batch = 1_000

    static func messages(_ count: Int) throws -> () throws -> Void {
        let context = try Context()
        let endpoint = try Endpoint.inproc("bench")
        let pull = try Socket(.pull, context: context)
        try pull.bind(endpoint)
        let push = try Socket(.push, context: context)
        try push.connect(endpoint)
        let payload = [UInt8](repeating: 1, count: 64)
        return {
            var frames = Frames()
            for _ in 0..<(count / batch) {
                for _ in 0..<batch {
                    guard try push.send(payload) == .sent else { throw BenchFailure.noAnswer }
                }
                for _ in 0..<batch {
                    guard try pull.receive(into: &frames) else { throw BenchFailure.noAnswer }
                }
            }
            push.close()
            pull.close()
            context.terminate()
        }
    }
}
