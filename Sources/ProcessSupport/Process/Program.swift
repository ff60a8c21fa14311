/// The programs of Sensibus, and how users call them: each by its own name in a build, and all as `sensibus`
/// where they are installed.
public enum Program: String, CaseIterable, Sendable {
    case fleet, controller, gateway, observer
    case deviceSim = "device-sim"
    case httpLoad = "http-load"

    /// The name of the command that an installation adds to the `PATH`: `fleet`, in `libexec/sensibus`.
    private static let installedName = "sensibus"

    /// Whether this program is an installed one.
    private static let isInstalled = ownPath.contains("/libexec/\(installedName)/")

    /// What the program is for, in a sentence.
    public var abstract: String {
        switch self {
        case .fleet: "Run and control a fleet of simulated devices."
        case .controller: "Authenticate users and execute their requests, each at most once."
        case .gateway: "Serve a fleet over HTTP: a web page and Sensibo's API."
        case .observer: "Show a fleet live, record it, and replay recordings."
        case .deviceSim: "Host simulated Sensibo devices: one node with up to a million of them."
        case .httpLoad: "Send the requests of `fleet load --target http`."
        }
    }

    /// The words that call the program: `observer`, or `sensibus observer`.
    public var command: String { Self.isInstalled ? installedCommand : rawValue }

    private var installedCommand: String {
        self == .fleet ? Self.installedName : "\(Self.installedName) \(rawValue)"
    }

    /// Returns a text for people with its commands as users call them: in backticks, in `$(…)`, as an
    /// example on an indented line, and as the `fleet:` of a message.
    public static func worded(_ text: String) -> String { isInstalled ? installed(text) : text }

    /// Returns the text as an installed program shows it. In JSON, which manual pages are made from, lines
    /// end with an escaped line feed.
    static func installed(_ text: String) -> String {
        ["\n", "\\n"].reduce(text) { text, end in
            text.split(separator: end, omittingEmptySubsequences: false).map { installed(line: String($0)) }
                .joined(separator: end)
        }
    }

    private static func installed(line: String) -> String {
        var line = line
        let label = "\(fleet.rawValue): "
        if line.hasPrefix(label) { line = "\(installedName): \(line.dropFirst(label.count))" }
        for program in allCases where line.contains(program.rawValue) {
            let (name, command) = (program.rawValue, program.installedCommand)
            line = line.replacing("`\(name)`", with: "`\(command)`")
            for opening in ["`", "$("] {
                line = line.replacing("\(opening)\(name) ", with: "\(opening)\(command) ")
                if line.hasSuffix("\(opening)\(name)") { line = "\(line.dropLast(name.count))\(command)" }
            }
            let indented = line.prefix { $0 == " " }
            let rest = line.dropFirst(indented.count)
            // An explanation is indented further, and more than one space follows a listed subcommand.
            guard (2...4).contains(indented.count), rest == name || rest.hasPrefix("\(name) "),
                !rest.hasPrefix("\(name)  ")
            else { continue }
            line = "\(indented)\(command)\(rest.dropFirst(name.count))"
        }
        return line
    }

    /// Runs the program in place of this one, from the same folder.
    public func replaceProcess(with arguments: [String]) throws(RuntimeError) -> Never {
        let own = Self.ownPath
        let path = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + rawValue
        throw ProcessImage.replace(by: String(path), [String(path)] + arguments)
    }

    /// The path of this executable, in whose directory the others are; empty without `/proc`.
    public static let ownPath = OpenDirectories.target(of: "/proc/self/exe") ?? ""
}
