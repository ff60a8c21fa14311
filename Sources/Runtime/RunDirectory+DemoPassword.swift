extension RunDirectory {
    /// The email of the user of the demo account.
    public static let demoEmail = "demo@sensibus.local"

    /// Keeps the demo account's password in a file that only its owner may read.
    ///
    /// - Throws: `system` with the call that failed.
    public func writeDemoPassword(_ password: String) throws(RuntimeError) {
        try PrivateFile(path: demoPasswordFile).replace(with: Array("\(password)\n".utf8))
    }

    /// The demo account's password; nil while nobody has kept one.
    ///
    /// - Throws: `system` when the file cannot be read.
    public func readDemoPassword() throws(RuntimeError) -> String? {
        guard let content = try PrivateFile(path: demoPasswordFile).read() else { return nil }
        return String(decoding: content.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
