import PluginKit
import PluginTesting
import Testing

@testable import SourceKit

@Suite struct `Service accounts` {
    /// What PyJWT 2 makes of the sample's key, with the header and the claims of Google's documentation.
    private static let assertion =
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6IjAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njci"
        + "fQ.eyJpc3MiOiJhbGVydGJvdEBhY21lLW1vYmlsZS5pYW0uZ3NlcnZpY2VhY2NvdW50LmNvbSIsInNjb3BlIjoiaHR0cHM6Ly93d"
        + "3cuZ29vZ2xlYXBpcy5jb20vYXV0aC9wbGF5ZGV2ZWxvcGVycmVwb3J0aW5nIiwiYXVkIjoiaHR0cHM6Ly9vYXV0aDIuZ29vZ2xlY"
        + "XBpcy5jb20vdG9rZW4iLCJpYXQiOjE3OTUyMTkyMDAsImV4cCI6MTc5NTIyMjgwMH0.MGv1Taf1NHsyG3jviqTEWLCsNpxXjbraC"
        + "SCg4_D2T_C3kYITwbybC-WuUq4YLc4nmHJtDys9mMIX6UKYflfwf_ttRwg2pfzkVtU6ogi1uqyN2zm3e8mCaS8fPU3qr2kX5UU73"
        + "viiqMbgdYF5mbdlUbXW-Qo68bctWh3_EbXWMfY34l7VYrO1VzkAnTNp8r6ch42DIOJHCLqpSz1eZzpVsbV0BiGTIfkroHkxQ76Ug"
        + "eSGGgkhFaNDzyObhjG7GxLzjcA0cADw4n3jjJWZ8BURtVV1tNJAU-GWg5wb7k7toAkqe-92xBksKgOxlgUzFbM0iCYjdON8gX_rz"
        + "TbYDtA1QQ"

    @Test func `an assertion is what another library makes of the same key and claims`() throws {
        let account = try ServiceAccount(keyFile: GuardedText(Secret(SampleServiceAccount.keyFile)))
        #expect(account.email == SampleServiceAccount.email)
        #expect(account.project == "acme-mobile")
        let now = try #require(Moment(unixSeconds: 1_795_219_260))
        let scope = "https://www.googleapis.com/auth/playdeveloperreporting"
        // Issued a minute ago, because this machine's clock may be ahead of Google's.
        #expect(account.assertion(for: scope, at: now)?.reveal() == Self.assertion)
        #expect(account.assertion(for: scope, at: now + .seconds(1))?.reveal() != Self.assertion)
    }

    @Test func `an assertion is for Google wherever it is sent`() throws {
        let now = try #require(Moment(unixSeconds: 1_795_219_260))
        for address in ["https://accounts.google.com/o/oauth2/token", "https://oauth2-acme.p.googleapis.com/token"] {
            let account = try ServiceAccount(keyFile: GuardedText(Secret(Self.changed("token_uri", "\"\(address)\""))))
            let scope = "https://www.googleapis.com/auth/playdeveloperreporting"
            #expect(account.assertion(for: scope, at: now)?.reveal() == Self.assertion)
        }
    }

    @Test func `nothing that is printed of one shows its key`() throws {
        let account = try ServiceAccount(keyFile: GuardedText(Secret(SampleServiceAccount.keyFile)))
        let piece = SampleServiceAccount.privateKey.split(separator: "\n")[3]
        for text in ["\(account)", String(reflecting: account)] {
            #expect(!text.contains(piece))
            #expect(text.contains(SampleServiceAccount.email))
        }
    }

    @Test(arguments: [
        ("", "it is empty"), ("  \n", "it is empty"), ("hello", "it is not the JSON file that the cloud console gives"),
        ("./play.json", "this is the file's name, not what is in it"),
        (SampleServiceAccount.privateKey, "this is the private key alone; the whole JSON file is needed"),
        (#"{"type": "service_account", "#, "it is not JSON from line 1, column"),
        (SampleServiceAccount.keyFile + "x", "it is not JSON from line 1, column"),
        ("{}", "$.type: expected a value, found no such member"),
        (changed("type", #""authorized_user""#), #"found the string "authorized_user""#),
        (changed("client_email", nil), "$.client_email: expected a value"),
        (changed("client_email", #""""#), "$.client_email: expected a string that is not empty"),
        (changed("private_key_id", "7"), "$.private_key_id: expected a string, found 7"),
        (changed("token_uri", #""http://example.com/token""#), "$.token_uri: expected an https address"),
        (changed("token_uri", #""file:///etc/passwd""#), "$.token_uri: expected an https address"),
        (changed("private_key", nil), "$.private_key: expected the private key, found none"),
        (changed("private_key", "[1]"), "$.private_key: expected the private key, found none"),
        (
            changed("private_key", #""PLACEHOLDER: PKCS#8 PEM text goes here""#),
            "$.private_key: the private key is not in PEM, with BEGIN and END lines"
        ),
        (
            changed("private_key", #""-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBg\n-----END PRIVATE KEY-----\n""#),
            "$.private_key: the private key cannot be read; it is cut short, changed, or locked by a password"
        ), (changed("private_key", Self.written(lockedKey)), "locked by a password"),
        (changed("private_key", Self.written(shortKey)), "the private key has 1024 bits, expected at least 2048"),
        (changed("private_key", Self.written(curveKey)), "the private key is not an RSA key"),
    ]) func `what is no key file is refused with a sentence`(_ text: String, _ words: String) {
        do {
            _ = try ServiceAccount(keyFile: GuardedText(Secret(text)))
            Issue.record("it was taken")
        } catch {
            #expect(error.sentence.contains(words), "\(error.sentence)")
            #expect(!error.sentence.contains("MIIE"))
        }
    }

    @Test func `a problem stands at the option and says what was probably meant`() {
        let place = Position(line: 3, column: 8)
        let values = ["key": Option(.text("keys/play.json"), at: place)]
        do {
            _ = try ServiceAccount(Options(name: "play", position: Position(line: 1, column: 1), values: values))
            Issue.record("it was taken")
        } catch {
            #expect(error.problems.map(\.position) == [place])
            #expect(error.problems.first?.suggestion == "${file:keys/play.json}")
        }
    }

    private static func changed(_ member: String, _ value: String?) -> String {
        SampleServiceAccount.keyFile(changing: [member: value])
    }

    private static func written(_ pem: String) -> String { JSON.string(pem).text }
}

/// Made with `openssl genpkey -aes128 -pass pass:x`.
private let lockedKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQInNgszNxLbs8CAggA
    MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAECBBA/d8zgw8H2Q/hRfL3f0OLGBIIE
    0F01sVqGs0QfUY66HkzeNg7Mz8SwcuRnpDiYr5N8hYIE6MGKX2zmp+FS5eidB60q
    b129uWBodgEjCeRRrwd8AKr9MWBBftxjneBwGjR6ZPmvaP+qERtGR+dQOrhTXjBG
    JmXnmGD7XIhR5lHo2DFGf+j2WSSXdkKzw7fXy4Jtt2eoG0KlLeH2iEYbb0k/3bvp
    lGC8YnyvK7sN4/p6qlyjdPhKekDSou7dwmkEKpJozd6T1XGirYDZCegznomH6ItD
    rJqHbsFDAIiK1Ak9X7GaXcYazYDTbe4yg2ByRs5+8SMvmMSmmqFlY2v8ZuG3ww+J
    rpd/51Hp/dTmEma00DalRB94XLQIWkjZhD4HHye4v+GWJ/EchN4sRpj4+EmxBocJ
    90ZqAL455XX2IzDatg17/vFDMMLby/OoS6FrxkQf1YDZ4Wyvoi3Du3ZFpJmnCCNr
    SaLuVpMNbivL+HxEKHwlAxX/swbmLqpg7f+z/bKcUh3wtz8E+ENnt0M0AwOYNgg3
    VfZeD3lE5FrBlf45kMPpEN0/jL0NCiKvNMUVFRMiMMSmlLw1BqXK00zwD6G7Eo7p
    J+dvXD6j5JqtOCZhfnr42DN+nD6rMsSNrhKMKGW/IQQtLz2+51FGmiAriAAxfnkp
    SI17udrvnY0gHzbcZ+0dGUiOJ29mMKgWO9LIAs0MruOhf2ISLUnf91h/In9yKMYJ
    aMj1oMXUF/1luE1/8Qs1/WMT60X6+/fKXKClFNCPnjQqEmcIuxctFOxg5qI43Sji
    D7KD/zNNN23HVYsZ04DhoYGodi+5R3IPwIBRvnxFgkTI8bwEwlPMmBqLe0J9PcR6
    RnbWGnu9Iza7T1fBqRyeYarMg03TZUkNwbk4NDLBJ/AWZa3ymhLPc9x3W/dFwl4/
    fDKfrVq69r2SIY8PlMmNGzlc3gucRJssx1CnvIgenXvHe1QI7h4ixIO8dR7CCpJ/
    seO3UZJI4lNQiPbCGAmqCetyAsmTSGuak7SGdZZxunun+MVoQA6X1QEQpQ/s3TCf
    GzgVUu+yVah/meZIjFByTgjdFwC35OtbkOq9byZwLSb4RWeRHPND3ekKECd2nEMS
    yVgXW57V17qwt4qxeHJhiSlJ1iGTWylVFEhsYXoX/fbjz/tDB5Wn+21EtAvSAKna
    7rtjMUAuGjPNwQlN1ScKHwCL/WtguVj2EN6+xD0DZwNY5bDtvzl1GcA0yEQED9Pt
    8vjmqoDB4lSDEr4bHmgWEcoNVZVa9miDvKscUl7nOuApoLYJuqCYukbviR46axje
    GOOrqhmbInvOrRugiuBlb8ehVIGoC1OOkQfT7uXVxYx6yBhLWhWC3n/5sjXBop8a
    0hAAtkDi0dAJBi2dbT36He5t/hVcRXdTJ7/QEEKRmJOjEXRraChwDVPV93F7zTxP
    i4ba6LJdEiarKlKvFGnj3r16gprOOPou+7/XhIOSbT/cYNjKTFLZ35z8w3cy8ZLj
    FP3n64fI3C+9Gu3AaT5gl6rD59u6RXy+OZDBUrXSmlws4q6CiH0sHbRBgJQ4HBp+
    cx1v97LXNkM/hElAeUP36oGCoEPA77G9ok2a/ogvstN2sBbrxenvhlLgTo/WX3LF
    KrAE9Oi5BVMNmUluyZ4DRGmS3H4HOhpoDay5b6IyVfFL
    -----END ENCRYPTED PRIVATE KEY-----
    """

/// Made with `openssl genpkey` of 1,024 bits.
private let shortKey = """
    -----BEGIN PRIVATE KEY-----
    MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAMIexo0/qy7ryZ3J
    xoCoOEtmVwCvVt4VonFo0L5pW7Cilht5sTfY1ONFhcikuOgbYjONg15qhwsdmVvM
    xsiQCBMz71/+z7P94YqNLQPe5+cVYe3OqcCWARxIKoalB3LarXhvOREe+Ee6xxTz
    0ca/L93ULVxPa7/259ncQmfr4CyRAgMBAAECgYEArsN6Sgw6F4Ib/7x6w7WvCOLY
    DTvOXx7nImcVF3hPHhUiQxYqIHdMIlii+2KhPgX5QSR0UvphHfbF7MnNZR+Ww/D9
    vGP6JeEHTypv96kvlrTs2c+0jJE64JfVIA1d3CVrXetrZsCX0p6U5k03Um6vI8AT
    l2ubsiLZ64/B6Y2JoKkCQQDsFDwfdSGD2qhNEm6XRZMtxOwMvLI55SoWJAVgzfDZ
    BFxVrKAflsBLQInSx6WhPwabNBq8VvfUnNviv1y4GL63AkEA0oAmE+3yGXlVL/Dr
    029Ez+G9UHbAkMAVwxmWcBltuKGkIuFKejg30y6ZoQLFsGDb4I9JXtzfZXvhW2pp
    LNcm9wJAFPF+m/PSM1ZUk/HMqdLcSbUsk7yxuv0fjLNJXtsmQLpoTplv4x2GlaZ2
    E6LuiK2EsoQe0xKMDeqUfzsmyJY5ZQJAAqWJ1QZQ3PEhmRC2Zlony1VTRAe6NBe2
    LlXMBmzLbF7b6XRbs12xlf4oAFZAlg8htJkYmxC73lLIapXT7LRn0QJBANQRipgz
    bHLlVBXrN2KXXtuhGCWKtH16QeSFfweG/jTKInBrjq4BXWTenogI5JRpiSsKLZqz
    uM75PEg90ymYpRg=
    -----END PRIVATE KEY-----
    """

/// A key on a curve, as other services give them.
private let curveKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9CtQub9X0qe7F6Ul
    LJWR+maelVddc5Is1BLxZtojIeOhRANCAATmbbKj2zyH4QmXY/7vRugt44vkqYD2
    F4m2Y2Uz2DdiOaeAxKzN0eG2l+i3jRDQyQBuM/BtSMBR8J2F0+n6+sFT
    -----END PRIVATE KEY-----
    """
