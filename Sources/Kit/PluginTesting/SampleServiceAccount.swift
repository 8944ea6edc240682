/// The key file of a service account that exists nowhere: its key opens nothing.
public enum SampleServiceAccount {
    public static let email = "alertbot@acme-mobile.iam.gserviceaccount.com"
    public static let keyID = "0123456789abcdef0123456789abcdef01234567"

    /// The file's text, as `${file:…}` gives it.
    public static let keyFile = keyFile(changing: [:])

    /// The same with other members: a raw JSON value for each, or nil for none.
    public static func keyFile(changing changes: [String: String?]) -> String {
        var members: [(name: String, value: String)] = [
            ("type", #""service_account""#), ("project_id", #""acme-mobile""#), ("private_key_id", "\"\(keyID)\""),
            ("private_key", "\"\(privateKey.split(separator: "\n").map { "\($0)\\n" }.joined())\""),
            ("client_email", "\"\(email)\""), ("client_id", #""100000000000000000000""#),
            ("token_uri", #""https://oauth2.googleapis.com/token""#), ("universe_domain", #""googleapis.com""#),
        ]
        for change in changes {
            members.removeAll { $0.name == change.key }
            if let value = change.value { members.append((change.key, value)) }
        }
        return "{\(members.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", "))}"
    }

    /// Made for tests with `openssl genpkey`.
    public static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCtIaudEmcS5sS2
        vo+cuVAZjsJhvbqv++DsBPRI6PeaXrqVlfMYNKUnpOs6s0FI2Ptyx6pU45X08anY
        2nI32C7EnvhyRprpzDOgngt6Q1LE2FC+dR491p0T6B4g6Umq9ScaLd53VJGPU9ka
        6WCzcnSOyHZHK+jfuFcMrs2GIMKR640Ur6VE6daeYm6RmNPNECkybypsVMx4db5R
        ldENGsm5I6/UmXquzdMJVw4dHwFY3fI1if53Rbdmmjx1WI5+j9wXE6eQe2/mZWhC
        XPpXQFjTMlgj9q03/Rr9f1K4hyfvYtjZZ2u0njCwhCUk79ZbmRXzSDl2o3OU947z
        V2w7Q+tpAgMBAAECggEAJ46EnR32BnPK+Lz355VQl5JOV9InbCuWw55LKThvUCo6
        I9DPqtVmcbUk2LPZo/kNlHdJs90O51jq12TryVYfs2Vl+wgmP2pcVmOd2Di3GcoZ
        wrZUK0lUeNalQZxDrGeYYEsgI/Ai1NZRyawOX9m0B2aGXbMK4UjHPNrYkv97rSZ9
        6gympW3q3wQDHF8BIrsTj++CIq4MR2AB2ySCrN7pbv1jNOuDJtwddAtz76Pd8ijv
        Nj12IiQqQDWeDc1LNP4KiYrm5bz85/mX/a6qRHlzz1p+U6AWQQ+F/9YQafpDiHJ3
        OYEDKg3i77EzUM8vcUbzjCbv0w+kFqdThw4PYvWrTQKBgQDeqyMvDjnAXdZyGTnN
        0iox/73xX6VqSghICSbTtibzGo6PSHzfY3SGaStWBXgrMt7VrJhGTJUfGxdOjxyg
        z1a3nyh/rumTmoiABN67/g+mwSy0RthCba2eoXHwflmJsJmMLnZZIUBysz8Vmi76
        jTJUYloMseonDCfBAiizdIhNRQKBgQDHDDrpeAi/u1LcLldLq5eYGRoMoji1UbBN
        LQjGyVcJPWeBfP2HL8jZZFau43jWMNIaRVvDXP7mLAwkWV13r/8yhTiDvAKyDjrP
        jns0mvCfC5NhanQYL4Nk7l0gXtjqze+hoTbFwEG1S1xAiVAdeqoEX6DcOOIFPatf
        cLv/A1St1QKBgDAWE0YRM2WYnjwLuJD7RwN/MDzVI/rdPAaae1kTKDwtywWkaNsx
        NjPkuGgeTEI//SF14XilBzstdY4Ql+UegaKr62oPkv++SqYi5xsAFc80Pnw8JG3M
        E8eDJAEEuD9k9PPyALrk1G8wyHnYzzZqkajpiHrfXSrLlDY5SiLfEqRlAoGBAI6I
        KnNeOd2ZtObn5CjScdY/O1EKpNLp8PYCpoM6T7HVH5Ywu5cfV5Kb8BqB1tiB0yFu
        wxvtLrYBmpw4xd5bz8EMdoCWk9OOrvxLidwMivtInbunMATVmSAgM91nLatN1ieG
        OqN2XVcF5MRtz0mcubwyAg1QSkD4fQv1vRkJ+IwVAoGBAKw9y0NBIq9JEAvxRgrO
        xyeeSPlTURJ/KJUDWLTgBd5uhYMp+ZmLDPnVsZ/7N7xX3i6L0AyQ0ASy9hyEuXc/
        HGmBbZePPW7aPinMlQ7gJNrihwrf29QYbKK9+pB230xECwddkx0/G+vXO2XPgdsY
        CID/8+WHXfVg10u5hvnc0faL
        -----END PRIVATE KEY-----
        """
}
