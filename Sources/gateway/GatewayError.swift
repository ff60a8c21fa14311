/// Why the gateway cannot serve.
enum GatewayError: Error, CustomStringConvertible {
    /// It cannot listen there; why, in words.
    case cannotListen(String, why: String)
    /// The certificate or its key cannot be used; why, in words.
    case badCertificate(String)

    var description: String {
        switch self {
        case .cannotListen(let address, let why):
            """
            cannot listen at \(address): \(why). Choose another port, or 0 for any free one: --port of `gateway \
            serve`, --gateway-port of `fleet up`
            """
        case .badCertificate(let why):
            "certificate or key unusable: \(why). Check the files of --tls-certificate and --tls-key"
        }
    }
}
