import FleetProtocol
import Testing

@Suite("Names and tokens of cells")
struct CellTokenTests {
    private static let digits = String(repeating: "0a", count: 32)

    @Test("a cell's name has 1 to 16 of a-z, 0-9 and -, and does not begin with a hyphen")
    func names() {
        for name in ["c", "c2", "eu-west-1", "0123456789abcdef"] { #expect(CellName(name)?.text == name) }
        for name in ["", "-c", "C1", "c_1", "c 1", "ü", "0123456789abcdefg"] {
            #expect(CellName(name) == nil)
        }
    }

    @Test("a token's text names its cell, and a fleet without cells has the digits alone")
    func texts() throws {
        let inCell = try #require(CellToken("sb_c2_\(Self.digits)"))
        #expect(inCell.cell == CellName("c2"))
        #expect(inCell.text == "sb_c2_\(Self.digits)")
        let plain = try #require(CellToken(Self.digits))
        #expect(plain.cell == nil)
        #expect(plain.text == Self.digits)
        #expect(inCell.token == plain.token)
    }

    @Test(
        "other texts are not tokens",
        arguments: [
            "", "sb_", "sb_c2_", "sb__\(digits)", "sb_C2_\(digits)", "sb_c2_\(digits)0", "sb_c2_c3_\(digits)",
            "sb-c2-\(digits)", "\(digits) ", "sb_c2_" + String(repeating: "g", count: 64),
        ])
    func others(text: String) {
        #expect(CellToken(text) == nil)
    }

    @Test("the description of a token never shows it")
    func secret() throws {
        #expect("\(try #require(CellToken(Self.digits)))" == "token")
    }
}
