import Bus
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

struct EffectRunner: Sendable {
    let client: FleetClient

    func carryOut(_ effect: ViewEffect) async -> ViewResult? {
        switch effect {
        case .perform(let command): await perform(command)
        case .cancel(let requestID, let device): await cancel(requestID, of: device)
        case .export(let export): ExportFile.write(export)
        case .suspend, .quit: nil
        }
    }

    private func perform(_ command: Command) async -> ViewResult? {
        do throws(FleetError) {
            switch try await client.perform(command) {
            case .outcome(let report): return .ended(report)
            // The observer ends: the client cancels its requests.
            case .cancel: return nil
            }
        } catch {
            return .refused(command, why: Self.text(error))
        }
    }

    private func cancel(_ requestID: RequestID, of device: DeviceID) async -> ViewResult {
        do throws(FleetError) {
            return .cancelReplied(requestID, of: device, try await client.cancel(requestID))
        } catch {
            return .cancelFailed(requestID, of: device, why: Self.text(error))
        }
    }

    /// Describes an error with local times and the shell command to run next.
    static func text(_ error: FleetError) -> String { Program.worded(words(for: error)) }

    private static func words(for error: FleetError) -> String {
        switch error {
        case .refused(let refusal):
            refusal.explanation { TimeText.local($0, eastOfUTC: World.eastOfUTC(at: $0)) }
        case .noReply: "\(error): \(ShellAdvice.noReply)"
        case .noController(let endpoint, _):
            "\(error): \(ShellAdvice.noController(isRemote: endpoint.ipcPath == nil))"
        case .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled, .transport: error.description
        }
    }
}

/// Writes exports, and replaces an existing file only with the user's consent.
enum ExportFile {
    /// Writes an export to a new file, or atomically replaces the existing file if the user agreed.
    static func write(_ export: TableExport) -> ViewResult {
        let file = export.replaces ? "\(export.path).\(getpid()).new" : export.path
        do throws(RuntimeError) {
            try OwnFile.create(file, with: export.content, mode: 0o644)
            if export.replaces { try replace(export.path, with: file) }
            return .exported(export)
        } catch {
            guard case .system(_, _, let number) = error else {
                return .exportFailed(export, why: error.description)
            }
            if number == EEXIST, !export.replaces { return .fileExists(export) }
            return .exportFailed(export, why: "\(export.path): \(String(cString: strerror(number)))")
        }
    }

    private static func replace(_ path: String, with draft: String) throws(RuntimeError) {
        do throws(RuntimeError) {
            try DirectoryNames.rename(draft, to: path)
        } catch {
            unlink(draft)
            throw error
        }
    }
}
