import BotHarness
import Foundation
import Testing

@Suite struct `Links on the pages` {
    @Test(arguments: Page.all)
    func `every link leads to something that is there`(_ page: Page) throws {
        let folder = URL(filePath: Page.root).appending(path: page.path).deletingLastPathComponent()
        for (target, line) in page.links where !target.contains("://") && !target.hasPrefix("mailto:") {
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts[0].isEmpty ? page.path : relative(folder.appending(path: String(parts[0])))
            let isThere = FileManager.default.fileExists(atPath: "\(Page.root)/\(path)")
            #expect(isThere, "\(page.path):\(line): there is no \(path)")
            guard parts.count == 2, path.hasSuffix(".md") else { continue }
            let anchors = try Page(path).anchors
            #expect(anchors.contains(String(parts[1])), "\(page.path):\(line): \(path) has no heading #\(parts[1])")
        }
    }

    /// docs/README.md is the map. Decisions are listed by their folder, and plugins by the table of the README.
    @Test func `every page is on the map, once`() throws {
        let map = try Page("docs/README.md")
        let folder = URL(filePath: Page.root).appending(path: "docs")
        var named: [String: Int] = [:]
        for (target, _) in map.links where !target.contains("://") {
            named[relative(folder.appending(path: String(target.prefix { $0 != "#" }))), default: 0] += 1
        }
        for (path, count) in named { #expect(count == 1, "docs/README.md has \(path) \(count) times") }
        let readme = Set(try Page("README.md").links.map(\.target))
        for page in Page.all where page.path != map.path && !page.path.hasPrefix("docs/decisions/") {
            if page.path.hasPrefix("plugins/") {
                #expect(readme.contains(page.path), "README.md does not list \(page.path)")
            } else {
                #expect(named[page.path] == 1, "docs/README.md does not say what \(page.path) is for")
            }
        }
        #expect(named["docs/decisions"] == 1)
        // What people find first leads there.
        #expect(readme.contains("docs/README.md"))
    }

    /// A path from the repository's root.
    private func relative(_ url: URL) -> String {
        let path = url.standardizedFileURL.path
        let inside = path.hasPrefix(Page.root + "/") ? String(path.dropFirst(Page.root.count + 1)) : path
        return inside.hasSuffix("/") ? String(inside.dropLast()) : inside
    }
}
