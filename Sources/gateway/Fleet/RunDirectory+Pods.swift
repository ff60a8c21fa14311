import ProcessSupport
import UserFiles
import UserText

extension RunDirectory {
    /// The pods of the file that the fleet was started with.
    var podRecords: PodRecords {
        get throws {
            guard let path = podsFile else { return .none }
            return PodRecords(try PodFile(path).records, seed: try seed() ?? 1)
        }
    }
}
