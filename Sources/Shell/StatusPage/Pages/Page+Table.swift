import Markup

/// Tables, which on a telephone are a card for each line: there each cell says what it is.
extension Page {
    struct Row {
        /// The class that colours it.
        let tone: String
        let cells: [Cell]
    }

    struct Cell {
        let content: HTML
        var isHead = false
        var style: String?
        /// What stands there for whoever points at it.
        var hint: String?
        var columns = 1

        init(_ content: HTML, style: String? = nil, hint: String? = nil, columns: Int = 1) {
            self.content = content
            self.style = style
            self.hint = hint
            self.columns = columns
        }

        static func head(_ content: HTML) -> Cell {
            var cell = Cell(content)
            cell.isHead = true
            return cell
        }
    }

    /// - Parameter name: what people hear who do not see the heading above.
    static func table(_ name: String, _ heads: [String], _ rows: [Row]) -> HTML {
        let columns = heads.map { head -> HTML in #"<th scope="col">\#(head)</th>"# }
        let lines = rows.map { line($0, heads) }
        return """
            <div class="wide" tabindex="0" role="group" aria-label="\(name)"><table aria-label="\(name)"><thead><tr>\(columns)\
            </tr></thead><tbody>\(lines)</tbody></table></div>
            """
    }

    private static func line(_ row: Row, _ heads: [String]) -> HTML {
        var column = 0
        let cells = row.cells.map { cell -> HTML in
            let head = column < heads.count ? heads[column] : ""
            column += cell.columns
            guard !cell.isHead else { return #"<th scope="row">\#(cell.content)</th>"# }
            let style: HTML? = cell.style.map { #" class="\#($0)""# }
            let hint: HTML? = cell.hint.map { #" title="\#($0)""# }
            let columns: HTML? = cell.columns > 1 ? #" colspan="\#(cell.columns)""# : nil
            return #"<td data-label="\#(head)"\#(style)\#(hint)\#(columns)>\#(cell.content)</td>"#
        }
        return "<tr class=\"\(row.tone)\">\(cells)</tr>\n"
    }
}
