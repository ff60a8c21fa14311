/// Where the gateway of a fleet listens, which may be at a port that only it knows.
extension RunDirectory {
    private var gatewayFile: PrivateFile { PrivateFile(path: "\(path)/gateway-url") }

    /// The keys by which clients of Sensibo's API name their requests.
    public var keyFile: String { "\(path)/gateway-keys" }

    /// The gateway's URL; nil while none listens, or has said where.
    ///
    /// A gateway that was killed leaves what it said last.
    ///
    /// - Throws: `system` when the file cannot be read.
    public func gatewayURL() throws(RuntimeError) -> String? {
        try gatewayFile.read().map { bytes in
            String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
    }

    /// Says where the gateway listens.
    ///
    /// - Throws: `system` with the call that failed.
    public func noteGateway(url: String) throws(RuntimeError) {
        try gatewayFile.replace(with: Array("\(url)\n".utf8))
    }

    /// Says that no gateway listens.
    ///
    /// - Throws: `system` with the call that failed.
    public func forgetGateway() throws(RuntimeError) {
        try gatewayFile.remove()
    }
}
