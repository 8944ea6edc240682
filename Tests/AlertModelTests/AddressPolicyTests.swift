import AlertModel
import Testing

@Suite struct `Addresses of the internet protocol` {
    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("0177.1", "127.0.0.1"),
        ("0", "0.0.0.0"), ("::1", "::1"), ("[::1]", "::1"), ("0:0:0:0:0:0:0:1", "::1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("::FFFF:7f00:1", "127.0.0.1"), ("fe80::1%eth0", "fe80::1"), ("2001:DB8::1", "2001:db8::1"),
    ])
    func `are read in every form that a system takes`(_ text: String, _ expected: String) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test(arguments: [
        "", "x", "1.2.3.4.5", "256.1.1.1", "::1::", "10.0.0.1 x", " 10.0.0.1", "[]", "١.1.1.1", "127.0.0.1\u{0}",
    ])
    func `are nothing else`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("localhost", "127.0.0.1"), ("a.localhost", "127.0.0.1"), ("localhost.", "127.0.0.1"), ("[::1]", "::1"),
            ("127.0.0.1.", "127.0.0.1"), ("example.com", nil), ("notlocalhost", nil),
        ] as [(String, String?)])
    func `may stand for hosts`(_ host: String, _ expected: String?) {
        #expect(IPAddress(host: host)?.description == expected)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3", "10.1.2.3", true),
        ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
        ("172.16.0.0/12", "172.31.255.255", true), ("172.16.0.0/12", "172.32.0.0", false), ("::/0", "2001:db8::", true),
        ("fd00::/8", "fdff::1", true), ("fd00::/8", "fc00::1", false), ("fe80::/10", "febf::", true),
        ("10.0.0.0/31", "10.0.0.1", true), ("10.0.0.0/31", "10.0.0.2", false),
    ])
    func `lie in blocks`(_ block: String, _ address: String, _ expected: Bool) throws {
        #expect(try AddressBlock(grammar: block).contains(#require(IPAddress(address))) == expected)
    }

    @Test(
        arguments: [
            ("10/8", nil), ("10.0.0.0/33", nil), ("10.0.0.0/", nil), ("10.0.0.0/+8", nil), ("example.com", nil),
            ("2130706433", nil), ("10.0.0.1/8/8", nil), ("10.0.0.1/8", "10.0.0.0/8"), ("fd12::/8", "fd00::/8"),
        ] as [(String, String?)])
    func `blocks are written as they are, or refused`(_ text: String, _ suggestion: String?) {
        let error = #expect(throws: GrammarError.self) { try AddressBlock(grammar: text) }
        #expect(error?.suggestion == suggestion)
    }
}

@Suite struct `Denying private addresses` {
    @Test(arguments: [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.255", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.1", "198.18.0.1", "224.0.0.1",
        "239.255.255.255", "255.255.255.255", "168.63.129.16", "::", "::1", "::127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b:1::1", "2002:7f00:1::", "2002:c0a8:101::1", "2001::1",
        "fd00:ec2::254", "fc00::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1",
    ])
    func `keeps what is no place on the internet out`(_ address: String) throws {
        #expect(!AddressPolicy.publicOnly().admits(try #require(IPAddress(address))))
        #expect(AddressPolicy.open.admits(try #require(IPAddress(address))))
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255", "192.169.0.0", "223.255.255.255", "168.63.129.15", "2606:4700::1111", "2a00:1450::1",
        "64:ff9b::8.8.8.8", "2002:808:808::1", "::ffff:8.8.8.8",
    ])
    func `lets the internet be`(_ address: String) throws {
        #expect(AddressPolicy.publicOnly().admits(try #require(IPAddress(address))))
    }

    @Test func `a block that is allowed counts, in whatever form an address comes`() throws {
        let policy = AddressPolicy.publicOnly(besides: [try AddressBlock(grammar: "10.1.0.0/16")])
        for text in ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"] {
            #expect(policy.admits(try #require(IPAddress(text))))
        }
        #expect(!policy.admits(try #require(IPAddress("10.2.0.1"))))
    }
}
