internal import PluginKit
internal import YAMLKit

// How services are reached besides their addresses: the same settings for every source and channel that speaks to one. Their
// files are read once, to find out what is wrong with them; libcurl reads them again for each connection, so that a
// certificate can be renewed without a restart.

extension ConfigLoader {
    mutating func readConnection(_ thing: Named, _ entries: [Entry], _ what: String) -> Connection {
        typealias Settings = ConnectionSettings
        let own = reader.options(Settings.all, in: entries, at: thing.position, what)
        var connection = Connection(policy: reader.policy)
        func path(_ setting: Setting<GuardedText?>) -> String? {
            own[setting].map { absolute($0.reveal()) }
        }
        connection.authorities = path(Settings.authorities)
        connection.certificate = path(Settings.certificate)
        connection.key = path(Settings.key)
        if let file = connection.authorities {
            let place = own.position(of: Settings.authorities)
            if let text = pem(file, Settings.authorities.name, holding: "CERTIFICATE", at: place) {
                checkSound(certificates: (text, file, place), key: nil)
            }
        }
        checkClient(connection, own)
        if let written = own[Settings.proxy] { connection.proxy = proxy(written, own) }
        return connection
    }

    /// The certificate and its key belong together.
    private mutating func checkClient(_ connection: Connection, _ own: Options) {
        typealias Settings = ConnectionSettings
        guard let certificate = connection.certificate else {
            if connection.key != nil {
                reader.report(
                    own.position(of: Settings.key), "'client_key' is set and 'client_certificate' is not",
                    advice: "name the certificate that the key belongs to")
            }
            return
        }
        let place = own.position(of: Settings.certificate)
        let text = pem(certificate, Settings.certificate.name, holding: "CERTIFICATE", at: place)
        let key = connection.key ?? certificate
        let keyPlace = connection.key == nil ? place : own.position(of: Settings.key)
        let keyText =
            connection.key == nil ? text : pem(key, Settings.key.name, holding: "PRIVATE KEY", at: keyPlace)
        guard let keyText else { return }
        guard keyText.hasKey else {
            reader.report(
                place, "the file \(certificate) of 'client_certificate' holds no key",
                advice: "name the key's file with 'client_key'")
            return
        }
        if let text { checkSound(certificates: (text, certificate, place), key: (keyText, key, keyPlace)) }
        guard !reader.surroundings.withholdsSecrets, reader.surroundings.isOpenToOthers(key) else { return }
        reader.report(
            Problem(
                keyPlace, "everybody on this machine can read the key in \(key)", advice: "chmod 600 \(key)",
                level: .warning))
    }

    private typealias WrittenPEM = (text: String, file: String, position: Position)

    /// Reports what a connection would stumble over.
    private mutating func checkSound(certificates: WrittenPEM, key: WrittenPEM?) {
        let files = [certificates.file, key?.file]
        let flaw =
            connectionFlaws[files]
            ?? reader.surroundings.connectionFlaw(Array(certificates.text.utf8), key.map { Array($0.text.utf8) })
        connectionFlaws[files] = .some(flaw)
        let key = key ?? certificates
        switch flaw {
        case nil: break
        case .certificate:
            reader.report(
                certificates.position,
                "a certificate in \(certificates.file) cannot be read: it is damaged",
                advice: "copy the file again")
        case .key:
            reader.report(
                key.position,
                "the key in \(key.file) cannot be read: it is damaged, or in a format that is not supported",
                advice: "copy the file again, or convert it with 'openssl pkey'")
        case .otherKey:
            reader.report(
                key.position, "the key in \(key.file) does not belong to the first certificate in \(certificates.file)",
                advice: "name files that belong together; the client's own certificate comes first in its file")
        }
    }

    /// The text of a file that must be PEM; nil where it is not, which is reported, and where nothing is asked for.
    private mutating func pem(_ path: String, _ name: String, holding part: String, at position: Position) -> String? {
        // Where secrets are not, the files beside them need not be either.
        guard !reader.surroundings.withholdsSecrets else { return nil }
        guard !path.contains("-----BEGIN ") else {
            reader.report(
                position, "'\(name)' is a certificate or a key itself, expected the name of its file",
                advice: "write \(name): PATH, without ${file:…}")
            return nil
        }
        let bytes: [UInt8]
        do {
            bytes = try reader.surroundings.file(path)
        } catch {
            reader.report(position, "the file \(path) of '\(name)' cannot be read: \(error.sentence)")
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("-----BEGIN "),
            part == "PRIVATE KEY" ? text.hasKey : text.contains("-----BEGIN \(part)-----")
        else {
            let found = text.contains("-----BEGIN ") ? "holds something else" : "is not PEM"
            reader.report(
                position, "the file \(path) of '\(name)' \(found), expected -----BEGIN \(part)-----",
                advice: text.contains("-----BEGIN ")
                    ? nil : "convert it with openssl x509 -inform der, or openssl pkcs12")
            return nil
        }
        if part == "PRIVATE KEY" || name == ConnectionSettings.certificate.name, text.hasLockedKey {
            reader.report(
                position, "the key in \(path) needs a passphrase, which nobody is there to type",
                advice: "remove the passphrase with openssl pkey")
            return nil
        }
        return text
    }

    private mutating func proxy(_ written: GuardedText?, _ own: Options) -> Connection.Proxy {
        guard let written else { return .none }
        let address = written.reveal()
        let scheme = address.firstRange(of: "://").map { address[..<$0.lowerBound].lowercased() }
        let isSound =
            scheme.map { scheme in
                ConnectionSettings.proxySchemes.contains(scheme)
                    && WebAddress("http://" + address.dropFirst(scheme.count + 3)) != nil
            } ?? false
        let place = own.position(of: ConnectionSettings.proxy)
        if !isSound, !reader.isWithheld(written, at: place) {
            // More than a host and its port may be a login.
            let plain = address.replacing(/^\w+:\/+|\[.*\]/, with: "")
            let mayHaveLogin = plain.contains("@") || plain.count { $0 == ":" } > 1
            if mayHaveLogin, !written.hasSecret { reader.secretsRead.hide(place) }
            reader.report(
                place,
                written.hasSecret || mayHaveLogin
                    ? "'proxy' is not a proxy's address"
                    : "'proxy' is '\(address.tamed.clipped(to: 80))', expected a proxy's address",
                advice: "write http://proxy.example.com:3128, socks5h://127.0.0.1:1080, or off")
        }
        reader.checkAdmitted(written, "proxy", at: place)
        return .at(written)
    }
}

extension String {
    fileprivate var hasKey: Bool { contains("PRIVATE KEY-----") }

    fileprivate var hasLockedKey: Bool {
        contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || contains("Proc-Type: 4,ENCRYPTED")
    }
}
