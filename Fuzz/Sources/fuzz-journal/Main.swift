import FuzzJournal
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzJournal.targets) }
}
