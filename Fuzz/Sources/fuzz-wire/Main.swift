import FuzzWire
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzWire.targets) }
}
