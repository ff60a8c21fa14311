/// Where the gateway of a fleet listens, which may be at a port that only it knows.
///
/// The supervised gateway alone writes these files. A gateway that was started by hand serves beside it and
/// tells its address in its log.
extension RunDirectory {
    private var gatewayFile: PrivateFile { PrivateFile(path: "\(path)/gateway-url") }

    private var gatewayPortFile: PrivateFile { PrivateFile(path: "\(path)/gateway-port") }

    /// The keys by which clients of Sensibo's API name their requests.
    public var keyFile: String { "\(path)/gateway-keys" }

    /// The URL of the supervised gateway; nil before it listens, and without one.
    ///
    /// A gateway that was killed leaves its last URL.
    ///
    /// - Throws: `system` when the file cannot be read.
    public func gatewayURL() throws(RuntimeError) -> String? {
        try gatewayFile.read().map(Self.firstLine)
    }

    /// Writes the URL of the supervised gateway.
    ///
    /// - Throws: `system` with the call that failed.
    public func noteGateway(url: String) throws(RuntimeError) {
        try gatewayFile.replace(with: Array("\(url)\n".utf8))
    }

    /// Removes the URL: no gateway listens.
    ///
    /// - Throws: `system` with the call that failed.
    public func forgetGateway() throws(RuntimeError) {
        try gatewayFile.remove()
    }

    /// The port that the gateway chose last, so that it chooses the same one again; nil where it never chose.
    ///
    /// - Throws: `system` when the file cannot be read.
    public func gatewayPort() throws(RuntimeError) -> UInt16? {
        try gatewayPortFile.read().flatMap { UInt16(Self.firstLine($0)) }
    }

    /// Writes the port that the gateway chose; the file outlives the fleet.
    ///
    /// - Throws: `system` with the call that failed.
    public func noteGatewayPort(_ port: UInt16) throws(RuntimeError) {
        guard try gatewayPort() != port else { return }
        try gatewayPortFile.replace(with: Array("\(port)\n".utf8))
    }

    private static func firstLine(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
