import ArgumentParser
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

/// The file with the settings of the screen: `$XDG_CONFIG_HOME/sensibus/observer.json`, by default in
/// `~/.config`.
struct SettingsFile: Sendable {
    enum Content: Equatable {
        case missing
        case settings(ScreenSettings)
        case unusable(String)
    }

    private static let bytesAtMost = 64 << 10

    let path: String

    init(path: String) { self.path = path }

    /// The file of the user of an environment; nil without a home directory.
    init?(environment: [String: String]) {
        func directory(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let place = directory("XDG_CONFIG_HOME") ?? directory("HOME").map({ "\($0)/.config" })
        else { return nil }
        path = "\(place)/sensibus/observer.json"
    }

    func read() -> Content {
        do throws(RuntimeError) {
            guard let bytes = try bytes() else { return .missing }
            let settings = ScreenSettings(json: String(decoding: bytes, as: UTF8.self))
            return settings.map(Content.settings) ?? .unusable("\(path): not the settings of an observer")
        } catch {
            return .unusable("\(error)")
        }
    }

    /// Returns the bytes of the file, which other users may read; nil for a missing file.
    private func bytes() throws(RuntimeError) -> [UInt8]? {
        guard let descriptor = try OwnFile.openIfPresent(path, O_RDONLY, isGiven: true) else { return nil }
        defer { close(descriptor) }
        return try OwnFile.content(of: descriptor, at: path, upTo: Self.bytesAtMost)
    }

    /// Replaces the file atomically, and creates its directory if it is missing.
    func write(_ settings: ScreenSettings) throws(RuntimeError) {
        var directory = ""
        for part in path.split(separator: "/").dropLast() {
            directory += "/\(part)"
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
                throw .system(operation: "create directory", path: directory, errno: errno)
            }
        }
        try PrivateFile(path: path).replace(with: Array("\(settings.json)\n".utf8))
    }
}

struct SettingsOptions: ParsableArguments {
    @Flag(help: "Neither load nor store the table's sort order, groups and columns.") var noSettings = false

    @Flag(help: "Start with the default sort order, groups and columns, and store them.")
    var resetSettings = false

    func validate() throws {
        guard !noSettings || !resetSettings else {
            throw ValidationError("give --no-settings or --reset-settings, not both")
        }
    }

    /// Returns the file with the settings; nil if none are loaded or stored.
    func file(in environment: [String: String]) -> SettingsFile? {
        noSettings ? nil : SettingsFile(environment: environment)
    }

    /// Loads the settings of a file into a view; the log says why an unusable file is ignored.
    func load(_ file: SettingsFile, into view: inout ViewModel, at now: WallTime) {
        guard !resetSettings else { return view.storeSettings() }
        switch file.read() {
        case .missing: break
        case .settings(let settings): view.use(settings)
        case .unusable(let why):
            let text = "settings ignored: \(SafeText.of(why)); the next change of a setting replaces the file"
            view.add(EventLine(at: now, tone: .failure, text: text))
        }
    }
}

struct RosterFile: Sendable {
    private static let bytesAtMost = 4 << 20

    let path: String

    /// Reads the cached roster; returns nil if the file is missing, unreadable or larger than 4 MiB.
    func read() -> LoadedRoster? {
        guard let content = try? PrivateFile(path: path).read(upTo: Self.bytesAtMost) else { return nil }
        return LoadedRoster(json: String(decoding: content, as: UTF8.self))
    }

    /// Replaces the cached roster atomically, with access for the owner only. If the write fails, the next
    /// start loads the roster from the controller.
    func write(_ roster: LoadedRoster) {
        try? PrivateFile(path: path).replace(with: Array("\(roster.json)\n".utf8))
    }
}
