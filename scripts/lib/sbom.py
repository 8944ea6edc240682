"""Lists what the program is made of, as SPDX 2.3 in JSON: what is linked into it, and which packages of the system it loads.

    python3 scripts/lib/sbom.py PROGRAM VERSION SECONDS

PROGRAM is the built program and SECONDS when its sources were committed. What is linked comes from Package.resolved and from the
compiler, what is loaded from the program's own headers and dpkg. A library without a licence in the table below is an error:
somebody must look.
"""

import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

# By Debian's package; as the packages' copyright files say, for the part that is loaded.
LICENCES = {
    "libc6": "LGPL-2.1-or-later",
    "libcurl4": "curl",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libmicrohttpd12": "LGPL-2.1-or-later",
    "libssl3": "Apache-2.0",
    "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libyaml-0-2": "MIT",
    "libcairo2": "LGPL-2.1-only OR MPL-1.1",
}
SWIFT_LICENCE = "Apache-2.0 WITH Swift-exception"
# Opened with the first picture, where it is there.
OPTIONAL = ["libcairo2"]


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package(name, version, licence, **more):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "downloadLocation": more.pop("downloadLocation", "NOASSERTION"), "filesAnalyzed": False,
        "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more,
    }


def linked(root):
    """What is inside the program."""
    for pin in json.loads((root / "Package.resolved").read_text())["pins"]:
        version = pin["state"]["version"]
        yield package(
            pin["identity"], version, SWIFT_LICENCE, downloadLocation=f"git+{pin['location']}@{version}",
            supplier="Organization: Apple Inc. and the Swift project authors",
            externalRefs=[purl(f"pkg:swift/{pin['location'].removeprefix('https://')}@{version}")])
    version = re.search(r"Swift version (\S+)", said("swift", "--version")).group(1)
    yield package(
        "swift-runtime", version, SWIFT_LICENCE, downloadLocation=f"git+https://github.com/swiftlang/swift@swift-{version}-RELEASE",
        supplier="Organization: Apple Inc. and the Swift project authors",
        comment="The standard library, Dispatch and FoundationEssentials, as they come with the compiler.")


def purl(locator):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}


def owner(library):
    """The Debian package that a library belongs to."""
    places = re.findall(rf"^\s*{re.escape(library)} .*=> (\S+)$", said("/sbin/ldconfig", "-p"), re.MULTILINE)
    for place in dict.fromkeys([*places, *map(str, map(pathlib.Path.resolve, map(pathlib.Path, places)))]):
        for candidate in (place, place.removeprefix("/usr"), "/usr" + place):
            found = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
            if found.returncode == 0:
                return found.stdout.split(":")[0].split(",")[0]
    sys.exit(f"error: no installed package has {library}, which the program loads")


def loaded(program):
    """The packages of the system that it loads, and those it loads where they are there."""
    libraries = re.findall(r"^\s+NEEDED\s+(\S+)$", said("objdump", "-p", program), re.MULTILINE)
    # The loader belongs to the C library.
    return dict.fromkeys(owner(library) for library in libraries if not library.startswith("ld-linux"))


def debian(name):
    if name not in LICENCES:
        sys.exit(f"error: the program loads {name}, whose licence scripts/lib/sbom.py does not know; look it up and add it")
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${Architecture}", name], capture_output=True, text=True)
    if found.returncode != 0:
        return package(name, "NOASSERTION", LICENCES[name], supplier="Organization: Debian")
    version, architecture = found.stdout.split()
    return package(
        name, version, LICENCES[name], supplier="Organization: Debian",
        externalRefs=[purl(f"pkg:deb/debian/{name}@{version}?arch={architecture}".replace("+", "%2B"))])


def main():
    program, version, seconds = sys.argv[1:]
    root = pathlib.Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    bot = package(
        "alertbot", version, "Apache-2.0", supplier="Organization: The alertbot maintainers", primaryPackagePurpose="APPLICATION",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
        comment="The checksum is that of the program, stripped as it is shipped.")
    inside = list(linked(root))
    needed = [debian(name) for name in loaded(program)]
    optional = [debian(name) for name in OPTIONAL]

    def related(element, kind, other):
        return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other}

    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"alertbot-{version}",
        # By what the program is: two that differ have two names.
        "documentNamespace": f"https://spdx.org/spdxdocs/alertbot-{version}-{digest[:32]}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: The alertbot maintainers", f"Tool: scripts/package-{version}"],
        },
        "packages": [bot, *inside, *needed, *optional],
        "relationships": [
            related("SPDXRef-DOCUMENT", "DESCRIBES", bot["SPDXID"]),
            *(related(bot["SPDXID"], "STATIC_LINK", one["SPDXID"]) for one in inside),
            *(related(bot["SPDXID"], "DYNAMIC_LINK", one["SPDXID"]) for one in needed),
            *(related(one["SPDXID"], "OPTIONAL_DEPENDENCY_OF", bot["SPDXID"]) for one in optional),
        ],
    }
    print(json.dumps(document, indent=2))


main()
