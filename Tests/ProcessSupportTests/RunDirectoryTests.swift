import Bus
import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("The run directory")
struct RunDirectoryTests {
    @Test(
        "a run directory's path is absolute and normalised",
        arguments: [
            ("/a/b", "/a/b"), ("/a//b/", "/a/b"), ("/a/./b/../c", "/a/c"), ("x", "/home/ada/x"),
            ("..", "/home"),
            (".", "/home/ada"), ("../../../..", "/"), ("/", "/"),
        ])
    func normalised(path: String, expected: String) {
        #expect(RunDirectory(path: path, relativeTo: "/home/ada").path == expected)
    }

    @Test("the run directory is that of the flag, else the environment, else the nearest .sensibus")
    func precedence() throws {
        let temporary = try TemporaryDirectory()
        let flag = try temporary.makeDirectory("flag")
        let variable = try temporary.makeDirectory("variable")
        let project = try temporary.makeDirectory("project")
        let nearest = try temporary.makeDirectory("project/.sensibus")
        let deep = try temporary.makeDirectory("project/deep")
        let environment = ["SENSIBUS_RUN_DIR": variable]

        func find(_ explicit: String?, _ environment: [String: String]) throws -> String {
            try RunDirectory.find(explicit: explicit, environment: environment, startingAt: deep).path
        }
        #expect(try find(flag, environment) == flag)
        #expect(try find("../../flag", environment) == flag)
        #expect(try find(nil, environment) == variable)
        #expect(try find(nil, [:]) == nearest)
        #expect(project + "/.sensibus" == nearest)
    }

    @Test("a missing run directory is reported with the place of the search")
    func nothingFound() throws {
        let temporary = try TemporaryDirectory()
        let named = "\(temporary.path)/none"
        let error = #expect(throws: RuntimeError.noFleet(searched: named)) {
            try RunDirectory.find(explicit: named, environment: [:], startingAt: "/")
        }
        #expect(error?.description == "no fleet found in \(named)")
        #expect(throws: RuntimeError.noFleet(searched: "\(temporary.path) or above")) {
            try RunDirectory.find(explicit: nil, environment: [:], startingAt: temporary.path)
        }
    }

    @Test("the file with the fleet's name has that name or, with any changed bit or a lost end, none")
    func fleetName() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        #expect(try directory.fleetName() == nil)
        let name = FleetName.new()
        try directory.record(name)
        #expect(try directory.fleetName() == name && name != .new())
        let path = RunFile.fleetName.path(in: directory)
        #expect(try TemporaryDirectory.permissions(of: path) == 0o600)
        let file = PrivateFile(path: path)
        let bytes = try #require(try file.read())
        for place in bytes.indices.dropLast() {
            var changed = bytes
            changed[place] ^= 1 << UInt8(place % 8)
            try file.replace(with: changed)
            #expect(try directory.fleetName() == nil, "\(place)")
            try file.replace(with: Array(bytes[..<place]))
            #expect(try directory.fleetName() == nil, "\(place)")
        }
    }

    @Test("a run directory is created for its owner only, with a log directory, and only once")
    func create() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: "\(temporary.path)/fresh")
        for _ in 0..<2 { try directory.create() }
        #expect(try TemporaryDirectory.permissions(of: directory.path) == 0o700)
        #expect(try TemporaryDirectory.permissions(of: directory.logDirectory) == 0o700)
    }

    @Test(
        "a run directory that others can enter is refused with the remedy",
        arguments: [mode_t(0o755), 0o710, 0o701])
    func openToOthers(mode: mode_t) throws {
        let temporary = try TemporaryDirectory()
        let path = try temporary.makeDirectory("open", mode: mode)
        let error = #expect(throws: RuntimeError.openToOthers(path: path, mode: UInt32(mode))) {
            try RunDirectory(path: path).create()
        }
        #expect(error?.description.hasSuffix("chmod 700 \(path)") == true)
    }

    @Test("a run directory that is a file, or has no parent, is refused")
    func noDirectory() throws {
        let temporary = try TemporaryDirectory()
        let file = "\(temporary.path)/file"
        _ = try FileLock(path: file)
        #expect(throws: RuntimeError.notDirectory(path: file)) { try RunDirectory(path: file).create() }
        let orphan = "\(temporary.path)/none/run"
        #expect(throws: RuntimeError.system(operation: "create directory", path: orphan, errno: ENOENT)) {
            try RunDirectory(path: orphan).create()
        }
    }

    @Test(
        "a run directory that others can enter is refused by the search too",
        arguments: [mode_t(0o777), 0o755])
    func foundOpenToOthers(mode: mode_t) throws {
        let temporary = try TemporaryDirectory()
        let path = try temporary.makeDirectory(".sensibus", mode: mode)
        for explicit in [path, nil] {
            #expect(throws: RuntimeError.openToOthers(path: path, mode: UInt32(mode))) {
                try RunDirectory.find(explicit: explicit, environment: [:], startingAt: temporary.path)
            }
        }
        #expect(
            try RunDirectory.locate(explicit: nil, environment: [:], startingAt: temporary.path).path == path)
    }

    @Test("a run directory that is a symbolic link is refused, and the user's own link above it is followed")
    func symbolicLink() throws {
        let temporary = try TemporaryDirectory()
        let real = try temporary.makeDirectory("real")
        let run = try temporary.makeDirectory("real/run")
        try #require(symlink(run, "\(temporary.path)/link") == 0)
        try #require(symlink("real/../real", "\(temporary.path)/way") == 0)
        let link = "\(temporary.path)/link"
        let error = #expect(throws: RuntimeError.symbolicLink(path: link)) {
            try RunDirectory.find(explicit: link, environment: [:], startingAt: "/")
        }
        #expect(error?.description.hasPrefix("\(link) is a symbolic link, which is not followed: ") == true)
        #expect(throws: RuntimeError.symbolicLink(path: link)) { try RunDirectory(path: link).create() }
        for path in ["\(real)/run", "\(temporary.path)/way/run"] {
            #expect(try RunDirectory.find(explicit: path, environment: [:], startingAt: "/").path == path)
        }
    }

    @Test("a run directory below one that others can write is refused, except with the sticky bit")
    func writableParent() throws {
        let temporary = try TemporaryDirectory()
        let parent = try temporary.makeDirectory("parent")
        let run = try temporary.makeDirectory("parent/run")
        // The group is that of the process.
        for (mode, isRefused) in [(mode_t(0o755), false), (0o777, true), (0o775, false), (0o1777, false)] {
            try #require(chmod(parent, mode) == 0)
            let expected = RuntimeError.writableParent(of: run, directory: parent, mode: UInt32(mode & 0o777))
            for use in [
                { try RunDirectory(path: run).create() },
                { _ = try RunDirectory.find(explicit: run, environment: [:], startingAt: "/") },
            ] {
                if isRefused { #expect(throws: expected) { try use() } } else { try use() }
            }
        }
    }

    @Test("a run directory below a circle of links is a system error")
    func circle() throws {
        let temporary = try TemporaryDirectory()
        let link = "\(temporary.path)/link"
        try #require(symlink(link, link) == 0)
        let run = "\(link)/run"
        #expect(throws: RuntimeError.system(operation: "follow", path: run, errno: ELOOP)) {
            try RunDirectory(path: run).create()
        }
    }

    @Test(
        "a run directory, a parent, a link or a file of another user is refused",
        .enabled(if: geteuid() == 0, "only root can give files away"))
    func foreign() throws {
        let temporary = try TemporaryDirectory()
        let stranger: uid_t = 65_534
        let parent = try temporary.makeDirectory("parent")
        let run = try temporary.makeDirectory("parent/run")
        let directory = RunDirectory(path: run)
        func find(_ path: String = run) throws {
            _ = try RunDirectory.find(explicit: path, environment: [:], startingAt: "/")
        }

        try directory.writeDemoPassword("secret")
        try #require(chown(directory.demoPasswordFile, stranger, stranger) == 0)
        #expect(throws: RuntimeError.foreignFile(path: directory.demoPasswordFile, owner: stranger)) {
            try directory.readDemoPassword()
        }
        try #require(chown(run, stranger, stranger) == 0)
        let error = #expect(throws: RuntimeError.foreignDirectory(path: run, owner: stranger)) { try find() }
        #expect(error?.description.contains("run this as that user") == true)
        try #require(chown(run, 0, 0) == 0)
        try find()
        try #require(chown(parent, stranger, stranger) == 0)
        let expected = RuntimeError.foreignParent(of: run, directory: parent, owner: stranger)
        #expect(throws: expected) { try find() }
        #expect(throws: expected) { try directory.create() }
        try #require(chown(parent, 0, 0) == 0)
        let link = "\(temporary.path)/link"
        try #require(symlink(parent, link) == 0 && lchown(link, stranger, stranger) == 0)
        #expect(throws: RuntimeError.foreignParent(of: "\(link)/run", directory: link, owner: stranger)) {
            try find("\(link)/run")
        }
    }

    @Test("the files of a run directory have their paths")
    func files() {
        let directory = RunDirectory(path: "/run/x")
        #expect(directory.lockFile(for: "controller") == "/run/x/controller.lock")
        #expect(directory.storeFile == "/run/x/controller.sqlite")
        #expect(directory.logFile(of: "node-1") == "/run/x/logs/node-1.log")
        #expect(directory.sessionFile == "/run/x/session.json")
        #expect(directory.observerSessionFile == "/run/x/observer-session.json")
        #expect(directory.demoPasswordFile == "/run/x/demo-password")
    }

    @Test("the demo password is read as it was written, and only its owner can read it")
    func demoPassword() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        #expect(try directory.readDemoPassword() == nil)
        try directory.writeDemoPassword("äbc  def")
        #expect(try directory.readDemoPassword() == "äbc  def")
        #expect(try TemporaryDirectory.permissions(of: directory.demoPasswordFile) == 0o600)
    }

    @Test("a socket's file exists once the socket is bound")
    func socketFile() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        #expect(!directory.hasFile(of: .clients))
        let socket = try Socket(.router, context: Context())
        try socket.bind(directory.endpoint(.clients))
        #expect(directory.hasFile(of: .clients))
        #expect(!directory.hasFile(of: .stream))
        socket.close()
    }

    @Test("another seed is refused once device memory exists, and the same one never")
    func seed() throws {
        let place = try TemporaryDirectory()
        let directory = RunDirectory(path: try place.makeDirectory("fleet"))
        try directory.create()
        try directory.claim(seed: 1)
        try directory.claim(seed: 7)
        close(open(directory.memoryFile(of: "node-1"), O_WRONLY | O_CREAT, 0o600))
        try directory.claim(seed: 7)
        #expect(throws: RuntimeError.otherSeed(path: directory.path, former: 7, wanted: 1)) {
            try directory.claim(seed: 1)
        }
        try directory.claim(seed: 7)
    }
}

@Suite("Recording that a process has served")
struct ServiceTests {
    @Test("a service record is for one process, not its successor, nor a process of another name")
    func service() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        #expect(!directory.hasServed("controller", as: getpid()))
        for _ in 0..<2 { try directory.recordService(of: "controller") }
        #expect(directory.hasServed("controller", as: getpid()))
        #expect(!directory.hasServed("controller", as: getpid() + 1))
        #expect(!directory.hasServed("gateway", as: getpid()))
    }
}
