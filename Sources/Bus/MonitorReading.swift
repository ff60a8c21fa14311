/// A loop's hold on a monitor that it reads; once the loop lets go of it, the monitor ends.
///
/// The end of a loop closes the socket that the reports come to. libzmq's I/O thread would wait for ever for
/// the reader of the next report, had they not ended before.
final class MonitorReading {
    let monitor: Monitor

    init(of monitor: Monitor) {
        self.monitor = monitor
    }

    deinit {
        monitor.close()
    }
}
