import FleetProtocol
import Glibc
import Runtime
import Subprocess
import SystemPackage
import Wording

/// Runs one process, from its start to its end.
struct ProcessRunner: Sendable {
    /// How it is run.
    let plan: ProcessPlan

    /// Starts the process and returns when it has ended.
    ///
    /// - Parameters:
    ///   - orders: When this ends, the process is asked to end by SIGTERM, and after
    ///     ``SupervisionPolicy/grace`` by SIGKILL.
    ///   - hasStarted: Told the process id.
    func run(
        until orders: AsyncStream<Never>, hasStarted: @escaping @Sendable (Int32) -> Void
    ) async -> ProcessEnd {
        await withTaskGroup(of: ProcessEnd?.self) { group in
            group.addTask { await run(hasStarted: hasStarted) }
            group.addTask {
                for await _ in orders {}
                return nil
            }
            // The first to finish ends the other: an order cancels the process's task, which ends the
            // process; the process's end cancels the wait for orders.
            var end: ProcessEnd?
            for await finished in group {
                group.cancelAll()
                end = end ?? finished
            }
            return end ?? .neverStarted("it was not wanted any more")
        }
    }

    private func run(hasStarted: @Sendable (Int32) -> Void) async -> ProcessEnd {
        // Each life is given the terminal as it was, and so leaves it as it was.
        let terminal = plan.stdio == .screen ? KeptTerminal(of: STDIN_FILENO) : nil
        defer { terminal?.restore(farewell: TerminalScreen.leave) }
        do {
            let (input, output, error) = try descriptors()
            let result = try await Subprocess.run(
                .path(FilePath(plan.executable)), arguments: Arguments(plan.arguments),
                environment: .inherit.updating([
                    .init(stringLiteral: NodeSecret.tokenVariable): plan.nodeToken?.bytes.hexadecimal
                ]), platformOptions: options, input: input, output: output, error: error
            ) { execution in
                hasStarted(execution.processIdentifier.value)
            }
            return switch result.terminationStatus {
            case .exited(let status): .exited(status)
            case .signaled(let signal): .signaled(signal)
            }
        } catch {
            return .neverStarted("\(error)")
        }
    }

    /// A process with a log is in a group of its own: Ctrl-C in a terminal reaches the supervisor alone,
    /// which ends the others in order.
    private var options: PlatformOptions {
        var options = PlatformOptions()
        if case .log = plan.stdio { options.processGroupID = 0 }
        options.teardownSequence = [
            .send(signal: .terminate, allowedDurationToNextStep: SupervisionPolicy.grace)
        ]
        return options
    }

    private func descriptors() throws -> (FileDescriptorInput, FileDescriptorOutput, FileDescriptorOutput) {
        switch plan.stdio {
        case .inherited, .screen:
            return (.currentStandardInput, .currentStandardOutput, .currentStandardError)
        case .log(let file):
            let nothing = try FileDescriptor.open("/dev/null", .readOnly, options: [.closeOnExec])
            let log = try nothing.closeUnlessDone {
                FileDescriptor(rawValue: try OwnFile.open(file, O_WRONLY | O_APPEND | O_CREAT))
            }
            let input = FileDescriptorInput.fileDescriptor(nothing, closeAfterSpawningProcess: true)
            return (
                input, .fileDescriptor(log, closeAfterSpawningProcess: true),
                .fileDescriptor(try log.duplicate(), closeAfterSpawningProcess: true)
            )
        }
    }
}

extension FileDescriptor {
    /// Does something that may fail, and closes this descriptor if it did.
    fileprivate func closeUnlessDone<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            try close()
            throw error
        }
    }
}
