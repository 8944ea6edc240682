public import PluginKit

/// What is asked for behind the path of an address; a name may come more than once.
public typealias AddressQuery = [(name: String, value: String)]

extension GuardedText {
    /// The address, which ends with its path, with a query behind it, where there is anything to ask for.
    public func asking(_ query: AddressQuery) -> GuardedText {
        let items = query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return items.isEmpty ? self : "\(self)?\(items)"
    }
}
