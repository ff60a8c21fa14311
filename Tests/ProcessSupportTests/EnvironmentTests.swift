import Glibc
import ProcessSupport
import Testing

@Suite("The environment")
struct EnvironmentTests {
    @Test("a variable that is set and empty counts as unset")
    func empty() async {
        await #expect(processExitsWith: .success) {
            setenv("SENSIBUS_EMPTY", "", 1)
            setenv("SENSIBUS_BLANK", " ", 1)
            #expect(Environment.current["SENSIBUS_EMPTY"] == nil)
            #expect(Environment.current["SENSIBUS_BLANK"] == " ")
        }
    }
}
