import FleetProtocol
import ProcessSupport
import Testing
import UserText

@testable import fleet

@Suite("fleet doctor")
struct DoctorTests {
    private static let versions = "protocol 1\nlibzmq 4.3.4\nlibsodium 1.0.18\nSQLite 3.40.1\n"

    /// A machine without problems.
    private static let machine = MachineFacts(
        executables: [MachineFacts.Executable(path: "/bin/controller", canRun: true)], libzmq: "4.3.4",
        controller: ComponentVersions(versions), openFilesLimit: 1_024, availableMemoryBytes: 8 << 30,
        diskPath: "/srv", freeDiskBytes: 8 << 30,
        ports: PortTable("0: 0100007F:21FD 00000000:0000 0A"),
        zoneDirectory: "/zones", hasTimeZones: true, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    /// A fleet without problems.
    private static let fleet = FleetFacts(
        path: "/srv/.sensibus", user: 1_000,
        files: [
            FleetFacts.File(name: ".", owner: 1_000, permissions: 0o700),
            FleetFacts.File(name: "session.json", owner: 1_000, permissions: 0o600),
            FleetFacts.File(name: "controller.sqlite", owner: 1_000, permissions: 0o644),
        ],
        sockets: ["clients.sock", "supervisor.sock"],
        holders: ["controller": 11, "supervisor": 10],
        processes: [
            FleetProcess(name: "controller", state: .running, processID: 11),
            FleetProcess(name: "node-1", state: .running, processID: 12),
        ],
        summary: FleetSummary(scenario: "lively", uptime: .seconds(7_200)),
        place: FleetLocation(
            runDirectory: "/srv/.sensibus", page: "http://127.0.0.1:8701/",
            passwordFile: "/srv/.sensibus/demo-password"),
        answer: .report(StatusReport(epoch: Epoch(1), devices: 100, online: 99, offline: 1)))

    /// The findings that are not ok after a change of the facts.
    private func found(_ change: (inout MachineFacts, inout FleetFacts) -> Void) -> [Finding] {
        var (machine, fleet) = (Self.machine, Self.fleet)
        change(&machine, &fleet)
        return Checkup.findings(machine, fleet).filter { $0.level != .ok }
    }

    private func expect(
        _ level: Finding.Level, _ subject: String, mend advice: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout MachineFacts, inout FleetFacts) -> Void
    ) {
        let findings = found(change)
        #expect(findings.map(\.level) == [level], sourceLocation: sourceLocation)
        #expect(findings.map(\.subject) == [subject], sourceLocation: sourceLocation)
        #expect(findings.allSatisfy { $0.advice.contains(advice) }, sourceLocation: sourceLocation)
    }

    @Test("the doctor finds no problem on a sound machine, with a sound fleet or without one")
    func sound() {
        #expect(found { _, _ in }.isEmpty)
        var machine = Self.machine
        machine.ports = PortTable()
        #expect(Checkup.findings(machine, nil).allSatisfy { $0.level == .ok })
        #expect(Checkup.findings(Self.machine, Self.fleet).contains { $0.text.contains("99 of 100") })
    }

    @Test("the doctor shows scenario, uptime, page and account of a running fleet")
    func place() {
        let texts = Checkup.findings(Self.machine, Self.fleet).map { "\($0.subject): \($0.text)" }
        #expect(texts.contains("fleet: scenario lively, up for 2h"))
        #expect(texts.contains("page: http://127.0.0.1:8701/"))
        #expect(texts.contains("account: demo@sensibus.local, password in /srv/.sensibus/demo-password"))
        #expect(texts.contains("run directory: only you can access /srv/.sensibus"))
    }

    @Test("the doctor reports programs and libraries that are missing, too old or of another version")
    func installation() {
        expect(.warning, "time zones", mend: "tzdata") { machine, _ in machine.hasTimeZones = false }
        expect(.problem, "SQLite", mend: "make dependencies") { machine, _ in
            machine.controller = ComponentVersions(Self.versions.replacing("3.40.1", with: "3.34.0"))
        }
        expect(.problem, "executables", mend: "make build") { machine, _ in
            machine.executables = [MachineFacts.Executable(path: "/bin/observer", canRun: false)]
        }
        expect(.problem, "protocol", mend: "controller --version") { machine, _ in
            machine.controller = nil
        }
        expect(.problem, "protocol", mend: "the same build") { machine, _ in
            machine.controller = ComponentVersions(Self.versions.replacing("protocol 1", with: "protocol 2"))
        }
        expect(.warning, "libzmq", mend: "the same build") { machine, _ in machine.libzmq = "4.3.5" }
        expect(.problem, "libzmq", mend: "make dependencies") { machine, _ in
            machine.libzmq = "4.2.5"
            machine.controller = ComponentVersions(Self.versions.replacing("4.3.4", with: "4.2.5"))
        }
        expect(.problem, "SQLite", mend: "make dependencies") { machine, _ in
            machine.controller = ComponentVersions(Self.versions.replacing("SQLite", with: "sqlite"))
        }
    }

    @Test("the doctor shows the file system, and whether it is durable")
    func storage() {
        func texts(_ probe: StorageProbe?) -> [String] {
            var machine = Self.machine
            machine.storage = probe
            return Checkup.findings(machine, nil).filter { $0.subject == "storage" && $0.level == .ok }
                .map(\.text)
        }
        #expect(texts(nil).isEmpty)
        let disk = StorageProbe(fileSystem: "ext4", kind: nil, sync: .milliseconds(4))
        #expect(texts(disk) == ["ext4; a sync takes 4ms"])
        let memory = StorageProbe(fileSystem: "tmpfs", kind: .memory, sync: .microseconds(1))
        #expect(texts(memory).map { $0.contains("not for --durability power: tmpfs is in memory") } == [true])
    }

    @Test("the doctor reports limits that are too low, with their values and how to raise them")
    func limits() {
        expect(.problem, "open files", mend: "ulimit -n") { machine, _ in machine.openFilesLimit = 276 }
        expect(.warning, "open files", mend: "ulimit -n") { machine, _ in machine.openFilesLimit = 400 }
        expect(.problem, "open files", mend: "ulimit -n 848") { machine, fleet in
            machine.openFilesLimit = 591
            fleet.processes = (1...64).map {
                FleetProcess(name: "node-\($0)", state: .running, processID: 100 + $0)
            }
        }
        #expect(found { machine, _ in machine.openFilesLimit = nil }.isEmpty)
        expect(.problem, "memory", mend: "memory") { machine, _ in machine.availableMemoryBytes = 64 << 20 }
        expect(.warning, "memory", mend: "fewer devices") { machine, fleet in
            machine.availableMemoryBytes = 512 << 20
            fleet.answer = .report(StatusReport(epoch: Epoch(1), devices: 1_000_000, online: 1_000_000))
        }
        expect(.problem, "disk", mend: "--run-dir") { machine, _ in machine.freeDiskBytes = 1 << 20 }
        expect(.warning, "disk", mend: "--run-dir") { machine, _ in machine.freeDiskBytes = 512 << 20 }
        expect(.problem, "disk", mend: "free space there: the fleet continues") { machine, _ in
            machine.freeDiskBytes = 4_096
        }
        expect(.problem, "disk", mend: "free space there: the fleet continues") { machine, _ in
            machine.otherDisks = [.init(path: "/srv/.sensibus/journal", freeBytes: 0)]
        }
        expect(.warning, "disk", mend: "df /srv") { machine, _ in machine.freeDiskBytes = nil }
        expect(.problem, "clock", mend: "timedatectl") { machine, _ in
            machine.wall = WallTime(unixMilliseconds: 1_704_067_199_999)
        }
    }

    @Test("the doctor reports files of the run directory that others can read or own")
    func permissions() {
        func file(_ name: String, owner: UInt32 = 1_000, _ permissions: UInt32) -> FleetFacts.File {
            FleetFacts.File(name: name, owner: owner, permissions: permissions)
        }
        expect(.problem, "run directory", mend: "chmod 700 /srv/.sensibus") { $1.files = [file(".", 0o750)] }
        expect(.problem, "run directory", mend: "chmod 600 /srv/.sensibus/demo-password") {
            $1.files = [file("demo-password", 0o644)]
        }
        expect(.problem, "run directory", mend: "chown -R 1000") {
            $1.files = [file("controller.sqlite", owner: 0, 0o600)]
        }
    }

    @Test("the doctor reports a run directory that another user can replace, and asks no process in it")
    func untrusted() {
        for objection in [
            RuntimeError.symbolicLink(path: "/srv/.sensibus"),
            .foreignParent(of: "/srv/.sensibus", directory: "/srv", owner: 7),
            .writableParent(of: "/srv/.sensibus", directory: "/srv", mode: 0o777),
        ] {
            let findings = found { _, fleet in
                fleet.objection = objection
                fleet.processes = nil
                fleet.answer = nil
            }
            #expect(findings.map(\.subject) == ["run directory", "processes"])
            #expect(findings.first?.level == .problem)
            #expect(findings.first?.text == "\(objection)")
        }
    }

    @Test("the doctor reports leftover sockets")
    func sockets() {
        expect(.warning, "sockets", mend: "harmless") { _, fleet in
            fleet.holders = [:]
            fleet.processes = nil
            fleet.answer = nil
        }
    }

    @Test("the doctor reports processes that do not answer, and what to do")
    func processes() {
        expect(.problem, "supervisor", mend: "kill 10") { $1.processes = nil }
        expect(.warning, "supervisor", mend: "fleet up") { _, fleet in
            fleet.processes = nil
            fleet.holders["supervisor"] = nil
            fleet.sockets = []
        }
        expect(.problem, "controller", mend: "fleet logs controller") { $1.answer = .silence("no answer") }
        expect(.warning, "controller", mend: "fleet login") { $1.answer = .unauthenticated }
        expect(.warning, "controller", mend: "fleet login") { $1.answer = .noSession("no session") }
        expect(.problem, "controller", mend: "fleet restart controller") { _, fleet in
            fleet.answer = nil
            fleet.holders["controller"] = nil
            fleet.sockets = []
        }
        expect(.warning, "node-1", mend: "fleet restart node-1") {
            $1.processes = [FleetProcess(name: "node-1", state: .dead, processID: nil, lastEnd: "killed")]
        }
        expect(.problem, "node-1", mend: "stop one of them") {
            let runs = ["attic", "attic-copy"].map { NodeRun(host: $0, bootID: BootID(bits: 1)) }
            let conflict = NodeName("node-1").map {
                NodeConflict(node: $0, serving: runs[0], refused: runs[1])
            }
            $1.answer = .report(
                StatusReport(epoch: Epoch(1), devices: 2, online: 2, conflicts: [conflict].compactMap(\.self))
            )
        }
        expect(.warning, "nodes", mend: "fleet logs") {
            $1.answer = .report(StatusReport(epoch: Epoch(1), devices: 2, online: 1, stale: 1))
        }
    }

    @Test("the doctor reports stopped processes and how to continue them")
    func stopped() {
        expect(.problem, "gateway", mend: "kill -CONT 13, or `fleet restart gateway`") {
            $1.stopped = ["gateway": 13]
        }
        expect(.problem, "controller", mend: "fleet restart controller") {
            $1.stopped = ["controller": 11]
            $1.answer = .silence("no answer")
        }
        expect(.problem, "supervisor", mend: "kill -CONT 10") {
            $1.stopped = ["supervisor": 10]
            $1.processes = nil
        }
        #expect(ProcessLook.isStopped(stat: "42 (a) b) T 1 42"))
        #expect(ProcessLook.isStopped(stat: "42 (x) t 1"))
        #expect(!ProcessLook.isStopped(stat: "42 (T) S 1 42"))
        #expect(!ProcessLook.isStopped(stat: ""))
    }

    @Test("the doctor reports a port that another program uses, and a gateway that does not listen")
    func ports() {
        expect(.problem, "gateway", mend: "fleet restart gateway") { machine, _ in
            machine.ports = PortTable()
        }
        expect(.warning, "port", mend: "--gateway-port") { _, fleet in
            fleet.holders = [:]
            fleet.sockets = []
            (fleet.processes, fleet.summary, fleet.answer) = (nil, nil, nil)
            fleet.place.page = nil
        }
        let noFleet = Checkup.findings(Self.machine, nil).filter { $0.level != .ok }
        #expect(noFleet.map(\.subject) == ["port"])
        let table = PortTable(
            """
              sl  local_address rem_address   st tx_queue
               0: 0100007F:21FD 00000000:0000 0A 00000000:00000000
               1: 0100007F:21FE 0100007F:1234 01 00000000:00000000
            """, "0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A")
        #expect(table.has(8_701) && table.has(80))
        #expect(!table.has(8_702) && !table.has(0x1234))
    }

    @Test("a finding prints its advice on a second line, and as JSON in the same object")
    func lines() {
        let finding = Finding.problem("disk", "full", mend: "free some")
        #expect(finding.lines == ["problem  disk: full", "         free some"])
        #expect(
            finding.json.line
                == #"{"level":"problem","subject":"disk","text":"full","advice":"free some"}"#)
        #expect(Finding.ok("clock", "right").lines == ["ok       clock: right"])
        #expect(Finding.ok("clock", "right").json.text(of: "advice") == "null")
    }

    @Test("the holder of a file lock is found; waiting processes and other lock types are not holders")
    func lockTable() {
        let table = LockTable(
            """
            1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF
            1: -> FLOCK  ADVISORY  WRITE 99 08:01:77 0 EOF
            2: POSIX  ADVISORY  WRITE 4321 08:01:88 0 EOF
            nonsense
            """)
        #expect(table.holder(ofInode: 5_678) == 1_234)
        #expect(table.holder(ofInode: 77) == nil)
        #expect(table.holder(ofInode: 88) == nil)
    }
}
