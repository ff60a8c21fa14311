import FleetProtocol
import UserText

enum PostEvent: Sendable, Equatable {
    /// The newest posts of the account, the newest first.
    case loaded(PostChunk)
    case notLoaded(why: String)
}

struct PostBoard: Sendable {
    /// The interval at which posts are loaded while details are on the screen.
    static let interval: Duration = .seconds(15)
    static let postsAtMost = 3

    /// The last loaded posts; nil before the first load.
    private var known: PostChunk?
    private var error: String?
    private var schedule = LoadSchedule(interval: interval)

    /// Returns whether the posts must be loaded now; the caller then reports the result.
    mutating func claim(at now: MonotonicTime) -> Bool { schedule.claim(at: now) }

    mutating func handle(_ event: PostEvent, at now: MonotonicTime) {
        switch event {
        case .loaded(let posts):
            (known, error) = (posts, nil)
            schedule.succeed(at: now)
        case .notLoaded(let why): if schedule.fail(at: now) { error = SafeText.of(why) }
        }
    }

    /// Returns the newest posts about a device in words, each with its style, or why there are none.
    func lines(about device: DeviceID, at now: WallTime) -> [(text: String, style: Style)] {
        let failure = error.map { [(text: "not loaded: \($0)", style: Style.colored(.red))] } ?? []
        guard let known else { return failure.isEmpty ? [("loading…", .dim)] : failure }
        let about = known.posts.filter { $0.subject?.isSame(as: .device(device, name: "")) == true }
        guard !about.isEmpty else {
            let all = known.isLast ? "no posts" : "none of the newest \(Count.of(known.posts.count, "post"))"
            return failure + [("\(all) about this device", .dim)]
        }
        return failure
            + about.prefix(Self.postsAtMost).map { post in
                let age = TimeText.age(post.writtenAt.duration(to: now))
                return ("\(SafeText.of(post.title)) (\(SafeText.of(post.author.text)), \(age) ago)", .plain)
            }
    }
}
