extension RunDirectory {
    /// Keeps the demo account's password in a file that only its owner may read.
    ///
    /// - Throws: `system` with the call that failed.
    public func writeDemoPassword(_ password: String) throws(RuntimeError) {
        try PrivateFile(path: demoPasswordFile).replace(with: Array("\(password)\n".utf8))
    }
}
