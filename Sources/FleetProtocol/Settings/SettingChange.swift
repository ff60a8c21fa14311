/// What a user changes of a device's settings.
public enum SettingChange: Hashable, Sendable {
    /// How long a timer may be, in seconds: up to a day.
    public static let timerSeconds: ClosedRange<UInt32> = 1...86_400
    /// After how many seconds of running filters may be said to need cleaning: from an hour to some years.
    public static let filterSeconds: ClosedRange<UInt32> = 3_600...100_000_000

    /// The range that it keeps its room in.
    case climateReact(ClimateReact)
    /// Whether it keeps its room in the range that was set.
    case climateReactEnabled(Bool)
    /// What it will set so many simulated seconds, ``timerSeconds``, from when it hears of it; instead of
    /// what was planned.
    case timer(ACStateChange, afterSeconds: UInt32)
    /// Nothing is planned any more.
    case noTimer
    /// Its filters are clean.
    case filterCleaned
    /// After how many simulated seconds of running, ``filterSeconds``, its filters should be cleaned.
    case filterThreshold(seconds: UInt32)
    /// What it will set on days of the week from now on, instead of the schedule of that id that there may
    /// be; it has ``Limits/deviceSchedules`` at most.
    case schedule(ScheduleID, SchedulePlan)
    /// Whether the schedule of that id, which it has, happens.
    case scheduleEnabled(ScheduleID, Bool)
    /// The schedule of that id, which it has, is gone.
    case noSchedule(ScheduleID)
    /// What its pod adds to what it measures, one of both at least, in tenths of a degree Celsius and of a
    /// percent, ``SensorCalibration/tenths``; what is nil stays as it is.
    case calibration(deciCelsius: Int16?, humidityPermille: Int16?)
    /// How its fan goes by the air.
    case pureBoost(PureBoost)
}
