import Glibc
import ProcessSupport

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
