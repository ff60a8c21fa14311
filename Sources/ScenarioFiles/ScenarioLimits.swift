import FleetProtocol

/// Every bound of a scenario file.
public enum ScenarioLimits {
    /// Bytes in a file.
    public static let fileBytes = 64 * 1_024
    /// Wrong places that are told of one file; of more, how many there are.
    public static let problems = 20
    /// How deep lists and mappings lie in each other; the format itself needs five.
    static let depth = 8
    /// Words that begin with a `*`, and such that begin with a `?`, wherever they stand.
    ///
    /// To YAML they are aliases, of which a few dozen can stand for billions of values, and keys that are no
    /// words, which take long to compare. None is understood; but what is only emphasis in a comment should
    /// not keep a file from being read.
    static let signs = 8

    /// Groups in a population.
    public static let groups = Limits.nodeGroups
    /// Rooms of all groups together.
    public static let rooms = 1_000
    /// Characters in a name.
    public static let nameCharacters = 64
    /// Bytes in a room's name: devices are called after their rooms, with a number of up to
    /// seven digits in parentheses.
    public static let roomBytes = Limits.nameBytes - 10
    /// Characters in what a scenario is for.
    public static let aboutCharacters = 500
    /// Periods in a day's rates.
    public static let periods = 48
    /// Times a day at which a herd goes.
    public static let herdTimes = 24
    /// Faults of the cloud.
    public static let cloudFaults = Limits.scenarioCloudFaults
    /// Pods that one of these names.
    public static let cloudPods = Limits.scenarioCloudPods

    /// How often something may happen to one device: times an hour.
    public static let perHour = 0.0...3_600.0
    /// How often it may then happen at the scenario's speed: times a real second.
    public static let perRealSecond = 10.0
    /// How long something may last: simulated time.
    public static let lasting = Duration.milliseconds(100)...Duration.seconds(86_400)
    /// How late an answer may be: real time, up to the longest that anybody waits.
    public static let answer = Duration.zero...Limits.longestPatience
}
