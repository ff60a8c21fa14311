/// Where a load was measured: figures of different machines do not compare.
public struct LoadEnvironment: Codable, Equatable, Sendable {
    /// The processor's name.
    public let processor: String
    /// How many processors there are.
    public let cores: Int
    /// The operating system's kernel.
    public let kernel: String
    /// The version of libzmq.
    public let libzmq: String
    /// How many programs wanted to run in the minute before.
    public let loadAverage: Double
    /// When it began, ISO 8601.
    public let startedAt: String

    /// An environment of those parts.
    public init(
        processor: String, cores: Int, kernel: String, libzmq: String, loadAverage: Double, startedAt: String
    ) {
        self.processor = processor
        self.cores = cores
        self.kernel = kernel
        self.libzmq = libzmq
        self.loadAverage = loadAverage
        self.startedAt = startedAt
    }
}
