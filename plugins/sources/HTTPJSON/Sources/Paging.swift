internal import JSONPath
internal import PluginKit
internal import SourceKit

/// How an answer leads to its next page: the option `paging`.
struct Paging: Hashable, Sendable {
    enum Way: String, CaseIterable {
        /// By the address of the next page, in a `Link` header or where `path` leads.
        case link
        /// By a word that the answer gives.
        case cursor
        /// By the number of rows to leave out.
        case offset
        /// By the page's number.
        case page
    }

    static let by = RequiredSetting(
        "by", .choice(of: Way.self), "What leads to the next page: its link, a cursor, an offset or a page number.")
    static let path = Setting(
        "path", .plain, unset: "the Link header, for links",
        "JSONPath to the next page's link or cursor; for offset and page, to whether there are more.")
    static let parameter = Setting(
        "parameter", .plain, unset: "none: the address, a header or the body has {cursor}, {offset} or {page}",
        "The parameter of the address that gets the cursor, the offset or the number.")
    static let first = Setting(
        "first", .plain, unset: "none for a cursor, 0 for an offset, 1 for a page", "What it is on the first page.")
    static let size = Setting(
        "size", .integer(1...100_000), unset: "unknown: pages are read until one is empty",
        "The items of a full page, whatever filters leave of them: one with fewer is the last.")
    static let pages = Setting("pages", .integer(1...100), default: 10, "The most pages read in one poll.")
    static let keep = Setting(
        "keep", .flag, default: false, "The next poll goes on from the cursor that this one ended with.")

    static let settings: [any SettingDeclaration] = [by, path, parameter, first, size, pages, keep]

    let way: Way
    /// Where the next link or cursor stands; for offset and page, whether there are more.
    let path: JSONPath?
    let parameter: String?
    let first: String?
    let size: Int?
    let pagesMax: Int
    let keeps: Bool

    /// Reads the section; every mistake is reported.
    ///
    /// - Parameter placeholders: those of the request.
    init(_ options: Options, _ placeholders: Set<Placeholder>) throws(ProblemList) {
        way = try options[Self.by]
        var problems: [Problem] = []
        var path: JSONPath?
        if let text = options[Self.path] {
            do throws(JSONPathError) {
                let read = try JSONPath(text)
                if let doubt = read.doubt { throw doubt }
                path = read
            } catch {
                problems.append(Problem(options.position(of: Self.path), "'path' is not a JSONPath: \(error)"))
            }
        }
        self.path = path
        parameter = options[Self.parameter]
        first = options[Self.first]
        size = options[Self.size]
        pagesMax = options[Self.pages]
        keeps = options[Self.keep]
        func refuse(_ setting: any SettingDeclaration, _ message: String, _ advice: String? = nil) {
            problems.append(Problem(options.position(of: setting), message, advice: advice))
        }
        let placeholder = Placeholder.Name(rawValue: way.rawValue)
        if let placeholder {
            let isFilled = placeholders.contains { $0.name == placeholder }
            if parameter == nil, !isFilled {
                refuse(
                    Self.by, "nothing in the request carries the \(way.rawValue) of the next page",
                    "write parameter: NAME, or {\(way.rawValue)} into the address or the body")
            } else if parameter != nil, isFilled {
                refuse(Self.parameter, "'parameter' and {\(way.rawValue)} both carry the \(way.rawValue); keep one")
            }
        } else if parameter != nil {
            refuse(Self.parameter, "a link is a whole address: there is no 'parameter'")
        }
        if way == .cursor, options[Self.path] == nil { refuse(Self.by, "a cursor needs 'path', where it stands") }
        if keeps, way != .cursor { refuse(Self.keep, "only a cursor can be kept for the next poll") }
        if size != nil, way == .link || way == .cursor {
            refuse(Self.size, "'size' is for offsets and pages: a \(way.rawValue) says itself where it ends")
        }
        if let first, way == .offset || way == .page, Int(first).map({ $0 < 0 }) ?? true {
            refuse(Self.first, "'first' is '\(first.tamed.clipped(to: 40))', expected a whole number")
        }
        if first != nil, way == .link { refuse(Self.first, "the first page of links is the address itself") }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }
}

extension Paging {
    /// Where a page is.
    enum Place: Hashable, Sendable {
        /// The address of the options, before anything was read.
        case beginning
        case address(GuardedText)
        case cursor(String)
        case number(Int)
    }

    /// Where reading begins.
    ///
    /// - Parameter kept: the cursor that the poll before ended with.
    func start(_ kept: String?) -> Place {
        switch way {
        case .link: .beginning
        case .cursor: (kept ?? first).map(Place.cursor) ?? .beginning
        case .offset: .number(first.flatMap(Int.init) ?? 0)
        case .page: .number(first.flatMap(Int.init) ?? 1)
        }
    }

    func request(_ plan: RequestPlan, _ place: Place, _ filling: Filling) -> HTTPRequest {
        var filling = filling
        switch place {
        case .beginning: return plan.request(filling)
        case .address(let address): return plan.request(filling, at: address)
        case .cursor(let cursor):
            filling.cursor = cursor
            return plan.request(filling, adding: parameter.map { ($0, cursor) })
        case .number(let number):
            filling.number = number
            return plan.request(filling, adding: parameter.map { ($0, String(number)) })
        }
    }

    /// Where the page after this one is; nil behind the last.
    ///
    /// - Parameters:
    ///   - answer: the page, and the address that it was asked of.
    ///   - items: how many items it has, those included that a filter leaves out.
    func next(
        after place: Place, _ answer: (page: JSONReader, response: HTTPResponse, address: GuardedText),
        items: @autoclosure () -> Int
    ) throws(PollFailure) -> Place? {
        switch way {
        case .link:
            let link =
                try path.map { path throws(PollFailure) in try word(path, of: answer.page) }
                ?? Paging.headerLink(answer.response)
            return try link.map { link throws(PollFailure) in
                .address(try Paging.address(link, from: answer.address))
            }
        case .cursor:
            guard let path, let word = try word(path, of: answer.page) else { return nil }
            return .cursor(word)
        case .offset, .page:
            guard case .number(let number) = place, number < Paging.numberMax else { return nil }
            let items = items()
            guard try saysMore(answer.page) ?? (items >= size ?? 1) else { return nil }
            // A server may give less than it was asked for, and say that there is more: then its next page begins there.
            let step = size.map { items > 0 ? min(items, $0) : $0 } ?? items
            return .number(way == .page ? number + 1 : number + step)
        }
    }

    /// Whether it goes by nothing but how many items a page has.
    var countsItems: Bool { (way == .offset || way == .page) && size == nil && path == nil }

    /// Far beyond what can be read.
    private static let numberMax = 1_000_000_000

    private static func headerLink(_ response: HTTPResponse) -> String? {
        // Sentry and its relatives name a next page even where they say that it has no results.
        response.links.first { $0.relations.contains("next") && $0.parameters["results"] != "false" }?.address
    }

    /// The text or number at the end of a path; nil for nothing, null and an empty text, which is how services say that
    /// there is no more.
    private func word(_ path: JSONPath, of page: JSONReader) throws(PollFailure) -> String? {
        guard let node = try node(path, of: page) else { return nil }
        switch node.value {
        case .null, .string(""), .bool(false): return nil
        case .string(let text) where text.utf8.count <= Paging.wordBytesMax: return text
        case .int: return node.value.text
        default:
            throw PollFailure(
                node.mismatch(expected: "the next page's \(way.rawValue), of at most \(Paging.wordBytesMax) bytes"))
        }
    }

    private static let wordBytesMax = 4096

    /// What an answer says itself of whether there are more; nil where it does not say.
    private func saysMore(_ page: JSONReader) throws(PollFailure) -> Bool? {
        guard let path, let node = try node(path, of: page) else { return nil }
        switch node.value {
        case .bool(let isMore): return isMore
        case .null, .string(""): return false
        default: throw PollFailure(node.mismatch(expected: "true or false, whether there are more pages"))
        }
    }

    private func node(_ path: JSONPath, of page: JSONReader) throws(PollFailure) -> JSONReader? {
        var budget = SelectionBudget()
        do throws(JSONMismatch) {
            guard case .nodes(let nodes) = try path.select(from: page, within: &budget) else { return nil }
            guard nodes.count == 1 else {
                throw JSONMismatch(path: path.text, expected: "one value for 'paging'", found: "\(nodes.count) values")
            }
            return nodes[0]
        } catch {
            throw PollFailure(error)
        }
    }

    /// The address of a link, which need not be whole (RFC 3986, 5.2). It must lie at the same origin: what is sent along may
    /// be secret.
    static func address(_ link: String, from current: GuardedText) throws(PollFailure) -> GuardedText {
        let whole = current.reveal()
        let origin = whole.origin
        let link = link.hasPrefix("//") ? String(whole.prefix { $0 != "/" }) + link : link
        let rest: String
        if let address = WebAddress(link) {
            guard WebAddress(whole)?.hasOrigin(of: address) == true else {
                throw PollFailure(
                    .refused,
                    "the next page lies at \(address.scheme)://\(address.host.tamed.clipped(to: 80)), another address than that of the first, and is not asked for"
                )
            }
            rest = String(link.dropFirst(link.origin.count))
        } else {
            // A colon before the first slash ends a scheme, which is none that can be asked.
            guard !link.prefix(while: { !"/?#".contains($0) }).contains(":") else {
                throw PollFailure(
                    .badAnswer, "the link of the next page is '\(link.tamed.clipped(to: 80))', expected an address")
            }
            rest = link.resolved(in: whole.dropFirst(origin.count))
        }
        guard WebAddress(origin + rest) != nil else {
            throw PollFailure(
                .badAnswer, "the link of the next page holds white space or control characters")
        }
        // A service may repeat in its links what it was asked with.
        return current.hasSecret ? GuardedText(Secret(origin + rest)) : GuardedText(origin + rest)
    }
}

extension WebAddress {
    /// Whether both are the same service behind the same port, which need not be written.
    fileprivate func hasOrigin(of other: WebAddress) -> Bool {
        scheme == other.scheme && host == other.host && usedPort == other.usedPort
    }

    private var usedPort: UInt16 { port ?? (scheme == "https" ? 443 : 80) }
}

extension String {
    /// The path and query that a link without scheme and host means.
    ///
    /// - Parameter base: path and query of the page that it stands in.
    fileprivate func resolved(in base: Substring) -> String {
        let link = prefix { $0 != "#" }
        let path = link.prefix { $0 != "?" }
        let page = base.prefix { $0 != "#" }
        let folder = page.prefix { $0 != "?" }
        // A query alone is about the same page.
        guard !path.isEmpty else { return link.isEmpty ? String(page) : String(folder + link) }
        let name = folder.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let whole = path.hasPrefix("/") ? String(path) : "/\(folder.dropFirst().dropLast(name.count))\(path)"
        return whole.withoutDots + link.dropFirst(path.count)
    }

    /// The path without the steps `.` and `..`.
    private var withoutDots: String {
        var steps: [Substring] = []
        var isFolder = false
        for step in dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            isFolder = step == "." || step == ".."
            if !isFolder { steps.append(step) } else if step == ".." { _ = steps.popLast() }
        }
        return "/" + (isFolder ? steps + [""] : steps).joined(separator: "/")
    }

    /// Scheme, host and port of an address.
    fileprivate var origin: String {
        guard let scheme = ["https://", "http://"].first(where: { lowercased().hasPrefix($0) }) else { return self }
        return String(prefix(scheme.count) + dropFirst(scheme.count).prefix { !"/?#".contains($0) })
    }
}
