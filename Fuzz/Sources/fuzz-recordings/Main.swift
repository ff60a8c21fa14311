import FuzzRecordings
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzRecordings.targets) }
}
