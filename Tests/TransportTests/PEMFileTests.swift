import AlertModel
import Testing
import Transport

@Suite struct `Files in PEM` {
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBbTCCAROgAwIBAgIUXuB08NXkNZekq9gYsaTjaiTPPe8wCgYIKoZIzj0EAwIw
        DDEKMAgGA1UEAwwBYTAeFw0yNjExMjQwMDQ0NDRaFw0yNjExMjYwMDQ0NDRaMAwx
        CjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASwZYOQoXGZColF
        Ii+XMGKWWQlwqIekKfiY3Pgc8hIM52eZ7t9hRFNrpyqHtyo1rEUJu7XIHc9BRBIm
        FLODkVZMo1MwUTAdBgNVHQ4EFgQUWUfioE/3UlDwbBmjb30PaBeDxjcwHwYDVR0j
        BBgwFoAUWUfioE/3UlDwbBmjb30PaBeDxjcwDwYDVR0TAQH/BAUwAwEB/zAKBggq
        hkjOPQQDAgNIADBFAiEAx9BIKpu6PfDe6c1Gwh1s0dHmuPIW4gX4ABAGYuMFG5YC
        IB35bkgfeIxMSeoLxiAfig6ztE17KrwBpTRg7bcKVPMS
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMcQPieDPgWZSIpHL
        /jQtRzF5/e31TWSkz4niFXGaIlKhRANCAASwZYOQoXGZColFIi+XMGKWWQlwqIek
        KfiY3Pgc8hIM52eZ7t9hRFNrpyqHtyo1rEUJu7XIHc9BRBImFLODkVZM
        -----END PRIVATE KEY-----

        """
    /// A key like any other, but not of that certificate.
    private static let strangersKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgX/2vKGefEnl0AC4l
        z3A82IxOXTil7UmmjUYzSRRv7/ehRANCAATvLqgZArIxvSUuKgRyh+4Ye8tllEr3
        0pKMgIfDe7iHiilUALpTD/BBuoQvtyU6rqnkcdDF097gOVKFLng965OH
        -----END PRIVATE KEY-----

        """

    private static func cut(_ text: String) -> String { String(text.prefix(text.count / 2)) }
    /// One letter is another in the middle, as after a bad copy.
    private static func changed(_ text: String) -> String {
        var text = text
        let middle = text.index(text.startIndex, offsetBy: text.count / 2)
        text.replaceSubrange(middle...middle, with: "!")
        return text
    }

    private typealias Flaw = AlertModel.Connection.Flaw

    private static let sound: [(certificates: String, key: String?)] = [
        (certificate, nil), (certificate, key), ("of alice\n" + certificate + certificate, key),
        (certificate + key, certificate + key),
    ]

    @Test(arguments: sound) func `that are sound are taken`(certificates: String, key: String?) {
        #expect(Flaw.found(inCertificates: Array(certificates.utf8), key: key.map { Array($0.utf8) }) == nil)
    }

    @Test(arguments: [cut(key), changed(key), "", certificate])
    func `with a key that is none are refused`(_ key: String) {
        #expect(Flaw.found(inCertificates: Array(Self.certificate.utf8), key: Array(key.utf8)) == .key)
    }

    @Test func `with the key of another certificate are refused`() {
        let key = Array(Self.strangersKey.utf8)
        #expect(Flaw.found(inCertificates: Array(Self.certificate.utf8), key: key) == .otherKey)
    }

    @Test(arguments: [
        cut(certificate), changed(certificate), "", key, certificate + cut(certificate),
        certificate + changed(certificate),
    ]) func `with a damaged certificate anywhere are refused, whatever the key`(_ certificates: String) {
        for key in [nil, Self.key, Self.cut(Self.key)] {
            let found = Flaw.found(inCertificates: Array(certificates.utf8), key: key.map { Array($0.utf8) })
            #expect(found == .certificate)
        }
    }
}
