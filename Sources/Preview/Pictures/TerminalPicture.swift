internal import PluginKit

/// A chat's picture of a message, in the signs of a terminal.
struct TerminalPicture {
    private let width: Int?

    /// - Parameter width: of the terminal, in columns; nil where lines may be as long as they like.
    init(width: Int?) { self.width = width }

    func lines(_ picture: ChatPicture) -> [TerminalLine] { lines(picture.blocks, width) }

    private func lines(_ blocks: [ChatPicture.Block], _ width: Int?) -> [TerminalLine] {
        blocks.flatMap { block -> [TerminalLine] in
            switch block {
            case .heading(let runs): text(runs, width, .bold)
            case .paragraph(let runs): text(runs, width)
            case .fields(let fields): self.fields(fields, width)
            case .list(let items): items.flatMap { hanging(TerminalLine("• "), text($0, width.map { $0 - 2 })) }
            case .small(let runs): text(runs, width, .dim)
            case .code(let code): self.code(code, width)
            case .chart(let chart): text([ChatPicture.Run("[\(chart.words)]")], width, .dim)
            case .bar(let color, let inner):
                lines(inner, width.map { $0 - 2 }).map { TerminalLine("▌ ", color.ink) + $0 }
            }
        }
    }

    private func text(
        _ runs: [ChatPicture.Run], _ width: Int?, _ base: TerminalLine.Ink = TerminalLine.Ink()
    ) -> [TerminalLine] {
        TerminalLine.wrapped(runs.map { piece($0, base) }, to: width)
    }

    private func code(_ code: String, _ width: Int?) -> [TerminalLine] {
        code.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { TerminalLine.wrapped([TerminalLine.Piece(String($0).tamed)], to: width) }
    }

    /// A name above its value, two beside each other where the terminal is wide enough; a line each where nobody
    /// counts.
    private func fields(_ fields: [[ChatPicture.Run]], _ width: Int?) -> [TerminalLine] {
        guard let width else {
            return fields.flatMap { runs in
                text(
                    runs.map { run in
                        var run = run
                        run.text = run.text.split(separator: "\n", omittingEmptySubsequences: false)
                            .joined(separator: "  ")
                        return run
                    }, nil)
            }
        }
        guard width >= TerminalPicture.twoColumnsMin else { return fields.flatMap { text($0, width) } }
        let column = (width - TerminalPicture.gap) / 2
        return stride(from: 0, to: fields.count, by: 2).flatMap { index -> [TerminalLine] in
            let left = text(fields[index], column)
            let right = index + 1 < fields.count ? text(fields[index + 1], column) : []
            return (0..<max(left.count, right.count)).map { row in
                let start = row < left.count ? left[row] : TerminalLine()
                return row < right.count ? start.filled(to: column + TerminalPicture.gap) + right[row] : start
            }
        }
    }

    /// Below it a column would hold two or three words.
    private static let twoColumnsMin = 56
    private static let gap = 2

    private func hanging(_ mark: TerminalLine, _ lines: [TerminalLine]) -> [TerminalLine] {
        lines.enumerated().map { index, line in (index == 0 ? mark : TerminalLine("  ")) + line }
    }

    private func piece(_ run: ChatPicture.Run, _ base: TerminalLine.Ink) -> TerminalLine.Piece {
        var ink = base
        if run.style.contains(.bold) { ink.isBold = true }
        if run.style.contains(.italic) { ink.isItalic = true }
        if run.style.contains(.strike) { ink.isStruck = true }
        // Line ends are the picture's own: those of strangers are gone by the time a channel has made its payload.
        let text = run.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).tamed }
            .joined(separator: "\n")
        guard let link = run.link else { return TerminalLine.Piece(text, ink) }
        ink.isUnderlined = true
        ink.link = link
        return TerminalLine.Piece(text + " ↗", ink)
    }
}

extension ChatPicture.Color {
    /// The nearest of a terminal's colours: every palette has these, and each terminal makes them readable.
    fileprivate var ink: TerminalLine.Ink {
        var ink = TerminalLine.Ink()
        let (red, green, blue) = (Int(red), Int(green), Int(blue))
        if max(red, green, blue) - min(red, green, blue) < 32 {
            ink.isDim = true
        } else if blue >= red, blue >= green {
            ink.color = .blue
        } else if red >= green {
            ink.color = green * 2 > red ? .yellow : .red
        } else {
            ink.color = .green
        }
        return ink
    }
}
