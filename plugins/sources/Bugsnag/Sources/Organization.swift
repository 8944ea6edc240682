internal import PluginKit
internal import SourceKit

/// An organization that the token can see.
struct Organization: Sendable {
    let id: String
    let slug: String
    private let name: String

    static func organizations(in page: JSONReader) throws(JSONMismatch) -> [Organization] {
        var found: [Organization] = []
        for element in try page.elements() {
            found.append(
                Organization(
                    id: try element.member("id").nonEmptyString(), slug: try element.member("slug").nonEmptyString(),
                    name: try element.optional("name")?.string() ?? ""))
        }
        return found
    }

    /// The one that is meant: by its id, slug or name, or the only one.
    static func chosen(_ wanted: String?, among all: [Organization]) throws(PollFailure) -> Organization {
        let slugs = all.map(\.slug).sorted()
        if let wanted {
            if let found = all.first(where: { [$0.id, $0.slug, $0.name].contains(wanted) }) { return found }
            let guess = wanted.nearest(in: slugs).map { "; did you mean '\($0)'?" } ?? ""
            throw PollFailure(.notFound, "the token can see no organization '\(wanted.tamed)'\(guess)")
        }
        guard let only = all.first else { throw PollFailure(.forbidden, "the token can see no organization") }
        guard all.count == 1 else {
            let names = slugs.prefix(5).joined(separator: ", ").tamed.clipped(to: 150)
            throw PollFailure(
                .notFound, "the token sees \(all.count) organizations (\(names)); name one in 'organization'")
        }
        return only
    }
}
