import Testing

@testable import DropDetector

@Suite struct LoopSizeTests {
    @Test func `a crashed user has one and a half crashed sessions until others are known`() {
        #expect(LoopSize.usual.each == 1.5)
        var size = LoopSize.usual
        for _ in 0..<8640 { size.learn(6, of: 2) }
        #expect(abs(size.each - 3) < 0.01)
    }

    @Test func `a crashed user has at least one, whatever a source counts`() {
        var size = LoopSize.usual
        for _ in 0..<100 { size.learn(1, of: 10) }
        #expect(size.each == 1)
    }
}
