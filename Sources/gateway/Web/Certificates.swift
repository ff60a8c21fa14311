import HummingbirdCore
import Logging
import NIOCore

#if TLS
import Glibc
import NIOSSL
import ProcessSupport
import Synchronization
#endif

/// A connection over TLS, with the certificate that is current when it opens.
struct SecureChannel<Plain: ServerChildChannel>: ServerChildChannel {
    let plain: Plain
    let certificates: Certificates

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Plain.Value> {
        channel.eventLoop.makeCompletedFuture {
            try certificates.secure(channel)
        }.flatMap {
            plain.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Plain.Value, logger: Logger) async { await plain.handle(value: value, logger: logger) }
}

#if TLS
final class Certificates: Sendable {
    private let chainFile: String
    private let keyFile: String
    private let current: Mutex<NIOSSLContext>

    init(chainFile: String, keyFile: String) throws(GatewayError) {
        (self.chainFile, self.keyFile) = (chainFile, keyFile)
        current = Mutex(try Self.read(chainFile, keyFile))
    }

    func secure(_ channel: any Channel) throws {
        let handler = NIOSSLServerHandler(context: current.withLock { $0 })
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    /// Reads both files again; after an error the previous certificate stays in use.
    func reload() throws(GatewayError) {
        let context = try Self.read(chainFile, keyFile)
        current.withLock { $0 = context }
    }

    private static func read(_ chainFile: String, _ keyFile: String) throws(GatewayError) -> NIOSSLContext {
        for file in [chainFile, keyFile] where access(file, R_OK) != 0 {
            throw .badCertificate("\(file): \(String(cString: strerror(errno)))")
        }
        let keyText: [UInt8]
        do throws(RuntimeError) {
            keyText = try PrivateFile(path: keyFile, isGiven: true).read() ?? []
        } catch {
            throw .badCertificate("\(error)")
        }
        var problem = "\(chainFile): not a PEM certificate"
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(chainFile).map(NIOSSLCertificateSource.certificate)
            problem = "\(keyFile): not a PEM private key"
            let key = try NIOSSLPrivateKey(bytes: keyText, format: .pem)
            problem = "\(keyFile): not the key of the certificate in \(chainFile)"
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(key))
            tls.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw .badCertificate(problem)
        }
    }
}
#else
/// No certificates: this gateway was built without the trait `TLS`.
struct Certificates: Sendable {
    /// - Throws: `builtWithoutTLS`, always.
    init(chainFile: String, keyFile: String) throws(GatewayError) { throw .builtWithoutTLS }

    func reload() throws(GatewayError) { throw .builtWithoutTLS }

    func secure(_ channel: any Channel) throws { throw GatewayError.builtWithoutTLS }
}
#endif
