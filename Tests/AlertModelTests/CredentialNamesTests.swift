import AlertModel
import Testing

@Suite struct `Names of credentials` {
    @Test(arguments: [
        // name, of a header, also where it is masked in names, of a query, of an answer
        ("Authorization", true, true, false, true), ("X-Auth", true, true, false, false),
        ("X-Auth-Tenant", true, false, false, false), ("X-Photo-Kennel", false, false, false, false),
        ("X-Pwd", true, true, false, false), ("X_API_KEY", true, true, false, false),
        ("api-key", true, true, true, false), ("api_key", true, true, true, true),
        ("access_token", true, true, true, true), ("token", true, true, true, false),
        ("next_page_token", true, true, false, false), ("X-App-Key", true, false, false, false),
        ("key", true, false, false, false), ("sig", false, false, true, false), ("dsn", false, false, false, true),
        ("Author", false, false, false, false), ("Accept", false, false, false, false),
    ])
    func `a credential is known by its name, and each place has its own`(
        name: String, ofHeader: Bool, isSure: Bool, ofQuery: Bool, ofAnswer: Bool
    ) {
        #expect(name.namesCredential == ofHeader)
        #expect(name.surelyNamesCredential == isSure)
        #expect(name.namesCredentialOfQuery == ofQuery)
        #expect(name.namesCredentialOfAnswer == ofAnswer)
    }
}
