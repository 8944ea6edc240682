# shellcheck shell=bash
# What the scripts share: where the repository is, how they speak, and the set-up that a build needs. It is sourced,
# and changes nothing on a machine that has everything.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
readonly root

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "error: $*"
    exit 1
}

# The Swift that can read Package.swift, or a sentence that says where to get it.
need_swift() {
    local wanted version
    wanted=$(sed -n '1s|^// *swift-tools-version: *\([0-9.]*\).*|\1|p' "$root/Package.swift")
    command -v swift >/dev/null || fail "there is no 'swift' in PATH; install Swift $wanted or later: https://swift.org/install"
    version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1) || true
    [[ -n $version ]] || fail "'swift --version' does not answer: $(swift --version 2>&1 | tail -n 1)"
    [[ $(printf '%s\n' "$wanted" "$version" | sort -V | head -n 1) == "$wanted" ]] ||
        fail "this is Swift $version; Package.swift needs $wanted or later: https://swift.org/install"
}

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]; }

has_library() { [[ $(/sbin/ldconfig -p) == *"$1 "* ]]; }

# Whether what a Debian package is wanted for is there, wherever it came from.
is_there() {
    case $1 in
    libcurl4-openssl-dev) pkg-config --exists libcurl 2>/dev/null ;;
    libmicrohttpd-dev) pkg-config --exists libmicrohttpd 2>/dev/null ;;
    libyaml-dev) pkg-config --exists yaml-0.1 2>/dev/null ;;
    libssl-dev) pkg-config --exists libcrypto 2>/dev/null ;;
    pkg-config | git | curl | valgrind) command -v "$1" >/dev/null ;;
    ca-certificates) [[ -s /etc/ssl/certs/ca-certificates.crt ]] ;;
    tzdata) [[ -e /usr/share/zoneinfo/Europe/Madrid ]] ;;
    binutils) command -v ld.gold >/dev/null ;;
    libstdc++-12-dev) [[ -e /usr/include/stdio.h ]] && compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null ;;
    libncurses6) has_library libncurses.so.6 ;;
    libsqlite3-0) has_library libsqlite3.so.0 ;;
    libxml2) has_library libxml2.so.2 ;;
    python3) python3 -c 'import http.server' 2>/dev/null ;;
    python3-venv) python3 -c 'import venv, ensurepip' 2>/dev/null ;;
    *) is_installed "$1" ;;
    esac
}

# The module of a plugin's folder: plugins/gates/Mute holds MuteGate.
plugin_module() {
    local kind=${1#plugins/}
    kind=${kind%%/*}
    kind=${kind%s}
    printf '%s%s' "$(basename "$1")" "${kind^}"
}

# Runs a command as root: directly, or through sudo, which asks for a password only if somebody is there to answer.
as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif [[ -t 0 ]]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# Runs apt-get without questions. What it says is shown only when it fails.
apt_get() {
    local log status=0
    log=$(mktemp)
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 || status=$?
    if ((status != 0)); then tail -n 20 "$log" >&2; fi
    rm -f "$log"
    return "$status"
}

# Installs those of the named Debian packages that are missing.
need_packages() {
    local package missing=()
    for package in "$@"; do
        is_there "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    local by_hand="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    command -v apt-get >/dev/null || fail "missing: ${missing[*]} (Debian's names); install them and try again"
    if [[ $EUID -ne 0 ]]; then
        command -v sudo >/dev/null || fail "missing: ${missing[*]}; as root, run: $by_hand"
        [[ -t 0 ]] || sudo -n true 2>/dev/null || fail "missing, and sudo wants a password: ${missing[*]}; as root, run: $by_hand"
    fi
    say "installing ${missing[*]}"
    # The package lists may be absent, or so old that what they name is gone.
    if ! apt-get install --simulate "${missing[@]}" >/dev/null 2>&1 ||
        ! apt_get install --no-install-recommends "${missing[@]}" 2>/dev/null; then
        say "refreshing the package lists"
        apt_get update || fail "the package lists cannot be refreshed; as root, run: $by_hand"
        apt_get install --no-install-recommends "${missing[@]}" || fail "apt-get did not succeed; as root, run: $by_hand"
    fi
}

# Everything that a build and its tests need: first what the toolchain itself wants of the system, then what the bot does.
set_up() {
    need_packages binutils git libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 \
        ca-certificates libcurl4-openssl-dev libmicrohttpd-dev libssl-dev libyaml-dev pkg-config python3 tzdata
    need_swift
}
