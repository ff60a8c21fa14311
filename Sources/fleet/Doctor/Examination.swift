import Bus
import FleetClient
import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import Subprocess
import SystemPackage
import UserFiles

/// Collects the facts for `fleet doctor`; only this type reads them from the machine.
struct Examination: Sendable {
    /// The timeout for the answer of a program or a process of the fleet.
    private static let timeout: Duration = .seconds(2)

    let surroundings: Surroundings

    func machine(for directory: RunDirectory?) async -> MachineFacts {
        let programs = ["controller", "device-sim", "observer", "gateway"].map { name in
            let path = "\(surroundings.executableDirectory)/\(name)"
            return MachineFacts.Executable(path: path, canRun: access(path, X_OK) == 0)
        }
        let place = directory?.path ?? surroundings.workingDirectory
        let limits = surroundings.limits()
        return MachineFacts(
            executables: programs, libzmq: LibZMQ.version,
            controller: programs[0].canRun ? await versions(of: programs[0].path) : nil,
            openFilesLimit: limits.openFiles, availableMemoryBytes: limits.memoryBytes, diskPath: place,
            freeDiskBytes: freeSpace(at: place), otherDisks: directory.map(otherDisks) ?? [],
            storage: directory.flatMap(storage),
            ports: PortTable(SystemFile.text(of: "/proc/net/tcp"), SystemFile.text(of: "/proc/net/tcp6")),
            zoneDirectory: Environment.timeZones.directory,
            hasTimeZones: Environment.timeZones.isInstalled, wall: surroundings.now().wall)
    }

    func fleet(in directory: RunDirectory) async -> FleetFacts {
        let objection = objection(to: directory)
        let holders = holders(in: directory)
        let reply = objection == nil ? await reply(in: directory) : nil
        return FleetFacts(
            path: directory.path, user: geteuid(), files: files(in: directory), objection: objection,
            sockets: FleetSocket.allCases.filter(directory.hasFile).map(\.fileName), holders: holders,
            processes: reply?.processes, summary: reply?.fleet,
            place: objection == nil
                ? FleetLocation(of: directory, running: reply?.processes)
                : FleetLocation(runDirectory: directory.path),
            stopped: stopped(holders, reply?.processes ?? []),
            answer: objection == nil && holders["controller"] != nil ? await answer(in: directory) : nil,
            network: objection == nil ? await .read(from: directory) : NetworkFacts())
    }

    private func stopped(_ holders: [String: Int32], _ processes: [FleetProcess]) -> [String: Int32] {
        let held = holders.filter { ["supervisor", "controller"].contains($0.key) }
        let listed = processes.compactMap { process in process.processID.map { (process.name, $0) } }
        return held.merging(listed) { _, newer in newer }.filter { ProcessLook.isStopped($0.value) }
    }

    // MARK: The machine

    /// Returns the versions that a program prints; nil if it fails, or does not answer in time.
    func versions(of program: String) async -> ComponentVersions? {
        await surroundings.within(Self.timeout) {
            // The finding is that the program cannot be run; the user sees the reason by running it.
            let result = try? await Subprocess.run(
                .path(FilePath(program)), arguments: ["--version"], input: .none,
                output: .string(limit: 4_096), error: .discarded)
            return result.map { ComponentVersions($0.standardOutput) }
        }
    }

    private func otherDisks(of directory: RunDirectory) -> [MachineFacts.Disk] {
        let home = FileStatus(following: directory.path)?.device
        return [directory.journalDirectory, directory.memoryDirectory, directory.logDirectory].filter {
            FileStatus(following: $0).map { $0.device != home } ?? false
        }.map { MachineFacts.Disk(path: $0, freeBytes: freeSpace(at: $0)) }
    }

    private func storage(of directory: RunDirectory) -> StorageProbe? {
        guard objection(to: directory) == nil else { return nil }
        // A disk without room is another finding.
        return try? StorageProbe(ofJournalIn: directory) { surroundings.now().monotonic }
    }

    private func freeSpace(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    // MARK: The run directory

    private func objection(to directory: RunDirectory) -> RuntimeError? {
        do throws(RuntimeError) {
            try directory.check()
            return nil
        } catch {
            return error
        }
    }

    private func files(in directory: RunDirectory) -> [FleetFacts.File] {
        let names = ["."] + entries(of: directory.path)
        return names.compactMap { name in
            guard let status = FileStatus(of: "\(directory.path)/\(name)"), !status.isSymbolicLink else {
                return nil
            }
            return FleetFacts.File(name: name, owner: status.owner, permissions: status.permissions)
        }
    }

    private func holders(in directory: RunDirectory) -> [String: Int32] {
        let table = LockTable(SystemFile.text(of: "/proc/locks"))
        var holders: [String: Int32] = [:]
        for name in entries(of: directory.path) where name.hasSuffix(".lock") {
            guard let status = FileStatus(of: "\(directory.path)/\(name)") else { continue }
            holders[String(name.dropLast(".lock".count))] = table.holder(ofInode: status.inode)
        }
        return holders
    }

    // MARK: The processes

    private func reply(in directory: RunDirectory) async -> SupervisorReply? {
        // Without a path to its socket, the process does not answer either.
        try? await SupervisorAccess(directory: directory).ask(.processes, timeout: Self.timeout)
    }

    private func answer(in directory: RunDirectory) async -> FleetFacts.StatusReply {
        do {
            let access = try ControllerAccess(to: directory, in: surroundings)
            return .report(try await access.withSession { try await $0.status(timeout: Self.timeout) })
        } catch FleetError.refused(.unauthenticated) {
            return .unauthenticated
        } catch let error as RuntimeError {
            return .noSession("\(error)")
        } catch {
            return .silence(CommandFailure(of: error).problem)
        }
    }

    // MARK: Files

    private func entries(of directory: String) -> [String] {
        // The owner of the directory is a separate finding.
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }
}
