/// A file of a run directory that has one name, which is its raw value; `docs/reference/files.md` describes
/// each. The order is that of a backup.
public enum RunFile: String, CaseIterable, Sendable {
    case nodeSecret = "node-secret"
    case gatewayKeys = "gateway-keys"
    case demoPassword = "demo-password"
    case session = "session.json"
    case observerSession = "observer-session.json"
    case seed
    case devices = "devices.json"
    case pods = "pods.json"
    case fleetName = "fleet-name"
    case membership = "membership.json"
    case serverKey = "network/server-key"
    case peers = "network/peers.json"
    case peersLock = "network/peers.lock"
    case networkAddress = "network-address"
    case gatewayURL = "gateway-url"
    case gatewayPort = "gateway-port"
    case cell
    case cellList = "cells-copy.yaml"
    case demoAccount = "demo-account"
    case joinKey = "join-key"
    case authority = "authority.pem"
    case authorityKey = "authority-key.pem"
    case certificate = "certificate.pem"
    case certificateKey = "certificate-key.pem"
    case certificateSettings = "openssl.cnf"
    case observerRoster = "observer-roster.json"
    case store = "controller.sqlite"
    case storeLog = "controller.sqlite-wal"
    case storeIndex = "controller.sqlite-shm"
    /// A copy of the store of an earlier version, made before its conversion.
    case formerStore = "controller.sqlite.former"
    case witness
    /// A link to the sockets that earlier versions made.
    case sockets

    /// Whether it is a part of the fleet's state, which `fleet reset` removes.
    public var isState: Bool {
        switch self {
        case .gatewayKeys, .demoPassword, .session, .observerSession, .seed, .devices, .pods,
            .fleetName, .observerRoster, .store, .storeLog, .storeIndex, .formerStore, .witness:
            true
        case .nodeSecret, .membership, .serverKey, .peers, .peersLock, .networkAddress, .gatewayURL,
            .gatewayPort, .cell, .cellList, .demoAccount, .joinKey, .authority, .authorityKey, .certificate,
            .certificateKey, .certificateSettings, .sockets:
            false
        }
    }

    /// Whether `fleet backup` copies it; the controller copies the store and the witness.
    public var isBackedUp: Bool {
        switch self {
        case .nodeSecret, .gatewayKeys, .demoPassword, .session, .observerSession, .seed, .devices,
            .pods, .fleetName, .membership, .serverKey, .peers:
            true
        case .peersLock, .networkAddress, .gatewayURL, .gatewayPort, .cell, .cellList, .demoAccount, .joinKey,
            .authority, .authorityKey, .certificate, .certificateKey, .certificateSettings, .observerRoster,
            .store, .storeLog, .storeIndex, .formerStore, .witness, .sockets:
            false
        }
    }
}

extension RunFile {
    public func path(in directory: RunDirectory) -> String { "\(directory.root)/\(rawValue)" }
}

extension PrivateFile {
    init(_ file: RunFile, in directory: RunDirectory) { self.init(path: file.path(in: directory)) }
}
